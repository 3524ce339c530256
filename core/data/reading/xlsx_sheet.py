"""One sheet of an Excel workbook (.xlsx, .xlsm) as rows of text, through python-calamine.

number        ``5``, ``5.0`` -> "5"; 0.1 -> "0.1"; 1012 with the format 00000 -> "01012", as the sheet shows it
date, time    by the cell's number format: "2020-01-31", "2020-01-31T08:30:00", "08:30:00"
duration      "26:30:00"
truth value   "TRUE", "FALSE"
text          as it is, even if it looks like a number
error         empty
formula       the result that was saved with it

The library stores a sheet as a rectangle, so two cells far apart can fill the memory: the process that reads has a
limit. It cannot distinguish an error, or a formula without a result, from an empty cell, nor a date before 1900 from
midnight, and it keeps 15 digits of a number, as Excel does; all are noted. It was chosen because it reads a million
cells in 1.9 s; our own parser took 14 s and openpyxl's read-only mode 28 s (2 cores, shared).
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from datetime import time
from itertools import chain, islice
from typing import Any, BinaryIO

from python_calamine import CalamineError, CalamineWorkbook

from core.base.errors import InputError, ParameterError
from core.base.errors import shown_name as shown
from core.data.reading.gather import Gather, Parsed
from core.data.reading.header import LOOKED_AT, WHOLE, Selection, header_of
from core.data.reading.wire import BLOCK
from core.data.reading.xlsx_zeros import Zeros
from core.data.reading.xlsx_zeros import shown as shown_with_zeros
from core.data.tables.arrow_values import text_of
from core.data.tables.input_limits import InputLimits

SLICE = 500
EXACT = 10**15
MOST_NAMED = 5
"""Number of other sheets that are named."""
FORMULA = re.compile(
    rb"""<c\b(?![^>]*\bt=["']str["'])[^>]*>\s*<f\b[^>]*(?:/>|>[^<]*</f>)\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>"""
)
ERROR = re.compile(rb"""<c\b[^>]*\bt=["']e["']""")
NO_INDEX = re.compile(rb"""<c\b[^>]*\bt=["']s["'][^>]*>\s*<v>(?!\s*\d*\s*</v>)""")

NOTES = {
    "error": "Cells with an error such as #N/A in the workbook, read as empty cells: {}.",
    "formula": "Formulas without a saved result in the workbook, read as empty cells: {}.",
    "merged": "Areas of merged cells, whose value is in the first cell only: {}.",
    "long": "Numbers of more than 15 digits, of which Excel keeps the first 15: {}; store identifiers as text.",
    "zeros": "Numbers with a format of zeros, read as the sheet shows them: {}.",
    "midnight": "Cells that hold midnight or a date before 1900, both read as 00:00:00: {}.",
}


def read_workbook(
    stream: BinaryIO, limits: InputLimits, sheet: str | int | None = None, selection: Selection = WHOLE
) -> Parsed:
    """Read one sheet of a workbook.

    Parameters
    ----------
    stream
        The file, seekable.
    limits
        What is accepted; ``limits.bytes`` counts the characters of all cells.
    sheet
        Name of the sheet, or its position counting from 1; by default the first that is
        not hidden and has more than one filled column.
    selection
        Which row is the header, and which columns are kept.

    Raises
    ------
    InputError, LimitError, ParameterError
        Naming the row, never a cell.
    """
    try:
        return _read(stream, limits, sheet, selection)
    except (CalamineError, zipfile.BadZipFile, zlib.error, EOFError, OSError):
        pass
    except (LookupError, ValueError, ArithmeticError, RuntimeError):
        pass  # a date beyond all years, an archive that zipfile does not know
    raise InputError("The Excel workbook is damaged and cannot be read; save it again, or save the sheet as CSV.")


def _read(stream: BinaryIO, limits: InputLimits, wanted: str | int | None, selection: Selection) -> Parsed:
    odd = _lost(stream)
    stream.seek(0)
    book = CalamineWorkbook.from_filelike(stream)
    sheets = [
        (meta.name, str(meta.visible).endswith(".Visible"))
        for meta in book.sheets_metadata
        if str(meta.typ).endswith(".WorkSheet")
    ]
    name = _choose(sheets, wanted) if wanted is not None or len(sheets) < 2 else _with_table(book, sheets)
    page = book.get_sheet_by_name(name)
    odd["merged"] = len(page.merged_cell_ranges or ())
    gather = _gathered(page, limits, odd, Zeros(stream, name, page.start[1] if page.start else 0), selection)
    columns = gather.finish()
    notes = [*gather.notes, *(NOTES[what].format(f"{count:,}") for what, count in odd.items() if count)]
    others = [shown(other) for other, _ in sheets if other != name]
    if others:
        more = f" and {len(others) - MOST_NAMED:,} more" if len(others) > MOST_NAMED else ""
        notes.append(f"The sheet {shown(name)} was read, and not {', '.join(others[:MOST_NAMED])}{more}.")
    return Parsed(columns, {"format": "Excel", "sheet": name}, notes)


def _with_table(book: Any, sheets: list[tuple[str, bool]]) -> str:
    """Name of the first visible sheet with two rows of more than two cells, unlike a list of names and meanings.

    If there is none, the first with two rows of more than one cell, or simply the first.
    """
    widths = {}
    for name in [name for name, visible in sheets if visible]:
        rows = islice(book.get_sheet_by_name(name).iter_rows(), LOOKED_AT)
        cells = sorted(sum(value not in ("", None) for value in values) for values in rows)
        widths[name] = cells[-2] if len(cells) > 1 else 0
    return next((name for least in (3, 2) for name, width in widths.items() if width >= least), _choose(sheets, None))


def _choose(sheets: list[tuple[str, bool]], wanted: str | int | None) -> str:
    """Name of the sheet to read."""
    if not sheets:
        # not tested: calamine reads charts only.
        raise InputError("The Excel workbook has no sheet with cells; choose another file.")
    if wanted is None:
        return next((name for name, visible in sheets if visible), sheets[0][0])
    for position, (name, _) in enumerate(sheets, start=1):
        if wanted == (position if isinstance(wanted, int) else name):
            return name
    names = ", ".join(shown(name) for name, _ in sheets[:10])
    raise ParameterError(
        f"The workbook has no sheet {shown(str(wanted))}; choose one of its {len(sheets):,} by name or by position "
        f"from 1: {names}{' ...' if len(sheets) > 10 else ''}.",
        parameter="sheet",
    )


def _gathered(page: Any, limits: InputLimits, odd: Counter[str], zeros: Zeros, selection: Selection) -> Gather:
    """Take the rows below the header."""
    rows = _rows(page, odd, zeros)
    first = list(islice(rows, LOOKED_AT))
    if not first:
        raise InputError("The sheet is empty; choose another sheet, or a file with a header and records.")
    width = max(len(cells) for _, cells in first)
    header = header_of([(at, _padded(cells, width)) for at, cells in first], selection.header_row, "row")
    while header.cells and not header.cells[-1]:
        header.cells.pop()
    gather = header.gather(limits, count_text=True, chosen=selection.columns)
    below = chain((row for row in first if row[0] > header.place), rows)
    while some := list(islice(below, SLICE)):
        places, cells = zip(*some, strict=True)
        gather.add_rows([_padded(row, gather.fields) for row in cells], places)
    return gather


def _padded(cells: list[str], width: int) -> list[str]:
    return cells + [""] * (width - len(cells))


def _rows(page: Any, odd: Counter[str], zeros: Zeros) -> Iterator[tuple[int, list[str]]]:
    """Rows that are not blank, each with its number and up to its last cell."""
    for place, values in enumerate(page.iter_rows(), start=1):
        row = [_text(value, odd) for value in values]
        for column, mask in zeros.of_row(place).items():
            text = shown_with_zeros(values[column], mask) if column < len(values) else None
            if text is not None:
                row[column] = text
                odd["zeros"] += 1
        while row and not row[-1]:
            row.pop()
        if any(text.strip() for text in row):
            yield place, row


def _text(value: Any, odd: Counter[str]) -> str:
    """Text of a cell."""
    if isinstance(value, float | int) and not isinstance(value, bool):
        if value != value or abs(value) == float("inf"):
            raise ValueError  # no program writes such a number
        odd["long"] += abs(value) >= EXACT and value == int(value)
        return str(int(value)) if value == int(value) and abs(value) < 1e16 else repr(value)
    if isinstance(value, time):
        odd["midnight"] += value == time(0)
    return text_of(value)


def _lost(stream: BinaryIO) -> Counter[str]:
    """Count the cells that the library returns as empty, in all sheets, one block at a time."""
    losses: Counter[str] = Counter()
    archive = zipfile.ZipFile(stream)
    for entry in archive.infolist():
        if entry.flag_bits & 1:
            raise InputError("The Excel workbook is encrypted; remove the password and save it again.")
        if not (entry.filename.startswith("xl/worksheets/") and entry.filename.endswith(".xml")):
            continue
        with archive.open(entry) as part:
            rest = b""
            while data := part.read(BLOCK):
                data = rest + data
                cut = data.rfind(b"</c>") + 4 if b"</c>" in data else max(0, len(data) - BLOCK)
                losses["formula"] += len(FORMULA.findall(data, 0, cut)) if b"<f" in data else 0
                losses["error"] += len(ERROR.findall(data, 0, cut))
                if NO_INDEX.search(data, 0, cut):
                    raise ValueError  # the library would take the first text
                rest = data[cut:][-BLOCK:]
    return losses
