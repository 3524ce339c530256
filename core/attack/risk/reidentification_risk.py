"""Compute the re-identification risk from the anonymity set of each person [definitions §12].

Regulators count people, not values: a person in an anonymity set of c is re-identified with probability 1 / c.
Which set that is depends on what the adversary knows. With one release it is the person's class, with several the
anonymity set after composition (:mod:`core.attack.anonymity_set`). An adversary who does not know that the person is in
the table has to search a whole population (journalist risk).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from core.base.arrays import Bools, Floats, Ints, mean_over
from core.base.errors import ParameterError

REGULATED_SIZE = 11
"""Anonymity set that the European Medicines Agency and Health Canada require: a risk of 0.09, 1 / 11
rounded.
"""
_CLOSE = 1e-12


@dataclass(frozen=True, eq=False)
class ReidentificationRisk:
    """Re-identification risk of each person.

    Parameters
    ----------
    chances
        (people,) 1 over the anonymity set; 0 for a person who cannot be in the set assumed for them.
    weight
        (people,) how many people each one stands for.
    """

    chances: Floats
    weight: Ints

    @classmethod
    def of(cls, anonymity_sets: Ints, weight: Ints, inside: Bools | None = None) -> ReidentificationRisk:
        """Create from the anonymity set of each person.

        Parameters
        ----------
        anonymity_sets
            (people,) size of each person's anonymity set, including the person.
        weight
            (people,) how many people each one stands for.
        inside
            (people,) whether the person may be in that set at all; all of them if it is ``None``.

        Raises
        ------
        ParameterError
            Without people, or with an empty set for a person who is said to be in it.
        """
        there = np.ones(len(anonymity_sets), dtype=bool) if inside is None else inside
        if not len(anonymity_sets) or (anonymity_sets[there] < 1).any():
            raise ParameterError("There are no people to count a risk for.", parameter="people")
        return cls(np.where(there, 1.0 / np.maximum(anonymity_sets, 1), 0.0), weight)

    @classmethod
    def of_classes(cls, sizes: Ints, anonymity_sets: Ints | None = None) -> ReidentificationRisk:
        """Create from all records of classes of these sizes; ``anonymity_sets``, if given, are of whole classes."""
        return cls.of(sizes if anonymity_sets is None else anonymity_sets, sizes)

    @property
    def people(self) -> int:
        """Number of people counted."""
        return int(self.weight.sum())

    @cached_property
    def highest(self) -> float:
        """Highest re-identification risk of a person (prosecutor risk): 1 over the smallest anonymity set."""
        return float(self.chances.max())

    @cached_property
    def average(self) -> float:
        """Expected share of people re-identified (marketer risk): in one release, classes over records."""
        return float(mean_over(self.chances, self.weight))

    def above(self, threshold: float) -> float:
        """Share of people with a risk above a threshold."""
        return float(mean_over(self.chances > threshold + _CLOSE, self.weight))

    @property
    def singled_out(self) -> float:
        """Share of people alone in their anonymity set."""
        return float(mean_over(self.chances >= 1.0, self.weight))


@dataclass(frozen=True)
class Preset:
    """Limits set by regulators, with their sources.

    Parameters
    ----------
    name, words
        Key and title.
    highest, above, average
        Limits on the highest risk, on the share of people with a risk above ``highest``, and on the average risk.
        ``None`` if there is none.
    citation
        Document with the limits.
    """

    name: str
    words: str
    highest: float
    above: float | None
    average: float | None
    citation: str

    @property
    def smallest_set(self) -> int:
        """Smallest anonymity set that meets the limit on the highest risk."""
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
"""Limits set by others. None of them certifies that a release is anonymous, and none considers composition."""
