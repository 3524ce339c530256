"""Provider-aware anonymisation and its baseline against the recursion of the paper."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core import Policy
from core.algorithms import partition
from core.algorithms.provider_aware import provider_aware
from core.base.errors import InfeasibleError, PolicyError
from core.data.encoding.domain import Domain
from core.data.encoding.encoded import Encoded
from core.data.schemas.schema import ColumnType
from core.privacy.coalitions import coalition_table
from core.study.provider_cost import METHODS
from tests.progress import rises_and_can_be_stopped
from tests.reference import coalitions as twin
from tests.reference import mondrian as mondrian_twin
from tests.strategies import Case, cases, classes_of, message_of
from tests.tables import city_of_providers

NAMES = ("P0", "P1", "P2", "P3")


def provided(encoded: Encoded, providers: list[str]) -> Encoded:
    source = np.array([NAMES.index(provider) for provider in providers], dtype=np.int32)
    return replace(encoded, provider=Domain("provider", ColumnType.CATEGORICAL, NAMES), provider_code=source)


@st.composite
def pooled(draw: st.DrawFn) -> tuple[Case, list[str], Policy]:
    """A table, who contributed each record, and a policy that the whole table meets."""
    case = draw(cases(rows=(6, 40), qids=3))
    some = draw(st.integers(2, 4))
    providers = draw(
        st.lists(st.sampled_from(NAMES[:some]), min_size=len(case), max_size=len(case)).filter(
            lambda names: len(set(names)) > 1
        )
    )
    policy = Policy(
        draw(st.integers(1, 4)), l=draw(st.sampled_from([None, 1, 2])), m=draw(st.integers(0, len(set(providers)) - 1))
    )
    records = list(zip(providers, case.sensitive.values, strict=True))
    asked = twin.Class(records, policy.k, policy.l, 0)
    assume(twin.m_private(records, policy.m, asked.holds, everything=True))
    return case, providers, policy


@given(pooled())
def test_both_partitions_are_those_of_the_recursion(drawn):
    """The baseline is Mondrian with m-privacy as its policy."""
    case, providers, policy = drawn
    slow = twin.ProviderAware(case.qids, case.sensitive.values, providers, (policy.k, policy.l, policy.m))
    encoded, everybody = provided(case.encoded, providers), list(range(len(case)))
    assert classes_of(provider_aware(encoded, policy)) == {frozenset(part) for part in slow.split(everybody)}
    expected = {frozenset(part) for part in mondrian_twin.split(everybody, case.qids, slow.holds)}
    assert classes_of(partition(encoded, policy).classes.labels) == expected


def test_classes_have_fewer_contributors_than_the_baseline():
    encoded, policy = city_of_providers(3000, 6), Policy(10, l=2, m=2)
    aware, base = (partition(encoded, policy, name) for name in ("provider-aware", "mondrian"))
    of_aware, of_base = (coalition_table(release, 2)["contributors"].mean() for release in (aware, base))
    assert of_aware < of_base


def test_progress():
    encoded = city_of_providers(500, 4)
    rises_and_can_be_stopped(lambda progress: provider_aware(encoded, Policy(5, m=1), progress))


# ---- refusals ---------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", METHODS)
def test_bad_input(algorithm):
    encoded = city_of_providers(300, 4)
    for changed, policy, words in (
        (replace(encoded, provider_code=None, provider=None), Policy(5, m=1), "role provider"),
        (encoded, Policy(5, m=4), "from 0 to 3"),
        (encoded, Policy(5, l=2, diversity="entropy", m=1), "distinct l"),
        (encoded, Policy(5, t=0.5, m=1), "distinct l"),
        (replace(encoded, provider_code=np.zeros(300, dtype=np.int32)), Policy(5, m=1), "one provider"),
        (replace(encoded, provider=replace(encoded.provider, missing=3)), Policy(5, m=1), "name no provider"),
    ):
        assert words in message_of(lambda c=changed, p=policy: partition(c, p, algorithm), PolicyError)
    assert "needs m" in message_of(lambda: partition(encoded, Policy(5), "provider-aware"), PolicyError)
    assert "MDAV" not in message_of(lambda: partition(encoded, Policy(5, m=1), "mdav"), PolicyError)


def test_an_infeasible_m_names_the_largest_that_is_not():
    encoded = city_of_providers(60, 3, "uniform")
    said = message_of(lambda: partition(encoded, Policy(30, m=2), "provider-aware"), InfeasibleError)
    assert "m can be at most 1" in said
    assert partition(encoded, Policy(30, m=1), "provider-aware").classes.count >= 1
