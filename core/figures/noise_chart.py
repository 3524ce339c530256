"""Noise compared with partitions: what each gives away against what its counts lose."""

from __future__ import annotations

import pandas as pd

from core.base.wording import percent
from core.figures.base import HEIGHT, PERCENT, colour, finding, fitted, plot
from core.figures.vega import Chart, field, layer

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
