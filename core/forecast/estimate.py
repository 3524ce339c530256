"""The forecast: what a second release that nobody has seen yet could do to mine.

Def. 7 of [Sattar 2018] in two readings [definitions §5]. Everything is computed for all classes at once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from core.base.arrays import Bools, Floats, Ints
from core.base.bounds import READINGS
from core.base.errors import ParameterError
from core.base.rates import Rate
from core.base.short import many, short
from core.data.classes import ClassHistogram
from core.data.marginals import Marginals
from core.forecast.presence import at_least, padded, present
from core.forecast.regions import cell_probability, region_probability, spans
from core.release.release import Release

"""Readings of "the probability of appearing l common sensitive values" [Sattar 2018, Def. 7]."""
MOST_OTHERS = 1_000_000_000
TOLERANCE = 1e-9
"""A probability this close below C counts as C: rounding must not make a class vulnerable."""


@dataclass(frozen=True, eq=False)
class Records:
    """Records of persons who may have several.

    Parameters
    ----------
    person
        (records,) whose each is, in numbers from 0.
    triple
        (records,) its place among the triples of the class histogram.
    """

    person: Ints
    triple: Ints

    @classmethod
    def of(cls, release: Release) -> Records | None:
        """Records of a release that are in a class; ``None`` where every record is a person."""
        if not release.encoded.several:
            return None
        there = release.classes.labels >= 0
        values = release.encoded.sensitive.size
        key = release.histogram.owner * values + release.histogram.value
        cell = release.classes.labels[there].astype(np.int64) * values + release.encoded.secret[there]
        person = np.unique(release.encoded.person[there], return_inverse=True)[1]
        return cls(person.astype(np.int64), np.searchsorted(key, cell))

    def most(self, numbers: Floats) -> Floats:
        """(persons,) largest of the numbers, one a triple, over the records of each person."""
        most = np.full(int(self.person.max(initial=-1)) + 1, -np.inf)
        np.maximum.at(most, self.person, numbers[self.triple])
        return most


@dataclass(frozen=True, eq=False)
class Forecast:
    """What is to be expected of each class once somebody else has published.

    Parameters
    ----------
    histogram
        Sensitive values of each class.
    low, high
        (classes, quasi-identifiers) the regions, as codes.
    region
        (classes,) probability that a person of the population falls into the region, p.
    common
        (classes,) probability that at least l of the class's values occur among the people of
        the hypothesised release in the same region.
    subset
        (classes,) joint probability that the l likeliest of its values all occur there: no other
        l values are likelier to. Not the product of their single probabilities, which is too
        high, because one record has one value.
    presence
        (triples,) probability that this value of the class occurs there.
    l, confidence, others
        The publisher's l and C, and the records of the other hospital.
    from_table
        Columns whose population shares were counted in the table itself.
    joint
        Whether ``region`` is the class's share of the table instead of a product of marginals.
    records
        Whose each record is, where persons have several. Shares of people are then those of
        persons: somebody is in a vulnerable class if any of the own records is.
    """

    histogram: ClassHistogram
    low: Ints
    high: Ints
    region: Floats
    common: Floats
    subset: Floats
    presence: Floats
    l: int  # noqa: E741 - the field's own name
    confidence: float
    others: int
    from_table: tuple[str, ...] = ()
    joint: bool = False
    records: Records | None = None

    def __repr__(self) -> str:
        vulnerable = f"{np.count_nonzero(self.vulnerable()):,} vulnerable"
        return short(self, many(self.classes, "class", "classes"), vulnerable, f"l = {self.l}, C = {self.confidence:g}")

    @property
    def classes(self) -> int:
        """Number of classes."""
        return self.histogram.classes

    @property
    def sizes(self) -> Ints:
        """(classes,) people in each class."""
        return self.histogram.people

    def probability(self, reading: str = "at least l") -> Floats:
        """(classes,) the probability that Def. 7 compares with C, in one reading."""
        if reading not in READINGS:
            raise ParameterError(f"reading must be one of {', '.join(READINGS)}.", parameter="reading")
        return self.common if reading == "at least l" else self.subset

    def vulnerable(self, reading: str = "at least l") -> Bools:
        """(classes,) whether that probability is below C [Sattar 2018, Def. 7]."""
        return self.probability(reading) < self.confidence - TOLERANCE

    def risk(self, reading: str = "at least l") -> Rate:
        """Share of the classes that are vulnerable [Sattar 2018, Eq. 1]; ``n`` is the number of classes."""
        return Rate(float(self.vulnerable(reading).mean()), self.classes)

    def people(self, reading: str = "at least l") -> Rate:
        """Share of the people published who are in vulnerable classes."""
        if self.records is not None:
            in_one = self.records.most(self.vulnerable(reading)[self.histogram.owner].astype(np.float64))
            return Rate(float(in_one.mean()), len(in_one))
        return Rate(float(self.sizes[self.vulnerable(reading)].sum() / self.sizes.sum()), int(self.sizes.sum()))

    @property
    def expected_common(self) -> Floats:
        """(classes,) expected number of the class's values that occur in the hypothesised class."""
        expected: Floats = np.add.reduceat(self.presence, self.histogram.starts)
        return expected

    def table(self, reading: str = "at least l") -> pd.DataFrame:
        """One row a class, for browsing.

        Columns ``class_number, size, distinct, people_elsewhere`` (n p, people expected in the
        same region of the hypothesised release), ``expected_common, probability,
        vulnerable``.
        """
        return pd.DataFrame(
            {
                "class_number": np.arange(self.classes),
                "size": self.sizes,
                "distinct": self.histogram.distinct,
                "people_elsewhere": self.others * self.region,
                "expected_common": self.expected_common,
                "probability": self.probability(reading),
                "vulnerable": self.vulnerable(reading),
            }
        )

    def of_class(self, number: int) -> tuple[Ints, Ints, Floats]:
        """Values of one class, their counts, and how likely each is to be shared."""
        values, counts = self.histogram.of_class(number)
        start = self.histogram.starts[number]
        return values, counts, self.presence[start : start + len(values)]


