"""Columns that tell nothing new: their value follows from that of a column that others may know."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from core.base.errors import shown_name as shown
from core.data.table import Column, Table
from core.data.tally import Tally, rows_of


@dataclass(frozen=True)
class Follows:
    """One column whose value is a function of another's, on all rows.

    Parameters
    ----------
    column, source
        Whoever knows the value of ``source`` knows that of ``column``.
    both
        Whether the same holds the other way round.
    """

    column: str
    source: str
    both: bool

    @property
    def text(self) -> str:
        """The same in one phrase, without any cell value."""
        source = shown(self.source)
        return f"Follows from {source}: whoever knows {'one knows the other' if self.both else f'{source} knows it'}"


def what_follows(data: Table | Tally, sources: Iterable[str]) -> tuple[Follows, ...]:
    """Find the columns that follow from one of the sources, as the logarithm of the length of stay does from it.

    Parameters
    ----------
    data
        A table, or a tally by its rows. A missing value is a value like any other.
    sources
        Columns that others may know. One that hardly ever repeats is left out: anything follows from it.

    Returns
    -------
    tuple of Follows
        In the order of the table, with the first source of each column. A column with one value is not among them,
        nor one that takes a single value wherever the source repeats: that may be by chance.

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


def _is_function(column: Column, source: Column) -> bool:
    """Whether rows with one value of the source have one value of the column, and differ where the source repeats."""
    if not 2 <= len(column.labels) <= len(source.labels):
        return False
    last = np.zeros(len(source.labels), dtype=column.codes.dtype)
    last[source.codes] = column.codes
    if not np.array_equal(last[source.codes], column.codes):
        return False
    repeated = np.bincount(source.codes, minlength=len(source.labels)) > 1
    return bool(np.ptp(last[repeated])) if repeated.any() else False
