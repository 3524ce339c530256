"""Microaggregation against its slow twin, hand-worked groups, and what it promises."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from benchmarks.squares import squared_error
from core import examples
from core.algorithms import partition
from core.algorithms.mdav import microaggregation
from core.algorithms.mdav.grouping import mdav
from core.algorithms.mdav.points import Points, half_up
from core.base.errors import PolicyError
from core.data.encoding.encoded import Encoded, encode
from core.privacy.policy import Policy
from core.release.release import Release
from tests.partitions import released
from tests.progress import rises_and_can_be_stopped
from tests.reference import microaggregation as twin
from tests.strategies import Case, cases, policies


def groups(found: Release) -> list[list[int]]:
    """Record numbers of each class, in the order of the classes."""
    return [found.classes.members(number).tolist() for number in range(found.classes.count)]


@pytest.fixture(scope="module")
def city() -> Encoded:
    return encode(examples.city(1200), examples.city_schema())


# ---- groups worked by hand ----------------------------------------------------------------


# ---- against the slow twin ------------------------------------------------------------------


def in_order(labels: Any) -> list[frozenset[int]]:
    return [frozenset(np.flatnonzero(labels == number).tolist()) for number in range(int(labels.max()) + 1)]


@settings(max_examples=150, deadline=None)
@given(cases(), st.integers(1, 7))
def test_mdav_is_the_slow_twin(case: Case, k: int) -> None:
    encoded = case.encoded
    k = min(k, len(case))
    order = Points.of(encoded).order.tolist()
    expected = twin.mdav(twin.points(case.qids), order, k)
    assert in_order(microaggregation(encoded, [Policy(k)])[0]) == [frozenset(group) for group in expected]


@settings(max_examples=150, deadline=None)
@given(st.data(), st.sampled_from([None, 1, 4, 12]))
def test_l_and_t_are_met_as_by_the_twin(data: st.DataObject, block: int | None) -> None:
    case = data.draw(cases(rows=(4, 40), qids=3))
    policy = data.draw(policies(case.sensitive, k=4))
    try:
        policy.check_feasible(case.encoded)
    except PolicyError:
        assume(False)
    blocks = {} if block is None else {"exact_rows": 3, "block_rows": block}
    plain, found = microaggregation(case.encoded, [Policy(policy.k), policy], **blocks)
    assert np.array_equal(found, microaggregation(case.encoded, [policy], **blocks)[0])
    if block is not None:
        policy, found = Policy(policy.k), plain
    order = Points.of(case.encoded).order.tolist()
    assert in_order(found) == twin.partition(case.qids, case.sensitive, policy, order, block)


def test_many_people_who_leave_are_closed_up_in_order(city: Encoded) -> None:
    # Long enough for the arrays to be closed up several times.
    part = city.take(np.arange(400))
    points = Points.of(part)
    rows = points.order
    places = [
        twin.Point(tuple(map(int, points.numbers[:, person])), tuple(map(int, points.categories[:, person])))
        for person in np.repeat(np.arange(len(points)), points.count)
    ]
    expected = [frozenset(group) for group in twin.mdav(places, range(len(rows)), 2)]
    assert len(expected) == 200
    assert in_order(mdav(points, 2)) == expected


@settings(max_examples=100, deadline=None)
@given(cases())
def test_ties_go_by_value_first_column_first(case: Case) -> None:
    """The order of ties puts values in the order of their columns; it is a permutation."""
    order = Points.of(case.encoded).order
    assert sorted(order.tolist()) == list(range(len(case)))
    ranks = [
        {value: place for place, value in enumerate([*attribute.labels(), None])}  # missing last
        for attribute in case.qids
    ]
    people = [tuple(rank[a.values[i]] for rank, a in zip(ranks, case.qids, strict=True)) for i in order]
    assert people == sorted(people)


# ---- what it promises -------------------------------------------------------------------------


def people_of(found: Release) -> Counter[Any]:
    """Classes as what their members are, not which row they stand in."""
    encoded = found.encoded
    rows = list(zip(*encoded.codes.tolist(), encoded.sensitive_codes.tolist(), strict=True))
    return Counter(tuple(sorted(rows[i] for i in group)) for group in groups(found))


@settings(max_examples=80, deadline=None)
@given(cases(), st.integers(1, 5), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(case: Case, k: int, random: Any) -> None:
    order = list(range(len(case)))
    random.shuffle(order)
    policy = Policy(min(k, len(case)), l=1)
    one, other = (partition(c.encoded, policy, "mdav") for c in (case, case.take(order)))
    assert people_of(one) == people_of(other)


def test_people_who_are_alike_are_not_grouped_by_row_or_diagnosis() -> None:
    # 600 people alike: were they taken as they stand, a group would be five neighbours of one diagnosis.
    columns = {"a": [1] * 600, "s": ["x"] * 300 + ["y"] * 300}
    found = released(columns, Policy(5), "mdav")
    members = groups(found)
    assert np.mean([max(group) - min(group) for group in members]) > 300
    mixed = np.mean([min(group) < 300 <= max(group) for group in members])
    assert 0.85 < mixed < 0.99, "1 - 2 * 0.5^5 of the groups by chance"
    # Another hospital with the same people at the same places groups them in another way.
    other = groups(released({"a": [1] * 601, "s": ["x"] * 300 + ["y"] * 301}, Policy(5), "mdav"))
    together = sum(len(set(group) & set(theirs)) >= 3 for group in members for theirs in other)
    assert together < 15


@pytest.mark.parametrize("policy", [Policy(3, l=3), Policy(5, l=5, t=0.6), Policy(5, t=0.3)])
@pytest.mark.parametrize("rows", [1200, 100])
def test_where_a_group_fails_each_class_lies_in_one_of_least_loss(city: Encoded, policy: Policy, rows: int) -> None:
    labels = microaggregation(city, [policy], exact_rows=rows, block_rows=100)[0]
    cells = partition(city, policy, "least-loss").labels
    pairs = set(zip(labels.tolist(), cells.tolist(), strict=True))
    assert len(pairs) == labels.max() + 1 >= cells.max() + 1 > 1


# ---- beyond 50,000 records ----------------------------------------------------------------------


@pytest.mark.parametrize("k", [5])
def test_blocks_lose_at_most_a_tenth_more_than_one(city: Encoded, k: int) -> None:
    exact = microaggregation(city, [Policy(k)])[0]
    blocks = microaggregation(city, [Policy(k)], exact_rows=1199, block_rows=150)[0]
    assert not np.array_equal(exact, blocks)
    assert squared_error(city, blocks) < 1.1 * squared_error(city, exact)


def test_a_table_within_the_limit_is_one_block(city: Encoded) -> None:
    exact = microaggregation(city, [Policy(5)], exact_rows=1200, block_rows=100)[0]
    assert np.array_equal(exact, microaggregation(city, [Policy(5)])[0])


# ---- progress ------------------------------------------------------------------------------------


@pytest.mark.parametrize("more", [{}, {"exact_rows": 100, "block_rows": 200}])
def test_progress_of_several_policies_with_and_without_blocks(city: Encoded, more: dict[str, int]) -> None:
    asked = [Policy(3), Policy(2, l=3), Policy(3, l=4)]
    shares = rises_and_can_be_stopped(lambda progress: microaggregation(city, asked, progress, **more))
    assert len(shares) > 4


# ---- parts -----------------------------------------------------------------------------------------


def test_squared_error_by_hand() -> None:
    # Values -1, -1, 1, 1 in standard deviations; categories x, x, x, y.
    found = released({"a": [0, 0, 2, 2], "c": list("xxxy")}, Policy(2), "mdav")
    assert squared_error(found.encoded, np.array([0, 0, 1, 1])) == pytest.approx(1.0)
    assert squared_error(found.encoded, np.zeros(4, dtype=int)) == pytest.approx(4.0 + 1.0)
    assert squared_error(found.encoded, np.array([0, 1, 0, 1])) == pytest.approx(4.0 + 1.0)
    assert squared_error(found.encoded, np.arange(4)) == 0.0


def test_categories_of_few_and_of_many_values_keep_their_codes() -> None:
    rows = range(400)
    columns = {
        "sex": ["MF"[n % 2] for n in rows],
        "ward": [f"w{n:03}" for n in rows],
        "two": ["ab"[n % 2] for n in rows],
    }
    points = Points.of(released(columns, Policy(1), "mdav").encoded)
    assert [len(set(row.tolist())) for row in points.categories] == [2, 400, 2]


def test_means_are_rounded_half_up() -> None:
    assert half_up(np.array([3.0, -3.0, 5.0, -5.0, 0.0]), np.array([2, 2, 3, 3, 7])).tolist() == [2, -1, 2, -2, 0]


@pytest.mark.parametrize("values", [[0, 1e300, -1e300, 5e299], [1e-300, 2e-300, 3e-300, 0], [0] * 50 + [10**12]])
def test_extreme_numbers_stay_exact(values: list[float]) -> None:
    columns = {"a": values, "b": list(range(len(values)))}
    points = Points.of(released(columns, Policy(1), "mdav").encoded)
    assert np.array_equal(points.numbers, np.rint(points.numbers))
    # Standardised: mean 0, variance 1.
    scaled = np.repeat(points.numbers / points.unit, points.count, axis=1)
    assert scaled.mean(axis=1) == pytest.approx([0, 0], abs=1e-4)
    assert scaled.std(axis=1) == pytest.approx([1, 1], abs=1e-4)
