"""Classes, their sizes and values, and who in them is exposed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from core.figures.base import HEIGHT, PERCENT, altair_package, colour, plot, shortened

if TYPE_CHECKING:
    import altair


def exposure(frame: pd.DataFrame, title: str, overall: float) -> altair.LayerChart:
    """Breach by group, with the share over everybody as a rule.

    Takes the output of :func:`core.attack.exposure.by_attribute`.
    """
    alt = altair_package()
    data = frame.copy()
    data["group"] = shortened(data["group"])
    order = list(dict.fromkeys(data["group"]))
    bar = (
        plot(data, "breached")
        .mark_bar()
        .encode(
            y=alt.Y("group:N", sort=order, title=title, axis=alt.Axis(labelLimit=220, labelOverlap=False)),
            x=alt.X("share:Q", title="Exposed", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=PERCENT)),
            color=colour(),
            tooltip=[
                alt.Tooltip("group:N", title="Group"),
                alt.Tooltip("share:Q", title="Exposed", format=".1%"),
                alt.Tooltip("breached:Q", title="People exposed", format=","),
                alt.Tooltip("people:Q", title="Shared people", format=","),
            ],
        )
    )
    rule = plot(pd.DataFrame({"share": [overall]}), "my release").mark_rule(strokeDash=[1, 2], strokeWidth=2)
    rule = rule.encode(x=alt.X("share:Q"), color=colour())
    chart: altair.LayerChart = alt.layer(bar, rule).properties(height=max(120, 26 * len(order) + 40))
    return chart


def class_sizes(sizes: Any, k: int) -> altair.LayerChart:
    """Histogram of class sizes with the k that was asked; logarithmic where a few classes are far larger than most."""
    alt = altair_package()
    edges, log = _size_edges(sizes, k)
    bin_of = np.searchsorted(edges, sizes, side="right") - 1
    count = np.bincount(bin_of, minlength=len(edges) - 1)
    people = np.bincount(bin_of, weights=sizes, minlength=len(edges) - 1).astype(int)
    data = pd.DataFrame({"low": edges[:-1], "high": edges[1:], "classes": count, "people": people})
    data["range"] = [
        f"{a}" if b - a == 1 else f"{a} to {b - 1}" for a, b in zip(data["low"], data["high"], strict=True)
    ]
    scale = alt.Scale(type="log", nice=False) if log else alt.Scale(zero=False, nice=False)
    bar = (
        plot(data[data["classes"] > 0], "my release")
        .mark_bar(binSpacing=1)
        .encode(
            x=alt.X(
                "low:Q",
                title="People in a class",
                scale=scale,
                bin=alt.BinParams(binned=True),
                axis=alt.Axis(tickMinStep=1, format="d", labelOverlap=True),
            ),
            x2=alt.X2("high:Q"),
            y=alt.Y("classes:Q", title="Classes", axis=alt.Axis(tickMinStep=1)),
            color=colour(),
            tooltip=[
                alt.Tooltip("range:N", title="People in a class"),
                alt.Tooltip("classes:Q", format=","),
                alt.Tooltip("people:Q", title="People in them", format=","),
            ],
        )
    )
    rule = plot(pd.DataFrame({"k": [k], "text": [f"k = {k}"]}), "guessing")
    line = rule.mark_rule(strokeWidth=2, strokeDash=[4, 3]).encode(x=alt.X("k:Q"), color=colour())
    # Above the bars: the first of them begins at k, and may be the highest.
    text = rule.mark_text(align="left", baseline="bottom").encode(
        x=alt.X("k:Q"), y=alt.value(-3), text=alt.Text("text:N"), color=colour()
    )
    chart: altair.LayerChart = alt.layer(bar, line, text).properties(height=HEIGHT)
    return chart


def _size_edges(sizes: Any, k: int) -> tuple[Any, bool]:
    """Edges of about 40 bins from k on, of one width, or of one ratio where most classes would be in the first few."""
    end = int(sizes.max()) + 1
    width = max(1, math.ceil((end - k) / 40))
    if width > 1 and np.quantile(sizes, 0.9) < k + 4 * width:
        return np.unique(np.round(np.geomspace(k, end, 31)).astype(np.int64)), True
    return np.append(np.arange(k, end, width), k + width * math.ceil((end - k) / width)), False
