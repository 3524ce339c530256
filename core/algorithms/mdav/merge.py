"""Groups of microaggregation joined until each meets the whole policy.

The groups of MDAV keep k and know nothing of the sensitive attribute. One that lacks l or
t is joined with the group whose centre is nearest [definitions §3], again and again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.algorithms.mdav.points import Points, half_up
from core.arrays import Floats, Ints, Progress
from core.classes import Classes, ClassHistogram
from core.data.encoding import Encoded
from core.privacy.policy import Policy

EVERY = 64
"""Joins between two reports of progress."""


def merged(
    points: Points, labels: NDArray[np.int32], encoded: Encoded, policy: Policy, progress: Progress | None = None
) -> NDArray[np.int32]:
    """Join groups until every one meets the policy.

    Failing groups are taken in the order in which they were formed. One is joined with the
    group whose centre (means and modes) is nearest to its own, of several the one formed
    first, and on from the centre of both, until the whole of it complies; then the next
    that still fails. The outcome keeps the number of the group that asked.

    Parameters
    ----------
    points, labels
        People, and the group of each record in the order of ``points.order``.
    encoded
        The table; as one class, the records of ``points`` must meet the policy.
    policy
        What every group must meet.
    progress
        Called with the share of the groups looked at; may raise to cancel.

    Returns
    -------
    ndarray
        (records,) class of each record in the same order, numbered as formed.

    Notes
    -----
    O(joins x (groups x quasi-identifiers + values)) time.
    """
    count = int(labels.max()) + 1
    secret, missing = encoded.secret[points.order], encoded.sensitive.missing
    histogram = ClassHistogram.tally(labels, secret, encoded.overall, count, missing=missing)
    fails = ~policy.holds(histogram, encoded.sensitive)
    if not fails.any():
        return labels
    groups = _Groups(points, labels, encoded)
    joins = 0
    for number in np.flatnonzero(fails).tolist():
        if not groups.alive[number]:
            continue  # joined with another since
        grown = groups.grow(number)
        while not policy.holds(grown.histogram, encoded.sensitive)[0]:
            groups.join(grown, groups.nearest(grown))
            joins += 1
            if progress is not None and joins % EVERY == 0:
                progress(joins / count)
        groups.keep(grown)
    kept = np.unique(groups.into, return_inverse=True)[1].astype(np.int32)
    return kept[labels]


class _Group:
    """A group that grows: its records, sums and counts."""

    def __init__(self, number: int, points: Points, encoded: Encoded) -> None:
        self.number = number
        self.points = points
        self.encoded = encoded
        self.records: list[Ints] = []
        self.size = 0
        self.sums = np.zeros(len(points.numbers))
        self.held = [np.zeros(int(row.max()) + 1, dtype=np.int64) for row in points.categories]
        self.secrets = np.zeros(encoded.sensitive.size, dtype=np.int64)

    def add(self, records: Ints, person: Ints) -> None:
        """Take in some records, and who they are."""
        self.records.append(records)
        self.size += len(records)
        self.sums += self.points.numbers[:, person].sum(axis=1)
        for held, row in zip(self.held, self.points.categories, strict=True):
            np.add(held, np.bincount(row[person], minlength=len(held)), out=held)
        secret = self.encoded.secret[self.points.order[records]]
        self.secrets += np.bincount(secret, minlength=len(self.secrets))

    @property
    def means(self) -> Floats:
        """Means of the numbers, as whole numbers."""
        return half_up(self.sums, self.size)

    @property
    def modes(self) -> Ints:
        """Commonest category of each attribute, the lowest code of several."""
        return np.array([held.argmax() for held in self.held], dtype=np.int64)

    @property
    def histogram(self) -> ClassHistogram:
        """Sensitive values of the group."""
        value = np.flatnonzero(self.secrets)
        owner, first = np.zeros(len(value), dtype=np.int64), np.zeros(1, dtype=np.int64)
        missing = self.encoded.sensitive.missing
        return ClassHistogram(owner, value, self.secrets[value], first, self.encoded.overall, missing)


class _Groups:
    """Records and centres of all groups."""

    def __init__(self, points: Points, labels: NDArray[np.int32], encoded: Encoded) -> None:
        self.points, self.encoded = points, encoded
        self.person = np.repeat(np.arange(len(points)), points.count)
        groups = Classes.from_labels(labels)
        self.records = [groups.members(number) for number in range(groups.count)]
        self.alive = np.ones(groups.count, dtype=bool)
        self.into = np.arange(groups.count)
        sums = np.array([np.bincount(labels, row[self.person], groups.count) for row in points.numbers])
        self.numbers = half_up(sums.reshape(len(points.numbers), groups.count), groups.sizes)
        codes = np.array([modes(labels, row[self.person], groups.count) for row in points.categories], dtype=np.int64)
        self.categories = codes.reshape(len(points.categories), groups.count)

    def grow(self, number: int) -> _Group:
        """Take a group out, to be joined with others."""
        group = _Group(number, self.points, self.encoded)
        group.add(self.records[number], self.person[self.records[number]])
        self.alive[number] = False  # it is not its own neighbour
        return group

    def nearest(self, group: _Group) -> int:
        """Group with the nearest centre, of several the one formed first."""
        distance = ((self.numbers - group.means[:, None]) ** 2).sum(axis=0)
        distance += (self.categories != group.modes[:, None]).sum(axis=0) * self.points.unit**2
        distance[~self.alive] = np.inf
        other = int(distance.argmin())
        assert self.alive[other], "the records as one class meet the policy"
        return other

    def join(self, group: _Group, other: int) -> None:
        """Move the records of another group into this one."""
        self.alive[other] = False
        self.into[self.into == other] = group.number
        group.add(self.records[other], self.person[self.records[other]])

    def keep(self, group: _Group) -> None:
        """Put a grown group back, for others to be joined with."""
        self.alive[group.number] = True
        self.records[group.number] = np.concatenate(group.records)
        self.numbers[:, group.number] = group.means
        self.categories[:, group.number] = group.modes


def modes(labels: NDArray[Any], codes: NDArray[Any], count: int) -> Ints:
    """Commonest code of each class, the lowest of several; every class must occur."""
    radix = int(codes.max(initial=0)) + 1
    cell, held = np.unique(labels.astype(np.int64) * radix + codes, return_counts=True)
    order = np.lexsort((cell, -held, cell // radix))
    first = np.searchsorted(cell // radix, np.arange(count))
    found: Ints = cell[order[first]] % radix
    return found
