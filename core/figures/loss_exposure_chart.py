"""Loss against exposure: every setting that was tried, one line per way to form classes."""

from __future__ import annotations

import math

import pandas as pd

from core.figures.base import HEIGHT, PERCENT, colour, plot, shortened
from core.figures.vega import Chart, field, layer

DASHES = ([1, 0], [6, 3], [2, 3], [8, 2, 2, 2], [4, 4])
SETTINGS = "settings"
"""Name of the layer of dots, for a page that lets one be chosen."""


def loss_against_exposure(frame: pd.DataFrame, exposed: float = math.nan, lost: float = math.nan) -> Chart:
    """Information loss against the share exposed, one line per way to form classes and one dot per setting.

    Parameters
    ----------
    frame
        One row a setting: ``place`` (its number), ``words`` (the way), ``series`` (its colour), ``setting`` (in words),
        ``loss, share``, the interval ``low, high`` (NaN without one) and ``range`` (in words), ``kept`` (whether it
        keeps every limit; if not, its dot is hollow), and ``state``: "now", "chosen" or "". Shares from 0 to 1; rows
        of a way follow each other, in the order of its line.
    exposed, lost
        Limits; what breaks one is shaded. NaN for none.

    Notes
    -----
    Lines differ in dash as well as in colour and are in a legend; a way with one dot has its name next to it. Up is
    exposed, right is lost: lower left is better.
    """
    every = list(dict.fromkeys(frame["words"]))
    text = dict(zip(every, shortened(every, 30), strict=True))
    names = list(text.values())
    data = frame[["place", "setting", "loss", "share", "low", "high", "range", "state", "series"]].assign(
        text=[text[name] for name in frame["words"]], solid=[int(kept) for kept in frame["kept"]]
    )
    top = min(1.0, float(data[["share", "high"]].max().max()) * 1.08) or 1.0
    right = min(1.0, float(data["loss"].max()) * 1.05) or 1.0
    x = field(
        "loss:Q",
        title="Information loss (lower is better)",
        axis={"format": PERCENT, "grid": False, "tickCount": 6},
        scale={"domain": [0, right], "nice": False},
    )
    y = field(
        "share:Q",
        title="Shared people exposed (lower is better)",
        axis={"format": PERCENT},
        scale={"domain": [0, top], "nice": False},
    )
    alone = data[~data["text"].duplicated(keep=False)]
    legend = {
        "orient": "top",
        "columns": 2,
        "title": None,
        "symbolType": "stroke",
        "symbolSize": 500,
        "labelLimit": 300,
        "values": [name for name in names if name not in set(alone["text"])],
    }
    dashes = [DASHES[i % len(DASHES)] for i in range(len(names))]
    dash = field("text:N", scale={"domain": names, "range": dashes}, legend=legend)
    tips = [
        field("setting:N", title="Setting"),
        field("text:N", title="Classes by"),
        field("loss:Q", title="Information loss", format=".1%"),
        field("share:Q", title="Exposed", format=".1%"),
        field("range:N", title="95% interval"),
    ]
    solid = field("solid:Q", scale={"domain": [0, 1], "range": [0, 1]}, legend=None)
    # A limit that is absent lies at the edge, so that the specification stays the same.
    edge_y, edge_x = (end if math.isnan(limit) else min(limit, end) for limit, end in ((exposed, top), (lost, right)))
    corners = {"loss": [0.0, edge_x], "loss_most": [right, right], "share": [edge_y, 0.0], "top": [top, edge_y]}
    shade = plot(pd.DataFrame(corners), "guessing").mark("rect", opacity=0.1, aria=False)
    layers = [shade.encode(x=x, x2={"field": "loss_most"}, y=y, y2={"field": "top"}, color=colour())]
    base, order = Chart(data), field("place:Q")
    layers.append(base.mark("line", strokeWidth=2).encode(x=x, y=y, color=colour(), strokeDash=dash, order=order))
    spread = Chart(data.dropna(subset=["low", "high"])).mark("rule", strokeWidth=1.2, aria=False)
    layers.append(spread.encode(x=x, y=field("low:Q"), y2={"field": "high"}, color=colour()))
    dots = base.mark("point", size=70, opacity=1, strokeWidth=2).encode(
        x=x, y=y, stroke=colour(), fill=colour(), fillOpacity=solid, tooltip=tips
    )
    layers.append(dots.properties(name=SETTINGS))
    for state, shape, size in (("now", "diamond", 240), ("chosen", "circle", 320)):
        mark = plot(data[data["state"] == state], "breached").mark(
            "point", filled=False, shape=shape, size=size, strokeWidth=2.5, opacity=1, aria=False
        )
        layers.append(mark.encode(x=x, y=y, color=colour()))
    named = plot(data[data["state"] != ""], "breached").mark("text", align="left", dx=13, dy=-9, clip=False, aria=False)
    layers.append(named.encode(x=x, y=y, text=field("state:N"), color=colour()))
    # The name of a dot stands where there is room for it.
    for far, align, dx in ((False, "left", 9), (True, "right", -9)):
        labels = Chart(alone[(alone["loss"] > right / 2) == far])
        name = labels.mark("text", align=align, dx=dx, dy=-9, clip=False, aria=False)
        layers.append(name.encode(x=x, y=y, text=field("text:N"), color=colour()))
    return layer(*layers).properties(height=HEIGHT + 40)
