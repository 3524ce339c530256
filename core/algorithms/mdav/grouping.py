"""Form the groups of MDAV: k people around the person farthest from the mean, then around the one opposite.

It works on distinct people with their counts. The order that decides ties keeps equal people together. So taking whole
people, and the first records of the last one, gives the same groups as going record by record.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.algorithms.mdav.points import Points, half_up
from core.base.arrays import Codes, Floats, Ints, Progress

PATIENCE = 96
"""Number of people without remaining records that are kept before the arrays are compacted."""
EVERY = 32
"""Rounds between two reports of progress."""


def mdav(points: Points, k: int, progress: Progress | None = None) -> Codes:
    """Group people by MDAV (Domingo-Ferrer and Torra 2005).

    While at least 3k records remain: of these the one farthest from their middle (means and
    modes) makes a group with the k - 1 nearest to it; then, of the rest, the one farthest
    from that first one makes a group with the k - 1 nearest to it. From 2k to 3k - 1
    records make one group around the farthest from their middle and one of the rest; fewer
    than 2k are one group. Among records at the same distance the first in ``points.order`` is chosen, among equally
    common categories the lowest code.

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
    if len(points.order) < 2 * k:
        return np.zeros(len(points.order), dtype=np.int32)
    rest = _Rest(points)
    while rest.records >= 3 * k:
        first = rest.farthest(rest.distances(*rest.middle()))
        distance = rest.distances(*rest.place(first))
        rest.form(*rest.nearest(distance, k))
        opposite = rest.farthest(distance)
        rest.form(*rest.nearest(rest.distances(*rest.place(opposite)), k))
        rest.close_up()
        if progress is not None and len(rest.formed) % (2 * EVERY) == 0:
            progress(1.0 - rest.records / len(points.order))
    if rest.records >= 2 * k:
        first = rest.farthest(rest.distances(*rest.middle()))
        rest.form(*rest.nearest(rest.distances(*rest.place(first)), k))
    people = np.flatnonzero(rest.left)
    rest.form(people, rest.left[people])
    if progress is not None:
        progress(1.0)
    return rest.labels()


class _Rest:
    """The records not in a group yet, and the groups formed so far.

    A person without remaining records keeps their column until the arrays are compacted.
    """

    def __init__(self, points: Points) -> None:
        self.unit = points.unit
        self.records = len(points.order)
        self.person, self.left = np.arange(len(points)), points.count.copy()
        self.numbers, self.categories = points.numbers, points.categories
        self.norms = (self.numbers**2).sum(axis=0)
        self.total = self.numbers @ self.left
        self.held = [np.bincount(row, self.left).astype(np.int64) for row in self.categories]
        self.reach = points.unit**2
        self.formed: list[tuple[Ints, Ints]] = []

    # ---- where people stand ---------------------------------------------------------------

    def place(self, person: int) -> tuple[Floats, NDArray[Any]]:
        """Numbers and categories of one person."""
        return self.numbers[:, person], self.categories[:, person]

    def middle(self) -> tuple[Floats, NDArray[Any]]:
        """Means, as whole numbers, and modes of the records left."""
        modes = np.array([held.argmax() for held in self.held], dtype=self.categories.dtype)
        return half_up(self.total, self.records), modes

    def distances(self, numbers: Floats, categories: NDArray[Any]) -> Floats:
        """Squared distance of everyone to a place."""
        distances: Floats = (-2.0 * numbers) @ self.numbers
        distances += self.norms
        distances += numbers @ numbers
        unlike = (self.categories != categories[:, None]).view(np.uint8)
        # The narrowest type that holds the sums is several times as fast as the widest.
        distances += unlike.sum(axis=0, dtype=np.min_scalar_type(len(unlike))) * self.unit**2
        return distances

    def farthest(self, distance: Floats) -> int:
        """Return the person with the largest distance, the first in case of ties."""
        distance[self.left == 0] = -1.0
        return int(distance.argmax())

    # ---- groups ---------------------------------------------------------------------------

    def nearest(self, distance: Floats, k: int) -> tuple[Ints, Ints]:
        """People with the smallest distance, and the records of each, k in total.

        It searches the people within ``reach``, which follows the radius of the last group; the result does not depend
        on it.
        """
        distance[self.left == 0] = np.inf
        while self.left[near := np.flatnonzero(distance <= self.reach)].sum() < k:
            self.reach *= 2.0
        near = near[np.argsort(distance[near], kind="stable")]
        upto = np.cumsum(self.left[near])
        last = int(np.searchsorted(upto, k))
        chosen = near[: last + 1]
        taken = self.left[chosen]
        taken[-1] -= upto[last] - k
        self.reach = max(1.25 * float(distance[chosen[-1]]), self.reach / 4.0, 1.0)
        return chosen, taken

    def form(self, chosen: Ints, taken: Ints) -> None:
        """Make a group of some records of some people."""
        self.formed.append((self.person[chosen], taken))
        self.records -= int(taken.sum())
        self.left[chosen] -= taken
        self.total -= self.numbers.take(chosen, axis=1) @ taken
        for held, row in zip(self.held, self.categories, strict=True):
            np.subtract.at(held, row[chosen], taken)

    def close_up(self) -> None:
        """Remove the people without records once there are many, and keep the order of the others."""
        keep = np.flatnonzero(self.left)
        if len(self.left) - len(keep) < PATIENCE:
            return
        # `take` keeps rows together in memory, which indexing with brackets does not.
        self.numbers, self.categories = self.numbers.take(keep, axis=1), self.categories.take(keep, axis=1)
        self.norms, self.left, self.person = self.norms[keep], self.left[keep], self.person[keep]

    def labels(self) -> Codes:
        """Group of each record: a person's records go to their groups in the order of formation."""
        person = np.concatenate([people for people, _ in self.formed])
        taken = np.concatenate([taken for _, taken in self.formed])
        group = np.repeat(np.arange(len(self.formed), dtype=np.int32), [len(people) for people, _ in self.formed])
        order = np.argsort(person, kind="stable")
        return np.repeat(group[order], taken[order])
