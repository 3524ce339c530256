"""Each chart once, as Altair, for page and report alike.

Field names inside a chart are fixed and safe; names and values of the user's columns only
appear as data or titles. Colours come from the theme in the order of :data:`SERIES`, so
that light and dark both work; every line also differs by dash, weight or label.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from core.errors import MissingPackageError

if TYPE_CHECKING:
    import altair

SERIES = ("my release", "other release", "breached", "single release", "guessing")
"""What each colour of the theme means, in its order."""
HEIGHT = 300
PERCENT = ".0%"


def _altair() -> Any:
    try:
        import altair
    except ImportError:
        raise MissingPackageError("altair", "draw charts") from None
    return altair


def colour() -> Any:
    """Colour by the field ``series``, one of :data:`SERIES`, without a legend."""
    alt = _altair()
    return alt.Color("series:N", scale=alt.Scale(domain=list(SERIES)), legend=None)


def _plot(data: pd.DataFrame, series: str) -> Any:
    """Start a chart whose marks all have the colour of one series."""
    return _altair().Chart(data.assign(series=series))


def level_text(confidence: float) -> str:
    """Words for a confidence level: "100 % (1 value left)"."""
    most = math.floor(1 / confidence + 1e-9)
    return f"C = {100 * confidence:.0f} % ({most} {'value' if most == 1 else 'values'} left)"


def breach_curve(
    frame: pd.DataFrame, x_title: str, chosen: float, current: Any = None, log: bool = False
) -> altair.LayerChart:
    """Share of shared people breached against what varies, a line a confidence.

    Parameters
    ----------
    frame
        Output of :func:`core.curves.sweep`.
    x_title
        What varies, in words.
    chosen
        The confidence whose line is drawn strong, with its interval, and with the lines
        of the best single release and of guessing.
    current
        Present setting, marked by a rule.
    log
        Whether the horizontal axis is logarithmic.
    """
    alt = _altair()
    data = frame[["value", "confidence", "share", "low", "high", "single", "guess", "n"]].copy()
    data["level"] = [level_text(c) for c in data["confidence"]]
    scale = alt.Scale(type="log", nice=False) if log else alt.Scale(nice=False, zero=False)
    x = alt.X("value:Q", title=x_title, scale=scale, axis=alt.Axis(tickMinStep=1 if log else 0, grid=False, format="~g"))
    y_title = "Shared people exposed"
    y = alt.Y("share:Q", title=y_title, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=PERCENT))
    tips = [
        alt.Tooltip("value:Q", title=x_title, format="~g"),
        alt.Tooltip("level:N", title="Confidence"),
        alt.Tooltip("share:Q", title="Exposed", format=".1%"),
        alt.Tooltip("low:Q", title="95 % of redraws from", format=".1%"),
        alt.Tooltip("high:Q", title="to", format=".1%"),
        alt.Tooltip("single:Q", title="Best single release", format=".1%"),
        alt.Tooltip("guess:Q", title="Guessing", format=".1%"),
        alt.Tooltip("n:Q", title="Shared people", format=","),
    ]
    main = data[np.isclose(data["confidence"], chosen)]
    others = data[~np.isclose(data["confidence"], chosen)]
    layers = []
    if main["low"].notna().any():
        band = _plot(main, "breached").mark_area(opacity=0.22).encode(x=x, y="low:Q", y2="high:Q", color=colour())
        layers.append(band)
    thin = _plot(others, "breached").mark_line(strokeWidth=1.2, strokeDash=[6, 3], opacity=0.8)
    layers.append(thin.encode(x=x, y=y, detail="level:N", color=colour(), tooltip=tips))
    line = _plot(main, "breached").mark_line(strokeWidth=3, point=alt.OverlayMarkDef(size=34, filled=True))
    layers.append(line.encode(x=x, y=y, color=colour(), tooltip=tips))
    for column, series, dash in (("single", "single release", [2, 3]), ("guess", "guessing", [8, 3, 2, 3])):
        rest = _plot(main, series).mark_line(strokeWidth=1.6, strokeDash=dash)
        layers.append(rest.encode(x=x, y=alt.Y(f"{column}:Q"), color=colour(), tooltip=tips))
    layers += _line_labels(alt, data, main, chosen, x)
    if current is not None and not isinstance(current, str):
        rule = _plot(pd.DataFrame({"value": [current]}), "my release").mark_rule(strokeDash=[1, 2], strokeWidth=2)
        layers.append(rule.encode(x=x, color=colour(), tooltip=[alt.Tooltip("value:Q", title="Now")]))
    chart: altair.LayerChart = alt.layer(*layers).properties(height=HEIGHT + 60)
    return chart


def _line_labels(alt: Any, data: pd.DataFrame, main: pd.DataFrame, chosen: float, x: Any) -> list[Any]:
    """Name every line at its right end, apart from each other."""
    last = data["value"].max()
    ends = [(float(r.share), level_text(r.confidence), "breached", r.confidence == chosen)
            for r in data[data["value"] == last].itertuples()]  # fmt: skip
    tail = main[main["value"] == last]
    if len(tail):
        ends.append((float(tail["single"].iloc[0]), "best single release", "single release", False))
        ends.append((float(tail["guess"].iloc[0]), "guessing", "guessing", False))
    ends.sort()
    gap, heights = 0.062, []
    for share, *_ in ends:
        heights.append(max(share, heights[-1] + gap) if heights else max(share, 0.02))
    overflow = max(0.0, heights[-1] - 0.99) if heights else 0.0
    if overflow:
        for i in range(len(heights) - 1, -1, -1):
            limit = 0.99 if i == len(heights) - 1 else heights[i + 1] - gap
            heights[i] = min(heights[i], limit)
    layers = []
    for (_, text, series, strong), height in zip(ends, heights, strict=True):
        here = pd.DataFrame({"value": [last], "share": [height], "text": [text]})
        mark = _plot(here, series).mark_text(align="left", dx=8, fontWeight="bold" if strong else "normal", clip=False)
        layers.append(mark.encode(x=x, y="share:Q", text="text:N", color=colour()))
    return layers


def share_by_confidence(posterior: Any, prior: Any, chosen: float, most: int = 20) -> altair.LayerChart:
    """Share of people with at most so many values left, before and after the intersection."""
    alt = _altair()
    limits = np.arange(1, most + 1)
    after = [float(((posterior > 0) & (posterior <= m)).mean()) for m in limits]
    before = [float((prior <= m).mean()) for m in limits]
    data = pd.DataFrame({
        "left": np.tile(limits, 2),
        "share": after + before,
        "series": ["breached"] * most + ["single release"] * most,
        "what": ["all releases together"] * most + ["the release that tells most, alone"] * most,
    })  # fmt: skip
    x = alt.X("left:Q", title="Sensitive values left (confidence 1 divided by this)", axis=alt.Axis(tickMinStep=1))
    y = alt.Y("share:Q", title="Shared people", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=PERCENT))
    line = alt.Chart(data).mark_line(interpolate="step-after", strokeWidth=2.5).encode(
        x=x, y=y,
        color=alt.Color("series:N", scale=alt.Scale(domain=list(SERIES)), legend=None),
        strokeDash=alt.StrokeDash("what:N", legend=alt.Legend(title=None, orient="top", labelLimit=400)),
        tooltip=[alt.Tooltip("left:Q", title="Values left, at most"), alt.Tooltip("what:N", title="From"),
                 alt.Tooltip("share:Q", title="People", format=".1%")],
    )  # fmt: skip
    mark = math.floor(1 / chosen + 1e-9)
    rule = _plot(pd.DataFrame({"left": [mark]}), "my release").mark_rule(strokeDash=[1, 2], strokeWidth=2)
    rule = rule.encode(x="left:Q", color=colour())
    chart: altair.LayerChart = alt.layer(line, rule).properties(height=HEIGHT)
    return chart


def before_and_after(prior: Any, posterior: Any, most: int = 24) -> altair.Chart:
    """Number of possible values a person has, before (best single release) and after."""
    alt = _altair()
    rows = []
    for series, what, values in (
        ("single release", "before: the release that tells most", prior),
        ("breached", "after: all releases together", posterior),
    ):
        count = np.bincount(np.minimum(values, most), minlength=most + 1)
        rows += [(left, n / len(values), int(n), series, what) for left, n in enumerate(count)]
    data = pd.DataFrame(rows, columns=["left", "share", "people", "series", "what"])
    data = data[(data["left"] > 0) | (data["people"] > 0)]
    data["label"] = [f"{left} or more" if left == most else str(left) for left in data["left"]]
    order = [f"{left} or more" if left == most else str(left) for left in range(most + 1)]
    chart: altair.Chart = (
        alt.Chart(data)
        .mark_bar()
        .encode(
            x=alt.X("label:N", sort=order, title="Sensitive values that remain possible",
                    axis=alt.Axis(labelAngle=0, labelOverlap=True)),
            y=alt.Y("share:Q", title="Shared people", axis=alt.Axis(format=PERCENT)),
            xOffset=alt.XOffset("what:N", sort="descending"),
            color=alt.Color("series:N", scale=alt.Scale(domain=list(SERIES)), legend=None),
            opacity=alt.Opacity("what:N", scale=alt.Scale(range=[1.0, 0.55]),
                                legend=alt.Legend(title=None, orient="top", labelLimit=400)),
            tooltip=[alt.Tooltip("what:N", title=""), alt.Tooltip("label:N", title="Values"),
                     alt.Tooltip("people:Q", title="People", format=","),
                     alt.Tooltip("share:Q", title="Share", format=".1%")],
        )
        .properties(height=HEIGHT)
    )  # fmt: skip
    return chart


def drop_histogram(drop: Any, most: int = 20) -> altair.Chart:
    """How many possible values a person loses by the intersection."""
    alt = _altair()
    count = np.bincount(np.minimum(drop, most), minlength=most + 1)
    label = [f"{most} or more" if i == most else str(i) for i in range(most + 1)]
    data = pd.DataFrame({"drop": label, "share": count / max(1, count.sum()), "people": count})
    chart: altair.Chart = (
        _plot(data, "breached")
        .mark_bar()
        .encode(
            x=alt.X("drop:N", sort=label, title="Possible values lost to the intersection",
                    axis=alt.Axis(labelAngle=0, labelOverlap=True)),
            y=alt.Y("share:Q", title="Shared people", axis=alt.Axis(format=PERCENT)),
            color=colour(),
            tooltip=[alt.Tooltip("drop:N", title="Values lost"), alt.Tooltip("people:Q", format=","),
                     alt.Tooltip("share:Q", format=".1%")],
        )
        .properties(height=HEIGHT)
    )  # fmt: skip
    return chart


def presumed_and_effective(frame: pd.DataFrame, x_title: str, current: Any = None) -> altair.LayerChart:
    """k as asked, class size and effective anonymity [Ganta 2008, Fig. 2 and 3].

    Takes a sweep over k; one confidence of it is enough.
    """
    alt = _altair()
    data = frame.drop_duplicates("value")[["value", "class_size", "prior", "posterior"]]
    parts = [
        ("presumed: k itself", "guessing", data["value"].astype(float), [8, 3, 2, 3]),
        ("records in the class", "my release", data["class_size"], [1, 0]),
        ("values in the class (before)", "single release", data["prior"], [2, 3]),
        ("values left (after)", "breached", data["posterior"], [6, 3]),
    ]
    rows = [(v, y, what, series) for what, series, ys, _ in parts for v, y in zip(data["value"], ys, strict=True)]
    long = pd.DataFrame(rows, columns=["value", "count", "what", "series"])
    names = [what for what, *_ in parts]
    line = alt.Chart(long).mark_line(strokeWidth=2.2, point=alt.OverlayMarkDef(size=24)).encode(
        x=alt.X("value:Q", title=x_title, scale=alt.Scale(type="log", nice=False),
                axis=alt.Axis(format="~g", grid=False)),
        y=alt.Y("count:Q", title="People or values, mean over shared people", scale=alt.Scale(type="log")),
        color=alt.Color("series:N", scale=alt.Scale(domain=list(SERIES)), legend=None),
        strokeDash=alt.StrokeDash(
            "what:N", sort=names, scale=alt.Scale(domain=names, range=[dash for *_, dash in parts]),
            legend=alt.Legend(title=None, orient="top", columns=2, labelLimit=300)),
        tooltip=[alt.Tooltip("value:Q", title=x_title), alt.Tooltip("what:N", title=""),
                 alt.Tooltip("count:Q", format=".1f", title="Mean")],
    )  # fmt: skip
    layers = [line]
    if current is not None:
        rule = _plot(pd.DataFrame({"value": [current]}), "my release").mark_rule(strokeDash=[1, 2], strokeWidth=2)
        layers.append(rule.encode(x="value:Q", color=colour()))
    chart: altair.LayerChart = alt.layer(*layers).properties(height=HEIGHT)
    return chart


def mean_drop(frame: pd.DataFrame, x_title: str) -> altair.Chart:
    """Mean effective anonymity lost to the intersection [Ganta 2008, Fig. 3]."""
    alt = _altair()
    data = frame.drop_duplicates("value")[["value", "drop"]]
    chart: altair.Chart = (
        _plot(data, "breached")
        .mark_line(strokeWidth=2.2, point=alt.OverlayMarkDef(size=24))
        .encode(
            x=alt.X("value:Q", title=x_title, scale=alt.Scale(type="log", nice=False),
                    axis=alt.Axis(format="~g", grid=False)),
            y=alt.Y("drop:Q", title="Possible values lost, mean"),
            color=colour(),
            tooltip=[alt.Tooltip("value:Q", title=x_title), alt.Tooltip("drop:Q", format=".2f", title="Mean drop")],
        )
        .properties(height=HEIGHT)
    )  # fmt: skip
    return chart


def doubts(frame: pd.DataFrame, names: dict[str, str], now: float) -> altair.LayerChart:
    """Breach over the range of each assumption, widest first, with the present share as a rule.

    Takes the output of :func:`core.curves.what_if`, words for each assumption, and the
    share at the present setting.
    """
    alt = _altair()
    data = frame.copy()
    data["what"] = [names[name] for name in data["assumption"]]
    data["setting"] = [f"{value:g}" if isinstance(value, int | float) else str(value) for value in data["value"]]
    order = list(dict.fromkeys(data["what"]))
    low = {what: data.loc[data["what"] == what, "share"].min() for what in order}
    high = {what: data.loc[data["what"] == what, "share"].max() for what in order}
    bars = pd.DataFrame({"what": order, "low": [low[w] for w in order], "high": [high[w] for w in order]})
    y = alt.Y("what:N", sort=order, title=None, axis=alt.Axis(labelLimit=260))
    x = alt.X("low:Q", title="Shared people exposed", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=PERCENT))
    bar = _plot(bars, "breached").mark_bar(height=8, opacity=0.35).encode(y=y, x=x, x2="high:Q", color=colour())
    points = data[["what", "share", "setting"]]
    dot = _plot(points, "breached").mark_circle(size=70).encode(
        y=y, x=alt.X("share:Q"), color=colour(),
        tooltip=[alt.Tooltip("what:N", title="If"), alt.Tooltip("setting:N", title="were"),
                 alt.Tooltip("share:Q", title="exposed", format=".1%")],
    )  # fmt: skip
    label = alt.Chart(points).mark_text(dy=-12, fontSize=11).encode(y=y, x="share:Q", text="setting:N")
    rule = _plot(pd.DataFrame({"share": [now]}), "my release").mark_rule(strokeDash=[1, 2], strokeWidth=2)
    rule = rule.encode(x="share:Q", color=colour())
    chart: altair.LayerChart = alt.layer(bar, rule, dot, label).properties(height=70 + 52 * len(order))
    return chart


def exposure(frame: pd.DataFrame, title: str, overall: float) -> altair.LayerChart:
    """Breach by group, with the share over everybody as a rule.

    Takes the output of :func:`core.exposure.by_attribute`.
    """
    alt = _altair()
    data = frame.copy()
    data["group"] = [str(group)[:60] for group in data["group"]]
    order = list(dict.fromkeys(data["group"]))
    bar = _plot(data, "breached").mark_bar().encode(
        y=alt.Y("group:N", sort=order, title=title, axis=alt.Axis(labelLimit=220)),
        x=alt.X("share:Q", title="Exposed", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=PERCENT)),
        color=colour(),
        tooltip=[alt.Tooltip("group:N", title="Group"), alt.Tooltip("share:Q", title="Exposed", format=".1%"),
                 alt.Tooltip("breached:Q", title="People exposed", format=","),
                 alt.Tooltip("people:Q", title="Shared people", format=",")],
    )  # fmt: skip
    rule = _plot(pd.DataFrame({"share": [overall]}), "my release").mark_rule(strokeDash=[1, 2], strokeWidth=2)
    rule = rule.encode(x="share:Q", color=colour())
    chart: altair.LayerChart = alt.layer(bar, rule).properties(height=max(120, 26 * len(order) + 40))
    return chart


def trade_off(rows: Sequence[tuple[str, float, float, int]]) -> altair.Chart:
    """Loss against breach for suppressing or merging more and more of the worst classes."""
    alt = _altair()
    data = pd.DataFrame(rows, columns=["action", "loss", "share", "records"])
    chart: altair.Chart = (
        _plot(data, "breached")
        .mark_line(point=alt.OverlayMarkDef(size=60), strokeWidth=2)
        .encode(
            x=alt.X("loss:Q", title="Information loss (lower is better)", scale=alt.Scale(zero=False),
                    axis=alt.Axis(format=".1%")),
            y=alt.Y("share:Q", title="Exposed (lower is better)", scale=alt.Scale(zero=False),
                    axis=alt.Axis(format=".1%")),
            strokeDash=alt.StrokeDash("action:N", legend=alt.Legend(title=None, orient="top", labelLimit=300)),
            shape=alt.Shape("action:N", legend=None),
            order="records:Q",
            color=colour(),
            tooltip=[alt.Tooltip("action:N", title=""), alt.Tooltip("records:Q", title="Records treated", format=","),
                     alt.Tooltip("share:Q", title="Exposed", format=".1%"),
                     alt.Tooltip("loss:Q", title="Loss", format=".1%")],
        )
        .properties(height=HEIGHT)
    )  # fmt: skip
    return chart


def class_sizes(sizes: Any, k: int) -> altair.LayerChart:
    """Histogram of class sizes with the k that was asked."""
    alt = _altair()
    largest = int(sizes.max())
    width = max(1, math.ceil((largest + 1 - k) / 40))
    bin_of = (sizes - k) // width
    count = np.bincount(bin_of)
    people = np.bincount(bin_of, weights=sizes).astype(int)
    low = k + width * np.arange(len(count))
    data = pd.DataFrame({"low": low, "high": low + width, "classes": count, "people": people})
    data["range"] = [f"{a}" if width == 1 else f"{a} to {b - 1}" for a, b in zip(data["low"], data["high"], strict=True)]
    bar = _plot(data[data["classes"] > 0], "my release").mark_bar(binSpacing=1).encode(
        x=alt.X("low:Q", title="Records in a class", scale=alt.Scale(zero=False, nice=False),
                bin=alt.BinParams(binned=True)),
        x2="high:Q",
        y=alt.Y("classes:Q", title="Classes", axis=alt.Axis(tickMinStep=1)),
        color=colour(),
        tooltip=[alt.Tooltip("range:N", title="Records in a class"), alt.Tooltip("classes:Q", format=","),
                 alt.Tooltip("people:Q", title="Records in them", format=",")],
    )  # fmt: skip
    rule = _plot(pd.DataFrame({"k": [k], "text": [f"k = {k}"]}), "breached")
    line = rule.mark_rule(strokeWidth=2, strokeDash=[4, 3]).encode(x="k:Q", color=colour())
    text = rule.mark_text(align="left", dx=5, dy=-4, baseline="top").encode(
        x="k:Q", y=alt.value(0), text="text:N", color=colour()
    )
    chart: altair.LayerChart = alt.layer(bar, line, text).properties(height=HEIGHT)
    return chart


def value_counts(values: Sequence[str], counts: Sequence[int], kept: Sequence[bool] | None = None) -> altair.Chart:
    """Sensitive values of one class with their counts; those struck out are pale."""
    alt = _altair()
    data = pd.DataFrame({"text": [str(v)[:60] for v in values], "count": list(counts)})
    data["state"] = "still possible" if kept is None else ["still possible" if k else "ruled out" for k in kept]
    chart: altair.Chart = (
        _plot(data, "breached")
        .mark_bar()
        .encode(
            y=alt.Y("text:N", sort=list(data["text"]), title=None, axis=alt.Axis(labelLimit=220)),
            x=alt.X("count:Q", title="Records", axis=alt.Axis(tickMinStep=1, format="d")),
            color=colour(),
            opacity=alt.Opacity("state:N", scale=alt.Scale(domain=["still possible", "ruled out"], range=[1, 0.25]),
                                legend=None),
            tooltip=[alt.Tooltip("text:N", title="Value"), alt.Tooltip("count:Q", title="Records"),
                     alt.Tooltip("state:N", title="")],
        )
        .properties(height=max(80, 22 * len(data) + 30))
    )  # fmt: skip
    return chart