def forecast(
    release: Release,
    population: Marginals | None = None,
    others: int | None = None,
    l: int = 2,  # noqa: E741
    confidence: float = 0.9,
    joint: bool = False,
) -> Forecast:
    """Forecast the composition risk of a release before anyone else has published.

    Parameters
    ----------
    release
        The publisher's own release.
    population
        P(q) and P(s), over the domains of the release; counted in the table by default.
    others
        n, records of the hypothesised other release; as many as the table has by default.
    l
        The publisher's l: fewer values in both classes than this are a breach [Sattar 2018, Def. 3].
    confidence
        The publisher's C, above 0 and at most 1: a class is vulnerable when l shared values
        are less likely than this [Sattar 2018, Def. 7].
    joint
        Take the region probability of a class as its share of the publisher's own records
        instead of the product of marginals of Def. 5. Ours: quasi-identifiers then depend on
        each other as they do in the table; the paper allows such knowledge where there is any.

    Returns
    -------
    Forecast
        Per class and overall.

    Raises
    ------
    ParameterError
        If a parameter is out of its range, or the marginals are of other columns.

    Notes
    -----
    The estimate does not know who is shared, and forgets that the value of a shared person is
    always in both classes.

    O(records + triples x l); all classes of Adult at k = 5 in some tens of milliseconds.
    """
    encoded = release.encoded
    chosen = Marginals.of(encoded) if population is None else population
    chosen.check(encoded)
    if not release.classes.count:
        raise ParameterError("Every record of the release is suppressed; there is no class to forecast.")
    region = release.classes.sizes / encoded.records if joint else cell_probability(release, chosen)
    n = encoded.records if others is None else others
    estimate = of_regions(release.histogram, Regions(*spans(release), region), chosen, n, l, confidence)
    return replace(estimate, joint=joint, records=Records.of(release))


@dataclass(frozen=True, eq=False)
class Regions:
    """Regions of classes.

    Parameters
    ----------
    low, high
        (classes, quasi-identifiers) lowest and highest code.
    probability
        (classes,) that a person of the population falls into each; ``None``: the product of the
        marginals between the two codes.
    """

    low: Ints
    high: Ints
    probability: Floats | None


def of_regions(
    histogram: ClassHistogram,
    regions: Regions,
    population: Marginals,
    others: int,
    l: int = 2,  # noqa: E741
    confidence: float = 0.9,
) -> Forecast:
    """Forecast from class histograms and their regions; see :func:`forecast`."""
    _check(others, l, confidence)
    region = regions.probability
    if region is None:
        region = region_probability(regions.low, regions.high, population)
    cells = region[histogram.owner] * population.sensitive[histogram.value]
    common, subset = np.empty((2, histogram.classes))
    for part, rectangle in padded(histogram, cells):
        common[part] = at_least(rectangle, others, l)
        subset[part] = at_least(_largest(rectangle, l), others, l)
    return Forecast(
        histogram,
        regions.low,
        regions.high,
        region,
        common,
        subset,
        present(cells, others),
        l,
        float(confidence),
        others,
        population.from_table,
    )


def _largest(cells: Floats, wanted: int) -> Floats:
    """(classes, l) the l largest cells of each class."""
    if cells.shape[1] <= wanted:
        return cells
    return np.partition(cells, cells.shape[1] - wanted, axis=1)[:, -wanted:]


def _check(others: int, l: int, confidence: float) -> None:  # noqa: E741
    given: tuple[tuple[str, Any, int], ...] = (("others", others, MOST_OTHERS), ("l", l, 1_000))
    for name, value, most in given:
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 1 <= value <= most:
            raise ParameterError(f"{name} must be a whole number from 1 to {most:,}.", parameter=name)
    share: Any = confidence
    if isinstance(share, bool) or not isinstance(share, int | float | np.number) or not 0 < share <= 1:
        raise ParameterError("The confidence must be above 0 and at most 1.", parameter="confidence")
