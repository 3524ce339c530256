"""The papers' search strategies: each exact, with the checks that the paper counts."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import providers
from benchmarks.papers.lattice import ALPHA_VERIFY, Lattice
from benchmarks.papers.strategies import STRATEGIES, Search
from benchmarks.shares import SHARES, assign_providers, expected_shares
from core import Policy
from core.privacy.coalitions import breach
from tests.coalitions import group_of, policies, records
from tests.reference import coalitions as twin
from tests.tables import city_of_providers


def searched(name: str, some: list, policy: Policy, m: int) -> Search:
    return STRATEGIES[name](Lattice(group_of(some, policy)), m)


@given(records(1, 40, providers=9, values=6), policies, st.integers(0, 9))
def test_every_strategy_answers_as_counting_does(some, policy, m):
    group = group_of(some, policy)
    holds = breach(group, m) is None
    for name, strategy in STRATEGIES.items():
        search = strategy(Lattice(group), m)
        assert search.holds == holds, name
        if not holds:
            members = [i for i in range(group.contributors) if search.coalition >> i & 1]
            assert len(members) <= group.most(m), name
            assert group.breached_by(members), name


@given(records(1, 16, providers=6), policies, st.integers(0, 6), st.sampled_from(sorted(twin.STRATEGIES)))
def test_checks_are_those_made_one_after_another(some, policy, m, name):
    slow = twin.Class(some, policy.k, policy.l, Fraction(str(ALPHA_VERIFY)))
    holds = twin.STRATEGIES[name](slow, m)
    search = searched(name, some, policy, m)
    assert (search.holds, search.checks) == (holds, slow.checks)
    asked, answers = search.made
    assert len(asked) == search.checks
    assert holds or answers[-1]


# --- figures -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("figure", "texts"),
    [
        (providers.figure_6, partial(providers.verified_texts, x="m")),
        (providers.figure_9, partial(providers.pooled_texts, x="m")),
        (providers.figure_11, providers.strategy_texts),
    ],
)
def test_every_figure_can_be_drawn(figure, texts):
    header, rows = texts(figure(city_of_providers(2000, 4), quick=True))
    assert rows
    assert {len(row) for row in rows} == {len(header)}


def test_the_page_has_a_place_for_every_figure_and_nothing_left_open():
    places = set(re.findall(r"\{\{(\w+)\}\}", providers.TEXT.read_text(encoding="utf-8")))
    assert places == {"measured", *(f"figure_{number}" for number in range(6, 12)), "figure_12_k", "figure_12_l"}
    assert "{{" not in providers.FILE.read_text(encoding="utf-8")


@pytest.mark.parametrize("shares", SHARES)
def test_shares_are_met_and_seeded(shares):
    for people, count in ((30, 30), (400, 7)):
        dealt = assign_providers(people, count, shares, 5)
        held = np.bincount(dealt, minlength=count)
        assert held.min() >= 1
        assert (np.abs(held - 1 - expected_shares(count, shares) * (people - count)) <= 1).all()
        assert np.array_equal(dealt, assign_providers(people, count, shares, 5))
