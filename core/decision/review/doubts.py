"""Test each assumption about others over its range, and mark the plausible part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from core.attack.number import counted
from core.base.arrays import Progress, step
from core.base.limits import LIMITS
from core.base.metrics import METRICS, NOT_MET
from core.data.encoding.encoded import Encoded
from core.decision.review.assessment import Number, redraws
from core.decision.review.case import Case
from core.decision.scenario.scenario import Scenario
from core.study.case_mix import LIKE_MINE, NOT_KNOWN
from core.study.draw import MAX_RELEASES, default_size
from core.study.hospitals import Study
from core.study.redraws import Redraws
from core.study.sweep import sweep

USUAL_K = 5
"""The usual k of a hospital: plausible for the others even if a larger k is assumed."""
USUAL_RATE = 0.8
"""Smallest plausible share of people with the same diagnosis at two hospitals."""


@dataclass(frozen=True)
class DoubtCase:
    """A number with a limit if one assumption about others differs.

    Parameters
    ----------
    assumption, value
        Which one, a key of :data:`core.base.wording.ASSUMPTIONS`, and its other value.
    number
        With its interval if there are enough redraws.
    verdict
        On the limit; ``None`` without one.
    plausible
        Whether the value is within the plausible range.
    """

    assumption: str
    value: Any
    number: Number
    verdict: str | None
    plausible: bool

    @property
    def breaks(self) -> bool:
        """Whether the verdict depends on this case not being true."""
        return self.plausible and self.verdict == NOT_MET


def assumed_values(study: Study) -> dict[str, list[Any]]:
    """Present assumptions, by the names of :data:`core.base.wording.ASSUMPTIONS`: one value per hospital concerned."""
    others = study.hospitals[1:]
    return {
        "overlap": [study.overlap],
        "their k": [hospital.policy.k for hospital in others if hospital.has_policy] or [others[0].policy.k],
        "releases": [len(study.hospitals)],
        "same_value_rate": [hospital.same_value_rate for hospital in others if hospital.is_drawn] or [1.0],
        "case_mix": [hospital.case_mix for hospital in others if hospital.origin == "resampled"] or [LIKE_MINE],
    }


def present_values(scenario: Scenario) -> dict[str, Any]:
    """Present assumptions, those of the first hospital if hospitals differ."""
    return {name: values[0] for name, values in assumed_values(scenario.study).items()}


def plausible_ranges(scenario: Scenario) -> dict[str, tuple[Any, Any]]:
    """Plausible range of each assumption: that of the scenario, else the usual one; it includes the assumed value.

    By the names of :data:`core.base.wording.ASSUMPTIONS`: from half to twice the shared people; from the usual k to
    twice the one assumed; one more hospital; the same diagnosis for at least four of five people; and a case mix from
    that of my table to an unknown one.
    """
    assumed = assumed_values(scenario.study)
    (overlap,), (releases,), ks = assumed["overlap"], assumed["releases"], assumed["their k"]
    usual = {
        "overlap": (max(1, overlap // 2), 2 * overlap),
        "their k": (min(USUAL_K, *ks), 2 * max(ks)),
        "releases": (releases, min(MAX_RELEASES, releases + 1)),
        "same_value_rate": (USUAL_RATE, 1.0),
        "case_mix": (LIKE_MINE, NOT_KNOWN),
    }
    ranges = {}
    for name, ends in usual.items():
        low, high = getattr(scenario.plausible, name.replace(" ", "_")) or ends
        ranges[name] = (min(low, *assumed[name]), max(high, *assumed[name]))
    return ranges


def tried_values(study: Study, people: int, plausible: Mapping[str, tuple[Any, Any]]) -> dict[str, list[Any]]:
    """Values to try of each assumption that can vary: plausible ones and beyond, within what the table allows.

    The present value is among them only if the table is divided: sizes then depend on all values of a curve.

    Parameters
    ----------
    study
        The present setting.
    people
        In my table.
    plausible
        Output of :func:`plausible_ranges`.
    """
    overlap, hospitals = study.overlap, len(study.hospitals)
    others = study.hospitals[1:]
    drawn = [hospital for hospital in others if hospital.is_drawn]
    size = min(study.size_of(number, people) for number, h in enumerate(study.hospitals) if h.upload is None)
    most = max(overlap, most_shared(study, people))
    values: dict[str, list[Any]] = {"overlap": [max(1, overlap // 5), overlap, min(2 * overlap, most)]}
    bounds: dict[str, tuple[Any, Any]] = {"overlap": (1, most)}
    chosen = [hospital.policy.k for hospital in others if hospital.has_policy]
    if chosen:
        k = chosen[0]
        bounds["their k"] = (2, max(k, size // 2))
        values["their k"] = [k // 2, *chosen, 5 * k]
    if drawn or hospitals > 2:
        room = max(2, people // max(1, overlap))
        bounds["releases"] = (2, max(hospitals, min(MAX_RELEASES, room)) if drawn else hospitals)
        values["releases"] = [2, hospitals, hospitals + 2]
    if drawn:
        bounds["same_value_rate"] = (0.0, 1.0)
        values["same_value_rate"] = [0.5, 1.0, *(hospital.same_value_rate for hospital in drawn)]
    if any(hospital.origin == "resampled" for hospital in others):
        bounds["case_mix"] = (LIKE_MINE, LIMITS["case_mix"].most)
        values["case_mix"] = [LIKE_MINE, NOT_KNOWN]
    assumed = assumed_values(study)
    ranges = {}
    for name, (low, high) in bounds.items():
        every = {min(max(value, low), high) for value in (*values[name], *plausible[name])}
        # If hospitals differ, the same value at all of them is a separate case.
        ranges[name] = sorted(every - set(assumed[name]) if study.whole and len(set(assumed[name])) == 1 else every)
    return {name: tried for name, tried in ranges.items() if tried}


def most_shared(study: Study, people: int) -> int:
    """Most people that the hospitals of a curve against the overlap can share."""
    theirs = [len(file.mine) if file.linked else file.records for file in study.files.values()]
    own = [h.size for h in study.hospitals if h.size is not None and h.origin != "simulated"]
    if study.whole:
        return max(1, min([people, *theirs, *own]))
    least = max(1, study.overlap // 5)
    dealt = int(0.9 * default_size(people, least, study.dealt))
    return max(1, min([(2 * people) // 3, dealt, *theirs, *own]))


def doubts(
    case: Case, values: Mapping[str, Sequence[Any]] | None = None, progress: Progress | None = None
) -> pd.DataFrame:
    """Exposure over the range of each assumption, with the others at the present setting.

    Means over the redraws of the scenario, the same for every value, so that the present setting gives the numbers of
    :func:`core.decision.review.assess` if my table stays whole.

    Parameters
    ----------
    case, progress
        As for :func:`core.decision.review.assess`.
    values
        Values to try by assumption; :func:`tried_values` by default.

    Returns
    -------
    DataFrame
        One row per assumption and value: ``assumption, value, n, redraws`` and the numbers of
        :func:`core.attack.number.counted`, each with the ends of its interval under ``_low`` and ``_high``.
    """
    scenario, study = case.scenario, case.study
    if values is None:
        values = tried_values(study, case.encoded.people, plausible_ranges(scenario))
    levels = tuple(dict.fromkeys((1.0, scenario.confidence)))
    draws = replace(redraws(scenario), confidences=levels)
    frames = [
        _tried(case.encoded, study, name, tried, draws, scenario.confidence, step(progress, number, len(values)))
        for number, (name, tried) in enumerate(values.items())
    ]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()


def _tried(
    encoded: Encoded,
    study: Study,
    assumption: str,
    values: Sequence[Any],
    draws: Redraws,
    confidence: float,
    progress: Progress | None,
) -> pd.DataFrame:
    """Rows of one assumption."""
    frame = sweep(encoded, study, assumption, values, draws, progress)
    at = {level: frame[frame["confidence"] == level].reset_index(drop=True) for level in draws.confidences}
    columns: dict[str, Any] = {"assumption": assumption, "value": at[confidence]["value"].astype(object)}
    for name, number in counted(study.also).items():
        chosen = at[number.level(confidence)]
        columns |= {name: chosen[number.column], f"{name}_low": chosen[number.low], f"{name}_high": chosen[number.high]}
    return pd.DataFrame({**columns, "n": at[confidence]["n"], "redraws": at[confidence]["repeats"]})


def cases(frame: pd.DataFrame, scenario: Scenario, metric: str, chance: bool) -> tuple[DoubtCase, ...]:
    """Values of a number of the attack if one assumption differs, the worst first.

    Parameters
    ----------
    frame
        Output of :func:`doubts`.
    scenario
        Of the doubts; its limit on the number decides the verdicts.
    metric
        Name of :func:`core.attack.number.counted`.
    chance
        Whether there is randomness.
    """
    assumed, ranges = assumed_values(scenario.study), plausible_ranges(scenario)
    limit = scenario.requirements.asked.get(metric)
    tried = []
    if metric not in frame:
        return ()
    for row in frame[frame[metric].notna()].to_dict("records"):
        name, value = row["assumption"], row["value"]
        if all(value == each for each in assumed[name]):
            continue
        low, high = (
            None if pd.isna(row[f"{metric}_{end}"]) else float(row[f"{metric}_{end}"]) for end in ("low", "high")
        )
        drawn = int(row["redraws"]) if chance else None
        number = Number(float(row[metric]), int(row["n"]), "shared people", low, high, redraws=drawn)
        verdict = None if limit is None else number.verdict(metric, limit)
        first, last = ranges[name]
        tried.append(DoubtCase(name, value, number, verdict, first <= value <= last))
    sign = -1 if METRICS[metric].better == "less" else 1
    return tuple(sorted(tried, key=lambda case: sign * case.number.value))
