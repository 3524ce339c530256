"""The verdict: each requirement met or not, with its number, and whether that survives being wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from core.curves import sweep
from core.encoding import Encoded
from core.hospitals import MAX_RELEASES, Study, default_size
from core.metrics import LESS, METRICS
from core.review.assess import Assessment, Number
from core.scenario import Scenario
from core.uploads import Foreign, Upload

Progress = Callable[[float], None]

DOUBTED = ("perfect", "breach", "weighted", "category")
"""Metrics that depend on what is assumed of other hospitals."""


@dataclass(frozen=True)
class Check:
    """One requirement against its number.

    Parameters
    ----------
    metric
        Name in :data:`core.metrics.METRICS`.
    limit
        What is required.
    number
        What was found; ``None`` where it was not assessed.
    met
        Whether the number is on the good side; ``None`` where there is no number.
    interval_met
        Whether the bad end of its interval is on the good side too; as ``met`` without an interval.
    worst
        The worst value over the *what if I am wrong* range; ``None`` where the range was not
        tried or does not move this number.
    survives
        Whether ``worst`` is on the good side; ``None`` without it.
    """

    metric: str
    limit: float
    number: Number | None
    met: bool | None
    interval_met: bool | None
    worst: float | None = None
    survives: bool | None = None


@dataclass(frozen=True)
class Judgement:
    """All requirements of a scenario.

    Parameters
    ----------
    checks
        One a requirement, in the order of the metrics.
    others_considered
        Whether a real release of another organisation took part.
    """

    checks: tuple[Check, ...]
    others_considered: bool

    @property
    def met(self) -> bool | None:
        """Whether every requirement is met; ``None`` where there is none, or one was not assessed and none fails."""
        found = [check.met for check in self.checks]
        if False in found:
            return False
        return None if None in found or not found else True

    @property
    def survives(self) -> bool | None:
        """Whether the verdict stays over the range that was tried; ``None`` where none was, or nothing is met."""
        tried = [check.survives for check in self.checks if check.survives is not None]
        return all(tried) if tried and self.met else None


def judge(assessment: Assessment, doubts: pd.DataFrame | None = None) -> Judgement:
    """Hold the numbers of an assessment against the requirements of its scenario.

    Parameters
    ----------
    assessment
        Output of :func:`core.review.assess`.
    doubts
        Output of :func:`doubts`, for whether the verdict survives.

    Returns
    -------
    Judgement
        A number that was not assessed is neither met nor failed: the verdict is then open.
    """
    asked = assessment.scenario.requirements.asked
    checks = tuple(_check(name, asked[name], assessment.numbers.get(name), doubts) for name in METRICS if name in asked)
    return Judgement(checks, not assessment.simulated_only)


def _check(name: str, limit: float, number: Number | None, doubts: pd.DataFrame | None) -> Check:
    if number is None:
        return Check(name, limit, None, None, None)
    metric = METRICS[name]
    met = metric.meets(number.value, limit)
    end = number.high if metric.better == LESS else number.low
    inner = met if end is None else metric.meets(end, limit)
    if doubts is None or name not in DOUBTED or doubts[name].isna().all():
        return Check(name, limit, number, met, inner)
    worst = float(max(doubts[name].max(), number.value))
    return Check(name, limit, number, met, inner, worst, metric.meets(worst, limit))


# ---- what if I am wrong -----------------------------------------------------------------


def plausible_ranges(
    study: Study, records: int, files: Mapping[Upload, Foreign] | None = None
) -> dict[str, Sequence[Any]]:
    """Plausible values of each assumption about others around the present one, within what the table allows.

    Parameters
    ----------
    study
        The present setting.
    records
        Of my table.
    files
        What the uploads of the study became.

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
    top = max(overlap, min(2 * overlap, most_shared(study, records, files)))
    ranges["overlap"] = sorted({least, max(1, overlap // 2), overlap, top})
    chosen = [hospital.policy.k for hospital in others if hospital.source != "published"]
    if chosen:
        k = chosen[0]
        ranges["their k"] = [
            value for value in sorted({max(2, k // 2), k, min(2 * k, size // 2), min(5 * k, size // 2)}) if value >= 2
        ]
    if drawn or hospitals > 2:
        room = max(2, records // max(1, overlap))
        most = max(hospitals, min(hospitals + 2, MAX_RELEASES, room)) if drawn else hospitals
        ranges["releases"] = sorted({2, hospitals, most})
    if drawn:
        ranges["agreement"] = sorted({0.5, 0.8, 1.0, *(hospital.agreement for hospital in drawn)})
    return ranges


def most_shared(study: Study, records: int, files: Mapping[Upload, Foreign] | None = None) -> int:
    """Most people that the hospitals of a curve against the overlap can share."""
    theirs = [len(file.mine) if file.linked else file.records for file in (files or {}).values()]
    own = [h.size for h in study.hospitals if h.size is not None and h.source != "simulated"]
    if study.whole:
        return max(1, min([records, *theirs, *own]))
    least = max(1, study.overlap // 5)
    dealt = int(0.9 * default_size(records, least, study.dealt))
    return max(1, min([(2 * records) // 3, dealt, *theirs, *own]))


def doubts(
    encoded: Encoded,
    scenario: Scenario,
    files: Mapping[Upload, Foreign] | None = None,
    ranges: Mapping[str, Sequence[Any]] | None = None,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Exposure over the range of each assumption, the others held at the present setting; one draw each.

    Parameters
    ----------
    encoded, scenario, files, progress
        As for :func:`core.review.assess`.
    ranges
        Values to try by assumption; :func:`plausible_ranges` by default.

    Returns
    -------
    DataFrame
        One row an assumption and value: ``assumption, value, perfect, breach, weighted,
        category, n``; category is NaN where it is not asked.
    """
    found = plausible_ranges(scenario.study, len(encoded), files) if ranges is None else ranges
    levels = tuple(dict.fromkeys((1.0, scenario.confidence)))
    frames = []
    for number, (assumption, values) in enumerate(found.items()):
        part = None if progress is None else _inner(progress, number, len(found))
        frame = sweep(
            encoded, scenario.study, assumption, values, levels, 1, scenario.seed, part, files,
            scenario.category_level,
        )  # fmt: skip
        perfect = frame[frame["confidence"] == 1.0].reset_index(drop=True)
        chosen = frame[frame["confidence"] == scenario.confidence].reset_index(drop=True)
        frames.append(
            pd.DataFrame(
                {
                    "assumption": assumption,
                    "value": chosen["value"].astype(object),
                    "perfect": perfect["share"],
                    "breach": chosen["share"],
                    "weighted": chosen["weighted"],
                    "category": chosen["category"],
                    "n": chosen["n"],
                }
            )
        )
    return pd.concat(frames, ignore_index=True)


def _inner(progress: Progress, number: int, steps: int) -> Progress:
    return lambda share: progress((number + share) / steps)
