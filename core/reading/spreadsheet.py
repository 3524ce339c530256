"""One sheet of an Excel workbook (.xlsx, .xlsm) as rows of text.

number        ``5``, ``5.0`` -> "5"; 0.1 -> "0.1"
date, time    by the cell's number format: "2020-01-31", "2020-01-31T08:30:00", "08:30:00"
duration      "26:30:00"
truth value   "TRUE", "FALSE"
text          as it is, even if it looks like a number
error         "#N/A" and the like, as it is
formula       the result that was saved with it
"""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from collections import Counter
from datetime import datetime, timedelta
from typing import BinaryIO
from xml.parsers import expat

from core.errors import InputError, LimitError, ParameterError
from core.errors import shown_name as shown
from core.reading.gather import Found, Gather, duration_text
from core.reading.workbook import ESCAPE, Attributes, Damaged, Workbook, unescape
from core.table import Limits

MAX_ROW, MAX_COLUMN = 1_048_576, 16_384  # of Excel itself
END_OF_DATES = datetime(9999, 12, 31)
SLICE = 500
REFERENCE = re.compile(r"([A-Z]{1,3})[0-9]{1,7}")

NOTES = {
    "date": "Cells formatted as dates that are none, read as numbers: {}.",
    "formula": "Formulas without a saved result, read as empty cells: {}.",
    "merged": "Areas of merged cells, whose value stands in the first cell only: {}.",
}


def read_workbook(stream: BinaryIO, limits: Limits, sheet: str | int | None = None) -> Found:
    """Read one sheet of a workbook.

    Parameters
    ----------
    stream
        The file, seekable.
    limits
        What is accepted; ``limits.bytes`` counts what the parts unpack to.
    sheet
        Name of the sheet, or its position counting from 1; by default the first that is
        not hidden.

    Raises
    ------
    InputError, LimitError, ParameterError
        Naming the row, never a cell.
    """
    try:
        workbook = Workbook(stream, limits)
        name, path = _choose(workbook.sheets, sheet)
        cells = _Cells(workbook, limits)
        workbook.parse(path, cells.start, cells.end, cells.text)
        gather = cells.rows.finish()
        notes = [*gather.notes, *(NOTES[what].format(f"{count:,}") for what, count in cells.odd.items())]
        if len(workbook.sheets) > 1:
            notes.append(f"The workbook has {len(workbook.sheets):,} sheets; one was read.")
        return Found(gather.finish(), {"format": "Excel", "sheet": name}, notes)
    except (Damaged, zipfile.BadZipFile, zlib.error, struct.error, expat.ExpatError, EOFError, OSError):
        pass
    except (LookupError, ValueError, OverflowError, RuntimeError):
        pass  # a reference to nothing, a number that is none, an archive that zipfile does not know
    raise InputError("The Excel workbook is damaged and cannot be read; save it again, or save the sheet as CSV.")


def _choose(sheets: list[tuple[str, str, bool]], wanted: str | int | None) -> tuple[str, str]:
    """Name and path of the sheet to read."""
    if not sheets:
        raise InputError("The Excel workbook has no sheet with cells; choose another file.")
    if wanted is None:
        return next(((name, path) for name, path, visible in sheets if visible), sheets[0][:2])
    for position, (name, path, _) in enumerate(sheets, start=1):
        if wanted == (position if isinstance(wanted, int) else name):
            return name, path
    names = ", ".join(shown(name) for name, _, _ in sheets[:10])
    raise ParameterError(
        f"The workbook has no sheet {shown(str(wanted))}; choose one of its {len(sheets):,} by name or by position "
        f"from 1: {names}{' ...' if len(sheets) > 10 else ''}.",
        parameter="sheet",
    )


