"""Results for the loaded table: codes, proposed roles, cautions and uniqueness."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import core
from core import Scenario
from core.base.arrays import T
from core.data.encoding.encoded import Encoded, encode
from core.data.encoding.missing import MissingCount, count_missing
from core.data.encoding.persons import refuse_repeats, repeating_identifier
from core.data.frequency_table import rows_of
from core.data.profiling.cautions import Caution, cautions, forms_left_out
from core.data.profiling.derived_columns import Follows, described, what_follows
from core.data.profiling.proposal import Proposal, propose
from core.data.profiling.uniqueness import Uniqueness, uniqueness
from core.data.profiling.value_pictures import value_picture
from core.data.reading.frequency_file import roles_of
from core.data.schemas.hierarchies import Hierarchy, proposed_hierarchy
from core.data.tables.dates import formats_of
from pages.shared.compute.cache import cached
from pages.shared.state import session
from pages.shared.state.column_draft import values_of

# ---- what is run -----------------------------------------------------------------------


def data_key(scenario: Scenario | None = None) -> tuple[Any, ...]:
    """Part of a cache key for the table and its schema; those of the session unless a scenario is given.

    Pages need this hundreds of times per run, so it is made without a scenario.
    """
    if scenario is not None:
        return key_of(scenario.schema, scenario.data_id)
    workspace = session.workspace()
    return session.once("data key", lambda: key_of(workspace.schema, workspace.content_id))


def key_of(schema: core.Schema, data_id: str) -> tuple[Any, ...]:
    """Part of a cache key for a table and a schema."""
    return (
        data_id,
        schema.quasi_identifiers,
        schema.sensitive_columns,
        schema.provider,
        schema.identifiers,
        schema.person,
        schema.rows_are_people,
        schema.one_record,
        schema.record_seed,
        tuple(sorted((column, str(column_type)) for column, column_type in schema.column_types.items())),
        tuple(sorted(schema.taxonomies.items())),
        tuple(sorted(schema.orders.items())),
        tuple(schema.dates.items()),
        schema.missing,
        schema.missing_tokens,
        "" if schema.agreement is None else schema.agreement.digest,
        tuple(schema.unmodified.values()),
    )


def encoded() -> Encoded:
    """The session's table as codes."""
    workspace = session.workspace()
    return cached(("encoded", *data_key()), lambda: encode(workspace.data, workspace.schema))


# ---- the data page -----------------------------------------------------------------------


def encoded_as(schema: core.Schema) -> Encoded:
    """The session's table as codes under another schema; the same entry once that is applied."""
    workspace = session.workspace()
    key = ("encoded", *key_of(schema, workspace.content_id))
    return cached(key, lambda: encode(workspace.data, schema))


def repeating() -> str | None:
    """Identifier that repeats while it is open whether records are people."""
    workspace = session.workspace()
    return cached(("repeating", *data_key()), lambda: repeating_identifier(workspace.data, workspace.schema))


def check_people() -> None:
    """Refuse the session's table while it is open whether its records are people."""
    name = repeating()
    if name is not None:
        refuse_repeats(name)


def proposal(data: core.Table | core.FrequencyTable, missing_tokens: tuple[str, ...] | None = None) -> Proposal:
    """Roles and types to start from; a frequency table may itself declare some of them."""
    roles = roles_of(data.table) if isinstance(data, core.FrequencyTable) else None
    return cached(("proposal", data.content_id, missing_tokens), lambda: propose(data, missing_tokens, roles))


def value_pictures(absent: tuple[str, ...]) -> list[tuple[float, ...]]:
    """The distribution of the values of each column, without missing ones."""
    data = session.workspace().data
    types = {part.name: part.column_type for part in proposal(data).columns}
    return cached(
        ("value pictures", data.content_id, absent),
        lambda: [value_picture(data, column, types[column.name], absent) for column in rows_of(data).columns],
    )


def missing_count() -> MissingCount:
    """Records of the session's table with missing values."""
    workspace = session.workspace()
    return cached(("missing", *data_key()), lambda: count_missing(workspace.data, workspace.schema))


def table_cautions() -> tuple[Caution, ...]:
    """Remarks on the present schema."""
    workspace = session.workspace()
    return cached(("cautions", *data_key()), lambda: cautions(workspace.data, workspace.schema))


def forms() -> tuple[Caution, ...]:
    """Columns that are read without the unit or the signs in their cells."""
    workspace = session.workspace()
    return cached(("forms", *data_key()), lambda: forms_left_out(workspace.data, workspace.schema))


def follows(known: tuple[str, ...]) -> dict[str, Follows]:
    """Columns whose value follows from that of a column that others may know."""
    data = session.workspace().data
    key = ("follows", data.content_id, known)
    return cached(key, lambda: {fact.column: fact for fact in what_follows(data, known)})


def descriptions() -> dict[str, str]:
    """Text of each sensitive value, if a text column corresponds to the codes one to one."""
    workspace = session.workspace()
    return cached(
        ("descriptions", workspace.content_id, workspace.schema.sensitive_columns),
        lambda: described(workspace.data, workspace.schema.sensitive_columns),
    )


def date_formats(name: str) -> tuple[str, ...]:
    """Formats in which all values of a column are dates."""
    return _of_values("formats", name, formats_of)


def hierarchy(name: str) -> Hierarchy | None:
    """The hierarchy that a column suggests."""
    return _of_values("hierarchy", name, partial(proposed_hierarchy, name))


def _of_values(what: str, name: str, make: Callable[[list[str]], T]) -> T:
    """Features of a column's values, without missing ones."""
    workspace = session.workspace()
    tokens = workspace.schema.missing_tokens
    key = (what, workspace.data.content_id, name, tokens)
    return cached(key, lambda: make(values_of(workspace.table, name, tokens)))


def alone() -> Uniqueness:
    """How many people are unique on the quasi-identifiers before anything is done."""
    return cached(("uniqueness", *data_key()), lambda: uniqueness(encoded()))
