"""Records that share a bucket, cut in two again and again so that every part keeps every value.

A cut of a quasi-identifier mostly leaves a value on one side alone. Then the records of that value
nearest the cut change sides: as many as the side can use if it is to be cut further. So a part can
be cut until one of its values, or k, runs out, and its classes may overlap a little.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from core.algorithms.by_bucket.proportions import Proportions
from core.algorithms.by_bucket.widths import Widths
from core.arrays import Bools, Codes, Floats, Ints, Progress
from core.data.domain import Domain

SPARE = 0.4
"""Of the records that a side could use of a value, the share that changes sides for it.

1 keeps every later cut possible and spoils the regions, 0 the reverse. Loss on Adult and IPUMS,
k = 5, one draw each: 0.1 .113 and .316, 0.25 .111 and .294, 0.5 .109 and .300, 1 .237 and .386.
"""
CELLS = 4_000_000
"""Numbers held at once while cuts are compared."""


@dataclass(frozen=True, eq=False)
class Dealt:
    """Records of one group of buckets.

    Parameters
    ----------
    codes
        (quasi-identifiers, records).
    value
        (records,) sensitive value, as numbers from 0 that all occur.
    k
        Records of a class at least.
    domains, widths
        Of the quasi-identifiers.
    proportions
        What the counts of the values have to keep in every class; ``None`` for nothing.
    """

    codes: Codes
    value: Ints
    k: int
    domains: tuple[Domain, ...]
    widths: Widths
    proportions: Proportions | None = None


def halves(dealt: Dealt, progress: Progress | None = None) -> Ints:
    """Class of each record; neighbouring numbers are classes near each other.

    Of the cuts at the quarters of every quasi-identifier, and between the children of its node in
    a taxonomy, the one is made that leaves least loss, where it leaves less than no cut.

    Returns
    -------
    ndarray
        (records,) class. Each has every value and at least k records, and keeps the proportions.

    Notes
    -----
    O(records x quasi-identifiers² x log classes).
    """
    label = np.empty(dealt.value.shape, dtype=np.int64)
    open_parts, classes, settled = [np.arange(len(label))], 0, 0
    while open_parts:
        part = open_parts.pop()
        left = _best_cut(dealt, part)
        if left is None:
            label[part] = classes
            classes, settled = classes + 1, settled + len(part)
            if progress is not None:
                progress(settled / len(label))
        else:
            open_parts += [part[~left], part[left]]
    return label


def _best_cut(dealt: Dealt, part: Ints) -> Bools | None:
    """(records of the part,) who goes left under the best cut; ``None`` where none is worth it."""
    value = dealt.value[part]
    count = np.bincount(value)
    if count.min() < 2 or len(part) < 2 * dealt.k:
        return None
    codes = dealt.codes[:, part]
    loss = float(dealt.widths.sum(codes.min(axis=1), codes.max(axis=1))) * len(part)
    best: Bools | None = None
    # Small parts are many: all their candidates are looked at in one go.
    for left in _joined(_candidates(dealt, codes, value, count), max(1, CELLS // codes.size)):
        losses = _losses(codes, left, dealt)
        least = float(losses.min())
        if least < loss - 1e-9:
            loss, best = least, left[int(np.argmax(losses <= least + 1e-9))]
    return best


def _candidates(dealt: Dealt, codes: Codes, value: Ints, count: Ints) -> Iterator[Bools]:
    """(cuts, records) who goes left, for the cuts of each quasi-identifier in turn, so many at a time as fit."""
    step = max(1, CELLS // codes.size)
    for axis, row in enumerate(codes):
        places = _places(row, dealt.domains[axis])
        if not len(places):
            continue
        order = np.lexsort((row, value))
        rank = np.empty(len(row), dtype=np.int64)
        rank[order] = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
        for begin in range(0, len(places), step):
            sides = _sides(row, places[begin : begin + step], rank, value, dealt.proportions)
            if len(sides):
                yield sides


def _joined(blocks: Iterable[Bools], rows: int) -> Iterator[Bools]:
    """Blocks put together until they have so many rows."""
    waiting: list[Bools] = []
    for block in blocks:
        waiting.append(block)
        if sum(map(len, waiting)) >= rows:
            yield np.concatenate(waiting)
            waiting = []
    if waiting:
        yield np.concatenate(waiting)


def _places(row: Codes, domain: Domain) -> Ints:
    """Codes at which a right side may begin, at least one record on either side."""
    low, high = int(row.min()), int(row.max())
    if low == high:
        return np.empty(0, dtype=np.int64)
    at = len(row) * np.arange(1, 4) // 4
    quarters = np.partition(row, at)[at].astype(np.int64)
    places = [quarters, quarters + 1]
    if domain.taxonomy is not None:
        tree = domain.taxonomy
        node = int(tree.lowest_common(np.array([low]), np.array([high]))[0])
        children = np.flatnonzero(np.asarray(tree.parents) == node)
        places.append(tree.low[children])
    cuts = np.unique(np.concatenate(places))
    return cuts[(cuts > low) & (cuts <= high)]


def _sides(row: Codes, places: Ints, rank: Ints, value: Ints, proportions: Proportions | None) -> Bools:
    """(cuts, records) who goes left; of each value its least records do, and at least some stay on either side.

    Without the cuts that do not keep the proportions.
    """
    below = row < places[:, None]
    share, count = below.mean(axis=1), np.bincount(value)
    fewest = int(count.min())
    lower = np.clip(np.rint(SPARE * fewest * share), 1, fewest - 1).astype(np.int64)[:, None]
    upper = np.clip(np.rint(SPARE * fewest * (1 - share)), 1, fewest - lower[:, 0]).astype(np.int64)[:, None]
    if proportions is None:
        is_left: Bools = (below | (rank < lower)) & (rank < count[value] - upper)
        return is_left
    low, high = proportions.window(share, count)
    low, high = np.maximum(low, lower), np.minimum(high, count - upper)
    cut = np.arange(len(places))[:, None] * len(count) + value
    going = np.bincount(cut[below], minlength=len(places) * len(count)).reshape(len(places), len(count))
    going = np.clip(going, np.minimum(low, high), high)
    stays = count - going
    good = proportions.kept(going) & proportions.kept(stays) & (np.minimum(going, stays) > 0).all(axis=1)
    fitting: Bools = rank < going[good][:, value]
    return fitting


def _losses(codes: Codes, left: Bools, dealt: Dealt) -> Floats:
    """(cuts,) loss of both sides together; infinite where one has fewer than k records."""
    size, low, high = codes.shape[1], codes.min(axis=1)[:, None, None], codes.max(axis=1)[:, None, None]
    on_left, column = left.sum(axis=1), codes[:, None, :]
    total = np.zeros(len(left))
    for mask, many in ((left, on_left), (~left, size - on_left)):
        lows, highs = np.where(mask, column, high).min(axis=2), np.where(mask, column, low).max(axis=2)
        total += dealt.widths.sum(lows, highs) * many
    return np.where(np.minimum(on_left, size - on_left) >= dealt.k, total, np.inf)
