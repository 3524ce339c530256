"""Candidates of a decision: cost against exposure, and class sizes; for reports."""

from __future__ import annotations

import pandas as pd

from core.figures.base import HEIGHT, PERCENT, SERIES, colour, key, plot, shortened
from core.figures.vega import Chart, field, layer

STATES = {True: "none is better in both", False: "another is better"}
"""Words for candidates on and off the efficient frontier."""


def frontier(frame: pd.DataFrame) -> Chart:
    """Information loss against the share exposed, one point per candidate, with the efficient frontier.

    Parameters
    ----------
    frame
        One row per candidate: ``name, loss, breach, low, high, efficient``. Loss and breach
        are shares from 0 to 1; ``low`` and ``high`` bound the 95% interval of the breach,
        NaN if there is none; ``efficient`` is the output of
        :func:`core.decision.review.efficient`. Rows without a loss or a breach are left out.

    Notes
    -----
    Efficient candidates are filled diamonds joined by a line, the others hollow circles:
    so that colour or position is not the only difference.
    """
    known = frame.dropna(subset=["loss", "breach"]).rename(columns={"breach": "share"})
    data = known[["loss", "share", "low", "high"]].assign(
        text=shortened(known["name"], 40),
        state=known["efficient"].map(STATES),
        series=known["efficient"].map({True: SERIES[0], False: SERIES[4]}),
    )
    axis = {"format": PERCENT, "grid": False, "tickCount": 6}
    x = field("loss:Q", title="Information loss (lower is better)", scale={"zero": False, "padding": 24}, axis=axis)
    y = field(
        "share:Q", title="Shared people exposed (lower is better)", scale={"domain": [0, 1]}, axis={"format": PERCENT}
    )
    best = plot(data[data["state"] == STATES[True]], SERIES[0]).mark("line", strokeWidth=1.5, strokeDash=[6, 3])
    spread = Chart(data.dropna(subset=["low", "high"])).mark("rule", strokeWidth=1.5)
    states = list(STATES.values())
    points = Chart(data).mark("point", size=110, strokeWidth=2, opacity=1)
    layers = [
        best.encode(x=x, y=y, order=field("loss:Q"), color=colour()),
        spread.encode(x=x, y=field("low:Q"), y2={"field": "high"}, color=colour()),
        points.encode(
            x=x,
            y=y,
            stroke=colour(),
            fill=colour(),
            fillOpacity=field("state:N", scale={"domain": states, "range": [1, 0]}, legend=None),
            shape=field("state:N", scale={"domain": states, "range": ["diamond", "circle"]}, legend=None),
        ),
    ]
    middle = (data["loss"].min() + data["loss"].max()) / 2
    sides = ((data["loss"] <= middle, "left", 10, -9), (data["loss"] > middle, "right", -10, 11))
    for placed, align, right, down in sides:  # the frontier falls, so that above right and below left are free
        name = plot(data[placed], SERIES[4]).mark("text", align=align, dx=right, dy=down, clip=False)
        layers.append(name.encode(x=x, y=y, text=field("text:N"), color=colour()))
    layers.append(key([(f"◆ {STATES[True]}", SERIES[0]), (f"○ {STATES[False]}", SERIES[4])]))
    return layer(*layers).properties(height=HEIGHT + 40)


def size_bands(frame: pd.DataFrame) -> Chart:
    """Share of the people in classes of each size.

    Parameters
    ----------
    frame
        One row per band of sizes, smallest first: ``range`` in words, ``share`` of the people
        in its classes, ``text`` to write over the bar.
    """
    x = field(
        "range:N", sort=list(frame["range"]), title="People in a class", axis={"labelAngle": 0, "labelOverlap": False}
    )
    y = field("share:Q", title="People in such classes", axis={"format": PERCENT}, scale={"domain": [0, 1]})
    bar = plot(frame, "my release").mark("bar", size=34)
    label = plot(frame, SERIES[4]).mark("text", baseline="bottom", dy=-3)
    return layer(
        bar.encode(x=x, y=y, color=colour()), label.encode(x=x, y=y, text=field("text:N"), color=colour())
    ).properties(height=HEIGHT - 80)
