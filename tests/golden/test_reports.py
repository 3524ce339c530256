"""Every report, the text of commands and their options are what they were."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.golden.cases import CASES, OF_PUBLIC_DATA, lay_out
from tests.golden.reports import KEPT, REPORTS, kept_of_command, kept_of_options, kept_of_report

WAS = json.loads(KEPT.read_text(encoding="utf-8"))
SLOW = ("meeting", "start")
"""Reports that take seconds: left to the full run."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long) if name in SLOW else name for name in REPORTS]
)
def test_a_report_says_what_it_said(name: str) -> None:
    assert kept_of_report(name) == WAS["reports"][name]


@pytest.fixture(scope="module")
def has_public(tmp_path_factory: pytest.TempPathFactory) -> Iterator[bool]:
    before, place = Path.cwd(), tmp_path_factory.mktemp("golden")
    has_public = lay_out(place)
    os.chdir(place)
    yield has_public
    os.chdir(before)


@pytest.mark.parametrize("name", CASES)
def test_a_command_writes_what_it_wrote(name: str, has_public: bool) -> None:
    if name in OF_PUBLIC_DATA and not has_public:
        pytest.skip("the public data sets are not here")
    assert kept_of_command(name) == WAS["commands"][name]


def test_the_command_line_has_the_options_that_it_had() -> None:
    assert kept_of_options() == WAS["options"]


def test_nothing_else_is_kept() -> None:
    assert (WAS["reports"].keys(), WAS["commands"].keys()) == (REPORTS.keys(), CASES.keys())
