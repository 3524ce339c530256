"""Groups of microaggregation divided anew, two at a time, where that brings people nearer to their middle.

MDAV in blocks leaves groups at the borders of blocks, and at the end of each, that are wider than
they would have to be. Two groups near each other are taken together and divided in the best of a
few ways; so they stay groups of k to 2k - 1, and the sum of squared errors never rises.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.algorithms.mdav.centres import FINENESS, centres
from core.algorithms.mdav.points import Points
from core.arrays import Bools, Floats, Ints, Progress

CELL = 1_000
"""Most groups among which the nearest of each are looked for."""
NEAR = 6
"""Nearest groups that each is taken together with."""
SEEDS = 8
"""Ways to divide two groups that are tried."""
CUTS = ((1 / 3, 2 / 3, 1 / 2), (1 / 2,))
"""Where groups are cut into cells, level after level, in each pass: what one pass cuts apart another one need not."""
AT_ONCE = 400_000
"""Pairs of records whose distances are kept at once."""


def divided(points: Points, labels: NDArray[np.int32], k: int, progress: Progress | None = None) -> NDArray[np.int32]:
    """Divide groups of k to 2k - 1 records anew, two at a time [definitions §3].

    In each pass every group is taken together with its :data:`NEAR` nearest of the same cell
    (:func:`nearest`), the nearest pairs of all first, each pair once; see :class:`_Groups`.

    Parameters
    ----------
    points, labels
        People, and the group of each record in the order of ``points.order``.
    k
        Least records in a group.
    progress
        Called with the share of the pairs done; may raise to cancel.

    Returns
    -------
    ndarray
        (records,) group of each record in the same order, as many groups as before.

    Notes
    -----
    O(records / k x (cell + near x k^2) x quasi-identifiers) time.
    """
    groups = _Groups(points, labels, k)
    if len(groups.size) < 2:
        return labels
    for turn, cuts in enumerate(CUTS):
        first, second = nearest(*centres(points, groups.labels()), points.unit, cuts)
        done = 0
        for pairs in rounds(first, second):
            groups.divide(first[pairs], second[pairs])
            done += len(pairs)
            if progress is not None:
                progress((turn + done / len(first)) / len(CUTS))
    return groups.labels()


# ---- which groups are taken together -----------------------------------------------------------


def nearest(numbers: Floats, categories: NDArray[Any], unit: float, cuts: tuple[float, ...]) -> tuple[Ints, Ints]:
    """Pairs of groups of which one is among the nearest of the other, the nearest pair first.

    Parameters
    ----------
    numbers, categories
        (numbers, groups) means, as whole numbers, and (categories, groups) modes.
    unit
        As in :class:`~core.algorithms.mdav.points.Points`.
    cuts
        Where groups are cut into cells, level after level.

    Returns
    -------
    tuple
        (pairs,) lower and higher group. Of groups equally near the lower ones are taken; of
        equally near pairs those of lower groups come first.
    """
    below, above, apart = list[Ints](), list[Ints](), list[Floats]()
    for cell in cells(numbers, categories, unit, cuts):
        near = min(NEAR, len(cell) - 1)
        if near < 1:
            continue
        places = numbers[:, cell]
        norms = (places**2).sum(axis=0)
        distance = norms[:, None] + norms[None, :] - 2.0 * places.T @ places
        for row in categories:
            distance += unit**2 * (row[cell][:, None] != row[cell][None, :])
        np.fill_diagonal(distance, np.inf)
        last = np.partition(distance, near - 1, axis=1)[:, near - 1 : near]
        equal = distance == last
        room = near - (distance < last).sum(axis=1, keepdims=True)
        chosen = (distance < last) | (equal & (np.cumsum(equal, axis=1) <= room))
        place, neighbour = np.nonzero(chosen)
        below.append(np.minimum(cell[place], cell[neighbour]))
        above.append(np.maximum(cell[place], cell[neighbour]))
        apart.append(distance[place, neighbour])
    if not below:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    first, second, distance = np.concatenate(below), np.concatenate(above), np.concatenate(apart)
    kept = np.unique(first * numbers.shape[1] + second, return_index=True)[1]
    order = kept[np.argsort(distance[kept], kind="stable")]
    return first[order], second[order]


def cells(numbers: Floats, categories: NDArray[Any], unit: float, cuts: tuple[float, ...]) -> Iterator[Ints]:
    """Cut groups into cells of at most :data:`CELL`, on the attribute that varies most.

    Of numbers that is the variance of the means, in squared standard deviations, of categories the
    chance that two modes differ.
    """
    waiting = [(np.arange(numbers.shape[1]), 0)]
    while waiting:
        inside, level = waiting.pop()
        if len(inside) <= CELL:
            yield inside
            continue
        spread = [float((row[inside] / unit).var()) for row in numbers]
        for row in categories:
            held = np.unique(row[inside], return_counts=True)[1] / len(inside)
            spread.append(1.0 - float((held**2).sum()))
        widest = int(np.argmax(spread))
        row = numbers[widest] if widest < len(numbers) else categories[widest - len(numbers)]
        order = inside[np.argsort(row[inside], kind="stable")]
        at = int(len(order) * cuts[level % len(cuts)])
        waiting += [(np.sort(order[at:]), level + 1), (np.sort(order[:at]), level + 1)]


def rounds(first: Ints, second: Ints) -> Iterator[Ints]:
    """Pairs in rounds in which no group occurs twice; a group's pairs stay in their order."""
    left = np.arange(len(first))
    groups = int(second.max(initial=-1)) + 1
    while len(left):
        place = np.arange(len(left))
        earliest = np.full(groups, len(left))
        np.minimum.at(earliest, first[left], place)
        np.minimum.at(earliest, second[left], place)
        first_of_both = (earliest[first[left]] == place) & (earliest[second[left]] == place)
        yield left[first_of_both]
        left = left[~first_of_both]


