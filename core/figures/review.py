"""Candidates of a decision: what each costs against what it exposes, and how large its classes are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from core.figures.base import HEIGHT, PERCENT, SERIES, altair_package, colour, key, plot, shortened

if TYPE_CHECKING:
    import altair

STATES = {True: "nobody is better in both", False: "another is better"}
"""Words for a candidate on the efficient frontier, and for one that is not."""


def frontier(frame: pd.DataFrame) -> altair.LayerChart:
    """Information loss against the share exposed, a point a candidate, and the line that none of them beats.

    Parameters
    ----------
    frame
        One row a candidate: ``name, loss, breach, low, high, efficient``. Loss and breach
        are shares from 0 to 1; ``low`` and ``high`` bound the 95 % interval of the breach,
        NaN where there is none; ``efficient`` is the output of
        :func:`core.decision.review.efficient`. Rows without a loss or a breach are left out, unless
        ``loss_least, loss_most, breach_least, breach_most`` say between which ends they lie:
        these are drawn as bars.

    Notes
    -----
    Efficient candidates are filled diamonds joined by a line, the others hollow circles:
    neither colour nor position alone tells them apart.
    """
    alt = altair_package()
    known = _placed(frame)
    known = known[known["loss"].notna() & known["breach"].notna()]
    efficient = known["efficient"].astype(bool).tolist()
    data = pd.DataFrame(
        {
            "text": shortened(known["name"], 40),
            "loss": known["loss"].astype(float).to_numpy(),
            "share": known["breach"].astype(float).to_numpy(),
            "hidden": known["hidden"].to_numpy(),
            **{end: known[end].astype(float).to_numpy() for end in _ENDS},
            "low": known["low"].astype(float).to_numpy(),
            "high": known["high"].astype(float).to_numpy(),
            "state": [STATES[state] for state in efficient],
            "series": [SERIES[0] if state else SERIES[4] for state in efficient],
        }
    )
    x = alt.X(
        "loss:Q",
        title="Information loss (lower is better)",
        scale=alt.Scale(zero=False, padding=24),
        axis=alt.Axis(format=_loss_format(data), grid=False, tickCount=6),
    )
    y = alt.Y(
        "share:Q",
        title="Shared people exposed (lower is better)",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(format=PERCENT),
    )
    shade = alt.Color("series:N", scale=alt.Scale(domain=list(SERIES)), legend=None)
    tips = [
        alt.Tooltip("text:N", title="Candidate"),
        alt.Tooltip("loss:Q", title="Information loss", format=".1%"),
        alt.Tooltip("share:Q", title="Exposed", format=".1%"),
        alt.Tooltip("low:Q", title="95 % interval from", format=".1%"),
        alt.Tooltip("high:Q", title="to", format=".1%"),
        alt.Tooltip("state:N", title=""),
    ]
    layers = []
    best = data[data["state"] == STATES[True]].sort_values(["loss", "share"])
    if len(best):
        line = plot(best[["loss", "share"]], SERIES[0]).mark_line(strokeWidth=1.5, strokeDash=[6, 3])
        layers.append(line.encode(x=x, y=y, order=alt.Order("loss:Q"), color=colour()))
    spread = data.dropna(subset=["low", "high"])
    if len(spread):
        layers.append(
            alt.Chart(spread).mark_rule(strokeWidth=1.5).encode(x=x, y=alt.Y("low:Q"), y2=alt.Y2("high:Q"), color=shade)
        )
    shapes = alt.Scale(domain=list(STATES.values()), range=["diamond", "circle"])
    shape = alt.Shape("state:N", scale=shapes, legend=None)
    veiled = data[data["hidden"]]
    if len(veiled):
        veil = alt.Chart(veiled).mark_rect(opacity=0.35, strokeWidth=9)
        layers.append(
            veil.encode(
                x=alt.X("loss_least:Q"),
                x2=alt.X2("loss_most:Q"),
                y=alt.Y("breach_least:Q"),
                y2=alt.Y2("breach_most:Q"),
                color=shade,
                stroke=alt.Stroke("series:N", legend=None, scale=alt.Scale(domain=list(SERIES))),
                tooltip=tips,
            )
        )
    for state, words in STATES.items():
        placed = data[(data["state"] == words) & ~data["hidden"]]
        if not len(placed):
            continue  # a mark of nobody has no place on the axis, and the browser says so
        mark = alt.Chart(placed).mark_point(filled=state, size=110, strokeWidth=2, opacity=1)
        layers.append(mark.encode(x=x, y=y, color=shade, shape=shape, tooltip=tips))
    layers += _names(data, x, y)
    layers += key(
        [(STATES[True], SERIES[0]), (STATES[False], SERIES[4])], alt.Shape("what:N", scale=shapes, legend=None)
    )
    chart: altair.LayerChart = alt.layer(*layers).properties(height=HEIGHT + 40)
    return chart


def _loss_format(data: pd.DataFrame) -> str:
    """The format of the axis of losses: with as many decimals as tell six ticks over these apart."""
    span = float(data["loss_most"].max() - data["loss_least"].min()) if len(data) else 1.0
    return PERCENT if span > WIDE else ".1%" if span > WIDE / 10 else ".2%"


WIDE = 0.06
"""Loss over which whole percentages tell the ticks of an axis apart."""
_ENDS = ("loss_least", "loss_most", "breach_least", "breach_most")


def _placed(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with every hidden number at the middle of where it lies, and marked as hidden."""
    placed = frame.assign(hidden=False)
    for axis in ("loss", "breach"):
        for end in ("least", "most"):
            if f"{axis}_{end}" not in placed:
                placed[f"{axis}_{end}"] = placed[axis]
        hidden = placed[axis].isna() & placed[f"{axis}_least"].notna()
        placed["hidden"] |= hidden
        placed[axis] = placed[axis].where(~hidden, (placed[f"{axis}_least"] + placed[f"{axis}_most"]) / 2)
    return placed


