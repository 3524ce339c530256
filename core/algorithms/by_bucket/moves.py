"""Records that make their class wide move to a class near by, as long as both stay what they must be.

Classes are taken block by block, all blocks of a piece of the table side by side: what the loss of a class grows
by if it takes a record in is kept for all pairs of a block, and computed anew for the classes that a round changed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.algorithms.by_bucket.halves import Dealt
from core.arrays import Bools, Floats, Ints, Progress, in_pieces, runs
from core.sorting import stable_order

BLOCK = 600
"""Records of neighbouring classes among which records move."""
ROUNDS = 20
CELLS = 1_000_000
"""Pairs of a record and a class held at once, about."""
WORTH = 1e-6
"""What a move has to gain."""


def moved(dealt: Dealt, label: Ints, progress: Progress | None = None) -> Ints:
    """Move records between classes while that lowers the loss.

    A record may leave a class that keeps k records and its value without it. Both classes must keep
    their proportions. In each round every class takes part in one move at most, the most worthwhile
    first.

    Parameters
    ----------
    dealt
        The records.
    label
        (records,) class; neighbouring numbers are classes near each other, those of a group follow one another.

    Returns
    -------
    ndarray
        (records,) class, as many classes as before.

    Notes
    -----
    O(records x classes of a block x quasi-identifiers), and as much again for as many rounds as it takes all
    classes to change once.
    """
    label, order = label.copy(), stable_order(label)
    size = np.bincount(label)
    ends = np.cumsum(size)
    group = np.repeat(np.arange(len(dealt.sizes)), dealt.sizes)[order[ends - size]]
    window = (ends - (np.cumsum(dealt.sizes) - dealt.sizes)[group] - 1) // BLOCK
    begin = np.flatnonzero((np.diff(group, prepend=-1) != 0) | (np.diff(window, prepend=-1) != 0))
    classes = np.diff(begin, append=len(size))
    people = np.add.reduceat(size, begin)
    for first, after in in_pieces(people * classes, CELLS):
        low, high = int(begin[first]), int(begin[first] + classes[first:after].sum())
        rows = order[ends[low] - size[low] : ends[high - 1]]
        blocks = _Blocks(dealt, rows, label[rows] - low, people[first:after], classes[first:after], group[low:high])
        blocks.settle()
        label[rows] = blocks.label + low
        if progress is not None:
            progress(int(ends[high - 1]) / len(label))
    return label


@dataclass(frozen=True, eq=False)
class _Used:
    """The codes of a quasi-identifier that occur in each block, block after block.

    ``rank`` (records,) is the place of each record's own among those of its block.
    """

    code: Ints
    start: Ints
    many: Ints
    rank: Ints

    @classmethod
    def of(cls, codes: Ints, block: Ints, blocks: int) -> _Used:
        size = int(codes.max()) + 1
        cell, place = np.unique(block * size + codes, return_inverse=True)
        many = np.bincount(cell // size, minlength=blocks)
        start = np.cumsum(many) - many
        return cls(cell % size, start, many, place - start[block])


class _Blocks:
    """Blocks of classes among which records move, side by side.

    Parameters
    ----------
    dealt
        All records.
    rows
        Those of these blocks, block after block.
    label
        Class of each, from 0.
    people, classes
        (blocks,) records and classes of each.
    group
        (classes,) group of buckets.
    """

    def __init__(self, dealt: Dealt, rows: Ints, label: Ints, people: Ints, classes: Ints, group: Ints) -> None:
        self.dealt, self.label, self.people, self.classes = dealt, label, people, classes
        self.codes, self.value = dealt.codes.take(rows, axis=1).astype(np.int64), dealt.value[rows]
        self.block = np.repeat(np.arange(len(people)), classes)
        self.person, self.first = np.cumsum(people) - people, np.cumsum(classes) - classes
        own = np.repeat(np.arange(len(people)), people)
        self.used = [_Used.of(row, own, len(people)) for row in self.codes]
        # Cells of pairs: block after block, class after class, record after record.
        many = people[self.block]
        self.cell = np.cumsum(many) - many
        self.home = np.arange(len(rows)) - self.person[own]
        self.cost = np.empty(int(many.sum()))
        self.best = np.full(len(rows), np.inf)
        self.gain = np.empty(len(rows))
        count = len(self.block)
        self.low, self.high = np.empty((2, len(self.codes), count), dtype=np.int64)
        self.width, self.leaves = np.empty(count), np.empty((count, dealt.values), dtype=bool)
        self.proportions = None if dealt.proportions is None else dealt.proportions.of(group)

    def settle(self) -> None:
        """Make moves, round after round, until none is worth it or :data:`ROUNDS` are over."""
        changed = np.arange(len(self.block))
        for _ in range(ROUNDS):
            self._measure(changed)
            size = self.size[self.label]
            free = (size > self.dealt.k) & self.leaves[self.label, self.value] & (self.gain > WORTH)
            net = self.gain - self.best
            mover = np.flatnonzero(free & (net > WORTH))
            left, to = self.label[mover], self._cheapest(mover)
            made = _apart(net[mover], left, to, len(self.block))
            if not len(made):
                break
            self.label[mover[made]] = to[made]
            changed = np.unique(np.concatenate([left[made], to[made]]))

    def _measure(self, changed: Ints) -> None:
        """Bring up to date what depends on some classes."""
        dealt, values, every = self.dealt, self.dealt.values, len(self.block)
        self.size = np.bincount(self.label, minlength=every)
        is_changed = np.zeros(every, dtype=bool)
        is_changed[changed] = True
        person = np.flatnonzero(is_changed[self.label])
        label, codes = self.label[person], self.codes.take(person, axis=1)
        at = (np.cumsum(is_changed) - 1)[label]
        low, high, next_low, next_high = _extremes(codes, at, self.size[changed])
        self.low[:, changed], self.high[:, changed] = low, high
        self.width[changed] = dealt.widths.sum(low, high)
        # Without a record: the next code where it has the last one.
        low, high, next_low, next_high = (ends.take(at, axis=1) for ends in (low, high, next_low, next_high))
        own = dealt.widths.sum(np.where(codes == low, next_low, low), np.where(codes == high, next_high, high))
        size = self.size[label]
        self.gain[person] = size * self.width[label] - (size - 1) * own
        counts = np.bincount(self.label * values + self.value, minlength=every * values).reshape(every, values)
        counts = counts[changed]
        leaves, enters = counts > 1, None
        if self.proportions is not None:
            fewer, enters = self.proportions.of(changed).moves(counts)
            leaves &= fewer
        self.leaves[changed] = leaves
        self._price(changed, enters)

    def _price(self, changed: Ints, enters: Bools | None) -> None:
        """What the loss of some classes grows by for each record of their block that they take in."""
        block = self.block[changed]
        tables = [self._grown(axis, used, changed, block) for axis, used in enumerate(self.used)]
        begin = np.flatnonzero(np.diff(block, prepend=-1))
        size = self.size[changed, None]
        scale, before = size + 1, self.width[changed, None] * size
        for low, high in zip(begin.tolist(), [*begin[1:].tolist(), len(changed)], strict=True):
            number = block[low]
            person = slice(self.person[number], self.person[number] + self.people[number])
            cost = np.zeros((high - low, self.people[number]))
            for used, (table, start) in zip(self.used, tables, strict=True):
                own = table[start[low] : start[high]].reshape(high - low, -1)
                cost += own.take(used.rank[person], axis=1)
            cost *= scale[low:high]
            cost -= before[low:high]
            if enters is not None:
                cost[~enters[low:high, self.value[person]]] = np.inf
            first = self.first[number]
            cells = slice(self.cell[first], self.cell[first] + self.classes[number] * self.people[number])
            pairs = self.cost[cells].reshape(self.classes[number], -1)
            pairs[changed[low:high] - first] = cost
            # Nobody moves to where they are.
            pairs[self.label[person] - first, np.arange(len(pairs[0]))] = np.inf
            np.minimum.reduce(pairs, axis=0, out=self.best[person])

    def _grown(self, axis: int, used: _Used, changed: Ints, block: Ints) -> tuple[Floats, Ints]:
        """Width of each of some classes with each code of its block, class after class, and where each begins."""
        many = used.many[block]
        code, owner = used.code[runs(used.start[block], many)], np.repeat(changed, many)
        low, high = np.minimum(code, self.low[axis, owner]), np.maximum(code, self.high[axis, owner])
        return self.dealt.widths.of[axis](low, high), np.concatenate(([0], np.cumsum(many)))

    def _cheapest(self, person: Ints) -> Ints:
        """First class of those that cost least."""
        block = self.block[self.label[person]]
        many = self.classes[block]
        begin = self.first[block]
        owner, other = np.repeat(np.arange(len(person)), many), runs(begin, many)
        good = np.flatnonzero(self.cost[self.cell[other] + self.home[person][owner]] == self.best[person][owner])[::-1]
        to = np.empty(len(person), dtype=np.int64)
        to[owner[good]] = other[good]  # the first one of each record is written last
        return to


def _extremes(codes: Ints, label: Ints, size: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Lowest and highest code of each class, and those after them: what is left if a record that has one leaves."""
    base = int(codes.max(initial=0)) + 1
    ordered = np.sort(codes + label * base, axis=1)
    begin, end = np.cumsum(size) - size, np.cumsum(size) - 1
    places = (begin, end, np.minimum(begin + 1, end), np.maximum(end - 1, begin))
    low, high, next_low, next_high = (ordered[:, place] - np.arange(len(size)) * base for place in places)
    return low, high, next_low, next_high


def _apart(net: Floats, left: Ints, to: Ints, classes: int) -> Ints:
    """Moves, the best first, of which no two touch one class."""
    touched, made = np.zeros(classes, dtype=bool).tolist(), []
    best = np.argsort(-net, kind="stable")
    for move, old, new in zip(best.tolist(), left[best].tolist(), to[best].tolist(), strict=True):
        if not (touched[old] or touched[new]):
            touched[old] = touched[new] = True
            made.append(move)
    return np.array(made, dtype=np.int64)
