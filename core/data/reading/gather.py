"""Rows of any format in, encoded columns out, with the limits checked on the way.

Cells are numbered as they arrive, so a text that occurs a million times is kept once and
memory follows the number of distinct texts, not the size of the file.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Ints
from core.base.errors import InputError, LimitError
from core.data.table import Column, Limits, check_header

Codes = NDArray[np.integer]

MOST_DIGITS = 17
"""Digits of texts that are sorted as numbers: ten to their power, times 32, is below 2^63."""
LINE_BREAKS = re.compile(r"[\t\n\v\f\r]+")
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


@dataclass
class Parsed:
    """What a file holds, and how it was written.

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


class _TooLong(Exception):
    """A cell is over the limit; holds nothing, because the cell is personal data."""


class _Coder(dict[str, int]):
    """Numbers texts in the order of their first appearance."""

    def __init__(self, cell: int) -> None:
        super().__init__()
        self.cell = cell

    def __missing__(self, text: str) -> int:
        if len(text) > self.cell:
            raise _TooLong
        code = self[text] = len(self)
        return code

    def number(self, texts: Sequence[str]) -> NDArray[np.int32]:
        """Return the number of each text."""
        if not self and max(map(len, texts), default=0) <= self.cell:
            self.update(zip(texts, range(len(texts)), strict=True))  # all are new: no need to ask one by one
            if len(self) == len(texts):
                return np.arange(len(texts), dtype=np.int32)
            self.clear()  # not all are distinct
        return np.fromiter(map(self.__getitem__, texts), np.int32, len(texts))

    def with_nul(self) -> list[int]:
        """Numbers of texts that hold a NUL character."""
        return [code for text, code in self.items() if "\0" in text]

    def column(self, name: str, codes: NDArray[np.int32]) -> Column:
        """Sort the texts."""
        return Column.from_codes(name, self, codes)


class _ArrowCoder:
    """Numbers texts that Arrow holds, by loops that run no Python code for each: there may be as many as cells.

    The numbers of equal texts differ until :meth:`column` brings them together.
    """

    def __init__(self, cell: int) -> None:
        self.cell = cell
        self._held: list[Any] = []
        self._count = 0

    def number(self, texts: Any) -> NDArray[np.int32]:
        """Return a number for each text."""
        if int(lengths_of(texts).max(initial=0)) > self.cell:
            raise _TooLong
        self._held.append(texts)
        self._count += len(texts)
        return np.arange(self._count - len(texts), self._count, dtype=np.int32)

    def with_nul(self) -> list[int]:
        """Numbers of texts that hold a NUL character."""
        import pyarrow as pa
        import pyarrow.compute as arrow

        has: list[int] = np.flatnonzero(
            arrow.match_substring(pa.concat_arrays(self._held), "\0").to_numpy(zero_copy_only=False)
        ).tolist()
        return has

    def column(self, name: str, codes: NDArray[np.int32]) -> Column:
        """Sort the texts and give equal ones one number; all of them occur."""
        import pyarrow as pa
        import pyarrow.compute as arrow

        held = pa.concat_arrays(self._held)
        digits = _as_digits(held)
        if digits is not None:
            order, rank = np.argsort(digits), np.empty(len(held), dtype=np.int32)
            is_new = np.diff(digits[order], prepend=-1) > 0
            rank[order] = np.cumsum(is_new) - 1
            texts = held.take(pa.array(order[is_new]))
        else:
            # By their bytes in UTF-8, which is the order of their characters.
            distinct = held.dictionary_encode()
            in_order = arrow.sort_indices(distinct.dictionary)
            place = np.empty(len(in_order), dtype=np.int32)
            place[in_order.to_numpy()] = np.arange(len(in_order), dtype=np.int32)
            rank, texts = place[distinct.indices.to_numpy()], distinct.dictionary.take(in_order)
        numbers = rank[codes]
        numbers.setflags(write=False)
        return Column(name, tuple(texts.to_pylist()), numbers)


def _as_digits(texts: Any) -> Ints | None:
    """Numbers in the order of texts of digits, equal for equal ones and 0 for an empty one; ``None`` for other texts.

    Filled up with zeros to one length, texts of digits are numbers in their order; of equal ones the shorter comes
    first.
    """
    import pyarrow as pa
    import pyarrow.compute as arrow

    length = lengths_of(texts)
    longest, filled = int(length.max(initial=0)), int(np.count_nonzero(length))
    if not 0 < longest <= MOST_DIGITS or arrow.sum(arrow.ascii_is_decimal(texts)).as_py() < filled:
        return None
    value: Ints = arrow.if_else(pa.array(length > 0), texts, "0").cast(pa.int64()).to_numpy()
    return value * 10 ** (longest - length) * 32 + length


