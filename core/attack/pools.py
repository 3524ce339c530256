"""The classes that one person may be in, taken together.

Where several classes of a release match a person, their sensitive values are pooled
[definitions §4]; people with the same candidate classes share one pool.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from core.arrays import Floats, Ints, Words
from core.classes import ClassHistogram
from core.published.located import Located

TOLERANCE = 1e-9
"""Shares that differ by less are the same share."""
BLOCK = 4_000_000
"""Cells worked on at a time."""
TABLE = 1_000_000
"""Cells of all pools of a release up to which a table of them is quicker than a search among those that occur."""


@dataclass(frozen=True, eq=False)
class Pools:
    """Sensitive values of the pooled candidate classes of each person in one release.

    Parameters
    ----------
    number
        (P,) pool of each person; -1 where the person is in no class.
    keys, count
        (cells,) pool x values + value, ascending, and the records there.
    sizes
        (pools,) records in each.
    values
        Number of sensitive values of the attack.
    """

    number: Ints
    keys: Ints
    count: Ints
    sizes: Ints
    values: int

    @cached_property
    def _table(self) -> Floats | None:
        """Records of every value in every pool, and a 0 for no pool; ``None`` where that would be a large table."""
        cells = len(self.sizes) * self.values
        if cells > TABLE:
            return None
        table = np.zeros(cells + 1)
        table[self.keys] = self.count
        return table

    def count_of(self, pool: Ints, value: Ints) -> Floats:
        """Records of a value in a pool; 0 in no pool."""
        if not len(self.keys):
            return np.zeros(len(pool))
        if self._table is not None:
            return self._table[np.where(pool >= 0, pool * self.values + value, -1)]
        place = find(self.keys, pool * self.values + value)
        counts: Floats = np.where((place >= 0) & (pool >= 0), self.count[place], 0).astype(np.float64)
        return counts

    def cells(self, pool: Ints) -> tuple[Ints, Ints]:
        """Every cell of each of some pools: (place among them, place in ``keys``); none for pool -1."""
        begin = np.searchsorted(self.keys, pool * self.values)
        long = np.where(pool >= 0, np.searchsorted(self.keys, (pool + 1) * self.values) - begin, 0)
        of = np.repeat(np.arange(len(pool)), long)
        return of, np.arange(len(of)) - np.repeat(np.cumsum(long) - long - begin, long)

    def alone(self, truth: Ints, share: Floats) -> tuple[Floats, Floats]:
        """(P,) confidence from this release alone, and the chance that it names the truth."""
        starts = np.searchsorted(self.keys, np.arange(len(self.sizes)) * self.values)
        top = np.maximum.reduceat(self.count, starts) if len(starts) else np.zeros(0, dtype=np.int64)
        owner = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(self.keys))))
        ties = np.bincount(owner[self.count == top[owner]], minlength=len(self.sizes))
        known, pooled = truth >= 0, self.number >= 0
        at = self.number[pooled]
        commonest = share >= share.max(initial=0.0) - TOLERANCE
        confidence = np.full(len(truth), share.max(initial=0.0))
        hit = np.where(known & commonest[truth], 1.0 / commonest.sum(), 0.0)
        confidence[pooled] = top[at] / self.sizes[at]
        named = known[pooled] & (self.count_of(at, truth[pooled]) == top[at])
        hit[pooled] = np.where(named, 1.0 / ties[at], 0.0)
        return confidence, hit


def pooled(located: Located, histogram: ClassHistogram, code: Ints, values: int) -> Pools:
    """Pool the candidate classes of each person; people with the same candidates share a pool."""
    number, starts, classes = _distinct_candidates(located)
    if not len(classes):
        nothing = np.zeros(0, dtype=np.int64)
        return Pools(number, nothing, nothing, nothing, values)
    lengths = histogram.distinct[classes]
    owner = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    parts = []
    for begin, end in _blocks(starts, lengths):
        entries = slice(starts[begin], starts[end])
        long = lengths[entries]
        offset = np.cumsum(long) - long
        triple = np.repeat(histogram.starts[classes[entries]] - offset, long) + np.arange(long.sum())
        key = np.repeat(owner[entries], long) * values + code[histogram.value[triple]]
        parts.append(_merged(key, histogram.count[triple]))
    sizes = np.add.reduceat(histogram.sizes[classes], starts[:-1])
    return Pools(
        number, np.concatenate([keys for keys, _ in parts]), np.concatenate([c for _, c in parts]), sizes, values
    )


def _merged(keys: Ints, count: Ints) -> tuple[Ints, Ints]:
    """Sort by key and add up equal ones."""
    step = np.diff(keys)
    if not (step > 0).all():
        order = np.argsort(keys, kind="stable")
        keys, count = keys[order], count[order]
        first = np.flatnonzero(np.concatenate(([True], np.diff(keys) > 0)))
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
    begins = np.cumsum(counts) - counts
    entry = np.repeat(located.starts[first] - begins, counts) + np.arange(counts.sum())
    starts = np.concatenate(([0], np.cumsum(np.concatenate((np.ones(len(alone), dtype=np.int64), counts)))))
    return number, starts, np.concatenate((alone, located.classes[entry]))


def _blocks(starts: Ints, lengths: Ints) -> list[tuple[int, int]]:
    """Runs of pools whose cells together fill at most one block, or one pool."""
    running = np.concatenate(([0], np.cumsum(lengths)))[starts]
    bounds, pools = [0], len(starts) - 1
    while bounds[-1] < pools:
        fits = int(np.searchsorted(running, running[bounds[-1]] + BLOCK, side="right")) - 1
        bounds.append(max(fits, bounds[-1] + 1))
    return list(itertools.pairwise(bounds))


def find(keys: Ints, wanted: Ints) -> Ints:
    """Place of each wanted number, -1 or more, among sorted keys; -1 where it is not one of them."""
    if not len(keys):
        return np.full(len(wanted), -1, dtype=np.int64)
    if (most := int(keys[-1])) <= TABLE:
        table = np.full(most + 2, -1, dtype=np.int64)
        table[keys] = np.arange(len(keys))
        return table[np.minimum(wanted, most + 1)]
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[place] == wanted, place, -1)


def pairs(sets: Words) -> tuple[Ints, Ints]:
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
