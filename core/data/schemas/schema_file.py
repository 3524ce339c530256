"""The file format of a schema, declared: fields, types and the resulting schema."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field

from core.base.errors import InputError, SchemaError
from core.base.json_files import read
from core.data.schemas.agreement import Agreement
from core.data.schemas.schema import ColumnType, DateFormat, Schema, UnmodifiedColumn
from core.data.schemas.taxonomy import Taxonomy


class TreeInFile(Struct, forbid_unknown_fields=True):
    """A :class:`core.data.schemas.taxonomy.Taxonomy`: label of each node, and its parent, -1 for the root."""

    labels: list[str]
    parents: list[int]
    one_node: bool = False


class SchemaInFile(Struct, forbid_unknown_fields=True):
    """Format written by :meth:`Schema.to_json`."""

    quasi_identifiers: list[str]
    sensitive: str | list[str]
    identifiers: list[str] = []
    provider: str | None = None
    other: list[str] = []
    kinds: dict[str, ColumnType] = {}
    taxonomies: dict[str, TreeInFile] = {}
    orders: dict[str, list[str]] = {}
    missing: str = "category"
    missing_tokens: list[str] = field(default_factory=lambda: [""])
    unassigned: str = "error"
    person: str | None = None
    one_record: str | None = None
    record_seed: int = 0
    rows_are_people: bool = False
    unmodified: list[str] = []
    same_value_rate: dict[str, float] = {}
    rounded: dict[str, float] = {}
    diverse: list[str] = []
    date_formats: dict[str, str] = {}
    date_units: dict[str, str] = {}
    agreement: dict[str, Any] | None = None


def read_schema(facts: Any) -> Schema:
    """Read the output of :meth:`Schema.to_json`; unknown or ill-typed fields raise SchemaError."""
    return schema_of(read(facts, SchemaInFile, "stored schema", SchemaError))


def schema_of(file: SchemaInFile) -> Schema:
    """Schema defined by a file.

    Raises
    ------
    SchemaError
        As :class:`core.data.schemas.schema.Schema`.
    """
    trees = {
        column: Taxonomy(tuple(tree.labels), tuple(tree.parents), tree.one_node)
        for column, tree in file.taxonomies.items()
    }
    try:
        agreement = None if file.agreement is None else Agreement.from_facts(file.agreement)
    except InputError as error:
        raise SchemaError(error.message, parameter="agreement") from None
    return Schema(
        file.quasi_identifiers,
        file.sensitive,
        identifiers=file.identifiers,
        provider=file.provider,
        other=file.other,
        column_types=file.kinds,
        taxonomies=trees,
        orders=file.orders,
        missing=file.missing,
        missing_tokens=file.missing_tokens,
        unassigned=file.unassigned,
        person=file.person,
        one_record=file.one_record,
        record_seed=file.record_seed,
        unmodified=UnmodifiedColumn.each(file.unmodified, file.same_value_rate, file.rounded, file.diverse),
        dates=DateFormat.each(file.date_formats, file.date_units),
        agreement=agreement,
        rows_are_people=file.rows_are_people,
    )
