"""Several sensitive columns as they are defined, record by record and person by person."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

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
    """People of one column or of any: exposed after all releases, by the best single one, and wrongly."""

    share: float
    single: float
    wrong: float


def by_column(people: Sequence[Sequence[Sequence[Joint]]], truth: Sequence[Joint], most: int) -> list[Exposed]:
    """Exposure of each column, and last of any of them.

    ``people`` has for each person the records of their class in each release, ``truth`` their own cells; a person is
    exposed in a column with 1 to ``most`` of its values left.
    """
    columns = range(len(truth[0]))
    left = [set.intersection(*map(set, classes)) for classes in people]

    def values(joints: set[Joint] | Sequence[Joint], column: int) -> set[str]:
        return {joint[column] for joint in joints}

    def share(every: Sequence[bool]) -> float:
        return sum(every) / len(people)

    exposed = [[1 <= len(values(joints, column)) <= most for joints in left] for column in columns]
    right = [
        [hit and own[column] in values(joints, column) for hit, own, joints in zip(hits, truth, left, strict=True)]
        for column, hits in zip(columns, exposed, strict=True)
    ]
    releases = range(len(people[0]))
    alone = [
        [[len(values(classes[release], column)) <= most for classes in people] for release in releases]
        for column in columns
    ]
    each = [
        Exposed(share(hits), max(map(share, single)), share([a and not b for a, b in zip(hits, good, strict=True)]))
        for hits, good, single in zip(exposed, right, alone, strict=True)
    ]
    somewhere, rightly = list(map(any, zip(*exposed, strict=True))), list(map(any, zip(*right, strict=True)))
    single = max(share(list(map(any, zip(*(own[release] for own in alone), strict=True)))) for release in releases)
    wrong = share([a and not b for a, b in zip(somewhere, rightly, strict=True)])
    return [*each, Exposed(share(somewhere), single, wrong)]
