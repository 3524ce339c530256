"""Cut the records of a bucket in two repeatedly so that every part keeps every value.

A cut of a quasi-identifier usually leaves some value on one side only. Then the records of that value nearest the cut
change sides, as many as that side needs for later cuts. So a part can be cut until one of its values, or k, runs out,
and its classes may overlap a little.

All parts are cut at once, level by level. A cut divides the records of each value at some position in the order of the
quasi-identifier. So the region of a side follows from the lowest and highest codes up to each position, without looking
at its records.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from core.base.arrays import Bools, Codes, Floats, Ints, Progress, in_pieces, runs
from core.data.encoding.domain import Domain

SPARE = 0.4
"""Share of the records that a side could use of a value and that change sides. 1 keeps every later cut possible but
widens the regions, 0 the reverse. Loss on Adult and IPUMS, k = 5, one draw each: 0.1 .113 and .316, 0.25 .111 and .294,
0.5 .109 and .300, 1 .237 and .386.
"""
CELLS = 4_000_000
"""Numbers held at once while cuts are compared."""
EQUAL_LOSS = 1e-9
"""Losses that differ by less count as equal: the first of such cuts is made; a cut that gains less is not."""


@dataclass(frozen=True, eq=False)
class Dealt:
    """Records of groups of buckets with the same number of values, group after group.

    Parameters
    ----------
    codes
        (quasi-identifiers, records).
    value
        (records,) sensitive value, as numbers from 0 that all occur in each group.
    sizes
        (groups,) records of each group.
    k
        Records of a class at least.
    domains
        Of the quasi-identifiers.
    """

    codes: Codes
    value: Ints
    sizes: Ints
    k: int
    domains: tuple[Domain, ...]

    def width(self, low: Ints, high: Ints) -> Floats:
        """Sum over the quasi-identifiers, (quasi-identifiers, ...), of the NCP of regions [definitions §9]."""
        total = np.zeros(low.shape[1:])
        for domain, lower, upper in zip(self.domains, low, high, strict=True):
            total += np.where(lower == upper, 0.0, domain.width(lower, upper))
        return total


@dataclass(frozen=True, eq=False)
class _Parts:
    """Records of some parts, part after part, in the order within each part.

    ``row`` is the index of each among the records that were divided into parts.
    """

    row: Ints
    codes: Codes
    value: Ints
    size: Ints
    values: int

    @cached_property
    def start(self) -> Ints:
        return np.cumsum(self.size) - self.size

    @cached_property
    def owner(self) -> Ints:
        """(records,) part of each."""
        return np.repeat(np.arange(len(self.size)), self.size)

    @cached_property
    def slot(self) -> Ints:
        """(records,) part and value as one number."""
        return self.owner * self.values + self.value

    @cached_property
    def count(self) -> Ints:
        """(parts, values) records."""
        cells = len(self.size) * self.values
        return np.bincount(self.slot, minlength=cells).reshape(-1, self.values)

    @cached_property
    def slot_start(self) -> Ints:
        """(parts, values) index of the first record of each, value after value."""
        return (np.cumsum(self.count) - self.count.ravel()).reshape(self.count.shape)

    def only(self, chosen: Bools) -> _Parts:
        """Some of the parts."""
        at = np.flatnonzero(chosen[self.owner])
        return _Parts(self.row[at], self.codes.take(at, axis=1), self.value[at], self.size[chosen], self.values)


def halves(dealt: Dealt, progress: Progress | None = None) -> Ints:
    """Class of each record.

    Candidate cuts are at the quarters of every quasi-identifier, and between the children of its node in a taxonomy.
    The one with the least loss is made, if it loses less than no cut.

    Returns
    -------
    ndarray
        (records,) class, numbered group after group. Each has every value and at least k records.

    Notes
    -----
    O(quasi-identifiers² x (records + cuts x values)) for each level of cuts.
    """
    records, values = len(dealt.value), int(dealt.value.max()) + 1
    # A part stays where it is in this order while it is cut, left before right.
    order, begins, settled = np.arange(records), np.zeros(records, dtype=bool), 0
    size, start = dealt.sizes, np.cumsum(dealt.sizes) - dealt.sizes
    begins[start] = True
    while len(size):
        cut = []
        for first, after in in_pieces(size, max(1, CELLS // (4 * len(dealt.codes)))):
            at = runs(start[first:after], size[first:after])
            row = order[at]
            own = size[first:after]
            parts = _Parts(np.arange(len(row)), dealt.codes.take(row, axis=1), dealt.value[row], own, values)
            left = _left(dealt, parts)
            order[at] = row[np.argsort(2 * parts.owner + ~left, kind="stable")]
            cut.append(np.add.reduceat(left, parts.start, dtype=np.int64))
            settled += int(parts.size[cut[-1] == parts.size].sum())
            if progress is not None:
                progress(settled / records)
        on_left = np.concatenate(cut)
        is_cut = on_left < size
        begins[(start + on_left)[is_cut]] = True
        start, size = (
            np.column_stack([start, start + on_left])[is_cut].ravel(),
            np.column_stack([on_left, size - on_left])[is_cut].ravel(),
        )
    label = np.empty(records, dtype=np.int64)
    label[order] = np.cumsum(begins) - 1
    return label


def _left(dealt: Dealt, parts: _Parts) -> Bools:
    """(records,) who goes left under the best cut of each part; all of a part if no cut is worth it."""
    left = np.ones(len(parts.row), dtype=bool)
    large = (parts.size >= 2 * dealt.k) & (parts.count.min(axis=1) >= 2)
    if not large.any():
        return left
    parts = parts if large.all() else parts.only(large)
    low, high = (side.reduceat(parts.codes, parts.start, axis=1) for side in (np.minimum, np.maximum))
    uncut = dealt.width(low, high) * parts.size
    cuts = [_cuts(dealt, parts, axis) for axis in range(len(parts.codes))]
    place, loss = (np.concatenate(each) for each in zip(*cuts, strict=True))
    axis, owner = np.repeat(np.arange(len(cuts)), [len(own[0]) for own in cuts]), parts.owner[place]
    least = np.full(len(parts.size), np.inf)
    np.minimum.at(least, owner, loss)
    good = np.flatnonzero((loss <= least[owner] + EQUAL_LOSS) & (least < uncut - EQUAL_LOSS)[owner])[::-1]
    best = np.full(len(parts.size), -1)
    best[owner[good]] = good  # the first one of each part is written last
    way = np.where(best >= 0, axis[best], -1) if len(place) else best
    for each in np.unique(way[way >= 0]).tolist():
        own = parts.only(way == each)
        line = _Line.of(own, each, dealt.domains[each])
        inside = (place[best] - parts.start)[way == each]
        going = _going(own, line, own.start + inside)
        first = own.slot_start + going
        goes = np.arange(len(own.row)) < first.ravel()[own.slot[line.by_value]]
        left[own.row[line.by_value]] = goes
    return left


@dataclass(frozen=True, eq=False)
class _Line:
    """The records of parts, part after part, along one quasi-identifier.

    ``by_code`` has their indices by rising code within each part, ``by_value`` value after value; records of one code
    stay in their order.
    """

    by_code: Ints
    by_value: Ints

    @classmethod
    def of(cls, parts: _Parts, axis: int, domain: Domain) -> _Line:
        by_code = np.argsort(parts.owner * domain.size + parts.codes[axis], kind="stable")
        return cls(by_code, by_code[np.argsort(parts.slot[by_code], kind="stable")])


def _cuts(dealt: Dealt, parts: _Parts, axis: int) -> tuple[Ints, Floats]:
    """Cuts along one quasi-identifier with at least k records on either side: first record on the right, and loss."""
    domain = dealt.domains[axis]
    line = _Line.of(parts, axis, domain)
    place = _places(parts, parts.codes[axis][line.by_code], domain)
    if not len(place):
        return place, np.empty(0)
    going = _going(parts, line, place)
    owner, on_left = parts.owner[place], going.sum(axis=1)
    enough = np.minimum(on_left, parts.size[owner] - on_left) >= dealt.k
    place, owner, on_left = place[enough], owner[enough], on_left[enough]
    if not len(place):
        return place, np.empty(0)
    first = parts.slot_start[owner] + going[enough]
    low, high = _regions(parts, line, first.T)
    loss = dealt.width(low[0], high[0]) * on_left
    loss += dealt.width(low[1], high[1]) * (parts.size[owner] - on_left)
    return place, loss


def _places(parts: _Parts, row: Codes, domain: Domain) -> Ints:
    """Possible starts of a right side in the order of ``row``, which orders each part by its codes."""
    fresh = np.ones(len(row) + 1, dtype=bool)
    fresh[1:-1] = row[1:] != row[:-1]
    fresh[parts.start] = True
    begin, run = np.flatnonzero(fresh), np.cumsum(fresh[:-1]) - 1
    quarter = run[parts.start[:, None] + parts.size[:, None] * np.arange(1, 4) // 4]
    is_place = np.zeros(len(row) + 1, dtype=bool)
    is_place[begin[quarter]] = is_place[begin[quarter + 1]] = True
    if domain.taxonomy is not None:
        tree = domain.taxonomy
        low, high = (row[end].astype(np.int64) for end in (parts.start, parts.start + parts.size - 1))
        node = tree.lowest_common(low, high)
        child = tree.ancestors[np.minimum(tree.depth[node] + 1, tree.height)[parts.owner], row]
        is_place[1:-1] |= child[1:] != child[:-1]
    is_place[parts.start] = is_place[-1] = False
    return np.flatnonzero(is_place)


def _going(parts: _Parts, line: _Line, place: Ints) -> Ints:
    """(cuts, values) number of records that go left, so that some remain on both sides."""
    owner, value = parts.owner[place], parts.value[line.by_code]
    cut = np.repeat(np.arange(len(place)), np.diff(place, prepend=0)) * parts.values + value[: place[-1]]
    below = np.bincount(cut, minlength=len(place) * parts.values).reshape(-1, parts.values).cumsum(axis=0)
    below -= (np.cumsum(parts.count, axis=0) - parts.count)[owner]
    share, count = (place - parts.start[owner]) / parts.size[owner], parts.count[owner]
    fewest = count.min(axis=1)
    lower = np.clip(np.rint(SPARE * fewest * share), 1, fewest - 1).astype(np.int64)
    upper = np.clip(np.rint(SPARE * fewest * (1 - share)), 1, fewest - lower).astype(np.int64)
    going: Ints = np.clip(below, lower[:, None], count - upper[:, None])
    return going


def _regions(parts: _Parts, line: _Line, first: Ints) -> tuple[Ints, Ints]:
    """Lowest and highest codes of both sides, each (sides, quasi-identifiers, cuts).

    ``first`` (values, cuts) is the first record of each value on the right, in its order by value.
    """
    many, (values, cuts) = len(parts.codes), first.shape
    low, high = np.empty((2, 2, many, cuts), dtype=np.int64)
    # Codes between the starts of two cuts are read once.
    is_edge = np.zeros(len(line.by_value), dtype=bool)
    is_edge[parts.slot_start] = is_edge[first] = True
    edge, stretch = np.flatnonzero(is_edge), np.cumsum(is_edge)[first] - 1
    slot = parts.slot[line.by_value[edge]]
    columns = max(1, CELLS // (4 * len(line.by_value)))
    step = max(1, CELLS // (2 * columns * values))
    for begin in range(0, many, columns):
        own = slice(begin, begin + columns)
        codes = parts.codes[own].take(line.by_value, axis=1)
        least, most = np.minimum.reduceat(codes, edge, axis=1), np.maximum.reduceat(codes, edge, axis=1)
        half, top = len(codes), int(most.max())
        # Values of each part have higher numbers than those before, so a running extreme restarts at each part.
        dtype = np.dtype(np.int32 if parts.count.size * (top + 1) < 1 << 31 else np.int64)
        base = slot.astype(dtype)
        base *= top + 1
        until = np.maximum.accumulate(np.concatenate([most, top - least], dtype=dtype) + base, axis=1) - base
        onward = np.concatenate([least, top - most], dtype=dtype) + base
        onward = np.minimum.accumulate(onward[:, ::-1], axis=1)[:, ::-1] - base
        for some in (slice(at, at + step) for at in range(0, cuts, step)):
            left = until.take(stretch[:, some] - 1, axis=1).max(axis=1)
            right = onward.take(stretch[:, some], axis=1).min(axis=1)
            high[0, own, some], low[0, own, some] = left[:half], top - left[half:]
            low[1, own, some], high[1, own, some] = right[:half], top - right[half:]
    return low, high
