"""The file of a meeting: verdict, frontier, three assumptions to move and a sheet to sign, in one HTML document.

It tells what the external strength tells, by the same functions: aggregates only, counts of people below 10 hidden, no
name of a column, value or file, and no class. It asks nothing of any network: its one script has its digest in the
policy of the document, and looks answers up that were computed before.
"""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from core.base import wording
from core.base.assets import asset, template
from core.base.metrics import MET, NOT_MET
from core.decision.review import Assessment, Case, Number, judge
from core.report import facts
from core.report.answers import Answers, deciding
from core.report.assumption import assumptions, by_subject
from core.report.contents import opening
from core.report.html import MARKS
from core.report.material import Meeting
from core.report.rounding import Coarse, Facts, drawn

NOT_DRAWN = "Such hospitals cannot be drawn from this table."
_KIND = {MET: "met", NOT_MET: "broken"}


def meeting_file(
    case: Case,
    assessment: Assessment,
    answers: Answers,
    points: Sequence[Mapping[str, Any]],
    question: str = "",
    limits_by: str = "",
    doubts: pd.DataFrame | None = None,
) -> str:
    """Write the file of a meeting.

    Parameters
    ----------
    case, assessment
        A scenario, and what it comes to.
    answers
        Of :func:`core.report.answers.answers`.
    points
        Settings that were tried: ``label``, ``loss``, ``exposure`` by ``answers.metric``, and ``mine`` for the present
        one. A label is told as it is: words of the program, such as its k, and no name that somebody typed.
    question, limits_by
        As they were typed: what is decided, and whose limits these are.
    doubts
        Output of :func:`core.decision.review.doubts`; ``None`` if it was not run.

    Raises
    ------
    MissingPackageError
        If Jinja2 is not installed.
    """
    scale, scenario, judgement = Coarse(), case.scenario, judge(assessment, doubts)
    begins = opening(case, Meeting(question, limits_by=limits_by), assessment, judgement, doubts, scale, "external")
    decided, name = deciding(judgement), begins["verdict"]["verdict"]
    script = asset("report/meeting.js")
    stated = assumptions(scenario, case.files, lambda people: scale.people(people).text)
    html: str = template("report/meeting.html").render(
        **begins,
        policy=_policy(script),
        style=asset("report/meeting.css"),
        script=script,
        kind=_KIND.get(name, "open"),
        mark=MARKS.get(name, wording.NONE if name == "none" else "?"),
        marks=MARKS,
        decided=next((row for row in begins["requirements"] if row["metric"] == decided), None),
        assumed=list(by_subject(stated).values()),
        what_if=what_if(answers, scenario.confidence, scenario.requirements.asked, scale),
        frontier=frontier(points, assessment, answers.metric, scale),
        draws=wording.several(scenario.repeats, "draw"),
        seed=scenario.seed,
        percent=wording.whole_percent,
    )
    return html


def _policy(script: str) -> str:
    """Content security policy: the document's own style and its one script, by digest; no connection of any kind."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; base-uri 'none'; "
        "form-action 'none'"
    )


# ---- what if ------------------------------------------------------------------------------


def what_if(answers: Answers, confidence: float, limits: Mapping[str, float], scale: Coarse) -> Facts:
    """Sliders, and the answer for each of their positions, the last slider moving fastest."""
    limit = limits.get(answers.metric)
    cell_at = {at: _cell(number, answers.metric, limit, scale) for at, number in answers.numbers.items()}
    cells = [cell_at[at] for at in itertools.product(*(range(len(axis.values)) for axis in answers.axes))]
    top = _top([cell["share"] for cell in cells], limit)
    axes = [
        {
            "words": wording.ASSUMPTIONS[axis.name],
            "values": [facts.setting(axis.name, value, scale) for value in axis.values],
            "present": axis.present,
        }
        for axis in answers.axes
    ]
    script = {"cells": cells, "values": [axis["values"] for axis in axes], "top": top}
    return {
        "words": facts.metric_words(answers.metric, confidence),
        "limit_words": "" if limit is None else wording.limit_words(answers.metric, limit),
        "limit": limit,
        "top": top,
        "axes": axes,
        "present": cell_at[tuple(axis.present for axis in answers.axes)],
        "json": json.dumps(script, ensure_ascii=True).replace("<", "\\u003c"),
    }


def _cell(number: Number | None, metric: str, limit: float | None, scale: Coarse) -> Facts:
    """Answer for one position of the sliders: number, interval and verdict, and the share that is drawn."""
    if number is None:
        return {"text": NOT_DRAWN, "span": "", "verdict": "", "kind": "open", "share": None}
    share = scale.share(number.value, number.n)
    span = scale.interval(number)[2]
    place = drawn(share.value, share.within)
    held = "" if limit is None else number.verdict(metric, limit)
    return {
        "text": share.text if place is None else f"{share.text} of {scale.many(number).text}",
        "span": "" if span == wording.NONE else f"95% interval {span}",
        "verdict": f"{MARKS[held]} {held}" if held else "",
        "kind": _KIND.get(held, "open"),
        "share": place,
    }


# ---- frontier ------------------------------------------------------------------------------


def frontier(points: Sequence[Mapping[str, Any]], assessment: Assessment, metric: str, scale: Coarse) -> Facts:
    """Settings that were tried: loss against exposure, rounded like everything in this document."""
    scenario, n = assessment.scenario, assessment.numbers[metric].n
    limits = scenario.requirements.asked
    rows: list[Facts] = []
    for point in points:
        loss = scale.number("loss", Number(float(point["loss"]), assessment.records, "records"))
        exposure = scale.share(float(point["exposure"]), n)
        rows.append(
            {
                "label": str(point["label"]),
                "mine": bool(point["mine"]),
                "loss": loss.text,
                "exposure": exposure.text,
                "x": drawn(loss.value, loss.within),
                "y": drawn(exposure.value, exposure.within),
            }
        )
    return {
        "words": facts.metric_words(metric, scenario.confidence),
        "points": sorted(rows, key=lambda row: (row["x"] is None, row["x"] or 0.0)),
        "limit": limits.get(metric),
        "most": limits.get("loss"),
        "top": _top([row["y"] for row in rows], limits.get(metric)),
        "right": _top([row["x"] for row in rows], limits.get("loss")),
    }


def _top(shares: Sequence[float | None], limit: float | None) -> float:
    """End of an axis: the next even per cent above everything on it, at least two."""
    most = max(share for share in (0.02, limit, *shares) if share is not None)
    return min(1.0, math.ceil(round(most * 50, 9)) / 50)
