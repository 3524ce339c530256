"""The partition as a picture: classes as rectangles over two quasi-identifiers, in Plotly.

After the painter: white planes between thick dark lines, a few of them coloured. The colour
ranks the classes, the stronger the weaker: white, yellow, grey, blue differ in lightness, so
the order is seen without telling hues apart. Red is kept for classes whose people all share
one sensitive value; they are hatched too.

Nothing here calls Streamlit. Names and values of the user's file are put in as text that
Plotly cannot take for markup.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from core.algorithms.mondrian.trace import Trace
from core.base.arrays import Floats, Ints
from core.data.classes import distinct_columns
from core.data.dates import text_of
from core.data.domain import Domain, number_text
from core.data.schema import Kind
from core.release.centroids import central_codes
from core.release.published.cell_reader import Reader
from core.release.region_text import region_text
from core.release.release import Release
from pages.shared.text import count, plain

MOST = 2000
HEIGHT = 680
INK, GROUND, WHITE = "#14161A", "#E4E0D6", "#FFFEFA"
YELLOW, GREY, BLUE, RED = "#F6CC33", "#A7A9A6", "#2543D5", "#B70300"
_FROM_STRONG = {0: (), 1: (WHITE,), 2: (WHITE, BLUE), 3: (WHITE, YELLOW, BLUE), 4: (WHITE, YELLOW, GREY, BLUE)}
_FRESH = (BLUE, YELLOW, GREY)
_TICKS, _MOST_TEXTS = 14, 60

COLOURINGS = {
    "size": "Records in the class",
    "distinct": "Distinct sensitive values",
    "distance": "Distance to the whole table",
}


def harmless(value: object, most: int = 60) -> str:
    """One short line that Plotly shows as it is: its texts are a little HTML."""
    return plain(value, most).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


# ---- an axis -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Axis:
    """One quasi-identifier laid out on a line.

    Parameters
    ----------
    name
        Its header.
    edges
        (codes + 1,) where the strip of each code begins, and where the last one ends.
    places, texts
        Where ticks stand, and what they say.
    ranked
        Whether numbers stand in order but not to scale.
    """

    name: str
    edges: Floats
    places: tuple[float, ...]
    texts: tuple[str, ...]
    ranked: bool = False


def axis(domain: Domain) -> Axis:
    """Lay out a domain: numbers to scale, unless one gap would fill the picture; others in order."""
    values = None if domain.values is None else domain.values[: domain.size - (domain.missing >= 0)]
    if values is not None and _evenly(values):
        return _to_scale(domain, values)
    edges = np.arange(domain.size + 1, dtype=np.float64) - 0.5
    if domain.taxonomy is not None:
        places, texts = _tree_ticks(domain, edges)
    else:
        shown = np.unique(np.linspace(0, domain.size - 1, min(domain.size, _TICKS)).round().astype(int))
        places, texts = tuple(map(float, shown)), tuple(harmless(domain.labels[i], 16) for i in shown)
    return Axis(domain.name, edges, places, texts, ranked=values is not None)


def _evenly(values: Floats) -> bool:
    gaps = np.diff(values)
    return len(values) <= 10 or bool(gaps.max() <= 0.2 * (values[-1] - values[0]))


def _to_scale(domain: Domain, values: Floats) -> Axis:
    gaps = np.diff(values)
    step = float(np.median(gaps)) if len(gaps) else 1.0
    middles = values[:-1] + gaps / 2
    edges = np.concatenate(([values[0] - step / 2], middles, [values[-1] + step / 2]))
    ends = float(values[0]), float(values[-1])
    marks = date_ticks(*ends) if domain.kind is Kind.DATE else {at: number_text(at) for at in nice_ticks(*ends)}
    places, texts = tuple(marks), tuple(marks.values())
    if domain.missing >= 0:
        wide = max(step, (edges[-1] - edges[0]) / 25)
        edges = np.append(edges, edges[-1] + wide)
        places = (*(mark for mark in marks if mark < edges[-2] - wide), float(edges[-1] - wide / 2))
        texts = (*(marks[mark] for mark in places[:-1]), harmless(domain.labels[domain.missing], 16))
    return Axis(domain.name, edges, places, texts)


def nice_ticks(low: float, high: float, about: int = 7) -> tuple[float, ...]:
    """Round numbers from ``low`` to ``high``, about so many of them."""
    if not high > low:
        return (low,)
    raw = (high - low) / about
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return tuple(float(f"{number * step:.12g}") for number in range(first, last + 1))


def date_ticks(low: float, high: float) -> dict[float, str]:
    """First days of months, or of years where there are four or more, each with its text; the ends of a short time."""
    first, last = date.fromordinal(int(low)), date.fromordinal(int(high))
    months, unit = (12, "year") if last.year - first.year >= 4 else (1, "month")
    begin, end = ((12 * day.year + day.month - 1) / months for day in (first, last))
    starts = [months * int(mark) for mark in nice_ticks(begin, end)]
    days = [date(start // 12, start % 12 + 1, 1).toordinal() for start in starts]
    inside = sorted({day for day in days if low <= day <= high})
    if len(inside) < 2:
        return {end: text_of(int(end), "day") for end in (low, high)}
    return {float(day): text_of(day, unit) for day in inside}


def _tree_ticks(domain: Domain, edges: Floats) -> tuple[tuple[float, ...], tuple[str, ...]]:
    """Nodes of the deepest level that has few enough of them, each at the middle of its leaves."""
    tree = domain.taxonomy
    assert tree is not None
    for depth in range(tree.height, 0, -1):
        nodes = np.unique(tree.ancestors[depth])
        if len(nodes) <= _TICKS or depth == 1:
            break
    else:
        nodes = np.array([0])
    nodes = nodes[:: math.ceil(len(nodes) / _TICKS)]
    places = (edges[tree.low[nodes]] + edges[tree.high[nodes] + 1]) / 2
    return tuple(map(float, places)), tuple(harmless(tree.labels[node], 16) for node in nodes)


# ---- rectangles --------------------------------------------------------------------------


def rectangles(release: Release, table: pd.DataFrame, first: int, second: int | None) -> pd.DataFrame:
    """Classes seen through two quasi-identifiers; those with the same rectangle are one row.

    Parameters
    ----------
    release, table
        A release and its table of classes (``class_number, size, distinct, distance``).
    first, second
        Quasi-identifiers across and up; ``None`` if there is only one.

    Returns
    -------
    DataFrame
        ``x_low, x_high, y_low, y_high`` (codes, ends included), ``people, classes``, the
        weakest ``size, distinct, distance`` among them, and ``weakest``, the class with the
        fewest distinct values (then the farthest from the table).
    """
    low, high = release.regions
    none = np.zeros(len(table), dtype=np.int64)
    corners = [low[:, first], high[:, first]]
    corners += [none, none] if second is None else [low[:, second], high[:, second]]
    at, group, classes = distinct_columns(np.array(corners))
    # Classes of one rectangle together, the weakest first.
    order = np.lexsort((-table["distance"], table["distinct"], group))
    starts = np.cumsum(classes) - classes
    size, distinct, distance = (table[name].to_numpy()[order] for name in ("size", "distinct", "distance"))
    frame = pd.DataFrame(
        dict(zip(("x_low", "x_high", "y_low", "y_high"), (corner[at] for corner in corners), strict=True))
    )
    return frame.assign(
        people=np.add.reduceat(size, starts),
        classes=classes,
        size=np.minimum.reduceat(size, starts),
        distinct=distinct[starts],
        distance=np.maximum.reduceat(distance, starts),
        weakest=table["class_number"].to_numpy()[order][starts],
    )


def centres(release: Release, axes: Sequence[Axis], sides: Sequence[int]) -> Floats:
    """Where the published centroid of each class lies on the picture: (classes, sides).

    Takes a release that publishes centroids; sides as for :func:`rectangles`.
    """
    places = []
    for axis, side in zip(axes, sides, strict=True):
        domain = release.encoded.qids[side]
        if domain.values is None:
            code = central_codes(domain, release.encoded.codes[side], release.classes)
            places.append((axis.edges[code] + axis.edges[code + 1]) / 2)
            continue
        texts, which = release.region_codes(side)
        values = Reader.of(domain).spans(texts)[0]
        known = domain.values[: domain.size - (domain.missing >= 0)]
        at = np.interp(values, known, np.arange(len(known))) if axis.ranked else values.copy()
        at[np.isnan(values)] = (axis.edges[-2] + axis.edges[-1]) / 2
        places.append(at[which])
    return np.column_stack(places)


def centroid_numbers(release: Release, table: pd.DataFrame, sides: Sequence[int]) -> pd.DataFrame:
    """Published cells of each class on the chosen sides, with its numbers, for a table and a file."""
    texts_of = {}
    for name, side in zip(("across", "up"), sides, strict=False):
        texts, which = release.region_codes(side)
        texts_of[name] = np.array([plain(text) for text in texts], dtype=object)[which]
    return pd.DataFrame(texts_of | {name: table[name].to_numpy() for name in ("size", "distinct", "distance")})


def centroid_map(
    release: Release, table: pd.DataFrame, axes: Sequence[Axis], sides: Sequence[int], colouring: str
) -> go.Figure:
    """Draw the published centroid of each class as a dot, the weakest on top.

    Takes what :func:`rectangles` and :func:`partition_map` take. The :data:`MOST` weakest can be
    pointed at. How far the people of a class reach is not published, and not drawn.
    """
    at = centres(release, axes, sides)
    values = table[colouring].to_numpy()
    steps = bands(values, colouring)
    weakest_first = np.argsort(-values if colouring == "distance" else values, kind="stable")
    cells = centroid_numbers(release, table, sides)
    data = np.column_stack(
        [
            table["class_number"],
            *([harmless(text) for text in cells[name]] for name in ("across", "up")[: len(sides)]),
            [f"{count(n)} people in 1 class" for n in cells["size"]],
            cells["size"],
            cells["distinct"],
            [f"{value:.3f}" for value in cells["distance"]],
        ]
    )
    traces = []
    for shown, more in (
        (weakest_first[MOST:][::-1], {"hoverinfo": "skip"}),
        (weakest_first[:MOST][::-1], {"hovertemplate": _hover(axes, grouped=False)}),
    ):
        marker = {
            "size": 8,
            "opacity": 1,
            "line": {"color": INK, "width": 1},
            "color": [steps.colours[step] for step in steps.of[shown]],
            # Never by colour alone.
            "symbol": ["diamond" if step == steps.alike else "circle" for step in steps.of[shown]],
        }
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "x": at[shown, 0],
                "marker": marker,
                "customdata": data[shown],
                "y": at[shown, 1] if len(sides) > 1 else np.full(len(shown), 0.5),
                "cliponaxis": False,
                "selected": {"marker": {"color": INK}},
                "unselected": {"marker": {"opacity": 1}},
                **more,
            }
        )
    return _figure([*traces, _colour_bar(steps, 1.0, COLOURINGS[colouring])], axes)


def nodes(trace: Trace, cuts: int, domains: Sequence[Domain]) -> pd.DataFrame:
    """Rectangles after the first so many cuts; ``fresh`` numbers the parts of the last one from 1, else 0."""
    present = np.array(trace.after(cuts))
    columns: dict[str, Any] = {"y_low": 0, "y_high": 0}
    for number, (side, domain) in enumerate(zip(("x", "y"), domains, strict=False)):
        ends = domain.cover(trace.low[present, number], trace.high[present, number])
        columns[f"{side}_low"], columns[f"{side}_high"] = ends
    parts = trace.cuts[cuts - 1].parts if cuts else ()
    fresh = np.zeros(len(present), dtype=np.int64)
    fresh[np.searchsorted(present, parts)] = np.arange(1, len(parts) + 1)
    return pd.DataFrame(columns | {"people": trace.sizes[present], "fresh": fresh})


def numbers(frame: pd.DataFrame, domains: Sequence[Domain]) -> pd.DataFrame:
    """Rectangles as a table for reading: ``across, up`` as published, and the counts."""
    columns = {}
    for name, side, domain in zip(("across", "up"), ("x", "y"), domains, strict=False):
        columns[name] = _regions(frame, side, domain, plain)
    counted = ("people", "classes", "size", "distinct", "distance")
    return pd.DataFrame(columns | {name: frame[name] for name in counted if name in frame})


def largest_first(frame: pd.DataFrame, axes: Sequence[Axis]) -> pd.DataFrame:
    """Rectangles by their area on the picture: large ones first, so that they lie below."""
    area = axes[0].edges[frame["x_high"] + 1] - axes[0].edges[frame["x_low"]]
    if len(axes) > 1:
        area = area * (axes[1].edges[frame["y_high"] + 1] - axes[1].edges[frame["y_low"]])
    return frame.iloc[np.argsort(-area, kind="stable")].reset_index(drop=True)


# ---- colours -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ColourSteps:
    """Values put into a few steps.

    Parameters
    ----------
    of
        Step of each value; 0 is the strongest.
    colours, texts
        Colour and words of each step.
    alike
        Step of the classes with a single sensitive value, or -1.
    """

    of: Ints
    colours: tuple[str, ...]
    texts: tuple[str, ...]
    alike: int = -1


def bands(values: NDArray[Any], colouring: str) -> ColourSteps:
    """Rank rectangles in at most four steps: the weaker half is coloured, the weakest tenth blue.

    Few records, few distinct values and a large distance are weak. A single distinct value
    is a step of its own.
    """
    weak = np.asarray(values, dtype=np.float64) * (-1 if colouring == "distance" else 1)
    alone = np.asarray(values) <= 1 if colouring == "distinct" else np.zeros(len(weak), dtype=bool)
    rest = weak[~alone]
    ends = np.unique(np.quantile(rest, [0.1, 0.25, 0.5], method="lower")) if len(rest) else np.zeros(0)
    step = len(ends) - np.searchsorted(ends, weak, side="left")
    used = np.unique(step[~alone])
    step = np.searchsorted(used, step)
    colours = list(_FROM_STRONG[len(used)])
    if alone.any():
        step[alone] = len(colours)
        colours.append(RED)
    texts = tuple(_span(np.asarray(values)[step == number], colouring) for number in range(len(colours)))
    return ColourSteps(step, tuple(colours), texts, len(colours) - 1 if alone.any() else -1)


def _span(values: NDArray[Any], colouring: str) -> str:
    low, high = values.min(), values.max()
    if colouring == "distance":
        ends = (f"{low:.2f}", f"{high:.2f}")
        return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"
    if colouring == "distinct" and high <= 1:
        return "1: all alike" if high == 1 else "none known"
    return count(low) if low == high else f"{count(low)} to {count(high)}"


def _parts(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5))


def _see_through(colour: str, opacity: float) -> str:
    return f"rgba({','.join(map(str, _parts(colour)))},{opacity})"


def _over_ground(colour: str, opacity: float) -> str:
    """How a colour looks where it lies on bare ground; red is never seen through."""
    share = 1.0 if colour == RED else opacity
    mixed = [round(share * c + (1 - share) * g) for c, g in zip(_parts(colour), _parts(GROUND), strict=True)]
    return f"rgb({','.join(map(str, mixed))})"


# ---- figures -----------------------------------------------------------------------------


def partition_map(
    frame: pd.DataFrame, domains: Sequence[Domain], axes: Sequence[Axis], colouring: str, overlapping: bool
) -> go.Figure:
    """Draw rectangles coloured by size, diversity or distance.

    Parameters
    ----------
    frame
        Output of :func:`largest_first`. 2,000 are marks of their own, the largest and, on top,
        those with a single sensitive value; the others are drawn together, a path a colour,
        and cannot be pointed at.
    domains, axes
        One or two quasi-identifiers, across and up.
    colouring
        A key of :data:`COLOURINGS`.
    overlapping
        Whether rectangles lie on one another, so that they must be seen through.
    """
    steps = bands(frame[colouring].to_numpy(), colouring)
    alike = steps.of == steps.alike
    single = _marks(alike)
    opacity = 0.62 if overlapping else 1.0
    paint = [colour if colour == RED else _see_through(colour, opacity) for colour in steps.colours]
    shown = frame.iloc[single]
    # Colours as texts: plotly.js writes a warning a mark when a bar's colours are numbers.
    bar = _bars(shown, axes, [paint[step] for step in steps.of[single]])
    bar |= {
        "customdata": _hover_data(shown, domains),
        "hovertemplate": _hover(axes, grouped=bool((frame["classes"] > 1).any())),
        "selected": {"marker": {"color": INK}},
        "unselected": {"marker": {"opacity": 1}},
    }
    rest = np.setdiff1d(np.arange(len(frame)), single)
    paths = [_path(frame.iloc[rest[steps.of[rest] == i]], axes, colour) for i, colour in enumerate(paint)]
    # Above everything, and hatched: never by colour alone.
    hatch = {"shape": "/", "fgcolor": WHITE, "size": 6, "solidity": 0.25, "fillmode": "overlay"}
    paths.append(_path(frame[alike], axes, RED) | {"fillpattern": hatch})
    return _figure([bar, *paths, _colour_bar(steps, opacity, COLOURINGS[colouring])], axes)


def _marks(on_top: NDArray[np.bool_]) -> Ints:
    """Rows that are marks of their own, in the order they are drawn: the largest, then those on top."""
    top = np.flatnonzero(on_top)[:MOST]
    return np.concatenate([np.flatnonzero(~on_top)[: MOST - len(top)], top])


def step_map(frame: pd.DataFrame, domains: Sequence[Domain], axes: Sequence[Axis]) -> go.Figure:
    """Draw the classes after some cuts, the parts of the last cut coloured.

    Takes the rectangles of :func:`nodes`, by :func:`largest_first`.
    """
    single = _marks((frame["fresh"] > 0).to_numpy())
    shown, rest = frame.iloc[single], frame.drop(frame.index[single])
    people = [count(n) for n in shown["people"]]
    bar = _bars(shown, axes, [_FRESH[(n - 1) % len(_FRESH)] if n else WHITE for n in shown["fresh"]])
    lines = [*_named_texts(axes, 0), f"people: %{{customdata[{len(axes)}]}}"]
    bar |= {
        "customdata": np.column_stack([*_hover_texts(shown, domains), people]),
        "hovertemplate": "<br>".join(lines) + "<extra></extra>",
    }
    if len(shown) <= _MOST_TEXTS:
        bar |= {"text": people, "textposition": "inside", "insidetextanchor": "middle", "textangle": 0}
    return _figure([bar, _path(rest, axes, WHITE)], axes)


def _sides(frame: pd.DataFrame, axes: Sequence[Axis]) -> tuple[Floats, Floats, Floats, Floats]:
    """Left, right, bottom and top of rectangles."""
    left, right = axes[0].edges[frame["x_low"]], axes[0].edges[frame["x_high"] + 1]
    if len(axes) == 1:
        return left, right, np.zeros(len(frame)), np.ones(len(frame))
    return left, right, axes[1].edges[frame["y_low"]], axes[1].edges[frame["y_high"] + 1]


def _bars(shown: pd.DataFrame, axes: Sequence[Axis], colours: list[str]) -> dict[str, Any]:
    """Rectangles as bars with a base: one trace, exact hover, clickable."""
    left, right, bottom, top = _sides(shown, axes)
    marks = len(shown)
    thick = 4.0 if marks <= 40 else 2.5 if marks <= 200 else 1.4 if marks <= 800 else 0.7
    return {
        "type": "bar",
        "x": left,
        "width": right - left,
        "offset": 0,
        "base": bottom,
        "y": top - bottom,
        "marker": {"line": {"color": INK, "width": thick}, "color": colours},
    }


def _scale(paint: Sequence[str]) -> dict[str, Any]:
    """A colour scale of steps for the numbers 0, 1, ..."""
    n = len(paint)
    steps = [(place / n, colour) for i, colour in enumerate(paint) for place in (i, i + 1)]
    return {"colorscale": steps, "cmin": -0.5, "cmax": n - 0.5}


def _path(frame: pd.DataFrame, axes: Sequence[Axis], colour: str) -> dict[str, Any]:
    """Rectangles of one colour as a single path."""
    left, right, bottom, top = _sides(frame, axes)
    gap = np.full(len(frame), np.nan)
    return {
        "type": "scatter",
        "mode": "lines",
        "fill": "toself",
        "fillcolor": colour,
        "hoverinfo": "skip",
        "x": np.column_stack([left, right, right, left, left, gap]).ravel(),
        "y": np.column_stack([bottom, bottom, top, top, bottom, gap]).ravel(),
        "line": {"color": INK, "width": 0.7},
    }


def _regions(shown: pd.DataFrame, side: str, domain: Domain, words: Callable[[str], str]) -> list[str]:
    """Published texts of one side of the rectangles, each put into words once."""
    low, high = shown[f"{side}_low"].to_numpy(), shown[f"{side}_high"].to_numpy()
    keys, which = np.unique(low * np.int64(domain.size) + high, return_inverse=True)
    texts = [words(region_text(domain, int(key) // domain.size, int(key) % domain.size)) for key in keys]
    return [texts[i] for i in which]


def _hover_texts(shown: pd.DataFrame, domains: Sequence[Domain]) -> list[list[str]]:
    return [_regions(shown, side, domain, harmless) for side, domain in zip(("x", "y"), domains, strict=False)]


def _named_texts(axes: Sequence[Axis], first: int) -> list[str]:
    """Lines of a hover text: the name of each side and its published text."""
    names = [harmless(axis.name, 40).replace("%", "&#37;") for axis in axes]
    return [f"{name}: %{{customdata[{i}]}}" for i, name in enumerate(names, start=first)]


def _hover_data(shown: pd.DataFrame, domains: Sequence[Domain]) -> NDArray[Any]:
    """A row a mark: the class a click opens, then the texts of :func:`_hover`."""
    pairs = zip(shown["people"], shown["classes"], strict=True)
    people = [f"{count(n)} people in {count(m)} {'class' if m == 1 else 'classes'}" for n, m in pairs]
    weakest = [shown["size"], shown["distinct"], [f"{value:.3f}" for value in shown["distance"]]]
    columns = (shown["weakest"], *_hover_texts(shown, domains), people, *weakest)
    return np.column_stack([np.asarray(column) for column in columns])


def _hover(axes: Sequence[Axis], grouped: bool) -> str:
    words = ("smallest class", "fewest distinct values", "largest distance to the table")
    if not grouped:
        words = ("records", "distinct values", "distance to the table")
    n = len(axes) + 1
    lines = [*_named_texts(axes, 1), f"%{{customdata[{n}]}}"]
    lines += [f"{word}: %{{customdata[{i}]}}" for i, word in enumerate(words, start=n + 1)]
    return "<br>".join(lines) + "<extra></extra>"


def _colour_bar(steps: ColourSteps, opacity: float, title: str) -> dict[str, Any]:
    """A mark that is never seen, for the sake of a colour bar with the colours as they look on the map."""
    bar = {
        "title": {"text": f"{title} (strong colour: weak class)", "side": "top"},
        "orientation": "h",
        "x": 0,
        "xanchor": "left",
        "y": -0.11,
        "yanchor": "top",
        "len": 1,
        "thickness": 16,
        "ticks": "",
        "tickvals": list(range(len(steps.texts))),
        "ticktext": list(steps.texts),
        "outlinecolor": INK,
        "outlinewidth": 2,
    }
    scale = _scale([_over_ground(colour, opacity) for colour in steps.colours])
    marker = {"color": [0], **scale, "showscale": True, "colorbar": bar}
    return {"type": "scatter", "mode": "markers", "x": [None], "y": [None], "marker": marker, "hoverinfo": "skip"}


def _figure(traces: Sequence[dict[str, Any]], axes: Sequence[Axis]) -> go.Figure:
    """Traces, empty ones left out, on bare ground in a dark frame; ticks where the axes say."""
    frame = {
        "showgrid": False,
        "zeroline": False,
        "showline": True,
        "mirror": True,
        "linecolor": INK,
        "linewidth": 3,
        "fixedrange": True,
        "tickmode": "array",
    }
    layout: dict[str, Any] = {
        "barmode": "overlay",
        "plot_bgcolor": GROUND,
        "hovermode": "closest",
        "dragmode": False,
        "clickmode": "event+select",
        "height": HEIGHT,
        "showlegend": False,
        "bargap": 0,
        "margin": {"l": 10, "r": 10, "t": 10, "b": 10, "pad": 0},
        "yaxis": {**frame, "range": [0, 1], "tickvals": [], "ticktext": []},
    }
    for side, axis in zip(("xaxis", "yaxis"), axes, strict=False):
        ends = [axis.edges[0], axis.edges[-1]]
        ticks = {"tickvals": axis.places, "ticktext": axis.texts, "title": {"text": _title(axis)}}
        layout[side] = {**frame, "range": ends, **ticks}
    return go.Figure({"data": [trace for trace in traces if len(trace["x"])], "layout": layout})


def _title(axis: Axis) -> str:
    return harmless(axis.name, 40) + (" (in order, not to scale)" if axis.ranked else "")
