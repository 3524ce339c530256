"""The privacy models: golden cases of definitions §2, boundaries, and slow twins."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.errors import PolicyError
from core.data.classes import ClassHistogram
from core.data.encoding.domain import Domain
from core.data.schemas.schema import ColumnType
from core.data.schemas.taxonomy import Taxonomy
from core.privacy import class_levels
from core.privacy.policy import DISTANCES, Policy
from tests.reference import policies as twin
from tests.reference.attributes import Attribute, paths_of
from tests.strategies import CLOSENESS, FACTORS, trees

PLAIN = Domain("s", ColumnType.CATEGORICAL, tuple("abcdefghijklmnop"))


def histogram(*classes: Sequence[int], missing: int = -1) -> ClassHistogram:
    """Counts of every class, value by value; the table is all of them together."""
    values = max(map(len, classes))
    rows = np.array([[*counts, *[0] * (values - len(counts))] for counts in classes])
    owner, value = np.nonzero(rows)
    return ClassHistogram.of_records(
        owner, value, rows.sum(axis=0), len(classes), weight=rows[owner, value], missing=missing
    )


def holds(counts: Sequence[int], *more: Sequence[int], missing: int = -1, **asked: Any) -> bool:
    """Whether the first class meets a policy; k = 1 unless asked."""
    policy = Policy(**{"k": 1, **asked})
    return bool(policy.is_satisfied(histogram(counts, *more, missing=missing), PLAIN)[0])


def diverse(counts: Sequence[int], c: float | Fraction, l: int) -> bool:  # noqa: E741
    return holds(counts, l=l, diversity="recursive", c=c)


# ---- golden cases of definitions §2 ------------------------------------------------------


# ---- boundaries --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "c", "l", "met"),
    [
        # 1 < 0.1 * 10 does not hold, although the double 0.1 is a little above one tenth.
        ([1] * 10, 0.1, 1, False),
        ([1] * 11, 0.1, 1, True),
        ([3] * 10, 0.1, 1, False),
        ([11, 10, 10], 1.1, 3, False),
        ([11, 11, 11], 1.1, 3, True),
        ([1, 1, 1], Fraction(1, 3), 1, False),
        ([1, 1, 1, 1], Fraction(1, 3), 1, True),
        ([7, 1000], 1e-3, 1, False),
        # What is left when one value is ruled out [Machanavajjhala 2007].
        ([7, 6, 5, 3, 1, 1], 1, 3, True),
        ([7, 5, 3, 1, 1], 1, 2, True),
        ([7, 5, 3, 1, 1], 1, 3, False),
        ([7, 6, 5, 3, 1], 1, 3, True),
        ([100, 6, 5, 3], 1, 2, False),
    ],
)
def test_c_counts_as_the_decimal_it_is_written_as(
    counts: list[int],
    c: float | Fraction,
    l: int,  # noqa: E741
    met: bool,
) -> None:
    assert diverse(counts, c, l) is met


@settings(max_examples=60, deadline=None)
@given(
    counts=st.lists(st.integers(1, 2_000_000), min_size=1, max_size=5),
    c=st.fractions(Fraction(1, 10**6), 10**6) | st.floats(1e-6, 1e6),
    l=st.integers(1, 5),
)
def test_recursive_of_any_table_size_is_exact(counts: list[int], c: float | Fraction, l: int) -> None:  # noqa: E741
    secrets_free = sorted(counts, reverse=True)
    expected = len(counts) >= l and secrets_free[0] < twin.exact(c) * sum(secrets_free[l - 1 :])
    assert diverse(counts, c, l) == expected


def test_entropy_allows_1e_9_and_no_more() -> None:
    entropy = class_levels.entropies(histogram([5, 3, 2]))[0]
    assert holds([5, 3, 2], l=math.exp(entropy + 0.9e-9), diversity="entropy")
    assert not holds([5, 3, 2], l=math.exp(entropy + 1.1e-9), diversity="entropy")


@pytest.mark.parametrize("distance", ["equal", "ordered"])
def test_t_allows_1e_9_and_no_more(distance: str) -> None:
    # Classes (2, 1) and (1, 2): each 1/6 from the table, whatever the distance.
    for shift, expected in ((0.0, True), (-0.9e-9, True), (-1.1e-9, False), (1e-9, True)):
        assert holds([2, 1], [1, 2], t=1 / 6 + shift, distance=distance) == expected


# ---- missing sensitive values --------------------------------------------------------------


def test_distinct_of_the_attack_counts_a_missing_value() -> None:
    assert histogram([1, 1, 2], [1, 1, 0], missing=2).distinct.tolist() == [3, 2]


# ---- distances -----------------------------------------------------------------------------

# ---- slow twins ----------------------------------------------------------------------------


@st.composite
def tables(draw: st.DrawFn) -> tuple[Domain, Attribute, list[list[str | None]], ClassHistogram]:
    """Classes of sensitive values with a taxonomy, some of them missing."""
    tree = draw(trees(least=2))
    taxonomy = Taxonomy.from_nested(tree)
    labels: tuple[str | None, ...] = taxonomy.leaf_labels
    missing = -1
    if draw(st.booleans()):
        missing = len(labels)
        labels = (*labels, None)
        taxonomy = taxonomy.with_leaf("(missing)")
    values = draw(st.lists(st.sampled_from(range(len(labels))), min_size=1, max_size=6, unique=True))
    groups = draw(st.lists(st.lists(st.sampled_from(values), min_size=1, max_size=9), min_size=1, max_size=5))
    owner = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    secret = np.concatenate([np.array(group) for group in groups])
    overall = np.bincount(secret, minlength=len(labels))
    found = ClassHistogram.of_records(owner, secret, overall, len(groups), missing=missing)
    domain = Domain("s", ColumnType.TAXONOMY, taxonomy.leaf_labels, None, taxonomy, missing)
    classes = [[labels[i] for i in group] for group in groups]
    everything = tuple(label for group in classes for label in group)
    return domain, Attribute("s", "taxonomy", everything, (), paths_of(tree)), classes, found


@settings(max_examples=150, deadline=None)
@given(table=tables(), l=st.integers(1, 5), c=st.sampled_from(FACTORS), real=st.floats(1, 6))
def test_diversity_equals_the_twin(table: Any, l: int, c: float | Fraction, real: float) -> None:  # noqa: E741
    domain, _, classes, found = table
    assert found.sizes.tolist() == [len(group) for group in classes]
    distinct = Policy(1, l=l).is_satisfied(found, domain)
    assert distinct.tolist() == [twin.distinct(group) >= l for group in classes]
    recursive = Policy(1, l=l, c=c, diversity="recursive").is_satisfied(found, domain)
    assert recursive.tolist() == [twin.recursively_diverse(group, c, l) for group in classes]
    infimum = [twin.smallest_c(group, l) for group in classes]
    assert class_levels.smallest_c(found, l).tolist() == [math.inf if x is None else float(x) for x in infimum]
    for asked in (l, real):
        entropy = Policy(1, l=asked, diversity="entropy").is_satisfied(found, domain)
        assert entropy.tolist() == [twin.entropy_diverse(group, asked) for group in classes]
    exact = [twin.entropy(group) for group in classes]
    assert class_levels.entropies(found) == pytest.approx(
        [-math.inf if x is None else float(x) for x in exact], abs=1e-12
    )


@pytest.mark.parametrize("distance", DISTANCES)
@settings(max_examples=150, deadline=None)
@given(table=tables(), t=st.sampled_from(CLOSENESS))
def test_distance_equals_the_twin(distance: str, table: Any, t: float) -> None:
    domain, attribute, classes, found = table
    exact = [twin.distance_of(group, attribute.values, attribute, distance) for group in classes]
    assert class_levels.distances(found, domain, distance) == pytest.approx([float(d) for d in exact], abs=1e-12)
    closeness = Policy(1, t=t, distance=distance).is_satisfied(found, domain)
    assert closeness.tolist() == [d <= Fraction(t) + twin.TOLERANCE for d in exact]


# ---- what cannot be a policy -----------------------------------------------------------------

HUGE = 10**400


@pytest.mark.parametrize(
    ("asked", "parameter"),
    [
        ({"k": 0}, "k"),
        ({"k": -3}, "k"),
        ({"k": 2.5}, "k"),
        ({"k": True}, "k"),
        ({"k": "5"}, "k"),
        ({"k": None}, "k"),
        ({"k": math.nan}, "k"),
        ({"k": math.inf}, "k"),
        ({"l": 0}, "l"),
        ({"l": 1.5}, "l"),
        ({"l": "2"}, "l"),
        ({"l": math.nan}, "l"),
        ({"l": math.inf}, "l"),
        ({"l": 0.5, "diversity": "entropy"}, "l"),
        ({"l": math.inf, "diversity": "entropy"}, "l"),
        ({"l": math.nan, "diversity": "entropy"}, "l"),
        ({"l": HUGE, "diversity": "entropy"}, "l"),
        ({"l": "x", "diversity": "entropy"}, "l"),
        ({"l": 2, "diversity": "recursive"}, "c"),
        ({"l": 2, "diversity": "recursive", "c": 0}, "c"),
        ({"l": 2, "diversity": "recursive", "c": -1}, "c"),
        ({"l": 2, "diversity": "recursive", "c": math.nan}, "c"),
        ({"l": 2, "diversity": "recursive", "c": math.inf}, "c"),
        ({"l": 2, "diversity": "recursive", "c": "1"}, "c"),
        ({"l": 1.5, "diversity": "recursive", "c": 1}, "l"),
        ({"l": 2, "diversity": "wide"}, "diversity"),
        ({"t": -0.1}, "t"),
        ({"t": 1.1}, "t"),
        ({"t": math.nan}, "t"),
        ({"t": True}, "t"),
        ({"t": "0.5"}, "t"),
        ({"t": 0.5, "distance": "far"}, "distance"),
        ({"m": -1}, "m"),
        ({"m": 1.5}, "m"),
    ],
    ids=lambda value: repr(value) if len(repr(value)) < 60 else "huge",
)
def test_bad_parameters_are_refused_by_name(asked: dict[str, Any], parameter: str) -> None:
    with pytest.raises(PolicyError) as caught:
        Policy(**{"k": 2, **asked})
    assert caught.value.parameter == parameter
    assert parameter in str(caught.value)


def test_whole_numbers_may_be_floats_and_absurdly_large_ones_are_simply_not_met() -> None:
    assert holds([3, 2], k=5.0, l=2.0)
    assert not holds([3, 2], k=6)
    assert not holds([3, 2], k=HUGE)
    assert not holds([3, 2], l=10**30)
    assert not diverse([3, 2], 1, 10**30)
