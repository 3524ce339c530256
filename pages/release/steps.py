"""The partition cut by cut, for teaching."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.algorithms.mondrian.trace import Trace
from core.data.domain import Domain
from core.release.region_text import region_text
from pages.release import computed, map_section, partition_map
from pages.shared import results
from pages.shared.text import count, safe

_AT, _PLAY, _SLIDE = "release:steps:at", "release:steps:play", "release:steps:slide"
_START, _MOST_PARTS = 8, 4


def cut_words(trace: Trace, number: int, domains: Sequence[Domain]) -> str:
    """One cut as a sentence of Markdown; 0 is the state before the first."""
    if number == 0:
        return f"Before the first cut all **{count(trace.sizes[0])}** people are one class."
    cut = trace.cuts[number - 1]
    domain = domains[cut.attribute]
    start = (
        f"Cut {count(number)} of {count(len(trace.cuts))}: a class of **{count(trace.sizes[cut.parent])}** people is "
        f"cut on **{safe(domain.name, 40)}**"
    )
    low = trace.low[list(cut.parts), cut.attribute]
    if domain.values is not None and low[1] != domain.missing:
        below, above = (count(trace.sizes[part]) for part in cut.parts)
        return f"{start} at **{safe(domain.labels[low[1]])}**: {below} people below, {above} from there up."
    texts = []
    for part in cut.parts:
        ends = domain.cover(*(bound[[part], cut.attribute] for bound in (trace.low, trace.high)))
        texts.append(
            f"{count(trace.sizes[part])} people in {safe(region_text(domain, int(ends[0][0]), int(ends[1][0])))}"
        )
    if len(texts) > _MOST_PARTS:
        texts = [*texts[: _MOST_PARTS - 1], f"{len(texts) - _MOST_PARTS + 1} more parts"]
    return f"{start}: {', '.join(texts[:-1])} and {texts[-1]}."


def moved(at: int, by: int, most: int) -> int:
    """The step reached from another, within bounds."""
    return max(0, min(most, at + by))


def _go(by: int, most: int) -> None:
    st.session_state[_AT] = moved(st.session_state.get(_AT, _START), by, most)


def _slid() -> None:
    st.session_state[_AT] = int(st.session_state[_SLIDE])


def _toggle_play(most: int) -> None:
    st.session_state[_PLAY] = not st.session_state.get(_PLAY, False)
    if st.session_state[_PLAY] and st.session_state.get(_AT, _START) >= most:
        st.session_state[_AT] = 0


def show() -> None:
    """Follow the cuts of a partition on two quasi-identifiers."""
    st.caption(
        "Mondrian takes a class, its widest side, and the cut nearest the median after which both parts meet the "
        "policy; then it starts again. Two quasi-identifiers are shown here as if there were no others. Your release "
        "is cut in the same way on all of them. The parts of the last cut are coloured."
    )
    grid = st.grid(4, min_column_width=150, gap="small", vertical_alignment="bottom")
    sides = map_section.ask_sides(results.encoded(), "steps", grid)
    most = len(computed.narrow_trace(sides).cuts)
    playing = bool(st.session_state.get(_PLAY)) and most > 0
    grid.button(
        "Stop" if playing else "Play",
        icon=":material/stop:" if playing else ":material/play_arrow:",
        on_click=_toggle_play,
        args=(most,),
        disabled=not most,
        key="release:steps:button",
    )
    st.fragment(run_every=0.9 if playing else None)(_steps)(sides)


def _steps(sides: tuple[int, ...]) -> None:
    trace = computed.narrow_trace(sides)
    domains = [results.encoded().qids[i] for i in sides]
    most = len(trace.cuts)
    if not most:
        st.caption("The whole table is one class: no cut leaves both parts within the policy.")
        return
    playing = bool(st.session_state.get(_PLAY))
    at = moved(st.session_state.get(_AT, _START), int(playing), most)
    st.session_state[_AT] = at
    if playing and at == most:
        st.session_state[_PLAY] = False
        st.rerun()
    _ask_step(at, most)
    st.markdown(cut_words(trace, at, domains))
    axes = [partition_map.axis(domain) for domain in domains]
    frame = partition_map.largest_first(partition_map.nodes(trace, at, domains), axes)
    st.plotly_chart(
        partition_map.step_map(frame, domains, axes),
        config=map_section.QUIET,
        key="release:steps:plot",
        alt=f"Partition after {at} of {most} cuts: {len(frame)} classes",
    )
    end = " No class can be cut again without breaking the policy." if at == most else ""
    st.caption(
        f"{count(len(frame))} {'class' if len(frame) == 1 else 'classes'} so far.{map_section.too_small(frame)}{end}"
    )
    map_section.show_numbers(frame, domains, "partition after some cuts", "release:steps:numbers")


def _ask_step(at: int, most: int) -> None:
    """A slider over the cuts, and buttons for one back and one on."""
    with st.container(horizontal=True):
        st.button(
            "Back",
            icon=":material/chevron_left:",
            key="release:steps:back",
            disabled=at == 0,
            on_click=_go,
            args=(-1, most),
        )
        st.button(
            "Next",
            icon=":material/chevron_right:",
            key="release:steps:on",
            disabled=at == most,
            on_click=_go,
            args=(1, most),
        )
    st.session_state[_SLIDE] = at
    st.slider("Cuts made", 0, most, key=_SLIDE, on_change=_slid)
