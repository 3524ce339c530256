"""Cells that list values: the values of each cell of one column, and sums over them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Bools, Floats, Ints
from core.data.classes import Classes, distinct_columns
from core.data.encoding.domain import Domain
from core.release.region_text import MOST_SET, most_listed

DENSE = 4_000_000
"""Largest size (cells by values) of a table of all counts, to answer many ranges fast."""


@dataclass(frozen=True, eq=False)
class ValueSets:
    """The distinct cells of one column, each a set of values.

    Parameters
    ----------
    size
        Values of the column.
    owner, value
        (pairs,) cell and code, sorted by both.
    which
        (classes,) cell of each class.
    """

    size: int
    owner: Ints
    value: Ints
    which: Ints

    @classmethod
    def of(cls, codes: NDArray[np.int32], classes: Classes, size: int) -> ValueSets:
        """Collect the values that occur in each class; O(records log records)."""
        kept = classes.labels >= 0
        pairs = np.unique(classes.labels[kept].astype(np.int64) * size + codes[kept])
        return cls._folded(pairs // size, pairs % size, classes.count, size)

    @classmethod
    def _folded(cls, owner: Ints, value: Ints, classes: int, size: int) -> ValueSets:
        """Give equal sets one number; ``owner`` and ``value`` are sorted."""
        starts = np.searchsorted(owner, np.arange(classes + 1))
        sets = [tuple(value[begin:end].tolist()) for begin, end in pairwise(starts.tolist())]
        order = sorted(set(sets), key=lambda cell: (len(cell), cell))
        number = {cell: place for place, cell in enumerate(order)}
        which = np.array([number[cell] for cell in sets], dtype=np.int64)
        cells = np.repeat(np.arange(len(order)), list(map(len, order)))
        return cls(size, cells, np.array([code for cell in order for code in cell], dtype=np.int64), which)

    @classmethod
    def of_runs(cls, low: Ints, high: Ints, absent: Bools, size: int) -> ValueSets:
        """Take cells (classes,) with all values from ``low`` to ``high``, and the last code if a value is missing."""
        at, which, _ = distinct_columns(np.stack([low, high, absent]))
        first, last, more = low[at], high[at], absent[at].astype(np.int64)
        length = last - first + 1 + more
        owner = np.repeat(np.arange(len(at)), length)
        # Values are consecutive within each run; ``before`` is the number of values in all earlier runs.
        before = np.cumsum(length) - length
        value = np.arange(len(owner)) - np.repeat(before - first, length)
        value[(before + length - 1)[absent[at]]] = size - 1
        return cls(size, owner, value, which)

    def shortened(self, domain: Domain) -> ValueSets:
        """Return cells in short form, for a column of many values.

        A category of more values than :func:`~core.release.region_text.most_listed` becomes the
        run from its first to its last; a missing value is none of them. For a taxonomy the run replaces too many nodes,
        and the lowest node above replaces a run that still has too many.
        """
        most = most_listed(domain)
        if domain.size <= MOST_SET or not (self.counts > most).any():
            return self
        cells = [self.values(cell) for cell in range(len(self.counts))]
        for cell in np.flatnonzero(self.counts > most).tolist():
            known = cells[cell][cells[cell] != domain.missing]
            tree = domain.taxonomy
            if tree is not None and len(tree.nodes_over(cells[cell].tolist())) <= most:
                continue
            run = np.arange(known[0], known[-1] + 1)
            if tree is not None and len(tree.nodes_over(run.tolist())) > most:
                low, high = domain.cover(known[:1], known[-1:])
                run = np.arange(low[0], high[0] + 1)
            cells[cell] = np.union1d(run, cells[cell])
        owner = np.repeat(np.arange(len(cells)), [len(values) for values in cells])
        return ValueSets._folded(owner, np.concatenate(cells), len(cells), self.size).of_classes(self.which)

    def of_classes(self, cell: Ints) -> ValueSets:
        """Return the same cells for classes that have, each, one of the present classes' cells."""
        return replace(self, which=self.which[cell])

    @cached_property
    def starts(self) -> Ints:
        """(cells + 1,) index of the first value of each cell."""
        return np.searchsorted(self.owner, np.arange(int(self.owner.max(initial=-1)) + 2))

    @cached_property
    def counts(self) -> Ints:
        """(cells,) values in each."""
        return np.diff(self.starts)

    def values(self, cell: int) -> Ints:
        """Codes of one cell, rising."""
        inside: Ints = self.value[self.starts[cell] : self.starts[cell + 1]]
        return inside

    def total(self, amount: NDArray[Any]) -> Floats:
        """(classes,) sum of an amount, (values,), over the values of each class's cell."""
        cells = np.bincount(self.owner, weights=amount[self.value], minlength=len(self.counts))
        totals: Floats = cells[self.which].astype(np.float64)
        return totals

    def inside(self, low: Ints, high: Ints) -> Ints:
        """(ranges, cells) values of each cell from a lowest to a highest code."""
        cells = len(self.counts)
        if cells * (self.size + 1) <= DENSE:
            before = self._before
            return (before[:, high + 1] - before[:, low]).T
        key = self.owner * self.size + self.value
        base = np.arange(cells) * self.size
        last = np.searchsorted(key, base + high[:, None], side="right")
        inside: Ints = last - np.searchsorted(key, base + low[:, None])
        return inside

    @cached_property
    def _before(self) -> Ints:
        """(cells, values + 1) values of each cell below each code."""
        there = np.zeros((len(self.counts), self.size + 1), dtype=np.int64)
        there[self.owner, self.value + 1] = 1
        return np.cumsum(there, axis=1)

    def runs(self) -> tuple[Ints, Ints, Ints]:
        """Every cell as runs of neighbouring codes: (cell, lowest, highest) of each run."""
        begins = np.ones(len(self.owner), dtype=bool)
        begins[1:] = (self.owner[1:] != self.owner[:-1]) | (self.value[1:] != self.value[:-1] + 1)
        first = np.flatnonzero(begins)
        last = np.append(first[1:], len(begins)) - 1
        return self.owner[first], self.value[first], self.value[last]
