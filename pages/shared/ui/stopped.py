"""Show that a run was stopped, and let it resume.

A stopped run can no longer draw anything. So its message is drawn first and removed when the run is over; while the
script runs, the style sheet hides it.
"""

from __future__ import annotations

from typing import Any

import streamlit as st


def begin() -> Any:
    """Prepare the message for a stopped run; return what :func:`end` removes."""
    place = st.sidebar.empty()
    with place.container(key="stopped", gap="xsmall"):
        st.caption(
            ":material/stop_circle: **Stopped.** Faded numbers, and numbers without an interval, are not up to date."
        )
        st.button("Resume", key="stopped:resume", icon=":material/play_arrow:", help="What was finished is kept")
    return place


def end(place: Any) -> None:
    """The run is over."""
    place.empty()
