"""Prior and posterior side by side, breach against theta, and what negation statements do."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd

from core.figures.base import HEIGHT, PERCENT, axis_of_shares, colour, key, plot, shortened
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
