"""Cost of a release: the detail that the publisher gives up.

Every measure states its range and which direction is better, so that a table of them needs no explanation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.base.arrays import Floats
from core.release.release import Release

__all__ = ["UtilityMeasure", "c_avg", "discernibility", "gcp", "loss_by_attribute", "ncp", "utility"]


@dataclass(frozen=True)
class UtilityMeasure:
    """One number of utility.

    Parameters
    ----------
    name, value
        Name and value of the measure.
    low, high
        Its range for this table.
    better
        ``"lower"`` or ``"higher"``.
    meaning
        One plain sentence.
    """

    name: str
    value: float
    low: float
    high: float
    better: str
    meaning: str


def ncp(release: Release) -> Floats:
    """Normalised certainty penalty of each class and quasi-identifier, 0 to 1 [definitions §9].

    Numeric and ordinal: width of the range over the table's, 1 if a missing value is in the region with others.
    Categorical: values in the region over values in the domain, 0 for a single value. (classes, quasi-identifiers).
    """
    low, high, absent = release.regions
    columns = []
    for i, domain in enumerate(release.encoded.qids):
        if release.lists_values(i):
            cells = release.value_sets(i)
            columns.append((np.where(cells.counts > 1, cells.counts, 0) / domain.size)[cells.which])
            continue
        width = np.where(low[:, i] == high[:, i], 0.0, domain.width(low[:, i], high[:, i]))
        if absent[:, i].any():
            wide = 1.0 if domain.column_type.ordered else release.amount_in_cells(i, np.ones(domain.size)) / domain.size
            width = np.where(absent[:, i], wide, width)
        columns.append(width)
    return np.column_stack(columns)


def gcp(release: Release) -> float:
    """Global certainty penalty: mean NCP over records and quasi-identifiers; suppressed records count 1."""
    lost = ncp(release).mean(axis=1)
    kept = float((lost * release.classes.sizes).sum())
    return (kept + release.classes.suppressed) / release.encoded.records


def discernibility(release: Release) -> int:
    """Sum of squared class sizes, in records; a suppressed record counts as the whole table."""
    return int((release.classes.sizes**2).sum()) + release.classes.suppressed * release.encoded.records


def c_avg(release: Release) -> float:
    """Average class size over k, in people: (n / classes) / k; 1 is the best possible."""
    return float(release.sizes.mean()) / release.policy.k


def utility(release: Release) -> tuple[UtilityMeasure, ...]:
    """All measures of one release, in the order a page shows them; O(records x quasi-identifiers)."""
    n, sizes = release.encoded.records, release.sizes
    k = release.policy.k
    return (
        UtilityMeasure(
            "Information loss (GCP)",
            gcp(release),
            0,
            1,
            "lower",
            "How much of each value's range is blurred, averaged over people and quasi-identifiers.",
        ),
        UtilityMeasure(
            "Average class size", float(sizes.mean()), k, n, "lower", "People per class; k is the best possible."
        ),
        UtilityMeasure(
            "Average class size over k (C_avg)",
            c_avg(release),
            1,
            n / k,
            "lower",
            "1 means that no class is larger than it must be.",
        ),
        UtilityMeasure("Classes", float(len(sizes)), 1, n // k, "higher", "More classes keep more detail."),
        UtilityMeasure("Largest class", float(sizes.max()), k, n, "lower", "People in the largest class."),
        UtilityMeasure(
            "Discernibility",
            float(discernibility(release)),
            float(n * min(k, n)),
            float(n) * n,
            "lower",
            "Sum of squared class sizes.",
        ),
    )


def loss_by_attribute(release: Release) -> dict[str, float]:
    """Mean NCP of each quasi-identifier over the records kept."""
    weight = release.classes.sizes / release.classes.sizes.sum()
    mean = (ncp(release) * weight[:, None]).sum(axis=0)
    return {domain.name: float(value) for domain, value in zip(release.encoded.qids, mean, strict=True)}
