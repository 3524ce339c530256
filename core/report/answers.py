"""Precomputed answers: exposure for every value that a meeting may choose for three assumptions."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pandas as pd

from core.attack.number import exposures
from core.base.arrays import Progress
from core.base.errors import CompositionError
from core.base.metrics import MET, NOT_MET, ON_AVERAGE
from core.data.encoding.encoded import Encoded
from core.decision.review import Assessment, Case, Check, Judgement, Number, redraws
from core.decision.review.judgement import USUAL_K, plausible_ranges
from core.study.hospitals import Study
from core.study.redraws import Redraws
from core.study.sweep import sweep
from core.study.vary import at_value

CAREFUL = ("same_value_rate", "their k")
"""Metric of the second assumption: the first of these that varies; the last one if the others' k is above the
default.
"""
TRIED = 3
"""Largest number of values of an assumption."""
_GRAVE = {NOT_MET: 3, None: 2, ON_AVERAGE: 1, MET: 0}


@dataclass(frozen=True)
class MovableAssumption:
    """An assumption that can be varied.

    Parameters
    ----------
    name
        Of :func:`core.study.vary.variable`.
    values
        That were tried, ascending.
    present
        Place of the present one.
    """

    name: str
    values: tuple[Any, ...]
    present: int


@dataclass(frozen=True, eq=False)
class Answers:
    """One number for all combinations of assumptions.

    Parameters
    ----------
    metric
        Of which number, of :func:`core.attack.number.exposures`.
    axes
        What moves; the last moves fastest.
    numbers
        By places on the axes; ``None`` if such hospitals cannot be drawn.
    """

    metric: str
    axes: tuple[MovableAssumption, ...]
    numbers: dict[tuple[int, ...], Number | None]


Task = Callable[[Progress | None], pd.DataFrame]
"""Computes the answers that differ only in the last assumption; it can be sent to another process."""


def answers(
    case: Case,
    assessment: Assessment,
    judgement: Judgement,
    run: Callable[[list[Task]], list[pd.DataFrame]] | None = None,
) -> Answers:
    """Compute the deciding number, or exposure at the chosen confidence, over plausible assumptions.

    Over the redraws of the scenario, so that the present setting has the number of the assessment.

    Parameters
    ----------
    case, assessment, judgement
        A scenario, what it comes to, and whether that meets its limits.
    run
        Does the tasks, in other processes for instance; one after the other by default. Each is a sweep over the
        number of hospitals, nine as a rule.
    """
    axes = _axes(case)
    metric, scenario = exposure_of(judgement), case.scenario
    draws = replace(redraws(scenario), confidences=(exposures()[metric].level(scenario.confidence),))
    *outer, last = axes
    places = list(itertools.product(*(range(len(axis.values)) for axis in outer)))
    tasks: list[Task] = []
    for at in places:
        study = case.study
        for axis, place in zip(outer, at, strict=True):
            study = at_value(study, axis.name, axis.values[place])
        tasks.append(partial(_swept, case.encoded, study, last, draws))
    frames = [task(None) for task in tasks] if run is None else run(tasks)
    numbers: dict[tuple[int, ...], Number | None] = {}
    for at, frame in zip(places, frames, strict=True):
        for place, value in enumerate(last.values):
            row = frame[frame["value"] == value]
            numbers[(*at, place)] = _number(row.iloc[0], metric) if len(row) else None
    numbers[tuple(axis.present for axis in axes)] = assessment.numbers[metric]
    return Answers(metric, axes, numbers)


def _swept(
    encoded: Encoded, study: Study, axis: MovableAssumption, draws: Redraws, progress: Progress | None
) -> pd.DataFrame:
    """Run a sweep; points whose hospitals cannot be drawn from the table have no row."""
    try:
        return sweep(encoded, study, axis.name, axis.values, draws, progress)
    except CompositionError:
        return pd.DataFrame({"value": []})


def deciding(judgement: Judgement) -> str:
    """The metric that decides a verdict: the gravest, an exposure in case of ties; "" without limits."""
    return next((check.metric for check in _gravest(judgement)), "")


def exposure_of(judgement: Judgement) -> str:
    """The exposure shown to a meeting: that of the deciding limit, or exposure at the chosen confidence."""
    known = (check for check in _gravest(judgement) if check.metric in exposures() and check.number is not None)
    return next((check.metric for check in known), "breach")


def _gravest(judgement: Judgement) -> list[Check]:
    return sorted(judgement.checks, key=lambda check: (-_GRAVE[check.verdict], check.metric not in exposures()))


def _axes(case: Case) -> tuple[MovableAssumption, ...]:
    """Shared people, agreement or the others' k, and hospitals, as far as they can vary."""
    scenario = case.scenario
    ranges = plausible_ranges(case.study, case.encoded.people)
    others = [hospital for hospital in scenario.hospitals[1:] if hospital.upload is None] or scenario.hospitals[1:]
    # What is assumed of their k is doubtful where it is more than usual.
    careful = CAREFUL[::-1] if others[0].policy.k > USUAL_K else CAREFUL
    second = next((name for name in careful if name in ranges), "")
    present = {
        "overlap": scenario.overlap,
        "same_value_rate": others[0].same_value_rate,
        "their k": others[0].policy.k,
        "releases": len(scenario.hospitals),
    }
    axes = [_axis(name, ranges[name], present[name]) for name in ("overlap", second, "releases") if name in ranges]
    return (axes[0], *(axis for axis in axes[1:] if len(axis.values) > 1))


def _axis(name: str, values: Sequence[Any], present: Any) -> MovableAssumption:
    """The present value and its neighbours, for k the lower ones: each additional value costs additional sweeps."""
    tried = tuple(range(min(values), max(values) + 1)) if name == "releases" else tuple(sorted({*values, present}))
    below = TRIED - 1 if name == "their k" else TRIED // 2
    first = max(0, min(tried.index(present) - below, len(tried) - TRIED))
    kept = tried[first : first + TRIED]
    return MovableAssumption(name, kept, kept.index(present))


def _number(row: pd.Series, metric: str) -> Number:
    """A number of a sweep, with its interval if it has one."""
    number = exposures()[metric]
    low, high = (None if pd.isna(row[end]) else float(row[end]) for end in (number.low, number.high))
    return Number(float(row[number.column]), int(row["n"]), "shared people", low, high, redraws=int(row["repeats"]))
