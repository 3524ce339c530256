"""Microaggregation: MDAV, exact up to 50,000 records and in blocks beyond.

Groups of k to 2k - 1 people who are near each other, published with the means and modes
of their values. Distances and ties: :mod:`core.algorithms.mdav.points`; groups:
:mod:`core.algorithms.mdav.grouping`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from core.algorithms.leastloss import least_loss
from core.algorithms.mdav.grouping import mdav
from core.algorithms.mdav.points import Points
from core.base.arrays import Bools, Codes, Progress, part
from core.data.classes import ClassHistogram
from core.data.encoding.encoded import Encoded
from core.privacy.policy import Policy
from core.release.algorithm import Algorithm

EXACT_ROWS = 50_000
"""Largest number of records microaggregated as one block; more are cut into blocks first."""
BLOCK_ROWS = 10_000
"""Smallest number of records of a block."""
GROUPED = 0.5
"""Share of the work that groups the whole table if l or t is required."""


def microaggregation(
    encoded: Encoded,
    policies: Sequence[Policy],
    progress: Progress | None = None,
    exact_rows: int = EXACT_ROWS,
    block_rows: int = BLOCK_ROWS,
) -> list[Codes]:
    """Partition a table by MDAV for each of several policies [definitions §3].

    Up to ``exact_rows`` records it runs exactly as published. Beyond, least loss first cuts
    the table into blocks of at least ``block_rows`` records (4k if that is more),
    and MDAV runs inside each block, on the scale of the whole table.

    If a group fails l or t, MDAV runs inside the classes that least loss forms under
    the whole policy; a class in which a group fails stays one.

    Parameters
    ----------
    encoded
        The table; it must meet every policy as one class.
    policies
        k and, if required, l and t.
    progress
        Called with the share of the work done; may raise to cancel.
    exact_rows, block_rows
        Size above which a table is cut into blocks, and the smallest size of a block.

    Returns
    -------
    list of ndarray
        For each policy, (records,) class of each record.

    Notes
    -----
    O(records / k x distinct people x quasi-identifiers) time up to 50,000 records, about linear beyond.
    """
    table = _Table(Points.of(encoded), encoded, exact_rows, block_rows)
    labelled = []
    for number, policy in enumerate(policies):
        labels = np.empty(len(encoded), dtype=np.int32)
        step = part(progress, number / len(policies), (number + 1) / len(policies))
        labels[table.points.order] = table.classes(policy, step)
        labelled.append(labels)
    return labelled


@dataclass(frozen=True, eq=False)
class _Table:
    """A table, and its groups by k; labels are in the order of ``points.order``."""

    points: Points
    encoded: Encoded
    exact_rows: int
    block_rows: int
    by_k: dict[int, Codes] = field(default_factory=dict)

    def classes(self, policy: Policy, progress: Progress | None) -> Codes:
        """Class of each record under the whole policy."""
        if policy.k not in self.by_k:
            until = part(progress, 0.0, 1.0 if policy.only_k else GROUPED)
            self.by_k[policy.k] = self.grouped(self.points, policy.k, until)
        groups = self.by_k[policy.k]
        if policy.only_k or not self.failing(groups, policy).any():
            return groups
        cells = least_loss(self.encoded, [policy.k], policy)[0][self.points.order]
        groups = _within(self.points, cells, policy.k, self.grouped, part(progress, GROUPED, 1.0))
        whole = np.isin(cells, cells[self.failing(groups, policy)[groups]])
        first = np.full(int(cells.max()) + 1, len(groups))
        np.minimum.at(first, cells, groups)
        return np.unique(np.where(whole, first[cells], groups), return_inverse=True)[1].astype(np.int32)

    def grouped(self, points: Points, k: int, progress: Progress | None) -> Codes:
        """Group of each of some people under k only."""
        records = len(points.order)
        if records <= self.exact_rows:
            return mdav(points, k, progress)
        least = min(max(self.block_rows, 4 * k), records)
        blocks = least_loss(self.encoded.take(points.order), [least], Policy(least))[0]
        return _within(points, blocks, k, mdav, progress)

    def failing(self, groups: Codes, policy: Policy) -> Bools:
        """Whether each group fails the policy."""
        sensitive_codes, sensitive = self.encoded.sensitive_codes[self.points.order], self.encoded.sensitive
        count = int(groups.max()) + 1
        histogram = ClassHistogram.of_records(
            groups, sensitive_codes, self.encoded.overall, count, missing=sensitive.missing
        )
        return ~policy.is_satisfied(histogram, sensitive)


Form = Callable[[Points, int, Progress | None], Codes]


def _within(points: Points, cells: Codes, k: int, form: Form, progress: Progress | None) -> Codes:
    """Groups formed inside each cell, numbered cell by cell."""
    labels = np.empty(len(cells), dtype=np.int32)
    classes = done = 0
    for some, place in points.parted(cells):
        end = done + len(place)
        groups = form(some, k, part(progress, done / len(cells), end / len(cells)))
        labels[place] = groups + classes
        classes, done = classes + int(groups.max()) + 1, end
    if progress is not None:
        progress(1.0)
    return labels


__all__ = ["BLOCK_ROWS", "EXACT_ROWS", "microaggregation"]


ALGORITHM = Algorithm(
    "mdav",
    "Microaggregation (MDAV)",
    "Microaggregation (MDAV) groups the k nearest records around far-off ones. Means and most common values are "
    "published, so classes overlap and a reader has to guess the nearest.",
    citation="Domingo-Ferrer, Torra: Ordinal, continuous and heterogeneous k-anonymity through microaggregation. Data "
    "Mining and Knowledge Discovery 11(2), 2005.",
    run=microaggregation,
    centroids=True,
    providers="none",
)
