"""Distinct people with their counts, which algorithms cut instead of records; their classes; labels of records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Bools, Ints
from core.data.classes import distinct_columns, weighted_count
from core.data.encoding.encoded import Encoded


@dataclass
class Units:
    """Distinct people with their counts, which are cut instead of records.

    A cut can never separate records with equal quasi-identifiers. If the sensitive attribute matters, it also
    distinguishes units; so does the person, if persons have several records. ``person`` is the person of each unit,
    numbered from 0.
    """

    codes: NDArray[np.int32]
    weight: Ints
    sensitive_codes: NDArray[np.int32]
    of_record: Ints
    person: NDArray[np.int32]

    @classmethod
    def of(cls, encoded: Encoded, with_sensitive: bool) -> Units:
        """Collapse the records of a table; O(records log records)."""
        codes = encoded.codes
        keyed = np.vstack([codes, encoded.sensitive_codes[None, :]]) if with_sensitive else codes
        if encoded.has_multiple_records:
            keyed = np.vstack([keyed, encoded.person[None, :]])
        first, group, _ = distinct_columns(keyed)
        count = weighted_count(group, encoded.weight, len(first))
        return cls(np.take(codes, first, axis=1), count, encoded.sensitive_codes[first], group, encoded.person[first])

    def labels(self, member: Ints, size: Ints) -> NDArray[np.int32]:
        """(records,) class of each record, numbered by the first unit of each class.

        ``member`` are the units, class after class, and ``size`` (classes,) is the number of units in each.
        """
        first = np.minimum.reduceat(member, np.cumsum(size) - size)
        is_first = np.zeros(len(self.weight), dtype=bool)
        is_first[first] = True
        rank = (np.cumsum(is_first, dtype=np.int32) - 1)[first]
        of_unit = np.empty(len(self.weight), dtype=np.int32)
        of_unit[member] = np.repeat(rank, size)
        return of_unit[self.of_record]


@dataclass(frozen=True, eq=False)
class Part:
    """Classes, and the range of values of k that each serves.

    Parameters
    ----------
    unit, size
        (units,) units, class after class, and (classes,) the number of units in each.
    since, until
        (classes,) first of the values of k, and the one after the last.
    """

    unit: Ints
    size: Ints
    since: Ints
    until: Ints

    def some(self, which: Bools) -> Part:
        """Return some of the classes unchanged."""
        return Part(self.unit[np.repeat(which, self.size)], self.size[which], self.since[which], self.until[which])


def labels_of(settled: Sequence[Part], ks: int, units: Units) -> list[NDArray[np.int32]]:
    """Class of each record for each value of k, once all classes are final."""
    labels = []
    for which in range(ks):
        parts = [part.some((part.since <= which) & (which < part.until)) for part in settled]
        unit, size = [part.unit for part in parts], [part.size for part in parts]
        labels.append(units.labels(np.concatenate(unit), np.concatenate(size)))
    return labels
