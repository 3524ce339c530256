"""The breach against what varies, and over the range of every assumption."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from core.figures.base import HEIGHT, PERCENT, altair_package, colour, legend, level_text, plot

if TYPE_CHECKING:
    import altair


def breach_curve(
    frame: pd.DataFrame, x_title: str, chosen: float, current: Any = None, log: bool = False
) -> altair.LayerChart:
    """Share of shared people breached against what varies, a line a confidence.

    Parameters
    ----------
    frame
        Output of :func:`core.curves.sweep`.
    x_title
        What varies, in words.
    chosen
        The confidence whose line is drawn strong, with its interval, and with the lines
        of the best single release and of guessing.
    current
        Present setting, marked by a rule.
    log
        Whether the horizontal axis is logarithmic.

    Notes
    -----
    Where the frame has categories, the share of people whose category is known has a line
    of its own.
    """
    alt = altair_package()
    columns = ["value", "confidence", "share", "low", "high", "single", "guess", "n", "weighted", "category"]
    data = frame[columns].copy()
    data["level"] = [level_text(c) for c in data["confidence"]]
    scale = alt.Scale(type="log", nice=False) if log else alt.Scale(nice=False, zero=False)
    x = alt.X(
        "value:Q", title=x_title, scale=scale, axis=alt.Axis(tickMinStep=1 if log else 0, grid=False, format="~g")
    )
    y_title = "Shared people exposed"
    y = alt.Y("share:Q", title=y_title, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=PERCENT))
    tips = [
        alt.Tooltip("value:Q", title=x_title, format="~g"),
        alt.Tooltip("level:N", title="Confidence"),
        alt.Tooltip("share:Q", title="Exposed", format=".1%"),
        alt.Tooltip("low:Q", title="95 % of redraws from", format=".1%"),
        alt.Tooltip("high:Q", title="to", format=".1%"),
        alt.Tooltip("single:Q", title="Best single release", format=".1%"),
        alt.Tooltip("guess:Q", title="Guessing", format=".1%"),
        alt.Tooltip("weighted:Q", title="By weights", format=".1%"),
        alt.Tooltip("n:Q", title="Shared people", format=","),
    ]
    main = data[np.isclose(data["confidence"], chosen)]
    others = data[~np.isclose(data["confidence"], chosen)]
    layers = []
    if main["low"].notna().any():
        band = (
            plot(main, "breached")
            .mark_area(opacity=0.22)
            .encode(x=x, y=alt.Y("low:Q"), y2=alt.Y2("high:Q"), color=colour())
        )
        layers.append(band)
    thin = plot(others, "breached").mark_line(strokeWidth=1.2, strokeDash=[6, 3], opacity=0.8)
    layers.append(thin.encode(x=x, y=y, detail=alt.Detail("level:N"), color=colour(), tooltip=tips))
    line = plot(main, "breached").mark_line(strokeWidth=3, point=alt.OverlayMarkDef(size=34, filled=True))
    layers.append(line.encode(x=x, y=y, color=colour(), tooltip=tips))
    for column, (_, series, dash) in _beside(main).items():
        rest = plot(main, series).mark_line(strokeWidth=1.6, strokeDash=dash)
        layers.append(rest.encode(x=x, y=alt.Y(f"{column}:Q"), color=colour(), tooltip=tips))
    layers += _line_labels(data, main, chosen, x)
    if current is not None and not isinstance(current, str):
        rule = plot(pd.DataFrame({"value": [current]}), "my release").mark_rule(strokeDash=[1, 2], strokeWidth=2)
        layers.append(rule.encode(x=x, color=colour(), tooltip=[alt.Tooltip("value:Q", title="Now")]))
    chart: altair.LayerChart = alt.layer(*layers).properties(height=HEIGHT + 60)
    return chart


_BESIDE = {
    "single": ("best single release", "single release", [2, 3]),
    "guess": ("guessing", "guessing", [8, 3, 2, 3]),
    "weighted": ("by weights", "other release", [12, 3]),
    "category": ("one category left", "my release", [4, 2]),
}
"""What is drawn beside the chosen confidence: its words, its colour and its dashes."""


def _beside(main: pd.DataFrame) -> dict[str, tuple[str, str, list[int]]]:
    return {column: how for column, how in _BESIDE.items() if main[column].notna().any()}


def _line_labels(data: pd.DataFrame, main: pd.DataFrame, chosen: float, x: Any) -> list[Any]:
    """Name every line at its right end, apart from each other."""
    last = data["value"].max()
    ends = [(float(r.share), level_text(r.confidence), "breached", r.confidence == chosen)
            for r in data[data["value"] == last].itertuples()]  # fmt: skip
    tail = main[main["value"] == last]
    if len(tail):
        ends += [
            (float(tail[column].iloc[0]), text, series, False) for column, (text, series, _) in _beside(main).items()
        ]
    ends.sort()
    gap = 0.062
    heights: list[float] = []
    for share, *_ in ends:
        heights.append(max(share, heights[-1] + gap) if heights else max(share, 0.02))
    overflow = max(0.0, heights[-1] - 0.99) if heights else 0.0
    if overflow:
        for i in range(len(heights) - 1, -1, -1):
            limit = 0.99 if i == len(heights) - 1 else heights[i + 1] - gap
            heights[i] = min(heights[i], limit)
    alt = altair_package()
    frame = pd.DataFrame({
        "value": last, "share": heights, "text": [text for _, text, _, _ in ends],
        "series": [series for _, _, series, _ in ends], "strong": [strong for _, _, _, strong in ends],
    })  # fmt: skip
    # Two layers for all the names: each layer costs as much to make as a line.
    layers = []
    for strong, weight in ((False, "normal"), (True, "bold")):
        part = frame[frame["strong"] == strong].drop(columns="strong")
        mark = alt.Chart(part).mark_text(align="left", dx=8, fontWeight=weight, clip=False)
        if len(part):
            layers.append(mark.encode(x=x, y=alt.Y("share:Q"), text=alt.Text("text:N"), color=colour()))
    return layers


def doubts(frame: pd.DataFrame, names: dict[str, str], now: float) -> altair.LayerChart:
    """Breach over the range of each assumption, widest first, with the present share as a rule.

    Takes the output of :func:`core.curves.what_if`, words for each assumption, and the
    share at the present setting.
    """
    alt = altair_package()
    data = frame.copy()
    data["what"] = [names[name] for name in data["assumption"]]
    data["setting"] = [f"{value:g}" if isinstance(value, int | float) else str(value) for value in data["value"]]
    order = list(dict.fromkeys(data["what"]))
    low = {what: data.loc[data["what"] == what, "share"].min() for what in order}
    high = {what: data.loc[data["what"] == what, "share"].max() for what in order}
    bars = pd.DataFrame({"what": order, "low": [low[w] for w in order], "high": [high[w] for w in order]})
    y = alt.Y("what:N", sort=order, title=None, axis=alt.Axis(labelLimit=260))
    x = alt.X("low:Q", title="Shared people exposed", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=PERCENT))
    bar = plot(bars, "breached").mark_bar(height=8, opacity=0.35).encode(y=y, x=x, x2=alt.X2("high:Q"), color=colour())
    points = data[["what", "share", "setting"]]
    dot = plot(points, "breached").mark_circle(size=70).encode(
        y=y, x=alt.X("share:Q"), color=colour(),
        tooltip=[alt.Tooltip("what:N", title="If"), alt.Tooltip("setting:N", title="were"),
                 alt.Tooltip("share:Q", title="exposed", format=".1%")],
    )  # fmt: skip
    ranked = points.assign(rank=[(points.loc[points["what"] == w, "share"] < v).sum() for w, v in
                                 zip(points["what"], points["share"], strict=True)])  # fmt: skip
    label = [
        alt.Chart(ranked[ranked["rank"] % 2 == odd])
        .mark_text(dy=-13 if odd == 0 else 15, fontSize=11)
        .encode(y=y, x=alt.X("share:Q"), text=alt.Text("setting:N"))
        for odd in (0, 1)
    ]
    rule = plot(pd.DataFrame({"share": [now]}), "my release").mark_rule(strokeDash=[1, 2], strokeWidth=2)
    rule = rule.encode(x=alt.X("share:Q"), color=colour())
    chart: altair.LayerChart = alt.layer(bar, rule, dot, *label).properties(height=70 + 58 * len(order))
    return chart


def trade_off(rows: Sequence[tuple[str, float, float, int]]) -> altair.Chart:
    """Loss against breach for suppressing or merging more and more of the worst classes."""
    alt = altair_package()
    data = pd.DataFrame(rows, columns=["action", "loss", "share", "records"])
    chart: altair.Chart = (
        plot(data, "breached")
        .mark_line(point=alt.OverlayMarkDef(size=60), strokeWidth=2)
        .encode(
            x=alt.X("loss:Q", title="Information loss (lower is better)", scale=alt.Scale(zero=False),
                    axis=alt.Axis(format=".1%")),
            y=alt.Y("share:Q", title="Exposed (lower is better)", scale=alt.Scale(zero=False),
                    axis=alt.Axis(format=".1%")),
            strokeDash=alt.StrokeDash("action:N", legend=legend(labelLimit=300)),
            shape=alt.Shape("action:N", legend=None),
            order=alt.Order("records:Q"),
            color=colour(),
            tooltip=[alt.Tooltip("action:N", title=""), alt.Tooltip("records:Q", title="Records treated", format=","),
                     alt.Tooltip("share:Q", title="Exposed", format=".1%"),
                     alt.Tooltip("loss:Q", title="Loss", format=".1%")],
        )
        .properties(height=HEIGHT)
    )  # fmt: skip
    return chart
