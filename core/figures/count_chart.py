"""Settings of a table of counts: the error of its counts against the share exposed."""

from __future__ import annotations

import pandas as pd

from core.figures.base import HEIGHT, PERCENT, axis_of_shares, colour, plot, shortened, top_of
from core.figures.vega import Chart, field, layer


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
