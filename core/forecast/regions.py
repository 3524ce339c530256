"""Where classes lie, and how many people of a population lie there."""

from __future__ import annotations

import numpy as np

from core.base.arrays import Floats, Ints
from core.data.marginals import Marginals
from core.release.release import Release


def spans(release: Release) -> tuple[Ints, Ints]:
    """Lowest and highest code of each class, (classes, quasi-identifiers) each: the least region over its records.

    What Mondrian publishes; of microaggregation, which publishes centroids, it is the part of
    the population that a class stands for.
    """
    low, high = release.classes.lows_highs(release.encoded.codes)
    pairs = [domain.cover(low[:, i], high[:, i]) for i, domain in enumerate(release.encoded.qids)]
    return np.column_stack([pair[0] for pair in pairs]), np.column_stack([pair[1] for pair in pairs])


def region_probability(low: Ints, high: Ints, population: Marginals) -> Floats:
    """(classes,) p = product over quasi-identifiers of P(region), from cumulative marginals."""
    product = np.ones(len(low))
    for i in range(low.shape[1]):
        before = np.concatenate(([0.0], np.cumsum(population.probability(i))))
        inside = before[high[:, i] + 1] - before[low[:, i]]
        # A region of everything has exactly all people, whatever the sum was rounded to.
        whole = (low[:, i] == 0) & (high[:, i] == len(before) - 2)
        product *= np.where(whole, 1.0, np.clip(inside, 0.0, 1.0))
    return product


def cell_probability(release: Release, population: Marginals) -> Floats | None:
    """(classes,) the same where cells list values; ``None`` where every cell is a run of codes or a node."""
    if not any(release.lists_values(i) for i in range(len(release.encoded.qids))):
        return None
    product = np.ones(release.classes.count)
    for i, domain in enumerate(release.encoded.qids):
        inside = release.amount_in_cells(i, population.probability(i))
        whole = release.amount_in_cells(i, np.ones(domain.size)) == domain.size
        product *= np.where(whole, 1.0, np.clip(inside, 0.0, 1.0))
    return product
