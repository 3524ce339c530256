"""One view: a rail of controls, and next to it the numbers and the chart that they change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from core.base.assets import ASSETS
from pages.shared.compute import work_queue
from pages.shared.state import session
from pages.shared.ui import errors

STYLE = ASSETS / "style.css"
# Only a change of page makes an entry in the browser's history and starts at the top: see docs/streamlit-traps.md.
_ONE_ENTRY_A_PAGE = """<script>if (!window.oneEntryAPage) {
  window.oneEntryAPage = true;
  const push = history.pushState.bind(history), replace = history.replaceState.bind(history);
  history.pushState = (state, title, address) => {
    if (new URL(address ?? "", location.href).pathname === location.pathname) return replace(state, title, address);
    push(state, title, address);
    document.querySelector('[data-testid="stMain"]')?.scrollTo(0, 0);
  };
}</script>"""


def style() -> None:
    """Send the style sheet: the bar on top, the rail, and contrast; and the rule of the browser's history."""
    st.html(STYLE)
    st.sidebar.html(_ONE_ENTRY_A_PAGE, unsafe_allow_javascript=True)


def heading(title: str, sentence: str) -> None:
    """Title of a page, and what is decided on it."""
    with st.container(gap=None):
        st.title(title, anchor=False)
        st.caption(sentence)


_SHOWN = "layout:shown"


def one_view() -> tuple[Any, Any]:
    """Containers for the controls and for their results: side by side, or stacked, both visible.

    Fill the second one first, because a control changes it. Then call :func:`answered`.
    """
    st.session_state[_SHOWN] = session.settings()
    with st.container(key="one-view"):
        return st.container(key="rail", gap="small"), st.container(key="stage", gap="small")


def tabs(key: str, sections: Mapping[str, Callable[[], None]], first: str | None = None) -> None:
    """Sections of a page, with ``first`` or the first of them open; folded sections are neither computed nor sent."""
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
    with st.container(key="closer"):
        chosen = st.segmented_control("Look closer", list(sections), key=key)
        if chosen is not None:
            with errors.refusing():
                sections[chosen]()
            if st.session_state.get(_OPENED) != (key, chosen):
                st.sidebar.html(_INTO_VIEW, unsafe_allow_javascript=True)
    st.session_state[_OPENED] = (key, chosen)


_OPENED = "layout:opened"
_INTO_VIEW = """<script>
  document.querySelector(".st-key-closer")?.scrollIntoView({behavior: "smooth", block: "start"});
</script>"""


def open_section(key: str, name: str) -> None:
    """Open a section of :func:`closer`, for the callback of a button."""
    st.session_state[key] = name
    st.session_state.pop(_OPENED, None)


def answered() -> None:
    """Mark number, chart and controls of a page as drawn: the rest no longer delays others."""
    again_if_fitted()
    work_queue.answered()


def again_if_fitted() -> None:
    """Redraw the page if a control adjusted a choice to the bounds of this table."""
    if st.session_state.pop(_SHOWN, None) != session.settings():
        st.rerun()
