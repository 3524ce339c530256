"""Groups of microaggregation joined until each meets the whole policy.

The groups of MDAV keep k and know nothing of the sensitive attribute. One that lacks l or
t is joined with one of those near it that lack it, too [definitions §3], again and again: the
nearest that helps, or the one whose values help most. Joined with the nearest whatever its values,
groups swallow each other before they comply.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.algorithms.mdav.centres import centres
from core.algorithms.mdav.points import Points, half_up
from core.arrays import Bools, Floats, Ints, Progress
from core.classes import Classes, ClassHistogram
from core.data.encoding import Encoded
from core.privacy.policy import Policy

EVERY = 64
"""Joins between two reports of progress."""
NEAR = 128
"""Groups that are looked at for a join: more cost time and lose no less."""


def merged(
    points: Points, labels: NDArray[np.int32], encoded: Encoded, policy: Policy, progress: Progress | None = None
) -> NDArray[np.int32]:
    """Join groups until every one meets the policy.

    Failing groups are taken in the order in which they were formed. Of the :data:`NEAR` other
    failing groups whose centres (means and modes) are nearest to its own, of equally near ones
    those formed first, one is joined with the nearest after which it complies; where there is
    none, with that after which its values are nearest to those of the whole table (total
    variation, in single precision; then the nearest). So on from the centre of both, until the
    whole of it complies; then the next that still fails. Where no other fails, all groups count
    as failing. The outcome keeps the number of the group that asked.

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
    O(joins x (groups x quasi-identifiers + near x values)) time.
    """
    fails = failing(points, labels, encoded, policy)
    if not fails.any():
        return labels
    groups = _Groups(points, labels, encoded, np.flatnonzero(fails))
    joins = 0
    for number in np.flatnonzero(fails).tolist():
        if groups.into[number] != number:
            continue  # joined with another since
        grown = groups.grow(number)
        while not policy.holds(grown.histogram, encoded.sensitive)[0]:
            groups.join(grown, groups.best(grown, policy))
            joins += 1
            if progress is not None and joins % EVERY == 0:
                progress(joins / len(fails))
        groups.keep(grown)
    kept = np.unique(groups.last(), return_inverse=True)[1].astype(np.int32)
    return kept[labels]


def failing(points: Points, labels: NDArray[np.int32], encoded: Encoded, policy: Policy) -> Bools:
    """Whether each group lacks the policy; ``labels`` are in the order of ``points.order``."""
    count, secret = int(labels.max()) + 1, encoded.secret[points.order]
    histogram = ClassHistogram.tally(labels, secret, encoded.overall, count, missing=encoded.sensitive.missing)
    return ~policy.holds(histogram, encoded.sensitive)


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
    """Records and centres of all groups, and those of which one may be joined."""

    def __init__(self, points: Points, labels: NDArray[np.int32], encoded: Encoded, failing: Ints) -> None:
        self.points, self.encoded = points, encoded
        self.secret = encoded.secret[points.order]
        self.share = encoded.overall / encoded.overall.sum()
        self.person = np.repeat(np.arange(len(points)), points.count)
        groups = Classes.from_labels(labels)
        self.records = [groups.members(number) for number in range(groups.count)]
        self.into = np.arange(groups.count)
        self.numbers, self.categories = centres(points, labels)
        self.offered = _Offered(self, failing)

    def grow(self, number: int) -> _Group:
        """Take a group out, to be joined with others."""
        group = _Group(number, self.points, self.encoded)
        group.add(self.records[number], self.person[self.records[number]])
        self.offered.take_out(number)  # it is not its own neighbour
        return group

    def best(self, group: _Group, policy: Policy) -> int:
        """Group to be joined with this one."""
        if not self.offered.left:
            # No other fails: this is the last group, and any may help it.
            whole = self.into == np.arange(len(self.into))
            whole[group.number] = False
            assert whole.any(), "the records as one class meet the policy"
            self.offered = _Offered(self, np.flatnonzero(whole))
        near = self.offered.nearest(group)
        joined = self.joined(group, near)
        complies = np.flatnonzero(policy.holds(joined, self.encoded.sensitive))
        if len(complies):
            return int(near[complies[0]])
        held = np.bincount(joined.owner, weights=joined.count, minlength=len(near))
        part, share = joined.count / held[joined.owner], self.share[joined.value]
        there = np.bincount(joined.owner, weights=share, minlength=len(near))
        far = np.bincount(joined.owner, weights=np.abs(part - share), minlength=len(near)) + (1.0 - there)
        return int(near[np.argmin(far.astype(np.float32))])

    def joined(self, group: _Group, others: Ints) -> ClassHistogram:
        """Sensitive values of the group with each of some others."""
        own = np.flatnonzero(group.secrets)
        records = [self.records[int(other)] for other in others]
        owner = np.repeat(np.arange(len(others)), [len(part) for part in records])
        owner = np.concatenate((np.repeat(np.arange(len(others)), len(own)), owner))
        value = np.concatenate((np.tile(own, len(others)), self.secret[np.concatenate(records)]))
        weight = np.concatenate(
            (np.tile(group.secrets[own], len(others)), np.ones(len(value) - len(own) * len(others)))
        )
        missing = self.encoded.sensitive.missing
        return ClassHistogram.tally(
            owner, value, self.encoded.overall, len(others), weight.astype(np.int64), missing=missing
        )

    def join(self, group: _Group, other: int) -> None:
        """Move the records of another group into this one."""
        self.into[other] = group.number
        self.offered.take_out(other)
        group.add(self.records[other], self.person[self.records[other]])

    def keep(self, group: _Group) -> None:
        """Put a grown group back, for the last one to be joined with."""
        self.records[group.number] = np.concatenate(group.records)
        self.numbers[:, group.number] = group.means
        self.categories[:, group.number] = group.modes

    def last(self) -> Ints:
        """(groups,) the group that holds the records of each in the end; it may have been joined in turn."""
        return self.into[self.into]


class _Offered:
    """Groups of which one may be joined, side by side; those taken out are closed up when they are half."""

    def __init__(self, groups: _Groups, number: Ints) -> None:
        self.unit = groups.points.unit
        self.number = number
        self.left = len(number)
        self.numbers = groups.numbers[:, number]
        self.categories = groups.categories[:, number].astype(groups.points.categories.dtype)
        self.norms = (self.numbers**2).sum(axis=0)
        self.reach = 0.0

    def take_out(self, number: int) -> None:
        """Offer a group no longer."""
        self.norms[np.searchsorted(self.number, number)] = np.inf
        self.left -= 1
        if 2 * self.left < len(self.number):
            there = np.isfinite(self.norms)
            self.number, self.norms = self.number[there], self.norms[there]
            self.numbers, self.categories = self.numbers[:, there], self.categories[:, there]

    def nearest(self, group: _Group) -> Ints:
        """The :data:`NEAR` groups with the nearest centres, the nearest first, of equally near ones the lower.

        Looks among the groups within ``reach``, which is kept near that of the last ones; the outcome
        does not depend on it.
        """
        means, modes = group.means, group.modes.astype(self.categories.dtype)
        distance = self.norms + float(means @ means)
        if len(means):
            distance -= (2.0 * means) @ self.numbers
        unlike = np.zeros(len(distance), dtype=np.uint16)
        for row, mode in zip(self.categories, modes, strict=True):
            unlike += row != mode
        distance += unlike * self.unit**2
        many = min(NEAR, self.left)
        near = np.flatnonzero(distance <= self.reach)
        if len(near) < many:
            near = np.flatnonzero(distance <= np.partition(distance, many - 1)[many - 1])
        near = near[np.argsort(distance[near], kind="stable")[:many]]
        self.reach = 1.25 * float(distance[near[-1]])
        return self.number[near]
