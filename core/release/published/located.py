"""Candidate classes: those of a release that an adversary considers for a person.

If the class is assumed to be known, it is one class per person [Ganta 2008, Def. 6]; a reader of the published regions
may be left with several or none.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Ints
from core.base.short import many, short


@dataclass(frozen=True, eq=False)
class Located:
    """Candidate classes of P people in one release, person after person.

    Parameters
    ----------
    starts
        (P + 1,) index in ``classes`` of each person's first candidate.
    classes
        (candidates,) class numbers, ascending and distinct within a person.
    """

    starts: Ints
    classes: Ints

    def __repr__(self) -> str:
        return short(self, many(self.people, "person", "people"), f"{len(self.classes):,} candidates")

    @classmethod
    def one_each(cls, labels: NDArray[Any]) -> Located:
        """One class per person; -1 for none."""
        there = np.asarray(labels) >= 0
        return cls(np.concatenate(([0], np.cumsum(there))), np.asarray(labels)[there].astype(np.int64))

    def take(self, people: NDArray[Any]) -> Located:
        """Candidates of some of the people, in the order given."""
        counts = self.counts[people]
        starts = np.concatenate(([0], np.cumsum(counts)))
        offset = np.repeat(self.starts[:-1][people] - starts[:-1], counts)
        return Located(starts, self.classes[np.arange(int(starts[-1])) + offset])

    @property
    def people(self) -> int:
        """P, the number of people."""
        return len(self.starts) - 1

    @cached_property
    def counts(self) -> Ints:
        """(P,) candidate classes of each person; 0 for a person who fits no class."""
        return np.diff(self.starts)

    @cached_property
    def owner(self) -> Ints:
        """(candidates,) the person of each candidate class."""
        return np.repeat(np.arange(self.people), self.counts)

    def of_person(self, person: int) -> Ints:
        """Candidate classes of one person."""
        return self.classes[self.starts[person] : self.starts[person + 1]]
