"""Render the document as HTML for A4, with a template that escapes every text and fetches nothing."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence

from core.base import wording
from core.base.assets import asset, template
from core.base.metrics import CONDITIONAL, MET, NOT_MET, ON_AVERAGE
from core.report.charts import vector
from core.report.rounding import Facts
from core.report.sentences import sentence
from core.report.verdict import KINDS

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
TITLES = {
    "card": {
        "exposed": "Who is exposed",
        "baseline": "Compared with",
        "cost": "What it costs",
        "depends_on": "What it depends on",
        "untried": "What was tried",
    },
    "decision": {
        "what": "Decided",
        "who": "By",
        "when": "On",
        "why": "Because",
        "until": "Holds until",
        "ends": "Ends before that if",
    },
    "groups": {
        "guarantee": "What the release guarantees",
        "anticipated": "Anticipated before publication",
        "cost": "What it costs",
    },
}
"""Titles of the parts of a report, in their order."""
MARKS = {MET: "✓", ON_AVERAGE: "≈", CONDITIONAL: "!", NOT_MET: "✗"}
"""Sign before each verdict; a question mark if there is none."""


def page(data: Facts) -> str:
    """Write a report as one HTML file.

    Parameters
    ----------
    data
        Of :class:`core.report.Report`.

    Returns
    -------
    str
        HTML without link, image file or request: inline SVG and styles, and in the external strength one script,
        whose digest is in the policy of the document.

    Raises
    ------
    MissingPackageError
        If Jinja2, or the library for charts, is not installed.
    """
    drawn = [{**figure, "svg": vector(figure, place)} for place, figure in enumerate(data["figures"], 1)]
    cases = next((figure for figure in drawn if figure["name"] == "doubts"), None)
    moved = what_if(cases["rows"]) if cases and data["strength"] == "external" else []
    script = asset("report/what_if.js") if moved else ""
    html: str = template("report/report.html").render(
        **data,
        policy=f"{POLICY}; script-src 'sha256-{_digest(script)}'" if script else POLICY,
        script=script,
        cases=cases,
        what_if=moved,
        what_if_json=json.dumps(moved, ensure_ascii=True).replace("<", "\\u003c"),
        style=asset("report/report.css"),
        marks=MARKS,
        kind=KINDS.get(data["verdict"]["verdict"], "open"),
        none_sign=wording.NONE,
        titles=TITLES,
        dots=vector(data["icon_array"], 0) if data["icon_array"] else "",
        drawn=[figure for figure in drawn if figure is not cases],
        notes_of_exposure=(sentence("no range"), sentence("baselines")),
    )
    return html


def what_if(rows: Sequence[Facts]) -> list[Facts]:
    """A slider for each assumption: its values in order, the place of the present one, and the case at each."""
    base, *rest = rows
    sliders = []
    for name in dict.fromkeys(row["assumption"] for row in rest):
        tried = sorted((row for row in rest if row["assumption"] == name), key=lambda row: row["rank"])
        present = sum(row["less"] for row in tried)
        every = [*tried[:present], base, *tried[present:]]
        as_assumed = base["assumed"][name]
        sliders.append(
            {
                "words": wording.ASSUMPTIONS[name],
                "present": present,
                "values": [as_assumed if row is base else row["setting"] for row in every],
                "cases": [_case(row) for row in every],
            }
        )
    return sliders


def _case(row: Facts) -> Facts:
    shown, verdict = row["shown"], row["verdict"]
    beyond = "" if row["plausible"] else " (beyond what is plausible)"
    return {
        "label": f"{row['label']}{beyond}",
        "text": f"{shown['share']}, {shown['people']}",
        "held": f"{MARKS[verdict]} {verdict}" if verdict else "",
        "span": "" if shown["interval"] == wording.NONE else f"95% interval {shown['interval']}",
        "kind": KINDS.get(verdict, "open"),
    }


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
