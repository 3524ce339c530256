"""Cells that list the values which occur: what every number makes of them, against going value by value."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.algorithms import partition
from core.data.marginals import Marginals
from core.data.taxonomy import Taxonomy
from core.forecast.columns import contributions
from core.forecast.estimate import forecast
from core.forecast.real import common_values
from core.privacy.policy import Policy
from core.release import value_sets
from core.release.query_error import count_released, random_queries
from core.release.release import Release
from core.release.utility import entropy_loss
from tests.strategies import TREES, Case, cases

NAME = "least-loss"


def held(release: Release, attribute: int, number: int) -> set[int]:
    """Codes that the cell of a class stands for, from the records and the kinds alone."""
    domain = release.encoded.qids[attribute]
    mine = release.encoded.codes[attribute][release.labels == number]
    if domain.kind in ("categorical", "taxonomy"):
        return set(mine.tolist())
    return set(range(int(mine.min()), int(mine.max()) + 1))


def released(case: Case, k: int) -> Release:
    return partition(case.encoded, Policy(min(k, len(case))), NAME)


@settings(max_examples=60, deadline=None)
@given(case=cases(rows=(3, 30)), k=st.integers(1, 6), dense=st.booleans())
def test_counts_are_answered_value_by_value(case: Case, k: int, dense: bool) -> None:
    release = released(case, k)
    queries = random_queries(release.encoded.qids, 20, 1)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(value_sets, "DENSE", 10**6 if dense else 0)
        answer = count_released(release, queries)
    for number in range(len(queries)):
        wanted = 0.0
        for label in release.labels:
            share = 1.0
            for i in range(len(release.encoded.qids)):
                values = held(release, i, label)
                share *= sum(queries.low[number, i] <= v <= queries.high[number, i] for v in values) / len(values)
            wanted += share
        assert answer[number] == pytest.approx(wanted)


@settings(max_examples=60, deadline=None)
@given(case=cases(rows=(3, 30)), k=st.integers(1, 6))
def test_entropy_loss_counts_the_records_with_a_listed_value(case: Case, k: int) -> None:
    release = released(case, k)
    lost = whole = 0.0
    for i, codes in enumerate(release.encoded.codes):
        for code, label in zip(codes.tolist(), release.labels.tolist(), strict=True):
            inside = sum(other in held(release, i, label) for other in codes.tolist())
            lost += math.log2(inside / codes.tolist().count(code))
            whole += math.log2(len(codes) / codes.tolist().count(code))
    assert entropy_loss(release) == pytest.approx(lost / whole if whole else 0.0)


@settings(max_examples=60, deadline=None)
@given(case=cases(rows=(4, 30)), k=st.integers(1, 6))
def test_the_forecast_takes_the_probability_of_the_listed_values(case: Case, k: int) -> None:
    release = released(case, k)
    found = forecast(release).region
    population = Marginals.of(release.encoded)
    for number in range(release.classes.count):
        wanted = 1.0
        for i in range(len(release.encoded.qids)):
            wanted *= sum(population.probability(i)[code] for code in held(release, i, number))
        assert found[number] == pytest.approx(min(wanted, 1.0))
    assert not forecast(release).joint
    assert forecast(release, joint=True).joint


@settings(max_examples=60, deadline=None)
@given(case=cases(rows=(4, 30)), k=st.integers(1, 6), seed=st.integers(0, 99))
def test_common_values_are_those_of_records_inside_the_listed_cells(case: Case, k: int, seed: int) -> None:
    release = released(case, k)
    order = np.random.default_rng(seed).integers(0, len(case), 12)
    encoded = release.encoded
    other = partition(encoded, Policy(1), NAME).encoded
    other = other.with_secret(other.secret[::-1].copy())
    picked = type(other)(other.qids, other.codes[:, order], other.sensitive, other.secret[order], np.arange(len(order)))
    found = common_values(release, picked)
    for number in range(release.classes.count):
        own = set(encoded.secret[release.labels == number].tolist())
        there = {
            int(secret)
            for secret, codes in zip(picked.secret, picked.codes.T, strict=True)
            if all(int(code) in held(release, i, number) for i, code in enumerate(codes))
        }
        assert found[number] == len(own & there)


def test_a_column_left_out_is_lost_whole_and_the_present_loss_is_that_of_the_release() -> None:
    from core import examples
    from core.data.encoding import encode
    from core.release.utility import gcp

    encoded = encode(examples.city(400), examples.city_schema())
    rows = contributions(encoded, Policy(8), algorithm=NAME)
    assert rows["loss"].iloc[0] == pytest.approx(gcp(partition(encoded, Policy(8), NAME)))
    least = 1 / len(encoded.qids)
    assert (rows.loc[rows["change"] == "dropped", "loss"] >= least).all()
    assert (rows["loss"] <= 1).all()


@given(tree=st.sampled_from(TREES), data=st.data())
def test_the_highest_nodes_over_some_leaves(tree: dict, data: st.DataObject) -> None:
    found = Taxonomy.from_nested(tree)
    leaves = data.draw(st.sets(st.integers(0, found.leaves - 1), min_size=1))
    nodes = found.nodes_over(sorted(leaves))
    covered = [set(range(int(found.low[node]), int(found.high[node]) + 1)) for node in nodes]
    assert set().union(*covered) == leaves
    assert sum(map(len, covered)) == len(leaves)
    for node in nodes:
        above = found.parents[node]
        if above >= 0:
            assert not set(range(int(found.low[above]), int(found.high[above]) + 1)) <= leaves


@given(st.lists(st.sets(st.integers(0, 5), min_size=1), min_size=1, max_size=12))
def test_equal_sets_have_one_number(sets: list[set[int]]) -> None:
    from core.classes import Classes

    rows = [(label, code) for label, one in enumerate(sets) for code in sorted(one)]
    assume(rows)
    classes = Classes.from_labels(np.array([label for label, _ in rows]))
    found = value_sets.ValueSets.of(np.array([code for _, code in rows], dtype=np.int32), classes, 6)
    for (a, one), (b, other) in product(enumerate(sets), repeat=2):
        assert (found.which[a] == found.which[b]) == (one == other)
        assert set(found.values(int(found.which[a])).tolist()) == one
