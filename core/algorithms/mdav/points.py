"""People as points of microaggregation: whole numbers, so that every distance is exact.

**Distance** of two points, squared: the sum over numbers and ranks of the squared
difference in standard deviations, plus 1 for every category (or leaf of a taxonomy) in
which they differ (Domingo-Ferrer and Torra 2005, MDAV-generic). A missing number is a
separate category: it lies at the mean of its column, at distance 1 from every known one.

**Whole numbers.** Standardised values are rounded to multiples of 2^-16 of a standard
deviation and counted in that unit (a coarser power of two where squared distances would
otherwise reach 2^53). So are the means of groups, halves upwards. Sums and squared
distances are then whole numbers that float64 holds exactly, in whatever order they are added, so equal distances are
equal on every machine.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Floats, Ints
from core.data.classes import distinct_columns
from core.data.encoding.domain import Domain
from core.data.encoding.encoded import Encoded

FINEST = 16
"""Number of binary digits after the point of a standardised value."""


@dataclass(frozen=True, eq=False)
class Points:
    """Distinct people with their number, sorted by their codes, first quasi-identifier first.

    Parameters
    ----------
    numbers
        (numbers and ranks, people) standardised, in units of ``1 / unit``.
    categories
        (categories, people) codes; an attribute of numbers with missing cells adds a row
        that is 1 if the number is missing.
    count
        (people,) records of each.
    unit
        Units in a standard deviation; a mismatch adds ``unit ** 2`` to a squared distance.
    order
        (records,) positions of the records, those of the first people first; equal people are in shuffled order, see
        :func:`shuffled`.
    """

    numbers: Floats
    categories: NDArray[Any]
    count: Ints
    unit: float
    order: Ints

    @classmethod
    def of(cls, encoded: Encoded) -> Points:
        """Scale the people of a table; O(quasi-identifiers x records + records log records)."""
        first, group, count = distinct_columns(encoded.codes)
        codes = encoded.codes[:, first]
        numbers: list[Floats] = []
        categories: list[NDArray[Any]] = []
        for domain, row in zip(encoded.qids, codes, strict=True):
            if domain.column_type.ordered:
                numbers.append(standardised(domain, np.bincount(row, count, domain.size))[row])
                if domain.missing >= 0:
                    categories.append(row == domain.missing)
            else:
                categories.append(row)
        scaled, unit = _whole(np.array(numbers).reshape(len(numbers), len(count)), len(categories))
        most = max((int(row.max()) for row in categories), default=0)
        coded = np.array(categories, dtype=np.min_scalar_type(most)).reshape(len(categories), len(count))
        return cls(scaled, coded, count, unit, shuffled(group, encoded.sensitive_codes))

    def __len__(self) -> int:
        """Number of distinct people."""
        return len(self.count)

    def parted(self, labels: NDArray[Any]) -> Iterator[tuple[Points, Ints]]:
        """People part by part, on the same scale, and the places of their records in ``order``.

        ``labels`` are in that order and start at 0; no one is in two parts.
        """
        of_person = labels[np.cumsum(self.count) - 1]
        people, records = np.argsort(of_person, kind="stable"), np.argsort(labels, kind="stable")
        ends = np.cumsum(np.bincount(of_person))[:-1], np.cumsum(np.bincount(labels))[:-1]
        for some, place in zip(np.split(people, ends[0]), np.split(records, ends[1]), strict=True):
            numbers, categories = self.numbers.take(some, axis=1), self.categories.take(some, axis=1)
            yield Points(numbers, categories, self.count[some], self.unit, self.order[place]), place


def standardised(domain: Domain, count: NDArray[Any]) -> Floats:
    """Value of every code in standard deviations from the mean; 0 for a missing one.

    With u the place of a code between the first (0) and the last (1) of the domain, and
    every sum correctly rounded: mean = sum(count u) / n, variance = sum(count (u - mean)^2) / n,
    value = (u - mean) / sqrt(variance). A column of one value is 0 throughout.
    """
    known = domain.size - (domain.missing >= 0)
    coordinates = np.zeros(domain.size)
    weight = np.asarray(count, dtype=np.float64)[:known]
    n = weight.sum()
    if not n:
        return coordinates
    place = domain.positions[:known]
    u = (place - place[0]) / domain.length
    mean = math.fsum((weight * u).tolist()) / n
    variance = math.fsum((weight * (u - mean) ** 2).tolist()) / n
    if variance > 0:
        coordinates[:known] = (u - mean) / math.sqrt(variance)
    return coordinates


def _whole(numbers: Floats, categories: int) -> tuple[Floats, float]:
    """Count in the finest unit for which no squared distance reaches 2^53."""
    reach = np.abs(numbers).max(axis=1, initial=0.0)
    for bits in range(FINEST, -60, -1):
        unit = 2.0**bits
        # Twice over, for the sums on the way to a distance: |x|^2 - 2 x.c.
        if 2 * float(((2 * (reach * unit + 1)) ** 2).sum()) + (categories + 1) * unit**2 < 2.0**53:
            return np.rint(numbers * unit), unit
    raise AssertionError("no unit is coarse enough")  # not tested: the coarsest unit always fits


def shuffled(group: Ints, sensitive_codes: NDArray[Any]) -> Ints:
    """Positions of the records by group, in an uninformative order within each group.

    The class of each of several equal people must depend neither on the order of the file nor on the diagnosis. The
    shuffle is seeded by the content of the table, so the same people in another order fall into the same classes,
    except for people equal in every column.
    """
    values = np.int64(sensitive_codes.max(initial=0)) + 1
    key = group * values + sensitive_codes
    canonical = np.argsort(key, kind="stable")
    content = key[canonical].astype("<i8").tobytes()
    seed = int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "little")
    return canonical[np.lexsort((mixed(len(key), seed), group[canonical]))]


def mixed(n: int, seed: int) -> NDArray[np.uint64]:
    """n different 64-bit numbers in random order: SplitMix64 from a seed (the same on every machine)."""
    x = np.uint64(seed) + np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def half_up(total: Floats, n: Any) -> Floats:
    """Mean of whole numbers as a whole number, halves upwards; exact."""
    whole = np.asarray(n, dtype=np.int64)
    return ((2 * total.astype(np.int64) + whole) // (2 * whole)).astype(np.float64)
