"""Which row of a file names the columns, and which columns have no name.

A table is often preceded by a title, by comments or by names of groups of columns; a program that numbers the rows
writes a first column without a name, or a header that is one cell short. A note says what is left out. If no row is
certain to be the header, the first one is used, and refused later if it cannot be one.
"""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.base.errors import ParameterError
from core.base.wording import several
from core.data.reading.gather import Gather
from core.data.tables.input_limits import InputLimits
from core.data.tables.numbers import NUMBER

MOST_ABOVE = 20
"""Rows above the header that may be left out."""
LOOKED_AT = 100
"""Rows in which the header is looked for; ``header_row`` names one of them."""

Row = tuple[int, list[str]]
"""Number of a row in the file, and its cells."""


@dataclass(frozen=True)
class Header:
    """The header of a table.

    Parameters
    ----------
    cells
        A name for each cell of a row below; "" for a column without a name.
    place
        Number of its row in the file.
    ignored
        Positions of columns that are left out: numbers or names of rows, and empty cells after a trailing comma.
    notes
        Sentences about what was left out.
    unit
        What a person counts in this format: ``"line"`` or ``"row"``.
    """

    cells: list[str]
    place: int
    ignored: frozenset[int] = frozenset()
    notes: tuple[str, ...] = ()
    unit: str = "line"

    def gather(self, limits: InputLimits, **how: Any) -> Gather:
        """Return the collector of the rows below; ``how`` as for :class:`core.data.reading.gather.Gather`."""
        gather = Gather(self.cells, self.place, limits, self.unit, ignored=self.ignored, **how)
        gather.notes = [*self.notes, *gather.notes]
        return gather


@dataclass(frozen=True)
class Selection:
    """The part of a file that is read.

    Parameters
    ----------
    header_row
        Number of the row that names the columns; found by default.
    columns
        Names of the columns to read; all by default.
    """

    header_row: int | None = None
    columns: tuple[str, ...] | None = None


WHOLE = Selection()


def header_of(rows: Sequence[Row], wanted: int | None = None, unit: str = "line") -> Header:
    """Find the header among the first rows of a file.

    Parameters
    ----------
    rows
        Its first rows, at least one.
    wanted
        Number of the row that is the header; found by default.
    unit
        What a person counts in this format: ``"line"`` or ``"row"``.

    Raises
    ------
    ParameterError
        If ``wanted`` is none of the rows.
    """
    rows = [row for row in rows if _filled(row[1])] or rows[:1]
    index = _first(rows) if wanted is None else _named(rows, wanted, unit)
    cells, below = list(rows[index][1]), [row for _, row in rows[index + 1 :]]
    notes = _of_rows_above(rows, index, unit) if wanted is None else []
    if wanted is None and index:
        cells = _with_groups(cells, rows[index - 1][1])
    ignored, first = set[int](), [row[0] for row in below]
    if len(cells) > 1 and {len(row) for row in below} == {len(cells) + 1}:
        if not any(row[-1] for row in below):
            ignored, cells = {len(cells)}, [*cells, ""]
        elif _are_unique(first) and _rise(first):
            ignored, cells = {0}, ["", *cells]
            notes.append("The header has no name for the first column, which was left out as names of the rows.")
    elif len(cells) > 1 and not cells[0].strip() and any(cell.strip() for cell in cells) and _are_unique(first):
        ignored = {0}
        notes.append("The first column has no name and was left out.")
    return Header(cells, rows[index][0], frozenset(ignored), tuple(notes), unit)


def _are_unique(cells: Sequence[str]) -> bool:
    """Whether cells may be names or numbers of rows: no two are the same."""
    return len(set(cells)) == len(cells)


def _rise(cells: Sequence[str]) -> bool:
    """Whether cells, if they are numbers, count the rows upwards; ages, and decimals split by a comma, do not."""
    numbers = [float(cell) for cell in cells if NUMBER.fullmatch(cell.strip())]
    return not numbers or (len(numbers) == len(cells) and all(map(operator.lt, numbers, numbers[1:])))


