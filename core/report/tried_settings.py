"""Settings of my release that were tried: those that no other beats, each with its verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.base import wording
from core.base.metrics import MET, METRICS, NOT_MET, ON_AVERAGE
from core.decision.review import Assessment, Number, efficient
from core.report.facts import metric_words
from core.report.rounding import Facts, Scale

SURE = ("k", "loss")
"""Numbers of a release that do not depend on chance."""


@dataclass(frozen=True)
class TriedSetting:
    """A setting of my release, with the numbers that were computed for it.

    Parameters
    ----------
    label
        Words of the program, such as its k; never a typed name.
    numbers
        By name of :data:`core.base.metrics.METRICS`: the loss, exposures, k.
    mine
        Whether it is the present one.
    """

    label: str
    numbers: Mapping[str, Number]
    mine: bool = False


def unbeaten(settings: Sequence[TriedSetting], metric: str) -> list[TriedSetting]:
    """Settings with less loss or less exposure than every other, and the present one; least loss first."""
    known = [each for each in settings if {"loss", metric} <= each.numbers.keys()]
    best = efficient([each.numbers["loss"].value for each in known], [each.numbers[metric].value for each in known])
    kept = [each for each, stays in zip(known, best, strict=True) if stays or each.mine]
    return sorted(kept, key=lambda each: (each.numbers["loss"].value, not each.mine))


def verdict_of(setting: TriedSetting, limits: Mapping[str, float]) -> str | None:
    """The worst verdict on the limits whose numbers were computed; ``None`` if there are none."""
    held = [setting.numbers[name].verdict(name, limit) for name, limit in limits.items() if name in setting.numbers]
    return next((verdict for verdict in (NOT_MET, ON_AVERAGE, MET) if verdict in held), None)


def _verdict_words(setting: TriedSetting, limits: Mapping[str, float], verdict: str | None) -> str:
    """A verdict with the limits that are not met; whether it is one on average because there is no interval."""
    held = {name: setting.numbers[name] for name in limits if name in setting.numbers}
    broken = [METRICS[name].words for name, number in held.items() if number.verdict(name, limits[name]) == NOT_MET]
    if verdict == ON_AVERAGE and all(number.high is None for name, number in held.items() if name not in SURE):
        return "met on average; no interval was computed"
    return f"{wording.met_text(verdict)}: {wording.listed(broken)}" if broken else wording.met_text(verdict)


def told_settings(settings: Sequence[TriedSetting], assessment: Assessment, metric: str, scale: Scale) -> Facts | None:
    """The settings that nothing beats as rows of a table; ``None`` if none were tried."""
    kept = unbeaten(settings, metric) if metric else []
    if not kept:
        return None
    limits = assessment.scenario.requirements.asked
    rows = []
    for each in kept:
        number, verdict = each.numbers[metric], verdict_of(each, limits)
        limit = limits.get(metric)
        share = scale.number(metric, number).text if limit is None else scale.beside_limit(metric, number, limit)
        rows.append(
            {
                "label": each.label,
                "mine": each.mine,
                "verdict": verdict,
                "shown": {
                    "loss": scale.number("loss", each.numbers["loss"]).text,
                    "share": share,
                    "people": scale.headcount(number),
                    "verdict": _verdict_words(each, limits, verdict),
                },
            }
        )
    looked_at = {name for each in kept for name in each.numbers}
    left = [METRICS[name].words for name in limits if name not in looked_at]
    return {
        "tried": len(settings),
        "words": metric_words(metric, assessment.scenario.confidence),
        "rows": rows,
        "not_looked_at": wording.listed(left),
    }
