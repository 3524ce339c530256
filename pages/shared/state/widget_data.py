"""Data that Streamlit would keep for longer than the session shows it.

For every widget it ever drew, Streamlit keeps the arguments of its callback and the list of its options until the
session ends. So no data is given to a callback: it is stored here under a name, as long as the button is on the page.
Data of widgets that are gone is dropped at the end of each run.
"""

from __future__ import annotations

from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

_LEFT, _NOW = "left for buttons", "left in this run"


def leave(name: str, *things: Any) -> tuple[str]:
    """Store the data of a button; return the arguments of its callback, which finds it with :func:`left`."""
    st.session_state.setdefault(_LEFT, {})[name] = things
    st.session_state.setdefault(_NOW, set()).add(name)
    return (name,)


def left(name: str) -> Any:
    """Return the data stored under a name, a tuple if there are several."""
    things: tuple[Any, ...] = st.session_state[_LEFT][name]
    return things[0] if len(things) == 1 else things


def start() -> None:
    """Begin a run of the script. Data stored before stays, because its buttons can be pressed until they are gone."""
    st.session_state[_NOW] = set()


def finish() -> None:
    """End a completed run: drop the data of widgets that it did not draw."""
    left: dict[str, Any] = st.session_state.get(_LEFT, {})
    for name in left.keys() - st.session_state.get(_NOW, set()):
        left.pop(name, None)
    context = get_script_run_ctx()
    if context is None:
        return
    drawn = context.shared.widget_ids_this_run
    # Streamlit has no public way; tests/pages/test_widgets.py tells when this one moves.
    remembered = context.session_state._state._new_widget_state.widget_metadata  # noqa: SLF001
    for name in [name for name in list(remembered) if name not in drawn]:
        remembered.pop(name, None)
