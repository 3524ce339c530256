"""Slow twin of least loss, straight from definitions §3: one class, one cut, one record at a time.

"Of all allowable cuts of all quasi-identifiers take the one with the least sum over both sides of
people * NCP * capacity^(-1/d). Ties: quasi-identifiers in schema order, then the lower cut."

Losses are compared in single precision, as the definition says, so that equal losses are ties
however they were summed.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from core.privacy.policy import Policy
from tests.reference.attributes import Attribute, Value, shared
from tests.reference.mondrian import rank
from tests.reference.policies import meets

Members = list[int]
Holds = Callable[[Members], bool]
LARGE = 256
DISCOUNT = 14


def partition(attributes: Sequence[Attribute], sensitive: Attribute, policy: Policy) -> set[frozenset[int]]:
    """Classes of the whole table, as sets of record numbers."""

    def holds(members: Members) -> bool:
        return meets(policy, [sensitive.values[i] for i in members], sensitive.values, sensitive)

    everyone = list(range(len(sensitive.values)))
    lines = [line(attribute) for attribute in attributes]
    open_, done = [everyone], set()
    while open_:
        members = open_.pop()
        parts = best_cut(attributes, lines, sensitive, members, policy, holds)
        if parts:
            open_ += parts
        else:
            done.add(frozenset(members))
    return done


def line(attribute: Attribute) -> dict[Value, Any]:
    """Place of every value on the line that the attribute is cut along."""
    if attribute.column_type in ("numeric", "ordinal"):
        return {value: rank(attribute, value) for value in set(attribute.values)}
    count = Counter(attribute.values)
    every: list[Value] = [*attribute.labels(), *([None] if attribute.has_missing else [])]
    if len(every) > LARGE or attribute.one_node:
        return {value: place for place, value in enumerate(every)}
    if attribute.column_type == "categorical":
        ordered = sorted(every, key=lambda value: -count[value])  # sorted() is stable
        return {value: place for place, value in enumerate(ordered)}
    held: Counter[tuple[Any, ...]] = Counter()
    place_of: dict[tuple[Any, ...], int] = {}
    for value in every:
        path = attribute.path(value)
        for end in range(1, len(path) + 1):
            held[path[:end]] += count[value]
            place_of.setdefault(path[:end], len(place_of))
    keys = {
        value: [(-held[path[:end]], place_of[path[:end]]) for end in range(1, len(path) + 1)]
        for value in every
        for path in [attribute.path(value)]
    }
    return {value: tuple(keys[value]) for value in every}


def best_cut(
    attributes: Sequence[Attribute],
    lines: Sequence[dict[Value, Any]],
    sensitive: Attribute,
    members: Members,
    policy: Policy,
    holds: Holds,
) -> list[Members]:
    """Both sides of the allowable cut with the least estimated loss; nothing where none is allowed."""
    best: tuple[np.float32, list[Members]] | None = None
    for attribute, places in zip(attributes, lines, strict=True):
        where = {i: places[attribute.values[i]] for i in members}
        for place in sorted(set(where.values()))[:-1]:
            sides = [[i for i in members if where[i] <= place], [i for i in members if where[i] > place]]
            if not all(holds(side) for side in sides):
                continue
            score = np.float32(sum(estimate(attributes, sensitive, side, policy) for side in sides))
            if best is None or score < best[0]:
                best = score, sides
    return [] if best is None else best[1]


def estimate(attributes: Sequence[Attribute], sensitive: Attribute, side: Members, policy: Policy) -> float:
    """Loss of a side as it is, discounted by how many classes it could become."""
    lost = sum(ncp(attribute, side) for attribute in attributes)
    root = DISCOUNT
    return float(len(side) * lost) * capacity([sensitive.values[i] for i in side], sensitive, policy) ** (-1 / root)


def ncp(attribute: Attribute, side: Members) -> Fraction:
    """Normalised certainty penalty of the tight cell."""
    values = {attribute.values[i] for i in side}
    if len(values) == 1:
        return Fraction(0)
    if attribute.one_node:
        return by_node(attribute, values)
    if attribute.column_type in ("categorical", "taxonomy"):
        return Fraction(len(values), len(attribute.labels()) + attribute.has_missing)
    if None in values:
        return Fraction(1)
    places = [rank(attribute, value)[1] for value in values]
    ends = [rank(attribute, value)[1] for value in attribute.labels()]
    return (max(places) - min(places)) / (max(ends) - min(ends))


def by_node(attribute: Attribute, values: set[Value]) -> Fraction:
    """Half by the leaves from the first to the last value, half by those below the lowest node above all values."""
    every: list[Value] = [*attribute.labels(), *([None] if attribute.has_missing else [])]
    node = shared(attribute.path(value) for value in values)
    below = sum(attribute.path(value)[: len(node)] == node for value in every)
    places = [every.index(value) for value in values]
    return Fraction(below + max(places) - min(places) + 1, 2 * len(every))


def capacity(side: list[Value], sensitive: Attribute, policy: Policy) -> float:
    """How many classes a side could still become, at least one; under k alone but for a common factor."""
    if policy.only_k:
        return len(side)
    bounds = [len(side) // policy.k]
    need = 0 if policy.l is None else math.ceil(policy.l - (1e-6 if policy.diversity == "entropy" else 0))
    if need > 1:
        most_common = max(sensitive.labels(), key=sensitive.values.count, default=None)  # the first of several
        bounds.append(sum(value not in (None, most_common) for value in side) // (need - 1))
    return max(1.0, min(bounds))


# ---- the optimum on tiny tables ---------------------------------------------------------


def best_strict(columns: Sequence[Attribute], everyone: tuple[int, ...], k: int) -> Fraction:
    """Least loss of any strict partition: every cut of every line tried, as long as it can be."""
    lines = [[line(column)[value] for value in column.values] for column in columns]
    known: dict[tuple[int, ...], Fraction] = {}

    def least(members: tuple[int, ...]) -> Fraction:
        if members in known:
            return known[members]
        found = len(members) * sum((ncp(column, list(members)) for column in columns), Fraction(0))
        for places in lines if len(members) >= 2 * k else ():
            for place in sorted({places[i] for i in members})[:-1]:
                left = tuple(i for i in members if places[i] <= place)
                right = tuple(i for i in members if places[i] > place)
                if min(len(left), len(right)) >= k:
                    found = min(found, least(left) + least(right))
        known[members] = found
        return found

    return least(everyone)
