"""The rules of the house, read off the syntax trees.

Imports run one way: app -> a page -> pages/shared -> core; inside core, from room to room in the
order that pyproject.toml gives. `core` runs with numpy, pandas and msgspec alone, and shtab on the command line.
"""

import ast
import importlib
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable

import pytest

from core.base.metrics import METRICS
from tests.house import (
    LONG,
    MOST_PARAMETERS,
    Size,
    class_names_twice,
    functions,
    no_names,
    over_budget,
    parameters,
    sizes,
)
from tests.source import ROOT, Import, Source, last_name, project_files, python_files

TABLES = {"numpy", "pandas", "pyarrow", "narwhals", "python_calamine"}
ALWAYS_THERE = {*TABLES, "msgspec", "shtab", "core", *sys.stdlib_module_names}
CORE = python_files("core")
ROOMS = {path.stem for path in (ROOT / "core").iterdir()}
PAGES = python_files("pages")
APP = python_files("app.py")
PRODUCT = [*CORE, *PAGES, *APP]
TESTS = python_files("tests", "benchmarks")


def each(sources: list[Source]) -> Callable[[Callable[[Source], None]], Callable[[], None]]:
    """Hold a claim about a file against each: one test, which names every file that is against it."""

    def of_all(claim: Callable[[Source], None]) -> Callable[[], None]:
        def test() -> None:
            assert sources
            against = []
            for source in sources:
                try:
                    claim(source)
                except AssertionError as error:
                    against.append(f"{source.name}: {error}")
            assert not against, "\n".join(against)

        test.__doc__ = claim.__doc__
        return test

    return of_all


def places(source: Source, wrong: list[Import]) -> str:
    return "\n".join(f"{source.name}:{found.line} imports {found.name}" for found in wrong)


# --- core --------------------------------------------------------------------------------------


def test_rooms_import_one_way():
    """The order of the rooms stands in pyproject.toml; import-linter reads the imports."""
    run = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr


@each(CORE)
def test_core_does_not_go_through_its_own_face(source):
    """`import core` and `from core import measure` inside core would go round the order of the rooms."""
    wrong = [
        found
        for found in source.imports()
        if source.module != "core"
        and found.name.split(".")[0] == "core"
        and found.name.split(".")[1:2] not in [[room] for room in ROOMS]
    ]
    assert not wrong, places(source, wrong)


def test_every_name_of_the_public_face_is_where_the_type_checker_is_told():
    import core

    tree = ast.parse((ROOT / "core" / "__init__.py").read_text(encoding="utf-8"))
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    stated = {name.name: node.module for node in block.body for name in node.names}
    assert set(stated) == set(core.__all__)
    for name, module in stated.items():
        home = importlib.import_module(module)
        meant = importlib.import_module(f"core.{name}") if home is core else getattr(home, name)
        assert getattr(core, name) is meant
    assert set(core.__all__) <= set(dir(core))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = core.nothing


@each(CORE)
def test_core_imports_optional_packages_inside_functions_only(source):
    wrong = [
        found
        for found in source.imports()
        if found.at_module_level and not found.for_types_only and found.name.split(".")[0] not in ALWAYS_THERE
    ]
    assert not wrong, places(source, wrong)


IMPORT_ALL_WITHOUT_WHAT_DRAWS = """
import importlib, pkgutil, sys

ABSENT = {"streamlit", "plotly", "altair", "vl_convert", "openpyxl", "opendp", "pyreadstat",
          "jinja2", "markupsafe", "scipy", "sklearn"}

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


def test_core_runs_with_what_is_always_there():
    run = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL_WITHOUT_WHAT_DRAWS], cwd=ROOT, capture_output=True, text=True, check=False
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


@each([*PAGES, *APP])
def test_pages_write_no_html_of_their_own(source):
    """A column's name or value could be in it."""
    given = [(node, keyword.arg) for node, _ in source.calls() for keyword in node.keywords]
    wrong = [source.where(node) for node, name in given if name == "unsafe_allow_html"]
    assert not wrong, wrong


# --- tests -------------------------------------------------------------------------------------


def test_no_module_of_tests_imports_another():
    """What tests share has a module of its own: who renames a test looks for nobody who imports it."""
    module = re.compile(r"tests\.(\w+\.)*(test_\w+|conftest)\b")
    wrong = [
        f"{source.name}:{i.line} imports {i.name}" for source in TESTS for i in source.imports() if module.match(i.name)
    ]
    assert not wrong, wrong


# --- everywhere --------------------------------------------------------------------------------


@each([source for source in PRODUCT if source.name != "core/data/classes.py"])
def test_classes_are_formed_in_one_place(source):
    methods = [node for node, name in source.calls() if name == "groupby" and isinstance(node.func, ast.Attribute)]
    wrong = [source.where(node) for node in methods if last_name(node.func.value) != "itertools"]
    assert not wrong, f"grouping belongs in core/data/classes.py: {wrong}"


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


