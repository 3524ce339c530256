"""The numbers of a decision in words: values, limits, what they stand on, what a scenario assumes."""

from __future__ import annotations

from collections.abc import Sequence

from core import Scenario
from core.dp import PRIOR_WORDS
from core.metrics import LESS, METRICS, MORE
from core.release.algorithm import ALGORITHMS
from core.review import Number
from core.review.assessment import SAME
from core.study.hospitals import Hospital
from pages.shared.text import count, interval, number, percent, safe
from pages.shared.values import SOURCES

GROUPS = {
    "guarantee": "What my release promises, as measured",
    "exposure": "What the attack finds, once the others publish",
    "anticipated": "What is expected without the others' releases",
    "cost": "What it costs",
}
ASSUMPTIONS = {
    "their k": "people per class (k) at the other hospitals",
    "overlap": "people who went to every hospital",
    "releases": "number of hospitals that publish",
    "agreement": "same diagnosis at the other hospital",
}
LOCATE_WORDS = {
    "default": "classes known, or read off the release where the algorithm asks for it",
    "assumed": "classes known",
    "published": "classes read off the published regions",
}


def name_of(metric: str, confidence: float | None = None) -> str:
    """A metric in words, with its confidence where it has one."""
    words = METRICS[metric].words
    return words if confidence is None else words.replace(" C", f" C = {100 * confidence:.0f} %", 1)


def shown(metric: str, value: float) -> str:
    """A value of a metric in its unit."""
    kind = METRICS[metric].kind
    if kind == "share":
        return percent(value)
    if metric == "m" and value < 0:
        return "none"
    return count(value) if kind == "count" else number(value)


def limit_words(metric: str, limit: float) -> str:
    """A limit in its unit: "at most 5.0 %"."""
    return f"at {'least' if METRICS[metric].better == MORE else 'most'} {shown(metric, limit)}"


def direction(metric: str) -> str:
    """Which way is better; empty where neither is."""
    return {LESS: "less is better", MORE: "more is better"}.get(METRICS[metric].better, "")


def basis(found: Number) -> str:
    """What a number is a number of, and its interval."""
    words = f"{count(found.n)} {found.of}"
    span = interval(found.low, found.high)
    if not span and found.redraws is not None:
        span = f"{found.redraws} draw{'s' if found.redraws > 1 else ''}, no interval"
        return f"{span}; {words}{_beside(found)}"
    return (f"95 % interval {span}; {words}" if span else words) + _beside(found)


def _beside(found: Number) -> str:
    """False alarms and the baselines of the same quantity."""
    words = f"; {percent(found.wrong)} of all wrongly" if found.wrong is not None and found.wrong > SAME else ""
    words += "" if found.single is None else f"; best single release {percent(found.single)}"
    return words + ("" if found.guess is None else f"; guessing the commonest {percent(found.guess)}")


def change(metric: str, value: float, reference: float) -> str:
    """The difference to a reference, with its sign; shares in percentage points."""
    share, whole = METRICS[metric].kind == "share", METRICS[metric].kind == "count"
    by = (100 if share else 1) * (value - reference)
    if abs(by) < (0.05 if share else 0.005):
        return "no difference"
    size = f"{abs(by):,.0f}" if whole else f"{abs(by):,.1f}" if share else f"{abs(by):,.2f}"
    return f"difference {'+' if by > 0 else '−'}{size.replace(',', ' ')}{' points' if share else ''}"


# ---- what a scenario asks and assumes --------------------------------------------------------


def my_release(scenario: Scenario) -> str:
    """My policy and algorithm."""
    mine = scenario.mine
    return f"{mine.policy.signs}; {ALGORITHMS[mine.algorithm].words}"


def assumed(scenario: Scenario) -> dict[str, str]:
    """What is assumed of the others and of the adversary, by what it is about."""
    others = scenario.hospitals[1:]
    asked, noise = scenario.forecast, scenario.noise
    elsewhere = "as many records" if asked.others is None else f"{count(asked.others)} records"
    level = "" if scenario.category_level is None else f", categories at level {scenario.category_level}"
    return {
        "Hospitals that publish": count(len(scenario.hospitals)),
        "Others": _each([_other(hospital) for hospital in others]),
        "Shared people": count(scenario.overlap)
        + ("" if scenario.size is None else f", {count(scenario.size)} records each"),
        "Adversary": f"{LOCATE_WORDS[scenario.locate]}; C = {100 * scenario.confidence:.0f} %{level}",
        "Forecast": f"{asked.l} common values at {100 * asked.confidence:.0f} %, {asked.reading}; {elsewhere} "
        f"elsewhere{_class(asked.class_size)}; {_source(asked.source)}",
        "Noise instead": f"ε = {noise.epsilon:g} a table, {noise.mechanism}; ceiling {PRIOR_WORDS[noise.prior]}",
        "Draws": f"{scenario.repeats} redraws, seed {scenario.seed}",
    }


def _class(size: float | None) -> str:
    return "" if size is None else f", in classes of {size:g}"


def _source(source: str) -> str:
    return {"table": "shares counted in my table", "joint": "shares counted in my classes", "file": "shares of a file"}[
        source
    ]


def _other(hospital: Hospital) -> str:
    if hospital.upload is not None:
        return f"{SOURCES[hospital.source].split(':')[0].lower()} {safe(hospital.upload.name, 30)}"
    agreement = "" if hospital.agreement == 1 else f", {percent(hospital.agreement)} same diagnosis"
    size = "" if hospital.size is None else f", {count(hospital.size)} records"
    source = {
        "resampled": "a hospital like mine",
        "simulated": "dealt from my table",
        "conditional": "modelled",
        "independent": "modelled, independent columns",
    }
    return (
        f"{source[hospital.source]}: {hospital.policy.signs}, {ALGORITHMS[hospital.algorithm].short}{agreement}{size}"
    )


def _each(words: Sequence[str]) -> str:
    different = list(dict.fromkeys(words))
    if len(different) == 1:
        return different[0] if len(words) == 1 else f"all {different[0]}"
    return "; ".join(words)


def differing(scenarios: Sequence[Scenario]) -> list[str]:
    """Which assumptions are not the same in all scenarios, in words."""
    every = [assumed(scenario) for scenario in scenarios]
    return [name for name in every[0] if len({one[name] for one in every}) > 1] if every else []
