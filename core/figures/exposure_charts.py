"""Who is exposed: against what varies, over cases, by adversary, among a hundred people, before and after."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from core.attack.number import ANY, AttackNumber
from core.base.arrays import Ints
from core.base.metrics import NOT_MET
from core.base.wording import at_confidence, level_text, limit_text, of_hundred, percent
from core.data.classes import weighted_count
from core.figures.base import (
    HEIGHT,
    PERCENT,
    axis_of_shares,
    colour,
    finding,
    key,
    last_of_each,
    names_at_ends,
    plot,
    top_of,
)
from core.figures.vega import Chart, field, layer


def breach_curve(
    frame: pd.DataFrame,
    x_title: str,
    chosen: float,
    current: Any = None,
    log: bool = False,
    number: AttackNumber | None = None,
    *,
    present_share: float = math.nan,
    limit: float = math.nan,
    title: str = "",
) -> Chart:
    """Share of shared people breached, or another number of the attack, against what varies, one line per confidence.

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
        Number drawn instead of the people exposed; a single line if it does not depend on the confidence.
    present_share
        The number at the present setting, marked by a large point.
    limit
        Limit of the number, a line across; NaN if none is set.
    title
        Title that says what the chart shows.

    Notes
    -----
    Every line has that of the best single release at the same confidence, its baseline. If some inferences are
    incorrect, true disclosures have a separate line. Every layer exists, with or without numbers, so that two charts
    with the same axes differ only in their data, and a page replaces only these.
    """
    other = number is not None and number.column != "share"
    drawn = _instead(frame, number, chosen) if number is not None and other else frame
    data = drawn[["value", "confidence", "share", "right", "low", "high", "single", "n", "weighted"]].copy()
    single_line = number is not None and number.read == ANY
    at_level = level_text if number is None else number.at_level
    words = {c: number.title if number is not None and single_line else at_level(c) for c in set(data["confidence"])}
    data["level"] = data["confidence"].map(words)
    alone = {c: _ALONE if single_line or len(words) == 1 else f"{_ALONE} ({at_confidence(c)})" for c in words}
    data["alone"] = data["confidence"].map(alone)
    present = [current] if isinstance(current, int | float) else []
    # A layer without numbers gives no ends for an axis.
    ends = [float(end([*data["value"], *present])) for end in (min, max)]
    x = field(
        "value:Q",
        title=x_title,
        scale={"type": "log" if log else "linear", "domain": ends, "nice": False},
        axis={"tickMinStep": 1 if log else 0, "grid": False, "format": "~g"},
    )
    y_title = number.title if number is not None and other else "Shared people exposed"
    lines = data[["share", "high", "single"]].to_numpy(dtype=float, na_value=math.nan).ravel()
    height = axis_of_shares(y_title, [*lines, present_share, limit])
    y = field("share:Q", **height, axis={"format": PERCENT, "tickCount": 5})
    tips = [
        field("value:Q", title=x_title, format="~g"),
        field("level:N", title="Confidence"),
        field("share:Q", title=number.title if number is not None else "Exposed", format=".1%"),
        field("low:Q", title="95% interval from", format=".1%"),
        field("high:Q", title="to", format=".1%"),
        field("single:Q", title="Best single release", format=".1%"),
        field("n:Q", title="Shared people", format=","),
    ]
    if not other:
        tips[-1:-1] = [
            field("right:Q", title="True disclosures", format=".1%"),
            field("weighted:Q", title="Weighted", format=".1%"),
        ]
    main, others = data[data["confidence"] == chosen], data[data["confidence"] != chosen]
    if not ((main["right"] - main["share"]).abs() > 1e-12).any():
        main = main.assign(right=math.nan)
    levels = list(dict.fromkeys(others["level"]))
    dashes = {"domain": levels, "range": [_DASHES[i % len(_DASHES)] for i in range(len(levels))]}
    dash = field("level:N", scale=dashes, legend=None)
    strong, thin, line = plot(main, "breached"), plot(others, "breached"), {"color": colour(), "tooltip": tips}
    baseline = plot(others, "single release")
    layers = [
        strong.mark("area", opacity=0.22).encode(x=x, y=field("low:Q"), y2={"field": "high"}, color=colour()),
        thin.mark("line", strokeWidth=1.3).encode(x=x, y=y, strokeDash=dash, **line),
        baseline.mark("line", strokeWidth=1.3).encode(x=x, y=field("single:Q"), strokeDash=dash, **line),
        strong.mark("line", strokeWidth=3, point={"size": 34, "filled": True}).encode(x=x, y=y, **line),
    ]
    for column, (_, series, pattern) in _BESIDE.items():
        rest = plot(main, series).mark("line", strokeWidth=1.6, strokeDash=pattern)
        layers.append(rest.encode(x=x, y=field(f"{column}:Q"), **line))
    layers += names_at_ends(_ends(data, main), x, list(main["level"][:1]), (0.0, height["scale"]["domain"][1]))
    rule = plot(pd.DataFrame({"value": present}), "my release").mark("rule", strokeDash=[1, 2], strokeWidth=2)
    layers.append(rule.encode(x=x, color=colour(), tooltip=[field("value:Q", title="Now")]))
    point = pd.DataFrame({"value": present, "share": [present_share] * len(present)}).dropna()
    dot = plot(point, "breached").mark("point", filled=True, size=150, opacity=1, strokeWidth=2)
    layers.append(dot.encode(x=x, y=y, color=colour(), tooltip=tips[2:3]))
    if not math.isnan(limit):  # an empty rule would be a mark without a name
        bound = plot(pd.DataFrame({"share": [limit], "text": [f"limit {percent(limit)}"]}), "guessing")
        label = bound.mark("text", align="left", baseline="bottom", dx=4, dy=-3)
        layers.append(bound.mark("rule", strokeDash=[6, 4], strokeWidth=1.6).encode(y=y, color=colour()))
        layers.append(label.encode(x={"value": 0}, y=y, text=field("text:N"), color=colour()))
    return layer(*layers, *([finding(title)] if title else [])).properties(height=HEIGHT + 60)


def _instead(frame: pd.DataFrame, number: AttackNumber, chosen: float) -> pd.DataFrame:
    """The same frame with another number instead of the people exposed, drawn alone."""
    drawn = frame[frame["confidence"] == chosen] if number.read == ANY else frame
    taken = {"share": number.column, "low": number.low, "high": number.high, "single": number.single}
    return drawn.assign(**{name: drawn[column] for name, column in taken.items()}, right=math.nan, weighted=math.nan)


_DASHES = ([1, 0], [7, 4], [2, 3], [9, 3, 2, 3])
"""Styles of the thin lines, the highest confidence first; all differ."""

_ALONE = "best single release"
_BESIDE = {
    "single": (_ALONE, "single release", [2, 3]),
    "right": ("true disclosures", "breached", [8, 3, 2, 3]),
    "weighted": ("weighted", "other release", [12, 3]),
}
"""Additional lines next to the chosen confidence: wording, colour and dashes."""


def _ends(data: pd.DataFrame, main: pd.DataFrame) -> pd.DataFrame:
    """Name of each line and its height at the right end, one row per line; ``main`` has the chosen confidence."""
    last = data["value"].max()
    every_end, main_end = data[data["value"] == last], main[main["value"] == last]
    lines = [(share, level, "breached") for share, level in zip(every_end["share"], every_end["level"], strict=True)]
    for share, name in zip(every_end["single"], every_end["alone"], strict=True):
        lines.append((share, name, "single release"))
    for column in ("right", "weighted"):
        name, series, _ = _BESIDE[column]
        lines += [(share, name, series) for share in main_end[column]]
    # A number that was not computed has no line.
    return pd.DataFrame(lines, columns=["share", "line", "series"]).dropna(subset="share").assign(value=last)


ROW = 38
"""Pixels of a case: a line of words, and its dot below."""
_PART = 0.68
"""How much of the width the dots take; share and people are to their right."""
_MOST_TICKS = 5


def cases(frame: pd.DataFrame, limit: float | None) -> Chart:
    """A row per case, with its words above its dot and its result on the right.

    Parameters
    ----------
    frame
        One row per case, in the order of the picture: ``label``, ``share``, ``low``, ``high`` (NaN without an
        interval), ``text`` (share and people), ``verdict`` ("" without a limit), ``plausible``.
    limit
        Of the shares; ``None`` without one.

    Notes
    -----
    A case that is not met is a diamond, one beyond its plausible range is hollow: no meaning depends on colour alone.
    """
    data = frame.assign(place=range(len(frame)), state=["not met" if v == NOT_MET else "met" for v in frame["verdict"]])
    data["series"] = ["breached" if state == "not met" else "my release" for state in data["state"]]
    most = top_of([*data["share"], *data["high"].dropna(), limit or 0.0])
    # The space on the right is for words: the axis ends before it.
    step = next(step for step in (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25) if most / step <= _MOST_TICKS)
    axis = {"format": PERCENT, "values": np.arange(0, most + 1e-9, step), "domain": False, "titleAnchor": "start"}
    x = field("share:Q", title="Shared people exposed", scale={"domain": [0, most / _PART], "nice": False}, axis=axis)
    bounds = [-0.95, len(data) - 0.5]
    y = field("place:Q", axis=None, scale={"domain": bounds, "reverse": True, "nice": False})
    spread = data.dropna(subset=["low", "high"])
    shape = _sign("state", ["met", "not met"], ["circle", "diamond"])
    layers = [
        Chart(spread)
        .mark("rule", strokeWidth=2, opacity=0.6)
        .encode(x=field("low:Q"), x2={"field": "high"}, y=y, color=colour())
    ]
    states = [plausible for plausible in (True, False) if (data["plausible"] == plausible).any()]
    for plausible in states:  # an empty layer would be a mark without a name
        dots = Chart(data[data["plausible"] == plausible])
        dots = dots.mark("point", filled=plausible, size=90, strokeWidth=2, opacity=1)
        layers.append(dots.encode(x=x, y=y, shape=shape, color=colour()))
    over: dict[str, Any] = {"baseline": "bottom", "dy": -8}
    right_of: dict[str, Any] = {"baseline": "middle", "align": "right"}
    for place, weight in ((data["place"] == 0, "bold"), (data["place"] > 0, "normal")):
        for plausible in states:
            part = data[place & (data["plausible"] == plausible)]
            if not len(part):
                continue
            look: dict[str, Any] = {
                "fontSize": 12,
                "fontWeight": weight,
                "opacity": 1 if plausible else 0.7,
                "clip": False,
            }
            texts: tuple[tuple[str, dict[str, Any], dict[str, Any]], ...] = (
                ("label", {**look, **over, "align": "left"}, {"value": 0}),
                ("verdict", {**look, **over, "align": "right"}, {"value": "width"}),
                ("text", {**look, **right_of}, {"value": "width"}),
            )
            for name, style, at in texts:
                words = plot(part, "guessing").mark("text", **style)
                layers.append(words.encode(x=at, y=y, text=field(f"{name}:N"), color=colour()))
    if limit is not None:
        line = plot(pd.DataFrame({"share": [limit], "name": [f"limit {limit_text(limit, 'share')}"]}), "guessing")
        # Only at the height of the dots: the words of a row are above them.
        pieces = plot(data.assign(share=limit, top=data["place"] - 0.18, end=data["place"] + 0.42), "guessing")
        rule = pieces.mark("rule", strokeDash=[4, 3], strokeWidth=1.5)
        layers.append(rule.encode(x=x, y={**y, "field": "top"}, y2={"field": "end"}, color=colour()))
        words = line.mark("text", align="left", baseline="top", dx=4, fontSize=11)
        layers.append(words.encode(x=x, y={"value": 0}, text=field("name:N"), color=colour()))
    return layer(*layers).properties(height=ROW * len(data) + 8)


def _sign(name: str, domain: list[str], shapes: list[str]) -> dict[str, object]:
    return field(f"{name}:N", scale={"domain": domain, "range": shapes}, legend=None)


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


ABREAST = 20
"""Dots in a row."""
_DOT, _TRACE, _RING = 190, 40, 420
"""Areas of a dot, of a dot for less than a person, and of the ring around a dot, in square pixels."""


def meanings(share: float, single: float | None = None, most: int = 1) -> list[str]:
    """Meaning of filled dots, hollow dots and rings; no rings without a baseline."""
    left, more = ("one value", "one") if most == 1 else (f"at most {most} values", f"{most}")
    meanings = [f"{of_hundred(share)[1]} left with {left}", f"{of_hundred(1 - share)[1]} with more than {more}"]
    if single is not None:
        meanings.append(f"{of_hundred(single)[1]} left with {left} by the best single release alone")
    return meanings


def icon_array(share: float, single: float | None = None, most: int = 1) -> Chart:
    """One hundred shared people: those exposed filled, the others hollow.

    Parameters
    ----------
    share
        Share of the shared people who are exposed, from 0 to 1.
    single
        The same share from the best single release alone, its baseline: as many dots have a ring. ``None`` if it is
        not known.
    most
        Most values left for an exposed person.

    Notes
    -----
    Rounded by :func:`core.base.wording.of_hundred`: a share that is not 0 shows as a small dot at least, one
    that is not 1 leaves one open.
    """
    place = np.arange(100)
    exposed, texts = of_hundred(share)[0], meanings(share, single, most)
    filled, trace = place < exposed, (place == 0) & (exposed == 0 < share)
    marks = [
        (filled, "breached", texts[0], True, _DOT),
        (~filled, "my release", texts[1], False, _DOT),
        (trace, "breached", texts[0], True, _TRACE),
    ]
    if single is not None:
        marks.append((place < of_hundred(single)[0], "single release", texts[2], False, _RING))
    dots = pd.DataFrame({"rank": place // ABREAST, "place": place % ABREAST})
    x = field("place:Q", axis=None, scale={"domain": [-0.6, ABREAST - 0.4], "nice": False})
    y = field("rank:Q", axis=None, scale={"domain": [4.6, -0.6], "nice": False})
    layers = []
    for some, series, text, full, area in marks:
        mark = plot(dots[some].assign(text=text), series)
        mark = mark.mark("point", shape="circle", filled=full, size=area, opacity=1, strokeWidth=1.5)
        layers.append(mark.encode(x=x, y=y, color=colour(), tooltip=[field("text:N", title="")]))
    signs = zip("●○◎", texts, ("breached", "my release", "single release"), strict=False)
    layers.append(key([(f"{sign} {text}", series) for sign, text, series in signs]))
    return layer(*layers).properties(height=150)


def before_and_after(prior: Any, posterior: Any, most: int = 24, weight: Ints | int = 1) -> Chart:
    """Bars of people by their number of possible values: before (best single release), and after all together.

    ``prior`` and ``posterior`` (P,) are the numbers of values; ``weight`` is the number of people that each represents,
    if it is more than one.
    """
    series, words = ("single release", "breached"), ["before: best single release", "after: all together"]
    order = [*map(str, range(most)), f"{most} or more"]
    parts = []
    for values, colour_of, what in zip((prior, posterior), series, words, strict=True):
        people = weighted_count(np.minimum(values, most), weight, most + 1)
        columns = {"left": range(most + 1), "label": order, "share": people / people.sum(), "people": people}
        parts.append(pd.DataFrame(columns).assign(series=colour_of, what=what))
    data = pd.concat(parts, ignore_index=True)
    # A place for 0 values only if someone is left with none.
    data = data[(data["left"] > 0) | (data["people"] > 0)]
    bars = (
        Chart(data)
        .mark("bar")
        .encode(
            x=field(
                "label:N",
                sort=order,
                title="Sensitive values that remain possible",
                axis={"labelAngle": 0, "labelOverlap": True},
            ),
            y=field("share:Q", title="Shared people", axis={"format": PERCENT}),
            xOffset=field("what:N", sort=words),
            color=colour(),
            tooltip=[
                field("what:N", title=""),
                field("label:N", title="Values"),
                field("people:Q", title="People", format=","),
                field("share:Q", title="Share", format=".1%"),
            ],
        )
    )
    signs = key([(f"■ {what}", colour_of) for what, colour_of in zip(words, series, strict=True)])
    return layer(bars, signs).properties(height=HEIGHT)


def presumed_and_effective(frame: pd.DataFrame, x_title: str, current: Any = None) -> Chart:
    """k as required, class size and effective anonymity [Ganta 2008, Fig. 2 and 3].

    Takes a sweep over k; one confidence of it is enough.
    """
    data = frame.drop_duplicates("value")[["value", "class_size", "prior", "posterior"]]
    parts = [
        ("k itself", "guessing", data["value"].astype(float), [8, 3, 2, 3]),
        ("records in the class", "my release", data["class_size"], [1, 0]),
        ("values before", "single release", data["prior"], [2, 3]),
        ("values left", "breached", data["posterior"], [6, 3]),
    ]
    rows = [(v, y, what, series) for what, series, ys, _ in parts for v, y in zip(data["value"], ys, strict=True)]
    long = pd.DataFrame(rows, columns=["value", "count", "what", "series"])
    names = [what for what, *_ in parts]
    known = long["count"][long["count"] > 0]
    span = (float(min(1.0, known.min())), float(known.max()) * 1.1) if len(known) else (1.0, 10.0)
    x = field("value:Q", title=x_title, scale={"type": "log", "nice": False}, axis={"format": "~g", "grid": False})
    line = (
        Chart(long)
        .mark("line", strokeWidth=2.2, point={"size": 24})
        .encode(
            x=x,
            y=field(
                "count:Q",
                title="Mean over shared people",
                scale={"type": "log", "domain": list(span), "nice": False},
                axis={"format": "~g", "values": [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000]},
            ),
            color=colour(),
            strokeDash=field(
                "what:N", sort=names, scale={"domain": names, "range": [dash for *_, dash in parts]}, legend=None
            ),
            tooltip=[
                field("value:Q", title=x_title),
                field("what:N", title=""),
                field("count:Q", format=".1f", title="Mean"),
            ],
        )
    )
    last = long[(long["value"] == long["value"].max()) & (long["count"] > 0)]
    ends = last.rename(columns={"what": "line", "count": "share"})
    layers = [line, *names_at_ends(ends, x, span=span, log=True)]
    if current is not None:
        rule = plot(pd.DataFrame({"value": [current]}), "my release").mark("rule", strokeDash=[1, 2], strokeWidth=2)
        layers.append(rule.encode(x=field("value:Q"), color=colour()))
    return layer(*layers).properties(height=HEIGHT)
