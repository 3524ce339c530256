"""The charts of a report as vectors, drawn offline from its rows."""

from __future__ import annotations

import re
from html import escape
from typing import Any

import pandas as pd

from core import figures
from core.base import words
from core.base.errors import MissingPackageError

WIDTH = 520
"""Of the plot itself, in pixels; the page makes the whole chart as wide as the text."""
COLOURS = ("#2543D5", "#00A267", "#B70300", "#8D5599", "#2A2E28")
"""Of :data:`core.figures.SERIES`; those of the light theme of the pages."""
_INK, _GRID = "#1C2430", "#D5DBE4"
_FONT = "Arial, Helvetica, 'Liberation Sans', sans-serif"
CONFIG = {
    "aria": False,  # the picture as a whole has a text; every mark with one of its own would be noise
    "background": "white",
    "font": _FONT,
    "range": {"category": list(COLOURS)},
    "view": {"stroke": None},
    "axis": {
        "labelColor": _INK,
        "titleColor": _INK,
        "domainColor": _INK,
        "tickColor": _INK,
        "gridColor": _GRID,
        "labelFontSize": 11,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
    },
    "legend": {"labelColor": _INK, "titleColor": _INK, "labelFontSize": 11},
    "text": {"color": _INK, "font": _FONT, "fontSize": 11},
}
NAMES_OF_LINES = "#007A4D"
"""In place of the green of lines where it is text: text needs more contrast."""
_NAMED = re.compile(rf'(<text\b[^>]*\bfill="){COLOURS[1]}(?=")', re.IGNORECASE)
_OPENING = re.compile(r"^<svg[^>]*?(width=\"[\d.]+\" height=\"[\d.]+\" viewBox=\"[\d. ]+\")>")


def vector(figure: dict[str, Any], number: int) -> str:
    """Draw one figure as an SVG element with its title and its text alternative; "" for a table without a chart.

    Parameters
    ----------
    figure
        One of :mod:`core.report.pictures`.
    number
        Of the figure in its document; the ids within the SVG carry it.

    Raises
    ------
    MissingPackageError
        If altair or vl-convert-python is not installed.
    """
    chart = _DRAWN[figure["name"]](figure) if figure["name"] in _DRAWN else None
    if chart is None:
        return ""
    try:
        import vl_convert
    except ImportError:
        raise MissingPackageError("vl-convert-python", "draw the charts of a report") from None
    spec = chart.properties(width=WIDTH).to_dict(validate=False)
    svg: str = vl_convert.vegalite_to_svg(spec, config=CONFIG, allowed_base_urls=[], format_locale=words.LOCALE)
    return _inline(svg, figure["title"], figure["alternative"], number)


def _inline(svg: str, title: str, text: str, number: int) -> str:
    """An SVG as part of a page: no name spaces, ids of its own, and words for who cannot see it."""
    # No template: the drawing comes as text from vl-convert, and only its opening tag is written here.
    size = _OPENING.match(svg)
    assert size is not None
    body = re.sub(r'\bid="([^"]*)"', rf'id="figure-{number}-\1"', svg[size.end() :])
    body = re.sub(r'url\(#([^)"]*)\)', rf"url(#figure-{number}-\1)", body)
    body = _NAMED.sub(rf"\1{NAMES_OF_LINES}", body)
    name = f"figure-{number}"
    return (
        f'<svg role="img" aria-labelledby="{name}-title {name}-text" {size[1]}>'
        f'<title id="{name}-title">{escape(title)}</title><desc id="{name}-text">{escape(text)}</desc>{body}'
    )


# ---- from rows to charts ----------------------------------------------------------------


def _curve(figure: dict[str, Any]) -> Any:
    names = ["value", "confidence", "share", "right", "low", "high", "single", "n", "weighted"]
    rows = figure["rows"]
    frame = pd.DataFrame(rows)[names].astype(float)
    title = "People per class (k) of my release"
    chart = figures.breach_curve(frame, title, figure["chosen"], figure["current"], log=True)
    hidden = [row for row in rows if row["confidence"] == figure["chosen"] and "share" in row["within"]]
    return figures.hidden(chart, [(row["value"], *row["within"]["share"]) for row in hidden], title, log=True)


def _doubts(figure: dict[str, Any]) -> Any:
    rows = figure["rows"]
    frame = pd.DataFrame(
        {
            "assumption": [row["assumption"] for row in rows],
            "value": [row["setting"] for row in rows],
            "share": [row["breach"] for row in rows],
            "least": [row["within"].get("breach", (None, None))[0] for row in rows],
            "most": [row["within"].get("breach", (None, None))[1] for row in rows],
        }
    )
    frame = frame.astype({"share": float, "least": float, "most": float})
    return figures.doubts(frame, words.ASSUMPTIONS, figure["now"])


def _bands(figure: dict[str, Any]) -> Any:
    rows = figure["rows"]
    return figures.size_bands(
        pd.DataFrame(
            {
                "range": [row["range"] for row in rows],
                "share": [row["share"] for row in rows],
                "text": [row["shown"]["share"] for row in rows],
                "most": [row["within"].get("share", (None, None))[1] for row in rows],
            }
        ).astype({"share": float, "most": float})
    )


def _trade_off(figure: dict[str, Any]) -> Any:
    names = ["name", "loss", "breach", "low", "high", "efficient"]
    rows = figure["rows"]
    frame = pd.DataFrame(rows)[names].astype(dict.fromkeys(names[1:5], float))
    for axis in ("loss", "breach"):
        ends = [row["within"].get(axis, (row[axis], row[axis])) for row in rows]
        frame[f"{axis}_least"], frame[f"{axis}_most"] = ([end[i] for end in ends] for i in (0, 1))
    return figures.frontier(
        frame.astype({f"{axis}_{end}": float for axis in ("loss", "breach") for end in ("least", "most")})
    )


def _hundred(figure: dict[str, Any]) -> Any:
    return figures.hundred(figure["share"], figure["single"])


_DRAWN = {"hundred": _hundred, "breach_curve": _curve, "doubts": _doubts, "size_bands": _bands, "trade_off": _trade_off}
