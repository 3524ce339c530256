"""Remarks on what is allowed but probably not intended in a schema; never refusals."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.base.errors import shown_name as shown
from core.data.encoding.columns import inferred_column_type, sensitive_column
from core.data.frequency_table import FrequencyTable, records_of, rows_of
from core.data.profiling.strays import strays_of
from core.data.schemas.joint_value import cells_of
from core.data.schemas.schema import ColumnType, DateFormat, Schema
from core.data.tables.column import Column
from core.data.tables.dates import has_short_years, looks_like_dates
from core.data.tables.number_forms import numbers_of
from core.data.tables.table import Table

FEW_RECORDS = 10
MANY_LABELS = 200
MANY_SECRETS = 0.2


@dataclass(frozen=True)
class Caution:
    """One remark.

    Parameters
    ----------
    column
        What it is about.
    text
        One or two sentences without any cell value.
    labels
        Texts of cells that may not be values; only for the publisher's own screen.
    """

    column: str
    text: str
    labels: tuple[str, ...] = field(default=(), repr=False)


def cautions(data: Table | FrequencyTable, schema: Schema) -> tuple[Caution, ...]:
    """Remark on columns whose role or type is probably not intended.

    Parameters
    ----------
    data, schema
        They need not fit each other: columns that cannot be checked are skipped.

    Returns
    -------
    tuple of Caution
        In the order of the schema; for each column first the unusual cells, then one more remark.
    """
    table, records, notes = rows_of(data), records_of(data), list[Caution]()
    for name in (*schema.quasi_identifiers, *schema.sensitive_columns):
        if name not in table.names:
            continue
        ordered = schema.column_types.get(name) in (ColumnType.ORDINAL, ColumnType.TAXONOMY) or name in {
            *schema.orders,
            *schema.taxonomies,
        }
        strays = None if ordered else strays_of(data, name, schema.missing_tokens)
        notes += [] if strays is None else [Caution(name, strays.text, strays.labels)]
        if name in schema.quasi_identifiers:
            text = _about_quasi(table.column(name), records, schema, table.decimal)
            notes += [Caution(name, text)] if text else []
    if set(schema.sensitive_columns) <= set(table.names):
        column = sensitive_column(table, schema)
        text = _about_sensitive(column, _known(column, schema), records)
        notes += [Caution(schema.sensitive, text)] if text else []
    return tuple(notes)


def forms_left_out(data: Table | FrequencyTable, schema: Schema) -> tuple[Caution, ...]:
    """List the columns that are read and published without the unit or signs of their cells."""
    table, notes = rows_of(data), []
    for name in (*schema.quasi_identifiers, *schema.sensitive_columns):
        if (
            name not in table.names
            or inferred_column_type(table.column(name), schema, table.decimal) is not ColumnType.NUMERIC
        ):
            continue
        numbers = numbers_of(_known(table.column(name), schema), table.decimal)
        if numbers is not None and not numbers.plain:
            unit = f"in {numbers.unit}, " if numbers.unit else ""
            text = f"The numbers of {shown(name)} are read and published {unit}without the unit or signs around them."
            notes.append(Caution(name, text))
    return tuple(notes)


def _known(column: Column, schema: Schema) -> list[str]:
    absent = set(schema.missing_tokens)
    whole = column.name in schema.quasi_identifiers or not schema.parts
    return [label for label in column.labels if (label not in absent if whole else all(cells_of(label)))]


def _about_quasi(column: Column, records: int, schema: Schema, decimal: str) -> str:
    name, known = shown(column.name), _known(column, schema)
    if len(known) <= 1:
        return f"{name} has the same value in every record, so it distinguishes no one; it can be left out."
    if len(known) == records >= FEW_RECORDS:
        return f"{name} differs in every record. Is it an identifier, which is not published?"
    column_type = inferred_column_type(column, schema, decimal)
    if column_type is ColumnType.CATEGORICAL and looks_like_dates(known):
        return f"{name} looks like dates. As categories they become sets of texts; give it the column type date."
    if column_type is ColumnType.DATE and has_short_years(known, schema.dates.get(column.name, DateFormat()).form):
        return f"The years of {name} have two digits and are read as 1969 to 2068."
    if column_type is ColumnType.CATEGORICAL and len(known) > MANY_LABELS:
        return (
            f"{name} has {len(known):,} values and no taxonomy, so classes publish long sets of them. Make a taxonomy, "
            "such as by the leading characters of a code."
        )
    return ""


def _about_sensitive(column: Column, known: list[str], records: int) -> str:
    name = shown(column.name)
    if len(known) == 2:
        return (
            f"{name} has only two values: anyone who can rule one out knows the other, and no class can hold more than "
            "two (l is at most 2)."
        )
    if records >= FEW_RECORDS and len(known) > max(20, MANY_SECRETS * records):
        return (
            f"{name} has {len(known):,} values in {records:,} records. Classes look diverse because hardly any value "
            "repeats; group the values, such as diagnoses by chapter, before you trust l or t."
        )
    return ""
