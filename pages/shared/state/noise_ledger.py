"""Noisy tables that were published, by the origin of their data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from core import dp

_LEDGER = "noise:ledger"


@dataclass(frozen=True, eq=False)
class Spent:
    """Tables published about the people of one origin.

    Parameters
    ----------
    entries
        Tables and their cost.
    marks
        Digests of the records behind the draws, see :func:`core.dp.marks_of`, by content id.
    """

    entries: tuple[dp.Entry, ...] = ()
    marks: Mapping[str, Any] = field(default_factory=dict)


def every() -> dict[str, Spent]:
    """What was spent on each origin, oldest first."""
    ledger: dict[str, Spent] = st.session_state.get(_LEDGER, {})
    return ledger


def spent_on(origin: str) -> Spent:
    """What was spent on one origin."""
    return every().get(origin, Spent())


def put(origin: str, spent: Spent) -> None:
    """Replace what was spent on an origin."""
    st.session_state[_LEDGER] = {**every(), origin: spent}
