"""Real effect of a second release on a first one, if both are known [Sattar 2018, Def. 2-4, Eq. 1]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.attack.intersection import by_record, intersection_attack
from core.base.arrays import Bools, Ints
from core.base.limits import LIMITS
from core.base.rates import Rate
from core.release.release import Release


@dataclass(frozen=True, eq=False)
class RealRisk:
    """Which classes of the first release are vulnerable to a second one.

    Parameters
    ----------
    shared
        (classes,) records of the class whose people are in the other release too.
    fewest
        (classes,) fewest values common to both classes of such a person; -1 if there is none, or if none of their
        classes match.
    left
        (people,) values common to both classes of each shared person; 0 if they do not
        match.
    l
        The publisher's l.
    """

    shared: Ints
    fewest: Ints
    left: Ints
    l: int  # noqa: E741

    @property
    def vulnerable(self) -> Bools:
        """(classes,) whether fewer than l values are common for some shared person [Sattar 2018, Def. 4]."""
        return (self.fewest > 0) & (self.fewest < self.l)

    @property
    def over_all(self) -> Rate:
        """Share of all classes that are vulnerable [Sattar 2018, Eq. 1]; ``n`` is the number of classes."""
        return Rate(float(self.vulnerable.mean()), len(self.vulnerable))

    @property
    def over_shared(self) -> Rate:
        """Share of the classes with a shared person that are vulnerable; no other class can be."""
        count = int(np.count_nonzero(self.shared))
        return Rate(float(self.vulnerable.sum() / max(1, count)), count)

    @property
    def breached(self) -> Rate:
        """Share of the shared people with fewer than l values left, and at least one."""
        return Rate(float(((self.left > 0) & (self.left < self.l)).mean()), len(self.left))


def real_risk(
    mine: Release,
    other: Release,
    people: Sequence[NDArray[Any] | Sequence[int]],
    l: int = 2,  # noqa: E741
) -> RealRisk:
    """Risk of a release against a second one that is known [Sattar 2018, Def. 2-4, Eq. 1].

    Parameters
    ----------
    mine, other
        The two releases.
    people
        For each, the positions of the shared people among its input rows, in one order.
    l
        The publisher's l.

    Returns
    -------
    RealRisk

    Raises
    ------
    ParameterError
        As :func:`core.intersection_attack`, or if l is below 1.

    Notes
    -----
    The classes of a shared person are those they are in, so the regions intersect in their values, and the match of
    Def. 2 reduces to a common sensitive value. Classes without one do not match: no breach. That a person's region
    differs between the hospitals, because one of them recorded other values, is not considered. O(classes x values /
    64 + people).
    """
    LIMITS["forecast l"].check(l, "l")
    # Every record of a person counts for its class; a person counts with the one that leaves the fewest values.
    result = by_record([mine, other], people)
    label = mine.labels[np.asarray(people[0], dtype=np.int64)]
    there = label >= 0
    shared = np.bincount(label[there], minlength=mine.classes.count)
    left = (
        intersection_attack([mine, other], people).posterior if mine.encoded.has_multiple_records else result.posterior
    )
    none = np.iinfo(np.int64).max
    fewest = np.full(mine.classes.count, none)
    matched = there & (result.posterior > 0)
    np.minimum.at(fewest, label[matched], result.posterior[matched])
    return RealRisk(shared, np.where(fewest == none, -1, fewest), left, l)
