"""Read a file as a table: CSV, TSV, gzip of these, Parquet, Excel, Stata, SAS, SPSS.

The format is recognised by the content of the file, not by its name. Every cell keeps the text that was written.
Detected facts (encoding, delimiter, decimal mark) and anything surprising are put into ``Table.read_info`` for display.
A file can need far more memory than its size suggests, and can crash the libraries that read it. So everything except
short plain text is read in a separate process, with limits on memory and time.

    read_table        opens the source, has it read here or apart, gives the table
    apart             the other process, seen from here
    child             the other process itself
    wire              what passes between them
    gather            rows in, encoded columns out, limits checked
    header            which row names the columns
    text_blocks       bytes to text
    delimited         text to rows
    xlsx_sheet        Excel to rows, through python-calamine
    parquet           Parquet to columns, through pyarrow
    statistical       Stata, SAS and SPSS to columns, through pyreadstat
    frequency_file    whether a table that was read is a frequency table
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import BinaryIO

import numpy as np

from core.base.arrays import Progress
from core.base.errors import CompositionError, InputError, MemoryShortError, ParameterError
from core.data.reading import apart
from core.data.reading.delimited import read_delimited
from core.data.reading.gather import Parsed
from core.data.reading.header import Selection
from core.data.reading.hierarchy import tree_of
from core.data.reading.parquet import read_parquet
from core.data.reading.statistical import READERS as STATISTICAL
from core.data.reading.statistical import read_statistical
from core.data.reading.stream import Bytes, file_format_of, is_plain_text, opened
from core.data.reading.xlsx_sheet import read_workbook
from core.data.schemas.taxonomy import Taxonomy
from core.data.tables.column import Column
from core.data.tables.input_limits import DEFAULT_LIMITS, InputLimits
from core.data.tables.numbers import NUMBER, decimal_mark
from core.data.tables.table import Table

__all__ = ["read_hierarchy", "read_table"]

SHORT = 1_000_000
"""Bytes of plain text that are read in this process.

A separate process takes half a second to start. The worst megabyte of text that the tests know takes
less than 2 s and 200 MB here: text cannot expand.
"""
MAX_HIERARCHY = 20_000_000
MAX_SHEET = 99_999
MOST_ROWS = 2_000_000_000


@dataclass(frozen=True)
class Request:
    """Options for reading a file; see :func:`read_table`."""

    delimiter: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    sheet: str | int | None = None
    header_row: int | None = None
    columns: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Validate the options."""
        if self.header_row is not None and not 1 <= self.header_row <= MOST_ROWS:
            raise ParameterError(f"header_row must be a line or row from 1 to {MOST_ROWS:,}.", parameter="header_row")
        if self.columns is not None and not self.columns:
            raise ParameterError("columns must name at least one column.", parameter="columns")
        if self.decimal not in (None, ".", ","):
            raise ParameterError("decimal must be '.' or ','.", parameter="decimal")
        if isinstance(self.sheet, int) and not 0 <= self.sheet <= MAX_SHEET:
            raise ParameterError(f"sheet must be a name or a position from 1 to {MAX_SHEET:,}.", parameter="sheet")

    @property
    def selection(self) -> Selection:
        """Which row is the header, and which columns are read."""
        return Selection(self.header_row, self.columns)


def read_table(
    source: str | os.PathLike[str] | bytes | BinaryIO,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    sheet: str | int | None = None,
    header_row: int | None = None,
    columns: Sequence[str] | None = None,
    limits: InputLimits = DEFAULT_LIMITS,
    progress: Progress | None = None,
) -> Table:
    r"""Read a file as a table of texts.

    Plain text of up to a megabyte is read at once. Anything else is read in a separate process under the limits on
    memory and time in ``limits``; with ``InputLimits(isolated=False)`` it is read in this process, without these two.
    The limit on memory works on Linux only; on Windows and macOS those on time, bytes, rows and columns remain.

    Parameters
    ----------
    source
        Path, content, or a file object opened in binary mode, which is read from its start and left open.
    delimiter, encoding
        Of text files; detected by default, ignored for other formats.
    decimal
        Decimal mark of the numbers, ``"."`` or ``","``. By default a comma if fields are not
        separated by commas, some column consists of plain numbers and has one with a comma,
        and no column has numbers with a decimal point. A comma before exactly three digits
        may be a thousands mark and does not decide.
    sheet
        Name or position (from 1) of an Excel sheet; by default the first visible one that holds a table.
    header_row
        Number of the line, in Excel of the row, that names the columns; found by default, ignored for Parquet. Titles,
        comments and names of groups above it are left out.
    columns
        Names of the columns to read; all by default. The others are not kept and may have any content.
    limits
        What is accepted; sizes are those after unpacking, checked while reading.
    progress
        Called about ten times a second with the share of the file that was read, while another process reads it. An
        exception that it raises stops the reading.

    Returns
    -------
    Table
        Its ``read_info`` holds short texts under format, encoding, delimiter, decimal, rows,
        columns, sheet, frequency table and note, as far as they apply.

    Raises
    ------
    InputError
        If the file is not a table that can be read. Messages name lines, columns and limits;
        neither they nor the exceptions behind them hold the value of a cell.
    LimitError
        If it is larger than ``limits``, or takes more memory or time to read.
    ParameterError
        If an argument is invalid.

    Notes
    -----
    Blank lines are skipped. Spaces after delimiters are removed if every field of the first
    lines has one; any other space, also a no-break space, and the Unicode form of a text
    (NFC or NFD) stay as they are. O(bytes + distinct log distinct) time; memory follows the
    number of rows and of distinct texts.

    Examples
    --------
    >>> from composition_dashboard import read_table
    >>> read_table(b"age,diagnosis\n34,flu\n41,asthma\n").names
    ('age', 'diagnosis')
    """
    chosen = None if columns is None else tuple(dict.fromkeys(columns))
    request = Request(delimiter, encoding, decimal, sheet, header_row, chosen)
    try:
        with opened(source, limits) as stream:
            # An encoding given by the caller may be a slow one.
            if not limits.isolated or (encoding is None and is_plain_text(stream, SHORT)):
                return read_here(stream, request, limits)
            return _read_apart(stream, request, limits, progress)
    except CompositionError as error:
        refusal = error
    except OSError:
        refusal = InputError("The file cannot be read to its end; copy it and try again.")
    except MemoryError:
        refusal = MemoryShortError(
            "There is not enough memory to read the file; close other programs, or load a part of it."
        )
    # Raised outside the handler and without its context: earlier exceptions and their frames hold cells, which error
    # reports would show.
    refusal.__cause__ = refusal.__context__ = None
    raise refusal.with_traceback(None)


