"""Pool the classes that one person may be in.

If several classes of a release match a person, their sensitive values are pooled
[definitions §4]; people with the same candidate classes share one pool.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from core.attack.bitsets import RankedSets, full_set, set_bits
from core.base.arrays import BitSets, Floats, Ints, is_first, runs
from core.data.classes import ClassHistogram
from core.release.published.located import Located

TOLERANCE = 1e-9
"""Shares that differ by less count as equal."""
BLOCK = 4_000_000
"""Cells worked on at a time."""


@dataclass(frozen=True, eq=False)
class Pools:
    """Sensitive values of the pooled candidate classes of each person in one release.

    Parameters
    ----------
    number
        (P,) pool of each person; -1 if the person is in no class.
    starts
        (pools + 1,) first cell of each pool; every pool has one at least.
    value, count
        (cells,) a value and the records that have it, pool after pool, ascending values within one.
    sizes
        (pools,) records in each.
    values
        Number of sensitive values of the attack.
    """

    number: Ints
    starts: Ints
    value: Ints
    count: Ints
    sizes: Ints
    values: int

    @cached_property
    def _sets(self) -> RankedSets:
        """Values of each pool."""
        words = len(full_set(self.values))
        owner = np.repeat(np.arange(len(self.sizes)), np.diff(self.starts))
        return RankedSets(set_bits(owner, self.value, len(self.sizes), words), self.starts)

    @cached_property
    def _counts(self) -> Floats:
        """Records of each cell, and a 0 for values that no pool has."""
        return np.append(self.count, 0).astype(np.float64)

    def count_of(self, pool: Ints, value: Ints) -> Floats:
        """Records of a value, -1 for none, in a pool; 0 in no pool."""
        if not len(self.value):
            return np.zeros(len(pool))
        return self._counts[self.place(pool, value)]

    def place(self, pool: Ints, value: Ints) -> Ints:
        """Cell of a value in a pool; -1 if it has none, for value -1 and in no pool."""
        place = self._sets.place(pool, value)
        place[pool < 0] = -1
        return place

    def cells(self, pool: Ints) -> tuple[Ints, Ints]:
        """Every cell of each of some pools: (index of the pool, index in ``value``); none for pool -1."""
        if not len(self.value):
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        begin = self.starts[pool]
        long = np.where(pool >= 0, self.starts[pool + 1] - begin, 0)
        return np.repeat(np.arange(len(pool)), long), runs(begin, long)

    def alone(self, truth: Ints, share: Floats) -> tuple[Floats, Floats]:
        """(P,) confidence from this release alone, and the probability of naming the true value."""
        top, ties = self._most_common()
        known, pooled = truth >= 0, self.number >= 0
        at = self.number[pooled]
        most_common = share >= share.max(initial=0.0) - TOLERANCE
        confidence = np.full(len(truth), share.max(initial=0.0))
        hit = np.where(known & most_common[truth], 1.0 / most_common.sum(), 0.0)
        confidence[pooled] = top[at] / self.sizes[at]
        named = known[pooled] & (self.count_of(at, truth[pooled]) == top[at])
        hit[pooled] = np.where(named, 1.0 / ties[at], 0.0)
        return confidence, hit

    def _most_common(self) -> tuple[Ints, Ints]:
        """(pools,) records of each pool's most common value, and the number of values that tie."""
        first, long = self.starts[:-1], np.diff(self.starts)
        if not len(first):
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        top = np.maximum.reduceat(self.count, first)
        return top, np.add.reduceat(self.count == np.repeat(top, long), first, dtype=np.int64)


def pooled(located: Located, histogram: ClassHistogram, code: Ints, values: int) -> Pools:
    """Pool the candidate classes of each person; people with the same candidates share a pool."""
    number, starts, classes = _distinct_candidates(located)
    if not len(classes):
        nothing = np.zeros(0, dtype=np.int64)
        return Pools(number, np.zeros(1, dtype=np.int64), nothing, nothing, nothing, values)
    lengths = histogram.distinct[classes]
    owner = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    parts = []
    for begin, end in _blocks(starts, lengths):
        entries = slice(starts[begin], starts[end])
        long = lengths[entries]
        triple = runs(histogram.starts[classes[entries]], long)
        key = np.repeat(owner[entries], long) * values + code[histogram.value[triple]]
        parts.append(_merged(key, histogram.count[triple]))
    sizes = np.add.reduceat(histogram.sizes[classes], starts[:-1])
    keys, count = (np.concatenate(each) for each in zip(*parts, strict=True))
    first = np.searchsorted(keys, np.arange(len(starts)) * values)
    return Pools(number, first, keys % values, count, sizes, values)


def _merged(keys: Ints, count: Ints) -> tuple[Ints, Ints]:
    """Sort by key and add up entries with equal keys."""
    step = np.diff(keys)
    if not (step > 0).all():
        order = np.argsort(keys, kind="stable")
        keys, count = keys[order], count[order]
        first = np.flatnonzero(is_first(keys))
        keys, count = keys[first], np.add.reduceat(count, first)
    return keys, count


def _distinct_candidates(located: Located) -> tuple[Ints, Ints, Ints]:
    """Pool of each person, and the candidate classes of each pool."""
    number = np.full(located.people, -1, dtype=np.int64)
    unique = np.flatnonzero(located.counts == 1)
    own = located.classes[located.starts[unique]]
    occurs = np.zeros(int(own.max(initial=-1)) + 1, dtype=np.bool_)
    occurs[own] = True
    alone, number[unique] = np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[own]
    numbers: dict[bytes, int] = {}
    first: list[int] = []
    bounds = located.starts.tolist()
    for person in np.flatnonzero(located.counts > 1).tolist():
        candidates = located.classes[bounds[person] : bounds[person + 1]].tobytes()
        index = numbers.setdefault(candidates, len(numbers))
        number[person] = len(alone) + index
        if index == len(first):
            first.append(person)
    counts = located.counts[first]
    entry = runs(located.starts[first], counts)
    starts = np.concatenate(([0], np.cumsum(np.concatenate((np.ones(len(alone), dtype=np.int64), counts)))))
    return number, starts, np.concatenate((alone, located.classes[entry]))


def _blocks(starts: Ints, lengths: Ints) -> list[tuple[int, int]]:
    """Runs of pools whose cells fit into one block; a larger pool forms its own run."""
    running = np.concatenate(([0], np.cumsum(lengths)))[starts]
    bounds, pools = [0], len(starts) - 1
    while bounds[-1] < pools:
        fits = int(np.searchsorted(running, running[bounds[-1]] + BLOCK, side="right")) - 1
        bounds.append(max(fits, bounds[-1] + 1))
    return list(itertools.pairwise(bounds))


def pairs(sets: BitSets) -> tuple[Ints, Ints]:
    """(row, value) of every bit that is set, in order."""
    width = 64 * sets.shape[1]
    step = max(1, BLOCK // width)
    rows, values = [], []
    for begin in range(0, len(sets), step):
        part = np.ascontiguousarray(sets[begin : begin + step]).astype("<u8", copy=False)
        bits = np.unpackbits(part.view(np.uint8), bitorder="little").view(np.bool_)
        place = np.flatnonzero(bits)
        rows.append(place // width + begin)
        values.append(place % width)
    return np.concatenate(rows), np.concatenate(values)
