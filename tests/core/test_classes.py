"""Grouping, packing and counting against plain loops."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from core.data.classes import Classes, ClassHistogram, distinct_columns, group_columns, pack

# ---- classes -----------------------------------------------------------------------------


def test_classes_of_labels() -> None:
    found = Classes.from_labels([1, 0, -1, 1, 2, -1])
    assert found.count == 3
    assert found.sizes.tolist() == [1, 2, 1]
    assert found.suppressed == 2
    assert found.order.tolist() == [1, 0, 3, 4]
    assert [found.members(i).tolist() for i in range(3)] == [[1], [0, 3], [4]]
    low, high = found.lows_highs(np.array([[5, 7, 0, 2, 9, 99], [1, 1, 0, 1, 1, 99]], dtype=np.int32))
    assert low.tolist() == [[7, 1], [2, 1], [9, 1]]
    assert high.tolist() == [[7, 1], [5, 1], [9, 1]]


def test_everything_suppressed_is_no_class() -> None:
    found = Classes.from_labels([-1, -1])
    assert (found.count, found.suppressed, len(found.sizes), len(found.order)) == (0, 2, 0, 0)


# ---- grouping ------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_group_columns_equals_loops(data: st.DataObject) -> None:
    width = data.draw(st.integers(1, 3))
    rows = data.draw(st.lists(st.tuples(*[st.integers(0, 3)] * width), min_size=1, max_size=25))
    seen: dict[tuple[int, ...], int] = {}
    expected = [seen.setdefault(row, len(seen)) for row in rows]
    assert group_columns(np.array(rows).T).labels.tolist() == expected


# ---- packing -------------------------------------------------------------------------------


def check_packing(codes: np.ndarray) -> None:
    key = pack(codes)
    columns = [tuple(column) for column in codes.T.tolist()]
    order = sorted(range(len(columns)), key=columns.__getitem__)
    assert key.min() >= 0
    for first, second in pairwise(order):
        assert (key[first] < key[second]) == (columns[first] < columns[second])
    first, group, count = distinct_columns(codes)
    expected = sorted(set(columns))
    assert [columns[i] for i in first] == expected
    assert [columns.index(column) for column in expected] == first.tolist()
    assert [expected[g] for g in group] == columns
    assert count.tolist() == [Counter(columns)[column] for column in expected]


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_packed_keys_keep_the_order_of_the_columns(data: st.DataObject) -> None:
    width = data.draw(st.integers(1, 8))
    top = data.draw(st.lists(st.sampled_from([0, 1, 2, 1000, 2**20, 2**31 - 1]), min_size=width, max_size=width))
    people = st.tuples(*(st.integers(0, most) | st.sampled_from([0, most]) for most in top))
    rows = data.draw(st.lists(people, min_size=1, max_size=20))
    check_packing(np.array(rows, dtype=np.int32).T)


def test_packing_many_large_domains_does_not_overflow() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2**31 - 1, (9, 300)).astype(np.int32)
    codes[:6] = codes[:6, rng.integers(0, 3, 300)]  # the first six alone do not tell records apart
    check_packing(codes)
    check_packing(np.full((5, 4), 2**31 - 1, dtype=np.int32))


# ---- histograms ----------------------------------------------------------------------------


@st.composite
def counted(draw: st.DrawFn) -> tuple[list[int], list[int], int, list[int] | None]:
    values = draw(st.sampled_from([2, 3, 5, 40_000]))  # the last one takes the sparse way
    used = draw(st.lists(st.integers(0, values - 1), min_size=1, max_size=5))
    classes = draw(st.integers(1, 6))
    pairs = draw(st.lists(st.tuples(st.integers(0, classes - 1), st.sampled_from(used)), max_size=30))
    pairs += [(number, used[0]) for number in range(classes)]
    order = draw(st.permutations(pairs))
    weights = None
    if draw(st.booleans()):
        weights = draw(st.lists(st.integers(1, 9) | st.just(2**40 + 1), min_size=len(order), max_size=len(order)))
    return [p[0] for p in order], [p[1] for p in order], values, weights


@settings(max_examples=120, deadline=None)
@given(counted())
def test_tally_equals_a_counter(drawn: tuple[list[int], list[int], int, list[int] | None]) -> None:
    labels, secret, values, weights = drawn
    classes = max(labels) + 1
    overall = np.bincount(secret, weights=weights, minlength=values).astype(int)
    found = ClassHistogram.tally(
        np.array(labels), np.array(secret), overall, classes, 1 if weights is None else np.array(weights)
    )
    expected: Counter[tuple[int, int]] = Counter()
    for position, pair in enumerate(zip(labels, secret, strict=True)):
        expected[pair] += weights[position] if weights else 1
    triples = list(zip(found.owner.tolist(), found.value.tolist(), found.count.tolist(), strict=True))
    assert triples == [(*pair, expected[pair]) for pair in sorted(expected)]
    assert found.classes == classes
    for number in range(classes):
        mine = {value: count for (owner, value), count in expected.items() if owner == number}
        value, count = found.of_class(number)
        assert dict(zip(value.tolist(), count.tolist(), strict=True)) == mine
        assert found.sizes[number] == sum(mine.values())
        assert found.distinct[number] == len(mine)


@settings(max_examples=80, deadline=None)
@given(counted(), st.integers(0, 4))
def test_known_leaves_out_the_missing_value(
    drawn: tuple[list[int], list[int], int, list[int] | None], missing: int
) -> None:
    labels, secret, values, _ = drawn
    missing = min(missing, values - 1)
    classes = max(labels) + 1
    whole = ClassHistogram.tally(
        np.array(labels), np.array(secret), np.bincount(secret, minlength=values), classes, missing=missing
    )
    known = whole.known
    assert known.classes == classes
    for number in range(classes):
        value, count = known.of_class(number)
        mine = Counter(s for owner, s in zip(labels, secret, strict=True) if owner == number and s != missing)
        assert {v: c for v, c in zip(value.tolist(), count.tolist(), strict=True) if c} == mine
        assert len(count) >= 1
        assert (count > 0).all() or count.tolist() == [0]
    assert np.array_equal(known.overall, whole.overall)


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(1, 5), st.integers(0, 6)), min_size=1),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_some_classes_of_a_histogram_are_counted_as_before(rows, several, random):
    labels = np.unique([label for label, *_ in rows], return_inverse=True)[1]
    secret, weight, person = (np.array([row[i] for row in rows]) for i in (1, 2, 3))
    classes = int(labels.max()) + 1
    overall = np.bincount(secret, minlength=4)
    whole = (
        ClassHistogram.of_persons(labels, secret, overall, classes, person)
        if several
        else ClassHistogram.tally(labels, secret, overall, classes, weight)
    )
    which = np.array([random.random() < 0.5 for _ in range(classes)])
    part = whole.of_classes(which)
    assert part.classes == np.count_nonzero(which)
    for new, old in enumerate(np.flatnonzero(which).tolist()):
        assert [each.tolist() for each in part.of_class(new)] == [each.tolist() for each in whole.of_class(old)]
        assert set(part.owner[part.starts[new] :][: part.distinct[new]].tolist()) == {new}
        assert part.people[new] == whole.people[old]
