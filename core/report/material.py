"""What a report is made of, gathered before anything is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from core.data.encoding import Encoded
from core.report.decision import Decision, NoisyDownload
from core.review import Assessment, Judgement
from core.scenario.scenario import Scenario
from core.study.uploads import Foreign, Upload


@dataclass(frozen=True, eq=False)
class Material:
    """Everything that can enter a report; each strength takes from it what it may tell.

    Parameters
    ----------
    encoded
        The table; reports take the names of its columns and the number of its records.
    scenario, assessment, judgement
        What was chosen, what it came to, and whether that meets the requirements.
    doubts
        Output of :func:`core.review.doubts`.
    curve
        Breach against my k, output of :func:`core.study.sweep.sweep`; ``None`` where none can be drawn.
    candidates
        Pinned assessments by name.
    files
        What the uploads became.
    decision, noisy, question, salt
        As given to :func:`core.report.build`.
    """

    encoded: Encoded
    scenario: Scenario
    assessment: Assessment
    judgement: Judgement
    doubts: pd.DataFrame
    curve: pd.DataFrame | None
    candidates: Mapping[str, Assessment]
    files: Mapping[Upload, Foreign]
    decision: Decision
    noisy: tuple[NoisyDownload, ...]
    question: str
    salt: str
