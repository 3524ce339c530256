"""Assumptions of a scenario in a line or two."""

from __future__ import annotations

from collections.abc import Sequence

from core import Scenario
from core.base import wording
from core.decision.review import Number
from core.dp import PRIOR_WORDS
from core.release.algorithm import ALGORITHMS
from core.study.hospitals import OWN, Hospital
from pages.shared.ui.text import at_confidence, count, percent, safe


def basis(metric: str, number: Number) -> str:
    """Population of a number, its interval, and its baselines."""
    parts = (wording.interval_words(metric, number), f"{count(number.n)} {number.of}", *wording.baselines(number))
    return "; ".join(filter(None, parts))


def my_release(scenario: Scenario) -> str:
    """My policy and algorithm."""
    mine = scenario.mine
    return f"{mine.policy.signs}; {ALGORITHMS[mine.algorithm].words}"


def assumptions(scenario: Scenario) -> dict[str, str]:
    """What is assumed of the others and of the adversary, by what it is about."""
    forecast, noise = scenario.forecast, scenario.noise
    elsewhere = "as many records" if forecast.others is None else f"{count(forecast.others)} records"
    return {
        "Hospitals that publish": count(sum(hospital.origin != OWN for hospital in scenario.hospitals)),
        "Others": _each([_other(hospital) for hospital in scenario.hospitals[1:]]),
        "Shared people": count(scenario.overlap)
        + ("" if scenario.size is None else f", {count(scenario.size)} records each"),
        "Adversary": f"class {wording.LOCATE[scenario.locate]}; {at_confidence(scenario.confidence)}",
        "Forecast": f"{forecast.l} shared values at {wording.confidence_text(forecast.confidence)}, "
        f"{forecast.reading}; {elsewhere} elsewhere; {wording.STATISTICS[forecast.statistics]}",
        "Noise instead": f"ε = {noise.epsilon:g} a table, {noise.mechanism}; ceiling {PRIOR_WORDS[noise.prior]}",
        "Draws": f"{wording.several(scenario.repeats, 'redraw')}, seed {scenario.seed}",
    }


def _other(hospital: Hospital) -> str:
    source = wording.SHORT_SOURCE[hospital.origin_name]
    if hospital.upload is not None:
        return f"{source}, {safe(hospital.upload.name, 30)}"
    same_value_rate = (
        "" if hospital.same_value_rate == 1 else f", the same diagnosis in {percent(hospital.same_value_rate)}"
    )
    case_mix = "" if not hospital.case_mix else f", case mix {wording.setting_text('case_mix', hospital.case_mix)}"
    if hospital.counts is not None:
        return f"{source}: {hospital.counts.in_words}{same_value_rate}{case_mix}"
    size = "" if hospital.size is None else f", {count(hospital.size)} records"
    return f"{source}: {hospital.policy.signs}, {ALGORITHMS[hospital.algorithm].short}{same_value_rate}{case_mix}{size}"


def _each(texts: Sequence[str]) -> str:
    different = list(dict.fromkeys(texts))
    if len(different) == 1:
        return different[0] if len(texts) == 1 else f"all {different[0]}"
    return "; ".join(texts)
