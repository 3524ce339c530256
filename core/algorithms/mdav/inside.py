"""Groups inside the classes of a strict algorithm that meet the whole policy.

Under a strict t few groups of MDAV comply, and joined from everywhere they grow into each other until
a class spans the table. A class of least loss meets the policy already: what is joined in it stays in it.
"""

from __future__ import annotations

import numpy as np

from core.algorithms.leastloss import least_loss
from core.algorithms.mdav.blocks import Rows, formed, parted
from core.algorithms.mdav.centres import from_outside_in
from core.algorithms.mdav.merge import failing, merged
from core.algorithms.mdav.points import Points
from core.arrays import Codes, Progress, part
from core.data.encoding import Encoded
from core.privacy.policy import Policy

CUTTING = 0.3
"""Share of the work that forming the classes of least loss is."""


def inside(points: Points, encoded: Encoded, policy: Policy, rows: Rows, progress: Progress | None = None) -> Codes:
    """Group people inside the classes that least loss forms under the whole policy [definitions §3].

    Parameters
    ----------
    points, encoded
        People of a table, and the table; as one class it meets the policy.
    policy
        k, and l or t.
    rows
        Where blocks begin in a class and how large they are.
    progress
        Called with the share of the work done; may raise to cancel.

    Returns
    -------
    ndarray
        (records,) class of each record in the order of ``points.order``, the first classes farthest
        from the middle. Each is a part of a class of least loss, so no cell is wider.
    """
    cells = least_loss(encoded, [policy.k], policy, part(progress, 0.0, CUTTING))[0][points.order]
    rest = part(progress, CUTTING, 1.0)
    labels = np.empty(len(cells), dtype=np.int32)
    parts, classes, done = [], 0, 0
    for some, place in parted(points, cells):
        groups = np.zeros(len(place), dtype=np.int32)
        if len(place) >= 2 * policy.k:
            begin, end = done / len(cells), (done + len(place)) / len(cells)
            groups = formed(some, encoded, policy.k, rows, part(rest, begin / 2, end / 2))
        labels[place] = groups + classes
        parts.append((some, place, classes))
        classes, done = classes + int(groups.max()) + 1, done + len(place)
        if rest is not None:
            rest(0.5 * done / len(cells))
    fails = failing(points, labels, encoded, policy)
    joined, classes, done = np.empty_like(labels), 0, 0
    for some, place, first in parts:
        groups = labels[place] - first
        if fails[first : first + int(groups.max()) + 1].any():
            groups = merged(some, groups, encoded, policy)
        joined[place] = groups + classes
        classes, done = classes + int(groups.max()) + 1, done + len(place)
        if rest is not None:
            rest(0.5 + 0.5 * done / len(cells))
    return from_outside_in(points, joined)
