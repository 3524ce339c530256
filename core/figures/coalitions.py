"""Coalitions of providers: the lattice of one class, the work of the strategies, the cost of m-privacy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from core.figures.base import HEIGHT, SERIES, altair_package, colour, last_of_each, names_at_ends, plot, shortened

if TYPE_CHECKING:
    import altair

MOST_NODES = 7
"""Contributors up to which the lattice is drawn node by node."""
MOST_EDGES = 6
_LOOK = {
    "checked, breaches": ("breached", 1.0, "square"),
    "checked, harmless": ("my release", 1.0, "circle"),
    "pruned, breaches": ("breached", 0.3, "square"),
    "pruned, harmless": ("my release", 0.3, "circle"),
    "not needed": ("guessing", 0.18, "diamond"),
    "not checked": ("guessing", 0.18, "diamond"),
}
"""Series, opacity and shape of each state."""


def diamond(nodes: pd.DataFrame, names: Sequence[str], m: int) -> altair.LayerChart:
    """Every coalition of a class, by size from the outside recipient up, joined to its sub-coalitions.

    Parameters
    ----------
    nodes
        Output of :func:`core.privacy.coalitions.lattice` for at most 7 contributors.
    names
        Names of the contributors, by bit.
    m
        The size that decides, marked by a rule.
    """
    alt = altair_package()
    data = _placed(nodes, names)
    x = alt.X("place:Q", axis=None, scale=alt.Scale(zero=False, nice=False, padding=24))
    y = alt.Y(
        "level:Q",
        title="Providers in the coalition",
        axis=alt.Axis(tickMinStep=1, format="d", grid=False),
        scale=alt.Scale(nice=False, padding=22),
    )
    layers = []
    if len(names) <= MOST_EDGES:
        edges = plot(_edges(data), "guessing").mark_rule(opacity=0.55, strokeWidth=0.7)
        layers.append(edges.encode(x=x, x2=alt.X2("right:Q"), y=y, y2=alt.Y2("high:Q"), color=colour()))
    rule = plot(pd.DataFrame({"level": [m], "text": [f"m = {m}"]}), "single release")
    layers.append(rule.mark_rule(strokeDash=[2, 3], strokeWidth=1.5).encode(y=y, color=colour()))
    tip = [
        alt.Tooltip("text:N", title="Coalition"),
        alt.Tooltip("state:N", title="Search"),
        alt.Tooltip("left:Q", title="Records of others left", format=","),
    ]
    for state, group in _by_state(data):
        series, opacity, shape = _LOOK[state]
        marks = plot(group, series).mark_point(
            filled=True, size=150, opacity=1, fillOpacity=opacity, strokeWidth=1.2, shape=shape
        )
        edge = alt.Stroke("series:N", scale=alt.Scale(domain=list(SERIES)), legend=None)
        layers.append(marks.encode(x=x, y=y, color=colour(), stroke=edge, tooltip=tip))
    if len(names) <= MOST_EDGES - 1:
        text = plot(data, "guessing").mark_text(dy=-15, fontSize=11)
        text = text.encode(x=x, y=y, text=alt.Text("label:N"), tooltip=tip, color=colour())
        layers.append(text)
    chart: altair.LayerChart = alt.layer(*layers).properties(height=max(HEIGHT, 62 * len(names)))
    return chart


def _by_state(data: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    return [(state, data[data["state"] == state]) for state in _LOOK if (data["state"] == state).any()]


def _placed(nodes: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Places of the nodes: a level in order of the masks, centred."""
    data = nodes.sort_values(["size", "mask"], ignore_index=True)
    rank = data["size"].map(data["size"].value_counts())
    number = np.arange(len(data)) - data["size"].searchsorted(data["size"])
    short = shortened(names, 24)
    members = [[i for i in range(len(names)) if mask >> i & 1] for mask in data["mask"]]
    return pd.DataFrame(
        {
            "place": number - (rank - 1) / 2,
            "level": data["size"],
            "state": data["state"],
            "left": data["left"],
            "mask": data["mask"],
            "label": ["".join("ABCDEFG"[i] for i in some) or "reader" for some in members],
            "text": [", ".join(short[i] for i in some) or "outside recipient" for some in members],
        }
    )


def _edges(data: pd.DataFrame) -> pd.DataFrame:
    where = dict(zip(data["mask"], zip(data["place"], data["level"], strict=True), strict=True))
    rows = [
        (*where[mask], *where[mask | 1 << bit])
        for mask in where
        for bit in range(MOST_EDGES)
        if not mask >> bit & 1 and mask | 1 << bit in where
    ]
    return pd.DataFrame(rows, columns=["place", "level", "right", "high"])


