"""Roles, kinds and missing values of the present table.

What the table on the page says is in force as soon as it can be; as long as it cannot, the
last schema that could stays, and one sentence says why.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from core import Kind, Role, Schema, SchemaError, Table, Taxonomy, examples
from core.encoding import inferred_kind
from core.errors import shown_name as shown
from core.missing import missing_cells, missing_labels
from core.table import looks_numeric, parse_numbers
from pages._ui import errors, runs, state
from pages._ui.data_text import ROLE_WORDS, headers, listed
from pages._ui.text import count, percent, plain, safe

_BASE, _VERSION, _SHOWN = "data:base", "data:version", "data:shown"
_FORCE, _KEPT, _FIRST = "data:force", "data:kept", "data:first"
MISSING, TOKENS = "data:missing", "data:tokens"
ROLE_HELP = (
    "Known: others may know it of a person, so it is published made coarser. To protect: published as it is; exactly "
    "one column. Dropped: not published, because it names the person, tells who contributed the record, or takes no "
    "part."
)
KIND_HELP = (
    "Numeric: made coarser to ranges. Ordinal: to runs of an order you give. Categorical: to sets of values. Taxonomy: "
    "to the groups of a tree."
)
MISSING_WORDS = {
    "category": "Keep a missing value as a value of its own",
    "drop": "Leave out records that lack a quasi-identifier",
    "complete": "Leave out also records that lack the sensitive value",
}


# ---- what was edited -------------------------------------------------------------------


def editor_key() -> str:
    """Key of the column table; a new one drops what was edited."""
    return f"data:columns:{st.session_state.get(_VERSION, 0)}"


def start_over(schema: Schema | None = None) -> None:
    """Let the column table show a schema (that in force by default) without edits."""
    here = state.workspace()
    schema = here.schema if schema is None else schema
    roles, kinds = _roles(here.table, schema), _kinds(here.table, schema)
    session = st.session_state
    session[_VERSION] = session.get(_VERSION, 0) + 1
    session[_BASE] = (roles, kinds)
    session[_KEPT] = {**dict(schema.orders), **dict(schema.taxonomies)}
    session[MISSING], session[TOKENS] = schema.missing, [token for token in schema.missing_tokens if token]
    if schema is here.schema:
        session[_FORCE] = _draft(here.table, roles, kinds)


def _roles(table: Table, schema: Schema) -> list[Role]:
    roles = dict(schema.roles())
    return [roles.get(name, Role.OTHER) for name in table.names]


def _kinds(table: Table, schema: Schema) -> list[Kind]:
    return [inferred_kind(column, schema, table.decimal) for column in table.columns]


def begin() -> None:
    """Show the schema in force when the page is opened, for edits do not outlive it."""
    left = st.session_state.get(_SHOWN) == editor_key() and editor_key() not in st.session_state
    if _BASE not in st.session_state or left:
        start_over()
    st.session_state[_SHOWN] = editor_key()


def kept() -> dict[str, Any]:
    """Orders and taxonomies by column, also of columns that have another kind at present."""
    found: dict[str, Any] = st.session_state.setdefault(_KEPT, {})
    return found


def _draft(table: Table, roles: Sequence[Role], kinds: Sequence[Kind]) -> Schema:
    tokens = st.session_state.get(TOKENS, [])
    missing = st.session_state.get(MISSING, "category")
    return drafted(table, roles, kinds, kept(), missing, tokens)


def drafted(
    table: Table,
    roles: Sequence[Role],
    kinds: Sequence[Kind],
    known: Mapping[str, Any],
    missing: str = "category",
    tokens: Sequence[str] = (),
) -> Schema:
    """Put together a schema from roles and kinds, one a column.

    An ordinal column without an order gets its sorted values, one without a taxonomy a
    plain one, both to be changed.

    Raises
    ------
    SchemaError
        If the roles cannot be; the message names the columns.
    """

    def having(role: Role) -> list[str]:
        return [name for name, own in zip(table.names, roles, strict=True) if own is role]

    for role, words in ((Role.SENSITIVE, "to protect"), (Role.PROVIDER, "naming who contributed")):
        several = having(role)
        if len(several) > 1:
            raise SchemaError(
                f"{shown(several[0])} and {shown(several[1])} are both given as the column {words}; one can be at a "
                "time, so give the other another role.",
                parameter=several[1],
            )
    sensitive = next(iter(having(Role.SENSITIVE)), "")
    described = {*having(Role.QUASI_IDENTIFIER), sensitive}
    kind_of = {name: kind for name, kind in zip(table.names, kinds, strict=True) if name in described}
    orders, trees = {}, {}
    for name, kind in kind_of.items():
        if kind is Kind.ORDINAL:
            own = known.get(name)
            orders[name] = own if isinstance(own, tuple) else first_order(table, name, tokens)
        elif kind is Kind.TAXONOMY:
            own = known.get(name)
            trees[name] = own if isinstance(own, Taxonomy) else first_taxonomy(table, name, tokens)
    return Schema(
        having(Role.QUASI_IDENTIFIER), sensitive, identifiers=having(Role.IDENTIFIER),
        provider=next(iter(having(Role.PROVIDER)), None), other=having(Role.OTHER), kinds=kind_of,
        taxonomies=trees, orders=orders, missing=missing, missing_tokens=sorted(tokens),
    )  # fmt: skip


def values_of(table: Table, name: str, tokens: Sequence[str]) -> list[str]:
    """Distinct values of a column, missing ones left out."""
    absent = {"", *tokens}
    return [label for label in table.column(name).labels if label not in absent]


def first_order(table: Table, name: str, tokens: Sequence[str]) -> tuple[str, ...]:
    """Values from the smallest number to the largest, or by the alphabet."""
    values = values_of(table, name, tokens)
    if looks_numeric([value.strip().lstrip("0") or "0" for value in values], table.decimal):
        numbers = parse_numbers(values, table.decimal)
        values = [value for _, value in sorted(zip(numbers.tolist(), values, strict=True))]
    return tuple(values)


def first_taxonomy(table: Table, name: str, tokens: Sequence[str]) -> Taxonomy:
    """Codes of one length by their leading characters; anything else all under one root."""
    values = values_of(table, name, tokens)
    lengths = {len(value) for value in values}
    if len(lengths) == 1 and max(lengths) >= 4 and all(value.isalnum() for value in values):
        length = max(lengths)
        return Taxonomy.from_prefixes(values, keep=(length - 1, max(1, length - 2)))
    return Taxonomy.flat(values)


# ---- the column table ------------------------------------------------------------------


def editor() -> None:
    """Show the column table, and put in force what it says if that is possible."""
    here = state.workspace()
    roles, kinds = st.session_state[_BASE]
    edited = st.data_editor(
        _frame(here.table, roles, kinds), key=editor_key(), hide_index=True, num_rows="fixed",
        disabled=["column", "distinct", "missing", "noticed"], height=_height(len(roles)),
        alt="Role and kind of every column, to edit",
        column_config={
            "column": st.column_config.TextColumn("Column", width=140, pinned=True),
            "role": st.column_config.SelectboxColumn("Role", options=[str(role) for role in Role], required=True,
                                                     format_func=lambda role: ROLE_WORDS[Role(role)], width=185,
                                                     help=ROLE_HELP),
            "kind": st.column_config.SelectboxColumn("Kind", options=[str(kind) for kind in Kind], required=True,
                                                     width=100, help=KIND_HELP),
            "distinct": st.column_config.NumberColumn("Values", width=75, format="localized",
                                                         help="Different values, missing ones left out"),
            "missing": st.column_config.NumberColumn("Missing", width=75, format="localized"),
            "noticed": st.column_config.TextColumn("What was noticed", width="large"),
        },
    )  # fmt: skip
    with errors.refusing():
        settle(_draft(here.table, [Role(role) for role in edited["role"]], [Kind(kind) for kind in edited["kind"]]))
        return
    st.caption("Until this is put right, the roles shown above the table stay in force.")


def _height(rows: int) -> int:
    """Enough for all columns of most tables; a longer one scrolls."""
    return 35 * (min(rows, 20) + 1) + 3


def _frame(table: Table, roles: Sequence[Role], kinds: Sequence[Kind]) -> pd.DataFrame:
    reasons = runs.proposal(table).reasons
    tokens = ("", *st.session_state.get(TOKENS, []))
    missing = [missing_cells(column, tokens) for column in table.columns]
    known = [len(column.labels) - missing_labels(column, tokens) for column in table.columns]
    return pd.DataFrame({
        "column": headers(table.names),
        "role": [str(role) for role in roles],
        "kind": [str(kind) for kind in kinds],
        "distinct": known,
        "missing": missing,
        "noticed": [plain(reasons[name], 120) for name in table.names],
    })  # fmt: skip


def settle(schema: Schema) -> None:
    """Put a schema in force, or raise what speaks against it."""
    if schema == st.session_state.get(_FORCE):
        return
    encoded = runs.encoded_as(schema)
    state.change_schema(schema)
    state.fit_choices(len(encoded))
    st.session_state[_FORCE] = schema


def remember_first(schema: Schema) -> None:
    """Keep the schema that a table comes with, to go back to."""
    st.session_state[_FIRST] = schema


def undo() -> None:
    """Go back to the roles and kinds that the table came with."""
    here = state.workspace()
    first = st.session_state.get(_FIRST)
    if first is None:
        first = examples.city_schema() if here.example else runs.proposal(here.table).schema
    start_over(first)


def summary() -> None:
    """What happens to each column, as it is in force."""
    schema = state.workspace().schema
    apart = [*schema.identifiers, *([schema.provider] if schema.provider else [])]
    cards = (
        (":material/visibility:", "Published, made coarser", schema.quasi_identifiers,
         "Others may know these of a person. Exact values become ranges, sets or groups."),
        (":material/shield_person:", "Published as it is", (schema.sensitive,),
         "This is to protect: nobody may tie a value of it to a person."),
        (":material/block:", "Not published", (*apart, *schema.other),
         "Identifiers and columns without a part are left out of the release."),
    )  # fmt: skip
    with st.grid(3, min_column_width=230):
        for icon, title, names, words in cards:
            with st.container(border=True, height="stretch"):
                st.markdown(f"{icon} **{title}**  \n{listed(names, 12) if names else 'none'}")
                st.caption(words)


def remarks() -> None:
    """What is allowed but probably not meant."""
    for caution in runs.table_cautions():
        st.caption(f":material/warning: {safe(caution.text, 500)}")


# ---- missing values --------------------------------------------------------------------


def missing_in_short() -> None:
    """How many records lack something, and how many are left out for it."""
    here, found = state.workspace(), runs.missing_count()
    if not found.either:
        st.caption("No record lacks a quasi-identifier or the sensitive value. None is left out.")
        return
    out = found.left_out(here.schema.missing)
    st.caption(
        f"{count(found.quasi)} of {count(found.records)} records ({percent(found.quasi / found.records)}) lack a "
        f"quasi-identifier, {count(found.sensitive)} ({percent(found.sensitive / found.records)}) the sensitive value. "
        f"**{count(out) if out else 'None'}** {'is' if out < 2 else 'are'} left out."
    )


def missing() -> None:
    """Which cells are missing, and what becomes of their records."""
    here, found = state.workspace(), runs.missing_count()
    tokens = {token.token: token.cells for token in runs.proposal(here.table).tokens}
    options = list(dict.fromkeys([*tokens, *st.session_state.get(TOKENS, [])]))
    if options:
        st.multiselect(
            "Cells that mean “missing”, beside empty ones", options, key=TOKENS,
            format_func=lambda token: f"{plain(token, 30)}  ({count(tokens.get(token, 0))} cells)",
            help="Until a word is chosen here it is a value like any other, in every column.",
        )  # fmt: skip
    st.radio(
        "Records with a missing value", list(MISSING_WORDS), format_func=MISSING_WORDS.__getitem__, key=MISSING,
        captions=[f"{count(found.left_out(choice))} of {count(found.records)} left out" for choice in MISSING_WORDS],
    )  # fmt: skip
    st.caption("A missing sensitive value never counts as a value of its own where diversity is asked.")
