"""Microaggregation: MDAV, exact up to 50,000 records and in blocks beyond.

Groups of k to 2k - 1 people who are near each other, published with the means and modes
of their values. Distances and ties: :mod:`core.algorithms.mdav.points`; groups:
:mod:`core.algorithms.mdav.groups`, in blocks: :mod:`core.algorithms.mdav.blocks`, divided anew:
:mod:`core.algorithms.mdav.divide`; l and t: :mod:`core.algorithms.mdav.merge` for groups of the whole
table, :mod:`core.algorithms.mdav.inside` for groups inside the classes of least loss.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from core.algorithms.mdav.blocks import BLOCK_ROWS, EXACT_ROWS, Rows, formed
from core.algorithms.mdav.centres import FINENESS, errors
from core.algorithms.mdav.inside import inside
from core.algorithms.mdav.merge import failing, merged
from core.algorithms.mdav.points import Points
from core.arrays import Codes, Progress, part
from core.data.encoding import Encoded
from core.privacy.policy import Policy
from core.release.algorithm import Algorithm

GROUPED = 0.5
"""Share of the work that forming groups of the whole table is, where l or t are asked."""
JOINED = 0.75
"""Share of the work that is done when these are joined."""
FEW = 0.5
"""Share of the groups of the whole table that may fail for them to be joined."""


def microaggregation(
    encoded: Encoded,
    policies: Sequence[Policy],
    progress: Progress | None = None,
    exact_rows: int = EXACT_ROWS,
    block_rows: int = BLOCK_ROWS,
    groups: Mapping[int, NDArray[np.int32]] | None = None,
) -> list[NDArray[np.int32]]:
    """Partition a table by MDAV for each of several policies [definitions §3].

    Up to ``exact_rows`` records exactly as published. Beyond, strict Mondrian first cuts
    the table into blocks of at least ``block_rows`` records (4k if that is more),
    and MDAV runs inside each block, on the scale of the whole table. The widest groups of all
    blocks are then formed again together, groups near each other are divided anew, two at a
    time, and numbered from the outside in. The time is about linear in the records.

    Under l or t, groups that fail are joined wherever they were formed
    (:func:`~core.algorithms.mdav.merge.merged`), and groups are formed once more inside the classes of
    least loss (:func:`~core.algorithms.mdav.inside.inside`); of both partitions that with less squared
    error is kept. Where more than :data:`FEW` of the groups fail, only the second is made: joined from
    everywhere, they would grow into each other until a class spans the table.

    Parameters
    ----------
    encoded
        The table; it must meet every policy as one class.
    policies
        k and, if asked, l and t. Policies of the same k share the groups of the whole table.
    progress
        Called with the share of the work done; may raise to cancel.
    exact_rows, block_rows
        Where blocks begin and how large they are.
    groups
        What a policy of k alone gave for this table, by k, where it is known already.

    Returns
    -------
    list of ndarray
        For each policy, (records,) class of each record, the first classes farthest from the middle.

    Notes
    -----
    O(records / k x distinct people x quasi-identifiers) time up to 50,000 records; Adult,
    30,162 x 7, k = 5: about a second. In blocks 150,000 distinct people take 9
    seconds of one processor, where as one they take 24; a million of Adult's kind take one minute.
    """
    points, rows = Points.of(encoded), Rows(exact_rows, block_rows)
    known = {k: label[points.order] for k, label in (groups or {}).items()}
    labelled = []
    for number, policy in enumerate(policies):
        step = part(progress, number / len(policies), (number + 1) / len(policies))
        inner = _classes(points, encoded, policy, rows, known, step)
        if step is not None:
            step(1.0)
        labels = np.empty(len(encoded), dtype=np.int32)
        labels[points.order] = inner
        labelled.append(labels)
    return labelled


def _classes(
    points: Points, encoded: Encoded, policy: Policy, rows: Rows, known: dict[int, Codes], progress: Progress | None
) -> Codes:
    """Class of each record in the order of ``points``; ``known`` groups under k alone are used, and added to."""
    if policy.k not in known:
        end = 1.0 if policy.only_k else GROUPED
        known[policy.k] = formed(points, encoded, policy.k, rows, part(progress, 0.0, end))
    groups = known[policy.k]
    fails = failing(points, groups, encoded, policy)
    if not fails.any():
        return groups
    joined = None
    if fails.mean() <= FEW:
        joined = merged(points, groups, encoded, policy, part(progress, GROUPED, JOINED))
    apart = inside(points, encoded, policy, rows, part(progress, GROUPED if joined is None else JOINED, 1.0))
    if joined is None:
        return apart
    return apart if _error(points, apart) <= _error(points, joined) else joined


def _error(points: Points, labels: Codes) -> float:
    """Sum of squared errors, rounded, so that machines agree."""
    return math.floor(math.fsum(errors(points, labels)) * FINENESS + 0.5)


__all__ = ["BLOCK_ROWS", "EXACT_ROWS", "FEW", "microaggregation"]


def _join(encoded: Encoded, policy: Policy, groups: Codes, progress: Progress | None) -> Codes:
    return microaggregation(encoded, [policy], progress, groups={policy.k: groups})[0]


ALGORITHM = Algorithm(
    "mdav",
    "Microaggregation (MDAV)",
    "Microaggregation (MDAV) groups the k nearest records around far-off ones. Means and commonest values are "
    "published, so classes overlap and a reader has to guess the nearest.",
    source="Domingo-Ferrer, Torra: Ordinal, continuous and heterogeneous k-anonymity through microaggregation. Data "
    "Mining and Knowledge Discovery 11(2), 2005.",
    run=microaggregation,
    centroids=True,
    read_by_region=True,
    providers="none",
    join=_join,
    uncut="Microaggregation does not cut: it gathers the records nearest to far-off ones, group by group, so there "
    "are no cuts to follow.",
)
