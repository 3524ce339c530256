"""Roles, kinds and missing values of the present table.

What the table on the page says is in force as soon as it can be; as long as it cannot, the
last schema that could stays, and one sentence says why.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core import Schema, Table, Tally, examples
from core.data.missing import missing_cells, missing_labels
from core.data.schema import Kind, Role
from core.data.tally import rows_of
from core.errors import CompositionError
from pages.data.text import ROLE_WORDS, headers
from pages.shared import errors, results, widgets
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
    "Known: others may know it of a person, so it is published in a coarser form. To protect: published as it is; "
    "exactly one column. Dropped: not published, because it names the person, tells who contributed the record, or "
    "takes no part. Person: dropped too; it tells whose each record is, so that persons are counted and not records."
)
KIND_HELP = (
    "How the column is made coarser. Numeric: ranges. Ordinal: runs of an order that you give. Categorical: sets of "
    "values. Taxonomy: groups of a tree."
)
_REFUSED = "data:refused"
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


# ---- three pickers ---------------------------------------------------------------------


def pickers() -> None:
    """Ask for the three roles that matter most, by column; a column that is chosen leaves the role it had."""
    table = state.workspace().table
    roles, _ = _present()
    titles = headers(table.names)
    with st.grid(4, min_column_width=180, gap=("small", "medium")) as grid:
        with grid.cell(column_span=2):
            _pick_several(
                "What others may know of a person",
                "known",
                roles,
                titles,
                "The quasi-identifiers: age, sex, zip code, and whatever else a neighbour, an employer or a register "
                "knows. They are published in a coarser form.",
            )
        with grid.cell():
            _pick_sensitive(roles, titles)
        with grid.cell():
            _pick_several(
                "Who it is: person or identifier",
                "who",
                roles,
                titles,
                "Names and numbers that stand for a person or a record. They are never published. A column whose "
                "values repeat tells whose each record is; then persons are counted.",
            )


_PICKED = {"known": (Role.QUASI_IDENTIFIER,), "who": (Role.PERSON, Role.IDENTIFIER)}
"""Roles that a picker of several columns shows."""


def _pick_several(label: str, name: str, roles: Sequence[Role], titles: Sequence[str], words: str) -> None:
    chosen = [place for place, role in enumerate(roles) if role in _PICKED[name]]
    key = widgets.key_showing(f"data:pick:{name}:{len(roles)}", chosen)
    st.multiselect(
        label,
        range(len(titles)),
        key=key,
        format_func=titles.__getitem__,
        on_change=_move_several,
        args=(name, key),
        help=words,
        placeholder="Choose columns",
        select_all=False,  # Enter would add every column whose name contains what was typed
        wrap=True,
    )


def _move_several(name: str, key: str) -> None:
    """Give the columns that were picked their role, and take it from those that were not."""
    if widgets.only_says_what_it_showed(key):
        return
    exclusive, wanted = _PICKED[name], set(st.session_state[key])
    present_roles, kinds = _present()
    for place, role in enumerate(present_roles):
        if role in exclusive and place not in wanted:
            present_roles[place] = Role.OTHER
        elif role not in exclusive and place in wanted:
            present_roles[place] = exclusive[-1] if len(exclusive) == 1 else _who(place, present_roles)
    _take(present_roles, kinds)


def _who(place: int, roles: Sequence[Role]) -> Role:
    """Whether a column tells whose each record is: its values repeat, every record has one, and no other does."""
    column = state.workspace().table.columns[place]
    repeats = 2 <= len(column.labels) < state.workspace().records and "" not in column.labels
    return Role.PERSON if repeats and Role.PERSON not in roles else Role.IDENTIFIER


def _pick_sensitive(roles: Sequence[Role], titles: Sequence[str]) -> None:
    chosen = next((place for place, role in enumerate(roles) if role is Role.SENSITIVE), None)
    key = widgets.key_showing(f"data:pick:protect:{len(roles)}", chosen)
    st.selectbox(
        "What is to protect",
        range(len(titles)),
        key=key,
        index=None,
        format_func=titles.__getitem__,
        on_change=_move_sensitive,
        args=(key,),
        help=(
            "Published as it is; nobody may tie a value of it to a person. Only one column can be protected: the one "
            "chosen before is not published any more."
        ),
        placeholder="Choose one column",
    )


def _move_sensitive(key: str) -> None:
    """Protect the column that was picked in place of the one before."""
    place = st.session_state[key]
    if place is None or widgets.only_says_what_it_showed(key):
        return
    present_roles, kinds = _present()
    present_roles[place] = Role.SENSITIVE
    _take(_one_of_each(present_roles, place), kinds)


_FREED = {Role.SENSITIVE: Role.OTHER, Role.PERSON: Role.IDENTIFIER, Role.PROVIDER: Role.OTHER}
"""Roles that one column has at a time, and what becomes of the column that had it."""


def _one_of_each(roles: Sequence[Role], *latest: int) -> list[Role]:
    """Roles where the columns chosen last keep theirs, and those that had the same make way."""
    taken = {roles[place] for place in latest} & _FREED.keys()
    keep = {role: next(place for place in reversed(latest) if roles[place] is role) for role in taken}
    return [_FREED[role] if role in taken and keep[role] != place else role for place, role in enumerate(roles)]


def _present() -> tuple[list[Role], list[Kind]]:
    """Roles and kinds as the column table shows them: what it began with, and what was edited since."""
    roles, kinds = (list(part) for part in st.session_state[BASE])
    for row, cells in st.session_state.get(editor_key(), {}).get("edited_rows", {}).items():
        if "role" in cells:
            roles[int(row)] = Role(cells["role"])
        if "kind" in cells:
            kinds[int(row)] = Kind(cells["kind"])
    return roles, kinds


def _take(roles: Sequence[Role], kinds: Sequence[Kind]) -> None:
    """Let the column table begin with these roles and kinds."""
    st.session_state[BASE] = (list(roles), list(kinds))
    st.session_state[VERSION] = st.session_state.get(VERSION, 0) + 1


# ---- the column table ------------------------------------------------------------------


def editor() -> None:
    """Show the column table, and put in force what it says if that is possible."""
    workspace = state.workspace()
    _make_way()
    roles, kinds = st.session_state[BASE]
    edited = st.data_editor(
        widgets.written(_frame(workspace.data, roles, kinds), ["distinct", "missing"]),
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
                "Values", width=75, help="Different values, missing ones left out"
            ),
            "missing": st.column_config.NumberColumn("Missing", width=75),
            "noticed": st.column_config.TextColumn("What was noticed", width="large"),
        },
    )
    st.session_state[_REFUSED] = None
    try:
        settle(draft(workspace.table, [Role(role) for role in edited["role"]], [Kind(kind) for kind in edited["kind"]]))
    except CompositionError as error:
        st.session_state[_REFUSED] = error


def refusal() -> None:
    """Say why the roles that were chosen last cannot be, where they cannot."""
    error = st.session_state.pop(_REFUSED, None)
    if error is not None:
        errors.refuse(error)
        st.caption("The roles below stay in force until this is put right.")


def _make_way() -> None:
    """Where a role that one column has at a time was given to another, take it from the first."""
    before, (present_roles, kinds) = st.session_state[BASE][0], _present()
    changed = [place for place, role in enumerate(present_roles) if role is not before[place]]
    for place in changed:
        if present_roles[place] in _FREED and present_roles.count(present_roles[place]) > 1:
            _take(_one_of_each(present_roles, *changed), kinds)
            return


def _height(rows: int) -> int:
    """Enough for all columns of most tables; a longer one scrolls."""
    return 35 * (min(rows, 20) + 1) + 3


def _frame(data: Table | Tally, roles: Sequence[Role], kinds: Sequence[Kind]) -> pd.DataFrame:
    table, reasons = rows_of(data), results.proposal(data).reasons
    tokens = ("", *st.session_state.get(TOKENS, []))
    missing = [missing_cells(data, column, tokens) for column in table.columns]
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
    state.change_schema(schema, keep_list=True)
    state.fit_choices(encoded.people)
    st.session_state[FORCE] = schema


def undo() -> None:
    """Go back to the roles and kinds that the table came with."""
    workspace = state.workspace()
    first = st.session_state.get(FIRST)
    if first is None:
        first = examples.city_schema() if workspace.example else results.proposal(workspace.data).schema
    start_over(first)


def summary() -> None:
    """What happens to each column, as it is in force."""
    schema = state.workspace().schema
    apart = [*schema.identifiers, *(name for name in (schema.person, schema.provider) if name)]
    cards = (
        (
            ":material/visibility:",
            "Published in a coarser form",
            schema.quasi_identifiers,
            "Others may know these of a person. Exact values become ranges, sets or groups.",
        ),
        (
            ":material/shield_person:",
            "Published as it is",
            (schema.sensitive,),
            "To be protected: nobody may tie a value of it to a person.",
        ),
        (
            ":material/block:",
            "Not published",
            (*apart, *schema.other),
            "Identifiers and columns without a role are left out of the release.",
        ),
    )
    with st.grid(3, min_column_width=230):
        for icon, title, names, words in cards:
            with st.container(border=True, height="stretch"):
                st.markdown(f"{icon} **{title}**  \n{listed(names, 12) if names else 'none'}")
                st.caption(words)


def remarks() -> None:
    """What is allowed but probably not meant."""
    for repeat in results.encoded().repeats:
        st.warning(safe(repeat.text(int(state.get("my_k"))), 500), icon=":material/group:")
    for caution in results.table_cautions():
        st.caption(f":material/warning: {safe(caution.text, 500)}")


# ---- persons with several records -------------------------------------------------------


def persons() -> None:
    """Where one column says whose each record is: how many there are, and what is released of each."""
    workspace = state.workspace()
    if workspace.schema.person is None:
        return
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
        help=(
            "All records: a class has k when it holds records of k different persons, and a person is as exposed as "
            "their most telling record. One record of each: every record is a person."
        ),
    )
    if st.session_state.get(ONE) == "random":
        st.number_input("Seed of the random choice", 0, 10**9, key=SEED)


# ---- missing values --------------------------------------------------------------------


def missing_in_short() -> None:
    """How many records lack something, and how many are left out for it."""
    workspace, missing = state.workspace(), results.missing_count()
    if not missing.either:
        st.caption("No record lacks a quasi-identifier or the sensitive value. None is left out.")
        return
    out = missing.left_out(workspace.schema.missing)
    st.caption(
        f"{count(missing.quasi)} of {count(missing.records)} records ({percent(missing.quasi / missing.records)}) lack "
        f"a quasi-identifier, {count(missing.sensitive)} ({percent(missing.sensitive / missing.records)}) the "
        "sensitive value. "
        f"**{count(out) if out else 'None'}** {'is' if out < 2 else 'are'} left out."
    )
