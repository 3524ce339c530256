"""Derived columns: their value follows from a column that others may know."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from core.base.errors import shown_name as shown
from core.data.frequency_table import FrequencyTable, rows_of
from core.data.tables.column import Column
from core.data.tables.number_forms import numbers_of
from core.data.tables.table import Table


@dataclass(frozen=True)
class Follows:
    """A column whose value follows from the value of another in all rows.

    Parameters
    ----------
    column, source
        Anyone who knows the value of ``source`` knows that of ``column``.
    both
        Whether the reverse also holds.
    """

    column: str
    source: str
    both: bool

    @property
    def text(self) -> str:
        """The same in one phrase, without any cell value."""
        source = shown(self.source)
        return f"Follows from {source}: anyone who knows {'one knows the other' if self.both else f'{source} knows it'}"


def what_follows(data: Table | FrequencyTable, sources: Iterable[str]) -> tuple[Follows, ...]:
    """Find the columns that follow from one of the sources, such as the logarithm of the length of stay.

    Parameters
    ----------
    data
        A table, or a frequency table by its rows. A missing value is a value like any other.
    sources
        Columns that others may know. A column whose values hardly ever repeat is skipped: every column follows from it.

    Returns
    -------
    tuple of Follows
        In the order of the table, with the first source of each column. Columns with one value are left out, and so are
        those that have a single value wherever the source repeats: that may be chance.

    Notes
    -----
    O(sources x columns x rows).
    """
    table = rows_of(data)
    known = [table.column(name) for name in sources]
    known = [column for column in known if 2 * len(column.labels) <= len(table)]
    pairs = ((column, source) for column in table.columns for source in known if column is not source)
    first: dict[str, Follows] = {}
    for column, source in pairs:
        if column.name not in first and _is_function(column, source):
            first[column.name] = Follows(column.name, source.name, len(column.labels) == len(source.labels))
    return tuple(first.values())


def described(data: Table | FrequencyTable, columns: Sequence[str]) -> dict[str, str]:
    """Labels for the values of a column, from the first other text column with one distinct text per value.

    Empty for several columns, and if there is no such column.
    """
    table = rows_of(data)
    facts = what_follows(data, columns) if len(columns) == 1 else ()
    for fact in facts:
        texts, codes = table.column(fact.column), table.column(fact.source)
        if fact.both and numbers_of([label for label in texts.labels if label], table.decimal) is None:
            return {codes.labels[code]: texts.labels[text] for code, text in zip(*_pairs(codes, texts), strict=True)}
    return {}


def _pairs(source: Column, column: Column) -> tuple[list[int], list[int]]:
    """Codes of a source, and those of the column that follows from it."""
    codes, first = np.unique(source.codes, return_index=True)
    return codes.tolist(), column.codes[first].tolist()


def _is_function(column: Column, source: Column) -> bool:
    """Whether each value of the source has one value of the column, tested on repeated values."""
    if not 2 <= len(column.labels) <= len(source.labels):
        return False
    last = np.zeros(len(source.labels), dtype=column.codes.dtype)
    last[source.codes] = column.codes
    if not np.array_equal(last[source.codes], column.codes):
        return False
    repeated = np.bincount(source.codes, minlength=len(source.labels)) > 1
    return bool(np.ptp(last[repeated])) if repeated.any() else False
