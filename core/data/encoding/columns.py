"""Encode one column: its type, declared or inferred, and its domain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from core.base.arrays import Codes
from core.base.errors import SchemaError, TaxonomyError
from core.base.errors import shown_name as shown
from core.base.limits import LIMITS
from core.data.encoding.domain import Domain, number_text, shortest, with_missing
from core.data.schemas.bands import Bands
from core.data.schemas.hierarchies import why_lacking
from core.data.schemas.joint_value import cells_of, joint_column
from core.data.schemas.schema import ColumnType, DateFormat, Schema
from core.data.tables.column import Column
from core.data.tables.csv_export import in_one_form
from core.data.tables.dates import days_of, first_day, looks_like_dates, published_unit, text_of
from core.data.tables.number_forms import numbers_of
from core.data.tables.numbers import parse_numbers
from core.data.tables.table import Table

MAX_CATEGORIES = int(LIMITS["categories"].most)


# ---- one column -----------------------------------------------------------------------


def inferred_column_type(column: Column, schema: Schema, decimal: str = ".") -> ColumnType:
    """Return the column type: as declared, else inferred from its values."""
    name = column.name
    if name in schema.column_types:
        return schema.column_types[name]
    if name in schema.taxonomies:
        return ColumnType.TAXONOMY
    if name in schema.orders:
        return ColumnType.ORDINAL
    known = [label for label in column.labels if label not in schema.missing_tokens]
    if name in schema.dates:
        return ColumnType.DATE
    if name not in schema.sensitive_columns and looks_like_dates(known):
        return ColumnType.DATE
    if numbers_of(known, decimal) is not None:
        return ColumnType.NUMERIC
    # A sensitive attribute has only the order that its publisher declared.
    placed = name in schema.quasi_identifiers and bool(order_of(column, schema))
    return ColumnType.ORDINAL if placed else ColumnType.CATEGORICAL


def order_of(column: Column, schema: Schema) -> tuple[str, ...]:
    """Order of an ordinal column: as declared, else from its frame or its bands."""
    if column.name in schema.orders:
        return schema.orders[column.name]
    return own_order(column, [label for label in column.labels if label not in schema.missing_tokens])


def own_order(column: Column, known: Sequence[str]) -> tuple[str, ...]:
    """Order that a column itself has for the known values; empty if it has none."""
    if column.order and set(known) <= set(column.order):
        gone = set(column.labels) - set(known)
        return tuple(label for label in column.order if label not in gone)
    bands = Bands.of(known)
    return () if bands is None else bands.labels


def encode_column(column: Column, schema: Schema, absent: set[str], decimal: str) -> tuple[Domain, Codes]:
    """Domain of a column, and its codes (records,)."""
    column_type = inferred_column_type(column, schema, decimal)
    known = [label for label in column.labels if label not in absent]
    _check_known(column, known, column_type)
    domain, known_codes = _READERS[column_type](_Values(column, known, schema, decimal))
    code_of = dict(zip(known, known_codes, strict=True))
    if len(known) < len(column.labels):
        domain = with_missing(domain)
    lookup = np.array([code_of.get(label, domain.missing) for label in column.labels], dtype=np.int32)
    return domain, lookup[column.codes]


def sensitive_column(table: Table, schema: Schema) -> Column:
    """The sensitive attribute of a table: its column, or the joint values of several under the name of the schema."""
    columns = [table.column(name) for name in schema.sensitive_columns]
    if not schema.parts:
        return columns[0]
    absent, texts = set(schema.missing_tokens), []
    for column in columns:
        known = [label for label in column.labels if label not in absent]
        numeric = inferred_column_type(column, schema, table.decimal) is ColumnType.NUMERIC
        written = shortest(known, table.decimal) if numeric else known
        texts.append({**dict.fromkeys(column.labels, ""), **dict(zip(known, written, strict=True))})
    return joint_column(schema.sensitive, columns, texts)


def joint_domain(column: Column, parts: tuple[str, ...]) -> tuple[Domain, Codes]:
    """Domain of a column of joint values, and its codes; values that lack a cell come last."""
    whole = [all(cells_of(label)) for label in column.labels]
    known = [label for label, is_whole in zip(column.labels, whole, strict=True) if is_whole]
    _check_known(column, known, ColumnType.CATEGORICAL)
    rest = [label for label, is_whole in zip(column.labels, whole, strict=True) if not is_whole]
    place = {label: code for code, label in enumerate((*known, *rest))}
    missing = len(known) if rest else -1
    domain = Domain(column.name, ColumnType.CATEGORICAL, tuple(place), missing=missing, parts=parts)
    return domain, np.array([place[label] for label in column.labels], dtype=np.int32)[column.codes]


def encode_sensitive(table: Table, schema: Schema, absent: set[str]) -> tuple[Domain, Codes]:
    """Domain of the sensitive attribute, of joint values if there are several columns, and its codes (records,)."""
    column = sensitive_column(table, schema)
    if schema.parts:
        return joint_domain(column, schema.parts)
    return encode_column(column, schema, absent, table.decimal)


def _check_known(column: Column, known: Sequence[str], column_type: ColumnType) -> None:
    if not known:
        raise SchemaError(f"All values of the column {shown(column.name)} are missing.", parameter=column.name)
    if column_type is ColumnType.CATEGORICAL:
        LIMITS["categories"].check(
            len(known),
            column.name,
            f"Without a taxonomy the number of distinct values of the column {shown(column.name)}",
            "Give it a taxonomy, another column type, or another role.",
        )


def encode_provider(column: Column, absent: set[str]) -> tuple[Domain, Codes]:
    """Encode names of providers as labels, whatever their form; functions that need them refuse a missing one."""
    known = tuple(label for label in column.labels if label not in absent)
    LIMITS["categories"].check(
        len(known), column.name, f"The number of providers in the column {shown(column.name)}", "Is it an identifier?"
    )
    domain = Domain(column.name, ColumnType.CATEGORICAL, known)
    if len(known) < len(column.labels):
        domain = with_missing(domain)
    code_of = {label: code for code, label in enumerate(known)}
    lookup = np.array([code_of.get(label, domain.missing) for label in column.labels], dtype=np.int32)
    return domain, lookup[column.codes]


def person_codes(column: Column, absent: set[str]) -> Codes:
    """(records,) the person of each record; an empty cell is refused."""
    gone = [code for code, label in enumerate(column.labels) if label in absent]
    if gone:
        raise SchemaError(
            f"The person column {shown(column.name)} is empty in {int(column.counts[gone].sum()):,} of "
            f"{len(column):,} records, and a record of no one cannot be counted; fill these cells or leave the records "
            "out of the file.",
            parameter=column.name,
        )
    return column.renamed(column.name, map(in_one_form, column.labels)).codes


@dataclass(frozen=True)
class _Values:
    """The known values of a column and everything needed to read them."""

    column: Column
    known: list[str]
    schema: Schema
    decimal: str


def _numeric(values: _Values) -> tuple[Domain, list[int]]:
    column, known = values.column, values.known
    read = numbers_of(known, values.decimal)
    numbers = parse_numbers(known, values.decimal) if read is None else read.values
    if np.isnan(numbers).any():
        count = int(
            column.counts[[column.labels.index(t) for t, x in zip(known, numbers, strict=True) if x != x]].sum()
        )
        raise SchemaError(
            f"The column {shown(column.name)} has the column type numeric but {count:,} of {len(column):,} cells are "
            "not numbers; choose the column type categorical, or declare those cells as missing.",
            parameter=column.name,
        )
    with np.errstate(over="ignore", invalid="ignore"):
        length = numbers.max() - numbers.min()
    if not np.isfinite(numbers).all() or not np.isfinite(length):
        raise SchemaError(
            f"The numbers of {shown(column.name)} are too large to subtract from each other; rescale them or choose "
            "the column type categorical.",
            parameter=column.name,
        )
    distinct, codes = np.unique(numbers, return_inverse=True)
    return Domain(column.name, ColumnType.NUMERIC, tuple(map(number_text, distinct)), distinct + 0.0), codes.tolist()


def _placed(column: Column, known: list[str], order: Sequence[str], what: str) -> list[int]:
    place = {label: i for i, label in enumerate(order)}
    outside = [label for label in known if label not in place]
    if outside:
        gone = {column.labels.index(label) for label in outside}
        first = int(np.flatnonzero(np.isin(column.codes, list(gone)))[0]) + 1
        raise TaxonomyError(
            f"The {what} of {shown(column.name)} lacks {len(outside):,} of its {len(known):,} values (first in record "
            f"{first:,}); add them or choose another column type.",
            parameter=column.name,
        )
    return [place[label] for label in known]


def _ordinal(values: _Values) -> tuple[Domain, list[int]]:
    name = values.column.name
    order = order_of(values.column, values.schema)
    return Domain(name, ColumnType.ORDINAL, order), _placed(values.column, values.known, order, "order")


def _taxonomic(values: _Values) -> tuple[Domain, list[int]]:
    name = values.column.name
    tree = values.schema.taxonomies[name]
    if values.known and not set(values.known) & set(tree.leaf_labels) and (why := why_lacking(tree, values.known)):
        raise TaxonomyError(f"The taxonomy of {shown(name)} holds none of its values. {why}.", parameter=name)
    codes = _placed(values.column, values.known, tree.leaf_labels, "taxonomy")
    return Domain(name, ColumnType.TAXONOMY, tree.leaf_labels, None, tree), codes


def _categorical(values: _Values) -> tuple[Domain, list[int]]:
    return Domain(values.column.name, ColumnType.CATEGORICAL, tuple(values.known)), list(range(len(values.known)))


def _dated(values: _Values) -> tuple[Domain, list[int]]:
    name, schema = values.column.name, values.schema
    own = schema.dates.get(name, DateFormat())
    days, form = days_of(values.column, values.known, own.form)
    unit = published_unit(name, form, own.unit)
    distinct, codes = np.unique([first_day(day, unit) for day in days], return_inverse=True)
    labels = tuple(text_of(day, unit) for day in distinct.tolist())
    return Domain(name, ColumnType.DATE, labels, distinct.astype(np.float64)), codes.tolist()


_READERS: dict[ColumnType, Callable[[_Values], tuple[Domain, list[int]]]] = {
    ColumnType.NUMERIC: _numeric,
    ColumnType.ORDINAL: _ordinal,
    ColumnType.CATEGORICAL: _categorical,
    ColumnType.TAXONOMY: _taxonomic,
    ColumnType.DATE: _dated,
}
