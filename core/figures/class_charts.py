"""Classes, their sizes and values, and who is exposed in them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from core.figures.base import HEIGHT, PERCENT, SERIES, axis_of_shares, colour, plot, shortened
from core.figures.vega import Chart, field, layer

MOST_BINS = 40
"""Largest number of bars of class sizes."""


def exposure(frame: pd.DataFrame, title: str, overall: float) -> Chart:
    """Breach by group, with the share over everyone as a rule.

    Takes the output of :func:`core.attack.exposure.by_attribute`.
    """
    data = frame.copy()
    data["group"] = shortened(data["group"])
    order = list(dict.fromkeys(data["group"]))
    bar = (
        plot(data, "breached")
        .mark("bar")
        .encode(
            y=field("group:N", sort=order, title=title, axis={"labelLimit": 220, "labelOverlap": False}),
            x=field("share:Q", **axis_of_shares("Exposed", [*data["share"], overall]), axis={"format": PERCENT}),
            color=colour(),
            tooltip=[
                field("group:N", title="Group"),
                field("share:Q", title="Exposed", format=".1%"),
                field("breached:Q", title="People exposed", format=","),
                field("people:Q", title="Shared people", format=","),
            ],
        )
    )
    rule = plot(pd.DataFrame({"share": [overall]}), "my release").mark("rule", strokeDash=[1, 2], strokeWidth=2)
    rule = rule.encode(x=field("share:Q"), color=colour())
    return layer(bar, rule).properties(height=max(120, 26 * len(order) + 40))


def class_sizes(sizes: Any, k: int) -> Chart:
    """Histogram of class sizes with the required k; on a logarithmic axis unless all are close to k."""
    edges, log = _size_edges(sizes, k)
    data = _counted(sizes, edges)
    scale = {"type": "log", "nice": False} if log else {"zero": False, "nice": False}
    bar = (
        plot(data[data["classes"] > 0], "my release")
        .mark("bar", binSpacing=1)
        .encode(
            x=field(
                "low:Q",
                title="People in a class" + " (logarithmic axis)" * log,
                scale=scale,
                bin={"binned": True},
                axis={"tickMinStep": 1, "format": "d", "labelOverlap": True},
            ),
            x2={"field": "high"},
            y=field("classes:Q", title="Classes", axis={"tickMinStep": 1}),
            color=colour(),
            tooltip=[
                field("range:N", title="People in a class"),
                field("classes:Q", format=","),
                field("people:Q", title="People in them", format=","),
            ],
        )
    )
    rule = plot(pd.DataFrame({"k": [k], "text": [f"k = {k}"]}), "guessing")
    line = rule.mark("rule", strokeWidth=2, strokeDash=[4, 3]).encode(x=field("k:Q"), color=colour())
    # Above the bars: the first of them begins at k, and may be the highest.
    text = rule.mark("text", align="left", baseline="bottom").encode(
        x=field("k:Q"), y={"value": -3}, text=field("text:N"), color=colour()
    )
    return layer(bar, line, text).properties(height=HEIGHT)


def _counted(sizes: Any, edges: Any) -> pd.DataFrame:
    """Count the classes and their people between each edge and the next, which is not included: one row per bin."""
    bins = len(edges) - 1
    bin_of = np.searchsorted(edges, sizes, side="right") - 1
    classes = np.bincount(bin_of, minlength=bins)
    people = np.bincount(bin_of, weights=sizes, minlength=bins).astype(int)
    ranges = [f"{low}" if high - low == 1 else f"{low} to {high - 1}" for low, high in pairwise(edges)]
    return pd.DataFrame({"low": edges[:-1], "high": edges[1:], "classes": classes, "people": people, "range": ranges})


def _size_edges(sizes: Any, k: int) -> tuple[Any, bool]:
    """Edges of at most 40 bins from k on, and whether their axis is logarithmic, so that small classes are seen.

    Each size has a bin if they are few; else bins have an equal ratio.
    """
    end = int(sizes.max()) + 1
    if end - k > MOST_BINS:
        return np.unique(np.round(np.geomspace(k, end, MOST_BINS + 1)).astype(np.int64)), True
    return np.arange(k, end + 1), end > 3 * k


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
