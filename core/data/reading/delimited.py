r"""Text with separated fields: CSV, TSV and their relatives.

A block without quotes, which is most of most files, is cut at its separators and encoded
with numpy; any other block goes through the csv module. Both give the same cells. What is
read: fields separated by one character, quoted with ``"`` where needed, a quote inside
quotes doubled; lines ended by ``\n``, ``\r\n`` or ``\r``; blank lines skipped.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Ints
from core.base.errors import InputError, ParameterError
from core.data.reading.delimiter import DELIMITERS, Dialect, sniff
from core.data.reading.gather import Gather, Parsed
from core.data.reading.text import TextBlocks, count_lines
from core.data.table import Limits

SLICE = 1000
LONG = 128
NAMED = re.compile(r'"?sep=([^"\r\n\0])"?(?:\r\n|\n|\r|\Z)', re.IGNORECASE)  # Excel's first line
MASKS = np.array([(1 << (8 * length)) - 1 for length in range(9)], dtype="<u8")


def read_delimited(
    read: Callable[[int], bytes], limits: Limits, delimiter: str | None = None, encoding: str | None = None
) -> Parsed:
    """Read delimited text.

    Parameters
    ----------
    read
        Returns as many of the next bytes as asked, decompressed; fewer only at the end.
    limits
        What is accepted.
    delimiter, encoding
        Found out by default.

    Raises
    ------
    InputError, LimitError, ParameterError
        Naming the line, never a cell.
    """
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n\0'):
        raise ParameterError(
            "delimiter must be one character other than a quote or a line break, such as ',' ';' or a tab.",
            parameter="delimiter",
        )
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
            parser = _Parser(sniff(text, delimiter), limits, skipped)
        parser.feed(text)
    if parser is None:
        raise InputError(
            "The file is empty; choose one with a header and at least one record."
            if empty
            else "The file holds only blank lines; choose one with a header and at least one record."
        )
    gather = parser.close()
    dialect = parser.dialect
    name = DELIMITERS.get(dialect.delimiter, repr(dialect.delimiter))
    notes = [*blocks.notes, *gather.notes]
    if is_named:
        notes.append("The first line only names the delimiter, for Excel, and was left out.")
    if dialect.spaced:
        notes.append("The spaces after each delimiter were removed.")
    if gather.width == 1:
        notes.append("Only one column was found; is the delimiter another one?")
    source = {"format": "TSV" if name == "tab" else "CSV", "encoding": blocks.label, "delimiter": name}
    return Parsed(gather.finish(), source, notes, point_is_decimal=dialect.delimiter == ",")


class _Parser:
    """Turns blocks of text into rows."""

    def __init__(self, dialect: Dialect, limits: Limits, line: int) -> None:
        self.dialect = dialect
        self._limits, self._line, self._carry = limits, line, ""
        self._gather: Gather | None = None

    def feed(self, text: str) -> None:
        """Take the next block; a record that it does not complete waits for more."""
        text, self._carry = self._carry + text, ""
        if self._gather is None:
            text = self._read_header(text)
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

    def _reader(self, lines: Iterator[str]) -> Any:
        return csv.reader(lines, delimiter=self.dialect.delimiter, skipinitialspace=self.dialect.spaced, strict=True)

    def _read_header(self, text: str) -> str:
        """Read up to the first line that is not blank; return what follows it."""
        lines = io.StringIO(text, newline="")
        reader = self._reader(lines)
        done, trouble = 0, ""
        try:
            for row in reader:
                if len(row) > 1 or "".join(row).strip():
                    self._gather = Gather(row, self._line + done + 1, self._limits)
                    done = reader.line_num
                    break
                done = reader.line_num
        except csv.Error as error:
            trouble = str(error)
        if trouble:
            self._incomplete(text, done, trouble)
        self._line += done
        return lines.read()

    def _read_slow(self, text: str, gather: Gather) -> None:
        """Read a block with the csv module."""
        reader = self._reader(io.StringIO(text, newline=""))
        single = gather.width == 1
        rows: list[list[str]] = []
        places: list[int] = []
        done, trouble = 0, ""
        try:
            for row in reader:
                if len(row) > 1 or (row and (single or row[0].strip())):
                    rows.append(row)
                    places.append(self._line + done + 1)
                    if len(rows) == SLICE:  # short slices stay in the processor's cache
                        gather.add_rows(rows, places)
                        rows, places = [], []
                done = reader.line_num
        except csv.Error as error:
            trouble = str(error)
        gather.add_rows(rows, places)
        if trouble:
            self._incomplete(text, done, trouble)
        self._line += done

    def _incomplete(self, text: str, done: int, trouble: str) -> None:
        """Keep a record that goes on in the next block; refuse one that is malformed."""
        line = self._line + done + 1
        if "unexpected end" in trouble:
            self._carry = "".join(list(io.StringIO(text, newline=""))[done:])
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
        """Read a block with numpy, or return False if only the csv module is sure to be right."""
        width, delimiter = gather.width, self.dialect.delimiter
        if '"' in text or width == 1 or not delimiter.isascii():
            return False
        raw = _unix_lines(text)
        if raw is None:
            return False
        lines = raw.rstrip(b"\n")
        blank = len(raw) - len(lines) - 1  # after the last record
        if not lines:
            self._line += len(raw)
            return True
        raw = lines + b"\n"
        data = np.frombuffer(raw + bytes(LONG + 8), dtype=np.uint8)
        newline = data == 10
        separators = np.flatnonzero(newline | (data == ord(delimiter)))
        rows, rest = divmod(len(separators), width)
        if rest or np.count_nonzero(newline) != rows or not newline[separators[width - 1 :: width]].all():
            return False  # a blank or ragged line; the csv module says which
        ends = np.ascontiguousarray(separators.reshape(rows, width).T)
        starts = np.ascontiguousarray(np.concatenate(([0], separators[:-1] + 1)).reshape(rows, width).T)
        if self.dialect.spaced and not _skip_spaces(data, starts):
            return False
        lengths = ends - starts
        if lengths.max() > min(LONG, self._limits.cell):
            return False
        # The eight bytes that begin at each byte, as one number.
        words = np.ndarray((len(data) - 7,), dtype="<u8", buffer=data, strides=(1,))
        cells = raw.decode() if raw.isascii() else raw
        gather.add_codes([_encode(cells, words, starts[j], lengths[j]) for j in range(width)], rows)
        self._line += rows + blank
        return True


def _unix_lines(text: str) -> bytes | None:
    r"""Return the bytes of text without quotes, lines ended by ``\n``; None if line ends are mixed."""
    raw = text.encode("utf-8", "surrogatepass")
    if b"\r" in raw:
        raw = raw.replace(b"\r\n", b"\n")
        if b"\r" in raw:
            return None if b"\n" in raw else raw.replace(b"\r", b"\n")
    return raw


def _skip_spaces(data: NDArray[np.uint8], starts: Ints) -> bool:
    """Move starts past spaces, in place; False after many of them, for which this is the wrong way."""
    for _ in range(LONG):
        space = data[starts] == 32
        if not space.any():
            return True
        starts += space
    return False


def _encode(cells: str | bytes, words: NDArray[np.uint64], starts: Ints, lengths: Ints) -> tuple[list[str], Ints]:
    """Number the distinct fields of a column, comparing eight bytes at a time.

    ``cells`` is the text the fields are cut from; bytes if they do not lie where the characters do.

    No field holds a NUL byte, so a shorter field padded with them differs from every other.
    """
    import pandas as pd

    codes, words_of = pd.factorize(words[starts] & MASKS.take(lengths, mode="clip"))
    distinct = len(words_of)
    for offset in range(8, int(lengths.max()), 8):
        more, words_of = pd.factorize(words[starts + offset] & MASKS.take(lengths - offset, mode="clip"))
        codes, words_of = pd.factorize(codes * len(words_of) + more)
        distinct = len(words_of)
    first = np.empty(distinct, dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    begin, end = starts[first].tolist(), (starts + lengths)[first].tolist()
    if isinstance(cells, str):
        return [cells[a:b] for a, b in zip(begin, end, strict=True)], codes
    return [cells[a:b].decode("utf-8", "surrogatepass") for a, b in zip(begin, end, strict=True)], codes
