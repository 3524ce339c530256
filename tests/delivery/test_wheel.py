"""The wheel holds the program under one name, the imports lead there, and it asks for what is locked."""

from __future__ import annotations

import ast
import email
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import core
import launch
from core.base.errors import EXTRAS
from delivery import build_hook
from delivery import bundle as making
from tests.lock import asked
from tests.source import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    return zipfile.ZipFile(making.build(tmp_path_factory.mktemp("wheel")))


def test_the_wheel_has_every_module_text_and_setting_in_one_package(wheel: zipfile.ZipFile) -> None:
    names = set(wheel.namelist())
    tops = {name.partition("/")[0] for name in names}
    assert tops == {"composition_dashboard", f"composition_dashboard-{core.__version__}.dist-info"}
    code = [path for folder in ("core", "pages") for path in (ROOT / folder).rglob("*.py")]
    texts = [path for path in (ROOT / "assets").rglob("*") if path.is_file()]
    assert len(code) > 200
    wanted = {path.relative_to(ROOT).as_posix() for path in (*code, *texts, ROOT / "app.py")}
    assert {f"composition_dashboard/{name}" for name in wanted} <= names
    assert not any("tests/" in name or "benchmarks/" in name for name in names)
    for name in (".streamlit/config.toml", "assets/method/attack.md", "launch.py", "core/base/version.py"):
        assert wheel.read(f"composition_dashboard/{name}") == (ROOT / name).read_bytes()


def test_no_module_of_the_wheel_imports_a_common_name(wheel: zipfile.ZipFile) -> None:
    modules = []
    for name in wheel.namelist():
        for node in ast.walk(ast.parse(wheel.read(name) if name.endswith(".py") else b"")):
            modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            modules += [each.name for each in node.names] if isinstance(node, ast.Import) else []
    assert sum(module.startswith("composition_dashboard.") for module in modules) > 500
    assert not {"core", "pages"} & {module.partition(".")[0] for module in modules}


def test_the_metadata_says_what_the_program_says(wheel: zipfile.ZipFile) -> None:
    name = next(name for name in wheel.namelist() if name.endswith("/METADATA"))
    said = email.message_from_bytes(wheel.read(name))
    assert said["Version"] == core.__version__ == launch.version()
    assert said["License-Expression"] == "MIT"
    assert said["Requires-Python"] == ">=3.11"
    assert "Private :: Do Not Upload" in said.get_all("Classifier", [])


LOWER = ("numpy", "pandas")
"""Packages that may be older than the pins: the workflow runs the tests of core with the lowest."""


def test_the_ranges_are_those_of_the_pins() -> None:
    pins, extras = asked(""), PROJECT["optional-dependencies"]
    optional = [one for name in ("engine", "noise", "pictures", "statistics", "updates") for one in extras[name]]
    ranges = {one.name: one.specifier for one in map(Requirement, [*PROJECT["dependencies"], *optional])}
    assert set(ranges) == set(pins)
    for name, version in pins.items():
        assert ranges[name].contains(version)
        lowest = next(one for one in ranges[name] if one.operator == ">=")
        assert name in LOWER or lowest.version == version, f"{name}: nothing older than what the tests run with"
        assert any(one.operator == "<" for one in ranges[name])
    bench = {one.name: str(one.specifier) for one in map(Requirement, extras["bench"])}
    assert {name: f"=={version}" for name, version in asked("-bench").items() if name not in pins} == bench


def test_installed_in_place_the_package_leads_to_the_repository(tmp_path: Path) -> None:
    """What ``pip install -e .`` puts into an environment."""
    hook = build_hook.PackageHook(str(ROOT), {}, None, None, str(tmp_path), "wheel")
    build_data: dict[str, dict[str, str]] = {"force_include_editable": {}}
    hook.initialize("editable", build_data)
    (folder,) = build_data["force_include_editable"]
    shutil.copytree(folder, tmp_path / build_hook.PACKAGE)
    hook.finalize("editable", build_data, "")
    script = (
        "import sys; from composition_dashboard import Schema; from composition_dashboard.core.cli import main\n"
        "import composition_dashboard.core.data.schemas.schema as there, core.data.schemas.schema as here\n"
        "assert there is here and here.__spec__.name == 'core.data.schemas.schema' and Schema is here.Schema\n"
        "sys.exit(main(['--version']))"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == f"composition-gate {core.__version__}\n"
    assert not Path(folder).exists()


def test_each_optional_package_is_in_the_extra_that_its_refusal_names() -> None:
    extras = PROJECT["optional-dependencies"]
    for package, extra in EXTRAS.items():
        assert package in {Requirement(text).name for text in extras[extra]}


# ---- how imports are rewritten -----------------------------------------------------------------


@pytest.mark.parametrize(
    "before, after",
    [
        ("from core import dp", "from composition_dashboard.core import dp"),
        ("from core.data.tables.table import Table", "from composition_dashboard.core.data.tables.table import Table"),
        ("from  pages.shared import a, b", "from composition_dashboard.pages.shared import a, b"),
        ("import core", "from composition_dashboard import core"),
        ("import core.study.sweep as it", "from composition_dashboard.core.study import sweep as it"),
        ("import core.attack.metrics  # fills", "import composition_dashboard.core.attack.metrics  # fills"),
        ("import core as it", "from composition_dashboard import core as it"),
        ("def f():\n    from core import (\n        a,\n        b,\n    )", None),
        (
            "from corex import a\nimport pagesize\nfrom . import core",
            "from corex import a\nimport pagesize\nfrom . import core",
        ),
        ("x = 'from core import dp'  # from core import dp", "x = 'from core import dp'  # from core import dp"),
    ],
)
def test_an_import_is_rewritten_and_nothing_else(before: str, after: str | None) -> None:
    if after is None:
        after = before.replace("from core", "from composition_dashboard.core")
    assert build_hook.rewritten(before, "x.py") == after


@pytest.mark.parametrize(
    "text",
    [
        "import core.data\ncore.data.x",
        "import core, os",
        "import os, pages",
        "name = 'core.data.reading.child'",
        "from \\\n    core import a",
    ],
)
def test_a_form_that_is_not_rewritten_ends_the_build(text: str) -> None:
    with pytest.raises(build_hook.FormError, match=r"^x\.py"):
        build_hook.rewritten(text, "x.py")
