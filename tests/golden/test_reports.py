"""Every report, the text of commands and their options are what they were."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.golden.cases import lay_out
from tests.golden.reports import KEPT, REPORTS, TEXTS, kept_of_command, kept_of_options, kept_of_report

WAS = json.loads(KEPT.read_text(encoding="utf-8"))
SLOW = ("meeting", "start")
"""Reports that take seconds: left to the full run."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long) if name in SLOW else name for name in REPORTS]
)
def test_a_report_says_what_it_said(name: str) -> None:
    assert kept_of_report(name) == WAS["reports"][name]


def test_commands_write_what_they_wrote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay_out(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert {name: kept_of_command(name) for name in TEXTS} == WAS["commands"]


def test_the_command_line_has_the_options_that_it_had() -> None:
    assert kept_of_options() == WAS["options"]


def test_no_other_reports_are_kept() -> None:
    assert WAS["reports"].keys() == REPORTS.keys()
