"""The partition as a picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from core import Release
from core.data.domain import Domain
from core.data.encoding import Encoded
from core.release.algorithm import ALGORITHMS, Algorithm
from pages.release import classes as release_classes
from pages.release import computed, partition_map
from pages.shared import results, session
from pages.shared.text import count, plain
from pages.shared.widgets import download_csv

PROJECTED, ALONE = "All", "These two"
_PLOT = "release:map:plot"
QUIET = {"displayModeBar": False}


def first_pair(encoded: Encoded) -> tuple[int, ...]:
    """Quasi-identifiers to begin with: the finest number or date, and the finest of the others."""
    sizes = [domain.size for domain in encoded.qids]
    everything = range(len(sizes))
    numbers = [i for i in everything if encoded.qids[i].values is not None] or list(everything)
    across = max(numbers, key=sizes.__getitem__)
    others = [i for i in everything if i != across]
    return (across, max(others, key=sizes.__getitem__)) if others else (across,)


def ask_sides(encoded: Encoded, place: str, where: Any) -> tuple[int, ...]:
    """Ask for the two sides of the picture; with one quasi-identifier there is nothing to ask."""
    start = first_pair(encoded)
    if len(start) == 1:
        return start
    everything = list(range(len(encoded.qids)))
    names = [plain(domain.name, 40) for domain in encoded.qids]
    across = _ask("Across", everything, start[0], names, f"release:{place}:across", where)
    others = [i for i in everything if i != across]
    up = _ask("Up", others, start[1], names, f"release:{place}:up", where)
    return across, up


def _ask(label: str, options: list[int], start: int, names: list[str], key: str, where: Any) -> int:
    if st.session_state.get(key) not in options:
        st.session_state[key] = start if start in options else options[0]
    chosen: int = where.selectbox(label, options, format_func=names.__getitem__, key=key, persist_state="session")
    return chosen


def clicked(event: Any) -> int | None:
    """The weakest class of the rectangle that was clicked, whatever the event holds."""
    try:
        points = event["selection"]["points"]
        return int(points[0]["customdata"][0]) if points else None
    except (KeyError, IndexError, TypeError, ValueError):
        return None


@st.fragment
def show() -> None:
    """The classes over two quasi-identifiers."""
    encoded = results.encoded()
    grid = st.grid(4, min_column_width=150, gap="small")
    if st.session_state.get("release:map:colour") not in partition_map.COLOURINGS:
        st.session_state["release:map:colour"] = "distinct"
    colouring = grid.selectbox(
        "Colour by",
        list(partition_map.COLOURINGS),
        format_func=partition_map.COLOURINGS.__getitem__,
        key="release:map:colour",
        persist_state="session",
    )
    sides = ask_sides(encoded, "map", grid)
    projected = True
    if len(encoded.qids) > 2:
        mode = grid.segmented_control(
            "Classes cut on",
            [PROJECTED, ALONE],
            default=PROJECTED,
            required=True,
            key="release:map:mode",
            persist_state="session",
        )
        projected = mode != ALONE
    st.caption(_explain(encoded, projected, ALGORITHMS[session.get("my_algorithm")]))
    if projected:
        _show_projected(encoded, sides, colouring)
    else:
        _show_alone(encoded, sides, colouring)


EXTENT = (
    "each dot is the published centroid of a class, the weakest on top. A diamond is a class whose people are all "
    "alike. How far the people of a class reach is **not published**, so it is not drawn. Classes overlap."
)


SPANS = (
    "each rectangle reaches from the first to the last value of a class. Of categories, the cell lists the values that "
    "occur, and others may lie between them: rectangles can overlap where classes do not."
)


def _explain(encoded: Encoded, projected: bool, algorithm: Algorithm) -> str:
    rest = len(encoded.qids) - 2
    if algorithm.centroids:
        if not projected:
            return f"**Not your release**: the same policy, as if these two were the only quasi-identifiers; {EXTENT}"
        return f"**Your release**: {EXTENT}"
    if algorithm.sets:
        if not projected:
            return f"**Not your release**: the same policy, as if these two were the only quasi-identifiers; {SPANS}"
        return f"**Your release**: {SPANS}"
    if not projected and algorithm.providers == "needed":
        return (
            "**Not your release**: the same policy, as if these two were the only quasi-identifiers. Classes that were "
            "cut between providers have one rectangle, in the colour of the weakest; on bare ground there is nobody."
        )
    if not projected:
        return (
            "**Not your release**: the same policy, as if these two were the only quasi-identifiers. The classes then "
            "tile the plane like a canvas of Mondrian; on bare ground there is nobody."
        )
    if rest <= 0 and algorithm.providers == "needed":
        return (
            "**Your release**: each rectangle is published. Classes that were cut between providers share one, in the "
            "colour of the weakest; on bare ground there is nobody."
        )
    if rest <= 0:
        return "**Your release**: each rectangle is a published class; on bare ground there is nobody."
    others = "the other quasi-identifier" if rest == 1 else f"the other {rest} quasi-identifiers"
    return (
        f"**Your release**: classes that differ in {others} lie on top of each other. Equal rectangles are drawn once, "
        f"in the colour of the weakest class. Colours mix where rectangles overlap; point at one to read its numbers."
    )


def _show_projected(encoded: Encoded, sides: tuple[int, ...], colouring: str) -> None:
    release, rows = results.my_release().release, computed.class_rows()
    most = len(rows)

    def choose() -> None:
        number = clicked(st.session_state.get(_PLOT))
        if number is not None and number < most:
            release_classes.open_class(number)

    if release.publishes_centroids:
        _plot_centroids(release, rows, sides, colouring, choose)
    else:
        frame = partition_map.rectangles(release, rows, *_two(sides))
        _plot(
            frame, [encoded.qids[i] for i in sides], colouring, release.algorithm.sets or len(encoded.qids) > 2, choose
        )
    number, chosen = release_classes.opened(rows)
    if chosen:
        release_classes.show_class(release, number, "the last one chosen")


def _show_alone(encoded: Encoded, sides: tuple[int, ...], colouring: str) -> None:
    alone = computed.narrow(sides)
    if alone.release.publishes_centroids:
        _plot_centroids(alone.release, alone.rows, (0, 1), colouring, None)
    else:
        frame = partition_map.rectangles(alone.release, alone.rows, 0, 1)
        _plot(frame, [encoded.qids[i] for i in sides], colouring, alone.release.algorithm.sets, None)


def _two(sides: tuple[int, ...]) -> tuple[int, int | None]:
    return sides[0], sides[1] if len(sides) > 1 else None


def _plot_centroids(release: Release, rows: pd.DataFrame, sides: tuple[int, ...], colouring: str, choose: Any) -> None:
    domains = [release.encoded.qids[i] for i in sides]
    figure = partition_map.centroid_map(
        release, rows, [partition_map.axis(domain) for domain in domains], sides, colouring
    )
    words = f"{count(len(rows))} classes of {count(rows['size'].sum())} people"
    clicks = {"on_select": choose, "selection_mode": "points"} if choose else {}
    st.plotly_chart(
        figure,
        config=QUIET,
        key=_PLOT if choose else f"{_PLOT}:alone",
        alt=f"Map of centroids: {words}; weak classes are coloured",
        **clicks,
    )
    rest = f" The {count(partition_map.MOST)} weakest can be pointed at." if len(rows) > partition_map.MOST else ""
    st.caption(f"{words}.{rest}{' Click a point to open its class.' if choose else ''}")
    _show_table(
        lambda: partition_map.centroid_numbers(release, rows, sides), domains, "map of centroids", "release:map:numbers"
    )


def _plot(frame: pd.DataFrame, domains: Sequence[Domain], colouring: str, overlapping: bool, choose: Any) -> None:
    axes = [partition_map.axis(domain) for domain in domains]
    frame = partition_map.largest_first(frame, axes)
    figure = partition_map.partition_map(frame, domains, axes, colouring, overlapping)
    classes, people = int(frame["classes"].sum()), int(frame["people"].sum())
    words = f"{count(classes)} classes of {count(people)} people in {count(len(frame))} rectangles"
    clicks = {"on_select": choose, "selection_mode": "points"} if choose else {}
    st.plotly_chart(
        figure,
        config=QUIET,
        key=_PLOT if choose else f"{_PLOT}:alone",
        alt=f"Partition map: {words}; weak classes are coloured",
        **clicks,
    )
    st.caption(f"{words}.{too_small(frame)}{' Click a rectangle to open its weakest class.' if choose else ''}")
    show_numbers(frame, domains, "partition map", "release:map:numbers")


def too_small(frame: pd.DataFrame) -> str:
    """What to say of rectangles beyond those that can be pointed at."""
    rest = len(frame) - partition_map.MOST
    return f" The {count(rest)} smallest are drawn, but too small to be pointed at." if rest > 0 else ""


def show_numbers(frame: pd.DataFrame, domains: Sequence[Domain], name: str, key: str) -> None:
    """The same numbers as the picture, as a table and a CSV; made when opened."""
    _show_table(lambda: partition_map.numbers(frame, domains), domains, name, key)


def _show_table(make: Callable[[], pd.DataFrame], domains: Sequence[Domain], name: str, key: str) -> None:
    fold = st.expander("The numbers behind this picture", icon=":material/table_chart:", on_change="rerun", key=key)
    if fold.open:
        titles = dict(zip(("across", "up"), (plain(domain.name, 40) for domain in domains), strict=False))
        with fold:
            table = make()
            st.dataframe(table, hide_index=True, column_config=titles, alt=f"Table of the numbers: {name}")
            download_csv(table, name, key)
