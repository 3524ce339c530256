"""Undo and redo: the settings of a session, one move after another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from pages.shared import session

_NOW, _PAST, _AHEAD, _OF = "history:now", "history:past", "history:ahead", "history:of"
MOST = 50
"""Moves that can be undone."""
RECORDS = frozenset({"decision"})
"""What is written down and not set."""

Settings = Mapping[str, Any]


def _settings() -> Settings:
    return {name: value for name, value in session.settings().items() if name not in RECORDS}


def begin() -> None:
    """Note what the user has moved since the last run; another table or schema begins anew."""
    of, present = session.workspace(), _settings()
    if st.session_state.get(_OF) is not of:
        st.session_state[_OF], st.session_state[_NOW] = of, present
        st.session_state[_PAST], st.session_state[_AHEAD] = (), ()
        return
    before = st.session_state[_NOW]
    if present != before:
        st.session_state[_PAST] = (*st.session_state[_PAST], before)[-MOST:]
        st.session_state[_AHEAD] = ()
        st.session_state[_NOW] = present


def end() -> None:
    """What the run itself has fitted belongs to the move that caused it."""
    if _OF in st.session_state:
        st.session_state[_NOW] = _settings()


def buttons() -> None:
    """Undo and redo, for every control of every page."""
    st.button(
        ":material/undo:",
        key="history:undo",
        type="tertiary",
        help="Undo the last change of a setting",
        disabled=not st.session_state.get(_PAST),
        on_click=undo,
    )
    st.button(
        ":material/redo:",
        key="history:redo",
        type="tertiary",
        help="Redo what was undone",
        disabled=not st.session_state.get(_AHEAD),
        on_click=redo,
    )


def undo() -> None:
    """Go back to the settings before the last move."""
    _go(_PAST, _AHEAD)


def redo() -> None:
    """Make the move again that was undone last."""
    _go(_AHEAD, _PAST)


def _go(source: str, other: str) -> None:
    states = st.session_state.get(source, ())
    if not states or st.session_state.get(_OF) is not session.workspace():
        return
    st.session_state[other] = (*st.session_state.get(other, ()), _settings())
    st.session_state[source] = states[:-1]
    session.restore(states[-1], RECORDS)
    st.session_state[_NOW] = _settings()
