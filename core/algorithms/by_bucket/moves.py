"""Records that make their class wide move to a class near by, as long as both stay what they must be."""

from __future__ import annotations

import numpy as np

from core.algorithms.by_bucket.halves import Dealt
from core.arrays import Floats, Ints, Progress

BLOCK = 600
"""Records of neighbouring classes among which records move."""
ROUNDS = 20


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
        (records,) class; neighbouring numbers are classes near each other.

    Returns
    -------
    ndarray
        (records,) class, as many classes as before.

    Notes
    -----
    O(rounds x records x classes of a block x quasi-identifiers).
    """
    label = label.copy()
    sizes = np.bincount(label)
    block = (np.cumsum(sizes) - 1) // BLOCK
    order = np.argsort(label, kind="stable")
    ends = np.concatenate(([0], np.cumsum(np.bincount(block[label]))))
    first = np.searchsorted(block, np.arange(block[-1] + 1))
    for number, begin in enumerate(first.tolist()):
        rows = order[ends[number] : ends[number + 1]]
        if len(rows):
            label[rows] = begin + _within(dealt, rows, label[rows] - begin)
        if progress is not None:
            progress(ends[number + 1] / len(label))
    return label


def _within(dealt: Dealt, rows: Ints, label: Ints) -> Ints:
    codes, value = dealt.codes[:, rows].astype(np.int64), dealt.value[rows]
    classes, values = int(label.max()) + 1, int(dealt.value.max()) + 1
    for _ in range(ROUNDS if classes > 1 else 0):
        size = np.bincount(label, minlength=classes)
        low, high, without_low, without_high = _regions(codes, label, size)
        width = dealt.widths.sum(low, high)
        own = dealt.widths.sum(without_low, without_high)
        gain = size[label] * width[label] - (size[label] - 1) * own
        counts = np.bincount(label * values + value, minlength=classes * values).reshape(classes, values)
        leaves, enters = counts > 1, None
        if dealt.proportions is not None:
            fewer, enters = dealt.proportions.moves(counts)
            leaves &= fewer
        free = np.flatnonzero((size[label] > dealt.k) & leaves[label, value] & (gain > 1e-6))
        if not len(free):
            break
        cost = _costs(dealt, codes[:, free], low, high, width, size)
        cost[np.arange(len(free)), label[free]] = np.inf
        if enters is not None:
            cost[~enters[:, value[free]].T] = np.inf
        to = cost.argmin(axis=1)
        net = gain[free] - cost[np.arange(len(free)), to]
        made = _apart(net, label[free], to, classes)
        if not len(made):
            break
        label[free[made]] = to[made]
    return label


def _regions(codes: Ints, label: Ints, size: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Lowest and highest code of each class, and for each record those of its class without it."""
    begin, end = np.cumsum(size) - size, np.cumsum(size) - 1
    low, high = np.empty((2, len(codes), len(size)), dtype=np.int64)
    without_low, without_high = np.empty((2, *codes.shape), dtype=np.int64)
    for i, row in enumerate(codes):
        order = np.lexsort((row, label))
        ordered = row[order]
        low[i], high[i] = ordered[begin], ordered[end]
        without_low[i], without_high[i] = low[i][label], high[i][label]
        without_low[i][order[begin]] = ordered[np.minimum(begin + 1, end)]
        without_high[i][order[end]] = ordered[np.maximum(end - 1, begin)]
    return low, high, without_low, without_high


def _costs(dealt: Dealt, codes: Ints, low: Ints, high: Ints, width: Floats, size: Ints) -> Floats:
    """(records, classes) what the loss of a class grows by if it takes a record in."""
    column = codes[:, :, None]
    grown = dealt.widths.sum(np.minimum(column, low[:, None, :]), np.maximum(column, high[:, None, :]))
    cost: Floats = grown * (size + 1) - width * size
    return cost


def _apart(net: Floats, left: Ints, to: Ints, classes: int) -> Ints:
    """Moves that lower the loss, the best first, of which no two touch one class."""
    touched, made = np.zeros(classes, dtype=bool), []
    for move in np.argsort(-net, kind="stable").tolist():
        if net[move] <= 1e-6:
            break
        if not (touched[left[move]] or touched[to[move]]):
            touched[left[move]] = touched[to[move]] = True
            made.append(move)
    return np.array(made, dtype=np.int64)
