"""The weighted adversary beside the one who only knows what is possible, and whether each is as right as he says."""

from __future__ import annotations

import pandas as pd

from core.figures.base import HEIGHT, PERCENT, colour, last_of_each, names_at_ends, plot
from core.figures.vega import Chart, field, layer

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


def adversaries(frame: pd.DataFrame, chosen: float | None = None) -> Chart:
    """Share of people exposed, and exposed and named rightly, against confidence, for both adversaries.

    Parameters
    ----------
    frame
        Output of :func:`core.attack.calibration.adversaries`.
    chosen
        The present confidence, marked by a rule.
    """
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
    x = field("confidence:Q", title="Confidence, at least", scale={"domain": [0, 1]}, axis={"format": PERCENT})
    y = field("share:Q", title="Shared people", scale={"domain": [0, 1]}, axis={"format": PERCENT})
    line = (
        Chart(data)
        .mark("line", strokeWidth=2.2)
        .encode(
            x=x,
            y=y,
            color=colour(),
            strokeDash=field("what:N", sort=words, scale={"domain": words, "range": dashes}, legend=None),
            tooltip=[
                field("what:N", title="Adversary"),
                field("confidence:Q", title="Confidence", format=".0%"),
                field("share:Q", title="People", format=".1%"),
                field("n:Q", title="of", format=","),
            ],
        )
    )
    # A line ends at the surest claim that anybody makes.
    layers = [line, *names_at_ends(last_of_each(data, "what", "confidence", "share"), x)]
    if chosen is not None:
        rule = plot(pd.DataFrame({"confidence": [chosen]}), "my release").mark("rule", strokeDash=[1, 2], strokeWidth=2)
        layers.append(rule.encode(x=field("confidence:Q"), color=colour()))
    return layer(*layers).properties(height=HEIGHT + 60)
