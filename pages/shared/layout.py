"""One view: a rail of controls, and beside it the numbers and the chart that they move."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import streamlit as st

from core.errors import CompositionError
from pages.shared import errors, history, session, turns

STYLE = Path(__file__).parents[2] / "assets" / "style.css"


def style() -> None:
    """Send the style sheet: the bar on top, the rail, and contrast."""
    st.html(STYLE)


def heading(title: str, sentence: str) -> None:
    """Title of a page, and what is decided on it."""
    with st.container(gap=None):
        st.title(title, anchor=False)
        st.caption(sentence)


_SHOWN = "layout:shown"


def one_view() -> tuple[Any, Any]:
    """Places for the controls and for what they move: beside each other, or one above the other, both in sight.

    Fill the second place first: it is what a move of a control changes. Then call :func:`answered`.
    """
    st.session_state[_SHOWN] = session.settings()
    with st.container(key="one-view"):
        return st.container(key="rail", gap="small"), st.container(key="stage", gap="small")


def tabs(key: str, sections: Mapping[str, Callable[[], None]], first: str | None = None) -> None:
    """Sections of a page, ``first`` or the first of them open; what is folded away is neither computed nor sent."""
    shown = st.tabs(list(sections), key=key, on_change="rerun", default=first)
    for tab, draw in zip(shown, sections.values(), strict=True):
        if not tab.open:
            continue
        with tab, errors.refusing():
            draw()


def closer(key: str, sections: Mapping[str, Callable[[], None]], opened: bool = False) -> None:
    """Sections of which none is open at first, or the first; only the open one is computed and sent."""
    if st.session_state.get(key) not in sections:
        st.session_state.pop(key, None)  # another algorithm has other sections
        if opened:
            st.session_state[key] = next(iter(sections))
    chosen = st.segmented_control("Look closer", list(sections), key=key)
    if chosen is not None:
        with errors.refusing():
            sections[chosen]()


def answered(details: Callable[[], object] | None = None) -> None:
    """Number, chart and controls of a page are drawn: what follows waits for those of others.

    Where many details follow, it also waits until a browser has drawn the answer, which would else be seen with
    them. Meanwhile ``details`` works out what they need; what it refuses they refuse.
    """
    again_if_fitted()
    turns.answered()
    if details is not None:
        with suppress(CompositionError):
            turns.let_it_be_seen(details)


def is_open(key: str, section: str) -> bool:
    """Whether a section of :func:`tabs` was opened."""
    return bool(st.session_state.get(key) == section)


def again_if_fitted() -> None:
    """Draw the page again where a control has brought a choice within the bounds of this table."""
    if st.session_state.pop(_SHOWN, None) != session.settings():
        history.end()
        st.rerun()
