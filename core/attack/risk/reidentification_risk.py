"""How likely somebody picks out the right record, from the anonymity set that each person stands in [definitions §12].

Regulators count people, not values: a person in an anonymity set of c is found with probability 1 / c.
Which anonymity set that is depends on what the adversary knows. One release leaves a person's class;
several releases leave the anonymity set after composition (:mod:`core.attack.anonymity_set`); somebody who does
not know that the person is in the table has to look among all of a population.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from core.base.arrays import Bools, Floats, Ints, mean_over
from core.base.errors import ParameterError

REGULATED_SIZE = 11
"""Anonymity set that the European Medicines Agency and Health Canada ask for: a risk of 0.09, 1 / 11 rounded."""
_CLOSE = 1e-12


@dataclass(frozen=True, eq=False)
class ReidentificationRisk:
    """Chance that each person is found.

    Parameters
    ----------
    chances
        (people,) 1 over the anonymity set; 0 for a person who cannot be in what is taken for their anonymity set.
    weight
        (people,) how many people each one stands for.
    """

    chances: Floats
    weight: Ints

    @classmethod
    def of(cls, anonymity_sets: Ints, weight: Ints, inside: Bools | None = None) -> ReidentificationRisk:
        """Take the anonymity set of each person.

        Parameters
        ----------
        anonymity_sets
            (people,) people among whom each one stands, himself among them.
        weight
            (people,) how many people each one stands for.
        inside
            (people,) whether the person may be among them at all; everybody if it is ``None``.

        Raises
        ------
        ParameterError
            Without people, or with an anonymity set of nobody that somebody is said to be in.
        """
        there = np.ones(len(anonymity_sets), dtype=bool) if inside is None else inside
        if not len(anonymity_sets) or (anonymity_sets[there] < 1).any():
            raise ParameterError("There is no one whose risk could be counted.", parameter="people")
        return cls(np.where(there, 1.0 / np.maximum(anonymity_sets, 1), 0.0), weight)

    @classmethod
    def of_classes(cls, sizes: Ints, anonymity_sets: Ints | None = None) -> ReidentificationRisk:
        """Take every record of classes of some sizes; ``anonymity_sets``, if given, are those of whole classes."""
        return cls.of(sizes if anonymity_sets is None else anonymity_sets, sizes)

    @property
    def people(self) -> int:
        """How many people are counted."""
        return int(self.weight.sum())

    @cached_property
    def highest(self) -> float:
        """Probability that the person who is easiest to find is found: 1 over the smallest anonymity set."""
        return float(self.chances.max())

    @cached_property
    def average(self) -> float:
        """Expected share of people who are found by somebody who tries each: in one release, classes over records."""
        return float(mean_over(self.chances, self.weight))

    def above(self, threshold: float) -> float:
        """Share of people whose chance is larger than a threshold."""
        return float(mean_over(self.chances > threshold + _CLOSE, self.weight))

    @property
    def singled_out(self) -> float:
        """Share of people who stand alone."""
        return float(mean_over(self.chances >= 1.0, self.weight))


@dataclass(frozen=True)
class Preset:
    """Limits that somebody else set, with where they stand.

    Parameters
    ----------
    name, words
        Key, and what it is called.
    highest, above, average
        Largest chance of anybody; share of people whose chance is above ``highest``; mean chance.
        ``None`` if it says nothing.
    citation
        Where the limits stand.
    """

    name: str
    words: str
    highest: float
    above: float | None
    average: float | None
    citation: str

    @property
    def smallest_set(self) -> int:
        """Smallest anonymity set that keeps the highest chance."""
        return int(np.ceil(1.0 / self.highest - _CLOSE))


PRESETS = {
    preset.name: preset
    for preset in (
        Preset(
            "public",
            "Clinical reports for the public (EMA, Health Canada): 0.09",
            1 / REGULATED_SIZE,
            0.0,
            None,
            "European Medicines Agency, External guidance on the implementation of Policy 0070, 2016; Health Canada, "
            "Public Release of Clinical Information, guidance, 2019",
        ),
        Preset(
            "arx",
            "What ARX begins with: highest 0.20, average 0.05",
            0.2,
            0.05,
            0.05,
            "ARX Data Anonymization Tool, default thresholds of its risk analysis",
        ),
    )
}
"""Limits of others. None says that a release is anonymous, and none knows of composition."""
