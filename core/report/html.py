"""Render the document as HTML for A4, with a template that escapes every text and fetches nothing."""

from __future__ import annotations

from core.base import wording
from core.base.assets import asset, template
from core.base.metrics import MET, NOT_MET, ON_AVERAGE
from core.report.charts import vector
from core.report.rounding import Facts
from core.report.sentences import sentence

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
TITLES = {
    "card": {
        "exposed": "Who is exposed",
        "baseline": "Compared with",
        "cost": "What it costs",
        "hangs_on": "What it depends on",
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
MARKS = {MET: "✓", ON_AVERAGE: "≈", NOT_MET: "✗"}
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
        HTML without script, link, image file or request; inline SVG and styles only.

    Raises
    ------
    MissingPackageError
        If Jinja2, or what draws the charts, is not installed.
    """
    candidates = data["candidates"]
    html: str = template("report/report.html").render(
        **data,
        policy=POLICY,
        style=asset("report/report.css"),
        marks=MARKS,
        kind={MET: "met", NOT_MET: "broken"}.get(data["verdict"]["verdict"], "open"),
        better_of=wording.BETTER,
        none_sign=wording.NONE,
        titles=TITLES,
        dots=vector(data["icon_array"], 0) if data["icon_array"] else "",
        drawn=[{**figure, "svg": vector(figure, place)} for place, figure in enumerate(data["figures"], 1)],
        trade_off=candidates and vector(candidates["trade_off"], len(data["figures"]) + 1),
        notes_of_exposure=(sentence("no range"), sentence("baselines")),
    )
    return html
