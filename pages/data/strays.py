"""Cells that may not be values: remarks about them, and the choice between missing and rows left out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from core import FrequencyTable, Table
from core.data.encoding.columns import own_order
from core.data.frequency_table import rows_of
from core.data.profiling.cautions import Caution
from core.data.profiling.strays import Strays, strays_of
from core.data.schemas.schema import ColumnType
from pages.data import columns
from pages.shared.compute import cache, data_results
from pages.shared.state import column_draft
from pages.shared.state import session as state
from pages.shared.state.column_draft import TOKENS
from pages.shared.ui.text import plain, safe, sentence

VALUES, MISSING, OUT = "values", "missing", "out"
WORDS = {VALUES: "They are values", MISSING: "They are missing", OUT: "Leave their rows out"}
SHOWN = 4
"""Largest number of unusual cells that are shown."""
ROWS_HELP = (
    "Missing: treated in every column like the words declared under *Missing values*. Rows left out: for footers and "
    "total lines, which are not people. Before you use the file on the command line, remove these rows from it, too."
)


def find_strays(data: Table | FrequencyTable, tokens: Sequence[str]) -> tuple[Strays, ...]:
    """Unusual cells in the columns of a table; at most one remark per column."""
    names = rows_of(data).names
    return cache.cached(
        ("strays", data.content_id, tuple(tokens)),
        lambda: tuple(strays for name in names if (strays := strays_of(data, name, ("", *tokens))) is not None),
    )


def _key(data: Table | FrequencyTable, column: str) -> str:
    return f"data:strays:{data.content_id[:16]}:{rows_of(data).names.index(column)}"


def settled(data: Table | FrequencyTable, tokens: tuple[str, ...]) -> tuple[Table | FrequencyTable, tuple[str, ...]]:
    """The data without the rows that are left out, and what means missing, as chosen so far."""
    chosen = [(each, st.session_state.get(_key(data, each.column))) for each in find_strays(data, tokens)]
    more = [label for each, choice in chosen if choice == MISSING for label in each.labels]
    if isinstance(data, Table):
        for each, choice in chosen:
            data = without_rows(data, each.column, each.labels) if choice == OUT else data
    return data, tuple(dict.fromkeys((*tokens, *more)))


def without_rows(table: Table, name: str, labels: Sequence[str]) -> Table:
    """The table without the rows that have one of these texts in a column; the whole table if no row would be left."""
    column = table.column(name)
    rows = np.flatnonzero(~np.isin(column.codes, [column.code_of(label) for label in labels]))
    return table.take(rows) if len(rows) else table


def ask(data: Table | FrequencyTable, tokens: tuple[str, ...]) -> None:
    """Report unusual cells in a table that is offered for use, and ask what they mean."""
    for each in find_strays(data, tokens):
        _show_remark(each.text, each.labels)
        if each.labels:
            options = [VALUES, MISSING, *([OUT] if isinstance(data, Table) else [])]
            st.segmented_control(
                f"Unusual cells of {plain(each.column, 40)}",
                options,
                format_func=WORDS.__getitem__,
                default=VALUES,
                required=True,
                key=_key(data, each.column),
                label_visibility="collapsed",
                help=ROWS_HELP,
            )


def _show_remark(text: str, labels: Sequence[str]) -> None:
    some = ", ".join(f"*{safe(label, 30)}*" for label in labels[:SHOWN])
    more = " and others" if len(labels) > SHOWN else ""
    st.caption(f":material/warning: {sentence(text)}{f' Cells: {some}{more}.' if some else ''}")


def remarks() -> None:
    """Remarks on the table in use, and how its cells are read."""
    for caution in data_results.table_cautions():
        _remark(caution)
    for note in data_results.forms():
        st.caption(f":material/info: {sentence(note.text)}")


def _remark(caution: Caution) -> None:
    """Show one remark; for unusual cells with a button for each possible meaning."""
    _show_remark(caution.text, caution.labels)
    if not caution.labels:
        return
    place = state.workspace().table.names.index(caution.column)
    with st.container(horizontal=True):
        st.button(WORDS[MISSING], key=f"data:strays:missing:{place}", on_click=_are_missing, args=(caution,))
        if isinstance(state.workspace().data, Table):
            st.button(WORDS[OUT], key=f"data:strays:out:{place}", on_click=_leave_out, args=(caution,), help=ROWS_HELP)


def _are_missing(caution: Caution) -> None:
    """Declare the cells of a remark as missing."""
    st.session_state[TOKENS] = list(dict.fromkeys((*st.session_state.get(TOKENS, []), *caution.labels)))
    _look_again(caution.column)


def _leave_out(caution: Caution) -> None:
    """Leave out the rows of a remark from the table in use."""
    workspace = state.workspace()
    data = without_rows(workspace.table, caution.column, caution.labels)
    state.load(data, workspace.schema, workspace.name, workspace.example, roles=workspace.roles)
    column_draft.start_over()
    _look_again(caution.column)


def _look_again(name: str) -> None:
    """Give a column the type and order that its values now suggest."""
    data, tokens = state.workspace().data, tuple(st.session_state.get(TOKENS, []))
    table = rows_of(data)
    column_type = next(
        column.column_type for column in data_results.proposal(data, tokens).columns if column.name == name
    )
    if column_type is ColumnType.ORDINAL:
        column_draft.kept()[name] = own_order(table.column(name), column_draft.values_of(table, name, tokens))
    columns.set_column_type(table.names.index(name), column_type)