def test_every_definition_that_is_cited_is_in_the_repository():
    there = set(re.findall(r"^## §(\d+) ", (ROOT / "docs" / "definitions.md").read_text(encoding="utf-8"), re.M))
    texts = {file: file.read_text(encoding="utf-8") for file in project_files() if file.suffix in (".py", ".md")}
    cited = [(file.name, section) for file in texts for section in re.findall(r"definitions §(\d+)", texts[file])]
    assert len(cited) > 50
    assert [(file, section) for file, section in cited if section not in there] == []


def anchors() -> list[str]:
    return re.findall(r'<a id="([^"]+)"></a>', (ROOT / "docs" / "definitions.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize("metric", list(METRICS.values()), ids=list(METRICS))
def test_the_definition_of_every_number_is_in_the_repository(metric):
    """From a number on screen to its declaration, and from there to its formula."""
    assert metric.definition in anchors(), f"{metric.name}: docs/definitions.md has no anchor {metric.definition!r}"
    assert "-" in metric.definition, f"{metric.name}: the anchor of the quantity, not of its section"


@each(PRODUCT)
def test_nobody_takes_a_publishers_table_or_release_apart(source):
    """What can release, and what can be read, are asked by protocol: `Publisher`, `Readable`."""
    kinds = {"Encoded", "Foreign", "Release", "Published"}
    for call, name in source.calls():
        if name == "isinstance":
            named = {part.id for part in ast.walk(call.args[1]) if isinstance(part, ast.Name)}
            assert not named & kinds, f"{source.name}:{call.lineno}"


def test_a_public_class_name_means_one_thing():
    assert class_names_twice([*CORE, *PAGES]) == {}
    assert class_names_twice([*CORE, *CORE]), "a name in two files"


def test_a_module_name_of_core_means_one_thing():
    """A room may hold a module of its own name."""
    names = [source.path.stem for source in CORE if source.path.stem != "__init__"]
    assert [name for name, times in Counter(names).items() if times > 1] == []


def test_long_trains_of_parameters_are_the_ones_with_a_reason():
    """What travels together is a study, a case, a table to cut: a thing with a meaning."""
    long = {
        f"{source.name} {node.name}"
        for source, node in functions([*CORE, *PAGES])
        if parameters(node) > MOST_PARAMETERS
    }
    assert long == set(LONG)


@each([*CORE, *PAGES])
def test_local_names_say_what_they_stand_for(source: Source) -> None:
    assert not no_names(source)


def test_definitions_have_each_anchor_once_and_every_link_leads_somewhere():
    text = (ROOT / "docs" / "definitions.md").read_text(encoding="utf-8")
    there = anchors()
    assert sorted(set(there)) == sorted(there)
    assert {f"s{number}" for number in re.findall(r"^## §(\d+) ", text, re.M)} <= set(there)
    assert set(re.findall(r"\]\(#([^)]+)\)", text)) <= set(there)


@pytest.mark.parametrize("guide", ["CONTRIBUTING.md", "README.md", "docs/definitions.md"])
def test_every_file_or_folder_that_a_guide_names_is_there(guide):
    """And the names that stand behind a file: `core/base/rates.py`: `redraw_interval`."""
    text = (ROOT / guide).read_text(encoding="utf-8")
    top = "core|pages|tests|assets|docs|benchmarks|delivery"
    named = re.findall(rf"`((?:{top})/[\w./]*\w)/?`", text) + re.findall(rf"\]\(((?:{top})/[\w./]+)\)", text)
    gone = [name for name in named if "NAME" not in name and not (ROOT / name).exists()]
    assert not gone, f"{guide} names what is not there: {gone}"
    for name, behind in re.findall(r"`([\w/]+\.py)`: ((?:`[\w.]+`(?:, )?)+)", text):
        if "/" not in name:
            continue
        source = (ROOT / name).read_text(encoding="utf-8")
        for what in re.findall(r"`([\w.]+)`", behind):
            for part in what.split("."):
                assert re.search(rf"\b(def|class) {part}\b", source), f"{guide}: {name} has no {what}"


def test_no_file_knows_a_folder_of_one_machine():
    folders = "|".join(["work", "root", "tmp", r"home/\w+", r"Users/\w+", r"var/folders"])
    # After a letter, a digit or one of these it is part of a longer path or of an address.
    path = re.compile(rf"(?<![\w./:~}}\\-])/(?:{folders})/".encode())
    texts = [(file, content) for file in project_files() if b"\0" not in (content := file.read_bytes())[:8000]]
    wrong = [(file.name, found.group()) for file, content in texts for found in path.finditer(content)]
    assert not wrong, wrong


def test_no_room_exceeds_its_budget_by_more_than_a_tenth() -> None:
    assert over_budget(sizes(ROOT)) == []
    assert over_budget({"core/data": Size(10**6), "core/new": Size(5)}), "a room that grew, and one without a budget"
