r"""Text with separated fields: CSV, TSV and their relatives.

Blocks without quotes, the most common ones, are read by Arrow; any other block goes
through the csv module. Both give the same cells. What is read: fields separated by one
character, quoted with ``"`` where needed, a quote inside quotes doubled; lines ended by
``\n``, ``\r\n`` or ``\r``; blank lines skipped.
"""

from __future__ import annotations

import contextlib
import csv
import io
import re
from collections.abc import Callable, Iterator
from itertools import islice

import pyarrow as pa
import pyarrow.compute as arrow
import pyarrow.csv as arrow_csv

from core.base.errors import InputError
from core.base.errors import shown_name as shown
from core.data.reading.delimiter import DELIMITERS, Dialect, check_delimiter, sniff
from core.data.reading.gather import Gather, Parsed
from core.data.reading.header import LOOKED_AT, WHOLE, Header, Row, Selection, header_of
from core.data.reading.text_blocks import TextBlocks, count_lines
from core.data.tables.column import Column
from core.data.tables.input_limits import InputLimits

SLICE = 10_000
CELLS = pa.dictionary(pa.int32(), pa.string())
KEPT_AS_TEXT = re.compile(r"""="((?:[^"]|"")*)"|'([+-]?\d[\d.,]*)""")
MARKED = "Marks that keep a spreadsheet from reading texts as numbers were taken off the cells of {}."
NAMED = re.compile(r'"?sep=([^"\r\n\0])"?(?:\r\n|\n|\r|\Z)', re.IGNORECASE)  # Excel's first line


def read_delimited(
    read: Callable[[int], bytes],
    limits: InputLimits,
    delimiter: str | None = None,
    encoding: str | None = None,
    selection: Selection = WHOLE,
) -> Parsed:
    """Read delimited text.

    Parameters
    ----------
    read
        Returns the requested number of next bytes, decompressed; fewer only at the end.
    limits
        What is accepted.
    delimiter, encoding
        Detected by default.
    selection
        Which row is the header, and which columns are read.

    Raises
    ------
    InputError, LimitError, ParameterError
        Naming the line, never a cell.
    """
    check_delimiter(delimiter)
    blocks = TextBlocks(read, encoding, limits)
    parser: _Parser | None = None
    skipped, empty, is_named = 0, True, False
    for block in blocks:
        named = NAMED.match(block) if empty else None
        text = block[named.end() :] if named else block
        empty = False
        if named:
            is_named, skipped, delimiter = True, 1, delimiter or named[1]
        if parser is None and text.isspace() and not (delimiter and delimiter in text):
            skipped += count_lines(text)
            continue
        if parser is None:
            parser = _Parser(sniff(text, delimiter), limits, skipped, selection)
        parser.feed(text)
    if parser is None:
        raise InputError(
            "The file is empty; choose one with a header and at least one record."
            if empty
            else "The file holds only blank lines; choose one with a header and at least one record."
        )
    gather = parser.close()
    written = gather.finish()
    dialect = parser.dialect
    name = DELIMITERS.get(dialect.delimiter, repr(dialect.delimiter))
    notes = [*blocks.notes, *gather.notes]
    if is_named:
        notes.append("The first line only names the delimiter, for Excel, and was left out.")
    if dialect.spaced:
        notes.append("The spaces after each delimiter were removed.")
    if gather.fields == 1:
        notes.append("Only one column was found; is the delimiter another one?")
    source = {"format": "TSV" if name == "tab" else "CSV", "encoding": blocks.label, "delimiter": name}
    columns = tuple(map(_without_marks, written))
    notes += [
        MARKED.format(shown(column.name)) for column, was in zip(columns, written, strict=True) if column is not was
    ]
    return Parsed(columns, source, notes, point_is_decimal=dialect.delimiter == ",")


def _without_marks(column: Column) -> Column:
    """Remove the marks that keep a spreadsheet from reading a text as a number: ``="01012"``, ``'01012``."""
    if not any(label[:1] in "='" and KEPT_AS_TEXT.fullmatch(label) for label in column.labels if label):
        return column
    texts = [
        label if (match := KEPT_AS_TEXT.fullmatch(label)) is None else (match[1] or match[2] or "").replace('""', '"')
        for label in column.labels
    ]
    return column.renamed(column.name, texts)


