"""Read a file as a table: CSV, TSV, gzip of these, Parquet, Excel.

The content of the file decides what it is; its name does not. Every cell stays the text
that was written. What was found out (encoding, delimiter, decimal mark) and anything
surprising goes into ``Table.source`` for showing.

    read_table        opens the source, recognises the format, describes the result
    gather            rows in, encoded columns out, limits checked
    text              bytes to text
    delimited         text to rows
    spreadsheet       Excel to rows
    parquet           Parquet to columns
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections.abc import Iterable
from typing import BinaryIO

import numpy as np

from core.errors import CompositionError, ParameterError
from core.errors import shown_name as shown
from core.reading.delimited import read_delimited
from core.reading.gather import Found
from core.reading.parquet import read_parquet
from core.reading.source import Bytes, kind_of, opened
from core.reading.spreadsheet import read_workbook
from core.table import DEFAULT_LIMITS, NUMBER, Column, Limits, Table

__all__ = ["read_table"]

EXTENSIONS = {
    "csv": "text", "tsv": "text", "tab": "text", "txt": "text", "psv": "text", "data": "text", "dat": "text",
    "gz": "gzip", "gzip": "gzip", "xlsx": "Excel", "xlsm": "Excel", "xls": "Excel", "parquet": "Parquet",
    "pq": "Parquet",
}  # fmt: skip


def read_table(
    source: str | os.PathLike[str] | bytes | BinaryIO,
    *,
    name: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    sheet: str | int | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Table:
    """Read a file as a table of texts.

    Parameters
    ----------
    source
        Path, content, or a file object opened in binary mode, which is read from its start
        and left open.
    name
        Name of the file, for remarks about its extension; by default that of the source.
    delimiter, encoding
        Of text files; found out by default, ignored by other formats.
    decimal
        Decimal mark of the numbers, ``"."`` or ``","``. By default a comma if fields are not
        separated by commas, some column consists of plain numbers and has one with a comma,
        and no column has numbers with a decimal point. A comma before exactly three digits
        may be a thousands mark and does not decide.
    sheet
        Name or position (from 1) of an Excel sheet; by default the first visible one.
    limits
        What is accepted; sizes are those after unpacking, checked while reading.

    Returns
    -------
    Table
        With ``source`` holding short texts under format, encoding, delimiter, decimal, rows,
        columns, sheet and note, as far as they apply.

    Raises
    ------
    InputError
        If the file is not a table that can be read. Messages name lines, columns and limits;
        neither they nor the exceptions behind them hold the value of a cell.
    LimitError
        If it is larger than ``limits``.
    ParameterError
        If an argument is not possible.
    MissingPackageError
        If the format is Parquet and pyarrow is not installed.

    Notes
    -----
    Blank lines are skipped. Spaces after delimiters are removed if every field of the first
    lines has one; any other space, also a no-break space, and the Unicode form of a text
    (NFC or NFD) stay as they are. O(bytes + distinct log distinct) time; memory follows the
    number of rows and of distinct texts.
    """
    if decimal not in (None, ".", ","):
        raise ParameterError("decimal must be '.' or ','.", parameter="decimal")
    try:
        with opened(source, limits) as (stream, found_name):
            return _read(stream, name or found_name, (delimiter, encoding, decimal, sheet), limits)
    except CompositionError as error:
        refusal = error
    # Raised outside the handler and without its past: the exceptions and the frames behind
    # it hold cells, and tools that show errors show those too.
    refusal.__cause__ = refusal.__context__ = None
    raise refusal.with_traceback(None)


def _read(
    stream: BinaryIO,
    name: str,
    options: tuple[str | None, str | None, str | None, str | int | None],
    limits: Limits,
) -> Table:
    delimiter, encoding, decimal, sheet = options
    kind = kind_of(stream)
    if kind == "Excel":
        found = read_workbook(stream, limits, sheet)
    elif kind == "Parquet":
        found = read_parquet(stream, limits)
    else:
        found = read_delimited(Bytes(stream, kind == "gzip", limits).read, limits, delimiter, encoding)
        found.source["format"] += " in gzip" if kind == "gzip" else ""
    mark, remarks = (decimal, []) if decimal else _decimal_mark(found)
    notes = [*_name_notes(name, kind), *found.notes, *remarks, *_content_notes(found.columns)]
    facts = {
        **found.source,
        "decimal": "comma" if mark == "," else "point",
        "rows": f"{len(found.columns[0]):,}",
        "columns": f"{len(found.columns):,}",
    }
    return Table(found.columns, mark, {**facts, "note": " ".join(notes)} if notes else facts)


def _name_notes(name: str, kind: str) -> list[str]:
    extension = name.rpartition(".")[2].lower() if "." in name else ""
    expected = EXTENSIONS.get(extension, kind)
    if expected == kind:
        return []
    return [f"The name ends in .{extension} but the content is {'plain text' if kind == 'text' else kind}."]


def _decimal_mark(found: Found) -> tuple[str, list[str]]:
    """Tell whether numbers have a decimal comma, and say so where it cannot be told."""
    if found.point_is_decimal:
        return ".", []
    certain, doubtful, points = False, "", False
    for column in found.columns:
        filled = [label for label in column.labels if label]
        if _are_numbers(filled, ","):
            commas = [label for label in filled if "," in label]
            if all(THOUSANDS.fullmatch(label) for label in commas):
                doubtful = doubtful or column.name
            else:
                certain = True
        elif _are_numbers(filled, "."):
            points = True
    if certain and not points:
        return ",", []
    if doubtful and not points:
        return ".", [
            f"Commas in the numbers of {shown(doubtful)} may be thousands or decimal marks; check the decimal mark."
        ]
    return ".", []


THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")


def _are_numbers(labels: Iterable[str], mark: str) -> bool:
    """Whether all are plain numbers and some has a decimal mark."""
    other = "." if mark == "," else ","
    some = False
    for label in labels:
        text = label.strip()
        if other in text or not NUMBER.fullmatch(text.replace(mark, ".")):
            return False
        some = some or mark in text
    return some


def _content_notes(columns: tuple[Column, ...]) -> list[str]:
    notes = []
    if all(NUMBER.fullmatch(column.name) for column in columns) or _repeated(columns):
        notes.append("The first line looks like data; is the header missing?")
    empty = [column.labels == ("",) for column in columns]
    if any(empty):
        count = sum(empty)
        notes.append(f"{count} column{'s hold' if count > 1 else ' holds'} no value at all.")
    blank = np.ones(len(columns[0]), dtype=bool)
    for column in columns:
        blank &= column.codes == 0 if column.labels[0] == "" else False
    if blank.any():
        count = int(blank.sum())
        notes.append(f"{count:,} row{'s hold' if count > 1 else ' holds'} no value at all.")
    return notes


def _repeated(columns: tuple[Column, ...]) -> bool:
    """Whether at least half of the headers also stand among the values under them."""
    found = 0
    for column in columns:
        at = bisect_left(column.labels, column.name)
        found += at < len(column.labels) and column.labels[at] == column.name
    return found * 2 >= len(columns)
