"""Microaggregation against its slow twin, hand-worked groups, and what it promises."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core import examples
from core.algorithms import anonymize, partition, partition_sweep
from core.algorithms.mdav import BLOCK_ROWS, EXACT_ROWS, divide, merge, microaggregation
from core.algorithms.mdav.blocks import Rows, formed
from core.algorithms.mdav.centres import errors, from_outside_in, squared_error
from core.algorithms.mdav.divide import divided
from core.algorithms.mdav.groups import mdav
from core.algorithms.mdav.inside import inside
from core.algorithms.mdav.merge import failing
from core.algorithms.mdav.points import Points, half_up
from core.algorithms.mdav.pool import regrouped
from core.algorithms.mondrian import mondrian
from core.data.encoding import Encoded, encode
from core.data.schema import Schema
from core.data.table import Table
from core.errors import InfeasibleError, PolicyError
from core.measurement import measure
from core.privacy.policy import Policy
from core.release.algorithm import ALGORITHMS
from core.release.release import Release
from core.release.utility import gcp
from tests.reference import microaggregation as twin
from tests.strategies import Case, cases, policies


def release(columns: dict[str, list[Any]], policy: Policy, **schema: Any) -> Release:
    """Microaggregate a small table; secrets all differ unless given."""
    n = len(next(iter(columns.values())))
    frame = pd.DataFrame({**columns, "s": columns.get("s", [f"s{i % 20}" for i in range(n)])}, dtype=object)
    qids = [name for name in columns if name != "s"]
    return anonymize(Table.from_frame(frame), Schema(qids, "s", **schema), policy, "mdav")


def groups(found: Release) -> list[list[int]]:
    """Record numbers of each class, in the order of the classes."""
    return [found.classes.members(number).tolist() for number in range(found.classes.count)]


@pytest.fixture(scope="module")
def city() -> Encoded:
    return encode(examples.city(1200), examples.city_schema())


# ---- groups worked by hand ----------------------------------------------------------------


def test_numbers_on_a_line() -> None:
    # Mean 8.4: farthest is 20 with 12; farthest from 20 is 1 with 2; three are left.
    assert groups(release({"a": [1, 2, 3, 10, 11, 12, 20]}, Policy(2))) == [[5, 6], [0, 1], [2, 3, 4]]


def test_the_middle_is_that_of_the_records_left() -> None:
    # Of 0, 8, 9, 10, 11, 12, 30, 31 first 30, 31 and 0, 8; of 9 to 12 the mean is 10.5 and 9 the first
    # of the two farthest. The mean of all, 13.9, would make it 9 as well, but that of 0 to 12 would not.
    assert groups(release({"a": [0, 8, 9, 10, 11, 12, 30, 31]}, Policy(2))) == [[6, 7], [0, 1], [2, 3], [4, 5]]


def test_of_two_equally_far_the_lower_is_taken() -> None:
    assert groups(release({"a": [4, 3, 2, 1]}, Policy(1))) == [[3], [0], [2], [1]]
    assert groups(release({"a": [1, 2, 3, 4, 5, 6]}, Policy(2))) == [[0, 1], [4, 5], [2, 3]]
    # From 3 both 2 and 4 are one away.
    assert groups(release({"a": [1, 1, 2, 3, 3, 4, 9]}, Policy(2))) == [[5, 6], [0, 1], [2, 3, 4]]


def test_columns_are_standardised() -> None:
    # Both columns are -1 or 1 in standard deviations, so the four corners are a square, and
    # the first of the two neighbours of a corner is the one with the lower first column.
    square = {"a": [0, 0, 1000, 1000], "b": [0, 1, 0, 1]}
    assert groups(release(square, Policy(2))) == [[0, 1], [2, 3]]
    # 9 of 10 share one age: 1 year is 10/3 standard deviations, more than 0 to 9 visits are.
    ages, visits = [30] * 9 + [31], list(range(10))
    assert groups(release({"age": ages, "visits": visits}, Policy(5)))[0] == [5, 6, 7, 8, 9]


def test_categories_are_one_apart() -> None:
    assert groups(release({"c": list("bababa")}, Policy(3))) == [[0, 2, 4], [1, 3, 5]]
    # Numbers 0 and 2 are -1 and 1: two apart, their square 4 is more than the 1 of a category.
    columns = {"a": [0, 0, 2, 2], "c": list("xyxy")}
    assert groups(release(columns, Policy(2))) == [[0, 1], [2, 3]]
    # With three categories different (3 < 4) still so, with five (5 > 4) no longer.
    more = {f"c{i}": list("xyxy") for i in range(5)}
    assert groups(release({"a": [0, 0, 2, 2], **dict(list(more.items())[:3])}, Policy(2))) == [[0, 1], [2, 3]]
    assert groups(release({"a": [0, 0, 2, 2], **more}, Policy(2))) == [[1, 3], [0, 2]]


def test_orders_count_as_equal_steps() -> None:
    order = {"o": ["none", "primary", "secondary", "college", "doctor"]}
    columns = {"o": ["none", "doctor", "college", "primary"]}
    assert groups(release(columns, Policy(2), orders=order)) == [[0, 3], [1, 2]]


def test_a_missing_number_stands_at_the_mean_one_away_from_all() -> None:
    # 0 and 10 are -1 and 1: (missing) is 1 + 1 away from both, and they are 4 from each other.
    first, second = groups(release({"a": [0, 10, None, None]}, Policy(2)))
    assert (0 in first, 1 in second) == (True, True)
    # -3 to 3: the three missing ones are at the very same place.
    columns = {"a": [-3, -2, -1, 1, 2, 3, None, None, None]}
    assert [6, 7, 8] in groups(release(columns, Policy(3)))


@pytest.mark.parametrize(
    ("n", "sizes"), [(4, [4]), (5, [5]), (6, [3, 3]), (7, [3, 4]), (8, [3, 5]), (9, [3, 3, 3]), (14, [3, 3, 3, 5])]
)
def test_sizes_about_2k_and_3k(n: int, sizes: list[int]) -> None:
    assert [len(group) for group in groups(release({"a": list(range(n))}, Policy(3)))] == sizes


def test_people_who_are_all_alike() -> None:
    found = release({"a": [7] * 11, "c": ["x"] * 11}, Policy(3))
    assert found.sizes.tolist() == [3, 3, 5]
    assert found.published.sizes.tolist() == [11], "to the reader they are one class"


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


@pytest.mark.parametrize("near", [1, 2, 3, 128])
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_l_and_t_are_met_as_by_the_twin(near: int, data: st.DataObject) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(merge, "NEAR", near)
        patched.setattr(twin, "NEAR", near)
        _l_and_t_are_met_as_by_the_twin(data)


def _l_and_t_are_met_as_by_the_twin(data: st.DataObject) -> None:
    case = data.draw(cases(rows=(4, 40), qids=3))
    policy = data.draw(policies(case.sensitive, k=4))
    encoded = case.encoded
    try:
        policy.check_feasible(encoded)
    except PolicyError:
        assume(False)
    order = Points.of(encoded).order.tolist()
    assert in_order(partition(encoded, policy, "mdav").labels) == twin.partition(
        case.qids, case.sensitive, policy, order
    )


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


@settings(max_examples=100, deadline=None)
@given(cases(), st.integers(1, 9))
def test_groups_of_k_to_2k_minus_1(case: Case, k: int) -> None:
    k = min(k, len(case))
    found = partition(case.encoded, Policy(k), "mdav")
    assert found.sizes.sum() == len(case)
    assert found.sizes.min() >= k
    assert found.sizes.max() <= 2 * k - 1


def people_of(found: Release) -> Counter[Any]:
    """Classes as what their members are, not which row they stand in."""
    encoded = found.encoded
    rows = list(zip(*encoded.codes.tolist(), encoded.secret.tolist(), strict=True))
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
    found = release(columns, Policy(5))
    members = groups(found)
    assert np.mean([max(group) - min(group) for group in members]) > 300
    mixed = np.mean([min(group) < 300 <= max(group) for group in members])
    assert 0.85 < mixed < 0.99, "1 - 2 * 0.5^5 of the groups by chance"
    # Another hospital with the same people at the same places groups them in another way.
    other = groups(release({"a": [1] * 601, "s": ["x"] * 300 + ["y"] * 301}, Policy(5)))
    together = sum(len(set(group) & set(theirs)) >= 3 for group in members for theirs in other)
    assert together < 15


def test_same_table_same_classes(city: Encoded) -> None:
    again = encode(examples.city(1200), examples.city_schema())
    for policy in (Policy(4), Policy(4, l=3), Policy(4, t=0.5)):
        assert np.array_equal(partition(city, policy, "mdav").labels, partition(again, policy, "mdav").labels)


def test_another_unit_changes_nothing() -> None:
    rng = np.random.default_rng(4)
    length, weight = rng.integers(150, 200, 90), rng.integers(40, 120, 90)
    one = release({"l": length.tolist(), "w": weight.tolist()}, Policy(4))
    other = release({"l": (length / 100).round(2).tolist(), "w": (weight * 1000 + 7).tolist()}, Policy(4))
    assert groups(one) == groups(other)


@pytest.mark.parametrize(
    "policy",
    [
        Policy(3, l=4),
        Policy(3, l=3.5, diversity="entropy"),
        Policy(3, l=2, diversity="recursive", c=1),
        Policy(3, t=0.45),
        Policy(3, t=0.0),
    ],
)
def test_l_and_t_are_met(city: Encoded, policy: Policy) -> None:
    plain, found = partition(city, Policy(3), "mdav"), partition(city, policy, "mdav")
    assert not policy.holds(plain.histogram, city.sensitive).all(), "the test can fail"
    assert policy.holds(found.histogram, city.sensitive).all()
    assert found.sizes.sum() == len(city)
    met = measure(found.publish(seed=0), examples.city_schema(), policy.distance)
    assert met.k >= 3


@pytest.mark.parametrize("policy", [Policy(3, l=3), Policy(5, l=3)])
def test_few_groups_that_fail_are_joined_as_a_whole(city: Encoded, policy: Policy) -> None:
    plain, found = partition(city, Policy(policy.k), "mdav"), partition(city, policy, "mdav")
    lacking = ~policy.holds(plain.histogram, city.sensitive)
    assert 0 < lacking.mean() < 0.5
    pairs = set(zip(plain.labels.tolist(), found.labels.tolist(), strict=True))
    assert len(pairs) == plain.classes.count, "every group went into one class as a whole"


@pytest.mark.parametrize("policy", [Policy(3, t=0.45), Policy(5, t=0.3), Policy(5, l=5, t=0.6)])
def test_where_most_groups_fail_no_class_is_wider_than_one_of_least_loss(city: Encoded, policy: Policy) -> None:
    plain, found = partition(city, Policy(policy.k), "mdav"), partition(city, policy, "mdav")
    assert policy.holds(plain.histogram, city.sensitive).mean() < 0.5
    cells = partition(city, policy, "least-loss")
    pairs = set(zip(found.labels.tolist(), cells.labels.tolist(), strict=True))
    assert len(pairs) == found.classes.count >= cells.classes.count > 1, "each lies in one of them"


@pytest.mark.parametrize("rows", [1199, 100])
@pytest.mark.parametrize(
    "policy", [Policy(5, l=4), Policy(5, l=3, diversity="entropy"), Policy(10, t=0.2, distance="ordered")]
)
def test_the_partition_with_less_squared_error_is_kept(city: Encoded, policy: Policy, rows: int) -> None:
    points, size = Points.of(city), Rows(rows, 100)
    groups = formed(points, city, policy.k, size)
    assert 0 < failing(points, groups, city, policy).mean() <= 0.5
    ways = [inside(points, city, policy, size), merge.merged(points, groups, city, policy)]
    kept = microaggregation(city, [policy], exact_rows=rows, block_rows=100)[0][points.order]
    assert np.array_equal(kept, min(ways, key=lambda way: errors(points, way).sum()))


def test_nothing_is_joined_that_complies() -> None:
    columns = {"a": [1, 2, 11, 12, 21, 22], "s": list("xyxxyx")}
    assert groups(release(columns, Policy(2))) == [[0, 1], [4, 5], [2, 3]]
    # The middle group lacks a second diagnosis; 21 and 22 are nearer to it than 1 and 2.
    near = {**columns, "a": [1, 2, 12, 13, 21, 22]}
    assert groups(release(near, Policy(2, l=2))) == [[0, 1], [2, 3, 4, 5]]


def test_a_strict_t_does_not_join_most_of_a_table(city: Encoded) -> None:
    """Joined wherever they were formed, the classes lose more, and people are farther from their middles."""
    policy = Policy(5, t=0.3)
    points = Points.of(city)
    everywhere = np.empty(len(city), dtype=np.int32)
    everywhere[points.order] = merge.merged(points, mdav(points, policy.k), city, policy)
    found = partition(city, policy, "mdav")
    assert gcp(found) < gcp(Release.of(city, everywhere, policy, "mdav"))
    assert squared_error(city, found.labels) < squared_error(city, everywhere)


def test_m_and_what_cannot_be_met_are_refused(city: Encoded) -> None:
    with pytest.raises(PolicyError, match="m-privacy"):
        partition(city, Policy(2, m=1), "mdav")
    with pytest.raises(InfeasibleError):
        partition(city, Policy(1201), "mdav")
    with pytest.raises(InfeasibleError):
        partition(city, Policy(2, l=5000), "mdav")


def test_sweeps_are_single_runs(city: Encoded) -> None:
    asked = [Policy(3), Policy(7), Policy(3, l=2), Policy(3), Policy(7, t=0.5)]
    for policy, found in zip(asked, partition_sweep(city, asked, "mdav"), strict=True):
        assert found.policy == policy
        assert np.array_equal(found.labels, partition(city, policy, "mdav").labels)


def test_every_algorithm_has_a_name() -> None:
    assert ALGORITHMS["mdav"].words == "Microaggregation (MDAV)"


# ---- beyond 50,000 records ----------------------------------------------------------------------


def test_blocks_begin_where_it_says() -> None:
    assert (EXACT_ROWS, BLOCK_ROWS) == (50_000, 10_000)


@pytest.mark.parametrize("policy", [Policy(3), Policy(40), Policy(3, l=3), Policy(3, t=0.6)])
def test_blocks_keep_the_policy_and_cover_everybody(city: Encoded, policy: Policy) -> None:
    labels = microaggregation(city, [policy], exact_rows=1199, block_rows=100)[0]
    found = Release.of(city, labels, policy, "mdav")
    assert found.sizes.sum() == len(city)
    assert policy.holds(found.histogram, city.sensitive).all()
    assert policy.t is not None or not np.array_equal(labels, microaggregation(city, [policy])[0])
    least = max(100, 4 * policy.k)
    blocks = mondrian(city, [least], Policy(least))[0]
    assert blocks.max() > 0
    if policy.t is None:
        within = len({*zip(blocks.tolist(), labels.tolist(), strict=True)}) == found.classes.count
        assert not within, "groups of all blocks are formed, divided anew and joined together"
    if policy.only_k:
        assert found.sizes.max() <= 2 * policy.k - 1


@pytest.mark.parametrize("near", [2, 128])
@settings(max_examples=40, deadline=None)
@given(st.data())
def test_groups_of_all_blocks_are_joined_as_by_the_twin(near: int, data: st.DataObject) -> None:
    case = data.draw(cases(rows=(4, 40), qids=3))
    policy = data.draw(policies(case.sensitive, k=4))
    block = data.draw(st.integers(1, 12))
    try:
        policy.check_feasible(case.encoded)
    except PolicyError:
        assume(False)
    encoded, asked = case.encoded, [Policy(policy.k), policy]
    points, places = Points.of(encoded), twin.points(case.qids)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(merge, "NEAR", near)
        patched.setattr(twin, "NEAR", near)
        plain, found = microaggregation(encoded, asked, exact_rows=1, block_rows=block)
        groups = [np.flatnonzero(plain == number).tolist() for number in range(int(plain.max()) + 1)]
        alone = microaggregation(encoded, [policy], exact_rows=1, block_rows=block)[0]
        known = microaggregation(encoded, [policy], exact_rows=1, block_rows=block, groups={policy.k: plain})[0]
        joined = np.empty_like(plain)
        joined[points.order] = merge.merged(points, plain[points.order], encoded, policy)
        wanted = twin.merged(groups, places, twin.meeting(case.sensitive, policy), case.sensitive.values)
    assert in_order(joined) == [frozenset(group) for group in wanted]
    assert np.array_equal(found, alone)
    assert np.array_equal(found, known)
    if len(case) > 1:
        assert groups == twin.from_outside_in(groups, places), "MDAV's order, which joining follows"


@pytest.mark.parametrize(
    "policy",
    [
        Policy(3, l=3),
        Policy(3, l=5),
        Policy(3, l=4, diversity="entropy"),
        Policy(3, l=3, diversity="recursive", c=1),
        Policy(3, t=0.6),
        Policy(3, t=0.4),
        Policy(3, t=0.2, distance="ordered"),
    ],
)
def test_blocks_lose_at_most_a_few_per_cent_more_than_one(city: Encoded, policy: Policy) -> None:
    found = microaggregation(city, [policy], exact_rows=1199, block_rows=150)[0]
    exact = microaggregation(city, [policy])[0]
    assert squared_error(city, found) < 1.04 * squared_error(city, exact)


@pytest.mark.parametrize("policy", [Policy(3, l=3), Policy(3, l=4), Policy(3, l=5)])
def test_joining_over_all_blocks_loses_less_than_inside_each(city: Encoded, policy: Policy) -> None:
    least = 150
    blocks = mondrian(city, [least], replace(policy, k=least))[0]
    assert blocks.max() > 1
    inside = np.empty(len(city), dtype=np.int64)
    for block in range(int(blocks.max()) + 1):
        part = np.flatnonzero(blocks == block)
        inside[part] = microaggregation(city.take(part), [policy])[0] + 10_000 * block
    inside = np.unique(inside, return_inverse=True)[1]
    found = microaggregation(city, [policy], exact_rows=1199, block_rows=least)[0]
    assert squared_error(city, found) < squared_error(city, inside)


def test_groups_are_numbered_from_the_outside_in() -> None:
    # Means of 1.5, 20.5 and 10: the middle of all is 10.67, and of 9.17 and 9.83 the farther comes first.
    points = Points.of(release({"a": [1, 2, 20, 21, 10, 10]}, Policy(1)).encoded)
    labels = np.empty(6, dtype=np.int32)
    labels[:] = np.array([1, 1, 2, 2, 0, 0])[points.order]
    numbered = np.empty(6, dtype=np.int32)
    numbered[points.order] = from_outside_in(points, labels)
    assert numbered.tolist() == [1, 1, 0, 0, 2, 2]


@settings(max_examples=50, deadline=None)
@given(cases(), st.integers(1, 4), st.integers(1, 12))
def test_blocks_of_any_table(case: Case, k: int, block: int) -> None:
    policy = Policy(min(k, len(case)))
    sizes = np.bincount(microaggregation(case.encoded, [policy], exact_rows=1, block_rows=block)[0])
    assert sizes.sum() == len(case)
    assert sizes.min() >= policy.k
    assert sizes.max() <= 2 * policy.k - 1


@settings(max_examples=60, deadline=None)
@given(cases(), st.integers(1, 4))
def test_groups_are_divided_as_by_the_twin(case: Case, k: int) -> None:
    k = min(k, len(case))
    points = Points.of(case.encoded)
    formed = mdav(points, k)
    found = divided(points, formed, k)
    order, places = points.order.tolist(), twin.points(case.qids)
    before = [points.order[formed == number].tolist() for number in range(int(formed.max()) + 1)]
    wanted = twin.divided(before, places, order, k)
    assert [sorted(points.order[found == number].tolist()) for number in range(len(before))] == list(
        map(sorted, wanted)
    )
    assert sum(twin.error(one, places) for one in wanted) <= sum(twin.error(one, places) for one in before) + 1e-3
    sizes = np.bincount(found)
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1


@pytest.mark.parametrize("k", [2, 3, 7])
def test_many_groups_are_divided_as_by_the_twin(city: Encoded, k: int) -> None:
    points = Points.of(city.take(np.arange(150)))
    places = [
        twin.Point(tuple(map(int, points.numbers[:, person])), tuple(map(int, points.categories[:, person])))
        for person in np.repeat(np.arange(len(points)), points.count)
    ]
    formed = mdav(points, k)
    before = [np.flatnonzero(formed == number).tolist() for number in range(int(formed.max()) + 1)]
    found = divided(points, formed, k)
    assert not np.array_equal(found, formed), "the table shows what is tested"
    wanted = twin.divided(before, places, range(len(formed)), k)
    assert [np.flatnonzero(found == number).tolist() for number in range(len(before))] == list(map(sorted, wanted))


@settings(max_examples=100, deadline=None)
@given(cases(), st.integers(1, 4), st.integers(0, 30))
def test_the_widest_groups_are_formed_again_as_by_the_twin(case: Case, k: int, most: int) -> None:
    k = min(k, len(case))
    points = Points.of(case.encoded)
    formed = mdav(points, k)
    found = regrouped(points, formed, k, most)
    order, places = points.order.tolist(), twin.points(case.qids)
    before = [points.order[formed == number].tolist() for number in range(int(formed.max()) + 1)]
    wanted = twin.regrouped(before, places, order, k, most)
    assert [sorted(points.order[found == number].tolist()) for number in range(len(wanted))] == list(
        map(sorted, wanted)
    )
    assert found.max() + 1 == len(wanted)
    sizes = np.bincount(found)
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1


@pytest.mark.parametrize("k", [2, 5])
def test_forming_the_widest_groups_again_lowers_what_blocks_lose(city: Encoded, k: int) -> None:
    points = Points.of(city)
    labels = np.empty(len(city), dtype=np.int32)
    blocks = mondrian(city, [100], Policy(100))[0]
    for block in range(int(blocks.max()) + 1):
        part = np.flatnonzero(blocks == block)
        labels[part] = microaggregation(city.take(part), [Policy(k)])[0] + 10_000 * block
    inside = np.unique(labels, return_inverse=True)[1].astype(np.int32)
    again = np.empty_like(inside)
    again[points.order] = regrouped(points, inside[points.order], k, len(city) // 6)
    assert len(np.unique(again)) <= len(city) // k
    assert squared_error(city, again) < squared_error(city, inside)
    whole = microaggregation(city, [Policy(k)], exact_rows=1199, block_rows=100)[0]
    assert squared_error(city, whole) < squared_error(city, again), "near groups of all blocks are divided anew, too"


@pytest.mark.parametrize("k", [1, 2, 5])
def test_dividing_anew_lowers_the_error(city: Encoded, k: int) -> None:
    points = Points.of(city)
    formed = mdav(points, k)
    labels = np.empty(len(city), dtype=np.int32)
    labels[points.order] = divided(points, formed, k)
    before = microaggregation(city, [Policy(k)])[0]
    assert squared_error(city, labels) <= squared_error(city, before)
    assert k == 1 or squared_error(city, labels) < 0.97 * squared_error(city, before)


def test_the_nearest_groups_are_looked_for_in_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    numbers, kinds = np.rint(rng.normal(size=(2, 300)) * 1000), rng.integers(0, 3, (2, 300))
    first, second = divide.nearest(numbers, kinds, 1000.0, (0.5,))
    apart = ((numbers[:, first] - numbers[:, second]) ** 2).sum(axis=0) / 1000**2
    apart += (kinds[:, first] != kinds[:, second]).sum(axis=0)
    assert (np.diff(apart) >= 0).all()
    assert (first < second).all()
    assert len({*zip(first.tolist(), second.tolist(), strict=True)}) == len(first)
    monkeypatch.setattr(divide, "CELL", 40)
    parts = list(divide.cells(numbers, kinds, 1000.0, (1 / 3, 1 / 2)))
    assert sorted(np.concatenate(parts).tolist()) == list(range(300))
    assert max(map(len, parts)) <= 40
    part_of = np.empty(300, dtype=int)
    for number, part in enumerate(parts):
        part_of[part] = number
    one, other = divide.nearest(numbers, kinds, 1000.0, (1 / 3, 1 / 2))
    assert (part_of[one] == part_of[other]).all()
    assert set(np.concatenate((one, other)).tolist()) == set(range(300))


def test_no_group_is_in_two_pairs_of_a_round() -> None:
    rng = np.random.default_rng(6)
    pairs = np.unique(np.sort(rng.integers(0, 30, (200, 2)), axis=1), axis=0)
    pairs = rng.permutation(pairs[pairs[:, 0] < pairs[:, 1]])
    every = list(divide.rounds(pairs[:, 0], pairs[:, 1]))
    for one in every:
        assert len(np.unique(pairs[one])) == 2 * len(one)
    done = np.concatenate(every)
    assert sorted(done.tolist()) == list(range(len(pairs)))
    for group in range(30):
        own = [number for number in done.tolist() if group in pairs[number]]
        assert own == sorted(own), "the pairs of one group come in their order"


def test_a_table_within_the_limit_is_one_block(city: Encoded) -> None:
    exact = microaggregation(city, [Policy(5)], exact_rows=1200, block_rows=100)[0]
    assert np.array_equal(exact, microaggregation(city, [Policy(5)])[0])


# ---- progress ------------------------------------------------------------------------------------


class StoppedError(Exception):
    """Raised by a test to cancel."""


@pytest.mark.parametrize("more", [{}, {"exact_rows": 100, "block_rows": 200}])
@pytest.mark.parametrize("asked", [[Policy(2)], [Policy(2, t=0.4)], [Policy(3), Policy(2, l=3), Policy(3, l=4)]])
def test_progress_rises_to_1_and_can_cancel(city: Encoded, asked: list[Policy], more: dict[str, int]) -> None:
    told: list[float] = []
    quiet = microaggregation(city, asked, **more)
    loud = microaggregation(city, asked, told.append, **more)
    assert all(np.array_equal(a, b) for a, b in zip(quiet, loud, strict=True))
    assert len(told) > 4
    assert told == sorted(told)
    assert 0 < told[0] < told[-1] == pytest.approx(1.0)
    assert max(told) <= 1.0

    def stop(share: float) -> None:
        if share > 0.3:
            raise StoppedError

    with pytest.raises(StoppedError):
        microaggregation(city, asked, stop, **more)


# ---- parts -----------------------------------------------------------------------------------------


def test_squared_error_by_hand() -> None:
    # Values -1, -1, 1, 1 in standard deviations; categories x, x, x, y.
    found = release({"a": [0, 0, 2, 2], "c": list("xxxy")}, Policy(2))
    assert squared_error(found.encoded, np.array([0, 0, 1, 1])) == pytest.approx(1.0)
    assert squared_error(found.encoded, np.zeros(4, dtype=int)) == pytest.approx(4.0 + 1.0)
    assert squared_error(found.encoded, np.array([0, 1, 0, 1])) == pytest.approx(4.0 + 1.0)
    assert squared_error(found.encoded, np.arange(4)) == 0.0


def test_means_are_rounded_half_up() -> None:
    assert half_up(np.array([3.0, -3.0, 5.0, -5.0, 0.0]), np.array([2, 2, 3, 3, 7])).tolist() == [2, -1, 2, -2, 0]


@pytest.mark.parametrize("values", [[0, 1e300, -1e300, 5e299], [1e-300, 2e-300, 3e-300, 0], [0] * 50 + [10**12]])
def test_extreme_numbers_stay_exact(values: list[float]) -> None:
    columns = {"a": values, "b": list(range(len(values)))}
    points = Points.of(release(columns, Policy(1)).encoded)
    assert np.array_equal(points.numbers, np.rint(points.numbers))
    # Standardised: mean 0, variance 1.
    scaled = np.repeat(points.numbers / points.unit, points.count, axis=1)
    assert scaled.mean(axis=1) == pytest.approx([0, 0], abs=1e-4)
    assert scaled.std(axis=1) == pytest.approx([1, 1], abs=1e-4)


def test_a_wide_range_takes_a_coarser_unit() -> None:
    from core.algorithms.mdav.points import _whole

    for reach, bits in ((4.0, 16), (1e3, 13), (1e6, 3)):
        numbers, unit = _whole(np.array([[-reach, reach]] * 3), 2)
        assert unit <= 2.0**16
        assert unit == pytest.approx(2.0**bits, rel=7), "within a few powers of two"
        squared = ((numbers[:, :1] - numbers[:, 1:]) ** 2).sum()
        assert squared + 2 * unit**2 < 2.0**53
