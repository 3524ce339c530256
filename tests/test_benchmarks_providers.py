"""The benchmark of the providers: every figure can be drawn, and the page has a place for each."""

import re

import numpy as np
import pytest

from benchmarks import providers
from benchmarks.shares import SHARES, assign_providers, expected_shares
from tests.tables import city_of_providers


@pytest.fixture(scope="module")
def encoded():
    return city_of_providers(2000, 4)


def test_a_class_is_verified_by_every_strategy(encoded):
    frame = providers.figure_6(encoded, quick=True)
    header, rows = providers.verified_texts(frame, "m")
    assert len(rows) == len(frame) == 8
    assert {len(row) for row in rows} == {len(header)}
    assert [row[header.index("direct")] for row in rows] == [f"{checks:,}" for checks in frame["direct"]]


def test_methods_stand_beside_each_other(encoded):
    frame = providers.figure_9(encoded, quick=True)
    assert frame["method"].tolist() == list(providers.COMPARED) * (len(frame) // 2)
    header, rows = providers.pooled_texts(frame, "m")
    assert {len(row) for row in rows} == {len(header)}
    assert all(cell.count(" / ") == 1 for row in rows for cell in row[2:])


def test_checks_of_a_whole_run_are_counted(encoded):
    frame = providers.figure_11(encoded, quick=True)
    assert (frame[list(providers.IN_ALL[:-1])] > 0).all(axis=None)
    header, (row,) = providers.strategy_texts(frame)
    assert len(row) == len(header)


def test_the_page_has_a_place_for_every_figure_and_nothing_left_open():
    places = set(re.findall(r"\{\{(\w+)\}\}", providers.TEXT.read_text(encoding="utf-8")))
    assert places == {"measured", *(f"figure_{number}" for number in range(6, 12)), "figure_12_k", "figure_12_l"}
    assert "{{" not in providers.FILE.read_text(encoding="utf-8")


@pytest.mark.parametrize("shares", SHARES)
def test_shares_are_met_and_seeded(shares):
    for records, count in ((30, 30), (400, 7)):
        dealt = assign_providers(records, count, shares, 5)
        held = np.bincount(dealt, minlength=count)
        assert held.min() >= 1
        assert (np.abs(held - 1 - expected_shares(count, shares) * (records - count)) <= 1).all()
        assert np.array_equal(dealt, assign_providers(records, count, shares, 5))
