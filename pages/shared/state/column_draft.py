"""The roles, types and orders that the user is choosing, before the table is used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from core import Schema, Table, Taxonomy
from core.data.encoding.columns import inferred_column_type
from core.data.schemas.hierarchies import proposed_hierarchy
from core.data.schemas.schema import ColumnType, DateFormat, Role, UnmodifiedColumn
from core.data.tables.numbers import looks_numeric, parse_numbers
from pages.shared.state import session as state

ONE, SEED = "data:one_record", "data:record_seed"
"""Keys of the choice of the record kept per person, and of its seed."""
ALL_RECORDS = "all"
ROWS = "data:rows are people"
"""Key of the answer that every record is another person, although an identifier repeats."""

BASE, VERSION, SHOWN = "data:base", "data:version", "data:shown"
FORCE, KEPT = "data:force", "data:kept"


MISSING, TOKENS = "data:missing", "data:tokens"
PLAIN = "data:published"
"""Key of the settings of columns published as they are, by column."""


def start_over(schema: Schema | None = None) -> None:
    """Let the column table show a schema (by default the current one) without edits."""
    workspace = state.workspace()
    schema = workspace.schema if schema is None else schema
    roles, column_types = _roles(workspace.table, schema), _column_types(workspace.table, schema)
    session = st.session_state
    session[VERSION] = session.get(VERSION, 0) + 1
    session[BASE] = (roles, column_types)
    session[KEPT] = {**dict(schema.orders), **dict(schema.taxonomies), **schema.dates}
    session[MISSING], session[TOKENS] = schema.missing, [token for token in schema.missing_tokens if token]
    session[PLAIN] = dict(schema.unmodified)
    session[ONE], session[SEED] = schema.one_record or ALL_RECORDS, schema.record_seed
    session[ROWS] = schema.rows_are_people
    if schema is workspace.schema:
        session[FORCE] = draft(workspace.table, roles, column_types)


def _roles(table: Table, schema: Schema) -> list[Role]:
    roles = dict(schema.roles())
    return [roles.get(name, Role.OTHER) for name in table.names]


def _column_types(table: Table, schema: Schema) -> list[ColumnType]:
    return [inferred_column_type(column, schema, table.decimal) for column in table.columns]


def column_type_of(place: int) -> ColumnType:
    """How a column is to be generalised, applied or not yet."""
    column_types: list[ColumnType] = st.session_state[BASE][1]
    return column_types[place]


def kept() -> dict[str, Any]:
    """Orders, taxonomies and dates by column, also for columns that currently have another type."""
    drafts: dict[str, Any] = st.session_state.setdefault(KEPT, {})
    return drafts


def draft(table: Table, roles: Sequence[Role], column_types: Sequence[ColumnType]) -> Schema:
    """Return the schema of these roles and types, with the present orders and taxonomies."""
    tokens = st.session_state.get(TOKENS, [])
    missing = st.session_state.get(MISSING, "category")
    schema = with_plain(drafted(table, roles, column_types, kept(), missing, tokens), st.session_state.get(PLAIN, {}))
    schema = schema.with_(rows_are_people=bool(st.session_state.get(ROWS)))
    kept_record = st.session_state.get(ONE, ALL_RECORDS)
    if schema.person is None or kept_record == ALL_RECORDS:
        return schema
    return schema.with_(one_record=kept_record, record_seed=int(st.session_state.get(SEED) or 0))


def with_plain(schema: Schema, plain: Mapping[str, UnmodifiedColumn]) -> Schema:
    """The schema with the settings of its published columns."""
    return schema.with_(unmodified=[plain.get(name, column) for name, column in schema.unmodified.items()])


def drafted(
    table: Table,
    roles: Sequence[Role],
    column_types: Sequence[ColumnType],
    known: Mapping[str, Any],
    missing: str = "category",
    tokens: Sequence[str] = (),
) -> Schema:
    """Build a schema from roles and types, one per column.

    An ordinal column without an order gets its sorted values. A column without a taxonomy gets the one that it
    suggests, or a plain one; both can be changed.

    Raises
    ------
    SchemaError
        If the roles are impossible; the message names the columns.
    """

    def having(role: Role) -> list[str]:
        return [name for name, own in zip(table.names, roles, strict=True) if own is role]

    sensitive = having(Role.SENSITIVE)
    described = {*having(Role.QUASI_IDENTIFIER), *sensitive}
    column_type_of = {
        name: column_type for name, column_type in zip(table.names, column_types, strict=True) if name in described
    }
    if len(sensitive) > 1:  # joint values have no order and no tree
        column_type_of |= {
            name: ColumnType.CATEGORICAL for name in sensitive if column_type_of[name] is not ColumnType.NUMERIC
        }
    orders, trees, dates = {}, {}, {}
    for name, column_type in column_type_of.items():
        if column_type is ColumnType.ORDINAL:
            own = known.get(name)
            orders[name] = own if isinstance(own, tuple) else first_order(table, name, tokens)
        elif column_type is ColumnType.TAXONOMY:
            own = known.get(name)
            trees[name] = own if isinstance(own, Taxonomy) else first_taxonomy(table, name, tokens)
        elif column_type is ColumnType.DATE and isinstance(own := known.get(name), DateFormat):
            dates[name] = own
    return Schema(
        having(Role.QUASI_IDENTIFIER),
        sensitive or "",
        identifiers=having(Role.IDENTIFIER),
        provider=next(iter(having(Role.PROVIDER)), None),
        person=next(iter(having(Role.PERSON)), None),
        other=having(Role.OTHER),
        unmodified=having(Role.UNMODIFIED),
        column_types=column_type_of,
        taxonomies=trees,
        orders=orders,
        missing=missing,
        missing_tokens=sorted(tokens),
        dates=dates,
    )


def values_of(table: Table, name: str, tokens: Sequence[str]) -> list[str]:
    """Distinct values of a column, missing ones left out."""
    absent = {"", *tokens}
    return [label for label in table.column(name).labels if label not in absent]


def first_order(table: Table, name: str, tokens: Sequence[str]) -> tuple[str, ...]:
    """Values from the smallest number to the largest, or in alphabetical order."""
    values = values_of(table, name, tokens)
    if looks_numeric([value.strip().lstrip("0") or "0" for value in values], table.decimal):
        numbers = parse_numbers(values, table.decimal)
        values = [value for _, value in sorted(zip(numbers.tolist(), values, strict=True))]
    return tuple(values)


def first_taxonomy(table: Table, name: str, tokens: Sequence[str]) -> Taxonomy:
    """The hierarchy that a column suggests; else all values under one root."""
    values = values_of(table, name, tokens)
    proposed = proposed_hierarchy(name, values)
    return Taxonomy.flat(values) if proposed is None else proposed.tree
