"""The forecast: the possible effect on mine of a second release not seen yet.

Def. 7 of [Sattar 2018] in two readings [definitions §5]. Everything is computed for all classes at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.base.arrays import Bools, Floats
from core.base.errors import ParameterError
from core.base.limits import LIMITS
from core.base.ranges import READINGS
from core.base.rates import Rate
from core.base.short import many, short
from core.data.encoding.marginals import Marginals
from core.forecast.occupancy import at_least, padded
from core.release.release import Release

TOLERANCE = 1e-9
"""A probability this close below C counts as C: rounding must not make a class vulnerable."""


@dataclass(frozen=True, eq=False)
class Forecast:
    """Expected risk of each class once another publisher releases a table.

    Parameters
    ----------
    release
        The release.
    region
        (classes,) probability that a person of the population falls into the region, p.
    common
        (classes,) probability that at least l of the class's values occur among the people of
        the hypothesised release in the same region.
    subset
        (classes,) joint probability that the l most likely of its values all occur there: no other l values have a
        higher probability. It is not the product of their single probabilities, which is too high, because one record
        has one value.
    l, confidence, others
        The publisher's l and C, and the records of the other hospital.
    """

    release: Release
    region: Floats
    common: Floats
    subset: Floats
    l: int  # noqa: E741 - the field's own name
    confidence: float
    others: int

    def __repr__(self) -> str:
        vulnerable = f"{np.count_nonzero(self.vulnerable()):,} vulnerable"
        return short(self, many(self.classes, "class", "classes"), vulnerable, f"l = {self.l}, C = {self.confidence:g}")

    @property
    def classes(self) -> int:
        """Number of classes."""
        return self.release.classes.count

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
        """Share of the published people in vulnerable classes; any one of a person's records is enough."""
        encoded, labels = self.release.encoded, self.release.classes.labels
        published, inside = np.zeros((2, int(encoded.person.max()) + 1), dtype=np.int64)
        kept = np.flatnonzero(labels >= 0)
        bad = kept[self.vulnerable(reading)[labels[kept]]]
        published[encoded.person[kept]], inside[encoded.person[bad]] = encoded.weight[kept], encoded.weight[bad]
        return Rate(float(inside.sum() / published.sum()), int(published.sum()))


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
        each other as they do in the table; the paper allows such knowledge if there is any.

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
    The estimate does not know who is shared, and ignores that the value of a shared person is always in both classes.

    O(records + triples x l); all classes of Adult at k = 5 in some tens of milliseconds.
    """
    population = Marginals.of(release.encoded) if population is None else population
    population.check(release.encoded)
    others = release.encoded.records if others is None else others
    _check(others, l, confidence)
    if not release.classes.count:
        raise ParameterError("Every record of the release is suppressed; there is no class to forecast.")
    in_table = release.classes.sizes / release.encoded.records
    region = in_table if joint else region_probability(release, population)
    cells = region[release.histogram.owner] * population.sensitive[release.histogram.value]
    common, subset = np.empty((2, release.classes.count))
    for part, rectangle in padded(release.histogram, cells):
        common[part] = at_least(rectangle, others, l)
        subset[part] = at_least(_largest(rectangle, l), others, l)
    return Forecast(release, region, common, subset, l, float(confidence), others)


def region_probability(release: Release, population: Marginals) -> Floats:
    """(classes,) p = product over quasi-identifiers of P(region), that of the values in the published cell."""
    product = np.ones(release.classes.count)
    for i, domain in enumerate(release.encoded.qids):
        inside = release.amount_in_cells(i, population.probability(i))
        # A region of everything has exactly all people, whatever the sum was rounded to.
        whole = release.amount_in_cells(i, np.ones(domain.size)) == domain.size
        product *= np.where(whole, 1.0, np.clip(inside, 0.0, 1.0))
    return product


def _largest(cells: Floats, wanted: int) -> Floats:
    """(classes, l) the l largest cells of each class."""
    if cells.shape[1] <= wanted:
        return cells
    return np.partition(cells, cells.shape[1] - wanted, axis=1)[:, -wanted:]


def _check(others: int, l: int, confidence: float) -> None:  # noqa: E741
    LIMITS["others"].check(others, "others")
    LIMITS["forecast l"].check(l, "l")
    LIMITS["confidence"].check(confidence, "confidence")