class _Cells:
    """Handlers that turn the events of a sheet into rows."""

    def __init__(self, workbook: Workbook, limits: Limits) -> None:
        self.rows = _Rows(limits)
        self.odd: Counter[str] = Counter()
        self._workbook, self._limit = workbook, ESCAPE * limits.cell
        self._cell: Attributes = {}
        self._parts: list[str] = []
        self._size = self._column = 0
        self._taking = self._phonetic = self._formula = False

    def start(self, element: str, attributes: Attributes) -> None:
        if element == "c":
            self._column = _column_of(attributes.get("r", ""), self._column)
            self._cell, self._parts, self._size, self._formula = attributes, [], 0, False
        elif element == "row":
            self.rows.begin(attributes.get("r"))
            self._column = 0
        elif element == "f":
            self._formula = True
        elif element == "rPh":
            self._phonetic = True
        elif element == "mergeCell":
            self.odd["merged"] += 1
        self._taking = element == "v" or (element == "t" and not self._phonetic)

    def text(self, data: str) -> None:
        if self._taking:
            self._size += len(data)
            if self._size > self._limit:
                self.rows.refuse_long(self._column)
            self._parts.append(data)

    def end(self, element: str) -> None:
        self._taking = False
        if element == "c":
            value, kind = "".join(self._parts), self._cell.get("t", "n")
            if value:
                self.rows.put(self._column, self._text(value, kind))
            elif self._formula and kind != "str":
                self.odd["formula"] += 1
        elif element == "row":
            self.rows.end()
        elif element == "rPh":
            self._phonetic = False

    def _text(self, value: str, kind: str) -> str:
        """Text of a cell from what the file holds for it."""
        if kind == "s":
            return self._workbook.texts[int(value)]
        if kind in ("str", "inlineStr"):
            return unescape(value)
        if kind == "b":
            return "TRUE" if int(value) else "FALSE"
        if kind == "d":
            return datetime.fromisoformat(value).isoformat().removesuffix("T00:00:00")
        return self._number(value) if kind == "n" else value

    def _number(self, value: str) -> str:
        style = int(self._cell.get("s", 0))
        meaning = self._workbook.styles[style] if style < len(self._workbook.styles) else ""
        if meaning == "elapsed":
            return duration_text(_rounded(float(value)))
        if meaning == "date":
            serial = float(value)
            if 0 <= serial < (END_OF_DATES - self._workbook.epoch).days:
                return self._date(serial)
            self.odd["date"] += 1
        if value.lstrip("-").isdecimal():
            return str(int(value))
        number = float(value)
        return str(int(number)) if number.is_integer() and abs(number) < 2**53 else repr(number)

    def _date(self, serial: float) -> str:
        if serial < 1:
            return (datetime.min + _rounded(serial)).time().isoformat()
        epoch = self._workbook.epoch
        if epoch.year < 1900 and serial < 61:  # to Excel 1900 has a 29 February, day 60
            epoch += timedelta(days=1)
        return (epoch + _rounded(serial)).isoformat().removesuffix("T00:00:00")


class _Rows:
    """The rows of a sheet as they come; the first that is not blank is the header."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._gather: Gather | None = None
        self._number = 0
        self._cells: dict[int, str] = {}
        self._rows: list[list[str]] = []
        self._places: list[int] = []

    def begin(self, number: str | None) -> None:
        self._number = int(number) if number else self._number + 1
        if not 0 < self._number <= MAX_ROW:
            raise Damaged
        self._cells = {}

    def put(self, column: int, text: str) -> None:
        if text:
            self._cells[column] = text

    def end(self) -> None:
        cells, self._cells = self._cells, {}
        if not any(text.strip() for text in cells.values()):
            return
        width = self._gather.width if self._gather is not None else 0
        row = [cells.get(column, "") for column in range(1, max(width, *cells) + 1)]
        if self._gather is None:
            self._gather = Gather(row, self._number, self._limits, "row", count_text=True)
            return
        self._rows.append(row)
        self._places.append(self._number)
        if len(self._rows) == SLICE or len(row) > width:
            self._flush(self._gather)

    def finish(self) -> Gather:
        if self._gather is None:
            raise InputError("The sheet is empty; choose another sheet, or a file with a header and records.")
        self._flush(self._gather)
        return self._gather

    def refuse_long(self, column: int) -> None:
        names = self._gather.names if self._gather is not None else []
        where = f"column {shown(names[column - 1]) if 0 < column <= len(names) else column}"
        raise LimitError(
            f"A cell of {where} in row {self._number:,} has more than {self._limits.cell:,} characters, the most "
            "that is accepted; shorten it or leave the column out."
        )

    def _flush(self, gather: Gather) -> None:
        gather.add_rows(self._rows, self._places)
        self._rows, self._places = [], []


def _rounded(days: float) -> timedelta:
    """Return a duration to the millisecond, which is what Excel keeps."""
    return timedelta(milliseconds=round(days * 86_400_000))


def _column_of(reference: str, previous: int) -> int:
    """Number of the column in a cell's reference; without one it follows the previous cell."""
    column = previous + 1
    if reference:
        match = REFERENCE.fullmatch(reference)
        if match is None:
            raise Damaged
        column = 0
        for letter in match[1]:
            column = column * 26 + ord(letter) - 64
    if column > MAX_COLUMN:
        raise Damaged
    return column
