"""Candidates of a decision: what each costs against what it exposes, and how large its classes are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from core.figures.base import HEIGHT, PERCENT, SERIES, altair_package, colour, legend, plot, shortened

if TYPE_CHECKING:
    import altair

STATES = {True: "nobody is better in both", False: "another is better"}
"""Words for a candidate on the efficient frontier, and for one that is not."""


def frontier(frame: pd.DataFrame) -> altair.LayerChart:
    """Information loss against the share exposed, a point a candidate, and the line that none of them beats.

    Parameters
    ----------
    frame
        One row a candidate: ``name, loss, breach, low, high, efficient``. Loss and breach
        are shares from 0 to 1; ``low`` and ``high`` are where 95 % of redraws of the breach
        fall, NaN where there is no interval; ``efficient`` is the output of
        :func:`core.review.efficient`. Rows without a loss or a breach are left out.

    Notes
    -----
    Efficient candidates are filled diamonds joined by a line, the others hollow circles:
    neither colour nor position alone tells them apart.
    """
    alt = altair_package()
    known = frame[frame["loss"].notna() & frame["breach"].notna()]
    efficient = known["efficient"].astype(bool).tolist()
    data = pd.DataFrame(
        {
            "text": shortened(known["name"], 40),
            "loss": known["loss"].astype(float).to_numpy(),
            "share": known["breach"].astype(float).to_numpy(),
            "low": known["low"].astype(float).to_numpy(),
            "high": known["high"].astype(float).to_numpy(),
            "state": [STATES[state] for state in efficient],
            "series": [SERIES[0] if state else SERIES[4] for state in efficient],
        }
    )
    x = alt.X("loss:Q", title="Information loss (lower is better)", scale=alt.Scale(zero=False, padding=24),
              axis=alt.Axis(format=PERCENT, grid=False, tickCount=6))  # fmt: skip
    y = alt.Y("share:Q", title="Shared people exposed (lower is better)", scale=alt.Scale(domain=[0, 1]),
              axis=alt.Axis(format=PERCENT))  # fmt: skip
    shade = alt.Color("series:N", scale=alt.Scale(domain=list(SERIES)), legend=None)
    tips = [
        alt.Tooltip("text:N", title="Candidate"), alt.Tooltip("loss:Q", title="Information loss", format=".1%"),
        alt.Tooltip("share:Q", title="Exposed", format=".1%"),
        alt.Tooltip("low:Q", title="95 % of redraws from", format=".1%"),
        alt.Tooltip("high:Q", title="to", format=".1%"), alt.Tooltip("state:N", title=""),
    ]  # fmt: skip
    layers = []
    best = data[data["state"] == STATES[True]].sort_values(["loss", "share"])
    line = plot(best[["loss", "share"]], SERIES[0]).mark_line(strokeWidth=1.5, strokeDash=[6, 3])
    layers.append(line.encode(x=x, y=y, order=alt.Order("loss:Q"), color=colour()))
    spread = data.dropna(subset=["low", "high"])
    if len(spread):
        layers.append(
            alt.Chart(spread).mark_rule(strokeWidth=1.5).encode(x=x, y=alt.Y("low:Q"), y2=alt.Y2("high:Q"), color=shade)
        )
    key = alt.Scale(domain=list(STATES.values()), range=["diamond", "circle"])
    shape = alt.Shape("state:N", scale=key, legend=legend(labelLimit=300))
    for state, words in STATES.items():
        mark = alt.Chart(data[data["state"] == words]).mark_point(filled=state, size=110, strokeWidth=2, opacity=1)
        layers.append(mark.encode(x=x, y=y, color=shade, shape=shape, tooltip=tips))
    layers += _names(data, x, y)
    chart: altair.LayerChart = alt.layer(*layers).properties(height=HEIGHT + 40)
    return chart


def _names(data: pd.DataFrame, x: Any, y: Any) -> list[Any]:
    """Name every candidate beside its point, to the side on which there is room."""
    alt = altair_package()
    middle = (data["loss"].min() + data["loss"].max()) / 2
    layers = []
    sides = ((data["loss"] <= middle, "left", 10, -9), (data["loss"] > middle, "right", -10, 11))
    for here, align, right, down in sides:  # the frontier falls, so that above right and below left are free
        if here.any():
            mark = plot(data[here], SERIES[4]).mark_text(align=align, dx=right, dy=down, clip=False)
            layers.append(mark.encode(x=x, y=y, text=alt.Text("text:N"), color=colour()))
    return layers


def size_bands(frame: pd.DataFrame) -> altair.LayerChart:
    """Share of the records in classes of each size.

    Parameters
    ----------
    frame
        One row a band of sizes, smallest first: ``range`` in words, ``share`` of the records
        in its classes, ``text`` to write over the bar.
    """
    alt = altair_package()
    data = frame[["range", "share", "text"]].copy()
    order = list(data["range"])
    x = alt.X("range:N", sort=order, title="Records in a class", axis=alt.Axis(labelAngle=0, labelOverlap=False))
    y = alt.Y("share:Q", title="Records in such classes", axis=alt.Axis(format=PERCENT),
              scale=alt.Scale(domain=[0, 1]))  # fmt: skip
    bar = plot(data, "my release").mark_bar(size=34).encode(
        x=x, y=y, color=colour(),
        tooltip=[alt.Tooltip("range:N", title="Records in a class"), alt.Tooltip("text:N", title="Records in them")],
    )  # fmt: skip
    label = plot(data, SERIES[4]).mark_text(baseline="bottom", dy=-3)
    label = label.encode(x=x, y=y, text=alt.Text("text:N"), color=colour())
    chart: altair.LayerChart = alt.layer(bar, label).properties(height=HEIGHT - 80)
    return chart
