"""The verdict: each limit met, met on average only or not met, and under which condition."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from core.attack.number import exposures
from core.base.metrics import CONDITIONAL, MET, METRICS, MORE, NOT_MET, ON_AVERAGE
from core.decision.review.assessment import Assessment, Number
from core.decision.review.doubts import DoubtCase, cases

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
        The limit.
    number
        The number; ``None`` if it was not assessed.
    verdict
        One of the three of :meth:`core.base.metrics.Metric.verdict`; ``None`` if there is no number.
    cases
        The number if one assumption about others is wrong, the worst first; empty if none was tried or they do not
        affect this number.
    """

    metric: str
    limit: float
    number: Number | None
    verdict: str | None
    cases: tuple[DoubtCase, ...] = ()

    @property
    def met(self) -> bool | None:
        """Whether the whole interval of the number is on the good side; ``None`` without a number."""
        return None if self.verdict is None else self.verdict == MET

    @property
    def on_average(self) -> bool | None:
        """Whether the number itself is on the good side; ``None`` without a number."""
        return None if self.verdict is None else self.verdict != NOT_MET

    @property
    def breaking(self) -> tuple[DoubtCase, ...]:
        """Plausible cases in which the limit is not met, though it is met as assumed; the worst first."""
        return tuple(case for case in self.cases if case.breaks) if self.on_average else ()

    @property
    def survives(self) -> bool | None:
        """Whether a limit that is met, at least on average, stays met in every plausible case.

        ``None`` if none was tried.
        """
        return not self.breaking if self.on_average and self.cases else None

    @property
    def worst(self) -> DoubtCase | None:
        """The worst plausible case; ``None`` if none was tried or none is worse than the assumptions."""
        first = next((case for case in self.cases if case.plausible), None)
        if first is None or self.number is None:
            return None
        less = METRICS[self.metric].better != MORE
        worse = first.number.value > self.number.value if less else first.number.value < self.number.value
        return first if worse else None


@dataclass(frozen=True)
class Judgement:
    """All requirements of a scenario.

    Parameters
    ----------
    checks
        One per requirement, in the order of the metrics.
    others_considered
        Whether a real release of another hospital took part.
    without_effect
        Indices of hospitals whose file matches almost none of my records: limits that are met were not tested against
        them.
    """

    checks: tuple[Check, ...]
    others_considered: bool
    without_effect: tuple[int, ...] = ()

    @property
    def verdict(self) -> str:
        """The worst verdict on a limit.

        ``"open"`` if none fails and one was not assessed, or a file rules nothing out;
        :data:`~core.base.metrics.CONDITIONAL` if all are met, but one would not be in a plausible case; ``"none"``
        without limits.
        """
        verdicts = {check.verdict for check in self.checks}
        if NOT_MET in verdicts:
            return NOT_MET
        if None in verdicts or (verdicts and self.without_effect):
            return OPEN
        if self.survives is False:
            return CONDITIONAL
        return ON_AVERAGE if ON_AVERAGE in verdicts else MET if verdicts else NONE

    @property
    def met(self) -> bool | None:
        """Whether the whole interval of every number meets its limit as assumed; ``None`` if that is open."""
        return None if self.verdict in (OPEN, NONE) else all(check.met for check in self.checks)

    @property
    def on_average(self) -> bool | None:
        """Whether every number meets its limit, at least on average; ``None`` if that is open."""
        return None if self.verdict in (OPEN, NONE) else self.verdict != NOT_MET

    @property
    def survives(self) -> bool | None:
        """Whether limits that are met, at least on average, stay met in every plausible case.

        ``None`` if no case was tried, or the limits are not met as assumed.
        """
        tried = [check.survives for check in self.checks if check.survives is not None]
        if not tried or any(check.verdict in (None, NOT_MET) for check in self.checks):
            return None
        return all(tried)


def judge(assessment: Assessment, doubts: pd.DataFrame | None = None) -> Judgement:
    """Compare the numbers of an assessment with the limits of its scenario.

    Parameters
    ----------
    assessment
        Output of :func:`core.decision.review.assess`.
    doubts
        Output of :func:`core.decision.review.doubts`, for the condition of the verdict.

    Returns
    -------
    Judgement
        A number that was not assessed is neither met nor failed: the verdict is then open.
    """
    scenario = assessment.scenario
    limits = scenario.requirements.asked
    checks = []
    for name in (name for name in METRICS if name in limits):
        number = assessment.numbers.get(name)
        verdict = None if number is None else number.verdict(name, limits[name])
        tried: tuple[DoubtCase, ...] = ()
        if number is not None and doubts is not None and name in exposures():
            tried = cases(doubts, scenario, name, number.redraws is not None)
        checks.append(Check(name, limits[name], number, verdict, tried))
    return Judgement(tuple(checks), not assessment.simulated_only, assessment.without_effect)
