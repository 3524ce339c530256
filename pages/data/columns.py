"""Roles, kinds and missing values of the present table.

What the table on the page says is in force as soon as it can be; as long as it cannot, the
last schema that could stays, and one sentence says why.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core import Schema, Table, examples
from core.data.missing import missing_cells, missing_labels
from core.data.schema import Kind, Role
from pages.data.text import ROLE_WORDS, headers
from pages.shared import errors, results
from pages.shared import session as state
from pages.shared.column_draft import (
    ALL_RECORDS,
    BASE,
    FIRST,
    FORCE,
    ONE,
    SEED,
    SHOWN,
    TOKENS,
    VERSION,
    draft,
    start_over,
)
from pages.shared.text import count, listed, percent, plain, safe

ROLE_HELP = (
    "Known: others may know it of a person, so it is published made coarser. To protect: published as it is; exactly "
    "one column. Dropped: not published, because it names the person, tells who contributed the record, or takes no "
    "part. Person: dropped too, and it tells whose each record is where people have several; persons are then counted."
)
KIND_HELP = (
    "Numeric: made coarser to ranges. Ordinal: to runs of an order you give. Categorical: to sets of values. Taxonomy: "
    "to the groups of a tree."
)
ONE_WORDS = {
    ALL_RECORDS: "All records: classes and everything else count persons",
    "first": "The first record of each person",
    "last": "The last record of each person",
    "random": "One record of each person, at random",
}


# ---- what was edited -------------------------------------------------------------------


def editor_key() -> str:
    """Key of the column table; a new one drops what was edited."""
    return f"data:columns:{st.session_state.get(VERSION, 0)}"


def begin() -> None:
    """Show the schema in force when the page is opened, for edits do not outlive it."""
    left = st.session_state.get(SHOWN) == editor_key() and editor_key() not in st.session_state
    if BASE not in st.session_state or left:
        start_over()
    st.session_state[SHOWN] = editor_key()


# ---- the column table ------------------------------------------------------------------


def editor() -> None:
    """Show the column table, and put in force what it says if that is possible."""
    here = state.workspace()
    roles, kinds = st.session_state[BASE]
    edited = st.data_editor(
        _frame(here.table, roles, kinds),
        key=editor_key(),
        hide_index=True,
        num_rows="fixed",
        disabled=["column", "distinct", "missing", "noticed"],
        height=_height(len(roles)),
        alt="Role and kind of every column, to edit",
        column_config={
            "column": st.column_config.TextColumn("Column", width=140, pinned=True),
            "role": st.column_config.SelectboxColumn(
                "Role",
                options=[str(role) for role in Role],
                required=True,
                format_func=lambda role: ROLE_WORDS[Role(str(role))],
                width=185,
                help=ROLE_HELP,
            ),
            "kind": st.column_config.SelectboxColumn(
                "Kind", options=[str(kind) for kind in Kind], required=True, width=100, help=KIND_HELP
            ),
            "distinct": st.column_config.NumberColumn(
                "Values", width=75, format="localized", help="Different values, missing ones left out"
            ),
            "missing": st.column_config.NumberColumn("Missing", width=75, format="localized"),
            "noticed": st.column_config.TextColumn("What was noticed", width="large"),
        },
    )
    with errors.refusing():
        settle(draft(here.table, [Role(role) for role in edited["role"]], [Kind(kind) for kind in edited["kind"]]))
        return
    st.caption("Until this is put right, the roles shown above the table stay in force.")


def _height(rows: int) -> int:
    """Enough for all columns of most tables; a longer one scrolls."""
    return 35 * (min(rows, 20) + 1) + 3


def _frame(table: Table, roles: Sequence[Role], kinds: Sequence[Kind]) -> pd.DataFrame:
    reasons = results.proposal(table).reasons
    tokens = ("", *st.session_state.get(TOKENS, []))
    missing = [missing_cells(column, tokens) for column in table.columns]
    known = [len(column.labels) - missing_labels(column, tokens) for column in table.columns]
    return pd.DataFrame(
        {
            "column": headers(table.names),
            "role": [str(role) for role in roles],
            "kind": [str(kind) for kind in kinds],
            "distinct": known,
            "missing": missing,
            "noticed": [plain(reasons[name], 120) for name in table.names],
        }
    )


def settle(schema: Schema) -> None:
    """Put a schema in force, or raise what speaks against it."""
    if schema == st.session_state.get(FORCE):
        return
    encoded = results.encoded_as(schema)
    state.change_schema(schema)
    state.fit_choices(encoded.people)
    st.session_state[FORCE] = schema


def undo() -> None:
    """Go back to the roles and kinds that the table came with."""
    here = state.workspace()
    first = st.session_state.get(FIRST)
    if first is None:
        first = examples.city_schema() if here.example else results.proposal(here.table).schema
    start_over(first)


def summary() -> None:
    """What happens to each column, as it is in force."""
    schema = state.workspace().schema
    apart = [*schema.identifiers, *(name for name in (schema.person, schema.provider) if name)]
    cards = (
        (
            ":material/visibility:",
            "Published, made coarser",
            schema.quasi_identifiers,
            "Others may know these of a person. Exact values become ranges, sets or groups.",
        ),
        (
            ":material/shield_person:",
            "Published as it is",
            (schema.sensitive,),
            "This is to protect: nobody may tie a value of it to a person.",
        ),
        (
            ":material/block:",
            "Not published",
            (*apart, *schema.other),
            "Identifiers and columns without a part are left out of the release.",
        ),
    )
    with st.grid(3, min_column_width=230):
        for icon, title, names, words in cards:
            with st.container(border=True, height="stretch"):
                st.markdown(f"{icon} **{title}**  \n{listed(names, 12) if names else 'none'}")
                st.caption(words)


def remarks() -> None:
    """What is allowed but probably not meant."""
    aloud = {repeat.text for repeat in results.encoded().repeats}
    for caution in results.table_cautions():
        if caution.text in aloud:
            st.warning(safe(caution.text, 500), icon=":material/group:")
        else:
            st.caption(f":material/warning: {safe(caution.text, 500)}")


# ---- persons with several records -------------------------------------------------------


def persons() -> None:
    """Where one column says whose each record is: how many there are, and what is released of each."""
    here = state.workspace()
    if here.schema.person is None:
        return
    counts = here.table.column(here.schema.person).counts
    several = int((counts > 1).sum())
    st.markdown(
        f"**{count(len(here.table))} records of {count(len(counts))} persons**, by {safe(here.schema.person, 40)}. "
        f"{count(several)} of them have more than one record, at most {count(counts.max())}."
    )
    st.radio(
        "What is released of each person",
        list(ONE_WORDS),
        format_func=ONE_WORDS.__getitem__,
        key=ONE,
        help="With all records, a class has k when it holds records of k different persons, and a person is exposed as "
        "the record that gives most away is. One record of each makes every record a person.",
    )
    if st.session_state.get(ONE) == "random":
        st.number_input("Seed of the random choice", 0, 10**9, key=SEED)


# ---- missing values --------------------------------------------------------------------


def missing_in_short() -> None:
    """How many records lack something, and how many are left out for it."""
    here, found = state.workspace(), results.missing_count()
    if not found.either:
        st.caption("No record lacks a quasi-identifier or the sensitive value. None is left out.")
        return
    out = found.left_out(here.schema.missing)
    st.caption(
        f"{count(found.quasi)} of {count(found.records)} records ({percent(found.quasi / found.records)}) lack a "
        f"quasi-identifier, {count(found.sensitive)} ({percent(found.sensitive / found.records)}) the sensitive value. "
        f"**{count(out) if out else 'None'}** {'is' if out < 2 else 'are'} left out."
    )
