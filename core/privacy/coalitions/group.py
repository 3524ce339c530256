"""One class, who contributed what to it, and what is left when a coalition takes its records away."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from core.arrays import Bools, Floats, Ints
from core.classes import ClassHistogram
from core.data.domain import Domain
from core.errors import ParameterError
from core.privacy.coalitions.masks import MAX_CONTRIBUTORS, members
from core.privacy.policy import Policy

ALPHA_VERIFY = 0.3
"""Weight of diversity in the fitness score when verifying [Goryczka 2011, Table II]."""
JUST_BELOW = 1.0 - 1e-9
"""Fitness of what fails the constraint is at most this."""
CELLS = 4_000_000
"""Cells of one step of a check of many coalitions, to bound memory."""


@dataclass(frozen=True)
class Constraint:
    """What the records left must satisfy.

    Parameters
    ----------
    policy
        k, l and t; m is not looked at.
    sensitive
        Domain of the sensitive attribute.
    overall
        (values,) records of each sensitive value in the whole release.
    """

    policy: Policy
    sensitive: Domain
    overall: Ints

    @property
    def monotonic(self) -> bool:
        """Whether more records of a class never break it [Goryczka 2011, Def. 2.3]: k and distinct l only."""
        return not self.policy.against_colluding


@dataclass(frozen=True, eq=False)
class Group:
    """The records of one class by contributor and sensitive value.

    Parameters
    ----------
    providers
        (n_G,) codes of the contributors, ascending; bit ``i`` of a mask is ``providers[i]``.
    values
        (values,) sensitive codes that occur.
    counts
        (n_G, values) records.
    constraint
        What is asked.
    """

    providers: Ints
    values: Ints
    counts: Ints
    constraint: Constraint

    def __post_init__(self) -> None:
        """Refuse what no class can be."""
        if self.counts.shape != (len(self.providers), len(self.values)) or not self.counts.sum(axis=1).all():
            raise ParameterError("Every contributor of a class needs a row of counts and at least one record.")

    @property
    def contributors(self) -> int:
        """n_G, the providers with a record in the class."""
        return len(self.providers)

    @property
    def everyone(self) -> int:
        """Mask of all contributors."""
        return (1 << self.contributors) - 1

    def most(self, m: int) -> int:
        """Members of the largest coalition that leaves an outsider: min(m, n_G - 1) [definitions §6]."""
        return min(m, self.contributors - 1)

    @cached_property
    def sizes(self) -> Ints:
        """(n_G,) records of each contributor."""
        sizes: Ints = self.counts.sum(axis=1)
        return sizes

    @cached_property
    def _known(self) -> Bools:
        known: Bools = self.values != self.constraint.sensitive.missing
        return known

    def _check_width(self) -> None:
        if self.contributors > MAX_CONTRIBUTORS:
            raise ParameterError(
                f"A class has {self.contributors} contributors; the coalitions of at most {MAX_CONTRIBUTORS} can be "
                "searched. Choose the strategy 'shortcut'.",
                parameter="strategy",
            )

    @cached_property
    def holders(self) -> tuple[Ints, Ints]:
        """Distinct sets of holders of a known sensitive value, as masks, and how many values each one holds."""
        self._check_width()
        bits = np.int64(1) << np.arange(self.contributors)
        mask = ((self.counts > 0) * bits[:, None]).sum(axis=0)[self._known]
        return np.unique(mask, return_counts=True)

    # ---- what is left without a coalition ------------------------------------------------

    def left(self, masks: Ints) -> tuple[Ints, Ints]:
        """Records and distinct known sensitive values left without each coalition; O(coalitions x (n_G + values))."""
        held, times = self.holders
        bits = np.arange(self.contributors)
        size, distinct = np.empty(len(masks), dtype=np.int64), np.empty(len(masks), dtype=np.int64)
        step = max(1, CELLS // max(1, len(held), len(bits)))
        for begin in range(0, len(masks), step):
            part = masks[begin : begin + step, None]
            size[begin : begin + step] = self.sizes.sum() - ((part >> bits) & 1) @ self.sizes
            distinct[begin : begin + step] = ((held & ~part) != 0) @ times
        return size, distinct

    def breached_by(self, masks: Ints) -> Bools:
        """Whether what is left without each coalition's records fails the constraint."""
        policy = self.constraint.policy
        if not self.constraint.monotonic:
            return self._breached_in_general(masks)
        size, distinct = self.left(masks)
        bad: Bools = size < policy.k
        if policy.l is not None:
            bad |= distinct < policy.l
        return bad

    def _breached_in_general(self, masks: Ints) -> Bools:
        """The same for any policy, by its own check on the counts that are left."""
        bad = np.empty(len(masks), dtype=bool)
        step = max(1, CELLS // max(1, self.counts.size))
        for begin in range(0, len(masks), step):
            part = masks[begin : begin + step]
            stays = 1 - ((part[:, None] >> np.arange(self.contributors)) & 1)
            rest = stays @ self.counts
            owner, column = np.nonzero(rest)
            starts = np.searchsorted(owner, np.arange(len(part)))
            histogram = ClassHistogram(
                owner,
                self.values[column],
                rest[owner, column],
                starts,
                self.constraint.overall,
                self.constraint.sensitive.missing,
            )
            bad[begin : begin + step] = ~self.constraint.policy.holds(histogram, self.constraint.sensitive)
        return bad

    @cached_property
    def _plain(self) -> tuple[list[list[int]], list[tuple[int, int]], int]:
        """Records of every choice of eight contributors; holders of the values, most holders first; records."""
        held, times = self.holders
        order = np.argsort(-np.bitwise_count(held).astype(np.int64), kind="stable")
        bits = (np.arange(256)[:, None] >> np.arange(8)) & 1
        padded = np.concatenate((self.sizes, np.zeros(-len(self.sizes) % 8, dtype=np.int64)))
        sums = [(bits @ eight).tolist() for eight in padded.reshape(-1, 8)]
        return sums, list(zip(held[order].tolist(), times[order].tolist(), strict=True)), int(self.sizes.sum())

    def is_breached_by(self, mask: int) -> bool:
        """Answer :meth:`breached_by` for one coalition and a monotonic constraint, in plain integers."""
        sums, held, left = self._plain
        rest = mask
        for eight in sums:
            left -= eight[rest & 255]
            rest >>= 8
        policy = self.constraint.policy
        if left < policy.k:
            return True
        missing = policy.l
        if missing is None:
            return False
        for holder, times in held:
            if holder & ~mask:
                missing -= times
                if missing <= 0:
                    return False
        return missing > 0

    # ---- fitness --------------------------------------------------------------------------

    def fitness(self, masks: Ints, alpha: float = ALPHA_VERIFY) -> Floats:
        """Privacy fitness score of the records that each coalition contributed [Goryczka 2011, Eq. 1].

        The higher, the stronger the coalition. See :func:`score`.
        """
        self._check_width()
        everything = np.full(len(masks), self.everyone, dtype=np.int64)
        size, distinct = self.left(everything & ~masks)
        return score(size, distinct, self.constraint.policy, alpha)

    def mean_fitness(self, alpha: float = ALPHA_VERIFY) -> float:
        """Mean fitness score of the contributors, each alone: what the adaptive strategy looks at."""
        return float(self.fitness(np.int64(1) << np.arange(min(self.contributors, 63)), alpha).mean())

    def shrunk(self, mask: int) -> int:
        """Leave out members as long as those who remain still breach: no member of the result is idle.

        A class of more than 62 contributors keeps the coalition as it is.
        """
        if self.contributors > MAX_CONTRIBUTORS:
            return mask
        # The weakest member first, so that the strongest stay.
        for member in sorted(members(mask), key=lambda i: (int(self.sizes[i]), i)):
            smaller = mask & ~(1 << member)
            if self.breached_by(np.array([smaller]))[0]:
                mask = smaller
        return mask


def score(size: Ints, distinct: Ints, policy: Policy, alpha: float) -> Floats:
    """Privacy fitness of sets of records [Goryczka 2011, Eq. 1; definitions §6].

    ``(1 - alpha) |T| / k + alpha |distinct values| / l``, and at most just below 1 where the
    set fails the constraint (the paper prints "max" for this; with "max" the score would not
    tell what fails from what holds). Without l, ``|T| / k``.
    """
    fitness = size / policy.k
    holds = size >= policy.k
    if policy.l is not None:
        fitness = (1.0 - alpha) * fitness + alpha * distinct / policy.l
        holds = holds & (distinct >= policy.l)
    # Rounded, so that what is equal on paper is equal here and ties fall the same way everywhere.
    return np.where(holds, np.round(fitness, 12), np.minimum(JUST_BELOW, np.round(fitness, 12)))