def _named(rows: Sequence[Row], wanted: int, unit: str) -> int:
    for index, (place, _) in enumerate(rows):
        if place == wanted:
            return index
    raise ParameterError(
        f"There is no {unit} {wanted:,} with cells among the first {LOOKED_AT}; name the {unit} that holds the names "
        "of the columns.",
        parameter="header_row",
    )


def _first(rows: Sequence[Row]) -> int:
    """Index of the header: the first row, unless it cannot be one and a later one is certain to be."""
    first, below = rows[0][1], [row for _, row in rows[1:]]
    width = Counter(map(len, below)).most_common(1)[0][0] if below else len(first)
    if len(first) == width and _may_name(first) and not _is_remark(first):
        return 0
    for index, (_, cells) in enumerate(rows[1 : MOST_ABOVE + 1], start=1):
        above, under = [row for _, row in rows[:index]], [row for _, row in rows[index + 1 :]]
        names = _with_groups(cells, above[-1])
        # If the first column has no name, its cells show whether they are numbers or names of rows, or values.
        if not cells[0].strip() and _are_unique([row[0] for row in under]):
            names = ["\0", *names[1:]]
        numeric = _numeric_columns(under, width)
        if _names_all(names, width) and numeric and all(_stands_above(row, width, numeric) for row in above):
            return index
    return 0


def _may_name(cells: Sequence[str]) -> bool:
    """Whether a first row can be the header as it is: names for all columns but the first, or the last ones."""
    names = _filled(cells)
    inner = list(cells)
    while len(names) > 1 and not inner[-1].strip():
        inner.pop()
    return len(set(names)) == len(names) and len(names) >= len(inner) - (not inner[0].strip())


def _names_all(cells: Sequence[str], width: int) -> bool:
    names = _filled(cells)
    return (
        len(cells) == len(names) == len(set(names)) == width > 1
        and not _is_remark(cells)
        and not any(map(_VALUE.search, names))
    )


_VALUE = re.compile(r"^[+-]?\d|[<>≤≥]|^(?:unknown|none|missing|n/?a|null|nan|-+|\.+|\?+)$", re.IGNORECASE)
"""Pattern of a value that a name does not have."""


def _is_remark(cells: Sequence[str]) -> bool:
    """Whether a row is a comment, or a fact such as ``Period:,March``."""
    return cells[0].lstrip().startswith("#") or cells[0].rstrip().endswith(":")


def _numeric_columns(below: Sequence[Sequence[str]], width: int) -> int:
    """Number of numeric columns below a header: they show that it is not a record."""
    whole = [row for row in below if len(row) == width]
    return sum(all(NUMBER.fullmatch(row[place].strip()) for row in whole) for place in range(width)) if whole else 0


def _stands_above(row: Sequence[str], width: int, numeric: int) -> bool:
    """Whether a row above a header is not part of the table: short, nearly empty, or names of groups above numbers."""
    filled = _filled(row)
    if len(filled) <= 1 or 2 * len(filled) < width or len(row) < width or _is_remark(row):
        return True
    return 2 * numeric >= width and not any(map(NUMBER.fullmatch, filled))


def _filled(cells: Sequence[str]) -> list[str]:
    return [cell.strip() for cell in cells if cell.strip()]


def _with_groups(cells: list[str], groups: Sequence[str]) -> list[str]:
    """Names below names of groups; a name that occurs in several groups is prefixed with its group."""
    repeated = {name for name, times in Counter(cells).items() if times > 1}
    if not repeated or len(_filled(groups)) < 2:
        return cells
    names, group = [], ""
    for name, above in zip(cells, [*groups, *[""] * len(cells)], strict=False):
        group = above.strip() or group
        names.append(f"{group} {name}" if name in repeated else name)
    return names


def _of_rows_above(rows: Sequence[Row], index: int, unit: str) -> list[str]:
    if not index:
        return []
    place, above = rows[index][0], several(index, unit)
    return [f"{above} above the header in {unit} {place:,} {'was' if index == 1 else 'were'} left out."]
