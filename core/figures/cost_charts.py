"""What less exposure costs: loss of settings, errors of counts, and noise compared with partitions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from core.base.wording import percent
from core.figures.base import HEIGHT, PERCENT, apart, axis_of_shares, colour, finding, fitted, plot, shortened, top_of
from core.figures.vega import Chart, field, layer

DASHES = ([1, 0], [6, 3], [2, 3], [8, 2, 2, 2], [4, 4])
SETTINGS = "settings"
"""Name of the layer of dots, for a page that lets one be chosen."""
TICKS = (0.0, 0.001, 0.01, 0.05, 0.2, 0.5, 1.0)
"""Shares exposed that the axis names."""
TOPS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0)
"""Shares at which the axis may end: few, so that the specification often stays the same."""
SMALL = 0.002
"""Share exposed below which the axis is about linear, and above which it is about logarithmic."""
FAINT = 0.65
"""Opacity of a thin line: its contrast is still 3 to 1."""


def _height(share: pd.Series | float) -> np.ndarray:
    """Where a share is on the axis, in the unit of its scale."""
    return np.log1p(np.asarray(share, dtype=float) / SMALL)


def _placed(ends: pd.DataFrame, top: float) -> pd.DataFrame:
    """The ends of lines with their names, spread so that they do not overlap, to the right of each line."""
    data = ends.sort_values(["share", "text"])
    heights = np.array(apart((_height(data["share"]) / _height(top)).tolist()))
    return data.assign(share=SMALL * np.expm1(heights * _height(top)))


def loss_against_exposure(
    frame: pd.DataFrame, exposed: float = math.nan, lost: float = math.nan, title: str = ""
) -> Chart:
    """Information loss against the share exposed, a line per way to form classes and a dot per setting.

    Parameters
    ----------
    frame
        One row per setting: ``place`` (its number), ``words`` (the way), ``series`` (its colour), ``setting`` (in
        words), ``loss, share``, the interval ``low, high`` (NaN without one) and ``range`` (in words), ``kept``
        (whether it keeps every limit; if not, its dot is hollow), ``front`` (whether no other setting beats it; if not,
        it is small), and ``state``: "now", "best", "chosen" or "". Shares from 0 to 1; rows of a way follow each other,
        in the order of its line.
    exposed, lost
        Limits; the area beyond one is shaded. NaN for none.
    title
        The finding, written above the picture.

    Notes
    -----
    A strong line joins the settings that no other beats; each way has its name at the end of its line. An arrow
    leads from "now" to "best". The vertical axis is exposure, on a scale that separates 0.1% from 1%; the horizontal
    axis is loss: lower left is better.
    """
    every = list(dict.fromkeys(frame["words"]))
    text = dict(zip(every, shortened(every, 30), strict=True))
    data = frame[["place", "setting", "loss", "share", "low", "high", "range", "state", "series"]].assign(
        text=[text[name] for name in frame["words"]],
        solid=[int(kept) for kept in frame["kept"]],
        strong=(frame["front"] | (frame["state"] != "")).astype(int),
    )
    most = min(1.0, float(data[["share", "high"]].max().max()) * 1.05)
    top = next(end for end in TOPS if end >= most)
    right = min(1.0, float(data["loss"].max()) * 1.22) or 1.0  # with room for a name on a phone
    x = field(
        "loss:Q",
        title="Information loss (lower is better)",
        axis={"format": PERCENT, "grid": False, "tickCount": 6},
        scale={"domain": [0, right], "nice": False},
    )
    y = field(
        "share:Q",
        title="Exposed (small shares enlarged)",
        axis={"format": ".1~%", "values": [tick for tick in TICKS if tick <= top], "labelOverlap": False},
        scale={"domain": [0, top], "type": "symlog", "constant": SMALL, "nice": False},
    )
    dashes = [DASHES[i % len(DASHES)] for i in range(len(text))]
    dash = field("text:N", scale={"domain": list(text.values()), "range": dashes}, legend=None)
    tips = [
        field("setting:N", title="Setting"),
        field("text:N", title="Classes by"),
        field("loss:Q", title="Information loss", format=".1%"),
        field("share:Q", title="Exposed", format=".1%"),
        field("range:N", title="95% interval"),
    ]
    solid = field("solid:Q", scale={"domain": [0, 1], "range": [0, 1]}, legend=None)
    large = field("strong:Q", scale={"domain": [0, 1], "range": [28, 80]}, legend=None)
    # A limit that is absent lies at the edge, so that the specification stays the same.
    edge_y, edge_x = (end if math.isnan(limit) else min(limit, end) for limit, end in ((exposed, top), (lost, right)))
    corners = {"loss": [0.0, edge_x], "loss_most": [right, right], "share": [edge_y, 0.0], "top": [top, edge_y]}
    shade = plot(pd.DataFrame(corners), "guessing").mark("rect", opacity=0.1, aria=False)
    layers = [shade.encode(x=x, x2={"field": "loss_most"}, y=y, y2={"field": "top"}, color=colour())]
    base, order = Chart(data), field("place:Q")
    alone = ~data["text"].duplicated(keep=False)
    ways = Chart(data[~alone]).mark("line", strokeWidth=1.2, opacity=FAINT)
    layers.append(ways.encode(x=x, y=y, color=colour(), strokeDash=dash, order=order))
    front = data[frame["front"].to_numpy(dtype=bool)].sort_values(["loss", "share"])
    strong = plot(front, "my release").mark("line", strokeWidth=3, aria=False)
    layers.append(strong.encode(x=x, y=y, color=colour(), order=field("loss:Q")))
    spread = Chart(data[data["strong"] == 1].dropna(subset=["low", "high"])).mark("rule", strokeWidth=1.2, aria=False)
    layers.append(spread.encode(x=x, y=field("low:Q"), y2={"field": "high"}, color=colour()))
    layers += _arrow(data, x, y)
    dots = base.mark("point", opacity=1, strokeWidth=2).encode(
        x=x, y=y, stroke=colour(), fill=colour(), fillOpacity=solid, size=large, tooltip=tips
    )
    layers.append(dots.properties(name=SETTINGS))
    # Settings that no other beats have free space at their lower left.
    for state, shape, size in (("now", "diamond", 240), ("best", "square", 260), ("chosen", "circle", 320)):
        mark = plot(data[data["state"] == state], "guessing").mark(
            "point", filled=False, shape=shape, size=size, strokeWidth=2.5, opacity=1, aria=False
        )
        layers.append(mark.encode(x=x, y=y, color=colour()))
    named = plot(data[data["state"] != ""], "guessing").mark(
        "text", align="right", dx=-11, dy=13, clip=False, fontWeight="bold", aria=False
    )
    layers.append(named.encode(x=x, y=y, text=field("state:N"), color=colour()))
    ends = _placed(data.drop_duplicates("text", keep="last"), top)
    lone, beyond = alone.loc[ends.index], ends["loss"] > right / 2
    # Names of lines that end near each other are listed next to the last of these ends.
    near = ends["loss"].sort_values().diff().gt(right / 6).cumsum()
    reached = ends["loss"][~lone].sort_values()
    last = dict(zip(near[reached.index], reached, strict=True))
    named_ends = ends.assign(loss=ends["loss"].where(lone, near[ends.index].map(last)))
    at_edge = named_ends.assign(loss=right)
    for part, align, dx, dy in (
        (named_ends[~beyond], "left", 8, 0),
        (named_ends[beyond & lone], "right", -6, -11),
        (at_edge[beyond & ~lone], "right", 0, 0),
    ):
        names = Chart(part).mark("text", align=align, dx=dx, dy=dy, clip=False, aria=False)
        layers.append(names.encode(x=x, y=y, text=field("text:N"), color=colour()))
    heading = plot(pd.DataFrame({"text": [title]}), "guessing").mark(
        "text", align="left", baseline="top", lineBreak="\n", fontSize=14, fontWeight="bold", clip=False, aria=False
    )
    layers.append(heading.encode(x={"value": 0}, y={"value": -42}, text=field("text:N"), color=colour()))
    return layer(*layers).properties(height=HEIGHT + 40)


def _arrow(data: pd.DataFrame, x: dict[str, Any], y: dict[str, Any]) -> list[Chart]:
    """Arrow from the present setting to the best one: first the change of exposure, then of loss.

    None if there is no best one.
    """
    ends = [data[data["state"] == state] for state in ("now", "best")]
    present, best = ends if all(map(len, ends)) else (data[:0], data[:0])
    path = pd.concat([present, present.assign(share=best["share"].to_numpy()), best])
    path = path.assign(place=range(len(path)))
    way = plot(path, "guessing").mark("line", strokeWidth=2, strokeDash=[2, 2], aria=False)
    layers = [way.encode(x=x, y=y, color=colour(), order=field("place:Q"))]
    dearer = best["loss"].to_numpy() >= present["loss"].to_numpy()
    for shape, end, away in (("triangle-right", best[dearer], -14), ("triangle-left", best[~dearer], 14)):
        head = plot(end, "guessing").mark("point", shape=shape, size=90, filled=True, xOffset=away, aria=False)
        layers.append(head.encode(x=x, y=y, color=colour()))
    return layers


def error_against_exposure(frame: pd.DataFrame) -> Chart:
    """Error of counts against the share exposed, a dot per setting.

    Parameters
    ----------
    frame
        One row per setting, the present one first: ``setting`` (in words), ``error`` and ``share``, ``range`` (the
        interval of the share in words), and ``front`` (whether no other setting beats it in both).

    Notes
    -----
    A line joins the settings that no other beats; those with room for a name have it. Lower left is better. A diamond
    is the present setting.
    """
    data = frame[["error", "share", "range", "front"]].assign(text=shortened(frame["setting"], 36))
    x = field(
        "error:Q",
        title="Error of counts (lower is better)",
        axis={"format": PERCENT, "grid": False, "tickCount": 6},
        scale={"domain": [0, 1.35 * max(0.01, float(data["error"].max()))], "nice": False},  # with room for names
    )
    y = field("share:Q", axis={"format": PERCENT}, **axis_of_shares("Exposed", [top_of(data["share"])]))
    tips = [
        field("text:N", title="Setting"),
        field("error:Q", title="Error of counts", format=".1%"),
        field("share:Q", title="Exposed", format=".1%"),
        field("range:N", title="95% interval"),
    ]
    front = data[data["front"]].sort_values(["error", "share"])
    line = plot(front, "my release").mark("line", strokeWidth=2, aria=False)
    layers = [line.encode(x=x, y=y, color=colour(), order=field("error:Q"))]
    for part, series, size in ((data[~data["front"]], "other release", 40), (front, "my release", 90)):
        dots = plot(part, series).mark("point", filled=True, opacity=1, size=size)
        layers.append(dots.encode(x=x, y=y, color=colour(), tooltip=tips))
    present = plot(data[:1], "guessing").mark("point", filled=False, shape="diamond", size=240, strokeWidth=2.5)
    layers.append(present.encode(x=x, y=y, color=colour(), tooltip=tips))
    named = plot(_apart(pd.concat([data[:1], front])), "guessing")
    words = named.mark("text", align="left", dx=9, dy=-9, clip=False, aria=False)
    layers.append(words.encode(x=x, y=y, text=field("text:N"), color=colour()))
    return layer(*layers).properties(height=HEIGHT)


def _apart(dots: pd.DataFrame) -> pd.DataFrame:
    """The dots whose names do not cover an earlier one's: far enough from it in either direction."""
    width, height = (max(0.01, float(dots[name].max())) for name in ("error", "share"))
    kept: list[int] = []
    for place, (error, share) in enumerate(zip(dots["error"], dots["share"], strict=True)):
        others = dots.iloc[kept]
        near = ((others["error"] - error).abs() < width / 4) & ((others["share"] - share).abs() < height / 12)
        if not near.any():
            kept.append(place)
    return dots.iloc[kept]


