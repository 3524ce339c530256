"""What `make` installs is locked: every package, by version and by the hashes of its files."""

import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from core.base.version import VERSION
from delivery.bundle import of_python
from tests.lock import asked, locked
from tests.source import ROOT

PARTS = ("", "-dev", "-bench", "-docs", "-spark")


@pytest.mark.parametrize("part", PARTS)
def test_a_lock_has_what_is_asked_in_that_version(part: str) -> None:
    wanted = asked(part)
    assert wanted
    assert set(wanted.items()) <= {(name, version) for name, version, _ in locked(part)}, "run make lock"


def test_a_package_has_one_version_in_all_locks() -> None:
    versions: dict[str, set[str]] = {}
    for part in PARTS:
        for name, each in {
            name: {own for its, own, _ in locked(part) if its == name} for name, _, _ in locked(part)
        }.items():
            assert versions.setdefault(name, each) == each, f"{name}: run make lock"


def test_without_java_the_tests_of_spark_fail_and_say_what_to_install(tmp_path: Path) -> None:
    """Without it each would be skipped."""
    variables = {**os.environ, "JAVA_HOME": str(tmp_path)}
    done = subprocess.run(["make", "test-spark"], cwd=ROOT, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "openjdk-17-jre-headless" in done.stderr


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13"])
def test_a_lock_has_each_package_once_for_each_python(python: str) -> None:
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    names = re.findall(r"^([\w.-]+)==", of_python(text, python), re.M)
    assert len(names) == len(set(names))
    assert set(asked("")) <= set(names)


@pytest.mark.parametrize("part", PARTS)
def test_every_package_of_a_lock_has_hashes_and_no_address(part: str) -> None:
    found = locked(part)
    assert len(found) > 20
    assert all("--hash=sha256:" in rest for _, _, rest in found)
    text = (ROOT / f"requirements{part}.lock").read_text(encoding="utf-8")
    assert not re.search(r"https?:|file:|--(extra-)?index-url|--find-links", text)


def test_make_installs_from_the_locks_alone() -> None:
    make = (ROOT / "Makefile").read_text(encoding="utf-8")
    installs = re.findall(r"\$\(PIP\).* install (.*)", make)
    assert len(installs) == len(PARTS)
    assert all(
        re.fullmatch(r"--require-hashes -r requirements(-dev|-bench|-docs|-spark)?\.lock", line) for line in installs
    )


# --- what others read of the project -------------------------------------------------------------


WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_the_citation_names_the_version() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^version: (.+)$", citation, re.MULTILINE) == [VERSION]


def test_actions_are_pinned_by_commit() -> None:
    uses = [line for path in WORKFLOWS for line in re.findall(r"uses: (.+)", path.read_text(encoding="utf-8"))]
    assert uses
    assert [line for line in uses if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}  # v[\d.]+", line)] == []


def test_the_job_with_the_lowest_versions_has_those_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    floors = dict(re.findall(r"(numpy|pandas)>=([\d.]+)", " ".join(project["dependencies"])))
    text = "".join(path.read_text(encoding="utf-8") for path in WORKFLOWS)
    assert dict(re.findall(r'"(numpy|pandas)==([\d.]+)"', text)) == floors
