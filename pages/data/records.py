"""Which records take part: those of persons who have several, and those that lack a value."""

from __future__ import annotations

import streamlit as st

from pages.shared import column_draft, results
from pages.shared import session as state
from pages.shared.column_draft import ALL_RECORDS, ONE, SEED
from pages.shared.text import count, percent, safe

ONE_WORDS = {
    ALL_RECORDS: "All records: classes and everything else count persons",
    "first": "The first record of each person",
    "last": "The last record of each person",
    "random": "One record of each person, at random",
}


def persons() -> None:
    """How many persons there are, and what is released of each; one column says whose each record is."""
    workspace = state.workspace()
    assert workspace.schema.person is not None
    counts = workspace.table.column(workspace.schema.person).counts
    several = int((counts > 1).sum())
    st.markdown(
        f"**{count(workspace.records)} records of {count(len(counts))} persons**, by "
        f"{safe(workspace.schema.person, 40)}. "
        f"{count(several)} of them have more than one record, at most {count(counts.max())}."
    )
    st.radio(
        "What is released of each person",
        list(ONE_WORDS),
        format_func=ONE_WORDS.__getitem__,
        key=ONE,
        persist_state="page",
        help=(
            "All records: a class has k when it holds records of k different persons, and a person is as exposed as "
            "their most telling record. One record of each: every record is a person."
        ),
    )
    if st.session_state.get(ONE) == "random":
        st.number_input("Seed of the random choice", 0, 10**9, key=SEED, persist_state="page")


def missing() -> None:
    """Which cells are missing, how many records lack something, and how many are left out for it."""
    column_draft.missing()
    workspace, lacking = state.workspace(), results.missing_count()
    if not lacking.either:
        st.caption("No record lacks a quasi-identifier or the sensitive value. None is left out.")
        return
    out = lacking.left_out(workspace.schema.missing)
    st.caption(
        f"{count(lacking.quasi)} of {count(lacking.records)} records ({percent(lacking.quasi / lacking.records)}) lack "
        f"a quasi-identifier, {count(lacking.sensitive)} ({percent(lacking.sensitive / lacking.records)}) the "
        "sensitive value. "
        f"**{count(out) if out else 'None'}** {'is' if out < 2 else 'are'} left out."
    )
