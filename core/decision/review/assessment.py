"""Assess one scenario: every number that a decision rests on, each with its population."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from core.algorithms import partition
from core.attack.number import counted
from core.base.arrays import Progress, part
from core.base.errors import CompositionError
from core.base.metrics import GROUPS, METRICS
from core.base.short import many, short
from core.base.wording import SAME
from core.data.encoding.marginals import Marginals
from core.decision.review.case import Case
from core.decision.scenario.scenario import Scenario
from core.dp import BASE_RATES, PRIOR_WORDS, ceiling, prior_of
from core.forecast import Question
from core.measurement import MEASURES, Guarantee
from core.privacy.coalitions import m_private
from core.release.query_error import query_error
from core.release.release import Release
from core.release.remeasured import remeasured
from core.release.utility import gcp
from core.study.coverage import without_effect
from core.study.hospitals import Study
from core.study.redraw_numbers import JOINT, part_columns
from core.study.redraws import Redraws
from core.study.sweep import sweep

LEVELS = (1.0, 0.5, 0.25)
"""Confidences that every assessment shows in addition to the chosen one."""


@dataclass(frozen=True)
class Number:
    """One number with its basis.

    Parameters
    ----------
    value
        Of the metric, in its unit.
    n, of
        Population of the number: count and unit, such as "shared people", "people", "records", "classes", ...
    low, high
        The 95% interval of one more world; ``None`` if the number is exact for these ``n``.
    single, guess
        The same quantity from the best single release alone and, for hit rates, from naming the
        most common value; exposure and ceiling only.
    wrong
        The part of a share of people exposed that is an incorrect inference.
    redraws
        Random draws behind the mean; ``None`` if there is no randomness.
    people
        Number of people behind ``guess``, if ``n`` counts something else.
    """

    value: float
    n: int
    of: str
    low: float | None = None
    high: float | None = None
    single: float | None = None
    guess: float | None = None
    wrong: float | None = None
    redraws: int | None = None
    people: int | None = None

    def verdict(self, metric: str, limit: float) -> str:
        """Whether the number meets a limit; see :meth:`core.base.metrics.Metric.verdict`."""
        return METRICS[metric].verdict(self.value, self.low, self.high, self.redraws is not None, limit)


@dataclass(frozen=True, eq=False)
class Assessment:
    """Results of a scenario on its data.

    Parameters
    ----------
    scenario
        The scenario assessed.
    numbers
        By name of :data:`core.base.metrics.METRICS`, in that order.
    not_assessed
        Why a metric has no number, by its name.
    records
        Of the table.
    guarantee
        Of my release of the whole table, measured in what would be published.
    exposure
        Output of :func:`core.study.sweep.sweep` for the present setting, one row per confidence; empty if exposure was
        not requested.
    without_effect
        Indices of hospitals whose file rules nothing out (:func:`core.study.coverage.without_effect`).
    by_column
        Shared people with one value left in each of several sensitive columns, and under "" of their joint value.
    """

    scenario: Scenario
    numbers: Mapping[str, Number]
    not_assessed: Mapping[str, str]
    records: int
    guarantee: Guarantee
    exposure: pd.DataFrame
    without_effect: tuple[int, ...] = ()
    by_column: Mapping[str, Number] = field(default_factory=dict)

    def __repr__(self) -> str:
        return short(self, many(self.records, "record"), many(len(self.numbers), "number"), repr(self.scenario))

    @property
    def simulated_only(self) -> bool:
        """Whether no real release of another hospital was considered."""
        return not self.scenario.uploads


def confidences(scenario: Scenario) -> tuple[float, ...]:
    """Confidences for one value left, two and four, and the chosen one; highest first."""
    return tuple(sorted({*LEVELS, scenario.confidence}, reverse=True))


def redraws(scenario: Scenario) -> Redraws:
    """The draws of a scenario, at every confidence that an assessment shows."""
    return Redraws(scenario.repeats, scenario.seed, confidences(scenario))


def assess(
    case: Case,
    progress: Progress | None = None,
    *,
    release: Release | None = None,
    exposure: pd.DataFrame | None = None,
    groups: Collection[str] = GROUPS,
) -> Assessment:
    """Release, measure, attack, forecast, and count the cost, all under one scenario.

    Parameters
    ----------
    case
        The scenario and its data.
    progress
        Called with the share done; an exception it raises cancels the run.
    release, exposure
        My release of the whole table and the breach at :func:`confidences` over the scenario's redraws, if they are
        already known.
    groups
        The requested ones of :data:`core.base.metrics.GROUPS`; the numbers of others are left out.

    Returns
    -------
    Assessment
        The same data and scenario give the same numbers: the attack is simulated with the seed of the
        scenario, everything else is exact.

    Raises
    ------
    ParameterError, InfeasibleError
        With the parameter at fault, if the table cannot meet the policy or the hospitals cannot be drawn.

    Notes
    -----
    Some ``repeats x hospitals`` partitions of the table.
    """
    encoded, scenario, study = case.encoded, case.scenario, case.study
    mine = scenario.mine
    if release is None:
        release = partition(encoded, mine.policy, mine.algorithm, part(progress, 0.0, 0.1))
    guarantee = remeasured(release, scenario.schema, scenario.seed)
    numbers: dict[str, Number] = {}
    absent: dict[str, str] = {}
    idle: tuple[int, ...] = ()
    if "guarantee" in groups:
        numbers, absent = guaranteed(release, guarantee)
    if "exposure" in groups:
        if exposure is None:
            all_hospitals = [len(scenario.hospitals)]
            exposure = sweep(encoded, study, "releases", all_hospitals, redraws(scenario), part(progress, 0.1, 0.9))
        numbers |= exposed(exposure, scenario, drawn(study), absent)
        idle = without_effect(study, encoded)
    if "anticipated" in groups:
        numbers |= anticipated(release, scenario, case.marginals, absent)
    if "cost" in groups:
        error = query_error(release, seed=scenario.seed)
        numbers["loss"] = Number(gcp(release), encoded.records, "records")
        numbers["query_error"] = Number(error.absolute, len(error.truth), "random counts")
    if progress is not None:
        progress(1.0)
    ordered = {name: numbers[name] for name in METRICS if name in numbers}
    frame = pd.DataFrame() if exposure is None else exposure
    parts = exposed_columns(frame, scenario, drawn(study))
    return Assessment(scenario, ordered, absent, encoded.records, guarantee, frame, idle, parts)


def guaranteed(release: Release, guarantee: Guarantee) -> tuple[dict[str, Number], dict[str, str]]:
    """Measured guarantees of a release, and the reason for each missing one."""
    numbers = measured(guarantee)
    absent: dict[str, str] = {}
    if "agreed" not in numbers:
        absent["agreed"] = "No agreement is given."
    if release.encoded.provider is None:
        absent["m"] = "No column names the providers of the records."
    elif release.policy.m is None and release.algorithm.providers != "needed":
        absent["m"] = "No protection against colluding providers was asked for."
    else:
        assert release.encoded.provider_code is not None
        providers = len(np.unique(release.encoded.provider_code))
        numbers["m"] = Number(most_colluding(release), providers, "providers")
    return numbers, absent


def measured(guarantee: Guarantee) -> dict[str, Number]:
    """Every number measured in a published table, and its number of classes; t names its distance."""
    of = {True: (guarantee.people, "people"), False: (guarantee.classes, "classes")}
    numbers = {name: Number(value, *of[MEASURES[name].of_people]) for name, value in guarantee.numbers.items()}
    if "t" in numbers:
        numbers["t"] = replace(numbers["t"], of=f"classes, {guarantee.distance} distance")
    return {"classes": Number(guarantee.classes, guarantee.rows, "records"), **numbers}


def most_colluding(release: Release) -> int:
    """Largest m for which a release withstands all coalitions of m providers; -1 if it fails even without collusion.

    A release that withstands m providers withstands fewer, so the range is halved.
    """
    assert release.encoded.provider_code is not None
    holds, breaks = -1, len(np.unique(release.encoded.provider_code))
    while breaks - holds > 1:
        m = (holds + breaks) // 2
        if m_private(release, m=m).is_satisfied:
            holds = m
        else:
            breaks = m
    return holds


def drawn(study: Study) -> bool:
    """Whether the attack has randomness: a hospital is drawn, or the people in a file are unknown."""
    return any(
        hospital.is_drawn if upload is None else not (upload in study.files and study.files[upload].linked)
        for hospital in study.hospitals[1:]
        for upload in [hospital.upload]
    )


def exposed(frame: pd.DataFrame, scenario: Scenario, chance: bool, absent: dict[str, str]) -> dict[str, Number]:
    """Return the numbers of an attack; ``absent`` receives the reason for each missing one.

    Parameters
    ----------
    frame
        Output of :func:`core.study.sweep.sweep` for one value, one row per confidence.
    scenario
        Of the attack.
    chance
        Whether there is randomness, so that the numbers are means over redraws.
    absent
        By name of a number.
    """
    rows = {row["confidence"]: row for row in frame.to_dict("records")}
    numbers = {}
    for name, declared in counted(scenario.study.also).items():
        row = rows[declared.level(scenario.confidence)]
        value = _known(row.get(declared.column, math.nan))
        if value is None:
            absent[name] = declared.absent(scenario.schema.person is not None and scenario.schema.one_record is None)
            continue
        low, high = _known(row[declared.low]), _known(row[declared.high])
        guess = _known(row[declared.guess]) if declared.guess else None
        wrong = _known(row[declared.wrong]) if declared.wrong else None
        redraws = int(row["repeats"]) if chance else None
        single = _known(row[declared.single])
        numbers[name] = Number(value, int(row["n"]), "shared people", low, high, single, guess, wrong, redraws)
    return numbers


def exposed_columns(frame: pd.DataFrame, scenario: Scenario, chance: bool) -> dict[str, Number]:
    """Return the shares with one value left in each of several sensitive columns, and under "" of their joint value.

    Parameters are those of :func:`exposed`.
    """
    if frame.empty or not scenario.schema.parts:
        return {}
    row, numbers = frame.iloc[0], {}
    places: list[int | str] = [*range(len(scenario.schema.parts)), JOINT]
    for place, name in zip(places, (*scenario.schema.parts, ""), strict=True):
        value, low, high, single, wrong = (row[column] for column in part_columns(place))
        redraws = int(row["repeats"]) if chance else None
        ends = _known(low), _known(high), _known(single)
        numbers[name] = Number(float(value), int(row["n"]), "shared people", *ends, wrong=float(wrong), redraws=redraws)
    return numbers


def worth_showing(numbers: Mapping[str, Number], keep: Collection[str] = ()) -> list[str]:
    """Metrics to show of an assessment.

    Without incorrect inferences, true disclosures equal the people exposed, and one line shows both. ``keep`` names
    metrics that are always shown.
    """
    return [
        name
        for name, metric in METRICS.items()
        if name in keep or not metric.whole or _differs(numbers, name, metric.whole)
    ]


def _differs(numbers: Mapping[str, Number], right: str, whole: str) -> bool:
    rightly, other = numbers.get(right), numbers.get(whole)
    return rightly is not None and other is not None and abs(rightly.value - other.value) > SAME


def _known(value: Any) -> float | None:
    number = float(value)
    return None if math.isnan(number) else number


def question(scenario: Scenario, marginals: Marginals | None = None) -> Question:
    """Settings of the estimate in the scenario."""
    ask = scenario.forecast
    return Question(marginals, ask.others, ask.l, ask.confidence, ask.statistics == "joint")


def anticipated(
    release: Release, scenario: Scenario, marginals: Marginals | None, absent: dict[str, str]
) -> dict[str, Number]:
    """Numbers that need no other release; ``absent`` receives the reason for each missing one."""
    assumed, numbers = scenario.forecast, {}
    if assumed.statistics == "file" and marginals is None:
        absent["forecast"] = "The file of population statistics was not given."
    else:
        try:
            people = question(scenario, marginals).of(release).people(assumed.reading)
        except CompositionError as error:
            absent["forecast"] = error.message
        else:
            numbers["forecast"] = Number(people.value, people.n, "people")
    if scenario.noise.mechanism != "laplace":
        absent["dp_ceiling"] = "Gaussian noise breaks its promise with a small chance, so no belief has a ceiling."
    elif scenario.schema.parts:
        absent["dp_ceiling"] = "A noisy table is of one sensitive column, and several are protected as one."
    elif scenario.noise.thresholded(scenario.schema.sensitive):
        absent["dp_ceiling"] = "A threshold breaks its promise with a small chance, so no belief has a ceiling."
    else:
        numbers["dp_ceiling"] = _ceiling(release, scenario)
    return numbers


def _ceiling(release: Release, scenario: Scenario) -> Number:
    """Highest belief that any adversary can reach in any value after noisy tables of all hospitals.

    It is the belief in the value that is most likely beforehand, because no other can become higher.
    """
    noise, tables = scenario.noise, len(scenario.hospitals)
    before = float(prior_of(release.encoded, noise.prior).max())
    epsilon = noise.epsilon * tables  # Lemma 12: privacy losses add up
    # Base rates are counted over the people of the table; equally likely values have no population.
    people = release.encoded.people if noise.prior == BASE_RATES else None
    words = f"noisy tables, {PRIOR_WORDS[noise.prior]}"
    # Before any table, the belief is that of a person who guesses.
    return Number(ceiling(before, epsilon), tables, words, guess=before, people=people)
