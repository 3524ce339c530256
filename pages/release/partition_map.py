"""The partition as a picture: classes as rectangles over two quasi-identifiers, in Plotly.

In the style of the painter: white planes between thick dark lines, a few of them coloured. The stronger the colour, the
weaker the class: white, yellow, grey, blue differ in lightness, so the order is visible without distinguishing hues.
Red is reserved for classes whose people all share one value of a sensitive column; they are also hatched.

Nothing here calls Streamlit. Names and values of the user's file are put in as text that
Plotly cannot take for markup.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from core.base.arrays import Ints
from core.data.classes import distinct_columns, weighted_count
from core.data.encoding.domain import Domain
from core.privacy.class_levels import fewest_distinct
from core.release.region_text import region_text
from core.release.release import Release
from pages.shared.ui.text import count, plain

MOST = 2000
"""Largest number of rectangles that the pointer can select; smaller ones are drawn together, one path per colour."""
HEIGHT = 680
INK, GROUND, WHITE = "#14161A", "#E4E0D6", "#FFFEFA"
YELLOW, GREY, BLUE, RED = "#F6CC33", "#A7A9A6", "#2543D5", "#B70300"
_FROM_WEAK = {0: (), 1: (WHITE,), 2: (BLUE, WHITE), 3: (BLUE, YELLOW, WHITE), 4: (BLUE, GREY, YELLOW, WHITE)}
_TICKS = 14
CORNERS = ["x_low", "x_high", "x_known", "y_low", "y_high", "y_known"]


def harmless(value: object, most: int = 60) -> str:
    """One short line that Plotly shows literally: its texts allow some HTML."""
    return plain(value, most).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def rectangles(release: Release) -> pd.DataFrame:
    """Classes of a release on one or two quasi-identifiers, the largest first; equal rectangles are one row.

    ``x_low, x_high, y_low, y_high`` are codes, ends included; ``x_known, y_known`` are the last codes that are not
    missing values; ``distinct`` is the fewest values of a class in a sensitive column.
    """
    low, known, absent = release.regions
    high = np.where(absent, [domain.missing for domain in release.encoded.qids], known)
    ends = [end[:, side] for side in range(low.shape[1]) for end in (low, high, known)]
    ends += [np.zeros(len(low), dtype=np.int64)] * (len(CORNERS) - len(ends))
    at, group, classes = distinct_columns(np.array(ends))
    distinct = np.full(len(at), np.iinfo(np.int64).max)
    np.minimum.at(distinct, group, fewest_distinct(release.histogram, release.encoded.sensitive))
    frame = pd.DataFrame({name: end[at] for name, end in zip(CORNERS, ends, strict=True)})
    people = weighted_count(group, release.sizes, len(at))
    frame = frame.assign(people=people, classes=classes, distinct=distinct)
    area = (frame["x_high"] - frame["x_low"] + 1) * (frame["y_high"] - frame["y_low"] + 1)
    return frame.iloc[np.argsort(-area, kind="stable")].reset_index(drop=True)


def steps(distinct: Ints) -> list[tuple[str, Any]]:
    """Colour and rows of each step, the weakest last: half white, the weakest tenth blue, a single value red."""
    several = distinct[distinct > 1]
    ends = np.unique(np.quantile(several, [0.1, 0.25, 0.5], method="lower")) if len(several) else np.zeros(0)
    step = np.where(distinct <= 1, -1, np.searchsorted(ends, distinct))
    used = sorted({int(number) for number in step if number >= 0})
    colours = dict(zip(used, _FROM_WEAK[len(used)], strict=True)) | {-1: RED}
    return [(colours[int(number)], step == number) for number in np.unique(step)[::-1]]


def partition_map(frame: pd.DataFrame, domains: Sequence[Domain]) -> go.Figure:
    """Draw the rectangles of :func:`rectangles`, coloured by diversity, over one or two domains."""
    traces = []
    for colour, rows in steps(frame["distinct"].to_numpy()):
        part = frame[rows]
        low, high = int(part["distinct"].min()), int(part["distinct"].max())
        name = count(low) if low == high else f"{count(low)} to {count(high)}"
        hatch = {"shape": "/", "fgcolor": WHITE, "size": 6, "solidity": 0.25} if colour == RED else {}
        single = part[part.index < MOST]
        traces.append(_bars(single, domains, len(frame)) | {"name": f"{name}: all alike" if high <= 1 else name})
        traces[-1]["marker"] |= {"color": colour, "pattern": hatch}
        traces.append(_path(part[part.index >= MOST], colour))
    return _figure([trace for trace in traces if len(trace["x"])], domains)


def _bars(part: pd.DataFrame, domains: Sequence[Domain], marks: int) -> dict[str, Any]:
    """Rectangles as bars with a base: one trace per colour, exact hover."""
    thick = 4.0 if marks <= 40 else 2.5 if marks <= 200 else 1.4 if marks <= 800 else 0.7
    pairs = zip(part["people"], part["classes"], strict=True)
    people = [f"{count(n)} people in {count(m)} {'class' if m == 1 else 'classes'}" for n, m in pairs]
    texts = [_texts(part, side, domain) for side, domain in zip(("x", "y"), domains, strict=False)]
    names = [harmless(domain.name, 40).replace("%", "&#37;") for domain in domains]
    lines = [f"{name}: %{{customdata[{place}]}}" for place, name in enumerate(names)]
    lines += [f"%{{customdata[{len(names)}]}}", f"fewest distinct values: %{{customdata[{len(names) + 1}]}}"]
    return {
        "type": "bar",
        "x": part["x_low"] - 0.5,
        "width": part["x_high"] - part["x_low"] + 1,
        "offset": 0,
        "base": part["y_low"] - 0.5,
        "y": part["y_high"] - part["y_low"] + 1,
        "marker": {"line": {"color": INK, "width": thick}},
        "customdata": np.column_stack([*texts, people, part["distinct"]]),
        "hovertemplate": "<br>".join(lines) + "<extra></extra>",
    }


def _texts(part: pd.DataFrame, side: str, domain: Domain) -> list[str]:
    """The published text of one side of the rectangles."""
    ends = zip(*(part[f"{side}_{end}"].tolist() for end in ("low", "known", "high")), strict=True)
    return [harmless(region_text(domain, low, known, known < high)) for low, known, high in ends]


def _path(part: pd.DataFrame, colour: str) -> dict[str, Any]:
    """Rectangles of one colour as a single path."""
    left, right = part["x_low"] - 0.5, part["x_high"] + 0.5
    bottom, top = part["y_low"] - 0.5, part["y_high"] + 0.5
    gap = np.full(len(part), np.nan)
    return {
        "type": "scatter",
        "mode": "lines",
        "fill": "toself",
        "fillcolor": colour,
        "hoverinfo": "skip",
        "showlegend": False,
        "x": np.column_stack([left, right, right, left, left, gap]).ravel(),
        "y": np.column_stack([bottom, bottom, top, top, bottom, gap]).ravel(),
        "line": {"color": INK, "width": 0.7},
    }


def _figure(traces: Sequence[dict[str, Any]], domains: Sequence[Domain]) -> go.Figure:
    """Traces on bare ground in a dark frame, values in their order along each side."""
    frame = {
        "showgrid": False,
        "zeroline": False,
        "showline": True,
        "mirror": True,
        "linecolor": INK,
        "linewidth": 3,
        "fixedrange": True,
        "tickmode": "array",
    }
    layout: dict[str, Any] = {
        "barmode": "overlay",
        "plot_bgcolor": GROUND,
        "hovermode": "closest",
        "dragmode": False,
        "height": HEIGHT,
        "legend": {"title": {"text": "Distinct sensitive values"}, "orientation": "h", "traceorder": "reversed"},
        "bargap": 0,
        "margin": {"l": 10, "r": 10, "t": 10, "b": 10, "pad": 0},
        "yaxis": {**frame, "range": [-0.5, 0.5], "tickvals": [], "ticktext": []},
    }
    for side, domain in zip(("xaxis", "yaxis"), domains, strict=False):
        shown = np.unique(np.linspace(0, domain.size - 1, min(domain.size, _TICKS)).round().astype(int))
        layout[side] = {
            **frame,
            "range": [-0.5, domain.size - 0.5],
            "tickvals": shown,
            "ticktext": [harmless(domain.labels[code], 16) for code in shown],
            "title": {"text": harmless(domain.name, 40)},
        }
    return go.Figure({"data": list(traces), "layout": layout})
