"""A table of text that keeps every cell as it was written.

Columns are stored as codes into their sorted distinct texts, so that a million rows stay small, the distinct values are
parsed once, and two tables with the same cells have the same content id, whichever file they came from.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.base.errors import InputError, nearest
from core.base.errors import shown_name as shown
from core.base.short import html_table, many, named, short
from core.data.tables.column import Column
from core.data.tables.frames import columns_of_frame, native_frame
from core.data.tables.input_limits import DEFAULT_LIMITS, InputLimits, check_header, check_size
from core.data.tables.numbers import decimal_mark

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame


@dataclass(frozen=True, eq=False)
class Table:
    """Records as text, and how they were read [definitions §1].

    Parameters
    ----------
    columns
        Columns of equal length with distinct, non-empty names.
    decimal
        Decimal mark of numbers, ``"."`` or ``","``.
    read_info
        How the file was read (format, encoding, delimiter, ...) for showing.

    Raises
    ------
    InputError
        If there are no rows, or names are empty or repeated.

    Examples
    --------
    >>> import pandas as pd
    >>> from composition_dashboard import Table
    >>> table = Table.from_frame(pd.DataFrame({"age": [34, 41], "diagnosis": ["flu", "asthma"]}))
    >>> len(table), table.names
    (2, ('age', 'diagnosis'))
    """

    columns: tuple[Column, ...]
    decimal: str = "."
    read_info: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        return short(self, many(len(self), "record"), f"{many(len(self.columns), 'column')} {named(self.names)}")

    def _repr_html_(self) -> str:
        empty = [int(column.counts[0]) if column.labels[0] == "" else 0 for column in self.columns]
        rows = [[c.name, f"{len(c.labels):,}", f"{gone:,}"] for c, gone in zip(self.columns, empty, strict=True)]
        return html_table(many(len(self), "record"), ["column", "distinct", "empty"], rows)

    def __post_init__(self) -> None:
        """Check the shape and the names."""
        check_header([column.name for column in self.columns])
        if len({len(column) for column in self.columns}) > 1:
            raise InputError("The columns of the table differ in length.")
        if not len(self.columns[0]):
            raise InputError("The table has a header but no rows; it needs at least one record.")

    def __len__(self) -> int:
        """Number of records."""
        return len(self.columns[0])

    @property
    def names(self) -> tuple[str, ...]:
        """Headers in order."""
        return tuple(column.name for column in self.columns)

    def column(self, name: str) -> Column:
        """Return a column by name, or raise InputError."""
        for column in self.columns:
            if column.name == name:
                return column
        raise InputError(f"The table has no column {shown(name)}{nearest(name, self.names)}.", parameter=name)

    @cached_property
    def content_id(self) -> str:
        """SHA-256 over names, texts and their order: equal for equal cells, 64 hexadecimal digits."""
        digest = hashlib.sha256(f"table 1\n{self.decimal}\n{len(self)}\n".encode())
        for column in self.columns:
            digest.update(len(column.labels).to_bytes(8, "little"))
            for text in (column.name, *column.labels):
                raw = text.encode("utf-8", "surrogatepass")
                digest.update(len(raw).to_bytes(8, "little") + raw)
            digest.update(np.ascontiguousarray(column.codes, dtype="<i4").data)
        return digest.hexdigest()

    def take(self, rows: NDArray[Any]) -> Table:
        """Return some records, in the order given."""
        return Table(tuple(column.take(rows) for column in self.columns), self.decimal, self.read_info)

    def to_frame(self) -> pd.DataFrame:
        """All cells as text."""
        return pd.DataFrame({column.name: column.texts() for column in self.columns}, dtype=object)

    @classmethod
    def from_frame(
        cls, frame: IntoDataFrame, decimal: str | None = None, limits: InputLimits = DEFAULT_LIMITS
    ) -> Table:
        """Convert a frame of pandas, Polars, Arrow or anything else Narwhals accepts; each cell becomes text.

        A missing value is the empty text, a category its label, and a whole number has no decimal point, even if a
        missing value turned its column into floats. ``decimal`` is the mark of numbers written as text, detected by
        default as in :func:`core.data.reading.read_table`. O(rows x columns).

        Raises
        ------
        InputError
            If it is not a frame, has no rows, or a column has no unique name or no plain values.
        LimitError
            If it has more rows or columns than ``limits`` say.
        """
        return table_of(frame, decimal, limits)


def table_of(data: Table | IntoDataFrame, decimal: str | None = None, limits: InputLimits = DEFAULT_LIMITS) -> Table:
    """Return a table as it is, and a frame as a table (:meth:`Table.from_frame`)."""
    if isinstance(data, Table):
        return data
    native = native_frame(data)
    rows, columns = native.shape
    check_size(rows, columns, limits)
    texts = tuple(columns_of_frame(native).values())
    return Table(texts, decimal or decimal_mark(texts)[0], {"format": "data frame"})


def columns_of(data: Table | IntoDataFrame, names: Collection[str] | None = None) -> dict[str, Column]:
    """Columns of a table or frame by their names, all or those of ``names`` that it has; O(columns x rows)."""
    if isinstance(data, Table):
        return {column.name: column for column in data.columns if names is None or column.name in names}
    return columns_of_frame(data, names)


def is_frame(data: Any) -> bool:
    """Whether the argument is a table or frame."""
    return isinstance(data, Table) or nw.dependencies.is_into_dataframe(data)
