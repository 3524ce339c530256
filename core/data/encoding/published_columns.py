"""Columns that are published as they are, and the tuples that they form with the sensitive value.

No one is assumed to know these values about a person, so they are not generalised. They still link releases: to
intersect two releases is to intersect tuples of sensitive and published values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Codes, Floats, Ints
from core.base.errors import SchemaError
from core.base.errors import shown_name as shown
from core.base.short import many, short
from core.data.classes import ClassHistogram, distinct_columns
from core.data.encoding.domain import Domain, number_text, with_missing
from core.data.schemas.schema import ColumnType, Schema
from core.data.tables.column import Column
from core.data.tables.numbers import looks_numeric, parse_numbers
from core.data.tables.table import Table


@dataclass(frozen=True, eq=False)
class PlainColumn:
    """One column that is published as it is.

    Parameters
    ----------
    name
        Header.
    labels
        Text of every code; "" if it is missing. Numbers are written in their shortest form.
    codes
        (records,) int32.
    same_value_rate
        Probability that a shared person has the same value at another hospital: 1 same, 0 independent.
    diverse
        Whether it must meet l and t like the sensitive attribute.
    """

    name: str
    labels: tuple[str, ...]
    codes: Codes
    same_value_rate: float = 1.0
    diverse: bool = False

    def coded(self) -> tuple[Domain, Codes]:
        """The column as a sensitive attribute: its domain, in the order of numbers or of letters, and its codes."""
        known = [label for label in self.labels if label]
        numeric = looks_numeric(known)
        numbers = parse_numbers(known) if numeric else None
        order = np.argsort(numbers, kind="stable").tolist() if numbers is not None else np.argsort(known).tolist()
        labels = tuple(known[place] for place in order)
        column_type = ColumnType.CATEGORICAL if numbers is None else ColumnType.NUMERIC
        domain = Domain(self.name, column_type, labels, None if numbers is None else numbers[order])
        domain = with_missing(domain) if len(known) < len(self.labels) else domain
        place = {label: code for code, label in enumerate(labels)}
        return domain, np.array([place.get(label, domain.missing) for label in self.labels], dtype=np.int32)[self.codes]

    def __repr__(self) -> str:
        return short(self, shown(self.name), many(len(self.codes), "record"), many(len(self.labels), "value"))

    def take(self, positions: NDArray[Any]) -> PlainColumn:
        """The column of some records."""
        return replace(self, codes=self.codes[positions])

    def followed_by(self, codes: NDArray[Any]) -> PlainColumn:
        """The column with additional records at its end."""
        return replace(self, codes=np.concatenate((self.codes, codes.astype(np.int32))))


def plain_columns(table: Table, schema: Schema) -> tuple[PlainColumn, ...]:
    """The published columns of a schema, as far as a table has them."""
    there = [name for name in schema.unmodified if name in table.names]
    return tuple(
        plain_column(table.column(name), schema.missing_tokens, table.decimal, schema.unmodified[name].rounded)
        for name in there
    )


def with_settings(columns: Sequence[PlainColumn], schema: Schema) -> tuple[PlainColumn, ...]:
    """The same columns with a schema's same-value rates and diversity requirements."""
    pairs = [(column, schema.unmodified[column.name]) for column in columns]
    return tuple(replace(column, same_value_rate=own.same_value_rate, diverse=own.diverse) for column, own in pairs)


def plain_column(
    column: Column, missing: Sequence[str] = ("",), decimal: str = ".", step: float | None = None
) -> PlainColumn:
    """A column as it is published: missing cells empty, numbers rounded to multiples of a step if one is given.

    Raises
    ------
    SchemaError
        If a column that is to be rounded has a cell that is no number.
    """
    absent = set(missing)
    known = [label for label in column.labels if label not in absent]
    text = dict(zip(known, known, strict=True))
    if looks_numeric(known, decimal):
        numbers = parse_numbers(known, decimal)
        if step is not None:
            numbers = _to_multiples(numbers, step, column.name)
        text = {label: number_text(number + 0.0) for label, number in zip(known, numbers.tolist(), strict=True)}
    elif step is not None:
        raise SchemaError(
            f"The column {shown(column.name)} is to be rounded and has cells that are not numbers; leave out the "
            "rounding, or declare those cells as missing.",
            parameter=column.name,
        )
    code: dict[str, int] = {}
    codes = np.array([code.setdefault(text.get(label, ""), len(code)) for label in column.labels], dtype=np.int32)
    return PlainColumn(column.name, tuple(code), codes[column.codes])


def _to_multiples(numbers: Floats, step: float, name: str) -> Floats:
    """Round to multiples of a step, halves upward, with no more decimals than the step has."""
    with np.errstate(over="ignore", invalid="ignore"):
        multiples = np.floor(numbers / step + 0.5) * step
    if not np.isfinite(multiples).all():
        raise SchemaError(f"The numbers of {shown(name)} cannot be rounded to so small a step.", parameter=name)
    decimals = -int(Decimal(repr(float(step))).as_tuple().exponent)
    rounded: Floats = np.round(multiples, max(0, decimals))
    return rounded


@dataclass(frozen=True, eq=False)
class ClassTuples:
    """Distinct tuples of sensitive and published values in each class.

    Parameters
    ----------
    histogram
        Tuples of each class, by their number, and records that have them.
    codes
        (1 + columns, tuples) sensitive code and code in each column, of every tuple.
    columns
        The columns, without records.
    """

    histogram: ClassHistogram
    codes: Ints
    columns: tuple[PlainColumn, ...]

    @classmethod
    def of(
        cls, labels: NDArray[Any], classes: int, sensitive_codes: NDArray[Any], columns: Sequence[PlainColumn]
    ) -> ClassTuples:
        """Count the tuples of each class; every class must occur in ``labels``, (records,)."""
        codes = np.stack([sensitive_codes.astype(np.int64), *(column.codes.astype(np.int64) for column in columns)])
        first, number, _ = distinct_columns(codes)
        histogram = ClassHistogram.of_records(labels, number, np.zeros(len(first), dtype=np.int64), classes)
        headers = tuple(replace(column, codes=np.zeros(0, dtype=np.int32)) for column in columns)
        return cls(histogram, codes[:, first], headers)

    @property
    def names(self) -> tuple[str, ...]:
        """Headers of the columns."""
        return tuple(column.name for column in self.columns)

    def mapped(self, which: Ints) -> ClassTuples:
        """The same with other sensitive codes; ``which``, (codes,), is what each becomes. Tuples may then be equal."""
        return replace(self, codes=np.vstack((which[self.codes[0]], self.codes[1:])))
