"""Roles of the columns of the present table, each with its reason and a picture of its values.

The roles in the table are applied as soon as they are possible. Until then the last possible schema stays, and one
sentence says why.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd
import streamlit as st

from core import FrequencyTable, Schema, Table
from core.base.errors import CompositionError
from core.base.wording import listed, several
from core.data.encoding.missing import missing_cells, missing_labels
from core.data.encoding.persons import repeating_identifier
from core.data.frequency_table import records_of, rows_of
from core.data.schemas.schema import ColumnType, Role
from pages.data.text import ROLE_WORDS, headers
from pages.shared.compute import data_results
from pages.shared.state import session as state
from pages.shared.state.column_draft import BASE, FORCE, SHOWN, TOKENS, VERSION, draft, start_over
from pages.shared.ui import errors, widgets
from pages.shared.ui.text import plain, safe

ROLE_HELP = (
    "Others may know it about a person (quasi-identifier): it is generalised before publication. To protect "
    "(sensitive): published as it is; several such columns are protected as one, their joint value. Published as it "
    "is: no one knows it about a person, but it links releases. Left out: not published, because it names the person, "
    "names the contributor of the record, or takes no part. Person: it identifies the person of each record, so that "
    "persons are counted, not records."
)
PICTURE_HELP = (
    "Share of the records per value: numbers and dates from the lowest to the highest, other values from the most "
    "common, at most 16."
)
ROWS = 28
"""Visible rows of the column table; a longer one scrolls."""
LONGEST = 100
"""Characters of a name that are shown; names that differ only at their end stay distinct."""


def editor_key() -> str:
    """Key of the column table; a new one drops the selection."""
    return f"data:columns:{st.session_state.get(VERSION, 0)}"


def show() -> None:
    """Draw the column table, and above it the roles for its selected rows, and the reason if roles are refused."""
    _begin()
    refused = _apply()
    if refused is not None:
        _explain(refused)
    _ask_role()
    _table()
    workspace = state.workspace()
    if workspace.first != workspace.schema or refused is not None:
        label, icon = "Back to the proposed roles", ":material/undo:"
        st.button(label, icon=icon, key="data:undo", on_click=_undo, type="tertiary")


def _ask_role() -> None:
    """Ask for the role of the selected columns."""
    selected = _selected()
    with st.container(key="role", gap="xsmall"):
        words = several(len(selected), "selected column") if selected else "the selected columns: select rows first"
        st.caption(f"Role of {words}", help=ROLE_HELP)
        st.pills(
            "Role of the selected columns",
            list(Role),
            format_func=ROLE_WORDS.__getitem__,
            key=f"{editor_key()}:role",
            on_change=_give_selected,
            disabled=not selected,
            label_visibility="collapsed",
        )


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
    """Roles as the column table shows them, and the column types."""
    roles, column_types = st.session_state[BASE]
    return list(roles), list(column_types)


def _take(roles: Sequence[Role], column_types: Sequence[ColumnType]) -> None:
    """Reset the column table to these roles and column types."""
    st.session_state[BASE] = (list(roles), list(column_types))
    st.session_state[VERSION] = st.session_state.get(VERSION, 0) + 1


def _selected() -> list[int]:
    """Indices of the columns whose rows are selected."""
    rows: list[int] = (st.session_state.get(editor_key()) or {}).get("selection", {}).get("rows", [])
    return rows


def _give_selected() -> None:
    """Give the selected columns the role that was pressed."""
    role, places = st.session_state.get(f"{editor_key()}:role"), _selected()
    if role is not None and places:
        _give(places, role)


def _give(places: Sequence[int], role: Role) -> None:
    """Give columns a role; if only one column can have it, remove it from the others."""
    roles, column_types = _present()
    for place in places:
        roles[place] = role
    _take(_one_of_each(roles, *places), column_types)


def is_person(name: str) -> None:
    """Let a column say whose a record is."""
    _give([state.workspace().table.names.index(name)], Role.PERSON)


def publish_undecided() -> None:
    """Publish the columns that are left out by proposal as they are, if the table can then be read."""
    names = state.workspace().table.names
    _give([names.index(name) for name in state.workspace().undecided], Role.UNMODIFIED)
    if _apply() is None:
        state.decide_roles()


def _apply() -> CompositionError | None:
    """Apply the column table; return the reason if that is not possible."""
    try:
        settle(draft(state.workspace().table, *_present()))
    except CompositionError as error:
        return error
    return None


def _table() -> None:
    """Show every column with its role, a picture of its values and the reason."""
    workspace = state.workspace()
    frame = _frame(workspace.data, _present()[0])
    st.dataframe(
        widgets.written(frame, ["distinct"]),
        key=editor_key(),
        hide_index=True,
        height=35 * (min(len(frame), ROWS) + 1) + 3,
        on_select="rerun",
        selection_mode="multi-row",
        alt="Role of every column, with its values and the reason; select rows to give them another role",
        column_config={
            "column": st.column_config.TextColumn("Column", width=_width(frame["column"])),
            "role": st.column_config.TextColumn("Role", width=_width(frame["role"]), help=ROLE_HELP),
            "picture": st.column_config.BarChartColumn("Values", width=110, y_min=0, help=PICTURE_HELP),
            "distinct": st.column_config.NumberColumn(
                "Different", width=80, help="Different values, missing ones left out"
            ),
            "missing": st.column_config.ProgressColumn(
                "Missing", width=100, format="percent", min_value=0, max_value=1
            ),
            "noticed": st.column_config.TextColumn("Why", width=_width(frame["noticed"])),
        },
    )


def _width(texts: Iterable[str]) -> int:
    """Width in pixels at which all of these fit, as far as the page allows."""
    return min(640, 24 + 7 * max(map(len, texts)))


def _explain(error: CompositionError) -> None:
    """Explain why the roles chosen last are not possible."""
    errors.refuse(error)
    where = ""
    if error.parameter in state.workspace().table.names:
        where = " How a column is read is chosen under *How columns are generalised*."
    st.caption(f"The roles before this change stay in effect until it is fixed.{where}")


def coarser() -> tuple[str, ...]:
    """Only the columns to generalise or to protect, applied or not yet: each has a type."""
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


def _frame(data: Table | FrequencyTable, roles: Sequence[Role]) -> pd.DataFrame:
    table, facts = rows_of(data), data_results.follows(_having(Role.QUASI_IDENTIFIER))
    proposed = zip(data_results.proposal(data).columns, roles, strict=True)
    reasons = {part.name: part.reason if part.role is role else "Chosen, not proposed" for part, role in proposed}
    reasons |= {name: fact.text for name, fact in facts.items()}
    tokens = ("", *st.session_state.get(TOKENS, []))
    missing = [missing_cells(data, column, tokens) / records_of(data) for column in table.columns]
    known = [len(column.labels) - missing_labels(column, tokens) for column in table.columns]
    return pd.DataFrame(
        {
            "column": headers(table.names, LONGEST),
            "role": [ROLE_WORDS[role] for role in roles],
            "picture": data_results.value_pictures(tokens),
            "distinct": known,
            "missing": missing,
            "noticed": [plain(reasons[name], 120) for name in table.names],
        }
    )


def settle(schema: Schema) -> None:
    """Apply a schema, or raise the reason why it cannot be applied."""
    if schema == st.session_state.get(FORCE):
        return
    is_open = repeating_identifier(state.workspace().data, schema) is not None  # asked about apart
    encoded = data_results.encoded_as(schema.with_(rows_are_people=True) if is_open else schema)
    state.change_schema(schema, edited=True)
    state.fit_choices(encoded.people)
    st.session_state[FORCE] = schema


def _undo() -> None:
    """Restore the roles and column types that the table came with."""
    start_over(state.workspace().first)


def remarks() -> None:
    """Remarks on what is allowed but probably not intended."""
    parts = state.workspace().schema.parts
    if parts:
        st.caption(
            f":material/join_inner: {listed([safe(name, 40) for name in parts])} are protected as one, their joint "
            "value. It has no order, taxonomy or agreement. *If others publish* says who is exposed in each of them."
        )
    left_out = len(state.workspace().schema.other)
    if left_out and not state.workspace().undecided:
        st.caption(
            f":material/link: {several(left_out, 'column')} {'is' if left_out == 1 else 'are'} assumed to be left out. "
            "Give a column that you do publish the role *published as it is*: it links releases, and without it "
            "every number looks better than it is."
        )
