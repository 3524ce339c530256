"""Loss against exposure, one line an algorithm."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from core.figures.base import HEIGHT, PERCENT, altair_package, colour, last_of_each, names_at_ends, shortened

if TYPE_CHECKING:
    import altair

PAINT = ("my release", "other release", "single release", "guessing", "breached")
DASHES = ([1, 0], [6, 3], [2, 3], [8, 2, 2, 2], [4, 4])


def loss_against_exposure(frame: pd.DataFrame, symbol: str = "k") -> altair.LayerChart:
    """Information loss against the share exposed, a line an algorithm and a point a value of k, l or t.

    Parameters
    ----------
    frame
        One row a point: ``words`` (the algorithm), ``value, loss, share, low, high``; shares
        from 0 to 1. Rows of an algorithm follow each other.
    symbol
        What the values are of.

    Notes
    -----
    Lines differ in dash as well as in colour. Up is exposed, right is lost: lower left is better.
    """
    alt = altair_package()
    every = list(dict.fromkeys(frame["words"]))
    text = dict(zip(every, shortened(every, 28), strict=True))
    paint = {name: PAINT[i % len(PAINT)] for i, name in enumerate(every)}
    names = list(text.values())
    data = frame[["value", "loss", "share", "low", "high"]].assign(
        text=[text[name] for name in frame["words"]], series=[paint[name] for name in frame["words"]]
    )
    x = alt.X(
        "loss:Q", title="Information loss (lower is better)", axis=alt.Axis(format=PERCENT, grid=False, tickCount=6)
    )
    top = min(1.0, float(data[["share", "high"]].max().max()) * 1.08) or 1.0
    y = alt.Y(
        "share:Q",
        title="Shared people exposed (lower is better)",
        axis=alt.Axis(format=PERCENT),
        scale=alt.Scale(domain=[0, top], nice=False),
    )
    dash = alt.StrokeDash(
        "text:N", scale=alt.Scale(domain=names, range=[DASHES[i % len(DASHES)] for i in range(len(names))]), legend=None
    )
    tips = [
        alt.Tooltip("text:N", title="Classes by"),
        alt.Tooltip("value:Q", title=symbol),
        alt.Tooltip("loss:Q", title="Information loss", format=".1%"),
        alt.Tooltip("share:Q", title="Exposed", format=".1%"),
        alt.Tooltip("low:Q", title="95 % interval from", format=".1%"),
        alt.Tooltip("high:Q", title="to", format=".1%"),
    ]
    base = alt.Chart(data)
    order = alt.Order("value:Q")
    layers = [base.mark_line(strokeWidth=2.5).encode(x=x, y=y, color=colour(), strokeDash=dash, order=order)]
    if data["low"].notna().any():
        spread = alt.Chart(data.dropna(subset=["low", "high"])).mark_rule(strokeWidth=1.2)
        layers.append(spread.encode(x=x, y=alt.Y("low:Q"), y2=alt.Y2("high:Q"), color=colour()))
    layers.append(base.mark_point(filled=True, size=60, opacity=1).encode(x=x, y=y, color=colour(), tooltip=tips))
    layers += names_at_ends(last_of_each(data, "text", "value", "share"), x, span=(0.0, top))
    chart: altair.LayerChart = alt.layer(*layers).properties(height=HEIGHT + 40)
    return chart
