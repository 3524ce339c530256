"""Charts of the page, and charts as SVG, made on this machine without asking any other."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from typing import Any

import pandas as pd

from benchmarks.data import ROOT
from core.base.errors import MissingPackageError
from core.figures.vega import Chart, field, layer

WIDTH, HEIGHT = 370, 220
FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
DASHES = ([1, 0], [6, 3], [2, 2], [10, 3, 2, 3], [12, 4], [4, 2, 1, 2], [1, 3], [8, 2])
_IDS = re.compile(r'\bid="([\w:.-]+)"')


def palette() -> list[str]:
    """Colours of the light theme, in their order."""
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    theme = settings["theme"]
    colours: list[str] = theme.get("light", theme).get("chartCategoricalColors") or theme["chartCategoricalColors"]
    return colours


def config() -> dict[str, Any]:
    """Looks of every chart: light, plain, to be printed."""
    label = {"labelFont": FONT, "titleFont": FONT, "labelColor": "#333", "titleColor": "#333", "titleFontWeight": 500}
    return {
        "background": "white",
        "font": FONT,
        "range": {"category": palette()},
        "axis": {**label, "gridColor": "#e3e3e3", "domainColor": "#888", "tickColor": "#888"},
        "legend": {**label, "symbolStrokeColor": "#333"},
        "view": {"stroke": None, "continuousWidth": WIDTH, "discreteWidth": WIDTH},
        "text": {"font": FONT},
    }


def svg(chart: Any, name: str) -> str:
    """Return a chart as an SVG element whose identifiers begin with ``name``.

    Nothing is fetched: the data is in the chart, and the converter may ask no address.
    """
    try:
        import vl_convert
    except ImportError:
        raise MissingPackageError("vl-convert-python", "draw charts as vectors") from None
    spec = chart.to_dict()
    given, ours = spec.get("config", {}), config()
    spec["config"] = {**given, **ours, "legend": {**ours["legend"], **given.get("legend", {})}}
    if "width" not in spec:
        spec.setdefault("width", WIDTH)
    text = str(vl_convert.vegalite_to_svg(spec, allowed_base_urls=[]))
    text = re.sub(r"<\?xml[^>]*\?>|<!DOCTYPE[^>]*>", "", text)
    for known in set(_IDS.findall(text)):
        text = text.replace(f'id="{known}"', f'id="{name}-{known}"').replace(f"url(#{known})", f"url(#{name}-{known})")
    return text


def lines(
    frame: pd.DataFrame,
    x_title: str,
    y_title: str,
    percents: bool = True,
    log_x: bool = False,
    log_y: bool = False,
    top: float | None = None,
) -> Any:
    """A line for each text in ``line``, of ``y`` against ``x``; told apart by colour, dash and legend.

    A column ``kind`` tells further: its first text is drawn whole, its second thin and hollow.
    """
    names = list(dict.fromkeys(frame["line"]))
    colours = (palette() * 3)[: len(names)]
    ticks = {"grid": False, "format": ",.4~f", "values": sorted(set(frame["x"])), "labelOverlap": True}
    x = field(
        "x:Q",
        title=x_title,
        axis=ticks,
        scale={"type": "log", "nice": False} if log_x else {"zero": False, "nice": False, "padding": 8},
    )
    if log_y:
        scale = {"type": "log"}
    elif percents:
        scale = {"domain": [0, 1] if top is None else [0, top]}
    else:
        scale = {"zero": True}
    tens = {"values": [10.0**power for power in range(-4, 9)]} if log_y else {"tickCount": 6}
    y = field("y:Q", title=y_title, scale=scale, axis=dict(format=".0%" if percents else "~s", **tens))
    longest = max(map(len, names))
    key = {
        "title": None,
        "orient": "bottom",
        "columns": 1 if longest > 28 else 2 if longest > 14 else 4,
        "labelLimit": 420,
        "symbolType": "stroke",
        "symbolSize": 300,
    }
    colour = field("line:N", scale={"domain": names, "range": colours}, legend=key)
    dash = field(
        "line:N", scale={"domain": names, "range": [DASHES[i % len(DASHES)] for i in range(len(names))]}, legend=key
    )
    base = Chart(frame[["x", "y", "line"]])
    line = base.mark("line", strokeWidth=2).encode(x=x, y=y, color=colour, strokeDash=dash)
    dots = base.mark("point", size=22, filled=True, opacity=1).encode(x=x, y=y, color=colour)
    return layer(line, dots).properties(width=WIDTH, height=HEIGHT)


def short(value: float) -> str:
    """A number beside its bar: whole, or with the decimals that matter."""
    if value == round(value):
        return f"{value:,.0f}"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def bars(names: Sequence[str], values: Sequence[float], x_title: str, log: bool = False) -> Any:
    """A bar for each name, with its value beside it."""
    data = pd.DataFrame({"name": list(names), "x": list(values), "words": [short(value) for value in values]})
    y = field("name:N", sort=list(names), title=None, axis={"labelLimit": 240, "labelOverlap": False})
    tens = {"values": [10.0**power for power in range(9)]} if log else {"tickCount": 5}
    x = field(
        "x:Q",
        title=x_title,
        axis=dict(grid=True, format="~s", **tens),
        scale={"type": "log", "domainMin": 1, "nice": True} if log else {"zero": True},
    )
    bar = Chart(data).mark("bar", color=palette()[0], height={"band": 0.7}).encode(y=y, x=x)
    if log:
        bar = bar.encode(x2={"datum": 1})
    label = Chart(data).mark("text", align="left", dx=4, font=FONT).encode(y=y, x=x, text=field("words:N"))
    return layer(bar, label).properties(width=WIDTH, height=max(60, 24 * len(data)))
