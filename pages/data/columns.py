"""Roles of the columns of the present table, each with its reason.

What the table on the page says is applied as soon as it can be; as long as it cannot, the
last schema that could stays, and one sentence says why.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core import FrequencyTable, Schema, Table
from core.base.errors import CompositionError
from core.base.wording import listed, several
from core.data.encoding.missing import missing_cells, missing_labels
from core.data.frequency_table import rows_of
from core.data.schemas.schema import ColumnType, Role
from pages.data.text import ROLE_WORDS, headers
from pages.shared.compute import data_results
from pages.shared.state import session as state
from pages.shared.state.column_draft import BASE, FORCE, SHOWN, TOKENS, VERSION, draft, start_over
from pages.shared.state.deferred import once
from pages.shared.ui import errors, widgets
from pages.shared.ui.text import plain, safe

ROLE_HELP = (
    "Others may know it about a person (quasi-identifier): it is generalised before publication. To protect "
    "(sensitive): published as it is; several such columns are protected as one, their joint value. Published as it "
    "is: no one knows it about a person, but it links releases. Left out: not published, because it names the person, "
    "names the contributor of the record, or takes no part. Person: it identifies the person of each record, so that "
    "persons are counted, not records."
)
_REFUSED = "data:refused"
ROWS = 11
"""Visible rows of the column table; a longer one scrolls."""


def editor_key() -> str:
    """Key of the column table; a new one drops what was edited."""
    return f"data:columns:{st.session_state.get(VERSION, 0)}"


def show() -> None:
    """Draw the column table, and above it the reason if its roles are refused."""
    _begin()
    # The refusal stands above, but is known only once the table was drawn.
    above = st.container()
    _editor()
    with above:
        _refusal()
    edited = (st.session_state.get(editor_key()) or {}).get("edited_rows")
    workspace = state.workspace()
    if edited or workspace.first != workspace.schema:
        label, icon = "Back to the proposed roles", ":material/undo:"
        st.button(label, icon=icon, key="data:undo", on_click=_undo, type="tertiary")


def _begin() -> None:
    """Show the current schema when the page is opened, because edits do not survive a page change."""
    left = st.session_state.get(SHOWN) == editor_key() and editor_key() not in st.session_state
    if BASE not in st.session_state or left:
        start_over()
    st.session_state[SHOWN] = editor_key()


_FREED = {Role.PERSON: Role.IDENTIFIER, Role.PROVIDER: Role.OTHER}
"""Roles that only one column can have, and the role given to the column that had it before."""


def _one_of_each(roles: Sequence[Role], *latest: int) -> list[Role]:
    """Resolve duplicate roles: the columns chosen last keep theirs, earlier ones lose theirs."""
    taken = {roles[place] for place in latest} & _FREED.keys()
    keep = {role: next(place for place in reversed(latest) if roles[place] is role) for role in taken}
    return [_FREED[role] if role in taken and keep[role] != place else role for place, role in enumerate(roles)]


def _present() -> tuple[list[Role], list[ColumnType]]:
    """Roles as the column table shows them, with what was edited, and the kinds."""
    roles, column_types = (list(part) for part in st.session_state[BASE])
    for row, cells in st.session_state.get(editor_key(), {}).get("edited_rows", {}).items():
        roles[int(row)] = Role(cells["role"])
    return roles, column_types


def _take(roles: Sequence[Role], column_types: Sequence[ColumnType]) -> None:
    """Let the column table begin with these roles and kinds."""
    st.session_state[BASE] = (list(roles), list(column_types))
    st.session_state[VERSION] = st.session_state.get(VERSION, 0) + 1


def _editor() -> None:
    """Show the column table, and apply what it says if that is possible."""
    workspace = state.workspace()
    _make_way()
    roles, column_types = st.session_state[BASE]
    edited = st.data_editor(
        widgets.written(_frame(workspace.data, roles), ["distinct", "missing"]),
        key=editor_key(),
        hide_index=True,
        num_rows="fixed",
        disabled=["column", "noticed", "distinct", "missing"],
        height=35 * (min(len(roles), ROWS) + 1) + 3,
        alt="Role of every column, to edit, and its reason",
        column_config={
            "column": st.column_config.TextColumn("Column", width=125, pinned=True),
            "role": st.column_config.SelectboxColumn(
                "Role",
                options=[str(role) for role in Role],
                required=True,
                format_func=lambda role: ROLE_WORDS[Role(str(role))],
                width=140,
                help=ROLE_HELP,
            ),
            "noticed": st.column_config.TextColumn("Why", width=230),
            "distinct": st.column_config.NumberColumn(
                "Values", width=70, help="Different values, missing ones left out"
            ),
            "missing": st.column_config.NumberColumn("Missing", width=70),
        },
    )
    st.session_state[_REFUSED] = None
    try:
        settle(draft(workspace.table, [Role(role) for role in edited["role"]], column_types))
    except CompositionError as error:
        st.session_state[_REFUSED] = error


def _refusal() -> None:
    """Explain why the roles chosen last are not possible, if they are not."""
    error = once(_REFUSED)
    if error is not None:
        errors.refuse(error)
        where = ""
        if error.parameter in state.workspace().table.names:
            where = " How a column is read is chosen under *How columns are generalised*."
        st.caption(f"The roles below stay in effect until this is fixed.{where}")


def coarser() -> tuple[str, ...]:
    """Columns to generalise or to protect alone, applied or not yet: each has a kind."""
    alone = len(_having(Role.SENSITIVE)) == 1
    return _having(Role.QUASI_IDENTIFIER, *([Role.SENSITIVE] if alone else []))


def _having(*wanted: Role) -> tuple[str, ...]:
    return tuple(
        name for name, role in zip(state.workspace().table.names, _present()[0], strict=True) if role in wanted
    )


def set_column_type(place: int, column_type: ColumnType) -> None:
    """Change how a column is generalised."""
    roles, column_types = _present()
    column_types[place] = column_type
    _take(roles, column_types)


def _make_way() -> None:
    """If a role for one column was given to another, take it from the first."""
    before, (present_roles, column_types) = st.session_state[BASE][0], _present()
    changed = [place for place, role in enumerate(present_roles) if role is not before[place]]
    for place in changed:
        if present_roles[place] in _FREED and present_roles.count(present_roles[place]) > 1:
            _take(_one_of_each(present_roles, *changed), column_types)
            return


def _frame(data: Table | FrequencyTable, roles: Sequence[Role]) -> pd.DataFrame:
    table, facts = rows_of(data), data_results.follows(_having(Role.QUASI_IDENTIFIER))
    proposed = zip(data_results.proposal(data).columns, _present()[0], strict=True)
    reasons = {part.name: part.reason if part.role is role else "Chosen, not proposed" for part, role in proposed}
    reasons |= {name: fact.text for name, fact in facts.items()}
    tokens = ("", *st.session_state.get(TOKENS, []))
    missing = [missing_cells(data, column, tokens) for column in table.columns]
    known = [len(column.labels) - missing_labels(column, tokens) for column in table.columns]
    return pd.DataFrame(
        {
            "column": headers(table.names),
            "role": [str(role) for role in roles],
            "noticed": [plain(reasons[name], 120) for name in table.names],
            "distinct": known,
            "missing": missing,
        }
    )


def settle(schema: Schema) -> None:
    """Apply a schema, or raise the reason why it cannot be applied."""
    if schema == st.session_state.get(FORCE):
        return
    encoded = data_results.encoded_as(schema)
    state.change_schema(schema, keep_list=True)
    state.fit_choices(encoded.people)
    st.session_state[FORCE] = schema


def _undo() -> None:
    """Go back to the roles that the table came with, and the kinds."""
    start_over(state.workspace().first)


def remarks() -> None:
    """Remarks on what is allowed but probably not intended."""
    for repeat in data_results.encoded().repeats:
        st.warning(safe(repeat.text(int(state.get("my_k"))), 500), icon=":material/group:")
    parts = state.workspace().schema.parts
    if parts:
        st.caption(
            f":material/join_inner: {listed([safe(name, 40) for name in parts])} are protected as one, their joint "
            "value. It has no order, taxonomy or agreed list. *If others publish* says who is exposed in each of them."
        )
    left_out = len(state.workspace().schema.other)
    if left_out:
        st.caption(
            f":material/link: {several(left_out, 'column')} {'is' if left_out == 1 else 'are'} assumed to be left out. "
            "Give a column that you do publish the role *published as it is*: it links releases, and without it "
            "every number looks better than it is."
        )
