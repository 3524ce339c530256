"""The papers' search strategies: each exact, with the checks that the paper counts."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.papers.lattice import ALPHA_VERIFY, Lattice
from benchmarks.papers.strategies import STRATEGIES, Search
from core import Policy
from core.privacy.coalitions import breach
from tests.coalitions import group_of, policies, records
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
