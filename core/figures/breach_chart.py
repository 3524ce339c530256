"""The breach against what varies, and over the range of every assumption."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from core.attack.number import ANY, AttackNumber
from core.base.wording import at_confidence, level_text, percent
from core.figures.base import HEIGHT, PERCENT, axis_of_shares, colour, finding, names_at_ends, plot
from core.figures.vega import Chart, field, layer


def breach_curve(
    frame: pd.DataFrame,
    x_title: str,
    chosen: float,
    current: Any = None,
    log: bool = False,
    number: AttackNumber | None = None,
    *,
    present_share: float = math.nan,
    limit: float = math.nan,
    title: str = "",
) -> Chart:
    """Share of shared people breached, or another number of the attack, against what varies, one line per confidence.

    Parameters
    ----------
    frame
        Output of :func:`core.study.sweep.sweep`.
    x_title
        What varies, in words.
    chosen
        The confidence whose line is drawn strong, with its interval.
    current
        Present setting, marked by a rule.
    log
        Whether the horizontal axis is logarithmic.
    number
        Number drawn instead of the people exposed; a single line if it does not depend on the confidence.
    present_share
        The number at the present setting, marked by a large point.
    limit
        Limit of the number, a line across; NaN if none is set.
    title
        Title that says what the chart shows.

    Notes
    -----
    Every line has that of the best single release at the same confidence, its baseline. If some inferences are
    incorrect, true disclosures have a separate line. Every layer exists, with or without numbers, so that two charts
    with the same axes differ only in their data, and a page replaces only these.
    """
    other = number is not None and number.column != "share"
    drawn = _instead(frame, number, chosen) if number is not None and other else frame
    data = drawn[["value", "confidence", "share", "right", "low", "high", "single", "n", "weighted"]].copy()
    single_line = number is not None and number.read == ANY
    at_level = level_text if number is None else number.at_level
    words = {c: number.title if number is not None and single_line else at_level(c) for c in set(data["confidence"])}
    data["level"] = data["confidence"].map(words)
    alone = {c: _ALONE if single_line or len(words) == 1 else f"{_ALONE} ({at_confidence(c)})" for c in words}
    data["alone"] = data["confidence"].map(alone)
    present = [current] if isinstance(current, int | float) else []
    # A layer without numbers gives no ends for an axis.
    ends = [float(end([*data["value"], *present])) for end in (min, max)]
    x = field(
        "value:Q",
        title=x_title,
        scale={"type": "log" if log else "linear", "domain": ends, "nice": False},
        axis={"tickMinStep": 1 if log else 0, "grid": False, "format": "~g"},
    )
    y_title = number.title if number is not None and other else "Shared people exposed"
    lines = data[["share", "high", "single"]].to_numpy(dtype=float, na_value=math.nan).ravel()
    height = axis_of_shares(y_title, [*lines, present_share, limit])
    y = field("share:Q", **height, axis={"format": PERCENT, "tickCount": 5})
    tips = [
        field("value:Q", title=x_title, format="~g"),
        field("level:N", title="Confidence"),
        field("share:Q", title=number.title if number is not None else "Exposed", format=".1%"),
        field("low:Q", title="95% interval from", format=".1%"),
        field("high:Q", title="to", format=".1%"),
        field("single:Q", title="Best single release", format=".1%"),
        field("n:Q", title="Shared people", format=","),
    ]
    if not other:
        tips[-1:-1] = [
            field("right:Q", title="True disclosures", format=".1%"),
            field("weighted:Q", title="Weighted", format=".1%"),
        ]
    main, others = data[data["confidence"] == chosen], data[data["confidence"] != chosen]
    if not ((main["right"] - main["share"]).abs() > 1e-12).any():
        main = main.assign(right=math.nan)
    levels = list(dict.fromkeys(others["level"]))
    dashes = {"domain": levels, "range": [_DASHES[i % len(_DASHES)] for i in range(len(levels))]}
    dash = field("level:N", scale=dashes, legend=None)
    strong, thin, line = plot(main, "breached"), plot(others, "breached"), {"color": colour(), "tooltip": tips}
    baseline = plot(others, "single release")
    layers = [
        strong.mark("area", opacity=0.22).encode(x=x, y=field("low:Q"), y2={"field": "high"}, color=colour()),
        thin.mark("line", strokeWidth=1.3).encode(x=x, y=y, strokeDash=dash, **line),
        baseline.mark("line", strokeWidth=1.3).encode(x=x, y=field("single:Q"), strokeDash=dash, **line),
        strong.mark("line", strokeWidth=3, point={"size": 34, "filled": True}).encode(x=x, y=y, **line),
    ]
    for column, (_, series, pattern) in _BESIDE.items():
        rest = plot(main, series).mark("line", strokeWidth=1.6, strokeDash=pattern)
        layers.append(rest.encode(x=x, y=field(f"{column}:Q"), **line))
    layers += names_at_ends(_ends(data, main), x, list(main["level"][:1]), (0.0, height["scale"]["domain"][1]))
    rule = plot(pd.DataFrame({"value": present}), "my release").mark("rule", strokeDash=[1, 2], strokeWidth=2)
    layers.append(rule.encode(x=x, color=colour(), tooltip=[field("value:Q", title="Now")]))
    point = pd.DataFrame({"value": present, "share": [present_share] * len(present)}).dropna()
    dot = plot(point, "breached").mark("point", filled=True, size=150, opacity=1, strokeWidth=2)
    layers.append(dot.encode(x=x, y=y, color=colour(), tooltip=tips[2:3]))
    if not math.isnan(limit):  # an empty rule would be a mark without a name
        bound = plot(pd.DataFrame({"share": [limit], "text": [f"limit {percent(limit)}"]}), "guessing")
        label = bound.mark("text", align="left", baseline="bottom", dx=4, dy=-3)
        layers.append(bound.mark("rule", strokeDash=[6, 4], strokeWidth=1.6).encode(y=y, color=colour()))
        layers.append(label.encode(x={"value": 0}, y=y, text=field("text:N"), color=colour()))
    return layer(*layers, *([finding(title)] if title else [])).properties(height=HEIGHT + 60)


def _instead(frame: pd.DataFrame, number: AttackNumber, chosen: float) -> pd.DataFrame:
    """The same frame with another number instead of the people exposed, drawn alone."""
    drawn = frame[frame["confidence"] == chosen] if number.read == ANY else frame
    taken = {"share": number.column, "low": number.low, "high": number.high, "single": number.single}
    return drawn.assign(**{name: drawn[column] for name, column in taken.items()}, right=math.nan, weighted=math.nan)


_DASHES = ([1, 0], [7, 4], [2, 3], [9, 3, 2, 3])
"""Styles of the thin lines, the highest confidence first; all differ."""

_ALONE = "best single release"
_BESIDE = {
    "single": (_ALONE, "single release", [2, 3]),
    "right": ("true disclosures", "breached", [8, 3, 2, 3]),
    "weighted": ("weighted", "other release", [12, 3]),
}
"""Additional lines next to the chosen confidence: wording, colour and dashes."""


def _ends(data: pd.DataFrame, main: pd.DataFrame) -> pd.DataFrame:
    """Name of each line and its height at the right end, one row per line; ``main`` has the chosen confidence."""
    last = data["value"].max()
    every_end, main_end = data[data["value"] == last], main[main["value"] == last]
    lines = [(share, level, "breached") for share, level in zip(every_end["share"], every_end["level"], strict=True)]
    for share, name in zip(every_end["single"], every_end["alone"], strict=True):
        lines.append((share, name, "single release"))
    for column in ("right", "weighted"):
        name, series, _ = _BESIDE[column]
        lines += [(share, name, series) for share in main_end[column]]
    # A number that was not computed has no line.
    return pd.DataFrame(lines, columns=["share", "line", "series"]).dropna(subset="share").assign(value=last)
