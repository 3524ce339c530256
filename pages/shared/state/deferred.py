"""Work that can wait until everything ready is shown; then the page is drawn again with its results."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import streamlit as st

from core import CompositionError

_QUEUE, _AGAIN, _ONCE = "later", "later:again", "later:once"


def later(work: Callable[[], object]) -> None:
    """Run this after page and status bar are drawn; it returns whether there is something new to show."""
    st.session_state.setdefault(_QUEUE, []).append(work)


def start() -> None:
    """Begin a run: drop unfinished work of an interrupted one, and messages that end with the next move."""
    st.session_state[_QUEUE] = []
    if not st.session_state.pop(_AGAIN, False):
        for name, message in st.session_state.pop(_ONCE, {}).items():
            if st.session_state.get(name) is message:
                st.session_state.pop(name)


def once(name: str) -> Any:
    """A message stored under a name until the next move."""
    message = st.session_state.get(name)
    if message is not None:
        st.session_state.setdefault(_ONCE, {})[name] = message
    return message


def finish(answered: Callable[[], None]) -> None:
    """Do the deferred work, and redraw the page if it produced something.

    ``answered`` is called before the work, once everything that is ready has been shown.
    """
    queue: list[Callable[[], object]] = st.session_state.get(_QUEUE, [])
    st.session_state[_QUEUE] = []
    if queue:
        answered()
    news = False
    for work in queue:
        with suppress(CompositionError):  # the page says itself what cannot be computed
            news = bool(work()) or news
    if news:
        again()


def again() -> None:
    """Draw the page again for the same move."""
    st.session_state[_AGAIN] = True
    st.rerun()