class _Parser:
    """Turns blocks of text into rows."""

    def __init__(self, dialect: Dialect, limits: InputLimits, line: int, selection: Selection) -> None:
        self.dialect = dialect
        self._limits, self._line, self._selection, self._carry = limits, line, selection, ""
        self._gather: Gather | None = None

    def feed(self, text: str) -> None:
        """Take the next block; a record that it does not complete waits for more."""
        text, self._carry = self._carry + text, ""
        if self._gather is None:
            begin, rows = self._line, self._first_rows(text)
            header = header_of(rows, self._selection.header_row) if rows else None
            for row, line in self._records(text):
                header = header or Header(row, line)
                if line == header.place:
                    self._gather = header.gather(self._limits, chosen=self._selection.columns)
                    text = _without(text, self._line - begin)
                    break
        if text and self._gather is not None and not self._read_fast(text, self._gather):
            self._read_slow(text, self._gather)

    def close(self) -> Gather:
        """Return the rows; raise InputError if a quote is still open."""
        if self._carry:
            raise InputError(
                f'A quote (") that opens in the record beginning in line {self._line + 1:,} is never closed; '
                "close it, or double a quote that is part of the text."
            )
        if self._gather is None:
            raise InputError("The file holds only blank lines; choose one with a header and at least one record.")
        return self._gather

    def _first_rows(self, text: str) -> list[Row]:
        """Rows in which the header is looked for, as far as they can be read."""
        lines = io.StringIO(text, newline="")
        reader = csv.reader(lines, delimiter=self.dialect.delimiter, skipinitialspace=self.dialect.spaced)
        rows, last = list[Row](), 0
        with contextlib.suppress(csv.Error):
            for row in reader:
                line, last = self._line + last + 1, reader.line_num
                if len(row) > 1 or "".join(row).strip():
                    rows.append((line, row))
                if len(rows) == LOOKED_AT:
                    break
        return rows

    def _records(self, text: str) -> Iterator[tuple[list[str], int]]:
        """Non-blank records of a text, by the csv module, each with its first line."""
        is_single = self._gather is not None and self._gather.fields == 1
        lines = io.StringIO(text, newline="")
        reader = csv.reader(lines, delimiter=self.dialect.delimiter, skipinitialspace=self.dialect.spaced, strict=True)
        begin, trouble = self._line, ""
        try:
            for row in reader:
                line, self._line = self._line + 1, begin + reader.line_num
                if len(row) > 1 or (row and (is_single or row[0].strip())):
                    yield row, line
        except csv.Error as error:
            trouble = str(error)
        if trouble:
            self._incomplete(text, self._line - begin, trouble)

    def _read_slow(self, text: str, gather: Gather) -> None:
        """Read a block with the csv module."""
        records = self._records(text)
        while some := list(islice(records, SLICE)):
            rows, lines = zip(*some, strict=True)
            gather.add_rows(rows, lines)

    def _incomplete(self, text: str, done: int, trouble: str) -> None:
        """Keep a record that continues in the next block; refuse a malformed one."""
        line = self._line + 1
        if "unexpected end" in trouble:
            self._carry = _without(text, done)
            if len(self._carry) > self._limits.columns * (self._limits.cell + 3):
                raise InputError(
                    f"The record that begins in line {line:,} is longer than any record that is accepted; is a "
                    'quote (") left open there?'
                )
        elif "field limit" in trouble:
            raise InputError(
                f"A field in the record that begins in line {line:,} has more than "
                f"{min(self._limits.cell, csv.field_size_limit()):,} characters, the most that is accepted; is a "
                'quote (") left open there?'
            )
        else:
            raise InputError(
                f'Text follows a closing quote (") in the record that begins in line {line:,}; double a quote that '
                "is part of the text, or remove it."
            )

    def _read_fast(self, text: str, gather: Gather) -> bool:
        """Read a block with Arrow, or return False if only the csv module is certain to be right."""
        delimiter = self.dialect.delimiter
        # Arrow would remove a byte order mark, and does not say where a ragged line is.
        if '"' in text or text[0] == "\ufeff" or self.dialect.spaced or not delimiter.isascii():
            return False
        raw, names = text.encode(), [str(place) for place in range(gather.fields)]
        kept = [names[place] for place in gather.kept]
        try:
            table = arrow_csv.read_csv(
                pa.BufferReader(raw),
                arrow_csv.ReadOptions(column_names=names, block_size=len(raw) + 1, use_threads=False),
                arrow_csv.ParseOptions(delimiter=delimiter, quote_char=False),
                arrow_csv.ConvertOptions(column_types=dict.fromkeys(kept, CELLS), null_values=[], include_columns=kept),
            )
        except pa.ArrowInvalid:
            return False
        columns = [column.combine_chunks() for column in table.columns]
        longest = [arrow.max(arrow.utf8_length(column.dictionary)).as_py() for column in columns]
        if table.num_rows and max(longest) > self._limits.cell:
            return False
        gather.add_columns(columns)
        self._line += count_lines(text)
        return True


def _without(text: str, lines: int) -> str:
    """A text without its first lines."""
    return "".join(list(io.StringIO(text, newline=""))[lines:])
