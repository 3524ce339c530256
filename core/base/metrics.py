"""The numbers behind a decision: name, unit and better direction of each.

One list for the comparison of candidates, the requirements of those who decide, the report
and the command line. The formula of each is at its anchor in ``docs/definitions.md``.
"""

from __future__ import annotations

from dataclasses import dataclass

LESS, MORE, NEITHER = "less", "more", ""
MET, ON_AVERAGE, NOT_MET = "met", "met on average only", "not met"
"""The three verdicts on a number under a limit: its whole interval meets it, only its mean does, or neither."""
CONDITIONAL = "met under your assumptions"
"""The verdict if all limits are met, but one would not be under a plausible other assumption."""


@dataclass(frozen=True)
class Metric:
    """One number of a release or of an attack on it.

    Parameters
    ----------
    name
        Key everywhere.
    words
        Plain words first, symbol second.
    unit
        ``"share"`` (0 to 1, shown as per cent), ``"count"`` (whole), or ``"number"``.
    better
        ``"less"``, ``"more"``, or ``""`` if neither is better in itself.
    group
        ``"guarantee"``, ``"exposure"``, ``"anticipated"`` or ``"cost"``.
    meaning
        One plain sentence.
    definition
        Where its formula stands: an anchor in ``docs/definitions.md``.
    whole
        Metric of which this one is the correct part or another reading; it is not shown if both are the same. "" if
        there is none.
    start
        Initial limit on the page that asks for it.
    """

    name: str
    words: str
    unit: str
    better: str
    group: str
    meaning: str
    definition: str
    whole: str = ""
    start: float = 0.1

    def meets(self, value: float, limit: float) -> bool:
        """Whether a value is on the good side of a limit, the limit itself included."""
        return value >= limit - 1e-12 if self.better == MORE else value <= limit + 1e-12

    def verdict(self, value: float, low: float | None, high: float | None, drawn: bool, limit: float) -> str:
        """Compare a number and its interval with a limit.

        Parameters
        ----------
        value
            The number, or its mean over redraws.
        low, high
            Its interval; ``None`` without one.
        drawn
            Whether the number is random; without an interval nothing is then known about another draw.
        limit
            What is required.

        Returns
        -------
        str
            :data:`MET` if the whole interval or an exact number meets the limit; :data:`ON_AVERAGE` if only the mean
            does; else :data:`NOT_MET`.
        """
        if not self.meets(value, limit):
            return NOT_MET
        end = low if self.better == MORE else high
        if end is None:
            return ON_AVERAGE if drawn else MET
        return MET if self.meets(end, limit) else ON_AVERAGE


_ALL = (
    Metric(
        "classes",
        "Equivalence classes",
        "count",
        NEITHER,
        "guarantee",
        "Groups of records that share their published quasi-identifiers.",
        "s1-class",
    ),
    Metric(
        "k",
        "People per class (k)",
        "count",
        MORE,
        "guarantee",
        "Records in the smallest class, or persons if a column identifies them, measured in the published table.",
        "s2-k",
        start=5.0,
    ),
    Metric(
        "distinct_l",
        "Distinct values per class (l)",
        "count",
        MORE,
        "guarantee",
        "Distinct sensitive values in the poorest class, measured in the published table.",
        "s2-distinct-l",
        start=3.0,
    ),
    Metric(
        "entropy_l",
        "Entropy of values per class (l)",
        "number",
        MORE,
        "guarantee",
        "Smallest entropy of the sensitive values in a class, as the number of equally common values with that "
        "entropy. Measured in the published table.",
        "s2-entropy-l",
        start=2.0,
    ),
    Metric(
        "t",
        "Distance to the table (t)",
        "number",
        LESS,
        "guarantee",
        "Largest distance of a class from the whole table, measured in the published table.",
        "s2-t",
        start=0.4,
    ),
    Metric(
        "m",
        "Colluding providers withstood (m)",
        "count",
        MORE,
        "guarantee",
        "Any m providers may pool what they know, and every class still meets k and l.",
        "s6-m",
        start=1.0,
    ),
    Metric(
        "agreed",
        "Values left if all publishers keep the agreement",
        "count",
        MORE,
        "guarantee",
        "Fewest sensitive values left for anyone, however many publish under the same agreement; 0 if a class does "
        "not keep it. Measured in the published table.",
        "s11-closed",
        start=3.0,
    ),
    Metric(
        "average_risk",
        "Average re-identification risk",
        "share",
        LESS,
        "guarantee",
        "Expected share of people whose record is picked out by an adversary who tries each, one pick in the person's "
        "class: classes over people. Before others publish.",
        "s12-one",
        start=0.1,
    ),
    Metric(
        "forecast",
        "People in vulnerable classes (Sattar & Helal's estimate)",
        "share",
        LESS,
        "anticipated",
        "People in classes that are unlikely to have enough values in common with a similar hospital; usually far "
        "above the share of people exposed.",
        "s5-vulnerable-people",
        start=0.2,
    ),
    Metric(
        "dp_ceiling",
        "Ceiling with noise (differential privacy)",
        "share",
        LESS,
        "anticipated",
        "Highest confidence in a single value if every release were a noisy table, for an adversary who starts from "
        "the prior shown next to it and knows everything except the value.",
        "s8-ceiling",
        start=0.5,
    ),
    Metric(
        "loss",
        "Information loss",
        "share",
        LESS,
        "cost",
        "Detail of the quasi-identifiers lost: global certainty penalty.",
        "s9-loss",
        start=0.5,
    ),
    Metric(
        "query_error",
        "Error of a count",
        "number",
        LESS,
        "cost",
        "Mean absolute error, in records, of random counts answered from the release.",
        "s9-query-error",
        start=100.0,
    ),
)
GROUPS = ("guarantee", "exposure", "anticipated", "cost")
"""Groups of numbers, in the order of presentation; each can be assessed without the others."""
METRICS: dict[str, Metric] = {}
"""Every number by its name, group by group; ``core.attack.metrics`` adds those of an attack on shared people."""


def declare(*metrics: Metric) -> None:
    """Add numbers to the registry, each after those of its group."""
    every = [*METRICS.values(), *metrics]
    METRICS.clear()
    METRICS.update({metric.name: metric for group in GROUPS for metric in every if metric.group == group})


def requirable() -> tuple[str, ...]:
    """Names of the numbers that can have a limit."""
    return tuple(name for name, metric in METRICS.items() if metric.better)


declare(*_ALL)
