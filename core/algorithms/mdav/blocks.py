"""Groups under k alone: MDAV as published up to a number of records, in blocks beyond."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.algorithms.mdav.centres import from_outside_in
from core.algorithms.mdav.divide import divided
from core.algorithms.mdav.groups import mdav
from core.algorithms.mdav.points import Points
from core.algorithms.mdav.pool import SHARE, regrouped
from core.algorithms.mondrian import mondrian
from core.arrays import Codes, Ints, Progress, part
from core.data.encoding import Encoded
from core.privacy.policy import Policy

EXACT_ROWS = 50_000
"""Most records that are microaggregated as one; more are cut into blocks first."""
BLOCK_ROWS = 10_000
"""Least records of a block."""
FORMED = 0.6
"""Share of the work that forming groups in blocks is."""
POOL = 0.5
"""Share of the rest that forming the widest groups again is."""


@dataclass(frozen=True)
class Rows:
    """How many records are grouped as one (``exact``), and the least of a block where there are more (``block``)."""

    exact: int = EXACT_ROWS
    block: int = BLOCK_ROWS


def formed(points: Points, encoded: Encoded, k: int, rows: Rows, progress: Progress | None = None) -> Codes:
    """Group people under k alone [definitions §3].

    Parameters
    ----------
    points
        People of the table, or some of them on its scale; at least k records.
    encoded
        The table.
    k
        Least records in a group.
    rows
        Where blocks begin and how large they are.
    progress
        Called with the share of the work done; may raise to cancel.

    Returns
    -------
    ndarray
        (records,) group of each record in the order of ``points.order``.
    """
    records = len(points.order)
    if records <= rows.exact:
        return mdav(points, k, progress)
    least = min(max(rows.block, 4 * k), records)
    blocks = mondrian(encoded.take(points.order), [least], Policy(least))[0]
    labels = np.empty(records, dtype=np.int32)
    classes = done = 0
    for block, place in parted(points, blocks):
        end = done + len(place)
        inside = mdav(block, k, part(progress, FORMED * done / records, FORMED * end / records))
        labels[place] = inside + classes
        classes, done = classes + int(inside.max()) + 1, end
    rest = part(progress, FORMED, 1.0)
    again = regrouped(points, labels, k, min(rows.exact, int(SHARE * records)), part(rest, 0.0, POOL))
    return from_outside_in(points, divided(points, again, k, part(rest, POOL, 1.0)))


def parted(points: Points, labels: NDArray[Any]) -> Iterator[tuple[Points, Ints]]:
    """People part by part, and the places of their records in the order of ``points``; nobody is in two parts."""
    ends = np.cumsum(points.count)
    of_person = labels[ends - 1]
    people = np.argsort(of_person, kind="stable")
    records = np.argsort(labels, kind="stable")
    people_until = np.cumsum(np.bincount(of_person))
    records_until = np.cumsum(np.bincount(labels))
    for number in range(len(records_until)):
        before = number - 1
        some = people[people_until[before] if number else 0 : people_until[number]]
        place = records[records_until[before] if number else 0 : records_until[number]]
        yield points.take(some, points.order[place]), place
