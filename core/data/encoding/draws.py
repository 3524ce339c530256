"""Draw people from a frequency table: a count for each tuple, without listing people one by one.

People are exchangeable within a tuple, so a draw of people is a draw of counts, with the same distribution as the
counts of a draw of people. A part of a given size is drawn without replacement (multivariate hypergeometric), synthetic
people with replacement (multinomial).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from core.base.arrays import Floats, Ints
from core.base.limits import LIMITS
from core.data.classes import distinct_columns


def some_of(counts: Ints, people: int, rng: np.random.Generator) -> Ints:
    """(T,) number of people of each tuple among ``people``, drawn without replacement.

    A coin is tossed for everyone, then people are added or removed until the number is right: all sets of one size are
    equally likely, before and after. O(T + sqrt(people) log T), also above 10^9, the limit of numpy's hypergeometric
    draws.
    """
    total = int(counts.sum())
    drawn: Ints = rng.binomial(counts, people / total if total else 0.0)
    surplus = int(drawn.sum()) - people
    if surplus > 0:
        drawn = drawn - _distinct(drawn, surplus, rng)
    elif surplus < 0:
        drawn = drawn + _distinct(counts - drawn, -surplus, rng)
    return drawn


def _distinct(counts: Ints, people: int, rng: np.random.Generator) -> Ints:
    """(T,) the same for few people, by their positions among all."""
    ends = np.cumsum(counts)
    place = rng.choice(int(ends[-1]), size=people, replace=False, shuffle=False)
    return np.bincount(np.searchsorted(ends, place, side="right"), minlength=len(counts))


@dataclass(frozen=True, eq=False)
class Lots:
    """Distributions to draw from, one after the other.

    Parameters
    ----------
    amount
        (lots,) weight of each outcome, above 0.
    """

    amount: Floats | Ints
    _ends: Floats = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Precompute the cumulative sums."""
        object.__setattr__(self, "_ends", np.concatenate(([0.0], np.cumsum(self.amount, dtype=np.float64))))

    def draw(self, people: Ints, begin: Ints, end: Ints, rng: np.random.Generator) -> tuple[Ints, Ints, Ints]:
        """Let each of some groups draw from its distribution, with replacement.

        Parameters
        ----------
        people
            (groups,) number of people in each group.
        begin, end
            (groups,) the outcomes that each group draws from: ``amount[begin:end]``, at least one.
        rng
            Of the draws.

        Returns
        -------
        group, outcome, number
            Number of people of a group who drew an outcome (an index into ``amount``), if there are any; sorted.

        Raises
        ------
        LimitError
            If more than 50,000,000 people would have to be drawn one by one.

        Notes
        -----
        Groups of fewer people than outcomes draw person by person, O(people log lots); others outcome by outcome, each
        a binomial draw from the remaining people.
        """
        few = people <= end - begin
        LIMITS["drawn alone"].check(int(people[few].sum()), "overlap")
        small, of_small, many = self._by_person(people, begin, end, np.flatnonzero(few), rng)
        large, of_large, counted = self._by_outcome(people, begin, end, np.flatnonzero(~few), rng)
        group, outcome = np.concatenate((small, large)), np.concatenate((of_small, of_large))
        order = np.lexsort((outcome, group))
        return group[order], outcome[order], np.concatenate((many, counted))[order]

    def _by_person(
        self, people: Ints, begin: Ints, end: Ints, groups: Ints, rng: np.random.Generator
    ) -> tuple[Ints, Ints, Ints]:
        whose = np.repeat(groups, people[groups])
        low, high = self._ends[begin[whose]], self._ends[end[whose]]
        place = np.searchsorted(self._ends, low + rng.random(len(whose)) * (high - low), side="right") - 1
        place = np.clip(place, begin[whose], end[whose] - 1)
        if not len(whose):
            return whose, place, np.zeros(0, dtype=np.int64)
        first, _, number = distinct_columns(np.stack([whose, place]))
        return whose[first], place[first], number

    def _by_outcome(
        self, people: Ints, begin: Ints, end: Ints, groups: Ints, rng: np.random.Generator
    ) -> tuple[Ints, Ints, Ints]:
        left, place = people[groups], begin[groups].copy()
        parts = [(np.zeros(0, dtype=np.int64),) * 3]
        while len(groups):
            rest = self._ends[end[groups]] - self._ends[place]
            last = place == end[groups] - 1
            share = np.where(last, 1.0, np.minimum(self.amount[place] / np.maximum(rest, 1e-300), 1.0))
            drawn = rng.binomial(left, share)
            there = drawn > 0
            parts.append((groups[there], place[there], drawn[there]))
            left = left - drawn
            going = (left > 0) & ~last
            groups, left, place = groups[going], left[going], place[going] + 1
        group, outcome, number = (np.concatenate(part) for part in zip(*parts, strict=True))
        return group, outcome, number