def _names(data: pd.DataFrame, x: Any, y: Any) -> list[Any]:
    """Name every candidate beside its point, to the side on which there is room."""
    alt = altair_package()
    middle = (data["loss"].min() + data["loss"].max()) / 2
    layers = []
    sides = ((data["loss"] <= middle, "left", 10, -9), (data["loss"] > middle, "right", -10, 11))
    for placed, align, right, down in sides:  # the frontier falls, so that above right and below left are free
        if placed.any():
            mark = plot(data[placed], SERIES[4]).mark_text(align=align, dx=right, dy=down, clip=False)
            layers.append(mark.encode(x=x, y=y, text=alt.Text("text:N"), color=colour()))
    return layers


def size_bands(frame: pd.DataFrame) -> altair.LayerChart:
    """Share of the people in classes of each size.

    Parameters
    ----------
    frame
        One row a band of sizes, smallest first: ``range`` in words, ``share`` of the people
        in its classes, ``text`` to write over the bar; of a hidden share, which is NaN, ``most``
        is the most it can be.
    """
    alt = altair_package()
    data = frame[["range", "share", "text"]].assign(least=0.0, most=frame["most"] if "most" in frame else float("nan"))
    data["top"] = data["share"].fillna(data["most"])
    veiled = data[data["share"].isna() & data["most"].notna()]
    order = list(data["range"])
    x = alt.X("range:N", sort=order, title="People in a class", axis=alt.Axis(labelAngle=0, labelOverlap=False))
    y = alt.Y("share:Q", title="People in such classes", axis=alt.Axis(format=PERCENT), scale=alt.Scale(domain=[0, 1]))
    bar = (
        plot(data, "my release")
        .mark_bar(size=34)
        .encode(
            x=x,
            y=y,
            color=colour(),
            tooltip=[alt.Tooltip("range:N", title="People in a class"), alt.Tooltip("text:N", title="People in them")],
        )
    )
    label = plot(data, SERIES[4]).mark_text(baseline="bottom", dy=-3)
    label = label.encode(x=x, y=alt.Y("top:Q"), text=alt.Text("text:N"), color=colour())
    veil = plot(veiled, "my release").mark_bar(size=34, opacity=0.35)
    veil = veil.encode(x=x, y=alt.Y("least:Q"), y2=alt.Y2("most:Q"), color=colour())
    chart: altair.LayerChart = alt.layer(bar, *[veil] * bool(len(veiled)), label).properties(height=HEIGHT - 80)
    return chart
