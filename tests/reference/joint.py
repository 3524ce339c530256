"""Several sensitive columns as they are defined, record by record and person by person."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

Joint = tuple[str, ...]
"""Cells of the sensitive columns of one record; "" where one is missing."""


@dataclass(frozen=True)
class Measured:
    """What the weakest class has."""

    k: int
    distinct_l: int
    entropy_l: float
    t: float


def measured(classes: Sequence[Sequence[Joint]]) -> Measured:
    """k, l and t of the joint value; one that lacks a cell never counts towards diversity."""
    everybody = [joint for members in classes for joint in members]
    whole = [[joint for joint in members if all(joint)] for members in classes]
    return Measured(
        min(map(len, classes)),
        min(len(set(members)) for members in whole),
        min(math.exp(_entropy(members)) if members else 0.0 for members in whole),
        max(
            sum(abs(members.count(j) / len(members) - everybody.count(j) / len(everybody)) for j in set(everybody)) / 2
            for members in classes
        ),
    )


def _entropy(members: Sequence[Joint]) -> float:
    return -sum(n / len(members) * math.log(n / len(members)) for n in Counter(members).values())


@dataclass(frozen=True)
class Exposed:
    """People exposed in one column, any, or the joint value: after all releases, by the best single one, wrongly."""

    share: float
    single: float
    wrong: float


Lists = Sequence[Sequence[Sequence[Joint]]]
"""For each record of a person, and each release, the records of its class."""


def subsets(columns: Sequence[int]) -> list[set[int]]:
    """Every set of columns but the empty one."""
    return [set(own) for many in range(1, len(columns) + 1) for own in combinations(columns, many)]


def without(joint: Joint, kept: set[int]) -> Joint:
    """The cells of some columns, others blank."""
    return tuple(cell if place in kept else "" for place, cell in enumerate(joint))


def by_column(people: Sequence[Lists], truth: Sequence[Sequence[Joint]], most: int) -> tuple[list[Exposed], Exposed]:
    """Exposure of each column and last of the joint value; then exposure in any column.

    ``people`` has the lists of each person's records, ``truth`` their own cells. A person is exposed in a column if 1
    to ``most`` of its values are left by any columns together, the column among them, and any record.
    """
    columns = range(len(truth[0][0]))
    releases = range(len(people[0][0]))
    found = []
    for column in [*columns, None]:

        def values(joints: set[Joint] | Sequence[Joint], column: int | None = column) -> set[str | Joint]:
            return set(joints) if column is None else {joint[column] for joint in joints}

        several = [set(columns)] if column is None else [own for own in subsets(columns) if column in own]
        exposed, right, alone = [], [], []
        for records, own in zip(people, truth, strict=True):
            left = [
                (mine, values(set.intersection(*({without(joint, kept) for joint in each} for each in lists))))
                for mine, lists in zip(own, records, strict=True)
                for kept in several
            ]
            exposed.append(any(1 <= len(each) <= most for _, each in left))
            right.append(any(len(each) <= most and values([mine]) <= each for mine, each in left))
            alone.append([any(len(values(lists[release])) <= most for lists in records) for release in releases])
        found.append((exposed, right, alone))

    def share(every: Sequence[bool]) -> float:
        return sum(every) / len(people)

    def said(exposed: Sequence[bool], right: Sequence[bool], alone: Sequence[Sequence[bool]]) -> Exposed:
        wrong = [a and not b for a, b in zip(exposed, right, strict=True)]
        return Exposed(
            share(exposed), max(share([each[release] for each in alone]) for release in releases), share(wrong)
        )

    def any_of(parts: Sequence[Sequence[bool]]) -> list[bool]:
        return [any(each) for each in zip(*parts, strict=True)]

    exposed, right, alone = zip(*found[:-1], strict=True)
    everywhere = [any_of(each) for each in zip(*alone, strict=True)]
    return [said(*each) for each in found], said(any_of(exposed), any_of(right), everywhere)
