"""The contributions to one class, and what is left when a coalition removes its records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from core.base.arrays import Bools, Floats, Ints
from core.base.errors import ParameterError
from core.data.encoding.domain import Domain
from core.privacy.policy import Policy

JUST_BELOW = 1.0 - 1e-9
"""Largest fitness of records that fail the constraint."""


@dataclass(frozen=True)
class Constraint:
    """Constraint on the remaining records.

    Parameters
    ----------
    policy
        k and distinct l; m is ignored.
    sensitive
        Domain of the sensitive attribute.
    overall
        (values,) records of each sensitive value in the whole release.
    """

    policy: Policy
    sensitive: Domain
    overall: Ints


@dataclass(frozen=True, eq=False)
class Group:
    """The records of one class by contributor and sensitive value.

    A coalition is a choice of rows: indices into ``providers``.

    Parameters
    ----------
    providers
        (n_G,) codes of the contributors, ascending.
    values
        (values,) sensitive codes that occur.
    counts
        (n_G, values) records.
    constraint
        What each class must satisfy.
    """

    providers: Ints
    values: Ints
    counts: Ints
    constraint: Constraint

    def __post_init__(self) -> None:
        """Validate the class."""
        if self.counts.shape != (len(self.providers), len(self.values)) or not self.counts.sum(axis=1).all():
            raise ParameterError("Every contributor of a class needs a row of counts and at least one record.")

    @property
    def contributors(self) -> int:
        """n_G, the providers with a record in the class."""
        return len(self.providers)

    def most(self, m: int) -> int:
        """Members of the largest coalition that leaves an outsider: min(m, n_G - 1) [definitions §6]."""
        return min(m, self.contributors - 1)

    @cached_property
    def sizes(self) -> Ints:
        """(n_G,) records of each contributor."""
        sizes: Ints = self.counts.sum(axis=1)
        return sizes

    @cached_property
    def known(self) -> Bools:
        """(values,) whether each value is known; a missing one is not a separate value."""
        known: Bools = self.constraint.sensitive.is_known(self.values)
        return known

    @cached_property
    def holders(self) -> Counter[int]:
        """Number of known values of each set of holders; bit ``i`` of a set represents ``providers[i]``."""
        return Counter(
            sum(1 << place for place in np.flatnonzero(column).tolist()) for column in self.counts.T[self.known]
        )

    def breached_by(self, coalition: Sequence[int]) -> bool:
        """Whether the records left after a coalition removes its own fail the constraint."""
        policy = self.constraint.policy
        rest = self.counts.sum(axis=0) - self.counts[list(coalition)].sum(axis=0)
        return bool(rest.sum() < policy.k or np.count_nonzero(rest[self.known]) < (policy.l or 0))

    def shrunk(self, coalition: Sequence[int]) -> tuple[int, ...]:
        """Remove members as long as the others still breach: no member of the result is idle."""
        kept = list(coalition)
        # The weakest member first, so that the strongest stay.
        for member in sorted(coalition, key=lambda i: (int(self.sizes[i]), i)):
            fewer = [i for i in kept if i != member]
            if self.breached_by(fewer):
                kept = fewer
        return tuple(sorted(kept))


def score(size: Ints, distinct: Ints, policy: Policy, alpha: float) -> Floats:
    """Privacy fitness of sets of records [Goryczka 2011, Eq. 1; definitions §6].

    ``(1 - alpha) |T| / k + alpha |distinct values| / l``, and at most just below 1 if the
    set fails the constraint (the paper prints "max" for this; with "max" the score would not separate sets that fail
    from sets that meet the constraint). Without l, ``|T| / k``.
    """
    fitness = size / policy.k
    holds = size >= policy.k
    if policy.l is not None:
        fitness = (1.0 - alpha) * fitness + alpha * distinct / policy.l
        holds = holds & (distinct >= policy.l)
    # Rounded, so that values that are equal on paper are equal here, and ties fall the same way everywhere.
    return np.where(holds, np.round(fitness, 12), np.minimum(JUST_BELOW, np.round(fitness, 12)))
