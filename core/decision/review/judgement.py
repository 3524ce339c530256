"""The verdict: each requirement met, met on average only or not met, and whether that holds under other assumptions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from core.attack.number import exposures
from core.base.arrays import Progress, step
from core.base.metrics import MET, METRICS, NOT_MET, ON_AVERAGE
from core.decision.review.assessment import Assessment, Number, redraws
from core.decision.review.case import Case
from core.study.draw import MAX_RELEASES, default_size
from core.study.hospitals import Study
from core.study.sweep import sweep

USUAL_K = 5
"""Typical k of a hospital, tried whatever k is assumed for the others; a lower one exposes more."""

OPEN, NONE = "open", "none"
"""Verdicts on all limits if one has no number, and if there is no limit."""


@dataclass(frozen=True)
class Check:
    """One requirement with its number.

    Parameters
    ----------
    metric
        Name in :data:`core.base.metrics.METRICS`.
    limit
        What is required.
    number
        What was found; ``None`` if it was not assessed.
    verdict
        One of the three of :meth:`core.base.metrics.Metric.verdict`; ``None`` if there is no number.
    worst
        The worst value over the *What if my assumptions are wrong?* range; ``None`` if the range was not
        tried or does not move this number.
    survives
        Whether ``worst`` is on the good side; ``None`` without it. Each value of the range is one
        draw, so what survives is met on average at best.
    """

    metric: str
    limit: float
    number: Number | None
    verdict: str | None
    worst: float | None = None
    survives: bool | None = None

    @property
    def met(self) -> bool | None:
        """Whether the whole interval of the number is on the good side; ``None`` without a number."""
        return None if self.verdict is None else self.verdict == MET

    @property
    def on_average(self) -> bool | None:
        """Whether the number itself is on the good side; ``None`` without a number."""
        return None if self.verdict is None else self.verdict != NOT_MET


@dataclass(frozen=True)
class Judgement:
    """All requirements of a scenario.

    Parameters
    ----------
    checks
        One a requirement, in the order of the metrics.
    others_considered
        Whether a real release of another hospital took part.
    without_effect
        Indices of hospitals whose file matches almost none of my records: what is met was not tried against them.
    """

    checks: tuple[Check, ...]
    others_considered: bool
    without_effect: tuple[int, ...] = ()

    @property
    def verdict(self) -> str:
        """The worst verdict on a requirement.

        ``"open"`` where none fails and one was not assessed, or a file that takes part takes nothing away;
        ``"none"`` without requirements.
        """
        verdicts = {check.verdict for check in self.checks}
        if NOT_MET in verdicts:
            return NOT_MET
        if None in verdicts or (verdicts and self.without_effect):
            return OPEN
        return ON_AVERAGE if ON_AVERAGE in verdicts else MET if verdicts else NONE

    @property
    def met(self) -> bool | None:
        """Whether the whole interval of every number meets its requirement; ``None`` if that is open."""
        return None if self.verdict in (OPEN, NONE) else self.verdict == MET

    @property
    def on_average(self) -> bool | None:
        """Whether every number meets its requirement, at least on average; ``None`` if that is open."""
        return None if self.verdict in (OPEN, NONE) else self.verdict != NOT_MET

    @property
    def survives(self) -> bool | None:
        """Whether requirements met at least on average stay met over the range that was tried.

        ``None`` if no range was tried, or the requirements are not met as it is.
        """
        tried = [check.survives for check in self.checks if check.survives is not None]
        return all(tried) if tried and self.on_average else None


def judge(assessment: Assessment, doubts: pd.DataFrame | None = None) -> Judgement:
    """Compare the numbers of an assessment with the requirements of its scenario.

    Parameters
    ----------
    assessment
        Output of :func:`core.decision.review.assess`.
    doubts
        Output of :func:`doubts`, for whether the verdict survives.

    Returns
    -------
    Judgement
        A number that was not assessed is neither met nor failed: the verdict is then open.
    """
    limits = assessment.scenario.requirements.asked
    checks = tuple(
        _check(name, limits[name], assessment.numbers.get(name), doubts) for name in METRICS if name in limits
    )
    return Judgement(checks, not assessment.simulated_only, assessment.without_effect)


def _check(name: str, limit: float, number: Number | None, doubts: pd.DataFrame | None) -> Check:
    if number is None:
        return Check(name, limit, None, None)
    verdict = number.verdict(name, limit)
    if doubts is None or name not in exposures() or doubts[name].isna().all():
        return Check(name, limit, number, verdict)
    worst = float(max(doubts[name].max(), number.value))
    return Check(name, limit, number, verdict, worst, METRICS[name].meets(worst, limit))


# ---- what if my assumptions are wrong -----------------------------------------------------------------


def plausible_ranges(study: Study, records: int) -> dict[str, Sequence[Any]]:
    """Plausible values of each assumption about others around the present one, within the table's limits.

    Parameters
    ----------
    study
        The present setting.
    records
        Of my table.

    Returns
    -------
    dict
        For "overlap", "their k", "releases" and "agreement", where they can vary, the values to try.
    """
    overlap, hospitals = study.overlap, len(study.hospitals)
    others = study.hospitals[1:]
    drawn = [hospital for hospital in others if hospital.upload is None]
    size = min(study.size_of(number, records) for number, h in enumerate(study.hospitals) if h.upload is None)
    ranges: dict[str, Sequence[Any]] = {}
    least = max(1, overlap // 5)
    top = max(overlap, min(2 * overlap, most_shared(study, records)))
    ranges["overlap"] = sorted({least, max(1, overlap // 2), overlap, top})
    chosen = [hospital.policy.k for hospital in others if hospital.origin != "published"]
    if chosen:
        k = chosen[0]
        room = min([size // 2, *study.raw_people()])
        half = max(2, k // 2)
        tried = {min(USUAL_K, half), half, k, min(2 * k, room), min(5 * k, room)}
        ranges["their k"] = [value for value in sorted(tried) if value >= 2]
    if drawn or hospitals > 2:
        room = max(2, records // max(1, overlap))
        most = max(hospitals, min(hospitals + 2, MAX_RELEASES, room)) if drawn else hospitals
        ranges["releases"] = sorted({2, hospitals, most})
    if drawn:
        ranges["same_value_rate"] = sorted({0.5, 0.8, 1.0, *(hospital.same_value_rate for hospital in drawn)})
    return ranges


def most_shared(study: Study, records: int) -> int:
    """Largest number of people that the hospitals of a curve against the overlap can share."""
    theirs = [len(file.mine) if file.linked else file.records for file in study.files.values()]
    own = [h.size for h in study.hospitals if h.size is not None and h.origin != "simulated"]
    if study.whole:
        return max(1, min([records, *theirs, *own]))
    least = max(1, study.overlap // 5)
    dealt = int(0.9 * default_size(records, least, study.dealt))
    return max(1, min([(2 * records) // 3, dealt, *theirs, *own]))


def doubts(
    case: Case, ranges: Mapping[str, Sequence[Any]] | None = None, progress: Progress | None = None
) -> pd.DataFrame:
    """Exposure over the range of each assumption, with the others at the present setting.

    Means over the redraws of the scenario, the same for every value, so that the present
    setting gives the numbers of :func:`core.decision.review.assess` where my table stays whole.

    Parameters
    ----------
    case, progress
        As for :func:`core.decision.review.assess`.
    ranges
        Values to try by assumption; :func:`plausible_ranges` by default.

    Returns
    -------
    DataFrame
        One row an assumption and value: ``assumption, value, n`` and the numbers of
        :func:`core.attack.number.exposures`; those of categories are NaN if they are not asked.
    """
    scenario, study = case.scenario, case.study
    ranges_of = plausible_ranges(study, case.encoded.people) if ranges is None else ranges
    levels = tuple(dict.fromkeys((1.0, scenario.confidence)))
    draws = replace(redraws(scenario), confidences=levels)
    frames = []
    for number, (assumption, values) in enumerate(ranges_of.items()):
        frame = sweep(case.encoded, study, assumption, values, draws, step(progress, number, len(ranges_of)))
        at = {level: frame[frame["confidence"] == level].reset_index(drop=True) for level in levels}
        chosen = at[scenario.confidence]
        frames.append(
            pd.DataFrame(
                {
                    "assumption": assumption,
                    "value": chosen["value"].astype(object),
                    **{
                        name: at[number.level(scenario.confidence)][number.column]
                        for name, number in exposures().items()
                    },
                    "n": chosen["n"],
                }
            )
        )
    return pd.concat(frames, ignore_index=True)