# ---- how two are divided -----------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Pairs of groups: their records side by side, the first group's first.

    ``record`` and ``there`` are (pairs, places): which record stands there, and whether one does.
    ``numbers`` (numbers, pairs, places) are whole, ``categories`` (categories, pairs, places); ``unit``
    as in :class:`~core.algorithms.mdav.points.Points`.
    """

    record: Ints
    there: Bools
    unit: float
    numbers: Floats
    categories: NDArray[Any]


class _Groups:
    """The records of each group, in rows of 2k - 1 places.

    Two groups of m records together are divided so: of the :data:`SEEDS` records farthest from all
    others of both (sum of squared distances; of several the first), each with its nearest makes a
    group of k, or of m - 2k + 1 if that is more, and the rest the other. The division with the
    least sum of squared errors (:func:`core.algorithms.mdav.centres.squared_error`) is taken, the
    first of several; the present one where no other has less.
    """

    def __init__(self, points: Points, labels: NDArray[np.int32], k: int) -> None:
        person = np.repeat(np.arange(len(points)), points.count)
        self.k, self.records = k, len(labels)
        self.unit, self.numbers = points.unit, points.numbers[:, person]
        self.categories = points.categories[:, person]
        self.size = np.bincount(labels).astype(np.int64)
        begin = np.cumsum(self.size) - self.size
        self.member = np.zeros((len(self.size), int(max(2 * k - 1, self.size.max()))), dtype=np.int64)
        order = np.argsort(labels, kind="stable")
        self.member[labels[order], np.arange(len(order)) - begin[labels[order]]] = order

    def labels(self) -> NDArray[np.int32]:
        """(records,) group of each record."""
        there = np.arange(self.member.shape[1]) < self.size[:, None]
        labels = np.empty(self.records, dtype=np.int32)
        labels[self.member[there]] = np.nonzero(there)[0]
        return labels

    def divide(self, first: Ints, second: Ints) -> None:
        """Divide pairs of groups anew, no group in two of them."""
        step = max(1, AT_ONCE // int((2 * self.size.max()) ** 2))
        for begin in range(0, len(first), step):
            self._divide(first[begin : begin + step], second[begin : begin + step])

    def _divide(self, first: Ints, second: Ints) -> None:
        size, other = self.size[first], self.size[second]
        both = size + other
        pairs = self._together(first, second, int(both.max()))
        place = np.arange(pairs.there.shape[1])
        as_now = (place < size[:, None])[:, None, :]
        least = np.maximum(self.k, both - (2 * self.k - 1))
        ways = np.concatenate((as_now, _ways(pairs, least)), axis=1)
        error = np.rint(_errors(pairs, ways) * FINENESS)
        best = error.argmin(axis=1)
        moved = np.flatnonzero(best)
        for pair in (moved,) if len(moved) else ():
            inside = ways[pair, best[pair]]
            for group, part in ((first[pair], inside), (second[pair], pairs.there[pair] & ~inside)):
                at = np.nonzero(part)
                self.size[group] = part.sum(axis=1)
                self.member[group[at[0]], (np.cumsum(part, axis=1) - 1)[at]] = pairs.record[pair][at]

    def _together(self, first: Ints, second: Ints, width: int) -> _Pairs:
        place = np.arange(width)[None, :]
        size = self.size[first][:, None]
        there = place < size + self.size[second][:, None]
        last = self.member.shape[1] - 1
        record = np.where(
            place < size,
            np.take_along_axis(self.member[first], np.minimum(place, last), 1),
            np.take_along_axis(self.member[second], np.clip(place - size, 0, last), 1),
        )
        return _Pairs(record, there, self.unit, self.numbers[:, record], self.categories[:, record])


def _ways(pairs: _Pairs, least: Ints) -> Bools:
    """(pairs, seeds, places) the records that make the first group with each seed."""
    distance = np.zeros((*pairs.there.shape, pairs.there.shape[1]))
    for row in pairs.numbers:
        distance += (row[:, :, None] - row[:, None, :]) ** 2
    for row in pairs.categories:
        distance += pairs.unit**2 * (row[:, :, None] != row[:, None, :])
    far = np.where(pairs.there, np.where(pairs.there[:, None, :], distance, 0.0).sum(axis=2), -1.0)
    seed = np.argsort(-far, axis=1, kind="stable")[:, :SEEDS]
    # A pair smaller than the seeds tried has places without a record last; they lead to no new division.
    from_seed = np.take_along_axis(distance, seed[:, :, None], 1)
    from_seed[np.broadcast_to(~pairs.there[:, None, :], from_seed.shape)] = np.inf
    np.put_along_axis(from_seed, seed[:, :, None], -1.0, 2)
    order = np.argsort(from_seed, axis=2, kind="stable")
    rank = np.empty_like(order)
    np.put_along_axis(rank, order, np.broadcast_to(np.arange(order.shape[2]), order.shape), 2)
    ways: Bools = (rank < least[:, None, None]) & np.take_along_axis(pairs.there, seed, 1)[:, :, None]
    return ways


def _errors(pairs: _Pairs, ways: Bools) -> Floats:
    """(pairs, ways) sum of squared errors of both groups, less what is the same in every way; inf for no division."""
    inside, there = ways.astype(np.float64), pairs.there.astype(np.float64)[:, None, :]
    many = inside.sum(axis=2)
    rest = there.sum(axis=2) - many
    # Counted from the middle of the pair, the sums of the two groups are opposite.
    known: Floats = np.where(pairs.there, pairs.numbers / pairs.unit, 0.0)
    from_middle = (known - known.sum(axis=2, keepdims=True) / there.sum(axis=2)) * pairs.there
    with np.errstate(divide="ignore", invalid="ignore"):
        error: Floats = -((inside @ from_middle.transpose(1, 2, 0)) ** 2).sum(axis=2) * (1.0 / many + 1.0 / rest)
    for row in pairs.categories:
        alike = (row[:, :, None] == row[:, None, :]).astype(np.float64)
        held, every = inside @ alike, there @ alike
        error -= (held * inside).max(axis=2) + ((every - held) * (there - inside)).max(axis=2)
    error[(many == 0) | (rest == 0)] = np.inf
    return error
