"""The cases of a verdict as a picture: a dot with its interval per case, the limit as a line."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from core.base.metrics import NOT_MET
from core.base.wording import limit_text
from core.figures.base import PERCENT, colour, plot, top_of
from core.figures.vega import Chart, field, layer

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
