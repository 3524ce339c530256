"""The weighted adversary beside the one who only knows what is possible, and whether each is as right as he says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pandas as pd

from core.figures.base import HEIGHT, PERCENT, SERIES, altair_package, colour, key, last_of_each, names_at_ends, plot

if TYPE_CHECKING:
    import altair

WHO = {
    "weights": ("by how often each value occurs", "breached", "circle"),
    "sets": ("all values left equally likely", "single release", "square"),
    "naive": ("naive: the dependence counted for every release", "guessing", "triangle-up"),
}
"""Each adversary in words, its colour and its shape."""

_SHORT = {"weights": "by weights,", "sets": "by sets,"}
"""The two of them where a line is named."""
LINES = (
    ("weights", "exposed", "says so", [1, 0]),
    ("weights", "right", "and is right", [2, 3]),
    ("sets", "exposed", "says so", [8, 3]),
    ("sets", "right", "and is right", [8, 3, 2, 3]),
)


def calibration(frames: Mapping[str, pd.DataFrame]) -> altair.LayerChart:
    """What an adversary says against how often he is right; on the diagonal he is as right as he says.

    Parameters
    ----------
    frames
        Output of :func:`core.attack.calibration.calibration` or ``calibration_over`` for some of
        ``"weights"``, ``"sets"`` and ``"naive"``. Intervals are drawn where there are any.
    """
    alt = altair_package()
    used = [name for name in WHO if name in frames]
    parts = [frames[name].assign(what=WHO[name][0], series=WHO[name][1]) for name in used]
    columns = ["said", "right", "n", "low", "high", "what", "series"]
    data = pd.concat([part[columns] for part in parts], ignore_index=True) if parts else pd.DataFrame(columns=columns)
    axis = alt.Axis(format=PERCENT)
    x = alt.X("said:Q", title="Says", scale=alt.Scale(domain=[0, 1]), axis=axis)
    y = alt.Y("right:Q", title="Is right", scale=alt.Scale(domain=[0, 1]), axis=axis)
    ends = pd.DataFrame({"said": [0.0, 1.0], "right": [0.0, 1.0]})
    layers = [plot(ends, "my release").mark_line(strokeDash=[1, 3], strokeWidth=1.5).encode(x=x, y=y, color=colour())]
    shade = alt.Color("series:N", scale=alt.Scale(domain=list(SERIES)), legend=None)
    ranges = data.dropna(subset=["low", "high"])
    if len(ranges):
        rule = alt.Chart(ranges).mark_rule(strokeWidth=1.2)
        layers.append(rule.encode(x=x, y=alt.Y("low:Q"), y2=alt.Y2("high:Q"), color=shade))
    words = [WHO[name][0] for name in used]
    shapes = alt.Scale(domain=words, range=[WHO[name][2] for name in used])
    shape = alt.Shape("what:N", scale=shapes, legend=None)
    points = (
        alt.Chart(data)
        .mark_point(filled=True, opacity=0.85)
        .encode(
            x=x,
            y=y,
            color=shade,
            size=alt.Size("n:Q", scale=alt.Scale(range=[25, 420]), legend=None),
            shape=shape,
            tooltip=[
                alt.Tooltip("what:N", title="Adversary"),
                alt.Tooltip("said:Q", title="Says", format=".1%"),
                alt.Tooltip("right:Q", title="Is right", format=".1%"),
                alt.Tooltip("low:Q", title="95 % interval from", format=".1%"),
                alt.Tooltip("high:Q", title="to", format=".1%"),
                alt.Tooltip("n:Q", title="Claims", format=","),
            ],
        )
    )
    legend = key([WHO[name][:2] for name in used], shape)
    chart: altair.LayerChart = alt.layer(*layers, points, *legend).properties(height=HEIGHT + 20)
    return chart


def adversaries(frame: pd.DataFrame, chosen: float | None = None) -> altair.LayerChart:
    """Share of people exposed, and exposed and named rightly, against confidence, for both adversaries.

    Parameters
    ----------
    frame
        Output of :func:`core.attack.calibration.adversaries`.
    chosen
        The present confidence, marked by a rule.
    """
    alt = altair_package()
    parts, words = [], []
    for name, column, text, _ in LINES:
        curve = frame[frame["adversary"] == name]
        series = WHO[name][1]
        words.append(f"{_SHORT[name]} {text}")
        parts.append(
            curve[["confidence", "n"]].assign(share=curve[column].astype(float), what=words[-1], series=series)
        )
    data = pd.concat(parts, ignore_index=True)
    dashes = [dash for *_, dash in LINES]
    x = alt.X(
        "confidence:Q", title="Confidence, at least", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=PERCENT)
    )
    y = alt.Y("share:Q", title="Shared people", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=PERCENT))
    line = (
        alt.Chart(data)
        .mark_line(strokeWidth=2.2)
        .encode(
            x=x,
            y=y,
            color=alt.Color("series:N", scale=alt.Scale(domain=list(SERIES)), legend=None),
            strokeDash=alt.StrokeDash("what:N", sort=words, scale=alt.Scale(domain=words, range=dashes), legend=None),
            tooltip=[
                alt.Tooltip("what:N", title="Adversary"),
                alt.Tooltip("confidence:Q", title="Confidence", format=".0%"),
                alt.Tooltip("share:Q", title="People", format=".1%"),
                alt.Tooltip("n:Q", title="of", format=","),
            ],
        )
    )
    # A line ends at the surest claim that anybody makes.
    layers = [line, *names_at_ends(last_of_each(data, "what", "confidence", "share"), x)]
    if chosen is not None:
        rule = plot(pd.DataFrame({"confidence": [chosen]}), "my release").mark_rule(strokeDash=[1, 2], strokeWidth=2)
        layers.append(rule.encode(x=alt.X("confidence:Q"), color=colour()))
    chart: altair.LayerChart = alt.layer(*layers).properties(height=HEIGHT + 60)
    return chart
