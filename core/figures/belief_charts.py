"""Beliefs before and after, and the estimate of Sattar and Helal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd

from core.figures.base import HEIGHT, PERCENT, axis_of_shares, colour, key, names_at_ends, plot, shortened, top_of
from core.figures.vega import Chart, field, layer

MOST_VALUES = 12
_KINDS = (("before the release", "guessing", "circle", "●"), ("after it", "breached", "square", "■"))
"""Words, series, shape and sign of each belief."""


def prior_and_posterior(
    values: Sequence[str], before: Sequence[float], after: Sequence[float], theta: float | None = None
) -> Chart:
    """Beliefs about one person, one row per value, largest change first.

    Parameters
    ----------
    values
        Sensitive values; the 12 that moved most are drawn.
    before, after
        Alpha and beta.
    theta
        Threshold; values whose belief moved that far get a thicker rule.
    """
    beliefs = pd.DataFrame({"text": list(values), "low": list(before), "high": list(after)}).astype(
        {"low": float, "high": float}
    )
    beliefs["change"] = (beliefs["high"] - beliefs["low"]).abs()
    drawn = beliefs.sort_values("change", ascending=False, kind="stable").head(MOST_VALUES)
    drawn["text"] = shortened(drawn["text"], 40)
    y = field("text:N", sort=list(drawn["text"]), title=None, axis={"labelLimit": 220, "labelOverlap": False})
    scale = axis_of_shares("Believed (probability)", [*drawn["low"], *drawn["high"]])
    x = field("share:Q", **scale, axis={"format": PERCENT})
    moved = drawn["change"] >= (math.inf if theta is None else theta - 1e-9)
    layers = []
    for far, series, width in ((False, "guessing", 1.5), (True, "breached", 4)):
        rule = plot(drawn[moved == far], series).mark("rule", strokeWidth=width)
        layers.append(rule.encode(y=y, x=field("low:Q"), x2={"field": "high"}, color=colour()))
    tips = [
        field("text:N", title="Value"),
        field("what:N", title="Believed"),
        field("share:Q", title="Probability", format=".1%"),
    ]
    # The later ones smaller, so that equal beliefs lie on top of each other and are both seen.
    for (words, series, shape, _), column, size in zip(_KINDS, ("low", "high"), (110, 80), strict=True):
        part = drawn[["text"]].assign(share=drawn[column], what=words)
        mark = plot(part, series).mark("point", shape=shape, size=size, filled=True, opacity=1)
        layers.append(mark.encode(y=y, x=x, color=colour(), tooltip=tips))
    layers.append(key([(f"{sign} {words}", series) for words, series, _, sign in _KINDS]))
    return layer(*layers).properties(height=30 * len(drawn) + 40)


def breach_by_theta(thetas: Sequence[float], shares: Sequence[float], theta: float) -> Chart:
    """Share of the people whose beliefs change by theta or more, with the present theta as a rule."""
    data = pd.DataFrame({"value": list(thetas), "share": list(shares)})
    x = field(
        "value:Q",
        title="A belief moves by at least (theta)",
        scale={"domain": [0, 1], "nice": False},
        axis={"format": PERCENT, "grid": False},
    )
    y = field("share:Q", **axis_of_shares("People", shares), axis={"format": PERCENT})
    tips: list[Any] = [field("value:Q", title="Theta", format=".0%"), field("share:Q", title="People", format=".1%")]
    line = plot(data, "breached").mark("line", strokeWidth=2.5).encode(x=x, y=y, color=colour(), tooltip=tips)
    rule = plot(pd.DataFrame({"value": [theta]}), "my release").mark("rule", strokeDash=[1, 2], strokeWidth=2)
    return layer(line, rule.encode(x=x, color=colour())).properties(height=HEIGHT - 40)


MOST_COMMON = 40
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
