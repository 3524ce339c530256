"""What every figure shares: the library, the colours and their meaning."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from core.base.errors import MissingPackageError
from core.figures.specification import maker

SERIES = ("my release", "other release", "breached", "single release", "guessing")
"""What each colour of the theme means, in its order."""
HEIGHT = 300
PERCENT = ".0%"


def altair_package() -> Any:
    """Return the altair package, or what stands for it on a page; raises MissingPackageError."""
    if (other := maker.get()) is not None:
        return other
    try:
        import altair
    except ImportError:
        raise MissingPackageError("altair", "draw charts") from None
    return altair


def colour(channel: Any = None) -> Any:
    """Colour by the field ``series``, one of :data:`SERIES`, without a legend; ``channel`` is colour or another."""
    alt = altair_package()
    return (channel or alt.Color)("series:N", scale=alt.Scale(domain=list(SERIES)), legend=None)


Columns = Mapping[str, Any]
"""Columns of a table by their names: lists or arrays of one length. A frame of them takes a page a millisecond."""


def chart(data: pd.DataFrame | Columns) -> Any:
    """Start a chart; Altair takes frames alone."""
    return altair_package().Chart(data if isinstance(data, pd.DataFrame) or maker.get() else pd.DataFrame(data))


def plot(data: pd.DataFrame | Columns, series: str) -> Any:
    """Start a chart whose marks all have the colour of one series."""
    if isinstance(data, pd.DataFrame):
        return chart(data.assign(series=series))
    return chart({**data, "series": [series] * len(next(iter(data.values())))})


def top_of(shares: Iterable[float]) -> float:
    """Where an axis of shares ends that fits what it shows: a little above the largest, and at 100 % at most."""
    return min(1.0, 1.05 * max((share for share in shares if share > 0), default=0.01))


def apart(heights: Sequence[float], gap: float = 0.06) -> list[float]:
    """Move heights in rising order so far that neighbours have a gap, from below up and not beyond 99 %.

    Names of lines that end together would otherwise stand on each other.
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
    ends: pd.DataFrame | Columns,
    x: Any,
    strong: Sequence[str] = (),
    span: tuple[float, float] = (0.0, 1.0),
    log: bool = False,
) -> list[Any]:
    """Name every line at its right end, apart from each other: a layer, and one for those in bold.

    Parameters
    ----------
    ends
        The field of ``x``, ``share`` (the height at which the line ends), ``line`` (its name) and ``series``, a row a
        line.
    x
        Horizontal encoding of the chart.
    strong
        Names to write in bold.
    span
        Lowest and highest value of the vertical axis, in the unit of the heights.
    log
        Whether that axis is logarithmic.
    """
    alt = altair_package()
    columns: dict[str, list[Any]] = {name: list(ends[name]) for name in map(str, ends)}
    order = sorted(range(len(columns["line"])), key=lambda row: (columns["share"][row], columns["line"][row]))
    data = {"text" if name == "line" else name: [cells[row] for row in order] for name, cells in columns.items()}
    low, high = (np.log(span) if log else np.asarray(span)).tolist()
    heights = np.asarray(data["share"], dtype=float)
    heights = np.log(heights.clip(min=span[0])) if log else heights
    placed = low + (high - low) * np.array(apart(((heights - low) / (high - low)).tolist()))
    data["share"] = (np.exp(placed) if log else placed).tolist()
    layers = []
    for bold in (False, True):
        part = {
            name: [cell for cell, text in zip(cells, data["text"], strict=True) if (text in strong) == bold]
            for name, cells in data.items()
        }
        if part["text"]:
            mark = chart(part).mark_text(align="left", dx=8, fontWeight="bold" if bold else "normal", clip=False)
            layers.append(mark.encode(x=x, y=alt.Y("share:Q"), text=alt.Text("text:N"), color=colour()))
    return layers


def last_of_each(data: pd.DataFrame, line: str, along: str, height: str) -> pd.DataFrame:
    """The last point of each line that has a height, as :func:`names_at_ends` takes it."""
    known = data[data[height].notna()].sort_values(along, kind="stable").drop_duplicates(line, keep="last")
    return known.rename(columns={line: "line", height: "share"})


_KEY_LINE = 17
"""Height of a line of a key, in pixels."""


def key(rows: Sequence[tuple[str, str]], shape: Any = None, opacity: Any = None) -> list[Any]:
    """Say above a chart what its marks mean, each in its colour, a line each: a layer of symbols and one of words.

    Parameters
    ----------
    rows
        Words and series of each mark.
    shape, opacity
        Encodings that tell the marks apart besides their colour, if any: the words are the field ``what``.
    """
    alt = altair_package()
    data = pd.DataFrame(rows, columns=["what", "series"])
    data["top"] = [-_KEY_LINE * (len(rows) - number) for number in range(len(rows))]
    # Places in pixels: a scale would be that of the chart.
    y = alt.Y("top:Q", scale=None, axis=None)
    options = {name: option for name, option in (("shape", shape), ("opacity", opacity)) if option is not None}
    plain = {name: value for name, value in (("shape", "square"), ("opacity", 1)) if name not in options}
    symbols = alt.Chart(data).mark_point(filled=True, size=80, **plain)
    words = alt.Chart(data).mark_text(align="left", baseline="middle", dx=9, clip=False)
    x = alt.value(6)
    return [
        symbols.encode(x=x, y=y, color=colour(), **options),
        words.encode(x=x, y=y, color=colour(), text=alt.Text("what:N")),
    ]


# Names that every object of JavaScript has: Vega looks texts up in objects, and a chart with such a text fails.
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
    """Cut long texts, tell apart those that begin alike, and add what nobody sees to names that charts cannot take."""
    seen: dict[str, int] = {}
    out = []
    for text in texts:
        whole = str(text)
        short = whole if len(whole) <= most else whole[: most - 1] + "…"
        short += WORD_JOINER * (short in TAKEN)
        seen[short] = seen.get(short, 0) + 1
        out.append(short if seen[short] == 1 else f"{short[: most - 5]}… ({seen[short]})")
    return out
