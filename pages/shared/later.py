"""Work that can wait until everything that is ready has been shown; then the page is drawn again with it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import streamlit as st

from core import CompositionError
from pages.shared import turns

_QUEUE = "later"


def later(work: Callable[[], object]) -> None:
    """Do this after page and summary strip are drawn; it returns whether there is something new to show."""
    st.session_state.setdefault(_QUEUE, []).append(work)


def start() -> None:
    """Forget what an interrupted run left undone."""
    st.session_state[_QUEUE] = []


def finish() -> None:
    """Do the waiting work, and draw the page again where that has brought something."""
    queue: list[Callable[[], object]] = st.session_state.get(_QUEUE, [])
    st.session_state[_QUEUE] = []
    if queue:
        turns.answered()
    news = False
    for work in queue:
        with suppress(CompositionError):  # the page says itself what cannot be worked out
            news = bool(work()) or news
    if news:
        st.rerun()
