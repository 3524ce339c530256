"""Every number of the commands is what it was."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.golden.cases import CASES, KEPT, OF_PUBLIC_DATA, lay_out, numbers

WAS = json.loads(KEPT.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def has_public(tmp_path_factory: pytest.TempPathFactory) -> Iterator[bool]:
    before, place = Path.cwd(), tmp_path_factory.mktemp("golden")
    has_public = lay_out(place)
    os.chdir(place)
    yield has_public
    os.chdir(before)


@pytest.mark.parametrize("name", CASES)
def test_the_numbers_of_a_command_are_what_they_were(name: str, has_public: bool) -> None:
    if name in OF_PUBLIC_DATA and not has_public:
        pytest.skip("the public data sets are not here")
    assert numbers(name) == pytest.approx(WAS[name], rel=1e-9, abs=1e-12)


def test_no_other_numbers_are_kept() -> None:
    assert WAS.keys() == CASES.keys()
