"""Groups that are widest, from all blocks, formed again together.

Most of the squared error of microaggregation in blocks is in few groups: those formed last in each
block, of people who have nobody near them there. Taken together they find each other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.algorithms.mdav.centres import FINENESS, errors
from core.algorithms.mdav.groups import mdav
from core.algorithms.mdav.points import Points
from core.arrays import Progress

SHARE = 0.15
"""Share of the records that is grouped again at most."""


def regrouped(
    points: Points, labels: NDArray[np.int32], k: int, most: int, progress: Progress | None = None
) -> NDArray[np.int32]:
    """Dissolve the groups of most squared error a record, and group their records by MDAV [definitions §3].

    Parameters
    ----------
    points, labels
        People, and the group of each record in the order of ``points.order``.
    k
        Least records in a group.
    most
        Records that are taken at most; whole groups, the widest first, the lower of equal ones.
    progress
        Called with the share of the work done; may raise to cancel.

    Returns
    -------
    ndarray
        (records,) group of each record in the same order: first those that stay, in their order.

    Notes
    -----
    O(most^2 / k x quasi-identifiers + records log records) time.
    """
    person = np.repeat(np.arange(len(points)), points.count)
    size = np.bincount(labels)
    width = np.rint(errors(points, labels) / size * FINENESS)
    widest = np.argsort(-width, kind="stable")
    taken = np.zeros(len(size), dtype=np.bool_)
    taken[widest[np.cumsum(size[widest]) <= most]] = True
    pool = np.flatnonzero(taken[labels])
    if not len(pool):
        return labels
    people, count = np.unique(person[pool], return_counts=True)
    some = Points(points.numbers[:, people], points.categories[:, people], count, points.unit, points.order[pool])
    result = (np.cumsum(~taken) - 1)[labels].astype(np.int32)
    result[pool] = mdav(some, k, progress) + np.int32(np.count_nonzero(~taken))
    return result
