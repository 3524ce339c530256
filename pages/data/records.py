"""Choose the records that take part: for persons with several, and for missing values."""

from __future__ import annotations

import streamlit as st

from pages.data import columns
from pages.shared.compute import data_results
from pages.shared.state import session as state
from pages.shared.state.column_draft import ALL_RECORDS, MISSING, ONE, ROWS, SEED, TOKENS
from pages.shared.ui.text import count, plain, safe

ONE_WORDS = {
    ALL_RECORDS: "All records: classes and everything else count persons",
    "first": "The first record of each person",
    "last": "The last record of each person",
    "random": "One record of each person, at random",
}

MISSING_WORDS = {
    "category": "Keep a missing value as a separate value",
    "drop": "Leave out records that lack a quasi-identifier",
    "complete": "Also leave out records that lack the sensitive value",
}


def ask(name: str) -> None:
    """Ask whether an identifier that repeats says whose a record is; until then nothing is released."""
    with st.container(border=True, key="whose"):
        st.markdown(f"**Does {safe(name, 60)} say whose a record is?**")
        st.caption("It repeats, so a person may have several records. Until you answer, nothing is released.")
        with st.container(horizontal=True):
            if state.workspace().frequency_table is None:
                several = "Yes, people have several records"
                st.button(several, key="data:whose:yes", on_click=columns.is_person, args=(name,))
            st.button("No, every record is another person", key="data:whose:no", on_click=_rows_are_people)


def _rows_are_people() -> None:
    st.session_state[ROWS] = True


def persons() -> None:
    """Number of persons, and the records released per person, if a column identifies persons."""
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
        "Records released per person",
        list(ONE_WORDS),
        format_func=ONE_WORDS.__getitem__,
        key=ONE,
        persist_state="session",
        help=(
            "All records: a class meets k when it holds records of k different persons, and a person is as exposed as "
            "their most revealing record. One record of each: every record is a person."
        ),
    )
    if st.session_state.get(ONE) == "random":
        st.number_input("Seed of the random choice", 0, 10**9, key=SEED, persist_state="session")


def missing() -> None:
    """Missing cells, and the treatment of their records."""
    workspace, count_of = state.workspace(), data_results.missing_count()
    tokens = {token.token: token.cells for token in data_results.proposal(workspace.data).tokens}
    options = list(dict.fromkeys([*tokens, *st.session_state.get(TOKENS, [])]))
    if options:
        st.multiselect(
            "Cells that mean “missing”, in addition to empty ones",
            options,
            key=TOKENS,
            persist_state="session",
            format_func=lambda token: f"{plain(token, 30)}  ({count(tokens.get(token, 0))} cells)",
            help="In every column, a word that is not chosen here is an ordinary value.",
            wrap=True,
        )
    st.radio(
        "Records with a missing value",
        list(MISSING_WORDS),
        format_func=MISSING_WORDS.__getitem__,
        key=MISSING,
        persist_state="session",
        captions=[
            f"{count(count_of.left_out(choice))} of {count(count_of.records)} left out" for choice in MISSING_WORDS
        ],
    )
    st.caption("A missing sensitive value never counts as a separate value for diversity.")
