"""Coalitions of providers: the cost of m-privacy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from core.figures.base import HEIGHT, SERIES, altair_package, colour, last_of_each, names_at_ends, plot

if TYPE_CHECKING:
    import altair


def pooled_curve(
    frame: pd.DataFrame, names: dict[str, str], measure: str, title: str, x_title: str, present_value: int
) -> altair.LayerChart:
    """One measure of both methods against m, k or l.

    Parameters
    ----------
    frame
        Output of :func:`core.study.provider_cost.compare`.
    names
        What to call the methods, the first in the colour of my release.
    measure, title
        Column to draw, and its axis title.
    x_title, now
        Title of what varies, and the present setting.
    """
    alt = altair_package()
    series = dict(zip(names, (SERIES[0], SERIES[1], SERIES[3]), strict=False))  # red is for breach
    some = frame[frame["feasible"]]
    data = pd.DataFrame(
        {
            "k": some["value"],
            "value": some[measure],
            "what": [names[method] for method in some["method"]],
            "series": [series[method] for method in some["method"]],
        }
    )
    shapes = alt.Scale(domain=list(names.values()))
    top = float(data["value"].max()) * 1.05 if len(data) else 1.0
    top = top if top > 0 else 1.0
    x = alt.X("k:Q", title=x_title, axis=alt.Axis(tickMinStep=1, format="d"), scale=alt.Scale(zero=False))
    y = alt.Y("value:Q", title=title, scale=alt.Scale(domain=[0, top], nice=False))
    colours = alt.Color("series:N", scale=alt.Scale(domain=list(SERIES)), legend=None)
    line = (
        alt.Chart(data)
        .mark_line(strokeWidth=2.5)
        .encode(x=x, y=y, color=colours, strokeDash=alt.StrokeDash("what:N", scale=shapes, legend=None))
    )
    point = (
        alt.Chart(data)
        .mark_point(filled=True, size=60, opacity=1)
        .encode(
            x=x,
            y=y,
            color=colours,
            shape=alt.Shape("what:N", scale=shapes, legend=None),
            tooltip=[
                alt.Tooltip("what:N", title="Method"),
                alt.Tooltip("k:Q", title=x_title),
                alt.Tooltip("value:Q", title=title, format=",.3~f"),
            ],
        )
    )
    rule = plot(pd.DataFrame({"k": [present_value]}), "guessing").mark_rule(strokeDash=[1, 2], strokeWidth=2)
    ends = last_of_each(data, "what", "k", "value")
    layers: list[Any] = [line, point, rule.encode(x=alt.X("k:Q"), color=colour())]
    layers += names_at_ends(ends, x, span=(0.0, top)) if len(ends) else []
    chart: altair.LayerChart = alt.layer(*layers).properties(height=HEIGHT)
    return chart