def lengths_of(texts: Any) -> Ints:
    """(texts,) characters of texts, in a list or in Arrow."""
    if isinstance(texts, list):
        return np.fromiter(map(len, texts), np.int64, len(texts))
    import pyarrow.compute as arrow

    lengths: Ints = arrow.utf8_length(texts).to_numpy(zero_copy_only=False).astype(np.int64)
    return lengths


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
        formats that store a repeated text once, where a small file can be a huge table.

    Raises
    ------
    InputError, LimitError
        If the header cannot be used.
    """

    def __init__(
        self, header: Sequence[str], place: int, limits: Limits, unit: str = "line", *, count_text: bool = False
    ) -> None:
        self.names, self.notes = clean_header(header, limits)
        self.rows = 0
        self._limits, self._place, self._unit, self._count_text = limits, place, unit, count_text
        self._characters = 0
        self._coders: list[_Coder | _ArrowCoder] = [_Coder(limits.cell) for _ in self.names]
        self._codes: list[list[NDArray[np.int32]]] = [[] for _ in self.names]

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.names)

    def add_rows(self, rows: Sequence[Sequence[str]], places: Sequence[int]) -> None:
        """Take rows of texts; ``places`` are their numbers in the file."""
        if not rows:
            return
        if set(map(len, rows)) != {self.width}:
            self._refuse_ragged(rows, places)
        self._count(len(rows))
        # Plain loops over columns: zip(*rows) transposes at the speed of C, and the coder's
        # __getitem__ numbers a text without running Python code unless it is new.
        for name, coder, codes, texts in zip(
            self.names, self._coders, self._codes, zip(*rows, strict=True), strict=True
        ):
            if self._count_text:
                self._count_characters(sum(map(len, texts)))
            try:
                codes.append(coder.number(texts))
                continue
            except _TooLong:
                pass
            at = next(i for i, text in enumerate(texts) if len(text) > self._limits.cell)
            self._refuse_long(name, places[at])

    def add_codes(self, columns: Sequence[tuple[Any, Codes]], rows: int) -> None:
        """Take rows that are encoded already: for each column its labels and a code a row.

        Labels are a list of texts, or texts that Arrow holds, all of which occur: the same for a column every time.
        """
        first = self.rows + 1
        if not self.rows:
            self._coders = [
                _Coder(self._limits.cell) if isinstance(labels, list) else _ArrowCoder(self._limits.cell)
                for labels, _ in columns
            ]
        self._count(rows)
        for name, coder, kept, (labels, codes) in zip(self.names, self._coders, self._codes, columns, strict=True):
            if self._count_text and len(labels):
                self._count_characters(int(lengths_of(labels)[codes].sum()))
            try:
                kept.append(coder.number(labels)[codes])
                continue
            except _TooLong:
                pass
            bad = int(np.argmax(lengths_of(labels) > self._limits.cell))
            self._refuse_long(name, first + int(np.argmax(codes == bad)))

    def finish(self) -> tuple[Column, ...]:
        """Return the columns; raise InputError if there is no row."""
        if not self.rows:
            raise InputError("The file has a header but no rows; it needs at least one record.")
        for name, coder, codes in zip(self.names, self._coders, self._codes, strict=True):
            self._refuse_nul(name, coder, codes)
        return tuple(
            coder.column(name, np.concatenate(codes))
            for name, coder, codes in zip(self.names, self._coders, self._codes, strict=True)
        )

    def _refuse_nul(self, name: str, coder: _Coder | _ArrowCoder, codes: list[NDArray[np.int32]]) -> None:
        """Refuse a NUL character, which no text file may hold, in formats that can."""
        bad = coder.with_nul() if self._count_text else []
        if not bad:
            return
        row = int(np.argmax(np.isin(np.concatenate(codes), bad))) + 1
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
                "or raise the limit (Limits.rows) in a script."
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


def clean_header(cells: Sequence[str], limits: Limits) -> tuple[list[str], list[str]]:
    """Tidy the headers of a file and refuse what cannot name a column.

    A line break or tab inside a header, which spreadsheets allow, becomes a space, and
    spaces around a header are dropped; both are noted. Any other control character is
    refused. Markdown, HTML and formulas are text like any other: pages escape them.

    Returns
    -------
    names, notes
        One name a column, and sentences about what was changed.
    """
    if len(cells) > limits.columns:
        raise LimitError(
            f"The table has {len(cells):,} columns; at most {limits.columns:,} are accepted. Leave columns out."
        )
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
    """Return what a reader sees of a name: spaces alike, nothing invisible, one letter for those that look the same."""
    seen = "".join(
        letter
        for letter in unicodedata.normalize("NFC", name).translate(LOOK_ALIKES)
        if letter not in BLANK_LETTERS and unicodedata.category(letter) != "Cf" and not "\ufe00" <= letter <= "\ufe0f"
    )
    return " ".join(seen.split())


def unpacks_too_far(limits: Limits) -> str:
    """Return the message for a file whose content is over the limit."""
    return (
        f"The file holds more than {limits.bytes / 1e6:,.6g} MB of content, the most that is accepted; load a part "
        "of it, leave columns out, or raise the limit (Limits.bytes) in a script."
    )
