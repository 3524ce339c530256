"""The breach against what varies, and over the range of every assumption."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from core.attack.number import ANY, AttackNumber
from core.base.words import at_confidence, level_text
from core.figures.base import HEIGHT, PERCENT, Columns, altair_package, colour, last_of_each, names_at_ends, plot

if TYPE_CHECKING:
    import altair


def breach_curve(
    frame: pd.DataFrame,
    x_title: str,
    chosen: float,
    current: Any = None,
    log: bool = False,
    number: AttackNumber | None = None,
    steady: bool = False,
) -> altair.LayerChart:
    """Share of shared people breached, or another number of the attack, against what varies, a line a confidence.

    Parameters
    ----------
    frame
        Output of :func:`core.study.sweep.sweep`.
    x_title
        What varies, in words.
    chosen
        The confidence whose line is drawn strong, with its interval.
    current
        Present setting, marked by a rule.
    log
        Whether the horizontal axis is logarithmic.
    number
        What is drawn in place of the people exposed; a single line where it depends on no confidence.
    steady
        Whether every layer is there, with or without numbers for it, so that two charts of the same axes differ in
        their data alone: a page then exchanges the data.

    Notes
    -----
    Every line has that of the best single release at the same confidence, its baseline. Where
    part of those exposed are accused wrongly, who is rightly exposed has a line of its own.
    """
    alt = altair_package()
    columns = ["value", "confidence", "share", "right", "low", "high", "single", "n", "weighted"]
    other = number is not None and number.column != "share"
    drawn = _instead(frame, number, chosen) if number is not None and other else frame
    data: dict[str, Any] = {column: drawn[column].to_numpy() for column in columns}
    single_line = number is not None and number.read == ANY
    at_level = level_text if number is None else number.at_level
    words = {c: number.title if number is not None and single_line else at_level(c) for c in set(data["confidence"])}
    data["level"] = np.array([words[c] for c in data["confidence"]], dtype=object)
    alone = {c: _ALONE if single_line or len(words) == 1 else f"{_ALONE} ({at_confidence(c)})" for c in words}
    data["alone"] = np.array([alone[c] for c in data["confidence"]], dtype=object)
    # A layer without numbers has no ends that an axis could be made from.
    ends = {"domain": _span(data["value"], current)} if steady else {}
    scale = alt.Scale(type="log", nice=False, **ends) if log else alt.Scale(nice=False, zero=False, **ends)
    x = alt.X(
        "value:Q", title=x_title, scale=scale, axis=alt.Axis(tickMinStep=1 if log else 0, grid=False, format="~g")
    )
    y_title = number.title if number is not None and other else "Shared people exposed"
    y = alt.Y("share:Q", title=y_title, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=PERCENT))
    tips = [
        alt.Tooltip("value:Q", title=x_title, format="~g"),
        alt.Tooltip("level:N", title="Confidence"),
        alt.Tooltip("share:Q", title=number.title if number is not None else "Exposed", format=".1%"),
        alt.Tooltip("low:Q", title="95 % interval from", format=".1%"),
        alt.Tooltip("high:Q", title="to", format=".1%"),
        alt.Tooltip("single:Q", title="Best single release", format=".1%"),
        alt.Tooltip("n:Q", title="Shared people", format=","),
    ]
    if not other:
        tips[-1:-1] = [
            alt.Tooltip("right:Q", title="Rightly exposed", format=".1%"),
            alt.Tooltip("weighted:Q", title="By weights", format=".1%"),
        ]
    main = _rows(data, data["confidence"] == chosen)
    others = _rows(data, data["confidence"] != chosen)
    strong, layers = plot(main, "breached"), []
    if steady or not np.isnan(main["low"]).all():
        band = strong.mark_area(opacity=0.22)
        layers.append(band.encode(x=x, y=alt.Y("low:Q"), y2=alt.Y2("high:Q"), color=colour()))
    levels = list(dict.fromkeys(others["level"]))
    dashes = alt.Scale(domain=levels, range=[_DASHES[i % len(_DASHES)] for i in range(len(levels))])
    thin = plot(others, "breached").mark_line(strokeWidth=1.3)
    dash = alt.StrokeDash("level:N", scale=dashes, legend=None)
    layers.append(thin.encode(x=x, y=y, strokeDash=dash, color=colour(), tooltip=tips))
    if steady or not np.isnan(others["single"]).all():
        baseline = plot(others, "single release").mark_line(strokeWidth=1.3)
        layers.append(baseline.encode(x=x, y=alt.Y("single:Q"), strokeDash=dash, color=colour(), tooltip=tips))
    line = strong.mark_line(strokeWidth=3, point=alt.OverlayMarkDef(size=34, filled=True))
    layers.append(line.encode(x=x, y=y, color=colour(), tooltip=tips))
    known = _beside(main)
    for column, (_, series, dash) in (_BESIDE if steady else known).items():
        curve = main if column in known else {**main, column: np.full(len(main["value"]), math.nan)}
        rest = plot(curve, series).mark_line(strokeWidth=1.6, strokeDash=dash)
        layers.append(rest.encode(x=x, y=alt.Y(f"{column}:Q"), color=colour(), tooltip=tips))
    layers += names_at_ends(_ends(data, main), x, list(main["level"][:1]))
    if current is not None and not isinstance(current, str):
        rule = plot({"value": [current]}, "my release").mark_rule(strokeDash=[1, 2], strokeWidth=2)
        layers.append(rule.encode(x=x, color=colour(), tooltip=[alt.Tooltip("value:Q", title="Now")]))
    chart: altair.LayerChart = alt.layer(*layers).properties(height=HEIGHT + 60)
    return chart


def _rows(columns: Columns, where: Any) -> dict[str, Any]:
    """Some rows of columns."""
    return {name: cells[where] for name, cells in columns.items()}


def _span(values: Any, current: Any) -> list[float]:
    """Ends of an axis that shows every value, and the present one if that is a number."""
    settings = [float(current)] if isinstance(current, int | float) else []
    return [min([float(values.min()), *settings]), max([float(values.max()), *settings])]


def _instead(frame: pd.DataFrame, number: AttackNumber, chosen: float) -> pd.DataFrame:
    """The same frame with another number in the place of the people exposed, and nothing drawn beside it."""
    drawn = frame[frame["confidence"] == chosen] if number.read == ANY else frame
    taken = {"share": number.column, "low": number.low, "high": number.high, "single": number.single}
    return drawn.assign(**{name: drawn[column] for name, column in taken.items()}, right=math.nan, weighted=math.nan)


_DASHES = ([1, 0], [7, 4], [2, 3], [9, 3, 2, 3])
"""Of the thin lines, the surest adversary first: no two alike."""

_ALONE = "best single release"
_BESIDE = {
    "single": (_ALONE, "single release", [2, 3]),
    "right": ("rightly exposed", "breached", [8, 3, 2, 3]),
    "weighted": ("by weights", "other release", [12, 3]),
}
"""What is drawn beside the chosen confidence: its words, its colour and its dashes."""


def _beside(main: Columns) -> dict[str, tuple[str, str, list[int]]]:
    known = {column: how for column, how in _BESIDE.items() if not np.isnan(main[column]).all()}
    if not (np.abs(main["right"] - main["share"]) > 1e-12).any():
        known.pop("right", None)
    return known


def _ends(data: Columns, main: Columns) -> Columns:
    """Where every line ends, and its name."""
    last = data["value"].max()
    ends = _rows(data, data["value"] == last)
    tail = _rows(main, main["value"] == last)
    lines = [(share, level, "breached") for share, level in zip(ends["share"], ends["level"], strict=True)]
    lines += [(share, name, "single release") for share, name in zip(ends["single"], ends["alone"], strict=True)]
    if len(tail["value"]):
        beside = _beside(main)
        beside.pop("single", None)
        lines += [(tail[column][0], text, series) for column, (text, series, _) in beside.items()]
    there = [line for line in lines if not math.isnan(line[0])]  # a hidden share has no place
    return {
        "value": [last] * len(there),
        "share": [float(share) for share, _, _ in there],
        "line": [text for _, text, _ in there],
        "series": [series for _, _, series in there],
    }


def hidden(
    chart: altair.LayerChart, spans: Sequence[tuple[float, float, float]], x_title: str, log: bool = False
) -> altair.LayerChart:
    """Add to a breach curve what is hidden: a broad upright bar from the least to the most that it may be.

    Parameters
    ----------
    chart
        Output of :func:`breach_curve`.
    spans
        (value of what varies, least share, most share) of each hidden point.
    x_title, log
        As given there.
    """
    if not spans:
        return chart
    alt = altair_package()
    data = pd.DataFrame(spans, columns=["value", "least", "most"])
    scale = alt.Scale(type="log", nice=False) if log else alt.Scale(nice=False, zero=False)
    bar = plot(data, "breached").mark_rule(strokeWidth=9, opacity=0.35)
    bar = bar.encode(
        x=alt.X("value:Q", title=x_title, scale=scale), y=alt.Y("least:Q"), y2=alt.Y2("most:Q"), color=colour()
    )
    whole: altair.LayerChart = chart + bar
    return whole


NARROWEST, LETTER = 400, 6
"""Width of a chart on a narrow screen, and of a letter, about, in pixels."""


def doubts(frame: pd.DataFrame, names: dict[str, str], present_value: float | None) -> altair.LayerChart:
    """Breach over the range of each assumption, widest first, with the present share as a rule.

    Takes the output of :func:`core.study.sweep.what_if`, words for each assumption, and the
    share at the present setting (``None`` where it is hidden). A share that is hidden is NaN,
    with the ends between which it lies in ``least`` and ``most``.
    """
    alt = altair_package()
    data = frame.copy()
    data["what"] = [names[name] for name in data["assumption"]]
    data["setting"] = [f"{value:g}" if isinstance(value, int | float) else str(value) for value in data["value"]]
    order = list(dict.fromkeys(data["what"]))
    for end in ("least", "most"):
        data[end] = data["share"] if end not in data else data[end].fillna(data["share"])
    low = {what: data.loc[data["what"] == what, "least"].min() for what in order}
    high = {what: data.loc[data["what"] == what, "most"].max() for what in order}
    bars = pd.DataFrame({"what": order, "low": [low[w] for w in order], "high": [high[w] for w in order]})
    y = alt.Y("what:N", sort=order, title=None, axis=alt.Axis(labelLimit=260))
    x = alt.X("low:Q", title="Shared people exposed", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=PERCENT))
    bar = plot(bars, "breached").mark_bar(height=8, opacity=0.35).encode(y=y, x=x, x2=alt.X2("high:Q"), color=colour())
    veiled = data.loc[data["share"].isna(), ["what", "least", "most"]]
    veil = plot(veiled, "breached").mark_rule(strokeWidth=14, opacity=0.35)
    veil = veil.encode(y=y, x=alt.X("least:Q"), x2=alt.X2("most:Q"), color=colour())
    # What is hidden has no dot; its setting is written at the middle of where it lies.
    middle = data["share"].fillna((data["least"] + data["most"]) / 2)
    points = data.assign(middle=middle)[["what", "share", "setting", "middle"]]
    dot = (
        plot(points, "breached")
        .mark_circle(size=70)
        .encode(
            y=y,
            x=alt.X("share:Q"),
            color=colour(),
            tooltip=[
                alt.Tooltip("what:N", title="If"),
                alt.Tooltip("setting:N", title="were"),
                alt.Tooltip("share:Q", title="exposed", format=".1%"),
            ],
        )
    )
    ranked = points.assign(
        rank=[
            (points.loc[points["what"] == w, "middle"] < v).sum()
            for w, v in zip(points["what"], points["middle"], strict=True)
        ]
    )
    ranked = ranked[_apart(ranked)]
    label = [
        plot(ranked[ranked["rank"] % 2 == odd], "guessing")
        .mark_text(dy=-13 if odd == 0 else 15, fontSize=11)
        .encode(y=y, x=alt.X("middle:Q"), text=alt.Text("setting:N"), color=colour())
        for odd in (0, 1)
    ]
    present = [] if present_value is None else [present_value]
    rule = plot(pd.DataFrame({"share": present}), "my release").mark_rule(strokeDash=[1, 2], strokeWidth=2)
    rule = rule.encode(x=alt.X("share:Q"), color=colour())
    chart: altair.LayerChart = alt.layer(
        bar, *[veil] * bool(len(veiled)), *[rule] * bool(present), dot, *label
    ).properties(height=70 + 58 * len(order))
    return chart


def _apart(points: pd.DataFrame) -> list[bool]:
    """Whether the setting of each point can be written beside it: not where it would lie over another.

    Takes ``what, middle, rank, setting``; an even rank is written above the line, an odd one below.
    """
    kept: dict[tuple[str, int], list[tuple[float, int]]] = {}
    written = []
    for what, middle, rank, setting in zip(
        points["what"], points["middle"], points["rank"], points["setting"], strict=True
    ):
        beside = kept.setdefault((what, int(rank) % 2), [])
        letters = len(setting)
        free = all(abs(there - middle) * NARROWEST > LETTER * ((letters + many) / 2 + 1) for there, many in beside)
        beside += [(middle, letters)] * free
        written.append(free)
    return written


def trade_off(rows: Sequence[tuple[str, float, float, int]]) -> altair.LayerChart:
    """Loss against breach for suppressing or merging more and more of the worst classes."""
    alt = altair_package()
    data = pd.DataFrame(rows, columns=["action", "loss", "share", "records"])
    series = dict(zip(dict.fromkeys(data["action"]), ("breached", "my release"), strict=False))
    data["series"] = [series.get(action, "guessing") for action in data["action"]]
    top = float(data["share"].max()) * 1.08 or 1.0
    x = alt.X(
        "loss:Q", title="Information loss (lower is better)", scale=alt.Scale(zero=False), axis=alt.Axis(format=".1%")
    )
    line = (
        alt.Chart(data)
        .mark_line(point=alt.OverlayMarkDef(size=60, filled=True), strokeWidth=2)
        .encode(
            x=x,
            y=alt.Y(
                "share:Q",
                title="Exposed (lower is better)",
                scale=alt.Scale(domain=[0, top], nice=False),
                axis=alt.Axis(format=".1%"),
            ),
            strokeDash=alt.StrokeDash("action:N", legend=None),
            order=alt.Order("records:Q"),
            color=colour(),
            tooltip=[
                alt.Tooltip("action:N", title=""),
                alt.Tooltip("records:Q", title="Records treated", format=","),
                alt.Tooltip("share:Q", title="Exposed", format=".1%"),
                alt.Tooltip("loss:Q", title="Loss", format=".1%"),
            ],
        )
    )
    ends = last_of_each(data, "action", "records", "share")
    chart: altair.LayerChart = alt.layer(line, *names_at_ends(ends, x, span=(0.0, top))).properties(height=HEIGHT)
    return chart
