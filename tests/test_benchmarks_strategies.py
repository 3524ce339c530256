"""The papers' search strategies: each exact, with the checks that the paper counts."""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import comb

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.papers.lattice import ALPHA_VERIFY, Lattice
from benchmarks.papers.masks import children, inside_any, of_size
from benchmarks.papers.strategies import STRATEGIES, Search
from core import Policy
from core.privacy.coalitions import breach
from tests.coalitions import LETTERS, group_of, policies, records
from tests.reference import coalitions as twin


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


@given(records(1, 14, providers=6), policies, st.integers(0, 5))
def test_binary_checks_no_coalition_twice_and_no_pruned_m_adversary(some, policy, m):
    group = group_of(some, policy)
    asked, answers = STRATEGIES["binary"](Lattice(group), m).made
    assert len(set(asked.tolist())) == len(asked)
    harmless: list[int] = []
    for mask, breached in zip(asked.tolist(), answers.tolist(), strict=True):
        if mask.bit_count() == group.most(m):
            assert not any(mask & ~whole == 0 for whole in harmless)
        if not breached:
            harmless.append(mask)


def test_direct_checks_every_coalition_of_m():
    some = [(f"P{i}", LETTERS[j]) for i in range(7) for j in range(4)]
    for m in range(7):
        assert searched("direct", some, Policy(4, l=4), m).checks == comb(7, m)
        assert searched("bottom-up", some, Policy(4, l=4), m).checks == sum(comb(7, i) for i in range(m + 1))
        assert searched("top-down", some, Policy(4, l=4), m).checks == m + 1


def test_the_worst_case_of_top_down_checks_all_levels():
    """[Goryczka 2011, Fig. 4]: all super-coalitions breach, no m-adversary does."""
    some = [(f"P{i}", "a") for i in range(7)]
    for m in range(1, 6):
        search = searched("top-down", some, Policy(7 - m), m)
        assert search.holds
        assert search.checks == sum(comb(7, i) for i in range(m, 7))


@given(st.integers(1, 9), st.data())
def test_coalitions_of_a_size(n, data):
    size = data.draw(st.integers(0, n))
    expected = sorted(sum(1 << i for i in chosen) for chosen in itertools.combinations(range(n), size))
    assert of_size(n, size).tolist() == expected


def test_sub_coalitions():
    found, parents = children(np.array([0b111, 0b011]), 3)
    assert dict(zip(found.tolist(), parents.tolist(), strict=True)) == {
        0b011: 1,
        0b101: 1,
        0b110: 1,
        0b001: 1,
        0b010: 1,
    }
    assert inside_any(np.array([0b001, 0b100]), np.array([0b011])).tolist() == [True, False]
