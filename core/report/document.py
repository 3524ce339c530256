"""From a scenario to a report: work out what is missing, then write it down once."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from core.arrays import Progress, part
from core.data.encoding import Encoded
from core.data.marginals import Marginals
from core.errors import CompositionError, ParameterError
from core.release.algorithm import ALGORITHMS
from core.report.decision import Decision, NoisyDownload, typed
from core.report.external import external
from core.report.html import page
from core.report.internal import internal
from core.report.material import Material
from core.review import Assessment, assess, confidences, judge
from core.review import doubts as over_doubts
from core.scenario.requirements import Requirements
from core.scenario.scenario import Scenario
from core.study.sweep import sweep
from core.study.uploads import Foreign, Upload

STRENGTHS = ("internal", "external")
MIN_SALT = 12
CURVE = (2, 3, 5, 10, 15, 25, 50, 100)
"""Values of k that the curve shows, beside the present one."""


@dataclass(frozen=True, eq=False)
class Report:
    """A report as data; both files are written from it.

    Parameters
    ----------
    data
        Plain values of JSON, with a ``schema_version``.
    """

    data: dict[str, Any]

    def to_json(self) -> str:
        """Everything that the report says, as JSON: same report, same text."""
        return json.dumps(self.data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    def to_html(self) -> str:
        """One file that needs nothing else, light, for reading and printing.

        Raises
        ------
        MissingPackageError
            If altair or vl-convert-python, which draw the charts, are not installed.
        """
        return page(self.data)


def build(
    encoded: Encoded,
    scenario: Scenario,
    files: Mapping[Upload, Foreign] | None = None,
    marginals: Marginals | None = None,
    *,
    decision: Decision | None = None,
    candidates: Mapping[str, Assessment] | None = None,
    noisy: Sequence[NoisyDownload] = (),
    strength: str = "internal",
    salt: str = "",
    question: str = "",
    progress: Progress | None = None,
    assessment: Assessment | None = None,
    doubts: pd.DataFrame | None = None,
    curve: pd.DataFrame | None = None,
) -> Report:
    """Write the report of a scenario.

    Parameters
    ----------
    encoded, scenario, files, marginals
        As for :func:`core.review.assess`.
    decision
        What was decided; free text enters as it was typed.
    candidates
        Pinned assessments by name, to be shown side by side; the names are left out of the
        external strength.
    noisy
        Noisy tables that were downloaded.
    strength
        ``"internal"`` or ``"external"``.
    salt
        For the digests of the external strength, at least 12 characters; without it they are
        left out. It is not written anywhere.
    question
        What was to be decided; a general one by default.
    progress
        Called with the share done; an exception it raises cancels the run.
    assessment, doubts, curve
        Output of :func:`core.review.assess`, :func:`core.review.doubts` and of a sweep over
        "my k" at :func:`core.review.confidences`, where they are known already.

    Returns
    -------
    Report
        Same data, scenario and arguments: the same report, byte for byte.

    Raises
    ------
    ParameterError
        With the argument at fault.

    Notes
    -----
    Without what is known already: some ``repeats`` x (hospitals + 8) partitions of the table.
    """
    if strength not in STRENGTHS:
        raise ParameterError(f"strength must be one of {', '.join(STRENGTHS)}.", parameter="strength")
    if 0 < len(salt) < MIN_SALT:
        raise ParameterError(f"The salt must have at least {MIN_SALT} characters, or be empty.", parameter="salt")
    if assessment is None:
        assessment = assess(encoded, scenario, files, marginals, part(progress, 0.0, 0.4))
    else:
        assessment = _same(assessment, scenario)
    tried = over_doubts(encoded, scenario, files, progress=part(progress, 0.4, 0.6)) if doubts is None else doubts
    drawn = _curve(encoded, scenario, files, part(progress, 0.6, 1.0)) if curve is None else curve
    material = Material(
        encoded=encoded,
        scenario=scenario,
        assessment=assessment,
        judgement=judge(assessment, tried),
        doubts=tried,
        curve=drawn,
        candidates=dict(candidates or {}),
        files=dict(files or {}),
        decision=Decision() if decision is None else decision,
        noisy=tuple(noisy),
        question=typed(question, "question"),
        salt=salt,
    )
    if progress is not None:
        progress(1.0)
    return Report(internal(material) if strength == "internal" else external(material))


def _same(assessment: Assessment, scenario: Scenario) -> Assessment:
    """The assessment under the requirements of the scenario; refused where it is of another one."""

    def asked(one: Scenario) -> str:
        return one.with_(requirements=Requirements(), data_name="").to_json()

    if asked(assessment.scenario) != asked(scenario):
        raise ParameterError("The assessment is of another scenario; assess this one.", parameter="assessment")
    return replace(assessment, scenario=scenario)


def _curve(
    encoded: Encoded, scenario: Scenario, files: Mapping[Upload, Foreign] | None, progress: Progress | None
) -> pd.DataFrame | None:
    """Breach against my k; fewer redraws for algorithms that take long, ``None`` where it cannot be drawn."""
    study, mine = scenario.study.with_files(files), scenario.mine
    size = study.size_of(0, encoded.people)
    values = sorted({*(k for k in CURVE if k <= size // 2), mine.policy.k})
    slow = not ALGORITHMS[mine.algorithm].quick or mine.policy.m is not None
    repeats = 1 if slow else scenario.repeats
    try:
        return sweep(
            encoded,
            study,
            "my k",
            values,
            confidences(scenario),
            repeats,
            scenario.seed,
            progress,
            scenario.category_level,
        )
    except CompositionError:
        return None  # a k that the rest of the policy does not allow; the tables say what the present one comes to
