"""The rules of the house, read off the syntax trees.

Imports run one way: app -> pages -> pages/_ui -> core; inside core, a module imports only from
those above it. `core` runs with numpy and pandas alone.
"""

import ast
import re
import subprocess
import sys

import pytest

from tests.source import ROOT, Import, Source, last_name, project_files, python_files

# From the bottom up: a module imports only from those named before it. The package itself,
# `core/__init__.py`, may import all of them. A new module takes its place here.
ORDER = (
    "version",
    "errors",
    "taxonomy",
    "schema",
    "table",
    "products",
    "reading",
    "export",
    "domain",
    "encoding",
    "marginals",
    "classes",
    "centroids",
    "header_words",
    "missing",
    "proposal",
    "cautions",
    "uniqueness",
    "rates",
    "models",
    "policy",
    "coalitions",
    "located",
    "cell_forms",
    "regions",
    "cells",
    "correspondence",
    "published",
    "parsing",
    "targets",
    "containment",
    "locating",
    "release",
    "anonymize",
    "measure",
    "uploads",
    "reach",
    "strangers",
    "hospitals",
    "value_sets",
    "views",
    "attack",
    "pools",
    "weighted",
    "calibration",
    "categories",
    "queries",
    "utility",
    "pooling",
    "exposure",
    "story",
    "study",
    "redraws",
    "forecast",
    "beliefs",
    "dp",
    "curves",
    "sensitive_attributes",
    "metrics",
    "requirements",
    "asked",
    "scenario",
    "review",
    "figures",
    "report",
    "examples",
    "command",
    "__main__",
)
# What measures a release must share no code with what decides that it is safe.
KEPT_FROM_MEASURE = {"models", "policy", "coalitions", "anonymize"}
NEVER_IN_CORE = {"streamlit", "plotly", "pages", "app"}
ALWAYS_THERE = {"numpy", "pandas", "core", *sys.stdlib_module_names}
CORE = python_files("core")
PAGES = python_files("pages")
APP = python_files("app.py")
PRODUCT = [*CORE, *PAGES, *APP]


def each(sources: list[Source]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("source", sources, ids=lambda source: source.name)


def core_module(name: str) -> str | None:
    """Return the module of core that an imported name belongs to: "policy" for "core.policy.Policy"."""
    parts = name.split(".")
    return parts[1] if parts[0] == "core" and len(parts) > 1 else None


def own_module(source: Source) -> str | None:
    """Return the module of core that a file belongs to; None for ``core/__init__.py``."""
    return core_module(source.module)


def places(source: Source, wrong: list[Import]) -> str:
    return "\n".join(f"{source.name}:{found.line} imports {found.name}" for found in wrong)


# --- core --------------------------------------------------------------------------------------


def test_every_module_of_core_has_its_place_in_the_order():
    unknown = sorted({own_module(source) for source in CORE} - {None} - set(ORDER))
    assert not unknown, f"give these modules of core their place in ORDER: {', '.join(unknown)}"


@each(CORE)
def test_core_never_imports_the_app(source):
    wrong = [found for found in source.imports() if found.name.split(".")[0] in NEVER_IN_CORE]
    assert not wrong, places(source, wrong)


@each(CORE)
def test_inside_core_imports_go_one_way(source):
    own = own_module(source)
    if own is None:
        return
    below = set(ORDER[: ORDER.index(own)]) if own in ORDER else set()
    wrong = []
    for found in source.imports():
        inner = core_module(found.name)
        # `import core` and `from core import measure` inside core would go through the public face.
        through_the_face = found.name == "core" or (inner is not None and inner not in ORDER)
        if through_the_face or (inner is not None and inner != own and inner not in below):
            wrong.append(found)
    assert not wrong, f"{places(source, wrong)}\nallowed for {own}: {', '.join(sorted(below)) or 'nothing'}"


@each(CORE)
def test_core_imports_optional_packages_inside_functions_only(source):
    wrong = [
        found
        for found in source.imports()
        if found.at_module_level and not found.for_types_only and found.name.split(".")[0] not in ALWAYS_THERE
    ]
    assert not wrong, places(source, wrong)


def test_measure_shares_nothing_with_what_it_measures():
    """Not even by way of other modules, when the program runs."""
    needed: dict[str, set[str]] = {name: set() for name in ORDER}
    for source in CORE:
        own = own_module(source)
        if own in needed:
            inner = {core_module(found.name) for found in source.imports() if not found.for_types_only}
            needed[own] |= {name for name in inner if name in needed and name != own}
    reached, waiting = set(), ["measure"]
    while waiting:
        module = waiting.pop()
        if module not in reached:
            reached.add(module)
            waiting += needed[module]
    assert not reached & KEPT_FROM_MEASURE, f"measure reaches {sorted(reached & KEPT_FROM_MEASURE)}"


@each([source for source in CORE if own_module(source) == "measure"])
def test_measure_does_not_even_name_what_it_measures(source):
    wrong = [found for found in source.imports() if core_module(found.name) in KEPT_FROM_MEASURE]
    assert not wrong, places(source, wrong)


@each(CORE)
def test_every_module_of_core_says_what_it_is(source):
    assert ast.get_docstring(source.tree), f"{source.name} has no docstring"


IMPORT_ALL_WITH_ONLY_NUMPY_AND_PANDAS = """
import importlib, pkgutil, sys

ABSENT = {"streamlit", "plotly", "altair", "vl_convert", "pyarrow", "openpyxl", "opendp", "scipy", "sklearn"}

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ABSENT:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
import core
for module in pkgutil.walk_packages(core.__path__, "core."):
    importlib.import_module(module.name)
print(*sorted(ABSENT & {name.split(".")[0] for name in sys.modules}))
"""


def test_core_runs_with_numpy_and_pandas_alone():
    """pandas takes pyarrow for optional, so an absent one does not stop it."""
    run = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL_WITH_ONLY_NUMPY_AND_PANDAS],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == ""


