"""Data: the table, what others may know about it, what to protect, and who is unique."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from pages.data import column_types, columns, left_out, published, records, source, strays, uniqueness
from pages.shared.compute import data_results
from pages.shared.state import session, workspace
from pages.shared.ui import errors, layout


def sections() -> dict[str, Callable[[], None]]:
    """Sections of the closer look; *persons* only if there is a person column."""
    persons = {"Persons": records.persons} if session.workspace().schema.person else {}
    more = {"Published columns": published.show} if published.offered() else {}
    return {
        "Who is unique": uniqueness.show,
        "How columns are generalised": column_types.show,
        "Missing values": records.missing,
        **more,
        **persons,
        "First rows": source.first_rows,
    }


layout.heading("Data", "What do you publish, and what may others know about a person?")
# A pending decision comes first, with its button in view.
waiting = st.container()
with st.grid(2, min_column_width=360, gap=("small", "medium")) as grid:
    with grid.cell():
        offer = source.choose()
        workspace.asks(offer is not None)
    with grid.cell():
        source.present()

if offer is not None:
    with waiting:
        source.decide(offer)
else:
    unique = st.container()
    columns.show()
    repeating = data_results.repeating()
    with waiting:
        left_out.ask()
        if repeating is not None:
            records.ask(repeating)
    if repeating is None:
        with unique, errors.refusing():
            uniqueness.in_words()
        with errors.refusing():
            columns.remarks()
            strays.remarks()
        layout.closer("data:sections", sections())
