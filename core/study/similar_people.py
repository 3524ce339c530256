"""Sensitive values of people similar to a person, without those of the people closest to them.

Another hospital's patients have their own values. Drawing them from my class of the same people repeats what that class
already holds, so the intersection looks safer than it is. Drawing them from my whole table ignores that the value
depends on age and sex. So a resampled person gets the value of a person in the same wide class, but not in the same
narrow one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.algorithms import partition
from core.base.arrays import Codes, Ints, is_first, runs
from core.data.encoding.encoded import Encoded
from core.privacy.policy import Policy

SCALES = ((20, 100), (50, 200))
"""Smallest number of records of the narrow and of the wide class; each draw of another hospital uses one pair at
random.

The first follows local differences more closely, the second leaves out more. In worlds made of real people sometimes
one is better and sometimes the other; as draws alternate, the interval covers the difference.
"""
FULL_SIZE = 1000
"""Smaller tables have proportionally smaller narrow and wide classes, so that there are some of each."""


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Donors of a value for a person with the quasi-identifiers of a record.

    Parameters
    ----------
    order
        (records,) positions sorted by wide class and, within it, by narrow class.
    runs
        (records, 4) of each record: where its wide class begins in ``order``, how many of that may lend it a
        value, where its narrow class begins as far as it is in the wide one, and how many of that are passed
        over. They are adjacent, so that a draw reads one place of memory per record.
    """

    order: Ints
    runs: Codes

    @classmethod
    def of_labels(cls, wide: NDArray[np.int32], narrow: NDArray[np.int32]) -> Neighbours:
        """Prepare draws for two partitions of one table. O(n log n)."""
        order = np.lexsort((narrow, wide))
        outer, inner = wide[order], narrow[order]
        first = np.flatnonzero(is_first(outer))
        cell = np.flatnonzero(is_first(outer) | is_first(inner))
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        begin, size = _run_of(place, first, len(order))
        own_begin, own_size = _run_of(place, cell, len(order))
        passed_over = np.where(own_size < size, own_size, 0)
        return cls(order, np.column_stack((begin, size - passed_over, own_begin, passed_over)).astype(np.int32))

    def draw(self, records: Ints, rng: np.random.Generator) -> Ints:
        """Draw for each of these records a neighbour in its wide class but not in its narrow one.

        If the two are the same, because many people are indistinguishable, any record of the class is used. With one
        generator, fewer records get the neighbours of the first of more. O(records).
        """
        begin, lenders, own_begin, passed_over = np.take(self.runs, records, axis=0).T
        place = (rng.random(len(records)) * lenders).astype(np.int64)
        place += begin
        place += passed_over * (place >= own_begin)
        values: Ints = self.order[place]
        return values

    def lenders(self, records: Ints) -> tuple[Ints, Ints, Ints]:
        """Donors of a value for each of these records.

        Returns
        -------
        lenders
            Positions; those of one record are adjacent.
        begin, end
            (records,) which of them are those of each record.
        """
        begin, many, own_begin, passed_over = np.take(self.runs, records, axis=0).T.astype(np.int64)
        # Every wide class twice, so that from behind the narrow class round to its beginning is one run.
        first = np.unique(self.runs[:, 0]).astype(np.int64)
        size = np.diff(first, append=len(self.order))
        lenders: Ints = self.order[runs(np.repeat(first, 2), np.repeat(size, 2))]
        start = begin + own_begin + passed_over
        return lenders, start, start + many


def _run_of(place: Ints, starts: Ints, records: int) -> tuple[Ints, Ints]:
    """Start and length of the run at each position."""
    sizes = np.diff(starts, append=records)
    which = np.searchsorted(starts, place, side="right") - 1
    return starts[which].astype(np.int64), sizes[which].astype(np.int64)


def neighbours(encoded: Encoded, scale: int) -> Neighbours:
    """Donors of values in this table at one of :data:`SCALES`; the first call makes two Mondrian partitions.

    They are kept with the table: its redraws share them, also in processes that it is sent to.
    """
    known: dict[int, Neighbours] = encoded.neighbours
    if scale not in known:
        wide, narrow = (
            partition(encoded, Policy(least)).labels for least in reversed(least_records(encoded.people, scale))
        )
        known[scale] = Neighbours.of_labels(wide, narrow)
    return known[scale]


def least_records(records: int, scale: int) -> tuple[int, int]:
    """Smallest number of records of narrow and wide classes for a table of this size; persons if they have several."""
    share = min(1.0, records / FULL_SIZE)
    narrow, wide = (max(1, round(least * share)) for least in SCALES[scale])
    return narrow, min(records, max(wide, 5))
