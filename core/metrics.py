"""The numbers a decision rests on: what each is called, its unit, and which way is better.

One list for the comparison of candidates, the requirements of an organisation, the report
and the command line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

LESS, MORE, NEITHER = "less", "more", ""


@dataclass(frozen=True)
class Metric:
    """One number of a release or of an attack on it.

    Parameters
    ----------
    name
        Key everywhere.
    words
        Plain words first, symbol second.
    kind
        ``"share"`` (0 to 1, shown as per cent), ``"count"`` (whole), or ``"number"``.
    better
        ``"less"``, ``"more"``, or ``""`` where neither is better in itself.
    group
        ``"guarantee"``, ``"exposure"``, ``"anticipated"`` or ``"cost"``.
    meaning
        One plain sentence.
    """

    name: str
    words: str
    kind: str
    better: str
    group: str
    meaning: str

    def meets(self, value: float, limit: float) -> bool:
        """Whether a value is on the good side of a limit, the limit itself included."""
        return value >= limit - 1e-12 if self.better == MORE else value <= limit + 1e-12


_ALL = (
    Metric("classes", "Equivalence classes", "count", NEITHER, "guarantee",
           "Groups of records that share their published quasi-identifiers."),
    Metric("k", "People per class (k)", "count", MORE, "guarantee",
           "Records in the smallest class, measured in the published table."),
    Metric("distinct_l", "Distinct values per class (l)", "count", MORE, "guarantee",
           "Distinct sensitive values in the poorest class, measured in the published table."),
    Metric("entropy_l", "Entropy of values per class (l)", "number", MORE, "guarantee",
           "exp of the smallest entropy of a class, measured in the published table."),
    Metric("t", "Distance to the table (t)", "number", LESS, "guarantee",
           "Largest distance of a class from the whole table, measured in the published table."),
    Metric("m", "Colluding providers withstood (m)", "count", MORE, "guarantee",
           "Any so many providers may pool what they know, and every class still meets k and l."),
    Metric("perfect", "One value left (perfect breach)", "share", LESS, "exposure",
           "Shared people with a single sensitive value left after intersecting the releases."),
    Metric("breach", "Exposed at confidence C", "share", LESS, "exposure",
           "Shared people with at most 1/C sensitive values left after intersecting the releases."),
    Metric("weighted", "Exposed at C, weighted adversary", "share", LESS, "exposure",
           "Shared people of whom an adversary who weighs the values left is at least C sure."),
    Metric("category", "One category left", "share", LESS, "exposure",
           "Shared people whose values left all lie under one node of the sensitive taxonomy."),
    Metric("forecast", "People in vulnerable classes (forecast)", "share", LESS, "anticipated",
           "People in classes where l common values with a similar organisation are not likely enough."),
    Metric("pinned", "Pinned down (forecast)", "share", LESS, "anticipated",
           "Share of people whose own value alone is expected to be left once a similar organisation publishes."),
    Metric("dp_ceiling", "Ceiling with noise (differential privacy)", "share", LESS, "anticipated",
           "Highest confidence in any one value after as many noisy tables instead of releases, whatever is known "
           "beside them, for somebody who held all values equally likely."),
    Metric("loss", "Information loss", "share", LESS, "cost",
           "Detail of the quasi-identifiers given up: global certainty penalty."),
    Metric("query_error", "Error of a count", "number", LESS, "cost",
           "Mean absolute error, in records, of random counts answered from the release."),
)  # fmt: skip
METRICS: Mapping[str, Metric] = {metric.name: metric for metric in _ALL}
REQUIRABLE = tuple(metric.name for metric in _ALL if metric.better)
"""Metrics that an organisation can set a limit for."""
