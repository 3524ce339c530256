"""Class sizes; for reports."""

from __future__ import annotations

import pandas as pd

from core.figures.base import HEIGHT, PERCENT, SERIES, colour, plot
from core.figures.vega import Chart, field, layer


def size_bands(frame: pd.DataFrame) -> Chart:
    """Share of the people in classes of each size.

    Parameters
    ----------
    frame
        One row per band of sizes, smallest first: ``range`` in words, ``share`` of the people
        in its classes, ``text`` to write over the bar.
    """
    x = field(
        "range:N", sort=list(frame["range"]), title="People in a class", axis={"labelAngle": 0, "labelOverlap": False}
    )
    y = field("share:Q", title="People in such classes", axis={"format": PERCENT}, scale={"domain": [0, 1]})
    bar = plot(frame, "my release").mark("bar", size=34)
    label = plot(frame, SERIES[4]).mark("text", baseline="bottom", dy=-3)
    return layer(
        bar.encode(x=x, y=y, color=colour()), label.encode(x=x, y=y, text=field("text:N"), color=colour())
    ).properties(height=HEIGHT - 80)