# --- pages -------------------------------------------------------------------------------------


@each([*PAGES, *APP])
def test_pages_see_only_the_public_part_of_core(source):
    wrong = [
        found
        for found in source.imports()
        if found.name.split(".")[0] == "core" and any(part.startswith("_") for part in found.name.split("."))
    ]
    assert not wrong, places(source, wrong)


@each(PAGES)
def test_pages_import_only_what_pages_share(source):
    wrong = [
        found
        for found in source.imports()
        if found.name.split(".")[0] in ("app", "pages") and found.name.split(".")[1:2] != ["_ui"]
    ]
    assert not wrong, places(source, wrong)


@each([source for source in [*PAGES, *APP] if source.name != "pages/_ui/runs.py"])
def test_only_runs_caches(source):
    wrong = [
        source.where(node) for node in ast.walk(source.tree) if last_name(node) in ("cache_data", "cache_resource")
    ]
    assert not wrong, f"caching belongs in pages/_ui/runs.py: {wrong}"


@each([source for source in PAGES if source.name == "pages/_ui/runs.py"])
def test_caches_end_with_the_session_and_are_bounded(source):
    kinds = ("cache_data", "cache_resource")
    called = {id(node.func): node for node, name in source.calls() if name in kinds}
    for node in ast.walk(source.tree):
        if not (isinstance(node, ast.Attribute | ast.Name) and last_name(node) in kinds):
            continue
        if isinstance(getattr(node, "ctx", None), ast.Load) and id(node) not in called:
            # `st.cache_data.clear()` is welcome; a bare `@st.cache_data` is not.
            cleared = any(
                isinstance(other, ast.Attribute) and other.value is node and other.attr == "clear"
                for other in ast.walk(source.tree)
            )
            assert cleared, f"{source.where(node)}: a cache without scope and bound"
            continue
        given = {keyword.arg: keyword.value for keyword in called[id(node)].keywords}
        scope = given.get("scope")
        assert isinstance(scope, ast.Constant), f"{source.where(node)}: scope"
        assert scope.value == "session", f"{source.where(node)}: scope"
        assert "max_entries" in given, f"{source.where(node)}: max_entries"
        assert "persist" not in given, f"{source.where(node)}: never on disk"


@each([*PAGES, *APP])
def test_pages_write_no_html_of_their_own(source):
    """A column's name or value could be in it."""
    given = [(node, keyword.arg) for node, _ in source.calls() for keyword in node.keywords]
    wrong = [source.where(node) for node, name in given if name == "unsafe_allow_html"]
    assert not wrong, wrong


# --- everywhere --------------------------------------------------------------------------------


@each([source for source in PRODUCT if source.name != "core/classes.py"])
def test_classes_are_formed_in_one_place(source):
    methods = [node for node, name in source.calls() if name == "groupby" and isinstance(node.func, ast.Attribute)]
    wrong = [source.where(node) for node in methods if last_name(node.func.value) != "itertools"]
    assert not wrong, f"grouping belongs in core/classes.py: {wrong}"


@each(PRODUCT)
def test_nothing_of_a_table_is_kept_for_the_whole_process(source):
    """functools caches serve every session; a function without arguments can keep nobody's data."""
    wrong = []
    for node in ast.walk(source.tree):
        for decorator in getattr(node, "decorator_list", ()):
            name = last_name(decorator.func if isinstance(decorator, ast.Call) else decorator)
            arguments = getattr(node, "args", None)
            if name in ("cache", "lru_cache") and arguments is not None and ast.unparse(arguments):
                wrong.append(f"{source.where(node)} {node.name}")
    assert not wrong, f"a process-wide cache outlives the session whose data it holds: {wrong}"


@each(PRODUCT)
def test_errors_are_caught_by_name(source):
    wrong = []
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ExceptHandler):
            types = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
            if any(kind is None or last_name(kind) in ("Exception", "BaseException") for kind in types):
                wrong.append(source.where(node))
    assert not wrong, f"catch what can be expected, by name: {wrong}"


def test_no_file_knows_a_folder_of_one_machine():
    folders = "|".join(["work", "root", "tmp", r"home/\w+", r"Users/\w+", r"var/folders"])
    # After a letter, a digit or one of these it is part of a longer path or of an address.
    path = re.compile(rf"(?<![\w./:~}}\\-])/(?:{folders})/".encode())
    wrong = []
    for file in project_files():
        content = file.read_bytes()
        if b"\0" in content[:8000]:
            continue
        for number, line in enumerate(content.splitlines(), 1):
            if path.search(line):
                wrong.append(f"{file.relative_to(ROOT)}:{number}")
    assert not wrong, wrong
