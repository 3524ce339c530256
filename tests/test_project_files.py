"""What hosts and tools of others read about the project says what the project says."""

from __future__ import annotations

import re
import tomllib

from core.base.version import VERSION
from tests.source import ROOT

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
