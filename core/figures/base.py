"""Common parts of all figures: the library, the colours and their meaning."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from core.figures.vega import Chart, field

SERIES = ("my release", "other release", "breached", "single release", "guessing")
"""Meaning of each colour of the theme, in order."""
HEIGHT = 300
PERCENT = "~%"
"""Format of an axis of shares: as many decimals as its ticks need."""


def colour() -> dict[str, Any]:
    """Colour by the field ``series``, one of :data:`SERIES`, without a legend."""
    return field("series:N", scale={"domain": list(SERIES)}, legend=None)


def plot(data: pd.DataFrame, series: str) -> Chart:
    """Start a chart whose marks all have the colour of one series."""
    return Chart(data.assign(series=series))


def top_of(shares: Iterable[float]) -> float:
    """End of an axis of shares: a little above the largest, at most 100%."""
    return min(1.0, 1.05 * max((share for share in shares if share > 0), default=0.01))


ENDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0)
"""Ends of a fitted axis of shares: few, so that most moves keep the axis and the specification."""


def fitted(shares: Iterable[float]) -> float:
    """The first of :data:`ENDS` that no share exceeds."""
    most = max((share for share in shares if share > 0), default=0.0)
    return next((step for step in ENDS if most <= step), 1.0)


def finding(text: str) -> Chart:
    """Title above a chart that says what it shows.

    It is part of the data, so that another finding keeps the specification.
    """
    words = plot(pd.DataFrame({"text": [text]}), "guessing")
    words = words.mark("text", align="left", baseline="bottom", fontSize=14, fontWeight="bold", clip=False)
    return words.encode(x={"value": 0}, y={"value": -10}, text=field("text:N"), color=colour())


def axis_of_shares(title: str, shares: Iterable[float]) -> dict[str, Any]:
    """Title and scale of an axis of shares that is :func:`fitted`; the title says where it ends."""
    end = fitted(shares)
    return {"title": title if end == 1 else f"{title} (axis to {100 * end:g}%)", "scale": {"domain": [0, end]}}


def apart(heights: Sequence[float], gap: float = 0.06) -> list[float]:
    """Spread rising heights so that neighbours have a gap, from the bottom up and not beyond 99%.

    Otherwise names of lines that end together would overlap.
    """
    placed: list[float] = []
    for height in heights:
        placed.append(max(height, placed[-1] + gap if placed else 0.02))
    ceiling = 0.99
    for i in reversed(range(len(placed))):
        placed[i] = min(placed[i], ceiling)
        ceiling = placed[i] - gap
    return placed


def names_at_ends(
    ends: pd.DataFrame, x: Any, strong: Sequence[str] = (), span: tuple[float, float] = (0.0, 1.0), log: bool = False
) -> list[Any]:
    """Name every line at its right end without overlaps: one layer, and one for bold names.

    Parameters
    ----------
    ends
        The field of ``x``, ``share`` (the height at which the line ends), ``line`` (its name) and ``series``, one row
        per line.
    x
        Horizontal encoding of the chart.
    strong
        Names to write in bold.
    span
        Lowest and highest value of the vertical axis, in the unit of the heights.
    log
        Whether that axis is logarithmic.
    """
    data = ends.rename(columns={"line": "text"}).sort_values(["share", "text"])
    low, high = np.log(span) if log else span
    heights = np.log(data["share"].clip(lower=span[0])) if log else data["share"]
    placed = low + (high - low) * np.array(apart(((heights - low) / (high - low)).tolist()))
    data["share"] = np.exp(placed) if log else placed
    layers = []
    for weight, part in (("normal", data[~data["text"].isin(strong)]), ("bold", data[data["text"].isin(strong)])):
        if len(part):
            mark = Chart(part).mark("text", align="left", dx=8, fontWeight=weight, clip=False)
            layers.append(mark.encode(x=x, y=field("share:Q"), text=field("text:N"), color=colour()))
    return layers


def last_of_each(data: pd.DataFrame, line: str, along: str, height: str) -> pd.DataFrame:
    """The last point of each line that has a height, as :func:`names_at_ends` takes it."""
    known = data[data[height].notna()].sort_values(along, kind="stable").drop_duplicates(line, keep="last")
    return known.rename(columns={line: "line", height: "share"})


_KEY_LINE = 17
"""Height of a line of a key, in pixels."""


def key(rows: Sequence[tuple[str, str]]) -> Chart:
    """Explain the marks of a chart above it: each mark with its words and series, on separate lines."""
    data = pd.DataFrame(rows, columns=["text", "series"])
    data["top"] = [-_KEY_LINE * (len(rows) - number) for number in range(len(rows))]
    words = Chart(data).mark("text", align="left", baseline="middle", clip=False)
    # Places in pixels: a scale would be that of the chart.
    return words.encode(x={"value": 0}, y=field("top:Q", scale=None, axis=None), color=colour(), text=field("text:N"))


# Names that every JavaScript object has: Vega looks up texts in objects, and a chart with such a text fails.
TAKEN = {
    "__defineGetter__",
    "__defineSetter__",
    "__lookupGetter__",
    "__lookupSetter__",
    "__proto__",
    "constructor",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "toLocaleString",
    "toString",
    "valueOf",
}
WORD_JOINER = "\u2060"


def shortened(texts: Iterable[object], most: int = 60) -> list[str]:
    """Cut texts longer than ``most``, and number those that become equal.

    A name that a chart cannot use gets an invisible character.
    """
    times: dict[str, int] = {}
    labels = []
    for text in texts:
        label = str(text)
        if len(label) > most:
            label = label[: most - 1] + "…"
        if label in TAKEN:
            label += WORD_JOINER
        times[label] = times.get(label, 0) + 1
        labels.append(label if times[label] == 1 else f"{label[: most - 5]}… ({times[label]})")
    return labels
