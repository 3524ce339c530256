"""Turn a scenario into a report: compute what is missing, then write it once."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from core.base.arrays import Progress, part
from core.base.errors import CompositionError, ParameterError
from core.base.short import many, short
from core.decision.review import Assessment, Case, assess, judge, redraws
from core.decision.review import doubts as over_doubts
from core.decision.scenario.requirements import Requirements
from core.decision.scenario.scenario import Scenario
from core.release.algorithm import ALGORITHMS
from core.report.external import external
from core.report.html import page
from core.report.internal import internal
from core.report.material import Known, Material, Meeting
from core.study.one_run import run_study
from core.study.sweep import sweep

STRENGTHS = ("internal", "external")
MIN_SALT = 12
CURVE = (2, 3, 5, 10, 15, 25, 50, 100)
"""Values of k that the curve shows, in addition to the present one."""


@dataclass(frozen=True, eq=False)
class Report:
    """A report as data; both files are written from it.

    Parameters
    ----------
    data
        Plain values of JSON, with a ``schema_version``.
    """

    data: dict[str, Any]

    def __repr__(self) -> str:
        return short(self, many(len(self.data["numbers"]), "number"))

    def to_json(self) -> str:
        """Everything that the report says, as JSON: same report, same text."""
        return json.dumps(self.data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    def to_html(self) -> str:
        """One file that needs nothing else, light, for reading and printing.

        Raises
        ------
        MissingPackageError
            If jinja2, or vl-convert-python, which draws the charts, is not installed.
        """
        return page(self.data)


def build(
    case: Case,
    meeting: Meeting | None = None,
    *,
    strength: str = "internal",
    salt: str = "",
    known: Known | None = None,
    progress: Progress | None = None,
) -> Report:
    """Write the report of a scenario.

    Parameters
    ----------
    case
        The scenario and its data.
    meeting
        The question and the decision; empty by default.
    strength
        ``"internal"`` or ``"external"``.
    salt
        For the digests of the external strength, at least 12 characters; without it they are left out. It is never
        written.
    known
        Results that were computed before.
    progress
        Called with the share done; an exception it raises cancels the run.

    Returns
    -------
    Report
        The same data, scenario and arguments give the same report, byte for byte.

    Raises
    ------
    ParameterError
        With the argument at fault.

    Notes
    -----
    Without known results: some ``repeats`` x (hospitals + 8) partitions of the table.
    """
    if strength not in STRENGTHS:
        raise ParameterError(f"strength must be one of {', '.join(STRENGTHS)}.", parameter="strength")
    if 0 < len(salt) < MIN_SALT:
        raise ParameterError(f"The salt must have at least {MIN_SALT} characters, or be empty.", parameter="salt")
    meeting, known = meeting or Meeting(), known or Known()
    if known.assessment is None:
        assessment = assess(case, part(progress, 0.0, 0.4))
    else:
        assessment = _same(known.assessment, case.scenario)
    tried = over_doubts(case, progress=part(progress, 0.4, 0.6)) if known.doubts is None else known.doubts
    drawn = curve_over_k(case, part(progress, 0.6, 1.0)) if known.curve is None else known.curve
    outcome = run_study(case.encoded, case.study, case.scenario.seed) if known.outcome is None else known.outcome
    material = Material(case, meeting, assessment, judge(assessment, tried), tried, drawn, outcome, salt)
    if progress is not None:
        progress(1.0)
    return Report(internal(material) if strength == "internal" else external(material))


def _same(assessment: Assessment, scenario: Scenario) -> Assessment:
    """The assessment under the requirements of the scenario; refused if it belongs to another one."""

    def question(scenario: Scenario) -> str:
        return scenario.with_(requirements=Requirements(), data_name="").to_json()

    if question(assessment.scenario) != question(scenario):
        raise ParameterError("The assessment belongs to another scenario; assess this one.", parameter="assessment")
    return replace(assessment, scenario=scenario)


def curve_over_k(case: Case, progress: Progress | None = None) -> pd.DataFrame | None:
    """Breach against my k; fewer redraws for algorithms that take long, ``None`` if it cannot be drawn."""
    study, mine, draws = case.study, case.scenario.mine, redraws(case.scenario)
    size = study.size_of(0, case.encoded.people)
    values = sorted({*(k for k in CURVE if k <= size // 2), mine.policy.k})
    if not ALGORITHMS[mine.algorithm].quick or mine.policy.m is not None:
        draws = replace(draws, repeats=1)
    try:
        return sweep(case.encoded, study, "my k", values, draws, progress)
    except CompositionError:
        return None  # a k that the rest of the policy does not allow; the tables show the result of the present one
