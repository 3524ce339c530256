"""The benchmark of the providers: every figure can be drawn, and the page has a place for each."""

import re

import pytest

from benchmarks import providers
from tests.tables import city_of_providers


@pytest.fixture(scope="module")
def encoded():
    return city_of_providers(2000, 4)


def test_a_class_is_verified_by_every_strategy(encoded):
    rows = providers.figure_6(encoded, quick=True)
    assert len(rows) == 8
    assert {len(row) for row in rows} == {len(providers.VERIFY_HEADER)}


def test_methods_stand_beside_each_other(encoded):
    rows = providers.figure_9(encoded, quick=True)
    assert {len(row) for row in rows} == {len(providers.POOL_HEADER)}
    assert all(cell.count(" / ") == 2 for row in rows for cell in row[2:])


def test_checks_of_a_whole_run_are_counted(encoded):
    (row,) = providers.figure_11(encoded, quick=True)
    assert len(row) == 1 + len(providers.IN_ALL)
    assert all(int(cell.replace(",", "")) > 0 for cell in row[1:4])


def test_the_page_has_a_place_for_every_figure_and_nothing_left_open():
    places = set(re.findall(r"\{\{(\w+)\}\}", providers.TEXT.read_text(encoding="utf-8")))
    assert places == {"measured", *(f"figure_{number}" for number in range(6, 12)), "figure_12_k", "figure_12_l"}
    assert "{{" not in providers.FILE.read_text(encoding="utf-8")
