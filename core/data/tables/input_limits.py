"""Limits on a table: its size, and headers that name every column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.base.errors import InputError, LimitError
from core.base.limits import LIMITS


@dataclass(frozen=True)
class InputLimits:
    """Limits on input; a larger one is refused with the limit named.

    Parameters
    ----------
    bytes
        Size of a file, and of what it unpacks to.
    rows, columns
        Size of the table.
    cell
        Characters in one cell.
    memory, seconds
        The most memory, in bytes, and time that reading a file may take.
    isolated
        Whether files are read in a separate process, to which the last two limits apply. ``False`` reads in this
        process, without them: for files from a trusted source.
    """

    bytes: int = 500_000_000
    rows: int = 2_000_000
    columns: int = 200
    cell: int = 10_000
    memory: int = 2_000_000_000
    seconds: float = 20.0
    isolated: bool = True


DEFAULT_LIMITS = InputLimits()


def check_size(rows: int, columns: int, limits: InputLimits, names: Sequence[str] = ()) -> None:
    """Refuse more rows or columns than are accepted; ``names`` are the columns that may be chosen instead."""
    if rows > limits.rows:
        raise LimitError(
            f"The table has {rows:,} rows; at most {limits.rows:,} are accepted. Load a part of it, or raise the limit "
            "(InputLimits.rows) in a script."
        )
    if columns > limits.columns:
        raise LimitError(
            f"The table has {columns:,} columns; at most {limits.columns:,} are accepted. Choose the columns to read "
            "(--columns).",
            parameter="columns",
            choices=names,
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