LEAST = 0.1
"""Smallest error that the axis shows: below, counts are as good as exact."""
LABEL = 1.06
"""What a share is multiplied by before the axis is fitted to it: its label stands above its point."""


def tradeoff(frame: pd.DataFrame, guess: float, title: str = "") -> Chart:
    """Ways to publish: the gain of an adversary over guessing, against how far counts are off.

    Parameters
    ----------
    frame
        ``error, share, setting, text, line, series, now``: one row per setting in the order in which its line runs,
        with its gain as ``share``.
        Present settings are marked by large points; ``text`` is written at a point.
    guess
        How often a guess is right without any release: there the gain is 0.
    title
        What the chart shows, in words above it.
    """
    data = frame.assign(error=frame["error"].clip(lower=LEAST), place=range(len(frame)))
    ends = [0.5 * float(data["error"].min()), 1.6 * float(data["error"].max())]
    scale = {"type": "log", "domain": ends, "nice": False}
    x = field("error:Q", title="Average error of a count (records)", scale=scale, axis={"grid": False, "format": ",~g"})
    scale = {"domain": [min(0.0, float(frame["share"].min())), fitted(LABEL * frame["share"])]}
    y = field("share:Q", title="Gain over guessing", scale=scale, axis={"format": PERCENT, "tickCount": 5})
    tips = [
        field("line:N", title=""),
        field("setting:N", title="Setting"),
        field("share:Q", title="Gain over guessing", format=".1%"),
        field("error:Q", title="Average error of a count", format=",.3~g"),
    ]
    shown = {"x": x, "y": y, "color": colour(), "tooltip": tips}
    line = Chart(data).mark("line", strokeWidth=2.5, point={"size": 34, "filled": True})
    present = Chart(data[data["now"].astype(bool)])
    named, of_partitions = data[data["text"] != ""], {"align": "right", "baseline": "top", "dx": -7, "dy": 4}
    sides = {"breached": of_partitions, "other release": {"align": "left", "baseline": "bottom", "dx": 6, "dy": -4}}
    level = plot(pd.DataFrame({"share": [0.0], "text": [f"a guess alone is right for {percent(guess)}"]}), "guessing")
    layers = [
        level.mark("rule", strokeDash=[2, 3], strokeWidth=1.6).encode(y=y, color=colour()),
        level.mark("text", align="left", baseline="bottom", dx=4, dy=-4).encode(
            x={"value": 0}, y=y, text=field("text:N"), color=colour()
        ),
        line.encode(**shown, detail=field("line:N"), order=field("place:Q")),
        present.mark("point", filled=True, size=170, opacity=1).encode(**shown),
        *(
            Chart(named[named["series"] == series]).mark("text", **side).encode(**shown, text=field("text:N"))
            for series, side in sides.items()
        ),
    ]
    return layer(*layers, *([finding(title)] if title else [])).properties(height=HEIGHT)
