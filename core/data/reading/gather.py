"""Turn rows of any format into encoded columns, and check the limits on the way.

Cells are numbered by Arrow as they arrive, so a text that occurs a million times is kept once and
memory follows the number of distinct texts, not the size of the file.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as arrow

from core.base.errors import InputError, LimitError
from core.base.errors import shown_name as shown
from core.base.wording import several
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
        Whether the format rules out a decimal comma (a comma between the fields).
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
        Whether to check the characters of all cells against ``limits.bytes``: needed for formats that store a repeated
        text once, because a small file can be a huge table.
    chosen
        Names of the columns to keep; the others are skipped. All by default.
    ignored
        Positions of columns that are left out, as :class:`core.data.reading.header.Header` has them.

    Attributes
    ----------
    fields
        Number of cells that a row has.
    kept
        Positions of the columns that are kept; the entry in ``names`` is empty if the header has no name for it.
    choices
        Names of the columns that are kept, for an error that asks to choose among them.

    Raises
    ------
    InputError, LimitError
        If the header cannot be used.
    """

    def __init__(
        self,
        header: Sequence[str],
        place: int,
        limits: InputLimits,
        unit: str = "line",
        *,
        count_text: bool = False,
        chosen: Collection[str] | None = None,
        ignored: Collection[int] = (),
    ) -> None:
        self.fields = len(header)
        self.kept, self.names, self.notes = clean_header(header, limits, chosen, ignored)
        self.choices = tuple(name for name in self.names if name)
        self.rows = 0
        self._limits, self._place, self._unit, self._count_text = limits, place, unit, count_text
        self._characters = 0
        self._parts: list[list[Any]] = [[] for _ in self.names]

    def add_rows(self, rows: Sequence[Sequence[str]], places: Sequence[int]) -> None:
        """Take rows of texts; ``places`` are their numbers in the file."""
        if set(map(len, rows)) != {self.fields}:
            self._refuse_ragged(rows, places)
        self.add_columns([pa.array([row[place] for row in rows], pa.large_string()) for place in self.kept], places)

    def add_columns(self, columns: Sequence[Any], places: Sequence[int] | None = None) -> None:
        """Take rows as one Arrow array of plain values per kept column; ``places`` as for :meth:`add_rows`."""
        first = self.rows + 1
        self._count(len(columns[0]))
        for at, parts, cells in zip(self.kept, self._parts, columns, strict=True):
            part = coded(cells)
            codes, length = part.indices.to_numpy(), arrow.utf8_length(part.dictionary).to_numpy()
            is_long = length > self._limits.cell
            if is_long.any() and is_long[codes].any():
                row = int(np.argmax(is_long[codes]))
                self._refuse_long(at, places[row] if places else first + row)
            if self._count_text:
                self._count_characters(int(length[codes].sum()))
                has_nul = arrow.match_substring(part.dictionary, "\0").to_numpy(zero_copy_only=False)
                if has_nul.any() and has_nul[codes].any():
                    self._refuse_nul(at, first + int(np.argmax(has_nul[codes])))
            parts.append(part)

    def finish(self) -> tuple[Column, ...]:
        """Return the columns; raise InputError if there is no row."""
        if not self.rows:
            raise InputError("The file has a header but no rows; it needs at least one record.")
        columns = [column_of(name, parts) for name, parts in zip(self.names, self._parts, strict=True)]
        for at, column in zip(self.kept, columns, strict=True):
            if not column.name and column.labels != ("",):
                raise InputError(no_name(at + 1), parameter="header_row")
        named = tuple(column for column in columns if column.name)
        if unnamed := len(columns) - len(named):
            without = several(unnamed, "column")
            self.notes.append(f"{without} with neither a name nor a cell {'was' if unnamed == 1 else 'were'} left out.")
        return named

    def _refuse_nul(self, at: int, row: int) -> None:
        """Refuse a NUL character, which no text file may hold, in formats that can."""
        raise InputError(
            f"A cell of column {at + 1:,} in record {row:,} holds a NUL character, which no text has; take it out.",
            parameter=self.names[self.kept.index(at)],
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
        at = next(i for i, row in enumerate(rows) if len(row) != self.fields)
        count = f"{len(rows[at]):,} field{'s' if len(rows[at]) != 1 else ''}"
        header = f"name the {self._unit} of the header (--header-row)"
        way_out = f", {header} or choose another delimiter" if self._unit == "line" else f" or {header}"
        raise InputError(
            f"{self._unit.capitalize()} {places[at]:,} has {count} but {self.fields} "
            f"{'are' if self.fields != 1 else 'is'} expected from the header in {self._unit} {self._place:,}; "
            f"correct that {self._unit}{way_out}.",
            parameter="header_row",
        )

    def _refuse_long(self, at: int, place: int) -> None:
        raise LimitError(
            f"A cell of column {at + 1:,} in {self._unit} {place:,} has more than {self._limits.cell:,} characters, "
            "the most that is accepted; shorten it, or choose the columns to read (--columns).",
            parameter="columns",
            choices=self.choices,
        )


def clean_header(
    cells: Sequence[str], limits: InputLimits, chosen: Collection[str] | None = None, ignored: Collection[int] = ()
) -> tuple[list[int], list[str], list[str]]:
    """Tidy the headers of a file and refuse what cannot name a column.

    A line break or tab inside a header, which spreadsheets allow, becomes a space, and
    spaces around a header are dropped; both are noted. Any other control character is
    refused. Markdown, HTML and formulas are text like any other: pages escape them.

    Returns
    -------
    kept, names, notes
        Positions of the columns that are kept: all but those ``ignored``, or those ``chosen``. One name for each, empty
        if it has none. Sentences about what was changed.
    """
    tidied = [LINE_BREAKS.sub(" ", cell).strip(" ") for cell in cells]
    kept = [place for place in range(len(cells)) if place not in ignored]
    if chosen is not None:
        kept = _chosen(tidied, kept, chosen)
    check_size(0, len(kept), limits, _single(tidied))
    names = [tidied[place] for place in kept]
    first: dict[str, int] = {}
    for position, name in zip((place + 1 for place in kept), names, strict=True):
        if CONTROL.search(name):
            raise InputError(
                f"The header of column {position} holds control characters; is this a table with names in its "
                "first line?"
            )
        # Without the name, unlike check_header: if the header is missing, the name is a person's data.
        looks = appearance(name)
        if name and not looks:
            raise InputError(no_name(position), parameter="header_row")
        other = first.setdefault(looks, position) if looks else position
        if other != position:
            same = tidied[other - 1] == name
            raise InputError(
                f"Columns {other} and {position} have "
                + ("the same header" if same else "headers that look the same (invisible or look-alike characters)")
                + "; rename one of them, or name the line of the header (--header-row); add one if there is none.",
                parameter="header_row",
            )
    check_header([name for name in names if name])
    notes = [f"{len(kept):,} of {len(cells):,} columns were read."] if chosen is not None else []
    changed = any(tidied[place] != cells[place] for place in kept)
    return kept, names, [*notes, "Spaces or line breaks in the headers were tidied."] if changed else notes


def _chosen(names: Sequence[str], places: Sequence[int], chosen: Collection[str]) -> list[int]:
    """Positions of the columns that were chosen by name."""
    for wanted in chosen:
        of_name = [place for place in places if names[place] == wanted]
        if len(of_name) != 1:
            trouble = (
                f"has {len(of_name)} columns {shown(wanted)}; rename all but one"
                if of_name
                else f"has no column {shown(wanted)}"
            )
            raise InputError(f"The file {trouble}.", parameter="columns")
    return [place for place in places if names[place] in chosen]


def _single(names: Sequence[str]) -> list[str]:
    """Names that occur once."""
    return [name for name, times in Counter(names).items() if name and times == 1]


def no_name(position: int) -> str:
    """Return the message for a column with cells and without a name."""
    return (
        f"Column {position} has an empty header; give every column a name in the first line, or name the line of the "
        "header (--header-row)."
    )


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