def lattice_levels(levels: pd.DataFrame, m: int) -> altair.LayerChart:
    """What a search did on each level of the lattice; output of :func:`core.privacy.coalitions.levels`."""
    alt = altair_package()
    data = levels.rename(columns={"size": "level", "coalitions": "count"}).copy()
    data["series"] = [_LOOK[state][0] for state in data["state"]]
    data["label"] = data["level"].astype(str)
    order = [str(level) for level in sorted(data["level"].unique(), reverse=True)]
    states = [state for state in _LOOK if state in set(data["state"])]
    rank = {state: i for i, state in enumerate(states)}
    data["rank"] = data["state"].map(rank)
    bars = (
        alt.Chart(data)
        .mark_bar(stroke="gray", strokeWidth=0.3)
        .encode(
            y=alt.Y("label:N", sort=order, title="Providers in the coalition"),
            x=alt.X(
                "share:Q", title="Coalitions of that size", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1])
            ),
            color=alt.Color("series:N", scale=alt.Scale(domain=list(SERIES)), legend=None),
            opacity=alt.Opacity(
                "state:N", legend=None, scale=alt.Scale(domain=states, range=[_LOOK[state][1] for state in states])
            ),
            order=alt.Order("rank:Q"),
            tooltip=[
                alt.Tooltip("label:N", title="Providers"),
                alt.Tooltip("state:N", title="Search"),
                alt.Tooltip("count:Q", title="Coalitions", format=","),
                alt.Tooltip("share:Q", title="of that size", format=".1%"),
            ],
        )
    )
    mark = plot(pd.DataFrame({"label": [str(m)], "text": ["◀ m"], "share": [1.0]}), "single release")
    text = mark.mark_text(align="left", dx=4, fontWeight="bold").encode(
        y=alt.Y("label:N", sort=order), x=alt.X("share:Q"), text=alt.Text("text:N"), color=colour()
    )
    chart: altair.LayerChart = alt.layer(bars, text).properties(height=max(120, 22 * len(order) + 50))
    return chart


def strategy_checks(frame: pd.DataFrame) -> altair.LayerChart:
    """Privacy checks of each strategy; columns *strategy*, *checks*, *milliseconds*."""
    alt = altair_package()
    data = pd.DataFrame({"text": frame["strategy"], "count": frame["checks"], "value": frame["milliseconds"]})
    data["label"] = [f"{count:,}" for count in data["count"]]
    order = list(data["text"])
    y = alt.Y("text:N", sort=order, title=None)
    x = alt.X(
        "count:Q",
        title="Privacy checks",
        scale=alt.Scale(type="symlog"),
        axis=alt.Axis(format=",d", tickCount=5, tickMinStep=1),
    )
    bar = (
        plot(data, "my release")
        .mark_bar()
        .encode(
            y=y,
            x=x,
            color=colour(),
            tooltip=[
                alt.Tooltip("text:N", title="Strategy"),
                alt.Tooltip("count:Q", title="Checks", format=","),
                alt.Tooltip("value:Q", title="Milliseconds, now", format=".2f"),
            ],
        )
    )
    text = (
        plot(data, "guessing").mark_text(align="left", dx=4).encode(y=y, x=x, text=alt.Text("label:N"), color=colour())
    )
    chart: altair.LayerChart = alt.layer(bar, text).properties(height=30 * len(data) + 40)
    return chart


def pooled_curve(
    frame: pd.DataFrame, names: dict[str, str], measure: str, title: str, x_title: str, present_value: int
) -> altair.LayerChart:
    """One measure of both methods against m, k or l.

    Parameters
    ----------
    frame
        Output of :func:`core.study.provider_cost.compare`.
    names
        What to call the methods, the first in the colour of my release.
    measure, title
        Column to draw, and its axis title.
    x_title, now
        Title of what varies, and the present setting.
    """
    alt = altair_package()
    series = dict(zip(names, (SERIES[0], SERIES[1], SERIES[3]), strict=False))  # red is for breach
    some = frame[frame["feasible"]]
    data = pd.DataFrame(
        {
            "k": some["value"],
            "value": some[measure],
            "what": [names[method] for method in some["method"]],
            "series": [series[method] for method in some["method"]],
        }
    )
    shapes = alt.Scale(domain=list(names.values()))
    top = float(data["value"].max()) * 1.05 if len(data) else 1.0
    top = top if top > 0 else 1.0
    x = alt.X("k:Q", title=x_title, axis=alt.Axis(tickMinStep=1, format="d"), scale=alt.Scale(zero=False))
    y = alt.Y("value:Q", title=title, scale=alt.Scale(domain=[0, top], nice=False))
    colours = alt.Color("series:N", scale=alt.Scale(domain=list(SERIES)), legend=None)
    line = (
        alt.Chart(data)
        .mark_line(strokeWidth=2.5)
        .encode(x=x, y=y, color=colours, strokeDash=alt.StrokeDash("what:N", scale=shapes, legend=None))
    )
    point = (
        alt.Chart(data)
        .mark_point(filled=True, size=60, opacity=1)
        .encode(
            x=x,
            y=y,
            color=colours,
            shape=alt.Shape("what:N", scale=shapes, legend=None),
            tooltip=[
                alt.Tooltip("what:N", title="Method"),
                alt.Tooltip("k:Q", title=x_title),
                alt.Tooltip("value:Q", title=title, format=",.3~f"),
            ],
        )
    )
    rule = plot(pd.DataFrame({"k": [present_value]}), "guessing").mark_rule(strokeDash=[1, 2], strokeWidth=2)
    ends = last_of_each(data, "what", "k", "value")
    layers: list[Any] = [line, point, rule.encode(x=alt.X("k:Q"), color=colour())]
    layers += names_at_ends(ends, x, span=(0.0, top)) if len(ends) else []
    chart: altair.LayerChart = alt.layer(*layers).properties(height=HEIGHT)
    return chart