READERS: dict[str, Callable[[BinaryIO, InputLimits, Request], Parsed]] = {
    "Excel": lambda stream, limits, request: read_workbook(stream, limits, request.sheet, request.selection),
    "Parquet": lambda stream, limits, request: read_parquet(stream, limits, request.columns),
}
"""Readers of formats, as :func:`core.data.reading.stream.file_format_of` recognises them."""


def read_here(stream: BinaryIO, request: Request, limits: InputLimits) -> Table:
    """Read a table in this process; the work of :func:`read_table`."""
    file_format = file_format_of(stream)
    if file_format in READERS:
        parsed = READERS[file_format](stream, limits, request)
    elif file_format in STATISTICAL:
        parsed = read_statistical(stream, file_format, limits, request.columns)
    else:
        parsed = read_delimited(
            Bytes(stream, file_format == "gzip", limits).read,
            limits,
            request.delimiter,
            request.encoding,
            request.selection,
        )
        parsed.source["format"] += " in gzip" if file_format == "gzip" else ""
    mark, remarks = decimal_mark(parsed.columns, parsed.point_is_decimal)
    if request.decimal:
        mark, remarks = request.decimal, []
    notes = [*parsed.notes, *remarks, *_content_notes(parsed.columns)]
    facts = {
        **parsed.source,
        "decimal": "comma" if mark == "," else "point",
        "rows": f"{len(parsed.columns[0]):,}",
        "columns": f"{len(parsed.columns):,}",
    }
    return Table(parsed.columns, mark, {**facts, "note": " ".join(notes)} if notes else facts)


def _read_apart(stream: BinaryIO, request: Request, limits: InputLimits, progress: Progress | None) -> Table:
    head, parts = apart.ask({"what": "table", "request": asdict(request)}, stream, limits, progress)
    with contextlib.suppress(ValueError):  # a reader broken by a file may answer anything
        columns = tuple(
            Column(name, tuple(labels), codes) for name, (labels, codes) in zip(head.names, parts, strict=True)
        )
        if all(c.codes.min(initial=0) >= 0 and c.codes.max(initial=-1) < len(c.labels) for c in columns):
            return Table(columns, head.decimal, head.source)
    raise InputError("The file cannot be read; export it again, or save it as CSV.")


def read_hierarchy(
    source: bytes | Path, *, column: str = "", limits: InputLimits = DEFAULT_LIMITS, progress: Progress | None = None
) -> Taxonomy:
    """Read a hierarchy file: a value, its level 1 and so on in each line, or pairs of child and parent.

    Cells are separated by semicolons, tabs, commas or bars. A first line of column names, such as one that begins
    with the name of the ``column``, is left out, with a note in ``notes`` of the tree. Limits, process and progress are
    those of :func:`read_table`; at most 20 MB.

    Raises
    ------
    TaxonomyError
        If it is no hierarchy; see :func:`core.data.reading.hierarchy.tree_of`.
    InputError
        If it cannot be read, or exceeds the limits.
    """
    with opened(source, replace(limits, bytes=min(limits.bytes, MAX_HIERARCHY))) as stream:
        if not limits.isolated or is_plain_text(stream, SHORT):
            return read_hierarchy_here(stream, column)
        _, parts = apart.ask({"what": "hierarchy", "column": column}, stream, limits, progress)
        with contextlib.suppress(ValueError):
            (labels, parents), (notes, _) = parts
            return Taxonomy(tuple(labels), tuple(parents.tolist()), notes=tuple(notes))
        # not tested: a reader with an invalid answer.
        raise InputError("The file cannot be read; export it again.")


def read_hierarchy_here(stream: BinaryIO, column: str = "") -> Taxonomy:
    """Read a hierarchy in this process; the work of :func:`read_hierarchy`."""
    return tree_of(stream.read(), column)


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
    """Whether at least half of the headers also occur among the values below them."""
    repeats = sum(column.code_of(column.name) >= 0 for column in columns)
    return repeats * 2 >= len(columns)
