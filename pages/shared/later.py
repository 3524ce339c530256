"""Work that can wait until everything that is ready has been shown.

What it draws belongs to the page that asked for it: the browser leaves what belongs to no page, as the summary strip,
where it is when another page is opened.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext

import streamlit as st
from streamlit.runtime.scriptrunner_utils.script_run_context import ThreadState, get_script_run_ctx

from pages.shared import turns

_QUEUE = "later"


def later(work: Callable[[], None]) -> None:
    """Do this after the page and the summary strip are drawn, in this run of the script."""
    # A page that a test calls as a function runs in no session.
    within = get_script_run_ctx(suppress_warning=True) is not None
    page = ThreadState.get().active_script_hash if within else ""
    st.session_state.setdefault(_QUEUE, []).append((page, work))


def start() -> None:
    """Forget what an interrupted run left undone."""
    st.session_state[_QUEUE] = []


def finish() -> bool:
    """Do the waiting work; say whether there was any."""
    queue: list[tuple[str, Callable[[], None]]] = st.session_state.get(_QUEUE, [])
    st.session_state[_QUEUE] = []
    if queue:
        turns.answered()
    for page, work in queue:
        with ThreadState.scoped(active_script_hash=page) if page else nullcontext():
            work()
    return bool(queue)
