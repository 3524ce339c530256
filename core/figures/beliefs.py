"""Prior beside posterior, breach against theta, and what negation statements do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from core.figures.base import HEIGHT, PERCENT, altair_package, colour, key, plot, shortened

if TYPE_CHECKING:
    import altair

MOST_VALUES = 12
_KINDS = (
    ("before the release", "guessing", "circle"),
    ("after it", "breached", "square"),
    ("all members known (ours)", "other release", "triangle-up"),
)
"""Words, series and shape of each belief."""


def prior_and_posterior(
    values: Sequence[str],
    before: Sequence[float],
    after: Sequence[float],
    known: Sequence[float] | None = None,
    theta: float | None = None,
) -> altair.LayerChart:
    """Beliefs about one person, a row a value, those that moved most first.

    Parameters
    ----------
    values
        Sensitive values; the 12 that moved most are drawn.
    before, after, known
        Alpha, beta, and the posterior when all members are known, or ``None``.
    theta
        Threshold; values whose belief moved that far get a thicker rule.
    """
    alt = altair_package()
    gap = np.abs(np.asarray(after) - np.asarray(before))
    order = np.argsort(-gap, kind="stable")[:MOST_VALUES]
    names = shortened([values[i] for i in order], 40)
    columns = [before, after] if known is None else [before, after, known]
    parts = [
        pd.DataFrame({"text": names, "share": [float(column[i]) for i in order], "what": words, "series": series})
        for column, (words, series, _) in zip(columns, _KINDS, strict=False)
    ]
    y = alt.Y("text:N", sort=names, title=None, axis=alt.Axis(labelLimit=220, labelOverlap=False))
    x = alt.X("share:Q", title="Believed (probability)", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=PERCENT))
    ends = pd.DataFrame(
        {"text": names, "low": [float(before[i]) for i in order], "high": [float(after[i]) for i in order]}
    )
    moved = np.array([theta is not None and gap[i] >= theta - 1e-9 for i in order])
    layers = []
    for far, width in ((False, 1.5), (True, 4)):
        if (moved == far).any():
            rule = plot(ends[moved == far], "breached" if far else "guessing").mark_rule(strokeWidth=width)
            layers.append(rule.encode(y=y, x=alt.X("low:Q"), x2=alt.X2("high:Q"), color=colour()))
    used = _KINDS[: len(columns)]
    shape = alt.Shape("what:N", scale=alt.Scale(domain=[k[0] for k in used], range=[k[2] for k in used]), legend=None)
    tips = [
        alt.Tooltip("text:N", title="Value"),
        alt.Tooltip("what:N", title="Believed"),
        alt.Tooltip("share:Q", title="Probability", format=".1%"),
    ]
    for number, part in enumerate(parts):
        # The later ones smaller, so that equal beliefs lie on top of each other and are all seen.
        mark = alt.Chart(part).mark_point(size=(110, 80, 40)[number], filled=True, opacity=1)
        layers.append(mark.encode(y=y, x=x, shape=shape, color=colour(), tooltip=tips))
    layers += key([(words, series) for words, series, _ in used], shape)
    chart: altair.LayerChart = alt.layer(*layers).properties(height=30 * len(names) + 40)
    return chart


def breach_by_theta(thetas: Sequence[float], shares: Sequence[float], theta: float) -> altair.LayerChart:
    """Share of the people whose beliefs move by theta or more, with the present theta as a rule."""
    alt = altair_package()
    data = pd.DataFrame({"value": list(thetas), "share": list(shares)})
    x = alt.X(
        "value:Q",
        title="A belief moves by at least (theta)",
        scale=alt.Scale(domain=[0, 1], nice=False),
        axis=alt.Axis(format=PERCENT, grid=False),
    )
    y = alt.Y("share:Q", title="People", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=PERCENT))
    tips: list[Any] = [
        alt.Tooltip("value:Q", title="Theta", format=".0%"),
        alt.Tooltip("share:Q", title="People", format=".1%"),
    ]
    line = plot(data, "breached").mark_line(strokeWidth=2.5).encode(x=x, y=y, color=colour(), tooltip=tips)
    rule = plot(pd.DataFrame({"value": [theta]}), "my release").mark_rule(strokeDash=[1, 2], strokeWidth=2)
    chart: altair.LayerChart = alt.layer(line, rule.encode(x=x, color=colour())).properties(height=HEIGHT - 40)
    return chart
