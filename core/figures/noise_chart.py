"""Noise compared with partitions: exposure against the error of counts, and release after release."""

from __future__ import annotations

from typing import Any

import pandas as pd

from core.base.wording import percent
from core.figures.base import HEIGHT, PERCENT, colour, finding, fitted, names_at_ends, plot
from core.figures.vega import Chart, field, layer

LEAST = 0.1
"""Smallest error that the axis shows: below, counts are as good as exact."""


def tradeoff(frame: pd.DataFrame, guess: float, title: str = "") -> Chart:
    """Ways to publish: how often an adversary guesses correctly, against the error of counts.

    Parameters
    ----------
    frame
        ``error, share, setting, text, line, series, now``: one row per setting in the order in which its line runs.
        Present settings are marked by large points; ``text`` is written at a point.
    guess
        How often naming the most common value is right, without any release.
    title
        What the chart shows, in words above it.
    """
    data = frame.assign(error=frame["error"].clip(lower=LEAST), place=range(len(frame)))
    ends = [0.5 * float(data["error"].min()), 1.6 * float(data["error"].max())]
    scale = {"type": "log", "domain": ends, "nice": False}
    x = field("error:Q", title="Average error of a count (records)", scale=scale, axis={"grid": False, "format": ",~g"})
    top = fitted([*frame["share"], guess])
    y = field("share:Q", title="Correct guesses", scale={"domain": [0, top]}, axis={"format": PERCENT, "tickCount": 5})
    tips = [
        field("line:N", title=""),
        field("setting:N", title="Setting"),
        field("share:Q", title="Correct guesses", format=".1%"),
        field("error:Q", title="Average error of a count", format=",.3~g"),
    ]
    shown = {"x": x, "y": y, "color": colour(), "tooltip": tips}
    line = Chart(data).mark("line", strokeWidth=2.5, point={"size": 34, "filled": True})
    present = Chart(data[data["now"].astype(bool)])
    named, of_partitions = data[data["text"] != ""], {"align": "right", "baseline": "top", "dx": -7, "dy": 4}
    sides = {"breached": of_partitions, "other release": {"align": "left", "baseline": "bottom", "dx": 6, "dy": -4}}
    level = plot(
        pd.DataFrame({"share": [guess], "text": [f"naming the most common value: {percent(guess)}"]}), "guessing"
    )
    layers = [
        level.mark("rule", strokeDash=[2, 3], strokeWidth=1.6).encode(y=y, color=colour()),
        level.mark("text", align="left", baseline="top", dx=4, dy=4).encode(
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


def guarantees(
    frame: pd.DataFrame, title: str, releases: int, ceiling: pd.DataFrame | None = None, top: float = 1.0
) -> Any:
    """Ways to publish, such as partitions and noise, on the same people against the number of releases.

    Parameters
    ----------
    frame
        ``releases, share, line, series, strong``: one line per series, strong ones drawn thick.
    title
        Of the shares.
    releases
        The present number, marked.
    ceiling
        ``releases, share, line`` of the highest confidence that the chosen epsilon allows, and its name.
    top
        Upper end of the scale of the shares.
    """
    most = int(frame["releases"].max())
    x = field(
        "releases:Q",
        title="Releases about the same people (R)",
        scale={"nice": False},
        axis={"values": list(range(1, most + 1)), "grid": False, "format": "d"},
    )
    y = field("share:Q", title=title, scale={"domain": [0, top]}, axis={"format": PERCENT})
    tips = [
        field("releases:Q", title="Releases"),
        field("line:N", title=""),
        field("share:Q", title=title, format=".1%"),
    ]
    columns = ["releases", "share", "line", "series"]
    layers = []
    thin, strong = frame[~frame["strong"].astype(bool)], frame[frame["strong"].astype(bool)]
    dashes = [[6, 3], [2, 3], [8, 2, 2, 2], [4, 4], [1, 2], [10, 3]]
    # Thick lines first, so that both of two equal lines stay visible.
    mark = Chart(strong[columns]).mark("line", strokeWidth=3, point={"size": 34, "filled": True})
    layers.append(mark.encode(x=x, y=y, color=colour(), detail=field("line:N"), tooltip=tips))
    # One layer for all thin lines, because each additional layer costs a tenth of a slider's time.
    if len(thin):
        names = list(dict.fromkeys(thin["line"]))
        dash = field(
            "line:N",
            legend=None,
            scale={"domain": names, "range": [dashes[i % len(dashes)] for i in range(len(names))]},
        )
        mark = Chart(thin[columns]).mark("line", strokeWidth=1.7, point={"size": 20, "filled": True})
        layers.append(mark.encode(x=x, y=y, color=colour(), detail=field("line:N"), strokeDash=dash, tooltip=tips))
    shown = frame[columns]
    if ceiling is not None:
        roof = plot(ceiling[["releases", "share", "line"]], "other release")
        step = roof.mark("line", strokeDash=[1, 3], strokeWidth=2.5)
        layers.append(step.encode(x=x, y=y, color=colour(), tooltip=tips))
        named = ceiling[["releases", "share", "line"]].assign(series="other release")
        shown = pd.concat([shown, named], ignore_index=True)
    last = shown.sort_values("releases", kind="stable").drop_duplicates("line", keep="last")
    layers += names_at_ends(last, x, span=(0.0, top))
    rule = plot(pd.DataFrame({"releases": [releases]}), "my release").mark("rule", strokeDash=[1, 2], strokeWidth=2)
    layers.append(rule.encode(x=x, color=colour(), tooltip=[field("releases:Q", title="Now")]))
    return layer(*layers).properties(height=HEIGHT + 60)
