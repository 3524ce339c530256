"""Material of a report, gathered before anything is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pandas as pd

from core.attack.updates import Update
from core.decision.review import Assessment, Case, Judgement
from core.register import Register
from core.report.decision import Decision, NoisyDownload, typed
from core.report.tried_settings import TriedSetting
from core.study.kept_classes import KeptClasses
from core.study.one_run import Outcome


@dataclass(frozen=True, eq=False)
class Meeting:
    """Contributions of the decision makers to a report.

    Parameters
    ----------
    question
        What was to be decided; a general one if there is none.
    decision
        What was decided; free text enters as it was typed.
    noisy
        Noisy tables that were downloaded.
    limits_by
        Source of the limits of the verdict.
    settings
        Settings of my release that were tried; the document shows those that no other beats.
    update, kept
        The attack on my release and that of an earlier version of the table, and the release with the earlier classes.
    register
        What has been published, and to whom; only the internal strength has it.

    Raises
    ------
    ParameterError
        If the question or ``limits_by`` is not a text, or too long.
    """

    question: str = ""
    decision: Decision = field(default_factory=Decision)
    noisy: Sequence[NoisyDownload] = ()
    limits_by: str = ""
    settings: Sequence[TriedSetting] = ()
    update: Update | None = None
    kept: KeptClasses | None = None
    register: Register | None = None

    def __post_init__(self) -> None:
        """Refuse content that a document cannot hold."""
        for name in ("question", "limits_by"):
            object.__setattr__(self, name, typed(getattr(self, name), name))


@dataclass(frozen=True, eq=False)
class Known:
    """Results that were computed already and that a report can reuse.

    Parameters
    ----------
    assessment, doubts
        Output of :func:`core.decision.review.assess` and :func:`core.decision.review.doubts`.
    curve
        Breach against "my k" at :func:`core.decision.review.redraws`, output of
        :func:`core.study.sweep.sweep`.
    outcome
        The draw of the scenario's seed, output of :func:`core.study.one_run.run_study`.
    """

    assessment: Assessment | None = None
    doubts: pd.DataFrame | None = None
    curve: pd.DataFrame | None = None
    outcome: Outcome | None = None


@dataclass(frozen=True, eq=False)
class Material:
    """Everything that can enter a report; each strength uses the part that it may disclose.

    Parameters
    ----------
    case
        The scenario and its data; reports take the names of the table's columns and the number
        of its records.
    meeting
        Contributions of the decision makers.
    assessment, judgement
        Numbers of the scenario, and whether they meet the requirements.
    doubts
        Output of :func:`core.decision.review.doubts`.
    curve
        Breach against my k, output of :func:`core.study.sweep.sweep`; ``None`` if none can be drawn.
    outcome
        The draw of the scenario's seed, for the anonymity sets that it leaves.
    salt
        As given to :func:`core.report.build`.
    """

    case: Case
    meeting: Meeting
    assessment: Assessment
    judgement: Judgement
    doubts: pd.DataFrame
    curve: pd.DataFrame | None
    outcome: Outcome
    salt: str

    @property
    def opening(self) -> tuple[Case, Meeting, Assessment, Judgement, pd.DataFrame]:
        """Material of a report's beginning."""
        return self.case, self.meeting, self.assessment, self.judgement, self.doubts
