"""Slow twin of MDAV, record by record, straight from definitions §3 and the 2005 paper.

"Groups of k to 2k-1; with l or t asked, a group that fails is joined with one near it that fails
as well, or groups are formed inside the classes of least loss."  While 3k records remain: the one
farthest from the middle of the rest and its k - 1 nearest, then the one farthest from it and its
k - 1 nearest; with 2k to 3k - 1 the first of these only; the rest is a group.

What §3 leaves open and this twin takes as decided: numbers and ranks in whole steps of
2^-16 standard deviations, means too (halves up); a missing number stands at the mean, and
whether it is missing counts as a category; of records equally far the first in a given
order; of equally common categories the first in the column's order, missing last; failing
groups are joined as they were formed, each until it complies.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from core.privacy.policy import Policy
from tests.reference import leastloss
from tests.reference.attributes import Attribute, Value
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
        if attribute.kind in ("numeric", "ordinal"):
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
    place = {v: Fraction(v) if attribute.kind == "numeric" else Fraction(labels.index(v)) for v in labels}
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


def regrouped(
    groups: Sequence[list[int]], places: Sequence[Point], order: Sequence[int], k: int, most: int
) -> list[list[int]]:
    """The groups that stay, then those formed of the widest ones: whole groups, as many as have at most so many."""
    widest = sorted(groups, key=lambda group: -round(error(group, places) / len(group) * 10**6))  # stable
    taken: list[list[int]] = []
    for group in widest:
        if sum(map(len, taken)) + len(group) > most:
            break
        taken.append(group)
    kept = [group for group in groups if group not in taken]
    pool = [record for record in order if any(record in group for group in taken)]
    return [*kept, *mdav(places, pool, k)] if pool else kept


TOGETHER = 6
"""Nearest groups that each is taken together with, to be divided anew."""
SEEDS = 8


def divided(groups: Sequence[list[int]], places: Sequence[Point], order: Sequence[int], k: int) -> list[list[int]]:
    """Two passes over pairs of near groups, each divided in the best of a few ways; all groups are one cell."""
    found = [sorted(group, key=list(order).index) for group in groups]
    for _ in range(2):
        for one, other in pairs([middle([places[i] for i in group]) for group in found]):
            found[one], found[other] = best_division(found[one], found[other], places, k)
    return found


def pairs(centres: Sequence[Point]) -> list[tuple[int, int]]:
    """Every group with its nearest, the nearest pairs first."""
    every = set()
    for one, center in enumerate(centres):
        others = [other for other in range(len(centres)) if other != one]
        others.sort(key=lambda other: distance(center, centres[other]))  # stable
        every |= {(min(one, other), max(one, other)) for other in others[:TOGETHER]}
    return sorted(every, key=lambda pair: (distance(centres[pair[0]], centres[pair[1]]), pair))


def best_division(one: list[int], other: list[int], places: Sequence[Point], k: int) -> tuple[list[int], list[int]]:
    """The way to divide the records of two groups in which they are nearest to their middles; the present one first."""
    both = [*one, *other]
    least = max(k, len(both) - (2 * k - 1))
    seeds = sorted(both, key=lambda i: -sum(distance(places[i], places[j]) for j in both))[:SEEDS]

    def around(seed: int) -> list[int]:
        return sorted(both, key=lambda i: (i != seed, distance(places[i], places[seed])))[:least]

    ways = [one, *map(around, seeds)]
    best = min(ways, key=lambda way: round((error(way, places) + error(set(both) - set(way), places)) * 10**6))
    return [i for i in both if i in best], [i for i in both if i not in best]


def error(group: Collection[int], places: Sequence[Point]) -> Fraction:
    """Sum of squared distances from means and modes, in squared standard deviations."""
    members = [places[i] for i in group]
    total = Fraction(0)
    for numbers in zip(*(p.numbers for p in members), strict=True):
        total += sum(x * x for x in numbers) - Fraction(sum(numbers) ** 2, len(numbers))
    unlike = sum(
        len(members) - max(Counter(row).values()) for row in zip(*(p.categories for p in members), strict=True)
    )
    return total / UNIT**2 + unlike


NEAR = 128
"""Groups that are looked at for a join."""


Groups = Sequence[list[int]]


def merged(
    groups: Groups, places: Sequence[Point], holds: Callable[[list[int]], bool], secrets: Sequence[Value]
) -> list[list[int]]:
    """Join groups that fail with one near that fails, too, until none fails; places in the list stay."""
    found: list[list[int] | None] = list(groups)
    everyone = Counter(secrets)

    def far(members: list[int]) -> np.float32:
        """Twice the total variation between the values of some records and of all."""
        count = Counter(secrets[i] for i in members)
        apart = sum(abs(Fraction(count[v], len(members)) - Fraction(n, len(secrets))) for v, n in everyone.items())
        return np.float32(float(apart))

    for number in range(len(found)):
        while found[number] is not None and not holds(found[number]):
            mine = found[number]
            center = middle([places[i] for i in mine])
            others = [i for i, group in enumerate(found) if group is not None and i != number]
            others = [i for i in others if not holds(found[i])] or others
            others.sort(key=lambda i: distance(middle([places[j] for j in found[i]]), center))  # stable
            near = others[:NEAR]
            best = next((i for i in near if holds(mine + found[i])), None)
            best = min(near, key=lambda i: far(mine + found[i])) if best is None else best
            found[number] = mine + found[best]
            found[best] = None
    return [group for group in found if group is not None]


def from_outside_in(groups: Groups, places: Sequence[Point]) -> list[list[int]]:
    """Groups by how far their centres are from the middle of all records, the farthest first."""
    center = middle([places[i] for group in groups for i in group])
    return sorted(groups, key=lambda group: -distance(middle([places[i] for i in group]), center))  # stable


def meeting(sensitive: Attribute, policy: Policy) -> Callable[[list[int]], bool]:
    """Whether some records as one class meet a policy."""
    return lambda members: meets(policy, [sensitive.values[i] for i in members], sensitive.values, sensitive)


def partition(
    attributes: Sequence[Attribute], sensitive: Attribute, policy: Policy, order: Sequence[int]
) -> list[frozenset[int]]:
    """Classes as sets of record numbers, as they were formed."""
    places, holds = points(attributes), meeting(sensitive, policy)
    groups = mdav(places, order, policy.k)
    failing = sum(not holds(group) for group in groups)
    if failing:
        ways = [inside(attributes, sensitive, policy, order)]
        if failing <= len(groups) / 2:
            ways.append(merged(groups, places, holds, sensitive.values))
        groups = min(ways, key=lambda way: round(sum(error(group, places) for group in way) * 10**6))
    return [frozenset(group) for group in groups]


def inside(
    attributes: Sequence[Attribute], sensitive: Attribute, policy: Policy, order: Sequence[int]
) -> list[list[int]]:
    """Groups in each class of least loss, joined in it; the farthest from the middle of all first."""
    places, found = points(attributes), list[list[int]]()
    classes = [[i for i in order if i in members] for members in leastloss.partition(attributes, sensitive, policy)]
    for members in sorted(classes, key=lambda members: order.index(members[0])):
        groups = mdav(places, members, policy.k) if len(members) >= 2 * policy.k else [members]
        found += merged(groups, places, meeting(sensitive, policy), sensitive.values)
    return from_outside_in(found, places)


def central_text(attribute: Attribute, members: Sequence[int]) -> str:
    """What is published of a column for a class: a mean, a median, a mode, or that values are missing."""
    values = [attribute.values[i] for i in members]
    known = [value for value in values if value is not None]
    labels = attribute.labels()
    if attribute.kind in ("numeric", "ordinal"):
        if len(known) < len(values) / 2:
            return "(missing)"
        if attribute.kind == "ordinal":
            ranks = sorted(labels.index(value) for value in known)
            return str(labels[ranks[(len(ranks) - 1) // 2]])
        places = next(p for p in range(10) if all((Fraction(v) * 10**p).denominator == 1 for v in labels)) + 1
        mean = sum(map(Fraction, known)) / len(known)
        rounded = Fraction(math.floor(mean * 10**places + Fraction(1, 2)), 10**places)
        return str(int(rounded)) if rounded.denominator == 1 else repr(float(rounded))
    count = Counter(values)
    best = min(count, key=lambda v: (-count[v], len(labels) if v is None else labels.index(v)))
    return "(missing)" if best is None else str(best)
