"""Counts of values that stay near the public shares of their bucket: which records fit, which cuts and moves keep it.

Rates are counts over public shares. A bucket is balanced where its least rate is at least a given part of its
greatest [definitions §11]. Of classes that are balanced, any number together are, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from core.arrays import Bools, Floats, Ints
from core.privacy.model import TOLERANCE

CELLS = 1_000_000
"""Numbers held at once while counts are compared."""


@dataclass(frozen=True, eq=False)
class Proportions:
    """What the counts of a group of buckets have to keep.

    Parameters
    ----------
    ends
        Where each bucket begins among the values, and where the last one ends.
    share
        (..., values) public share of each value, those of a bucket side by side; in rows where counts are in rows
        of groups of buckets that differ in their shares.
    least
        Least rate over the greatest, above 0.
    """

    ends: tuple[int, ...]
    share: Floats
    least: float

    def of(self, groups: Ints) -> Proportions:
        """Return what counts in rows have to keep, where each is of one of the groups that ``share`` has rows for."""
        return replace(self, share=self.share[groups])

    def _buckets(self) -> Iterator[slice]:
        return (slice(*ends) for ends in pairwise(self.ends))

    def kept(self, counts: Ints) -> Bools:
        """(...,) whether counts, (..., values), are balanced; O(counts)."""
        rates = counts / self.share
        good = np.ones(counts.shape[:-1], dtype=bool)
        for bucket in self._buckets():
            own = rates[..., bucket]
            good &= own.min(axis=-1) >= self.least * (1 - TOLERANCE) * own.max(axis=-1)
        return good

    def window(self, left: Floats, count: Ints) -> tuple[Ints, Ints]:
        """(cuts, values) fewest and most records of each value on the left, so that either side may be balanced.

        Rates are held in a window of the width that balance allows, about their part of the
        bucket's own. Where whole numbers leave nothing between, both are the nearest to that part;
        so :meth:`kept` has the last word.

        Parameters
        ----------
        left
            (cuts,) part of the records that goes left.
        count
            (cuts, values) records of each value on both sides; (values,) where they are the same for all.
        """
        fewest, most = np.empty((2, len(left), count.shape[-1]), dtype=np.int64)
        spread = np.sqrt(self.least)
        for bucket in self._buckets():
            own, share = count[..., bucket], self.share[..., bucket]
            rates = own / share
            amount = np.sqrt(rates.min(axis=-1, keepdims=True) * rates.max(axis=-1, keepdims=True)) * share
            on_left, on_right = left[:, None] * amount, (1 - left[:, None]) * amount
            fewest[:, bucket] = np.ceil(np.maximum(on_left * spread, own - on_right / spread) - TOLERANCE)
            most[:, bucket] = np.floor(np.minimum(on_left / spread, own - on_right * spread) + TOLERANCE)
        nearest = np.rint(left[:, None] * count).astype(np.int64)
        empty = fewest > most
        return np.where(empty, nearest, fewest), np.where(empty, nearest, most)

    def moves(self, counts: Ints) -> tuple[Bools, Bools]:
        """(classes, values) whether one record less, and one more, leaves the class balanced; O(counts log values)."""
        rates = counts / self.share
        fewer, more = np.ones(counts.shape, dtype=bool), np.ones(counts.shape, dtype=bool)
        for bucket in self._buckets():
            own = rates[:, bucket]
            if own.shape[1] < 2:
                continue
            ordered, step = np.sort(own, axis=1), 1 / self.share[..., bucket]
            low = np.where(own == ordered[:, :1], ordered[:, 1:2], ordered[:, :1])
            high = np.where(own == ordered[:, -1:], ordered[:, -2:-1], ordered[:, -1:])
            least = self.least * (1 - TOLERANCE)
            fewer[:, bucket] = np.minimum(low, own - step) >= least * np.maximum(high, own - step)
            more[:, bucket] = np.minimum(low, own + step) >= least * np.maximum(high, own + step)
        return fewer, more


def most_balanced(count: Ints, share: Floats, least: float) -> Ints:
    """(values,) as many records of each value of one bucket as can be kept in balance; zeros where none can.

    The least rate is the count of some value over its share. From the highest such rate on, all
    other values are taken as far as balance allows; the first rate at which each has a whole
    number between its bounds keeps most. O(records of the rarest value x values²) at worst.
    """
    lowest = float((count / share).min())
    rates = np.unique(np.concatenate([np.arange(1, int(lowest * own * (1 + TOLERANCE)) + 1) / own for own in share]))[
        ::-1
    ]
    step = max(1, CELLS // len(count))
    for begin in range(0, len(rates), step):
        block = rates[begin : begin + step, None]
        most = np.minimum(count, np.floor(block * share / (least * (1 - TOLERANCE)) + TOLERANCE)).astype(np.int64)
        good = np.flatnonzero((most >= block * share - TOLERANCE).all(axis=1) & (most > 0).all(axis=1))
        if len(good):
            kept: Ints = most[good[0]]
            return kept
    return np.zeros(len(count), dtype=np.int64)


def spaced(many: int, kept: int) -> NDArray[np.int64]:
    """Return ``kept`` places of ``many``, evenly spaced: of ordered records, those left are spread like all."""
    return (np.arange(kept, dtype=np.int64) * 2 + 1) * many // (2 * max(1, kept))
