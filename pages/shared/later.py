"""Work that can wait until everything that is ready has been shown."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from pages.shared import turns

_QUEUE = "later"


def later(work: Callable[[], None]) -> None:
    """Do this after the page and the summary strip are drawn, in this run of the script."""
    st.session_state.setdefault(_QUEUE, []).append(work)


def start() -> None:
    """Forget what an interrupted run left undone."""
    st.session_state[_QUEUE] = []


def finish() -> bool:
    """Do the waiting work; say whether there was any."""
    queue: list[Callable[[], None]] = st.session_state.get(_QUEUE, [])
    st.session_state[_QUEUE] = []
    if queue:
        turns.step_back()
    for work in queue:
        work()
    return bool(queue)
