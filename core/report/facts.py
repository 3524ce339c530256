"""The numbers of a report: requirements, numbers, candidates; each with its value and the words for it.

Only aggregates enter: numbers of metrics, settings and verdicts. Both strengths are written
by these functions; the scale decides how exactly. No function here can see a record, a
class, a column or a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from core.metrics import METRICS
from core.report import words
from core.report.scales import Scale, raw
from core.review import Assessment, Check, Judgement, Number, efficient, side_by_side

Facts = dict[str, Any]
CONFIDENT = ("breach", "weighted")
"""Metrics that mean something at the chosen confidence only."""


def metric_words(name: str, confidence: float) -> str:
    """Name of a metric, with the confidence it is taken at."""
    said = METRICS[name].words
    return said.replace(" C", f" C = {words.confidence_text(confidence)}", 1) if name in CONFIDENT else said


def numbers(assessment: Assessment, scale: Scale) -> list[Facts]:
    """Every number, in the order of the metrics."""
    confidence = assessment.scenario.confidence
    return [_number(name, found, confidence, scale) for name, found in assessment.numbers.items()]


def _number(name: str, found: Number, confidence: float, scale: Scale) -> Facts:
    metric = METRICS[name]
    value, text = scale.number(name, found)
    many, of = scale.many(found.n, found.of)
    low, high, span = scale.span(found.low, found.high, found.n)
    single, single_text = scale.share(found.single, found.n)
    guess, guess_text = scale.share(found.guess, found.n)
    return {
        "metric": name,
        "words": metric_words(name, confidence),
        "meaning": metric.meaning,
        "group": metric.group,
        "better": metric.better,
        "value": value,
        "n": many,
        "of": found.of,
        "low": low,
        "high": high,
        "single": single,
        "guess": guess,
        "shown": {
            "value": text, "n": of, "interval": span, "single": single_text,
            "guess": guess_text, "better": words.BETTER[metric.better],
        },
    }  # fmt: skip


# ---- requirements -----------------------------------------------------------------------


def requirements(judgement: Judgement, doubts: pd.DataFrame, confidence: float, scale: Scale) -> list[Facts]:
    """Every requirement with its number, its verdict, and the worst value over what may be wrong."""
    return [_requirement(check, doubts, confidence, scale) for check in judgement.checks]


def _requirement(check: Check, doubts: pd.DataFrame, confidence: float, scale: Scale) -> Facts:
    metric, found = METRICS[check.metric], check.number
    value, text = (None, words.NONE) if found is None else scale.number(check.metric, found)
    many, of = (None, words.NONE) if found is None else scale.many(found.n, found.of)
    low, high, span = (None, None, words.NONE) if found is None else scale.span(found.low, found.high, found.n)
    worst, worst_text, where = _worst(check, doubts, scale)
    return {
        "metric": check.metric,
        "words": metric_words(check.metric, confidence),
        "limit": raw(check.limit),
        "value": value,
        "n": many,
        "low": low,
        "high": high,
        "met": check.met,
        "interval_met": check.interval_met,
        "worst": worst,
        "worst_at": where,
        "survives": check.survives,
        "shown": {
            "asks": words.asks(metric, check.limit), "value": text, "n": of,
            "interval": span, "met": words.met_text(check.met),
            "worst": worst_text,
            "survives": {True: "stays met", False: "would be broken", None: ""}[check.survives] if check.met else "",
        },
    }  # fmt: skip


def _worst(check: Check, doubts: pd.DataFrame, scale: Scale) -> tuple[float | None, str, str]:
    """Worst value of a number, its words, and the assumption that leads to it."""
    if check.worst is None or check.number is None:
        return None, words.NONE, ""
    found = doubts[doubts[check.metric] == check.worst]
    if not len(found):
        return *scale.share(check.worst, check.number.n), "the present setting"
    row = found.iloc[0]
    value, text = scale.share(check.worst, int(row["n"]))
    here = words.setting_text(row["assumption"], row["value"])
    if row["assumption"] == "overlap":
        here = scale.people(int(row["value"]))[1]
    return value, text, f"{words.DOUBTS[row['assumption']]}: {here}"


# ---- candidates -------------------------------------------------------------------------


def candidates(found: Mapping[str, Assessment], scale: Scale) -> Facts | None:
    """Pinned scenarios side by side, and which of them no other beats in loss and breach."""
    if not found:
        return None
    rows: dict[str, list[Facts]] = {}
    # Marks are of the values that are told, so that a rounded table does not tell what it rounds away.
    for row in side_by_side({name: _told(each, scale) for name, each in found.items()}).to_dict("records"):
        name, who = row["metric"], row["candidate"]
        number = found[who].numbers.get(name)
        value, text = (None, words.NONE) if number is None else scale.number(name, number)
        marks = {"best": bool(row["best"]), "worst": bool(row["worst"])}
        rows.setdefault(name, []).append({"candidate": who, "value": value, **marks, "shown": text})
    return {
        "names": list(found),
        "rows": [
            {"metric": name, "words": METRICS[name].words, "better": METRICS[name].better, "cells": cells}
            for name, cells in rows.items()
        ],
        "note": "Best and worst of each row are marked where they differ. Exposure at C is taken at the confidence of "
        "each candidate.",
        "trade_off": _trade_off(found, scale),
    }


def _told(assessment: Assessment, scale: Scale) -> Assessment:
    """The same assessment with the values that are told."""
    told = {name: scale.number(name, number)[0] for name, number in assessment.numbers.items()}
    kept = {
        name: replace(number, value=told[name]) for name, number in assessment.numbers.items() if told[name] is not None
    }
    return replace(assessment, numbers=kept)


def _trade_off(found: Mapping[str, Assessment], scale: Scale) -> Facts:
    """Loss against breach, and the line that no candidate beats."""
    rows: list[Facts] = []
    for name, each in found.items():
        loss, breach = each.numbers["loss"], each.numbers["breach"]
        cost, cost_text = scale.number("loss", loss)
        risk, risk_text = scale.number("breach", breach)
        low, high, span = scale.span(breach.low, breach.high, breach.n)
        many, of = scale.many(breach.n, breach.of)
        rows.append(
            {
                "name": name, "loss": cost, "breach": risk, "low": low, "high": high, "n": many, "efficient": False,
                "shown": {"name": name, "loss": cost_text, "breach": risk_text, "interval": span, "n": of,
                          "level": words.confidence_text(each.scenario.confidence)},
            }
        )  # fmt: skip
    missing = float("nan")
    costs = [missing if row["loss"] is None else row["loss"] for row in rows]
    risks = [missing if row["breach"] is None else row["breach"] for row in rows]
    for row, state in zip(rows, efficient(costs, risks), strict=True):
        row["efficient"] = bool(state)
        row["shown"]["efficient"] = "nobody is better in both" if state else "another is better"
    best = words.listed([row["name"] for row in rows if row["efficient"]])
    return {
        "name": "trade_off",
        "title": "Information loss against exposure",
        "alternative": f"A point for each of {words.several(len(rows), 'candidate')}. On the efficient frontier: "
        f"{best}.",
        "note": "Diamonds joined by a line: no other candidate is as good in both and better in one. Upright lines: "
        "where 95 % of redraws fall.",
        "columns": [
            {"key": "name", "words": "Candidate"}, {"key": "loss", "words": "Information loss"},
            {"key": "breach", "words": "Exposed at C"}, {"key": "level", "words": "C"},
            {"key": "interval", "words": "95 % of redraws"}, {"key": "n", "words": "Of"},
            {"key": "efficient", "words": "Frontier"},
        ],
        "rows": rows,
    }  # fmt: skip
