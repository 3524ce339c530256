"""Microaggregation: MDAV, exact up to 50,000 records and in blocks beyond.

Groups of k to 2k - 1 people who are near each other, published with the means and modes
of their values. Distances and ties: :mod:`core.algorithms.mdav.points`; groups:
:mod:`core.algorithms.mdav.groups`, in blocks divided anew: :mod:`core.algorithms.mdav.divide`;
l and t: :mod:`core.algorithms.mdav.merge`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

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
MDAV = 0.5
"""Share of grouping that MDAV is where groups are divided anew afterwards."""

FORMED = 0.6
"""Share of the work that forming groups in blocks is under k alone."""
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
    the table into blocks of at least ``block_rows`` records (4k if that is more)
    that each meet the whole policy, and MDAV runs inside each block, on the scale of the
    whole table. Under k alone the widest groups of all blocks are then formed again together.
    Groups near each other are divided anew, two at a time: of all blocks, or under l and t of
    each. The time is about linear in the records. What is left of the loss is measured in the
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
        What a policy of k alone gave for this table, by k, where it is known already; of no
        use in blocks.

    Returns
    -------
    list of ndarray
        For each policy, (records,) class of each record, numbered as formed: the first
        classes are the farthest from the middle.

    Notes
    -----
    O(records / k x distinct people x quasi-identifiers) time up to 50,000 records; Adult,
    30,162 x 7, k = 5: about a second. In blocks 150,000 distinct people take 9
    seconds of one processor, where as one they take 24; a million of Adult's kind take one minute.
    """
    points = Points.of(encoded)
    whole = len(encoded) <= exact_rows
    of_whole: dict[int, NDArray[np.int32]] = {}
    if whole and groups is not None:
        of_whole |= {k: label[points.order] for k, label in groups.items()}
    labelled = []
    for number, policy in enumerate(policies):
        step = _span(progress, number / len(policies), (number + 1) / len(policies))
        labels = np.empty(len(encoded), dtype=np.int32)
        classes = done = 0
        together = not whole and policy.only_k
        formed = FORMED if together else 1.0
        for block in [points] if whole else _blocks(points, encoded, policy, block_rows):
            inside = _span(step, formed * done / len(encoded), formed * (done + len(block.order)) / len(encoded))
            labels_inside = _classes(block, encoded, policy, of_whole if whole else None, inside)
            labels[block.order] = labels_inside + classes
            classes += int(labels_inside.max()) + 1
            done += len(block.order)
        if together:
            labels[points.order] = _together(points, labels[points.order], policy.k, exact_rows, _span(step, formed, 1))
        labelled.append(labels)
    return labelled


def _classes(
    block: Points,
    encoded: Encoded,
    policy: Policy,
    groups: dict[int, NDArray[np.int32]] | None,
    progress: Progress | None,
) -> NDArray[np.int32]:
    """Classes of one block, in its order; ``groups`` of a whole table keeps those of each k for the next policy."""
    share = 1.0 if policy.only_k else GROUPING
    if groups is None:
        formed = mdav(block, policy.k, _span(progress, 0.0, share if policy.only_k else MDAV * share))
        if not policy.only_k:
            formed = divided(block, formed, policy.k, _span(progress, MDAV * share, share))
    elif policy.k in groups:
        formed = groups[policy.k]
    else:
        formed = groups[policy.k] = mdav(block, policy.k, _span(progress, 0.0, share))
    if policy.only_k:
        return formed
    joined = merged(block, formed, encoded, policy, _span(progress, GROUPING, 1.0))
    if progress is not None:
        progress(1.0)
    return joined


def _together(
    points: Points, labels: NDArray[np.int32], k: int, most: int, progress: Progress | None
) -> NDArray[np.int32]:
    """The widest groups of all blocks formed again together, then near groups of all blocks divided anew."""
    again = regrouped(points, labels, k, min(most, int(SHARE * len(labels))), _span(progress, 0.0, POOL))
    return divided(points, again, k, _span(progress, POOL, 1.0))


def _blocks(points: Points, encoded: Encoded, policy: Policy, block_rows: int) -> list[Points]:
    """Blocks that meet the policy, by strict Mondrian; people who are alike are in one block."""
    least = min(max(block_rows, 4 * policy.k), len(encoded))
    label = mondrian(encoded, [least], replace(policy, k=least))[0]
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
    exact_rows=EXACT_ROWS,
    uncut="Microaggregation does not cut: it gathers the records nearest to far-off ones, group by group, so there "
    "are no cuts to follow.",
)
