"""Recognise a frequency table file by its marks.

``python -m core frequency-table`` writes into the metadata of its Parquet file which column counts the records and
which one is sensitive. A text file cannot hold this mark: it is recognised if its last column is named ``count`` and
holds whole numbers from 1, and no two rows agree in the other columns. That is a guess, so pages ask.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
import numpy as np
from msgspec import Meta

from core.base.errors import InputError
from core.base.errors import shown_name as shown
from core.data.classes import distinct_columns
from core.data.frequency_table import is_count
from core.data.schemas.schema import Role
from core.data.tables.table import Table

KEY = b"composition.tally"
"""Key of the mark in the metadata of a Parquet file."""
FACT = "frequency_table"
"""Key of its text in the read info of a table (:attr:`core.data.tables.table.Table.read_info`)."""
COUNT = "count"
"""Column of a frequency table file with the number of records per row."""
UNKNOWN = (
    "The file is marked as a frequency table in a way that this version does not know; write it again with this "
    "version."
)
MOST_TEXT = 2_000
"""Largest number of characters of a mark."""


class Mark(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Mark of a frequency table file.

    Parameters
    ----------
    count
        Column of the counts.
    sensitive
        The sensitive attribute; the other columns are then quasi-identifiers. "" if the file does not name it.
    version
        Of the mark.
    """

    count: Annotated[str, Meta(min_length=1)]
    sensitive: str = ""
    version: Literal[1] = 1

    def to_text(self) -> str:
        """Write the mark in its file format."""
        return msgspec.json.encode(self).decode()


def fact_of(metadata: dict[bytes, bytes] | None) -> dict[str, str]:
    """Take the mark, unread, out of the metadata of a Parquet file."""
    mark = (metadata or {}).get(KEY)
    return {} if mark is None else {FACT: mark[: MOST_TEXT + 1].decode("utf-8", "replace")}


def marked_count(metadata: dict[bytes, bytes] | None) -> str:
    """Column that counts records by the metadata of a Parquet file; "" if it is not marked as a frequency table.

    Raises
    ------
    InputError
        If it is marked, but not as this version writes.
    """
    text = fact_of(metadata).get(FACT)
    if text is None:
        return ""
    mark = _read(text)
    if mark is None:
        raise InputError(UNKNOWN)
    return mark.count


def mark_of(table: Table) -> Mark | None:
    """Return the mark of a frequency table, or an inferred one; ``None`` for other files.

    Raises
    ------
    InputError
        If it is marked as a frequency table, but not as one that this version writes, or lacks a column that its mark
        names.

    Notes
    -----
    O(columns x rows) if the last column is a count, else O(columns).
    """
    text = table.read_info.get(FACT)
    if text is None:
        return Mark(COUNT) if _looks_like_one(table) else None
    mark = _read(text)
    if mark is None:
        raise InputError(UNKNOWN)
    for name in (mark.count, mark.sensitive):
        if name and name not in table.names:
            raise InputError(
                f"The file is marked as a frequency table with a column {shown(name)}, which it does not have; write "
                f"it again.",
                parameter=name,
            )
    return mark


def is_marked(table: Table) -> bool:
    """Whether a file has any mark of a frequency table."""
    return FACT in table.read_info


def roles_of(table: Table) -> dict[str, Role]:
    """Roles of the columns from the mark of a frequency table, with or without its counts among them."""
    mark = _read(table.read_info.get(FACT, ""))
    if mark is None or mark.sensitive not in table.names:
        return {}
    names = [name for name in table.names if name != mark.count]
    return {name: Role.SENSITIVE if name == mark.sensitive else Role.QUASI_IDENTIFIER for name in names}


def possible_counts(table: Table) -> tuple[str, ...]:
    """Columns that could count the records of a row: whole numbers from 1, unless it is the only column."""
    if len(table.names) < 2:
        return ()
    return tuple(column.name for column in table.columns if all(map(is_count, column.labels)))


def _read(text: str) -> Mark | None:
    if len(text) > MOST_TEXT:
        return None
    try:
        mark = msgspec.json.decode(text, type=Mark)
    except (msgspec.DecodeError, RecursionError):
        return None
    return mark if mark.count != mark.sensitive else None


def _looks_like_one(table: Table) -> bool:
    *others, last = table.columns
    if not others or last.name != COUNT or not all(map(is_count, last.labels)):
        return False
    first, _, _ = distinct_columns(np.stack([column.codes for column in others]))
    return len(first) == len(table)
