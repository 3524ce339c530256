"""The charts of a report as vectors, drawn offline from its rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

import numpy as np
import pandas as pd

from core import figures
from core.base import wording
from core.base.errors import MissingPackageError
from core.base.metrics import NOT_MET
from core.figures.vega import Chart
from core.report.rounding import Facts, drawn

WIDTH = 520
"""Size of the plot in pixels; the page makes the whole chart as wide as the text."""
WIDTHS = {"doubts": 440}
"""Size of pictures that also fit on a phone."""
COLOURS = ("#2543D5", "#00A267", "#B70300", "#8D5599", "#2A2E28")
"""Of :data:`core.figures.SERIES`; those of the light theme of the pages."""
_INK, _GRID = "#1C2430", "#D5DBE4"
_FONT = "Arial, Helvetica, 'Liberation Sans', sans-serif"
CONFIG = {
    "aria": False,  # the whole picture has a text alternative; one per mark would be noise
    "background": "transparent",
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
"""Replaces the green of lines for text, which needs more contrast."""
NUDGE = 0.02
"""Distance from a limit, as a share of it, at which a number is drawn if rounding would put it on the wrong side."""
_NAMED = re.compile(rf'(<text\b[^>]*\bfill="){COLOURS[1]}(?=")', re.IGNORECASE)
_OPENING = re.compile(r"^<svg[^>]*?(width=\"[\d.]+\" height=\"[\d.]+\" viewBox=\"[\d. ]+\")>")


def vector(figure: Facts, number: int) -> str:
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
        If vl-convert-python is not installed.
    """
    chart = _DRAWN[figure["name"]](figure) if figure["name"] in _DRAWN else None
    if chart is None:
        return ""
    try:
        import vl_convert
    except ImportError:
        raise MissingPackageError("vl-convert-python", "draw the charts of a report") from None
    spec = chart.properties(width=WIDTHS.get(figure["name"], WIDTH)).to_dict()
    svg: str = vl_convert.vegalite_to_svg(spec, config=CONFIG, allowed_base_urls=[], format_locale=wording.LOCALE)
    return _inline(svg, figure["title"], figure["alternative"], number)


def _inline(svg: str, title: str, text: str, number: int) -> str:
    """Embed an SVG in a page: no name spaces, unique ids, and a text alternative."""
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


def _numbers(rows: list[Facts], names: Sequence[str]) -> pd.DataFrame:
    """Numbers of rows by name, a hidden one at its highest possible value."""
    columns = {name: [drawn(row[name], row["within"].get(name)) for row in rows] for name in names}
    return pd.DataFrame(columns).astype(float)


def _curve(figure: Facts) -> Chart:
    names = ["value", "confidence", "share", "right", "low", "high", "single", "n", "weighted"]
    frame = _numbers(figure["rows"], names)
    title = "People per class (k) of my release"
    return figures.breach_curve(frame, title, figure["chosen"], figure["current"], log=True)


def case_frame(rows: Sequence[Facts], limit: float | None = None) -> pd.DataFrame:
    """Cases for :func:`core.figures.cases`; a rounded number is drawn on the side of the limit on which it is."""
    named = {name: [row[name] for row in rows] for name in ("label", "plausible")}
    named |= {"text": [f"{row['shown']['near']}, {row['shown']['people']}" for row in rows]}
    named |= {"verdict": [row["verdict"] or "" for row in rows]}
    frame = _numbers(list(rows), ["share", "low", "high"]).assign(**named)
    if limit is not None:
        broken, share = (frame["verdict"] == NOT_MET).to_numpy(), frame["share"].to_numpy()
        share = np.where(broken & (share <= limit), limit * (1 + NUDGE), share)
        frame["share"] = np.where(~broken & (share > limit), limit * (1 - NUDGE), share)
    return frame


def _cases(figure: Facts) -> Chart:
    return figures.cases(case_frame(figure["rows"], figure["limit"]), figure["limit"])


def _bands(figure: Facts) -> Chart:
    rows = figure["rows"]
    texts = {"range": [row["range"] for row in rows], "text": [row["shown"]["share"] for row in rows]}
    return figures.size_bands(_numbers(rows, ["share"]).assign(**texts))


def _hundred(figure: Facts) -> Chart:
    return figures.icon_array(figure["share"], figure["single"])


_DRAWN = {"icon_array": _hundred, "breach_curve": _curve, "doubts": _cases, "size_bands": _bands}
