"""Turn rows of any format into encoded columns, and check the limits on the way.

Cells are numbered by Arrow as they arrive, so a text that occurs a million times is kept once and
memory follows the number of distinct texts, not the size of the file.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as arrow

from core.base.errors import InputError, LimitError
from core.data.tables.arrow_values import coded, column_of
from core.data.tables.column import Column
from core.data.tables.input_limits import InputLimits, check_header, check_size

LINE_BREAKS = re.compile(r"[\t\n\v\f\r]+")
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


@dataclass
class Parsed:
    """Content of a file, and how it was written.

    Parameters
    ----------
    columns
        The cells.
    source
        Facts to show: format, encoding, delimiter, sheet.
    notes
        Sentences about anything surprising.
    point_is_decimal
        Whether the format leaves no room for a decimal comma (a comma between the fields).
    """

    columns: tuple[Column, ...]
    source: dict[str, str]
    notes: list[str] = field(default_factory=list)
    point_is_decimal: bool = False


class Gather:
    """Collects the rows under one header.

    Parameters
    ----------
    header
        Cells of the header row.
    place
        Number of the header's line or row in the file.
    limits
        What is accepted.
    unit
        What a person counts in this format: ``"line"`` or ``"row"``.
    count_text
        Whether to hold the characters of all cells against ``limits.bytes``: needed for
        formats that store a repeated text once, if a small file can be a huge table.

    Raises
    ------
    InputError, LimitError
        If the header cannot be used.
    """

    def __init__(
        self, header: Sequence[str], place: int, limits: InputLimits, unit: str = "line", *, count_text: bool = False
    ) -> None:
        self.names, self.notes = clean_header(header, limits)
        self.rows = 0
        self._limits, self._place, self._unit, self._count_text = limits, place, unit, count_text
        self._characters = 0
        self._parts: list[list[Any]] = [[] for _ in self.names]

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.names)

    def add_rows(self, rows: Sequence[Sequence[str]], places: Sequence[int]) -> None:
        """Take rows of texts; ``places`` are their numbers in the file."""
        if set(map(len, rows)) != {self.width}:
            self._refuse_ragged(rows, places)
        self.add_columns([pa.array(texts, pa.large_string()) for texts in zip(*rows, strict=True)], places)

    def add_columns(self, columns: Sequence[Any], places: Sequence[int] | None = None) -> None:
        """Take rows as one Arrow array of plain values per column; ``places`` as for :meth:`add_rows`."""
        first = self.rows + 1
        self._count(len(columns[0]))
        for name, parts, cells in zip(self.names, self._parts, columns, strict=True):
            part = coded(cells)
            codes, length = part.indices.to_numpy(), arrow.utf8_length(part.dictionary).to_numpy()
            is_long = (length > self._limits.cell)[codes]
            if is_long.any():
                at = int(np.argmax(is_long))
                self._refuse_long(name, places[at] if places else first + at)
            if self._count_text:
                self._count_characters(int(length[codes].sum()))
                has_nul = arrow.match_substring(part.dictionary, "\0").to_numpy(zero_copy_only=False)[codes]
                if has_nul.any():
                    self._refuse_nul(name, first + int(np.argmax(has_nul)))
            parts.append(part)

    def finish(self) -> tuple[Column, ...]:
        """Return the columns; raise InputError if there is no row."""
        if not self.rows:
            raise InputError("The file has a header but no rows; it needs at least one record.")
        return tuple(column_of(name, parts) for name, parts in zip(self.names, self._parts, strict=True))

    def _refuse_nul(self, name: str, row: int) -> None:
        """Refuse a NUL character, which no text file may hold, in formats that can."""
        raise InputError(
            f"A cell of column {self.names.index(name) + 1:,} in record {row:,} holds a NUL character, which no text "
            "has; take it out.",
            parameter=name,
        )

    def _count(self, rows: int) -> None:
        self.rows += rows
        if self.rows > self._limits.rows:
            raise LimitError(
                f"The table has more than {self._limits.rows:,} rows, the most that is accepted; load a part of it, "
                "or raise the limit (InputLimits.rows) in a script."
            )

    def _count_characters(self, characters: int) -> None:
        self._characters += characters
        if self._characters > self._limits.bytes:
            raise LimitError(unpacks_too_far(self._limits))

    def _refuse_ragged(self, rows: Sequence[Sequence[str]], places: Sequence[int]) -> None:
        at = next(i for i, row in enumerate(rows) if len(row) != self.width)
        count = f"{len(rows[at]):,} field{'s' if len(rows[at]) != 1 else ''}"
        way_out = " or choose another delimiter" if self._unit == "line" else ""
        raise InputError(
            f"{self._unit.capitalize()} {places[at]:,} has {count} but {self.width} "
            f"{'are' if self.width != 1 else 'is'} expected from the header in {self._unit} {self._place:,}; "
            f"correct that {self._unit}{way_out}."
        )

    def _refuse_long(self, name: str, place: int) -> None:
        raise LimitError(
            f"A cell of column {self.names.index(name) + 1:,} in {self._unit} {place:,} has more than "
            f"{self._limits.cell:,} characters, the most that is accepted; shorten it or leave the column out.",
            parameter=name,
        )


def clean_header(cells: Sequence[str], limits: InputLimits) -> tuple[list[str], list[str]]:
    """Tidy the headers of a file and refuse what cannot name a column.

    A line break or tab inside a header, which spreadsheets allow, becomes a space, and
    spaces around a header are dropped; both are noted. Any other control character is
    refused. Markdown, HTML and formulas are text like any other: pages escape them.

    Returns
    -------
    names, notes
        One name a column, and sentences about what was changed.
    """
    check_size(0, len(cells), limits)
    names = [LINE_BREAKS.sub(" ", cell).strip(" ") for cell in cells]
    for position, name in enumerate(names, start=1):
        if CONTROL.search(name):
            raise InputError(
                f"The header of column {position} holds control characters; is this a table with names in its "
                "first line?"
            )
    first: dict[str, int] = {}
    for position, name in enumerate(names, start=1):
        # Without the name, unlike check_header: where the header is missing it is somebody's data.
        looks = appearance(name)
        if not looks:
            raise InputError(f"Column {position} has an empty header; give every column a name in the first line.")
        other = first.setdefault(looks, position)
        if other != position:
            same = names[other - 1] == name
            raise InputError(
                f"Columns {other} and {position} have "
                + ("the same header" if same else "headers that look the same (invisible or look-alike characters)")
                + "; rename one of them, or add a first line with names if there is none."
            )
    check_header(names)
    changed = names != list(cells)
    return names, ["Spaces or line breaks in the headers were tidied."] if changed else []


# Letters of Greek and Cyrillic that no usual typeface tells from the Latin ones.
LOOK_ALIKES = str.maketrans(
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοАВЕЅІЈКМНОРСТУХаеорсухіјѕԁһԛԝ", "ABEZHIKMNOPTYXoABESIJKMHOPCTYXaeopcyxijsdhqw"
)
BLANK_LETTERS = "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0"


def appearance(name: str) -> str:
    """Return a name as a reader sees it: uniform spaces, nothing invisible, one letter for look-alikes."""
    seen = "".join(
        letter
        for letter in unicodedata.normalize("NFC", name).translate(LOOK_ALIKES)
        if letter not in BLANK_LETTERS and unicodedata.category(letter) != "Cf" and not "\ufe00" <= letter <= "\ufe0f"
    )
    return " ".join(seen.split())


def unpacks_too_far(limits: InputLimits) -> str:
    """Return the message for a file whose content is over the limit."""
    return (
        f"The file holds more than {limits.bytes / 1e6:,.6g} MB of content, the most that is accepted; load a part "
        "of it, leave columns out, or raise the limit (InputLimits.bytes) in a script."
    )
