"""The weighted adversary compared with the one who knows only what is possible, and the calibration of both."""

from __future__ import annotations

import pandas as pd

from core.figures.base import HEIGHT, PERCENT, axis_of_shares, colour, last_of_each, names_at_ends, plot
from core.figures.vega import Chart, field, layer

LINES = (
    ("weights", "exposed", "exposed, weighted", "breached", [1, 0]),
    ("weights", "right", "true disclosures, weighted", "breached", [2, 3]),
    ("sets", "exposed", "exposed, equally likely", "single release", [8, 3]),
    ("sets", "right", "true disclosures, equally likely", "single release", [8, 3, 2, 3]),
)
"""Each line: adversary and column of the frame, its name, its colour and its dashes."""


def adversaries(frame: pd.DataFrame, chosen: float | None = None) -> Chart:
    """Share of people exposed, and exposed with a correct value, against confidence, for both adversaries.

    Parameters
    ----------
    frame
        Output of :func:`core.attack.weighted.adversaries`.
    chosen
        The present confidence, marked by a rule.
    """
    parts = []
    for name, column, text, series, _ in LINES:
        curve = frame[frame["adversary"] == name]
        parts.append(curve[["confidence", "n"]].assign(share=curve[column].astype(float), what=text, series=series))
    data = pd.concat(parts, ignore_index=True)
    words, dashes = [line[2] for line in LINES], [line[-1] for line in LINES]
    x = field("confidence:Q", title="Confidence, at least", scale={"domain": [0, 1]}, axis={"format": PERCENT})
    height = axis_of_shares("Shared people", data["share"].dropna())
    y = field("share:Q", **height, axis={"format": PERCENT})
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
    # A line ends at the highest confidence that occurs.
    layers = [
        line,
        *names_at_ends(last_of_each(data, "what", "confidence", "share"), x, span=(0.0, height["scale"]["domain"][1])),
    ]
    if chosen is not None:
        rule = plot(pd.DataFrame({"confidence": [chosen]}), "my release").mark("rule", strokeDash=[1, 2], strokeWidth=2)
        layers.append(rule.encode(x=field("confidence:Q"), color=colour()))
    return layer(*layers).properties(height=HEIGHT + 60)
