"""The numbers a decision rests on: what each is called, its unit, and which way is better.

One list for the comparison of candidates, the requirements of an organisation, the report
and the command line. The formula of each is one step further, at its anchor in
``docs/definitions.md``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

LESS, MORE, NEITHER = "less", "more", ""
MET, ON_AVERAGE, NOT_MET = "met", "met on average only", "not met"
"""The three verdicts on a number under a limit: its whole interval meets it, its mean alone does, not even that."""


@dataclass(frozen=True)
class Columns:
    """Where a share of an attack stands in the frame of :func:`core.study.sweep.sweep`.

    Its interval stands beside it, in ``{value}_low`` and ``{value}_high`` (``low`` and ``high`` of
    ``share``).

    Parameters
    ----------
    value
        The share.
    single
        The same quantity from the best single release alone: what a share is compared with.
    wrong
        The part of the share that is wrong: false alarms.
    guess
        How often naming the commonest value for everybody is right; for hit rates alone, because
        nothing else is a quantity of its kind.
    one
        Whether it is read in the row of one value left; else in the row of the chosen confidence.
    """

    value: str
    single: str
    wrong: str = ""
    guess: str = ""
    one: bool = False

    @property
    def interval(self) -> tuple[str, str]:
        """Columns of the lower and upper end."""
        return ("low", "high") if self.value == "share" else (f"{self.value}_low", f"{self.value}_high")


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
    definition
        Where its formula stands: an anchor in ``docs/definitions.md``.
    columns
        Where a number of an attack comes from; ``None`` for all others.
    whole
        Metric that this one is the right part of; "" where it is none.
    """

    name: str
    words: str
    kind: str
    better: str
    group: str
    meaning: str
    definition: str
    columns: Columns | None = None
    whole: str = ""

    def meets(self, value: float, limit: float) -> bool:
        """Whether a value is on the good side of a limit, the limit itself included."""
        return value >= limit - 1e-12 if self.better == MORE else value <= limit + 1e-12

    def verdict(self, value: float, low: float | None, high: float | None, drawn: bool, limit: float) -> str:
        """Hold a number and its interval against a limit.

        Parameters
        ----------
        value
            The number, or its mean over redraws.
        low, high
            Its interval; ``None`` without one.
        drawn
            Whether chance takes part, so that without an interval nothing is known of another draw.
        limit
            What is required.

        Returns
        -------
        str
            :data:`MET` where the whole interval meets the limit, or an exact number does;
            :data:`ON_AVERAGE` where only the number does; else :data:`NOT_MET`.
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
        "Records in the smallest class, or persons where one column says whose each is, measured in the published "
        "table.",
        "s2-k",
    ),
    Metric(
        "distinct_l",
        "Distinct values per class (l)",
        "count",
        MORE,
        "guarantee",
        "Distinct sensitive values in the poorest class, measured in the published table.",
        "s2-distinct-l",
    ),
    Metric(
        "entropy_l",
        "Entropy of values per class (l)",
        "number",
        MORE,
        "guarantee",
        "exp of the smallest entropy of a class, measured in the published table.",
        "s2-entropy-l",
    ),
    Metric(
        "t",
        "Distance to the table (t)",
        "number",
        LESS,
        "guarantee",
        "Largest distance of a class from the whole table, measured in the published table.",
        "s2-t",
    ),
    Metric(
        "m",
        "Colluding providers withstood (m)",
        "count",
        MORE,
        "guarantee",
        "Any so many providers may pool what they know, and every class still meets k and l.",
        "s6-m",
    ),
    Metric(
        "perfect",
        "One value left (perfect breach)",
        "share",
        LESS,
        "exposure",
        "Shared people with a single sensitive value left after intersecting the releases, right or wrong.",
        "s4-perfect-breach",
        Columns("share", "single", "wrong", one=True),
    ),
    Metric(
        "perfect_right",
        "One value left, rightly",
        "share",
        LESS,
        "exposure",
        "Shared people with a single sensitive value left that is their own.",
        "s4-rightly-exposed",
        Columns("right", "right_single", one=True),
        "perfect",
    ),
    Metric(
        "breach",
        "Exposed at confidence C",
        "share",
        LESS,
        "exposure",
        "Shared people with at most 1/C sensitive values left after intersecting the releases, right or wrong.",
        "s4-breach",
        Columns("share", "single", "wrong"),
    ),
    Metric(
        "breach_right",
        "Rightly exposed at confidence C",
        "share",
        LESS,
        "exposure",
        "Shared people with at most 1/C sensitive values left, their own among them.",
        "s4-rightly-exposed",
        Columns("right", "right_single"),
        "breach",
    ),
    Metric(
        "weighted",
        "Exposed at C, weighted adversary",
        "share",
        LESS,
        "exposure",
        "Shared people of whom an adversary who weighs the values left is at least C sure, right or wrong.",
        "s4-weighted",
        Columns("weighted", "weighted_single", "weighted_wrong"),
    ),
    Metric(
        "weighted_right",
        "Rightly exposed at C, weighted adversary",
        "share",
        LESS,
        "exposure",
        "Shared people of whom an adversary who weighs the values left is at least C sure, and right.",
        "s4-weighted-rightly",
        Columns("weighted_right", "weighted_right_single"),
        "weighted",
    ),
    Metric(
        "category",
        "One category left",
        "share",
        LESS,
        "exposure",
        "Shared people whose values left all lie under one node of the sensitive taxonomy, right or wrong.",
        "s4-category",
        Columns("category", "category_single", "category_wrong"),
    ),
    Metric(
        "category_right",
        "One category left, rightly",
        "share",
        LESS,
        "exposure",
        "Shared people whose values left all lie under the node of their own value in the sensitive taxonomy.",
        "s4-category-rightly",
        Columns("category_right", "category_right_single"),
        "category",
    ),
    Metric(
        "hit",
        "Own value named, any left (hit rate)",
        "share",
        LESS,
        "exposure",
        "How often naming one of the values left at random is right, over all shared people.",
        "s4-hit-rate",
        Columns("hit", "hit_single", guess="guess_one"),
    ),
    Metric(
        "weighted_hit",
        "Own value named, by weights (hit rate)",
        "share",
        LESS,
        "exposure",
        "How often naming the likeliest value is right, over all shared people.",
        "s4-weighted-hit-rate",
        Columns("weighted_hit", "weighted_hit_single", guess="guess_one"),
    ),
    Metric(
        "expected",
        "One value left, expected (forecast)",
        "share",
        LESS,
        "anticipated",
        "Shared people expected to be left with a single sensitive value once one similar organisation publishes; "
        "calibrated in made true worlds.",
        "s5-expected",
    ),
    Metric(
        "forecast",
        "People in vulnerable classes (Sattar & Helal's estimate)",
        "share",
        LESS,
        "anticipated",
        "People in classes where l common values with a similar organisation are not likely enough; mostly far "
        "above the share of people exposed.",
        "s5-vulnerable-people",
    ),
    Metric(
        "pinned",
        "Pinned down (first estimate, knows no overlap)",
        "share",
        LESS,
        "anticipated",
        "Share of people whose own value alone would be left, whoever is shared; superseded by the calibrated "
        "forecast.",
        "s5-pinning",
    ),
    Metric(
        "dp_ceiling",
        "Ceiling with noise (differential privacy)",
        "share",
        LESS,
        "anticipated",
        "Highest confidence in any one value after as many noisy tables instead of releases, for somebody who "
        "beforehand believed what is named beside it and knows everything but the value.",
        "s8-ceiling",
    ),
    Metric(
        "loss",
        "Information loss",
        "share",
        LESS,
        "cost",
        "Detail of the quasi-identifiers given up: global certainty penalty.",
        "s9-loss",
    ),
    Metric(
        "query_error",
        "Error of a count",
        "number",
        LESS,
        "cost",
        "Mean absolute error, in records, of random counts answered from the release.",
        "s9-query-error",
    ),
)
METRICS: Mapping[str, Metric] = {metric.name: metric for metric in _ALL}
REQUIRABLE = tuple(metric.name for metric in _ALL if metric.better)
"""Metrics that an organisation can set a limit for."""
EXPOSED: Mapping[str, Columns] = {metric.name: metric.columns for metric in _ALL if metric.columns is not None}
"""Metrics of an attack on shared people, which depend on what is assumed of other hospitals."""
