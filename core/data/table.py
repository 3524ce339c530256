"""A table of text: one record a person, every cell kept as it was written.

Columns are stored as codes into their sorted distinct texts, so that a million rows stay
small, the distinct values are parsed once, and two tables with the same cells have the
same content id whatever file they came from.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.base.errors import InputError, LimitError, nearest
from core.base.errors import shown_name as shown
from core.base.limits import LIMITS
from core.base.short import html_table, many, named, short

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame


@dataclass(frozen=True)
class Limits:
    """What the program accepts; a larger input is refused with the limit named.

    Parameters
    ----------
    bytes
        Size of a file, and of what it unpacks to.
    rows, columns
        Size of the table.
    cell
        Characters in one cell.
    memory, seconds
        What reading a file may take, in bytes and by the clock.
    isolated
        Whether files are read in a process of their own, which the last two limits are for.
        ``False`` reads in this process, without them: for files whose maker you trust.
    """

    bytes: int = 500_000_000
    rows: int = 2_000_000
    columns: int = 200
    cell: int = 10_000
    memory: int = 2_000_000_000
    seconds: float = 20.0
    isolated: bool = True


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, eq=False)
class Column:
    """One column: ``labels[codes[i]]`` is the text of row ``i``.

    Parameters
    ----------
    name
        Header.
    labels
        Distinct texts in sorted order.
    codes
        (rows,) int32 index into ``labels``.
    order
        Values from lowest to highest as an ordered category of a frame has them; empty if nothing says so.
    """

    name: str
    labels: tuple[str, ...]
    codes: NDArray[np.int32]
    order: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return short(self, shown(self.name), many(len(self), "row"), f"{len(self.labels):,} distinct")

    @classmethod
    def from_codes(cls, name: str, labels: Iterable[str], codes: NDArray[Any]) -> Column:
        """Sort the labels, drop those that do not occur, and renumber the codes.

        Raises
        ------
        InputError
            If two labels are the same text.
        """
        texts = list(labels)
        if len(set(texts)) != len(texts):
            raise InputError(f"Two labels of the column {shown(name)} are the same text.", parameter=name)
        used = (np.bincount(codes, minlength=len(texts)) > 0).tolist()
        order = sorted((i for i in range(len(texts)) if used[i]), key=texts.__getitem__)
        rank = np.zeros(len(texts), dtype=np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        kept = rank[codes] if texts else np.zeros(len(codes), dtype=np.int32)
        kept.setflags(write=False)
        return cls(name, tuple(texts[i] for i in order), kept)

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.codes)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How often each label occurs."""
        return np.bincount(self.codes, minlength=len(self.labels))

    def code_of(self, label: str) -> int:
        """Code of a text; -1 if it does not occur. O(log distinct)."""
        place = bisect_left(self.labels, label)
        return place if self.labels[place : place + 1] == (label,) else -1

    def take(self, rows: NDArray[Any]) -> Column:
        """Return the column of some rows."""
        return replace(Column.from_codes(self.name, self.labels, self.codes[rows]), order=self.order)

    def renamed(self, name: str, labels: Iterable[str]) -> Column:
        """The column under another name and with other texts, one for each label; several may become one."""
        number: dict[str, int] = {}
        place = np.array([number.setdefault(label, len(number)) for label in labels], dtype=np.int64)
        return Column.from_codes(name, list(number), place[self.codes])

    def texts(self) -> NDArray[Any]:
        """(rows,) object array of the texts."""
        return np.asarray(self.labels, dtype=object)[self.codes] if self.labels else np.empty(0, dtype=object)


@dataclass(frozen=True, eq=False)
class Table:
    """Records as text, with how they were read.

    Parameters
    ----------
    columns
        Columns of equal length with distinct, non-empty names.
    decimal
        Decimal mark of numbers, ``"."`` or ``","``.
    source
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
    source: Mapping[str, str] = field(default_factory=dict)

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
        return Table(tuple(column.take(rows) for column in self.columns), self.decimal, self.source)

    def to_frame(self) -> pd.DataFrame:
        """All cells as text."""
        return pd.DataFrame({column.name: column.texts() for column in self.columns}, dtype=object)

    @classmethod
    def from_frame(cls, frame: IntoDataFrame, decimal: str | None = None, limits: Limits = DEFAULT_LIMITS) -> Table:
        """Take a frame of pandas, Polars, Arrow or what else Narwhals takes; each cell becomes the text that it has.

        A missing value is the empty text, a category its label, and a whole number has no decimal point, also where
        a missing one has made floats of its column. ``decimal`` is that of numbers written as text, found by default
        as :func:`core.data.reading.read_table` does. O(rows x columns).

        Raises
        ------
        InputError
            If it is no frame, has no rows, or a column has no unique name or holds no plain values.
        LimitError
            If it has more rows or columns than ``limits`` say.
        """
        from core.data.frames import table_of

        return table_of(frame, decimal, limits)


def check_size(rows: int, columns: int, limits: Limits) -> None:
    """Refuse more rows or columns than are accepted."""
    if rows > limits.rows:
        raise LimitError(
            f"The table has {rows:,} rows; at most {limits.rows:,} are accepted. Load a part of it, or raise the limit "
            "(Limits.rows) in a script."
        )
    if columns > limits.columns:
        raise LimitError(
            f"The table has {columns:,} columns; at most {limits.columns:,} are accepted. Leave columns out."
        )


def check_header(names: list[str]) -> None:
    """Refuse empty, repeated, over-long or missing headers, by position."""
    if not names:
        raise InputError("The table has no columns; the first line must name them.")
    seen: dict[str, int] = {}
    for position, name in enumerate(names, start=1):
        if not name.strip():
            raise InputError(f"Column {position} has an empty header; give every column a name in the first line.")
        LIMITS["header"].check(len(name), "header", f"The number of characters in the header of column {position}")
        if name in seen:
            raise InputError(f"Columns {seen[name]} and {position} have the same header; rename one of them.")
        seen[name] = position


_COMMA = str.maketrans({",": ".", ".": "?"})
NUMBER = re.compile(r"[+-]?(?:\d+(?:[.]\d*)?|[.]\d+)(?:[eE][+-]?\d{1,4})?")
LEADING_ZERO = re.compile(r"[+-]?0\d")


def parse_numbers(labels: Iterable[str], decimal: str = ".") -> NDArray[np.float64]:
    """Read texts as numbers; what is not a number becomes NaN, what overflows infinity.

    Only plain decimal and exponent forms count: ``12``, ``-0.5``, ``1e3`` (``1,5`` with
    decimal comma). Words such as ``inf`` or ``nan`` are not numbers.
    """
    # With a decimal comma a point can only group thousands, which is not read.
    texts = [text.strip().translate(_COMMA) if decimal == "," else text.strip() for text in labels]
    return np.array([float(text) if NUMBER.fullmatch(text) else np.nan for text in texts], dtype=np.float64)


def looks_numeric(labels: Iterable[str], decimal: str = ".") -> bool:
    """Whether every text is a number and none has a leading zero (a code such as 01234 has)."""
    texts = list(labels)
    if not texts or any(LEADING_ZERO.match(text.strip()) for text in texts):
        return False
    return bool(np.isfinite(parse_numbers(texts, decimal)).all())
