"""The numbers of a report: requirements and numbers; each with its value and its text.

Only aggregates enter: numbers of metrics, settings and verdicts. Both strengths are written by these functions; the
scale decides the precision. No function here can see a record, a class, a column or a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from core.attack.number import at_chosen
from core.base import wording
from core.base.metrics import METRICS
from core.decision.review import Assessment, Check, Judgement, Number, worth_showing
from core.report.rounding import Facts, ReportedNumber, Scale, hidden, rank, raw, shares


def metric_words(name: str, confidence: float) -> str:
    """Name of a metric, with its confidence."""
    return wording.metric_name(name, confidence if at_chosen(name) else None)


def numbers(assessment: Assessment, scale: Scale) -> list[Facts]:
    """Every number, in the order of the metrics.

    ``same`` names the metric that is equal if there are no incorrect inferences; the document has one line for both.
    """
    confidence, limits = assessment.scenario.confidence, assessment.scenario.requirements.asked
    kept = worth_showing(_as_reported(assessment, scale).numbers, limits)
    return [
        {**_number(name, number, confidence, scale), "same": "" if name in kept else METRICS[name].whole}
        for name, number in assessment.numbers.items()
    ]


def by_column(assessment: Assessment, titles: Mapping[str, str], scale: Scale) -> list[Facts]:
    """Exposure in each of several sensitive columns and, under "", of their joint value, by the titles given."""
    confidence = assessment.scenario.confidence
    return [
        {
            **_number("one_value_left", number, confidence, scale),
            "metric": f"one_value_left_in_column_{place}" if column else "one_joint_value_left",
            "words": titles[column],
            "meaning": "Shared people with a single value of this column left, right or wrong."
            if column
            else "Shared people with a single combination of the sensitive columns left, right or wrong.",
            "same": "",
        }
        for place, (column, number) in enumerate(assessment.by_column.items(), 1)
    ]


def _number(name: str, number: Number, confidence: float, scale: Scale) -> Facts:
    metric, all_of_it = METRICS[name], _all_of(name, number, scale)
    named = {"wrong": number.wrong, "single": number.single, "guess": number.guess}
    share_facts, baselines = shares(scale, named, number.people or number.n)
    return {
        **all_of_it,
        **share_facts,
        "metric": name,
        "words": metric_words(name, confidence),
        "meaning": metric.meaning,
        "group": metric.group,
        "better": metric.better,
        "of": number.of,
        "within": share_facts["within"] | all_of_it["within"],
        "shown": {**all_of_it["shown"], **baselines, "better": wording.BETTER[metric.better]},
    }


def _all_of(name: str, number: Number | None, scale: Scale) -> Facts:
    """A number with its interval and its population; a note if there is none."""
    value, many = scale.number(name, number), scale.many(number)
    low, high, span = scale.interval(number)
    return {
        "value": value.value,
        "n": many.value,
        "low": low,
        "high": high,
        "within": hidden({"value": value}),
        "redraws": None if number is None else number.redraws,
        "shown": {"value": value.text, "n": many.text, "interval": span},
    }


# ---- requirements -----------------------------------------------------------------------


def requirements(judgement: Judgement, confidence: float, scale: Scale) -> list[Facts]:
    """Every limit with its number, its verdict, and the worst plausible case."""
    return [_requirement(check, confidence, scale) for check in judgement.checks]


def _requirement(check: Check, confidence: float, scale: Scale) -> Facts:
    number, all_of_it = check.number, _all_of(check.metric, check.number, scale)
    case = check.worst if check.on_average else None
    worst, where, lies = ReportedNumber(), "", {}
    shown = {**all_of_it["shown"], "worst": ""}
    if number is not None:
        shown["value"] = scale.beside_limit(check.metric, number, check.limit)
    if case is not None:
        worst = scale.share(case.number.value, case.number.n)
        where = f"{wording.ASSUMPTIONS[case.assumption]}: {setting(case.assumption, case.value, scale)}"
        lies = hidden({"worst": worst})
        shown["worst"] = scale.beside_limit(check.metric, case.number, check.limit)
    survives = {True: "still met on average", False: "not met", None: ""}[check.survives]
    return {
        **all_of_it,
        "metric": check.metric,
        "words": metric_words(check.metric, confidence),
        "limit": raw(check.limit),
        "within": all_of_it["within"] | lies,
        "verdict": check.verdict,
        "met": check.met,
        "on_average": check.on_average,
        "worst": worst.value,
        "worst_at": where,
        "survives": check.survives,
        "shown": {
            **shown,
            "asks": wording.limit_words(check.metric, check.limit),
            "met": wording.met_text(check.verdict),
            "survives": survives,
        },
    }


def setting(assumption: str, value: float, scale: Scale) -> str:
    """The tried value of an assumption; people are rounded by the scale."""
    return scale.people(int(value)).text if assumption == "overlap" else wording.setting_text(assumption, value)


def _as_reported(assessment: Assessment, scale: Scale) -> Assessment:
    """The same assessment with the reported values; hidden ones are put at their end of the scale."""
    kept = {}
    for name, number in assessment.numbers.items():
        rounded = scale.number(name, number)
        value = rank(rounded.value, rounded.within)
        if value is not None:
            kept[name] = replace(number, value=value)
    return replace(assessment, numbers=kept)
