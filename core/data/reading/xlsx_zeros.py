"""Number formats of zeros in Excel: a zip code stored as 1012 with the format 00000 is shown as 01012.

The library that reads workbooks does not report formats. So the styles are searched for formats of zeros and, if there
are any, the sheet for cells that have one.
"""

from __future__ import annotations

import html
import posixpath
import re
import zipfile
from array import array
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np

from core.base.arrays import Ints
from core.data.reading.wire import BLOCK

WIDEST = 16_384
"""Columns of a sheet."""
MOST_STYLES = 20_000_000
"""Largest number of bytes of styles, relations or the list of sheets."""
LONGEST = 40
_ZEROS = re.compile(r"""(?:0|\\[- ./]|[- /]|"[- ./]+")+""")
_TAG = r"<(?:\w+:)?{}\b([^>]*)>"
_FORMAT, _STYLE, _SHEET, _LINK = (re.compile(_TAG.format(tag)) for tag in ("numFmt", "xf", "sheet", "Relationship"))
_STYLES = re.compile(r"<(?:\w+:)?cellXfs\b.*?</(?:\w+:)?cellXfs>", re.DOTALL)
_PLACE = re.compile(rb"<(?:\w+:)?(row|c)\b([^>]*)>")
_WHERE = re.compile(rb"""\br=["']([A-Z]{0,3})(\d{0,7})["']""")
_OWN_STYLE = re.compile(rb"""\bs=["'](\d{1,9})["']""")
_TYPE = re.compile(rb"""\bt=["'](?!n["'])""")


class Zeros:
    """Which cells of a sheet have a format of zeros.

    Parameters
    ----------
    stream
        The workbook, seekable.
    sheet
        Name of the sheet.
    left
        Columns that the sheet's reader leaves out before the first one with a cell.
    """

    def __init__(self, stream: BinaryIO, sheet: str, left: int) -> None:
        self._masks: list[str] = []
        self._cells = self._numbers = np.empty(0, dtype=np.int64)
        self._left, self._at = left, 0
        archive = zipfile.ZipFile(stream)
        masks = _masks_of_styles(_text(archive, "xl/styles.xml"))
        part = _part_of(archive, sheet) if any(masks) else ""
        if part:
            self._masks = masks
            self._cells, self._numbers = _cells(archive, part, masks)

    def of_row(self, place: int) -> dict[int, str]:
        """Return the format of each cell of a row that has one, by its column from 0.

        Rows must be requested in rising order.
        """
        masks: dict[int, str] = {}
        while self._at < len(self._cells) and self._cells[self._at] < (place + 1) * WIDEST:
            row, column = divmod(int(self._cells[self._at]), WIDEST)
            if row == place:
                masks[column - self._left] = self._masks[int(self._numbers[self._at])]
            self._at += 1
        return masks


def shown(value: object, mask: str) -> str | None:
    """Text that a sheet shows for a whole number in a format of zeros; ``None`` for any other value."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0 or value != int(value):
        return None
    digits = str(int(value)).zfill(mask.count("0"))
    first = len(digits) - mask.count("0") + 1  # the first placeholder takes all remaining digits
    rest = iter(digits[first:])
    head, behind = mask.split("0", 1)
    return head + digits[:first] + "".join(next(rest) if letter == "0" else letter for letter in behind)


def _text(archive: zipfile.ZipFile, name: str) -> str:
    if name not in archive.namelist():
        return ""
    with archive.open(name) as part:
        return part.read(MOST_STYLES).decode("utf-8", "replace")


def _attributes(tag: str) -> dict[str, str]:
    pairs = re.findall(r"""([\w:]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""", tag)
    return {name.split(":")[-1]: html.unescape(double or single) for name, double, single in pairs}


def _masks_of_styles(styles: str) -> list[str]:
    """Format of zeros of each style, "" for any other; 00000-0000 keeps the text between the zeros."""
    formats = {}
    for tag in _FORMAT.findall(styles):
        own = _attributes(tag)
        code = own.get("formatCode", "").split(";")[0]
        if len(code) <= LONGEST and code.count("0") > 1 and _ZEROS.fullmatch(code):
            formats[own.get("numFmtId")] = re.sub(r'[\\"]', "", code)
    listed = _STYLES.search(styles)
    tags = _STYLE.findall(listed[0]) if listed and formats else []
    return [formats.get(_attributes(tag).get("numFmtId"), "") for tag in tags]


def _part_of(archive: zipfile.ZipFile, sheet: str) -> str:
    """Name of the part that holds a sheet; "" if it is not found."""
    sheets = [_attributes(tag) for tag in _SHEET.findall(_text(archive, "xl/workbook.xml"))]
    link = next((own.get("id") for own in sheets if own.get("name") == sheet), None)
    links = [_attributes(tag) for tag in _LINK.findall(_text(archive, "xl/_rels/workbook.xml.rels"))]
    target = next((own.get("Target", "") for own in links if own.get("Id") == link), "")
    name = posixpath.normpath(posixpath.join("/xl", target)).lstrip("/")
    return name if target and name in archive.namelist() else ""


def _cells(archive: zipfile.ZipFile, part: str, masks: list[str]) -> tuple[Ints, Ints]:
    """Cells of a sheet with a format of zeros, as their row from 1 times WIDEST and column from 0, and their styles."""
    cells, numbers = array("q"), array("q")
    with_mask = {str(number).encode(): number for number, mask in enumerate(masks) if mask}
    for row, column, tag in _places(archive, part):
        style = _OWN_STYLE.search(tag)
        if style and style[1] in with_mask and not _TYPE.search(tag) and column < WIDEST:
            cells.append(row * WIDEST + column)
            numbers.append(with_mask[style[1]])
    places = np.frombuffer(cells, dtype=np.int64) if cells else np.empty(0, dtype=np.int64)
    order = np.argsort(places, kind="stable")
    return places[order], (np.frombuffer(numbers, dtype=np.int64) if numbers else places)[order]


def _places(archive: zipfile.ZipFile, part: str) -> Iterator[tuple[int, int, bytes]]:
    """Row, column and attributes of every cell; one without a position follows the previous cell."""
    row, column, rest = 0, -1, b""
    with archive.open(part) as stream:
        while data := stream.read(BLOCK):
            data = rest + data
            cut = data.rfind(b">") + 1
            for match in _PLACE.finditer(data, 0, cut):
                where = _WHERE.search(match[2])
                if match[1] == b"row":
                    row, column = int(where[2]) if where and where[2] else row + 1, -1
                    continue
                column = _number(where[1]) if where and where[1] else column + 1
                yield row, column, match[2]
            rest = data[cut:][-BLOCK:]


def _number(letters: bytes) -> int:
    """Number of a column from 0: A is 0, AA is 26."""
    number = 0
    for letter in letters:
        number = 26 * number + letter - 64
    return number - 1
