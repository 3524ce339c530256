"""The sizes of the pages of a Parquet file, read before pyarrow unpacks any of them.

pyarrow takes as much memory as a page header asks for, whatever the footer says, so the
page headers are what has to be added up. Footer and headers are read here, in Thrift's
compact protocol, because pyarrow shows no page headers and ends the whole program
(std::terminate) when asked for the footer's entry of a damaged column.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, BinaryIO

from core.errors import LimitError
from core.reading.gather import unpacks_too_far
from core.table import Limits

MAX_FOOTER = 1 << 24
HEADERS = (1 << 12, 1 << 22)  # bytes to look for a page header in; long texts in its statistics make it long
DEPTH = 12

# Numbers of fields in the Parquet format.
ROW_GROUPS, COLUMNS, META_DATA = 4, 1, 3
NUM_VALUES, COMPRESSED_SIZE, DATA_PAGE_OFFSET, DICTIONARY_PAGE_OFFSET = 5, 7, 9, 11
PAGE_UNPACKED, PAGE_PACKED = 2, 3
DATA_PAGES = ((5, 2), (8, 4))  # the two kinds of data page, and the encoding in them
DELTA_BYTE_ARRAY = 7
DELTA_ENCODINGS = (5, 6, 7)

# Types in Thrift's compact protocol.
BOOLEANS, BYTE, INTEGERS, DOUBLE, BINARY, LISTS, STRUCT = (1, 2), 3, (4, 5, 6), 7, 8, (9, 10), 12


@dataclass(frozen=True)
class Pages:
    """What the pages allow.

    Parameters
    ----------
    rows
        Rows that are safe to read at once.
    delta
        Columns with pages that pyarrow cannot read as dictionary codes.
    """

    rows: int
    delta: frozenset[int]


@dataclass(frozen=True)
class _Page:
    length: int
    unpacked: int
    encoding: int | None


def check_pages(stream: BinaryIO, limits: Limits) -> Pages:
    """Hold what all pages unpack to against ``limits.bytes``.

    Raises
    ------
    LimitError
        If it is more.
    ValueError, TypeError, LookupError, OSError
        If the file is damaged.
    """
    total, largest = 0, 1
    delta: set[int] = set()
    for group in _footer(stream)[ROW_GROUPS]:
        for index, column in enumerate(group[COLUMNS]):
            chunk = column[META_DATA]
            if not isinstance(chunk, dict):
                raise ValueError
            if not chunk[NUM_VALUES]:
                continue  # pyarrow reads no page of it, and writes no true place
            place = chunk[DATA_PAGE_OFFSET]
            if chunk.get(DICTIONARY_PAGE_OFFSET):
                place = min(place, chunk[DICTIONARY_PAGE_OFFSET])
            end = place + chunk[COMPRESSED_SIZE]
            while place < end:
                page = _read_page(stream, place)
                total += page.unpacked
                if total > limits.bytes:
                    raise LimitError(unpacks_too_far(limits))
                if page.encoding in DELTA_ENCODINGS:
                    delta.add(index)
                if page.encoding == DELTA_BYTE_ARRAY:
                    largest = max(largest, page.unpacked)
                place += page.length
    # In that encoding every text may repeat nearly all of its page, so a batch can be as many pages.
    return Pages(max(1, limits.bytes // largest), frozenset(delta))


def _footer(stream: BinaryIO) -> dict[int, Any]:
    end = stream.seek(-8, 2)
    length = int.from_bytes(stream.read(4), "little")
    if length > MAX_FOOTER:
        raise ValueError
    stream.seek(end - length)
    return _Thrift(stream.read(length)).read_struct()[0]


def _read_page(stream: BinaryIO, place: int) -> _Page:
    for size in HEADERS:
        stream.seek(place)
        try:
            fields, length = _Thrift(stream.read(size)).read_struct()
        except IndexError:
            continue
        unpacked, packed = fields[PAGE_UNPACKED], fields[PAGE_PACKED]
        if unpacked < 0 or packed < 0:
            raise ValueError
        for kind, encoding in DATA_PAGES:
            if kind in fields:
                return _Page(length + packed, unpacked, fields[kind][encoding])
        return _Page(length + packed, unpacked, None)
    raise ValueError


class _Thrift:
    """Reads structures as dictionaries of fields by number; passes over texts and doubles."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def read_struct(self, depth: int = 0) -> tuple[dict[int, Any], int]:
        """Fields, and the bytes read so far; IndexError if there are too few."""
        if depth > DEPTH:
            raise ValueError
        fields: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._integer()
            kind = head & 15
            fields[number] = kind == 1 if kind in BOOLEANS else self._value(kind, depth)
        return fields, self._at

    def _value(self, kind: int, depth: int) -> Any:
        if kind in INTEGERS:
            return self._integer()
        if kind == STRUCT:
            return self.read_struct(depth + 1)[0]
        if kind in LISTS:
            head = self._byte()
            size = head >> 4 if head >> 4 < 15 else self._varint()
            return [self._value(head & 15, depth + 1) for _ in range(size)]
        if kind not in (*BOOLEANS, BYTE, DOUBLE, BINARY):
            raise ValueError
        length = self._varint() if kind == BINARY else 8 if kind == DOUBLE else 1
        self._at += length
        if self._at > len(self._data):
            raise IndexError
        return None

    def _byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1]

    def _varint(self) -> int:
        value = shift = 0
        while shift < 70:
            byte = self._byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
        raise ValueError

    def _integer(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)
