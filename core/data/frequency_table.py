"""A frequency table: the distinct rows of a table with their counts.

Records with the same quasi-identifiers and sensitive attribute are never separated by a cut, nor distinguished by a
number of a class. So their frequency table holds everything that a partition and its release need, however many records
there are: a hundred million records of eight coarse columns are some hundred thousand tuples.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from core.base.arrays import Ints
from core.base.errors import InputError, ParameterError, SchemaError
from core.base.errors import shown_name as shown
from core.base.limits import LIMITS
from core.base.short import many, named, short
from core.data.classes import distinct_columns, weighted_count
from core.data.schemas.schema import Schema
from core.data.tables.column import Column
from core.data.tables.table import Table, table_of

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame


@dataclass(frozen=True, eq=False)
class FrequencyTable:
    """Distinct rows with their counts [definitions §1].

    Parameters
    ----------
    table
        The distinct rows, in the sorted order of their texts, column by column.
    counts
        (rows,) int64 number of records that each represents, at least 1.

    Notes
    -----
    Create it with :meth:`of` or :meth:`from_table`, which merge equal rows and sort them. So it depends neither on the
    order of the records nor on the program that counted them.

    Examples
    --------
    >>> import pandas as pd
    >>> from composition_dashboard import Table, FrequencyTable
    >>> table = Table.from_frame(pd.DataFrame({"age": [34, 34, 41], "diagnosis": ["flu", "flu", "flu"]}))
    >>> frequencies = FrequencyTable.of(table, ["age", "diagnosis"])
    >>> frequencies.counts.tolist(), frequencies.records
    ([2, 1], 3)
    """

    table: Table
    counts: Ints

    def __repr__(self) -> str:
        return short(self, many(self.records, "record"), f"{len(self):,} distinct", named(self.table.names))

    def __len__(self) -> int:
        """Number of distinct rows."""
        return len(self.counts)

    @cached_property
    def records(self) -> int:
        """Number of records that were counted."""
        return int(self.counts.sum())

    @classmethod
    def of(cls, table: Table | IntoDataFrame, columns: Sequence[str], counts: Ints | None = None) -> FrequencyTable:
        """Count the distinct combinations of some columns; see :meth:`placed`."""
        return cls.placed(table, columns, counts)[0]

    @classmethod
    def placed(
        cls, table: Table | IntoDataFrame, columns: Sequence[str], counts: Ints | None = None
    ) -> tuple[FrequencyTable, Ints]:
        """Count the distinct combinations of some columns; O(columns x rows + rows log rows).

        Parameters
        ----------
        table
            Any table or frame.
        columns
            The columns to keep, at least one.
        counts
            (rows,) number of records that each row already represents; one each by default.

        Returns
        -------
        frequencies, place
            The frequency table, and (rows,) its row for each row of the table.

        Raises
        ------
        InputError
            If a column is missing, a count is below 1, or the counts add up to 2^53 or more.
        """
        table = table_of(table)
        kept = [table.column(name) for name in columns]
        if not kept:
            raise ParameterError("A frequency table needs at least one column.", parameter="columns")
        if counts is not None:
            if counts.min(initial=1) < 1:
                raise InputError(
                    "A frequency table has a count below 1, or one that is no whole number; leave out rows that "
                    "represent no record.",
                    parameter="count",
                )
            LIMITS["frequency_table"].check(int(counts.astype(np.float64).sum()), "counts")
        first, group, size = distinct_columns(np.stack([column.codes for column in kept]))
        size = weighted_count(group, 1 if counts is None else counts, len(first))
        size.setflags(write=False)
        rows = tuple(Column.from_codes(column.name, column.labels, column.codes[first]) for column in kept)
        return cls(Table(rows, table.decimal, table.read_info), size), group

    @classmethod
    def from_table(cls, table: Table | IntoDataFrame, count: str) -> FrequencyTable:
        """Convert a table with a column of counts, the number of records per row.

        Parameters
        ----------
        table
            A table as it was read, or a frame; rows may be equal, and in any order.
        count
            Name of that column: whole numbers from 1.

        Raises
        ------
        InputError
            If there is no such column or no other one, or one of its cells is not a whole number from 1.
        """
        table = table_of(table)
        column = table.column(count)
        others = [name for name in table.names if name != count]
        if not others:
            raise InputError(f"The table has no column besides {shown(count)}, so there is nothing to count.")
        if not all(is_count(label) for label in column.labels):
            raise InputError(
                f"The column {shown(count)} says how many records a row represents, but some of its cells are not "
                f"whole numbers from 1; correct them or name another column.",
                parameter=count,
            )
        counts = np.array([int(label) for label in column.labels], dtype=np.int64)[column.codes]
        return cls.of(table, others, counts)

    def expanded(self) -> Table:
        """Return the table with equal rows next to each other; O(columns x records)."""
        return self.table.take(np.repeat(np.arange(len(self)), self.counts))

    def checked(self, schema: Schema) -> Table:
        """Return the distinct rows, if they meet a schema's requirements for a frequency table.

        Raises
        ------
        SchemaError
            If a quasi-identifier or the sensitive attribute is missing, persons must be distinguished, or a column is
            published as it is.
        """
        if schema.person is not None:
            raise SchemaError(
                f"A frequency table counts records and does not identify their persons, so {shown(schema.person)} "
                "cannot be its person column; give the table, or a schema without a person column.",
                parameter=schema.person,
            )
        if schema.unmodified:
            first = next(iter(schema.unmodified))
            raise SchemaError(
                f"A frequency table counts records by their other values, so {shown(first)} cannot be published as it "
                "is; give the table, or a schema without published columns.",
                parameter="published",
            )
        schema.check_columns(self.table.names, need=schema.counted)
        return self.table

    @cached_property
    def content_id(self) -> str:
        """SHA-256 over names, texts and counts, whatever the order of rows and columns; 64 hexadecimal digits."""
        names = sorted(self.table.names)
        ordered = FrequencyTable.of(self.table, names, self.counts)
        digest = hashlib.sha256(b"tally 1\n" + ordered.table.content_id.encode())
        digest.update(np.ascontiguousarray(ordered.counts, dtype="<i8").data)
        return digest.hexdigest()


def data_of(data: Table | FrequencyTable | IntoDataFrame) -> Table | FrequencyTable:
    """Return a table or frequency table as it is, and a frame as a table; raises as :meth:`Table.from_frame`."""
    return data if isinstance(data, FrequencyTable) else table_of(data)


def rows_of(data: Table | FrequencyTable) -> Table:
    """Return the rows of a table, or the distinct rows of a frequency table."""
    return data.table if isinstance(data, FrequencyTable) else data


def records_of(data: Table | FrequencyTable) -> int:
    """Count the records: rows of a table, or the sum of the counts of a frequency table."""
    return data.records if isinstance(data, FrequencyTable) else len(data)


def label_counts(data: Table | FrequencyTable, column: Column) -> Ints:
    """(labels,) number of records with each text of one of the columns; O(rows)."""
    if isinstance(data, FrequencyTable):
        return weighted_count(column.codes, data.counts, len(column.labels))
    return column.counts


def is_count(label: str) -> bool:
    """Whether a text is a whole number from 1 that every reader understands the same way."""
    return label.isascii() and label.isdigit() and len(label) <= 16 and int(label) > 0
