"""The partition as a picture: the classes cut on two columns."""

from __future__ import annotations

import streamlit as st

from core.data.encoding.encoded import Encoded
from pages.release import computed, partition_map
from pages.shared.compute import data_results
from pages.shared.ui.text import count, plain


def first_pair(encoded: Encoded) -> tuple[int, ...]:
    """Quasi-identifiers to begin with: the finest number or date, and the finest of the others."""
    sizes = [domain.size for domain in encoded.qids]
    everything = range(len(sizes))
    numbers = [i for i in everything if encoded.qids[i].values is not None] or list(everything)
    across = max(numbers, key=sizes.__getitem__)
    others = [i for i in everything if i != across]
    return (across, max(others, key=sizes.__getitem__)) if others else (across,)


def _sides(encoded: Encoded) -> tuple[int, ...]:
    """Ask for the two sides of the picture; with one quasi-identifier there is nothing to ask."""
    start = first_pair(encoded)
    if len(start) == 1:
        return start
    everything = list(range(len(encoded.qids)))
    left, right = st.columns(2)
    across = _ask("Across", everything, start[0], encoded, left)
    return across, _ask("Up", [i for i in everything if i != across], start[1], encoded, right)


def _ask(label: str, options: list[int], start: int, encoded: Encoded, where: st.delta_generator.DeltaGenerator) -> int:
    key = f"release:map:{label}"
    if st.session_state.get(key) not in options:
        st.session_state[key] = start if start in options else options[0]
    names = [plain(domain.name, 40) for domain in encoded.qids]
    chosen: int = where.selectbox(label, options, format_func=names.__getitem__, key=key, persist_state="session")
    return chosen


@st.fragment
def show() -> None:
    """The classes as my policy cuts them on two quasi-identifiers."""
    encoded = data_results.encoded()
    sides = _sides(encoded)
    frame = partition_map.rectangles(computed.narrow(sides))
    whose = (
        "**Your release**"
        if len(encoded.qids) <= len(sides)
        else "**Not your release**: the same policy, as if these two were the only quasi-identifiers"
    )
    words = f"{count(frame['classes'].sum())} classes of {count(frame['people'].sum())} people"
    st.caption(
        f"{whose}; {words}. Values are in their order. Strong colours mark classes with few distinct sensitive "
        "values. Empty areas contain no records."
    )
    st.plotly_chart(
        partition_map.partition_map(frame, [encoded.qids[i] for i in sides]),
        config={"displayModeBar": False},
        key="release:map:plot",
        alt=f"Partition map: {words}; weak classes are coloured",
    )
    if len(frame) > partition_map.MOST:
        rest = count(len(frame) - partition_map.MOST)
        st.caption(f"The {rest} smallest rectangles are drawn, but are too small to select with the pointer.")
