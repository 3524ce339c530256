"""The charts of a report as data: rows with a text for each cell.

A chart is drawn only from these rows, so it shows no more than the file.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from core.attack.number import shares
from core.base import wording
from core.base.metrics import NOT_MET, ON_AVERAGE
from core.base.wording import DISAGREE
from core.decision.review import Assessment, Judgement, plausible_ranges
from core.figures.exposure_charts import meanings
from core.report import rounding
from core.report.cases import case_rows, shown_metric, told
from core.report.facts import metric_words, setting
from core.report.rounding import Facts, Scale

WRONG = " For some of those exposed the attack infers an incorrect value, so the line of true disclosures is lower."
HIDDEN_DRAWN = " A hidden number is drawn at its highest possible value."
TIMES = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
"""Lower ends of the bands of class sizes, in multiples of k."""


def _columns(**named: str) -> list[Facts]:
    return [{"key": key, "words": text} for key, text in named.items()]


def icon_array(numbers: list[Facts]) -> Facts | None:
    """The people exposed as dots, from the reported numbers; ``None`` if the share is hidden or missing."""
    by_metric = {row["metric"]: row for row in numbers}
    share = by_metric["one_value_left"]["value"] if "one_value_left" in by_metric else None
    if share is None:
        return None
    single = by_metric["one_value_left"]["single"]
    return {
        "name": "icon_array",
        "title": "Of 100 shared people",
        "alternative": f"A dot a person: {'; '.join(meanings(share, single))}.",
        "share": share,
        "single": single,
    }


def curve(frame: pd.DataFrame, assessment: Assessment, scale: Scale) -> Facts | None:
    """Breach against my k at every confidence."""
    scenario = assessment.scenario
    rows = [_of_curve(row, scale) for row in frame.to_dict("records")]
    rows = [row for row in rows if _is_reported(row, "share")]
    if not rows:
        return None
    chosen = [row for row in rows if row["confidence"] == scenario.confidence]
    first, last = chosen[0]["shown"], chosen[-1]["shown"]
    redraws = int(frame["repeats"].iloc[0])
    return {
        "name": "breach_curve",
        "title": "Exposed against people per class (k) of my release",
        "alternative": f"Lines that show the share of shared people exposed against k of my release. At confidence "
        f"{wording.confidence_text(scenario.confidence)}: {first['share']} at k = {first['value']}, {last['share']} at "
        f"k = {last['value']}.",
        "note": f"Thick line: confidence C = {wording.confidence_text(scenario.confidence)}"
        + (", with its 95% interval as a band" if any(row["low"] is not None for row in chosen) else "")
        + f". The dotted rule marks the k of this report, {wording.count(scenario.mine.policy.k)}. "
        f"{wording.several(redraws, 'draw')} of the others for each point; everything else is as in this report."
        + (WRONG if any(row["shown"]["share"] != row["shown"]["right"] for row in chosen) else "")
        + (HIDDEN_DRAWN if any(row["within"].get("share") for row in rows) else ""),
        "chosen": float(scenario.confidence),
        "current": int(scenario.mine.policy.k),
        "rows": rows,
        **_pivoted(rows, scenario.confidence),
    }


def _pivoted(rows: list[Facts], chosen: float) -> Facts:
    """The points of a curve as a table: one row per k, one column per confidence, the chosen one with its details."""
    others = sorted({row["confidence"] for row in rows} - {chosen}, reverse=True)
    cells: dict[int, Facts] = {}
    for row in rows:
        shown = row["shown"]
        cell = cells.setdefault(row["value"], {"value": shown["value"], **{f"at {c}": wording.NONE for c in others}})
        if row["confidence"] == chosen:
            cell |= {
                name: shown[name]
                for name in ("share", "interval", "wrong", "single", "weighted", "weighted_wrong", "n")
            }
        else:
            cell[f"at {row['confidence']}"] = shown["share"]
    columns = [
        ("value", "k"),
        *((f"at {c}", f"C = {wording.confidence_text(c)}") for c in others),
        ("share", f"C = {wording.confidence_text(chosen)} (chosen)"),
        ("interval", "95% interval"),
        ("wrong", "False disclosures"),
        ("single", "Best single release"),
        ("weighted", "Weighted adversary"),
        ("weighted_wrong", "Weighted, false disclosures"),
        ("n", "Shared people"),
    ]
    return {"columns": [{"key": key, "words": text} for key, text in columns], "cells": list(cells.values())}


def by_confidence(assessment: Assessment, scale: Scale) -> Facts:
    """Exposure at every confidence, under the present setting; a table without a chart."""
    rows = [_point(row, scale) for row in assessment.exposure.to_dict("records")]
    return {
        "name": "by_confidence",
        "title": "Exposed at other confidences",
        "alternative": "",
        "note": "",
        "columns": _columns(
            confidence="Confidence",
            share="Exposed",
            interval="95% interval",
            wrong="False disclosures",
            single="Best single release",
            weighted="Weighted adversary",
            weighted_wrong="Weighted, false disclosures",
            n="Shared people",
        ),
        "rows": rows,
    }


def _of_point() -> list[str]:
    """Columns of a point: every declared share, the part of it that is wrong, and the baseline of the first."""
    every = list(shares().values())
    return [*(name for number in every for name in (number.column, number.wrong) if name), every[0].single]


def _of_curve(row: dict[Any, Any], scale: Scale) -> Facts:
    """A point of a curve: the numbers, and the variation behind them."""
    point = _point(row, scale)
    shown = {"value": wording.count(row["value"]), **point["shown"]}
    return {"value": int(row["value"]), **point, "shown": shown}


def _point(row: dict[Any, Any], scale: Scale) -> Facts:
    """The numbers at one confidence; the same in every sweep that has them."""
    n = int(row["n"])
    many = scale.people(n)
    low, high, span = scale.span(row["low"], row["high"], n)
    values, texts = rounding.shares(scale, {name: row[name] for name in _of_point()}, n)
    return {
        "confidence": float(row["confidence"]),
        "low": low,
        "high": high,
        "n": many.value,
        **values,
        "shown": {
            "confidence": f"{wording.confidence_text(row['confidence'])}, {wording.left(row['confidence'])}",
            "interval": span,
            "n": many.text,
            **texts,
        },
    }


def _is_reported(row: Facts, name: str) -> bool:
    """Whether anything is disclosed about a share: its value, or a bound."""
    return row[name] is not None or name in row["within"]


# ---- class sizes ------------------------------------------------------------------------


def _band_rows(sizes: np.ndarray[Any, Any], k: int, scale: Scale) -> list[Facts]:
    """A row for each reported band of class sizes: its share, and its counts if the report is internal."""
    edges = [time * k for time in TIMES]
    band = np.maximum(np.searchsorted(edges, sizes, side="right") - 1, 0)
    records = np.bincount(band, weights=sizes, minlength=len(edges)).astype(int)
    classes = np.bincount(band, minlength=len(edges))
    total = int(sizes.sum())
    bands = np.flatnonzero(records).tolist()
    if scale.external:
        # Between the first and the last band with a share, hidden and empty bands look the same.
        known = [number for number in bands if scale.share(records[number] / total, total).value is not None]
        bands = list(range(known[0], known[-1] + 1)) if known else []
    rows = []
    for number in bands:
        is_last = number + 1 == len(edges)
        end = "or more" if is_last else f"to {wording.count(edges[number + 1] - 1)}"
        text = f"{wording.count(edges[number])} {end}"
        values, texts = rounding.shares(scale, {"share": records[number] / total}, total)
        row: Facts = {"range": text, "from": edges[number], **values, "shown": {"range": text, **texts}}
        if not scale.external:
            row |= {"classes": int(classes[number]), "records": int(records[number])}
            row["shown"] |= {"classes": wording.count(classes[number]), "records": wording.count(records[number])}
        rows.append(row)
    return rows


def size_bands(sizes: np.ndarray[Any, Any], k: int, scale: Scale, several: bool = False) -> Facts | None:
    """Share of the people in classes of each size, in bands of multiples of k.

    ``sizes`` (classes,). ``several`` says that people may have records in several classes; they count in each.
    """
    rows = _band_rows(sizes, k, scale)
    if not rows:
        return None
    few = " Bands that are not listed hold too few people to be shown, or none." if scale.external else ""
    few += HIDDEN_DRAWN if any(row["within"] for row in rows) else ""
    twice = " A person with records in several classes counts in each." * several
    columns = {"range": "People in a class", "share": "Share of the people"}
    columns |= {} if scale.external else {"classes": "Classes", "records": "People in them"}
    return {
        "name": "size_bands",
        "title": "Class sizes of my release",
        "alternative": "Bars that show the share of the people by the size of their class: "
        + "; ".join(f"{row['shown']['share']} in classes of {row['range']}" for row in rows)
        + ".",
        "note": f"The policy asks for at least {wording.count(k)} people in every class.{twice}{few}",
        "columns": _columns(**columns),
        "rows": rows,
    }


# ---- what if my assumptions are wrong -----------------------------------------------------------------


def cases(assessment: Assessment, judgement: Judgement, tried: pd.DataFrame | None, scale: Scale) -> Facts | None:
    """A row for the assumptions and one for each case; the finding is the title."""
    rows = case_rows(assessment, judgement, tried, scale)
    if len(rows) < 2 or not all(_is_reported(row, "share") for row in rows):
        return None
    metric = shown_metric(judgement, assessment)
    scenario = assessment.scenario
    limit = scenario.requirements.asked.get(metric)
    ends = plausible_ranges(scenario)
    names = dict.fromkeys(row["assumption"] for row in rows[1:])
    ranges = "; ".join(
        f"{wording.ASSUMPTIONS[name].lower()} {setting(name, ends[name][0], scale)} to "
        f"{setting(name, ends[name][1], scale)}"
        for name in names
    )
    for row in rows:
        row["shown"] |= {"label": row["label"], "plausible": "yes" if row["plausible"] else "no"}
    return {
        "name": "doubts",
        "title": finding(assessment, rows),
        "alternative": f"{metric_words(metric, scenario.confidence)}: " + " ".join(map(told, rows)),
        "note": f"One assumption is changed at a time. Plausible: {ranges}. Cases beyond that are hollow and do not "
        "change the verdict."
        + (HIDDEN_DRAWN if any(row["within"].get("share") for row in rows) else "")
        + (f" {DISAGREE}" if "same_value_rate" in names else ""),
        "metric": metric,
        "limit": limit,
        "columns": _columns(
            label="Case",
            share="Exposed",
            people="People",
            n="Of",
            interval="95% interval",
            plausible="Plausible",
            verdict="Verdict",
        ),
        "rows": rows,
    }


def finding(assessment: Assessment, rows: list[Facts]) -> str:
    """The finding of the cases, in a few words."""
    metric = rows[0]["metric"]
    if metric not in assessment.scenario.requirements.asked:
        return f"{metric_words(metric, assessment.scenario.confidence)}, if an assumption is wrong"
    base = rows[0]["shown"]["near"]
    if rows[0]["verdict"] == NOT_MET:
        return f"{base[:1].upper()}{base[1:]} as assumed: the limit is not met"
    broken = [row for row in rows[1:] if row["plausible"] and row["verdict"] == NOT_MET]
    if not broken:
        average = rows[0]["verdict"] == ON_AVERAGE
        return (
            f"{base[:1].upper()}{base[1:]} as assumed: the limit is met on average only"
            if average
            else "No plausible case that was tried breaks the limit"
        )
    worst = broken[0]["shown"]["near"]
    return f"{worst[:1].upper()}{worst[1:]} {_lower(broken[0]['label'])}: the limit is not met"


def _lower(label: str) -> str:
    return f"{label[:1].lower()}{label[1:]}"
