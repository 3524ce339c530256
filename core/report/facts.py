"""The numbers of a report: requirements, numbers, candidates; each with its value and the words for it.

Only aggregates enter: numbers of metrics, settings and verdicts. Both strengths are written
by these functions; the scale decides how exactly. No function here can see a record, a
class, a column or a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from core import words
from core.attack.number import at_chosen
from core.metrics import METRICS, NOT_MET
from core.report.rounding import Facts, Scale, rank, raw, shares
from core.review import Assessment, Check, Judgement, Number, efficient, side_by_side, worth_showing


def metric_words(name: str, confidence: float) -> str:
    """Name of a metric, with the confidence it is taken at."""
    return words.metric_name(name, confidence if at_chosen(name) else None)


def numbers(assessment: Assessment, scale: Scale) -> list[Facts]:
    """Every number, in the order of the metrics.

    ``same`` names the metric that says the same where nobody is accused wrongly; the document
    has one line for both.
    """
    confidence, limits = assessment.scenario.confidence, assessment.scenario.requirements.asked
    kept = worth_showing([_told(assessment, scale).numbers], limits)
    return [
        {**_number(name, number, confidence, scale), "same": "" if name in kept else METRICS[name].whole}
        for name, number in assessment.numbers.items()
    ]


def _number(name: str, number: Number, confidence: float, scale: Scale) -> Facts:
    metric = METRICS[name]
    value, text = scale.number(name, number)
    many, of = scale.many(number.n, number.of)
    low, high, span = scale.span(number.low, number.high, number.n)
    named = {"wrong": number.wrong, "single": number.single, "guess": number.guess}
    beside, baselines = shares(scale, named, number.people or number.n)
    ends = scale.number_within(name, number)
    beside["within"] |= {} if ends is None else {"value": list(ends)}
    return {
        "metric": name,
        "words": metric_words(name, confidence),
        "meaning": metric.meaning,
        "group": metric.group,
        "better": metric.better,
        "value": value,
        "n": many,
        "of": number.of,
        "low": low,
        "high": high,
        **beside,
        "redraws": number.redraws,
        "shown": {"value": text, "n": of, "interval": span, **baselines, "better": words.BETTER[metric.better]},
    }


# ---- requirements -----------------------------------------------------------------------


def requirements(judgement: Judgement, doubts: pd.DataFrame, confidence: float, scale: Scale) -> list[Facts]:
    """Every requirement with its number, its verdict, and the worst value over what may be wrong."""
    return [_requirement(check, doubts, confidence, scale) for check in judgement.checks]


def _requirement(check: Check, doubts: pd.DataFrame, confidence: float, scale: Scale) -> Facts:
    number = check.number
    value, text = (None, words.NONE) if number is None else scale.number(check.metric, number)
    many, of = (None, words.NONE) if number is None else scale.many(number.n, number.of)
    low, high, span = (None, None, words.NONE) if number is None else scale.span(number.low, number.high, number.n)
    worst, worst_text, where = _worst(check, doubts, scale)
    if number is not None and not scale.external:
        text = words.beside_limit(check.metric, number.value, check.limit)
        worst_text = worst_text if worst is None else words.beside_limit(check.metric, worst, check.limit)
    ends = {
        "value": None if number is None else scale.number_within(check.metric, number),
        "worst": None if number is None or check.worst is None else scale.within(check.worst, number.n),
    }
    within = {name: list(pair) for name, pair in ends.items() if pair is not None}
    return {
        "metric": check.metric,
        "words": metric_words(check.metric, confidence),
        "limit": raw(check.limit),
        "value": value,
        "n": many,
        "low": low,
        "high": high,
        "within": within,
        "verdict": check.verdict,
        "met": check.met,
        "on_average": check.on_average,
        "redraws": None if number is None else number.redraws,
        "worst": worst,
        "worst_at": where,
        "survives": check.survives,
        "shown": {
            "asks": words.limit_words(check.metric, check.limit),
            "value": text,
            "n": of,
            "interval": span,
            "met": words.met_text(check.verdict),
            "worst": worst_text,
            "survives": ""
            if check.verdict == NOT_MET
            else {True: "still met in every draw", False: "not met", None: ""}[check.survives],
        },
    }


def _worst(check: Check, doubts: pd.DataFrame, scale: Scale) -> tuple[float | None, str, str]:
    """Worst value of a number, its words, and the assumption that leads to it."""
    if check.worst is None or check.number is None:
        return None, words.NONE, ""
    row_of = doubts[doubts[check.metric] == check.worst]
    if not len(row_of):
        return *scale.share(check.worst, check.number.n), "the present setting"
    row = row_of.iloc[0]
    value, text = scale.share(check.worst, int(row["n"]))
    setting = words.setting_text(row["assumption"], row["value"])
    if row["assumption"] == "overlap":
        setting = scale.people(int(row["value"]))[1]
    return value, text, f"{words.ASSUMPTIONS[row['assumption']]}: {setting}"


# ---- candidates -------------------------------------------------------------------------


def candidates(assessments: Mapping[str, Assessment], scale: Scale) -> Facts | None:
    """Pinned scenarios side by side, and which of them no other beats in loss and breach."""
    if not assessments:
        return None
    rows: dict[str, list[Facts]] = {}
    # Marks are of the values that are told, so that a rounded table does not tell what it rounds away.
    shown = {name: _told(each, scale) for name, each in assessments.items()}
    for row in side_by_side(shown).to_dict("records"):
        name, who = row["metric"], row["candidate"]
        number = assessments[who].numbers.get(name)
        value, text = (None, words.NONE) if number is None else scale.number(name, number)
        ends = None if number is None else scale.number_within(name, number)
        marks = {"best": bool(row["best"]), "worst": bool(row["worst"])}
        if number is not None and name == "dp_ceiling":
            text += f", {number.of}"
        cell = {"candidate": who, "value": value, "within": {} if ends is None else {"value": list(ends)}, **marks}
        rows.setdefault(name, []).append({**cell, "shown": text})
    kept = worth_showing([each.numbers for each in shown.values()])
    return {
        "names": list(assessments),
        "rows": [
            {"metric": name, "words": METRICS[name].words, "better": METRICS[name].better, "cells": cells}
            for name, cells in rows.items()
            if name in kept
        ],
        "note": (
            "Best and worst of each row are marked where they differ. Exposure at C is read at each candidate's own "
            "confidence."
        ),
        "trade_off": _trade_off(assessments, scale),
    }


def _told(assessment: Assessment, scale: Scale) -> Assessment:
    """The same assessment with the values that are told; hidden ones at the end at which they lie."""
    kept = {}
    for name, number in assessment.numbers.items():
        value = rank(scale.number(name, number)[0], scale.number_within(name, number))
        if value is not None:
            kept[name] = replace(number, value=value)
    return replace(assessment, numbers=kept)


def _trade_off(assessments: Mapping[str, Assessment], scale: Scale) -> Facts:
    """Loss against breach, and the line that no candidate beats."""
    rows: list[Facts] = []
    for name, each in assessments.items():
        loss, breach = each.numbers["loss"], each.numbers["breach"]
        cost, cost_text = scale.number("loss", loss)
        risk, risk_text = scale.number("breach", breach)
        low, high, span = scale.span(breach.low, breach.high, breach.n)
        many, of = scale.many(breach.n, breach.of)
        ends = {"loss": scale.number_within("loss", loss), "breach": scale.number_within("breach", breach)}
        rows.append(
            {
                "name": name,
                "loss": cost,
                "breach": risk,
                "low": low,
                "high": high,
                "n": many,
                "efficient": False,
                "within": {axis: list(pair) for axis, pair in ends.items() if pair is not None},
                "shown": {
                    "name": name,
                    "loss": cost_text,
                    "breach": risk_text,
                    "interval": span,
                    "n": of,
                    "level": words.confidence_text(each.scenario.confidence),
                },
            }
        )
    missing = float("nan")
    ranks = [[rank(row[axis], row["within"].get(axis)) for row in rows] for axis in ("loss", "breach")]
    costs, risks = ([missing if value is None else value for value in axis] for axis in ranks)
    for row, state in zip(rows, efficient(costs, risks), strict=True):
        row["efficient"] = bool(state)
        row["shown"]["efficient"] = "no candidate is better in both" if state else "another candidate is better"
    best = words.listed([row["name"] for row in rows if row["efficient"]])
    return {
        "name": "trade_off",
        "title": "Information loss against exposure",
        "alternative": f"A point for each of {words.several(len(rows), 'candidate')}. On the efficient frontier: "
        f"{best}.",
        "note": "Diamonds joined by a line: candidates that no other beats in both. Upright lines: 95 % intervals.",
        "columns": [
            {"key": "name", "words": "Candidate"},
            {"key": "loss", "words": "Information loss"},
            {"key": "breach", "words": "Exposed at C"},
            {"key": "level", "words": "C"},
            {"key": "interval", "words": "95 % interval"},
            {"key": "n", "words": "Of"},
            {"key": "efficient", "words": "Frontier"},
        ],
        "rows": rows,
    }
