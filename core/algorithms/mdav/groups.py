"""The groups of MDAV: k people around the one farthest from the middle, then around its opposite.

Worked on distinct people with their number. The order that decides ties puts people who
are alike side by side, so taking whole people, and the first records of the last one,
gives the same groups as going record by record.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.algorithms.mdav.points import Points, half_up
from core.arrays import Floats, Ints, Progress

PATIENCE = 96
"""People without records left that are carried along before the arrays are closed up."""
EVERY = 32
"""Rounds between two reports of progress."""


def mdav(points: Points, k: int, progress: Progress | None = None) -> NDArray[np.int32]:
    """Group people by MDAV (Domingo-Ferrer and Torra 2005).

    While at least 3k records remain: of these the one farthest from their middle (means and
    modes) makes a group with the k - 1 nearest to it; then, of the rest, the one farthest
    from that first one makes a group with the k - 1 nearest to it. From 2k to 3k - 1
    records make one group around the farthest from their middle and one of the rest; fewer
    than 2k are one group. Of records equally far the first in ``points.order`` is taken, of
    equally common categories the lowest code.

    Parameters
    ----------
    points
        People; at least k records.
    k
        Least records in a group.
    progress
        Called with the share of the records grouped; may raise to cancel.

    Returns
    -------
    ndarray
        (records,) group of each record in the order of ``points.order``, numbered as formed.

    Notes
    -----
    O(records / k x distinct people x quasi-identifiers) time.
    """
    rest = _Rest(points)
    while rest.records >= 3 * k:
        far = rest.far_from_middle()
        distance = rest.distances(*rest.place(far))
        rest.form(rest.nearest(distance, far, k))
        opposite = rest.farthest(distance)
        # Where enough people are at the very place, the distances of the others do not matter.
        alone = rest.left[opposite] >= k
        distance = distance if alone else rest.distances(*rest.place(opposite))
        rest.form(rest.nearest(distance, opposite, k))
        rest.close_up()
        if progress is not None and len(rest.formed) % (2 * EVERY) == 0:
            progress(rest.share)
    if rest.records >= 2 * k:
        far = rest.far_from_middle()
        rest.form(rest.nearest(rest.distances(*rest.place(far)), far, k))
    people = np.flatnonzero(rest.left[: rest.people])
    rest.form((people, rest.left[people]))
    if progress is not None:
        progress(1.0)
    return rest.labels()


class _Rest:
    """The records that are in no group yet, and the groups formed so far.

    The first ``people`` columns of each array are in use. A person whose records have all
    been taken stays in its column as ``gone`` until the arrays are closed up.
    """

    def __init__(self, points: Points) -> None:
        self.points = points
        self.people = len(points)
        self.records = int(points.count.sum())
        self.numbers = np.array(points.numbers, order="C")
        self.norms = (self.numbers**2).sum(axis=0)
        self.categories = np.array(points.categories, order="C")
        self.left = points.count.copy()
        self.person = np.arange(self.people)
        self.gone = np.empty(PATIENCE + self.people, dtype=np.int64)
        self.gone_count = 0
        self.formed: list[tuple[Ints, Ints]] = []
        self.reach = points.unit**2
        self.total = self.numbers @ self.left
        self._count_categories()
        self._distance, self._part = np.empty(self.people), np.empty(self.people)
        self._unlike = np.empty(self.categories.shape, dtype=bool)
        self._mismatches = np.empty(self.people, dtype=np.min_scalar_type(len(self.categories)))

    def _count_categories(self) -> None:
        """Records of every category, all attributes in one array; ``first`` is where each begins."""
        sizes = [int(row.max()) + 1 for row in self.categories]
        self.first = np.concatenate(([0], np.cumsum(sizes)[:-1])).astype(np.int64)[: len(sizes)]
        self.held = np.zeros(sum(sizes), dtype=np.int64)
        for row, first in zip(self.categories, self.first, strict=True):
            np.add.at(self.held, first + row.astype(np.int64), self.left)
        self.span = max(1, len(self.held))
        self.backwards = self.span - 1 - np.arange(len(self.held))

    @property
    def share(self) -> float:
        """Share of the records that are in a group."""
        return 1.0 - self.records / len(self.points.order)

    # ---- where people stand ---------------------------------------------------------------

    def place(self, person: int) -> tuple[Floats, NDArray[Any]]:
        """Numbers and categories of one person."""
        return self.numbers[:, person].copy(), self.categories[:, person].copy()

    def middle(self) -> tuple[Floats, NDArray[Any]]:
        """Means, as whole numbers, and modes of the records left."""
        if not len(self.first):
            return half_up(self.total, self.records), self.first
        # The largest count and, of several, the one farthest to the front.
        best = np.maximum.reduceat(self.held * self.span + self.backwards, self.first)
        modes = self.span - 1 - best % self.span - self.first
        return half_up(self.total, self.records), modes.astype(self.categories.dtype)

    def distances(self, numbers: Floats, categories: NDArray[Any]) -> Floats:
        """Squared distance of everybody in use to a place; the array is overwritten by the next call."""
        m = self.people
        distances = self._distance[:m]
        if len(numbers):
            if len(numbers) == 1:
                np.multiply(self.numbers[0, :m], -2.0 * numbers[0], out=distances)  # several times faster than matmul
            else:
                np.matmul(-2.0 * numbers, self.numbers[:, :m], out=distances)
            distances += self.norms[:m]
            distances += float(numbers @ numbers)
        else:
            distances[:] = 0.0
        if len(categories):
            unlike = self._unlike[:, :m]
            np.not_equal(self.categories[:, :m], categories[:, None], out=unlike)
            several = np.add.reduce(
                unlike.view(np.uint8), axis=0, dtype=self._mismatches.dtype, out=self._mismatches[:m]
            )
            distances += np.multiply(several, self.points.unit**2, out=self._part[:m])
        return distances

    def far_from_middle(self) -> int:
        """Return the person farthest from the middle."""
        return self.farthest(self.distances(*self.middle()))

    def farthest(self, distance: Floats) -> int:
        """Return the person with the largest distance, the first of several."""
        distance[self.gone[: self.gone_count]] = -1.0
        return int(distance.argmax())

    # ---- groups ---------------------------------------------------------------------------

    def nearest(self, distance: Floats, person: int, k: int) -> tuple[Ints, Ints]:
        """People nearest to one of them, and the records of each, k in all.

        Looks among the people within ``reach``, which is kept near the radius of the last
        group; the outcome does not depend on it.
        """
        if self.left[person] >= k:
            return np.array([person]), np.array([k])
        distance[self.gone[: self.gone_count]] = np.inf
        for _ in range(4):
            near = np.flatnonzero(distance <= self.reach)
            if self.left[near].sum() >= k:
                break
            self.reach *= 2.0
        else:
            kth = min(k, len(distance)) - 1
            near = np.flatnonzero(distance <= np.partition(distance, kth)[kth])
        near = near[np.argsort(distance[near], kind="stable")]
        upto = np.cumsum(self.left[near])
        last = int(np.searchsorted(upto, k))
        chosen = near[: last + 1]
        taken = self.left[chosen]
        taken[-1] -= upto[last] - k
        self.reach = max(1.25 * float(distance[chosen[-1]]), 1.0)
        return chosen, taken

    def form(self, group: tuple[Ints, Ints]) -> None:
        """Make a group of some records of some people."""
        chosen, taken = group
        self.formed.append((self.person[chosen], taken))
        self.records -= int(taken.sum())
        self.total -= self.numbers.take(chosen, axis=1) @ taken.astype(np.float64)
        if len(self.first):
            # One flat index and as many counts: `at` does not broadcast reliably.
            cells = self.categories.take(chosen, axis=1).T + self.first
            np.subtract.at(self.held, cells.ravel(), taken.repeat(len(self.first)))
        self.left[chosen] -= taken
        gone = chosen[self.left[chosen] == 0]
        self.gone[self.gone_count : self.gone_count + len(gone)] = gone
        self.gone_count += len(gone)

    def close_up(self) -> None:
        """Leave out the people who are gone, once there are many, and keep the order of the others."""
        if self.gone_count < PATIENCE:
            return
        keep = np.flatnonzero(self.left[: self.people])
        m = len(keep)
        self.numbers[:, :m] = self.numbers[:, keep]
        self.categories[:, :m] = self.categories[:, keep]
        for row in (self.norms, self.left, self.person):
            row[:m] = row[keep]
        self.people, self.gone_count = m, 0

    def labels(self) -> NDArray[np.int32]:
        """Group of each record: those of a person go to its groups as these were formed."""
        person = np.concatenate([people for people, _ in self.formed])
        taken = np.concatenate([taken for _, taken in self.formed])
        group = np.repeat(np.arange(len(self.formed), dtype=np.int32), [len(people) for people, _ in self.formed])
        order = np.argsort(person, kind="stable")
        return np.repeat(group[order], taken[order])
