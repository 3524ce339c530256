"""The estimate of Sattar and Helal against k, and value by value."""

from __future__ import annotations

import pandas as pd

from core.figures.base import HEIGHT, colour, names_at_ends, plot, top_of
from core.figures.vega import Chart, field, layer

MOST_VALUES = 40
_LINES: tuple[tuple[str, str, str, list[int]], ...] = (
    ("people", "People in vulnerable classes", "breached", [1, 0]),
    ("risk", "Vulnerable classes", "my release", [6, 3]),
)
"""Column, words, series and dash of each line of the curve."""


def forecast_curve(frame: pd.DataFrame, k: int, reading: str = "at least l") -> Chart:
    """Vulnerable classes and the people in them against k, the present k marked.

    Takes the output of :func:`core.forecast.forecast_curve`.
    """
    suffix = "_subset" if reading == "every subset" else ""
    parts = []
    for column, words, series, _ in _LINES:
        name = column + suffix
        parts.append(
            pd.DataFrame(
                {"k": frame["k"], "share": frame[name], "loss": frame["loss"], "line": words, "series": series}
            )
        )
    data = pd.concat(parts, ignore_index=True)
    x = field(
        "k:Q",
        title="People per class (k)",
        scale={"type": "log", "nice": False},
        axis={"tickMinStep": 1, "grid": False, "format": "~g"},
    )
    top = top_of(data["share"])
    y = field("share:Q", title="Share, estimated", scale={"domain": [0, top]}, axis={"format": ".2~%"})
    tips = [
        field("k:Q", title="k"),
        field("line:N", title=""),
        field("share:Q", title="Share", format=".1%"),
        field("loss:Q", title="Information loss", format=".1%"),
    ]
    layers = []
    for number, (_, words, series, dash) in enumerate(_LINES):
        line = plot(data[data["line"] == words], series).mark(
            "line", strokeWidth=3 if number == 0 else 1.8, strokeDash=dash, point={"size": 26, "filled": True}
        )
        layers.append(line.encode(x=x, y=y, color=colour(), tooltip=tips))
    ends = data.loc[data["k"] == data["k"].max(), ["k", "share", "line", "series"]]
    layers += names_at_ends(ends, x, span=(0.0, top))
    rule = plot(pd.DataFrame({"k": [k]}), "my release").mark("rule", strokeDash=[1, 2], strokeWidth=2)
    layers.append(rule.encode(x=x, color=colour(), tooltip=[field("k:Q", title="Now")]))
    return layer(*layers).properties(height=HEIGHT + 20)
