"""The loaded table, the offered table, and how one replaces the other."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from core import FrequencyTable, Schema, Table
from core.examples import WorkedExample
from pages.shared.state import column_draft, session, uploads
from pages.shared.state.choices import CHOICES

FILE, OFFER, OWN = "data:upload", "data:offer", "data:own"
"""Keys of the uploader of the page Data, of the offered table, and of whether the table in use is the user's own."""
_ASKED = "data:asked"


@dataclass(frozen=True, eq=False)
class Offer:
    """A table that could replace the present one.

    Parameters
    ----------
    data, schema, name
        The table or frequency table to load, its schema and its name.
    city
        Whether it is a synthetic city.
    upload
        Identity of the uploaded file, if it is one.
    origin
        How a link names it, if it is built in.
    read
        What was read, before rows were left out; the data by default.
    """

    data: Table | FrequencyTable
    schema: Schema
    name: str
    city: bool = False
    upload: str | None = None
    origin: str = ""
    read: Table | FrequencyTable | None = None


def title_of(example: WorkedExample, number: int) -> str:
    """Title of a worked example's table."""
    letter = f", table {'AB'[number]}" if len(example.tables) > 1 else ""
    return f"{example.title}{letter}"


def origin_of(example: str, number: int) -> str:
    """Name of a worked example's table in links."""
    return f"{example}-{'ab'[number]}"


def is_own() -> bool:
    """Whether the table in use is the user's own."""
    return bool(st.session_state.get(OWN, False))


def is_offered() -> bool:
    """Whether a table is waiting for the user's decision."""
    return bool(st.session_state.get(_ASKED, False))


def asks(offered: bool) -> None:
    """Note whether the page Data shows a table that is waiting for the user's decision."""
    st.session_state[_ASKED] = offered


def use(offer: Offer) -> None:
    """Replace the present table."""
    _grow_back(session.people())
    roles = session.DECIDED if offer.upload is None else session.PROPOSED
    session.load(offer.data, offer.schema, offer.name, offer.city, offer.origin, roles)
    st.session_state[OWN] = offer.upload is not None
    column_draft.start_over()
    close(offer.upload)


def _grow_back(records: int) -> None:
    """Undo settings that were reduced for a small table, so that a larger one starts with defaults."""
    for name, most in (("overlap", records // 6), ("my_k", records // 4), ("their_k", records // 4)):
        start = CHOICES[name].start
        if most < start and session.get(name) <= max(2, most):
            session.put(name, start)


def close(upload: str | None) -> None:
    """Withdraw the offer, and remove its file from memory by its identity."""
    st.session_state.pop(OFFER, None)
    uploads.let_go(FILE, upload)
