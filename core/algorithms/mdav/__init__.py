"""Microaggregation: MDAV, exact up to 50,000 records and in blocks beyond.

Groups of k to 2k - 1 people who are near each other, published with the means and modes
of their values. Distances and ties: :mod:`core.algorithms.mdav.points`; groups:
:mod:`core.algorithms.mdav.groups`, in blocks divided anew: :mod:`core.algorithms.mdav.divide`;
l and t: :mod:`core.algorithms.mdav.merge`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from core.algorithms.mdav.centres import from_outside_in
from core.algorithms.mdav.divide import divided
from core.algorithms.mdav.groups import mdav
from core.algorithms.mdav.merge import merged
from core.algorithms.mdav.points import Points
from core.algorithms.mdav.pool import SHARE, regrouped
from core.algorithms.mondrian import mondrian
from core.arrays import Codes, Progress
from core.data.encoding import Encoded
from core.privacy.policy import Policy
from core.release.algorithm import Algorithm

EXACT_ROWS = 50_000
"""Most records that are microaggregated as one; more are cut into blocks first."""
BLOCK_ROWS = 10_000
"""Least records of a block."""
GROUPING = 0.7
"""Share of the work that grouping is where groups are joined afterwards."""
FORMED = 0.6
"""Share of grouping that forming groups in blocks is."""
POOL = 0.5
"""Share of the rest that forming the widest groups again is."""


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
    time, and numbered from the outside in. The time is about linear in the records. Groups are
    joined under l and t wherever they were formed. What is left of the loss is measured in the
    benchmarks.

    Parameters
    ----------
    encoded
        The table; it must meet every policy as one class.
    policies
        k and, if asked, l and t. Policies of the same k share the groups.
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
    points = Points.of(encoded)
    formed = {k: label[points.order] for k, label in (groups or {}).items()}
    labelled = []
    for number, policy in enumerate(policies):
        step = _span(progress, number / len(policies), (number + 1) / len(policies))
        share = 1.0 if policy.only_k else GROUPING
        if policy.k not in formed:
            formed[policy.k] = _formed(points, encoded, policy.k, (exact_rows, block_rows), _span(step, 0.0, share))
        inside = formed[policy.k]
        if not policy.only_k:
            inside = merged(points, inside, encoded, policy, _span(step, GROUPING, 1.0))
        if step is not None:
            step(1.0)
        labels = np.empty(len(encoded), dtype=np.int32)
        labels[points.order] = inside
        labelled.append(labels)
    return labelled


def _formed(
    points: Points, encoded: Encoded, k: int, rows: tuple[int, int], progress: Progress | None
) -> NDArray[np.int32]:
    """Groups under k alone, in the order of ``points``; ``rows`` are those of one and those of a block."""
    exact_rows, block_rows = rows
    if len(encoded) <= exact_rows:
        return mdav(points, k, progress)
    labels = np.empty(len(encoded), dtype=np.int32)
    classes = done = 0
    for block in _blocks(points, encoded, k, block_rows):
        end = done + len(block.order)
        inside = mdav(block, k, _span(progress, FORMED * done / len(encoded), FORMED * end / len(encoded)))
        labels[block.order] = inside + classes
        classes, done = classes + int(inside.max()) + 1, end
    rest = _span(progress, FORMED, 1.0)
    most = min(exact_rows, int(SHARE * len(labels)))
    again = regrouped(points, labels[points.order], k, most, _span(rest, 0.0, POOL))
    return from_outside_in(points, divided(points, again, k, _span(rest, POOL, 1.0)))


def _blocks(points: Points, encoded: Encoded, k: int, block_rows: int) -> list[Points]:
    """Blocks by strict Mondrian; people who are alike are in one block."""
    least = min(max(block_rows, 4 * k), len(encoded))
    label = mondrian(encoded, [least], Policy(least))[0]
    ends = np.cumsum(points.count)
    of_person = label[points.order[ends - 1]]
    of_record = np.repeat(of_person, points.count)
    return [
        points.take(np.flatnonzero(of_person == block), points.order[of_record == block])
        for block in range(int(label.max()) + 1)
    ]


def _span(progress: Progress | None, low: float, high: float) -> Progress | None:
    """Report a part of the work as a part of the whole."""
    if progress is None:
        return None
    tell = progress
    return lambda share: tell(low + share * (high - low))


__all__ = ["BLOCK_ROWS", "EXACT_ROWS", "microaggregation"]


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
