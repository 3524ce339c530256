"""One scenario, assessed: every number that a decision rests on, each with what it is a number of."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from core.anonymize import PROVIDER_ALGORITHMS, partition
from core.coalitions import m_private
from core.curves import sweep
from core.dp import ceiling
from core.encoding import Encoded
from core.errors import CompositionError
from core.forecast import Question
from core.marginals import Marginals
from core.measure import Guarantee, measure
from core.metrics import METRICS
from core.release import Release
from core.scenario import Scenario
from core.uploads import Foreign, Upload
from core.utility import gcp, query_error

Progress = Callable[[float], None]

GROUPS = ("guarantee", "exposure", "anticipated", "cost")
"""Groups of :data:`core.metrics.METRICS`, which can be assessed one without the other."""
LEVELS = (1.0, 0.5, 0.25)
"""Confidences that every assessment shows beside the chosen one."""


@dataclass(frozen=True)
class Number:
    """One number with what it stands on.

    Parameters
    ----------
    value
        Of the metric, in its unit.
    n, of
        How many of what it is a number of: "shared people", "people", "records", "classes", ...
    low, high
        Where 95 % of redraws fall; ``None`` where the number is exact for these ``n``.
    single, guess
        The same share from the best single release alone, and from guessing; exposure only.
    """

    value: float
    n: int
    of: str
    low: float | None = None
    high: float | None = None
    single: float | None = None
    guess: float | None = None


@dataclass(frozen=True, eq=False)
class Assessment:
    """What a scenario comes to on its data.

    Parameters
    ----------
    scenario
        What was assessed.
    numbers
        By name of :data:`core.metrics.METRICS`, in that order.
    not_assessed
        Why a metric has no number, by its name.
    records
        Of the table.
    guarantee
        Of my release of the whole table, measured in what would be published.
    exposure
        Output of :func:`core.curves.sweep` for the present setting, a row a confidence; empty
        where exposure was not wanted.
    """

    scenario: Scenario
    numbers: Mapping[str, Number]
    not_assessed: Mapping[str, str]
    records: int
    guarantee: Guarantee
    exposure: pd.DataFrame

    @property
    def simulated_only(self) -> bool:
        """Whether no real release of another organisation was considered."""
        return not self.scenario.uploads


def confidences(scenario: Scenario) -> tuple[float, ...]:
    """One value left, two, four, and the chosen confidence; highest first."""
    return tuple(sorted({*LEVELS, scenario.confidence}, reverse=True))


def assess(
    encoded: Encoded,
    scenario: Scenario,
    files: Mapping[Upload, Foreign] | None = None,
    marginals: Marginals | None = None,
    progress: Progress | None = None,
    *,
    release: Release | None = None,
    exposure: pd.DataFrame | None = None,
    groups: Collection[str] = GROUPS,
) -> Assessment:
    """Release, measure, attack, forecast, and count the cost, all under one scenario.

    Parameters
    ----------
    encoded
        The table under the schema of the scenario.
    scenario
        Every choice.
    files
        What the uploads of the scenario became.
    marginals
        Population statistics, where the scenario takes them from a file.
    progress
        Called with the share done; an exception it raises cancels the run.
    release, exposure
        My release of the whole table and the breach at :func:`confidences` over the
        scenario's redraws, where they are known already.
    groups
        Which of :data:`GROUPS` are wanted; the numbers of others are left out.

    Returns
    -------
    Assessment
        Same data and scenario, same numbers: the attack is simulated with the seed of the
        scenario, all else is exact.

    Raises
    ------
    ParameterError, InfeasibleError
        With the parameter at fault, where the policy cannot be met by the table or the
        hospitals cannot be drawn.

    Notes
    -----
    Some ``repeats x hospitals`` partitions of the table.
    """
    mine, step = scenario.mine, _part(progress)
    if release is None:
        release = partition(encoded, mine.policy, mine.algorithm, step(0.0, 0.1))
    guarantee = measure(release.publish(seed=scenario.seed), scenario.schema, mine.policy.distance)
    numbers: dict[str, Number] = {}
    absent: dict[str, str] = {}
    if "guarantee" in groups:
        numbers, absent = guaranteed(release, guarantee)
    if "exposure" in groups:
        if exposure is None:
            exposure = sweep(
                encoded, scenario.study, "releases", [len(scenario.hospitals)], confidences(scenario),
                scenario.repeats, scenario.seed, step(0.1, 0.9), files, scenario.category_level,
            )  # fmt: skip
        numbers |= _exposed(exposure, scenario, absent)
    if "anticipated" in groups:
        numbers |= anticipated(release, scenario, marginals, absent)
    if "cost" in groups:
        error = query_error(release, seed=scenario.seed)
        numbers["loss"] = Number(gcp(release), len(encoded), "records")
        numbers["query_error"] = Number(error.absolute, len(error.truth), "random counts")
    if progress is not None:
        progress(1.0)
    ordered = {name: numbers[name] for name in METRICS if name in numbers}
    return Assessment(
        scenario, ordered, absent, len(encoded), guarantee, pd.DataFrame() if exposure is None else exposure
    )


def _part(progress: Progress | None) -> Callable[[float, float], Progress | None]:
    def part(begin: float, end: float) -> Progress | None:
        return None if progress is None else lambda share: progress(begin + share * (end - begin))

    return part


def guaranteed(release: Release, found: Guarantee) -> tuple[dict[str, Number], dict[str, str]]:
    """Numbers of what a release guarantees, as measured, and why one is absent."""
    numbers = {
        "classes": Number(found.classes, found.rows, "records"),
        "k": Number(found.k, found.classes, "classes"),
        "distinct_l": Number(found.distinct_l, found.classes, "classes"),
        "entropy_l": Number(found.entropy_l, found.classes, "classes"),
        "t": Number(found.t, found.classes, "classes"),
    }
    absent = {}
    if release.encoded.provider is None:
        absent["m"] = "No column names the providers of the records."
    elif release.policy.m is None and release.algorithm not in PROVIDER_ALGORITHMS:
        absent["m"] = "Nothing was asked against colluding providers."
    else:
        assert release.encoded.source is not None
        providers = len(np.unique(release.encoded.source))
        numbers["m"] = Number(most_colluding(release), providers, "providers")
    return numbers, absent


def most_colluding(release: Release) -> int:
    """Largest m for which a release withstands all coalitions of m providers; -1 where not even of none.

    What withstands m providers withstands fewer, so the range is halved.
    """
    assert release.encoded.source is not None
    holds, breaks = -1, len(np.unique(release.encoded.source))
    while breaks - holds > 1:
        m = (holds + breaks) // 2
        if m_private(release, m=m, strategy="shortcut").holds:
            holds = m
        else:
            breaks = m
    return holds


def _exposed(frame: pd.DataFrame, scenario: Scenario, absent: dict[str, str]) -> dict[str, Number]:
    rows = {row["confidence"]: row for row in frame.to_dict("records")}
    perfect, chosen = rows[1.0], rows[scenario.confidence]
    numbers = {
        "perfect": _share(perfect, "share", "low", "high", "single", "guess"),
        "breach": _share(chosen, "share", "low", "high", "single", "guess"),
        "weighted": _share(chosen, "weighted", "weighted_low", "weighted_high"),
    }
    if scenario.category_level is None:
        absent["category"] = "No level of the sensitive attribute's taxonomy was chosen."
    else:
        numbers["category"] = _share(
            chosen, "category", "category_low", "category_high", "category_single", "category_guess"
        )
    return numbers


def _share(row: dict[Any, Any], *names: str) -> Number:
    value, low, high, single, guess = (_known(row[name]) for name in (*names, *["value"] * (5 - len(names))))
    if len(names) < 5:
        single = guess = None
    assert value is not None
    return Number(value, int(row["n"]), "shared people", low, high, single, guess)


def _known(value: Any) -> float | None:
    number = float(value)
    return None if math.isnan(number) else number


def question(scenario: Scenario, marginals: Marginals | None = None) -> Question:
    """What the scenario asks of the forecast."""
    asked = scenario.forecast
    return Question(marginals, asked.others, asked.class_size, asked.l, asked.confidence, asked.source == "joint")


def anticipated(
    release: Release, scenario: Scenario, marginals: Marginals | None, absent: dict[str, str]
) -> dict[str, Number]:
    """Numbers that need no release of anybody else; why one is absent goes into ``absent``."""
    asked, numbers = scenario.forecast, {}
    if asked.source == "file" and marginals is None:
        absent["forecast"] = absent["pinned"] = "The file of population statistics was not given."
    else:
        try:
            found = question(scenario, marginals).of(release)
        except CompositionError as error:
            absent["forecast"] = absent["pinned"] = error.message
        else:
            people = found.people(asked.reading)
            numbers["forecast"] = Number(people.value, people.n, "people")
            numbers["pinned"] = Number(found.pinned_share, people.n, "people")
    if scenario.noise.mechanism == "laplace":
        values = int((release.encoded.overall > 0).sum())
        together = scenario.noise.epsilon * len(scenario.hospitals)  # Lemma 12: privacy losses add up
        numbers["dp_ceiling"] = Number(ceiling(1 / values, together), len(scenario.hospitals), "noisy tables")
    else:
        absent["dp_ceiling"] = "Gaussian noise keeps its promise but for a small chance, so no belief has a ceiling."
    return numbers
