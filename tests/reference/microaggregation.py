"""Slow twin of MDAV, record by record, straight from definitions §3 and the 2005 paper.

"Groups of k to 2k-1; where l or t is asked and one fails, groups are formed inside the classes of
least loss, and a class in which one fails stays one."  While 3k records remain: the one
farthest from the middle of the rest and its k - 1 nearest, then the one farthest from it and its
k - 1 nearest; with 2k to 3k - 1 the first of these only; the rest is a group.

What §3 leaves open and this twin takes as decided: numbers and ranks in whole steps of
2^-16 standard deviations, means too (halves up); a missing number stands at the mean, and
whether it is missing counts as a category; of records equally far the first in a given
order; of equally common categories the first in the column's order, missing last.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from core.privacy.policy import Policy
from tests.reference import leastloss
from tests.reference.attributes import Attribute
from tests.reference.policies import meets

UNIT = 2**16


@dataclass(frozen=True)
class Point:
    """One place: whole numbers, and categories by their rank."""

    numbers: tuple[int, ...]
    categories: tuple[int, ...]


def points(attributes: Sequence[Attribute]) -> list[Point]:
    """Every record as a point."""
    numbers: list[list[int]] = []
    categories: list[list[int]] = []
    for attribute in attributes:
        if attribute.column_type in ("numeric", "ordinal"):
            numbers.append(steps(attribute))
            if attribute.has_missing:
                categories.append([int(value is None) for value in attribute.values])
        else:
            labels = attribute.labels()
            categories.append([len(labels) if value is None else labels.index(value) for value in attribute.values])
    records = range(len(attributes[0].values))
    return [Point(tuple(row[i] for row in numbers), tuple(row[i] for row in categories)) for i in records]


def steps(attribute: Attribute) -> list[int]:
    """Standardised values in whole steps; 0 for a missing one."""
    labels = attribute.labels()
    place = {v: Fraction(v) if attribute.column_type == "numeric" else Fraction(labels.index(v)) for v in labels}
    low, high = min(place.values()), max(place.values())
    share = {v: float((p - low) / ((high - low) or 1)) for v, p in place.items()}
    count = Counter(value for value in attribute.values if value is not None)
    n = sum(count.values())
    mean = math.fsum(count[v] * share[v] for v in labels) / n
    variance = math.fsum(count[v] * ((share[v] - mean) * (share[v] - mean)) for v in labels) / n
    deviation = math.sqrt(variance) or math.inf
    return [0 if v is None else round((share[v] - mean) / deviation * UNIT) for v in attribute.values]


def distance(one: Point, other: Point) -> int:
    """Squared distance: of numbers as it is, 1 for every category that differs."""
    far = sum((x - y) ** 2 for x, y in zip(one.numbers, other.numbers, strict=True))
    return far + UNIT**2 * sum(x != y for x, y in zip(one.categories, other.categories, strict=True))


def middle(group: Sequence[Point]) -> Point:
    """Means and modes."""
    n = len(group)
    columns = zip(*(p.numbers for p in group), strict=True)
    means = [math.floor(Fraction(sum(row), n) + Fraction(1, 2)) for row in columns]
    modes = []
    for row in zip(*(p.categories for p in group), strict=True):
        count = Counter(row)
        modes.append(min(count, key=lambda code: (-count[code], code)))
    return Point(tuple(means), tuple(modes))


def mdav(places: Sequence[Point], order: Sequence[int], k: int) -> list[list[int]]:
    """Groups of record numbers, as formed; ``order`` lists the records by who wins a tie."""
    rest = list(order)
    groups = []

    def farthest(center: Point) -> int:
        return max(rest, key=lambda i: distance(places[i], center))  # the first of several

    def form(center: int) -> None:
        nearest = sorted(rest, key=lambda i: (i != center, distance(places[i], places[center])))  # stable
        groups.append(nearest[:k])
        for i in nearest[:k]:
            rest.remove(i)

    while len(rest) >= 3 * k:
        first = farthest(middle([places[i] for i in rest]))
        form(first)
        form(farthest(places[first]))
    if len(rest) >= 2 * k:
        form(farthest(middle([places[i] for i in rest])))
    return [*groups, rest]


def meeting(sensitive: Attribute, policy: Policy) -> Callable[[list[int]], bool]:
    """Whether some records as one class meet a policy."""
    return lambda members: meets(policy, [sensitive.values[i] for i in members], sensitive.values, sensitive)


def partition(
    attributes: Sequence[Attribute],
    sensitive: Attribute,
    policy: Policy,
    order: Sequence[int],
    block: int | None = None,
) -> list[frozenset[int]]:
    """Classes as sets of record numbers, as they were formed; ``block`` is the least of a block, if there are any."""
    places, holds = points(attributes), meeting(sensitive, policy)
    least = min(max(block or 0, 4 * policy.k), len(order))
    whole = [list(order)] if block is None else cells(attributes, sensitive, Policy(least), order)
    groups = [group for members in whole for group in mdav(places, members, policy.k)]
    if all(map(holds, groups)):
        return [frozenset(group) for group in groups]
    found: list[list[int]] = []
    for members in cells(attributes, sensitive, policy, order):
        inside = mdav(places, members, policy.k) if len(members) >= 2 * policy.k else [members]
        found += inside if all(map(holds, inside)) else [members]
    return [frozenset(group) for group in found]


def cells(
    attributes: Sequence[Attribute], sensitive: Attribute, policy: Policy, order: Sequence[int]
) -> list[list[int]]:
    """Classes of least loss, the one of the first record first; records in the given order."""
    classes = [[i for i in order if i in members] for members in leastloss.partition(attributes, sensitive, policy)]
    return sorted(classes, key=lambda members: order.index(members[0]))


def central_text(attribute: Attribute, members: Sequence[int]) -> str:
    """What is published of a column for a class: a mean, a median, a mode, or that values are missing."""
    values = [attribute.values[i] for i in members]
    known = [value for value in values if value is not None]
    labels = attribute.labels()
    if attribute.column_type in ("numeric", "ordinal"):
        if len(known) < len(values) / 2:
            return "(missing)"
        if attribute.column_type == "ordinal":
            ranks = sorted(labels.index(value) for value in known)
            return str(labels[ranks[(len(ranks) - 1) // 2]])
        places = next(p for p in range(10) if all((Fraction(v) * 10**p).denominator == 1 for v in labels)) + 1
        mean = sum(map(Fraction, known)) / len(known)
        rounded = Fraction(math.floor(mean * 10**places + Fraction(1, 2)), 10**places)
        return str(int(rounded)) if rounded.denominator == 1 else repr(float(rounded))
    count = Counter(values)
    best = min(count, key=lambda v: (-count[v], len(labels) if v is None else labels.index(v)))
    return "(missing)" if best is None else str(best)
