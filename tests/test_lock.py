"""What `make` installs is locked: every package, by version and by the hashes of its files."""

import re
import tomllib

import pytest

from core.base.version import VERSION
from delivery.bundle import of_python
from tests.lock import asked, locked
from tests.source import ROOT

PARTS = ("", "-dev", "-bench", "-docs")


@pytest.mark.parametrize("part", PARTS)
def test_a_lock_has_what_is_asked_in_that_version(part: str) -> None:
    wanted = asked(part)
    assert len(wanted) > 5
    assert set(wanted.items()) <= {(name, version) for name, version, _ in locked(part)}, "run make lock"


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13"])
def test_a_lock_has_each_package_once_for_each_python(python: str) -> None:
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    names = re.findall(r"^([\w.-]+)==", of_python(text, python), re.M)
    assert len(names) == len(set(names))
    assert set(asked("")) <= set(names)


@pytest.mark.parametrize("part", PARTS)
def test_every_package_of_a_lock_has_hashes_and_no_address(part: str) -> None:
    found = locked(part)
    assert len(found) > 30
    assert all("--hash=sha256:" in rest for _, _, rest in found)
    text = (ROOT / f"requirements{part}.lock").read_text(encoding="utf-8")
    assert not re.search(r"https?:|file:|--(extra-)?index-url|--find-links", text)


def test_make_installs_from_the_locks_alone() -> None:
    make = (ROOT / "Makefile").read_text(encoding="utf-8")
    installs = re.findall(r"\$\(PIP\) install (.*)", make)
    assert len(installs) == len(PARTS)
    assert all(re.fullmatch(r"--require-hashes -r requirements(-dev|-bench|-docs)?\.lock", line) for line in installs)


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
