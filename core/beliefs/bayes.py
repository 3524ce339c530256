"""Prior and posterior belief about everyone in a release [Allard 2023, Eq. 1 to 3].

Eq. 2 is the posterior of an adversary who does not know who else is in the class: pick a
record of the class, draw its quasi-identifiers from f(q | s, q*), and find the target's.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.base.arrays import Floats, Ints
from core.base.errors import ParameterError
from core.base.limits import LIMITS
from core.base.rates import Rate
from core.beliefs.background import Background
from core.beliefs.change import TOLERANCE, largest_changes, masses
from core.data.classes import distinct_columns
from core.release.release import Release


def posterior(prior: NDArray[Any], counts: NDArray[Any], over_class: NDArray[Any]) -> Floats:
    """Posterior belief beta of Eq. 2, for many targets at once.

    Parameters
    ----------
    prior
        (targets, values) f(s | q) of each target.
    counts
        (targets, values) or (values,) n(q*, s), records of each value in the target's class.
    over_class
        (targets, values) or (values,) f(s | q*).

    Returns
    -------
    ndarray
        (targets, values) shares; a row of zeros if background and release contradict each
        other: no value of the class is one that the adversary believes possible.

    Notes
    -----
    A value with f(s | q*) = 0 is believed impossible for everyone in the class and gets 0.
    """
    over = np.asarray(over_class, dtype=np.float64)
    likely = np.asarray(counts) * np.divide(prior, over, out=np.zeros(np.broadcast(prior, over).shape), where=over > 0)
    total = likely.sum(axis=1, keepdims=True)
    shares: Floats = np.divide(likely, total, out=np.zeros_like(likely), where=total > 0)
    return shares


@dataclass(frozen=True, eq=False)
class Beliefs:
    """Beliefs about everyone in a release.

    The belief is the same about all people of one class and one profile of the background: one *group* of people.
    Groups are sorted by class.

    Parameters
    ----------
    release, background
        What the beliefs are of.
    owner, profile, people
        (groups,) class, profile and number of records of each group.
    starts
        (classes + 1,) first group of each class.
    gain
        (groups,) largest |alpha - beta| over the sensitive values; 0 if contradicted.
    value
        (groups,) sensitive code at which it is reached; the first one in case of ties.
    before, after
        (groups,) alpha and beta of that value.
    contradicted
        (groups,) whether background and release contradict each other, so that there is no
        beta. Such people are counted separately and never as breached.
    """

    release: Release
    background: Background
    owner: Ints
    profile: Ints
    people: Ints
    starts: Ints
    gain: Floats
    value: Ints
    before: Floats
    after: Floats
    contradicted: NDArray[np.bool_]

    @property
    def total(self) -> int:
        """People in the classes of the release; suppressed ones are in none."""
        return int(self.people.sum())

    def breached(self, theta: float) -> NDArray[np.bool_]:
        """(groups,) whether |alpha - beta| >= theta for some value [Allard 2023, Eq. 3].

        Raises
        ------
        ParameterError
            If theta is not above 0 and at most 1.
        """
        return self.gain >= _theta(theta) - TOLERANCE

    def share(self, theta: float) -> Rate:
        """Share of the people breached at theta; exact for these people."""
        return Rate(float(self.people[self.breached(theta)].sum()) / self.total, self.total)

    def satisfied(self, theta: float) -> bool:
        """Whether the release satisfies Bayes-optimal privacy: every change is below theta."""
        return not self.breached(theta).any()

    @cached_property
    def apart(self) -> int:
        """People for whom background and release contradict each other."""
        return int(self.people[self.contradicted].sum())

    @cached_property
    def largest(self) -> int:
        """The group of people with the largest change, the first in case of ties."""
        return int(np.argmax(self.gain))

    @cached_property
    def _mass(self) -> Floats:
        return masses(self.release, self.background, self.owner, self.profile)

    def of_class(self, number: int) -> slice:
        """Groups of one class."""
        return slice(int(self.starts[number]), int(self.starts[number + 1]))

    def rows(self, number: int) -> tuple[Floats, Floats]:
        """Alpha and beta of the groups of one class, (groups, values) each."""
        part = self.of_class(number)
        prior = self.background.given[self.profile[part]]
        mass = self._mass[part]
        counts = np.zeros(prior.shape[1])
        codes, records = self.release.histogram.of_class(number)
        counts[codes] = records
        return prior, posterior(prior, counts, _mean(prior, mass, np.array([0])))

    def members(self, number: int) -> Ints:
        """Group of each record of a class, in the order of ``release.classes.members``."""
        part = self.of_class(number)
        profiles = self.background.profile[self.release.classes.members(number)]
        groups: Ints = part.start + np.searchsorted(self.profile[part], profiles)
        return groups

    def table(self, theta: float) -> pd.DataFrame:
        """One row per class: ``class_number``, ``size``, ``gain``, ``breached`` (people), ``contradicted`` (people)."""
        first = self.starts[:-1]
        return pd.DataFrame(
            {
                "class_number": np.arange(len(first)),
                "size": np.add.reduceat(self.people, first),
                "gain": np.maximum.reduceat(self.gain, first),
                "breached": np.add.reduceat(self.people * self.breached(theta), first),
                "contradicted": np.add.reduceat(self.people * self.contradicted, first),
            }
        )

    def curve(self, thetas: NDArray[Any]) -> Floats:
        """Share of the people breached at each theta; O((groups + thetas) log groups)."""
        order = np.argsort(self.gain)
        below = np.concatenate(([0], np.cumsum(self.people[order])))
        place = np.searchsorted(self.gain[order], np.asarray(thetas) - TOLERANCE)
        shares: Floats = 1 - below[place] / self.total
        return shares


def beliefs(release: Release, background: Background) -> Beliefs:
    """Compute how much a release changes the belief about everyone in it.

    Parameters
    ----------
    release
        A release; the class of each target is assumed to be known.
    background
        What the adversary believed before, over the records of the same table.

    Returns
    -------
    Beliefs

    Raises
    ------
    ParameterError
        If the background is that of another table, or the release has no class.

    Notes
    -----
    f(s | q*) is taken over the quasi-identifiers that were generalised to q*, those of the
    class's own members; for classes whose regions overlap (microaggregation) this lets the
    adversary know which class is meant. O(records log records + groups x values), some groups at
    a time.
    """
    release.encoded.need_rows("What an adversary believes", "release")
    release.encoded.need_one_record("What an adversary believes", "release")
    values = release.encoded.sensitive.size
    if len(background.profile) != len(release.encoded) or background.given.shape[1] != values:
        raise ParameterError(
            "The background belongs to another table than the release; make it from the release's own records.",
            parameter="background",
        )
    if release.classes.count == 0:
        raise ParameterError(
            "The release has no class, so there is no one to have a belief about.", parameter="release"
        )
    order = release.classes.order
    pair = np.stack([release.classes.labels[order].astype(np.int64), background.profile[order]])
    first, _, people = distinct_columns(pair)
    owner, profile = pair[0, first], pair[1, first]
    starts = np.searchsorted(owner, np.arange(release.classes.count + 1))
    mass = masses(release, background, owner, profile)
    best, value, before, after, lost = largest_changes(release, background, owner, profile, mass)
    return Beliefs(release, background, owner, profile, people, starts, best, value, before, after, lost)


def _theta(theta: float) -> float:
    LIMITS["theta"].check(theta, "theta")
    return float(theta)


def _mean(prior: Floats, mass: Floats, begins: Ints) -> Floats:
    """(classes, values) f(s | q*): the beliefs of a class's groups, weighed by f(q)."""
    total = np.add.reduceat(mass, begins)[:, None]
    held = np.add.reduceat(prior * mass[:, None], begins, axis=0)
    return np.divide(held, total, out=np.zeros_like(held), where=total > 0)
