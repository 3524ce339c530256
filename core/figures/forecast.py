"""The forecast against k, beside what simulated hospitals do, and what would change it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from core.figures.base import HEIGHT, PERCENT, altair_package, colour, key, names_at_ends, plot, shortened

if TYPE_CHECKING:
    import altair

MOST_VALUES = 40
_LINES: tuple[tuple[str, str, str, list[int]], ...] = (
    ("people", "People in vulnerable classes", "breached", [1, 0]),
    ("risk", "Vulnerable classes", "my release", [6, 3]),
    ("pinned", "One value left, first estimate", "other release", [2, 3]),
)
"""Column, words, series and dash of each line of the curve."""


def expected_curve(frame: pd.DataFrame, k: int) -> altair.LayerChart:
    """Shared people expected to be left with one value against k, with the band; the present k marked.

    Takes the output of :func:`core.forecast.forecast_curve`, or of
    :func:`core.forecast.beside_real`, where the simulated share is drawn beside it.
    """
    alt = altair_package()
    simulated = "really_pinned" in frame
    columns = ["k", "expected", "expected_low", "expected_high", *(["really_pinned"] if simulated else [])]
    data = frame[columns].assign(line="expected", other="simulated")
    x = alt.X(
        "k:Q",
        title="People per class (k)",
        scale=alt.Scale(type="log", nice=False),
        axis=alt.Axis(tickMinStep=1, grid=False, format="~g"),
    )
    y = alt.Y(
        "expected:Q",
        title="Shared people left with one value",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(format=PERCENT),
    )
    tips = [
        alt.Tooltip("k:Q", title="k"),
        alt.Tooltip("expected:Q", title="Expected", format=".1%"),
        alt.Tooltip("expected_low:Q", title="Band from", format=".1%"),
        alt.Tooltip("expected_high:Q", title="to", format=".1%"),
        *([alt.Tooltip("really_pinned:Q", title="Simulated", format=".1%")] if simulated else []),
    ]
    base = plot(data, "breached")
    band = base.mark_area(opacity=0.22).encode(
        x=x, y=alt.Y("expected_low:Q"), y2=alt.Y2("expected_high:Q"), color=colour()
    )
    line = base.mark_line(strokeWidth=3, point=alt.OverlayMarkDef(size=34, filled=True))
    layers = [band, line.encode(x=x, y=y, color=colour(), tooltip=tips)]
    if simulated:
        dots = plot(data, "other release").mark_point(size=70, shape="diamond", filled=True, opacity=1)
        layers.append(dots.encode(x=x, y=alt.Y("really_pinned:Q"), color=colour(), tooltip=tips))
        last = data[data["k"] == data["k"].max()]
        ends = [
            {"k": float(last["k"].iloc[0]), "share": float(last[column].iloc[0]), "line": words, "series": series}
            for column, words, series in (
                ("expected", "expected", "breached"),
                ("really_pinned", "simulated", "other release"),
            )
        ]
        layers += names_at_ends(pd.DataFrame(ends).dropna(), x)
    rule = plot(pd.DataFrame({"k": [k]}), "my release").mark_rule(strokeDash=[1, 2], strokeWidth=2)
    layers.append(rule.encode(x=x, color=colour(), tooltip=[alt.Tooltip("k:Q", title="Now")]))
    chart: altair.LayerChart = alt.layer(*layers).properties(height=HEIGHT + 20)
    return chart


def forecast_curve(frame: pd.DataFrame, k: int, reading: str = "at least l") -> altair.LayerChart:
    """Vulnerable classes, the people in them and the pinning estimate against k, the present k marked.

    Takes the output of :func:`core.forecast.forecast_curve`.
    """
    alt = altair_package()
    suffix = "_subset" if reading == "every subset" else ""
    parts = []
    for column, words, series, _ in _LINES:
        name = column if column == "pinned" else column + suffix
        parts.append(
            pd.DataFrame(
                {"k": frame["k"], "share": frame[name], "loss": frame["loss"], "line": words, "series": series}
            )
        )
    data = pd.concat(parts, ignore_index=True)
    x = alt.X(
        "k:Q",
        title="People per class (k)",
        scale=alt.Scale(type="log", nice=False),
        axis=alt.Axis(tickMinStep=1, grid=False, format="~g"),
    )
    y = alt.Y("share:Q", title="Forecast", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=PERCENT))
    tips = [
        alt.Tooltip("k:Q", title="k"),
        alt.Tooltip("line:N", title=""),
        alt.Tooltip("share:Q", title="Share", format=".1%"),
        alt.Tooltip("loss:Q", title="Information loss", format=".1%"),
    ]
    layers = []
    for number, (_, words, series, dash) in enumerate(_LINES):
        line = plot(data[data["line"] == words], series).mark_line(
            strokeWidth=3 if number == 0 else 1.8, strokeDash=dash, point=alt.OverlayMarkDef(size=26, filled=True)
        )
        layers.append(line.encode(x=x, y=y, color=colour(), tooltip=tips))
    layers += names_at_ends(data.loc[data["k"] == data["k"].max(), ["k", "share", "line", "series"]], x)
    rule = plot(pd.DataFrame({"k": [k]}), "my release").mark_rule(strokeDash=[1, 2], strokeWidth=2)
    layers.append(rule.encode(x=x, color=colour(), tooltip=[alt.Tooltip("k:Q", title="Now")]))
    chart: altair.LayerChart = alt.layer(*layers).properties(height=HEIGHT + 20)
    return chart


def estimated_and_real(frame: pd.DataFrame, reading: str = "at least l") -> altair.LayerChart:
    """Estimated and real risk of simulated hospitals against k [Sattar 2018, Figure 3].

    Takes the output of :func:`core.forecast.beside_real`.
    """
    alt = altair_package()
    lines = (
        ("estimated" if reading == "at least l" else "estimated_subset", "estimated", "my release", [6, 3]),
        ("estimated_joint", "estimated, by class", "other release", [4, 2]),
        ("real_all", "real, all classes", "breached", [1, 0]),
        ("real_shared", "real, with shared people", "breached", [2, 3]),
    )
    parts = [
        pd.DataFrame({"k": frame["k"], "share": frame[column], "line": words, "series": series})
        for column, words, series, _ in lines
    ]
    data = pd.concat(parts, ignore_index=True)
    x = alt.X(
        "k:Q",
        title="People per class (k)",
        scale=alt.Scale(nice=False, zero=False),
        axis=alt.Axis(tickMinStep=1, grid=False),
    )
    y = alt.Y("share:Q", title="Vulnerable classes", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=PERCENT))
    tips = [alt.Tooltip("k:Q"), alt.Tooltip("line:N", title=""), alt.Tooltip("share:Q", title="Share", format=".1%")]
    dashes = alt.StrokeDash(
        "line:N", scale=alt.Scale(domain=[line[1] for line in lines], range=[line[3] for line in lines]), legend=None
    )
    layers = []
    for _, words, series, _ in lines:
        marks = plot(data[data["line"] == words], series)
        layers.append(marks.mark_line(strokeWidth=2.2).encode(x=x, y=y, color=colour(), strokeDash=dashes))
        dots = marks.mark_point(size=34, filled=True, opacity=1)
        layers.append(dots.encode(x=x, y=y, color=colour(), tooltip=tips))
    ends = data[(data["k"] == data["k"].max()) & data["share"].notna()]
    layers += names_at_ends(ends, x)
    chart: altair.LayerChart = alt.layer(*layers).properties(height=HEIGHT + 20)
    return chart


def calibration_parts(frame: pd.DataFrame) -> altair.LayerChart:
    """The pinning estimate beside the simulated share, part by part of the people, with the diagonal.

    Takes the output of :func:`core.forecast.calibration`.
    """
    alt = altair_package()
    data = frame[["part", "people", "estimated", "simulated", "low", "high"]]
    top = float(np.ceil(20 * max(data["estimated"].max(), data["high"].max(), 0.05)) / 20)
    scale = alt.Scale(domain=[0, min(1.0, top)], nice=False)
    x = alt.X("estimated:Q", title="Estimated: one value left", scale=scale, axis=alt.Axis(format=PERCENT))
    y = alt.Y("simulated:Q", title="Simulated: one value left", scale=scale, axis=alt.Axis(format=PERCENT))
    ends = pd.DataFrame({"estimated": [0, min(1.0, top)], "simulated": [0, min(1.0, top)]})
    diagonal = plot(ends, "guessing").mark_line(strokeDash=[4, 3], strokeWidth=1.5).encode(x=x, y=y, color=colour())
    spread = (
        plot(data, "breached")
        .mark_rule(strokeWidth=1.5)
        .encode(x=x, y=alt.Y("low:Q"), y2=alt.Y2("high:Q"), color=colour())
    )
    dots = (
        plot(data, "breached")
        .mark_point(size=60, filled=True, opacity=1)
        .encode(
            x=x,
            y=y,
            color=colour(),
            tooltip=[
                alt.Tooltip("part:Q", title="Part"),
                alt.Tooltip("people:Q", title="People", format=","),
                alt.Tooltip("estimated:Q", title="Estimated", format=".1%"),
                alt.Tooltip("simulated:Q", title="Simulated", format=".1%"),
                alt.Tooltip("low:Q", title="Least of the draws", format=".1%"),
                alt.Tooltip("high:Q", title="Most of the draws", format=".1%"),
            ],
        )
    )
    chart: altair.LayerChart = alt.layer(diagonal, spread, dots).properties(height=HEIGHT)
    return chart


def contribution(frame: pd.DataFrame, measure: str, title: str) -> altair.LayerChart:
    """What leaving out or coarsening each quasi-identifier would do, with the present state as a rule.

    Takes the output of :func:`core.forecast.contributions`.
    """
    alt = altair_package()
    present_share = float(frame[measure].iloc[0])
    data = frame.iloc[1:][["attribute", "change", "loss", "values", measure]].rename(columns={measure: "share"})
    names = list(dict.fromkeys(data["attribute"]))
    least = {name: data.loc[data["attribute"] == name, "share"].min() for name in names}
    short = dict(zip(names, shortened(names, 40), strict=True))
    data["attribute"] = [short[name] for name in data["attribute"]]
    data["change"] = ["one level coarser" if change == "coarser" else "left out" for change in data["change"]]
    data["now"] = present_share
    order = [short[name] for name in sorted(names, key=lambda name: (least[name], names.index(name)))]
    y = alt.Y("attribute:N", sort=order, title=None, axis=alt.Axis(labelLimit=240, labelOverlap=False))
    x = alt.X("share:Q", title=title, scale=alt.Scale(zero=False, nice=True), axis=alt.Axis(format=".1%", tickCount=6))
    line = plot(data, "breached").mark_rule(strokeWidth=1.2).encode(y=y, x=x, x2=alt.X2("now:Q"), color=colour())
    shape = alt.Shape(
        "change:N", scale=alt.Scale(domain=["one level coarser", "left out"], range=["circle", "square"]), legend=None
    )
    dots = (
        plot(data, "breached")
        .mark_point(size=80, filled=True, opacity=1)
        .encode(
            y=y,
            x=x,
            shape=shape,
            color=colour(),
            tooltip=[
                alt.Tooltip("attribute:N", title="Column"),
                alt.Tooltip("change:N", title="if"),
                alt.Tooltip("share:Q", title=title, format=".1%"),
                alt.Tooltip("loss:Q", title="Information loss", format=".1%"),
            ],
        )
    )
    rule = plot(pd.DataFrame({"share": [present_share]}), "my release").mark_rule(strokeDash=[1, 2], strokeWidth=2)
    rule = rule.encode(x=alt.X("share:Q"), color=colour())
    legend = key([(words, "breached") for words in ("one level coarser", "left out")], shape)
    chart: altair.LayerChart = alt.layer(line, rule, dots, *legend).properties(height=max(140, 34 * len(order) + 60))
    return chart


def value_presence(values: Sequence[str], presence: Sequence[float], counts: Sequence[int]) -> altair.Chart:
    """How likely each value of a class is to be shared with the hypothesised class, the first 40."""
    alt = altair_package()
    shown = min(len(values), MOST_VALUES)
    top = min(1.0, max(0.05, max(list(presence)[:shown], default=0.0)))
    data = pd.DataFrame(
        {"text": shortened(list(values)[:shown]), "share": list(presence)[:shown], "count": list(counts)[:shown]}
    )
    chart: altair.Chart = (
        plot(data, "other release")
        .mark_bar()
        .encode(
            y=alt.Y("text:N", sort=list(data["text"]), title=None, axis=alt.Axis(labelLimit=220, labelOverlap=False)),
            x=alt.X(
                "share:Q",
                title="Likely to be shared",
                scale=alt.Scale(domain=[0, top]),
                axis=alt.Axis(format=PERCENT, tickCount=5),
            ),
            color=colour(),
            tooltip=[
                alt.Tooltip("text:N", title="Value"),
                alt.Tooltip("share:Q", title="Likely shared", format=".1%"),
                alt.Tooltip("count:Q", title="Records here"),
            ],
        )
        .properties(height=max(80, 22 * len(data) + 30))
    )
    return chart


def merger_steps(rows: Sequence[tuple[str, float, float, int]], title: str) -> altair.Chart:
    """Loss against forecast while more and more classes are merged: (words, loss, share, classes merged)."""
    alt = altair_package()
    data = pd.DataFrame(rows, columns=["step", "loss", "share", "classes"])
    data["order"] = range(len(data))
    chart: altair.Chart = (
        plot(data, "breached")
        .mark_line(point=alt.OverlayMarkDef(size=60, filled=True), strokeWidth=2)
        .encode(
            x=alt.X(
                "loss:Q",
                title="Information loss (lower is better)",
                scale=alt.Scale(zero=False),
                axis=alt.Axis(format=".1%"),
            ),
            y=alt.Y("share:Q", title=title, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=PERCENT)),
            order=alt.Order("order:Q"),
            color=colour(),
            tooltip=[
                alt.Tooltip("step:N", title=""),
                alt.Tooltip("classes:Q", title="Classes merged", format=","),
                alt.Tooltip("share:Q", title=title, format=".1%"),
                alt.Tooltip("loss:Q", title="Information loss", format=".1%"),
            ],
        )
        .properties(height=HEIGHT)
    )
    return chart
