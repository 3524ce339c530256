"""A process of `make test` that ends in the middle of a test takes nothing else with it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.schedule import FULL_ONLY, unit_of
from tests.source import ROOT

SECONDS = 120
FINE = "def test_{0}(): pass\n"
ENDS = "import os\ndef test_ends(): os._exit(3)\n"
SUITE = {
    # A process that has finished a file ends in the middle of the next: two tests of it are left, and other files.
    "test_a.py": "".join(map(FINE.format, range(5))),
    "test_b.py": FINE.format("before") + ENDS + FINE.format("after") + FINE.format("last"),
    "test_c.py": FINE.format("alone"),
    "test_d.py": ENDS,
    "test_e.py": FINE.format("alone"),
}


def run(folder: Path, processes: int) -> str:
    """Run the toy suite by our scheduler; return what pytest says of each test, or fail where it waits for ever."""
    for name, text in SUITE.items():
        (folder / name).write_text(text)
    (folder / "conftest.py").write_text("from tests.schedule import pytest_xdist_make_scheduler\n")
    (folder / "pytest.ini").write_text("[pytest]\n")
    options = ["-p", "xdist", "-n", str(processes), "-v", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(folder)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("processes", [1, 2])
def test_the_rest_of_a_file_is_run_after_its_process_has_ended(processes: int, tmp_path: Path) -> None:
    output = run(tmp_path, processes)
    wanted = [f"{name}::{test}" for name, text in SUITE.items() for test in re.findall(r"def (\w+)", text)]
    ending = [test for test in wanted if test.endswith("test_ends")]
    assert sorted(re.findall(r"PASSED (\S+)", output)) == sorted(set(wanted) - set(ending))
    assert sorted(re.findall(r"^FAILED (\S+)", output, re.MULTILINE)) == sorted(ending), "each is begun once"


def test_folders_that_share_a_server_stay_in_one_process_and_others_go_file_by_file() -> None:
    assert unit_of("tests/browser/test_rig.py::test_x[a::b]") == "browser"
    assert unit_of("tests/core/test_rates.py::test_x[a::b]") == "tests/core/test_rates.py"
    assert unit_of("tests/test_lock.py::test_x") == "tests/test_lock.py"


def test_each_beginning_of_what_takes_long_is_that_of_a_test() -> None:
    """A renamed file or test would otherwise come back to the desk unnoticed."""
    there = [
        f"{path.relative_to(ROOT).as_posix()}::{name}"
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert [start for start in FULL_ONLY if not any(test.startswith(start) for test in there)] == []
