"""The parts of an Excel workbook: a ZIP archive of XML, unpacked within a budget.

They are parsed here event by event rather than by openpyxl, which builds a tree of a part:
half a gigabyte of empty cells, which fits in half a megabyte of archive, would take it
tens of gigabytes. Here memory is bounded by what is really unpacked, whatever sizes the
archive declares, and by the limits below.
"""

from __future__ import annotations

import copy
import posixpath
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import BinaryIO
from xml.parsers import expat

from core.errors import InputError, LimitError
from core.reading.gather import unpacks_too_far
from core.table import Limits

CHUNK = 1 << 16
TOKEN = 1 << 22  # bytes of one tag
DEPTH = 100
MAX_SHEETS, MAX_STYLES, MAX_TEXTS = 10_000, 100_000, 5_000_000
ESCAPE = 7  # characters of the escape of one

DATE_FORMATS = {*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)}
ELAPSED_FORMAT = 46
LITERALS = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?!hh?\]|mm?\]|ss?\])[^\]]*\]', re.IGNORECASE)
ELAPSED = re.compile(r"\[(hh?|mm?|ss?)\]", re.IGNORECASE)
ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")

Attributes = Mapping[str, str]
Start = Callable[[str, Attributes], None]
End = Callable[[str], None]
Text = Callable[[str], None]


class Damaged(Exception):
    """A part is missing, malformed or made to do harm."""


class Workbook:
    """What the cells of a workbook refer to, and a way to parse its sheets.

    Parameters
    ----------
    stream
        The file, seekable.
    limits
        ``limits.bytes`` is the budget of all parts together, unpacked.

    Attributes
    ----------
    sheets
        (name, path, visible) of each sheet with cells.
    texts
        Texts that cells refer to by number.
    styles
        What each cell style makes of a number: ``"date"``, ``"elapsed"`` or ``""``.
    epoch
        Day 0 of the dates.
    """

    def __init__(self, stream: BinaryIO, limits: Limits) -> None:
        self._archive = zipfile.ZipFile(stream)
        self._limits = limits
        self._unpacked = 0
        self.sheets: list[tuple[str, str, bool]] = []
        self.texts: list[str] = []
        self.styles: list[str] = []
        self.epoch = datetime(1899, 12, 30)
        main = next((path for kind, path in self._links("") if kind == "officeDocument"), "xl/workbook.xml")
        if main.endswith(".bin"):
            raise InputError("This is a binary Excel workbook (.xlsb); save it as .xlsx or CSV.")
        self._read_sheets(main)
        for kind, part in self._links(main):
            if kind == "styles":
                self._read_styles(part)
            elif kind == "sharedStrings":
                self._read_texts(part)

    def parse(self, path: str, start: Start, end: End | None = None, text: Text | None = None) -> None:
        """Parse a part; handlers get names without their namespace."""
        parser = expat.ParserCreate()
        parser.buffer_text = True
        depth = fed = 0

        def on_start(name: str, attributes: Attributes) -> None:
            nonlocal depth
            depth += 1
            if depth > DEPTH:
                raise Damaged
            start(name.rpartition(":")[2], attributes)

        def on_end(name: str) -> None:
            nonlocal depth
            depth -= 1
            if end is not None:
                end(name.rpartition(":")[2])

        parser.StartElementHandler = on_start
        parser.EndElementHandler = on_end
        parser.CharacterDataHandler = text
        parser.StartDoctypeDeclHandler = _no_doctype
        for data in self._chunks(path):
            parser.Parse(data, False)
            fed += len(data)
            if fed - parser.CurrentByteIndex > TOKEN:
                raise Damaged
        parser.Parse(b"", True)

    def _chunks(self, path: str) -> Iterator[bytes]:
        info = copy.copy(self._archive.getinfo(path))
        if info.flag_bits & 1:
            raise InputError("The Excel workbook is encrypted; remove the password and save it again.")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise Damaged  # others cannot be unpacked in bounded steps
        # The declared size may lie: pretend that it is endless and count what comes.
        info.file_size = 1 << 62
        with self._archive.open(info) as part:
            while data := part.read(CHUNK):
                self._unpacked += len(data)
                if self._unpacked > self._limits.bytes:
                    raise LimitError(unpacks_too_far(self._limits))
                yield data

    def _relations(self, path: str) -> dict[str, tuple[str, str]]:
        """Id -> (kind, path) of what a part refers to."""
        folder, name = posixpath.split(path)
        part = posixpath.join(folder, "_rels", name + ".rels")
        found: dict[str, tuple[str, str]] = {}

        def start(element: str, attributes: Attributes) -> None:
            if element == "Relationship" and attributes.get("TargetMode") != "External":
                target = posixpath.normpath(posixpath.join("/", folder, attributes["Target"])).lstrip("/")
                found[attributes["Id"]] = (attributes["Type"].rpartition("/")[2], target)
                if len(found) > MAX_SHEETS:
                    raise Damaged

        if part in self._archive.NameToInfo:
            self.parse(part, start)
        return found

    def _links(self, path: str) -> list[tuple[str, str]]:
        return list(self._relations(path).values())

    def _read_sheets(self, path: str) -> None:
        relations = self._relations(path)

        def start(element: str, attributes: Attributes) -> None:
            if element == "workbookPr" and attributes.get("date1904") in ("1", "true"):
                self.epoch = datetime(1904, 1, 1)
            if element == "sheet":
                relation = next((value for key, value in attributes.items() if key.rpartition(":")[2] == "id"), "")
                kind, target = relations.get(relation, ("", ""))
                if kind == "worksheet":
                    self.sheets.append((attributes["name"], target, attributes.get("state") in (None, "visible")))
                if len(self.sheets) > MAX_SHEETS:
                    raise Damaged

        self.parse(path, start)

    def _read_styles(self, path: str) -> None:
        formats = dict.fromkeys(DATE_FORMATS, "date") | {ELAPSED_FORMAT: "elapsed"}
        inside = False

        def start(element: str, attributes: Attributes) -> None:
            nonlocal inside
            if element == "numFmt":
                formats[int(attributes["numFmtId"])] = _meaning(attributes.get("formatCode", ""))
            elif element == "cellXfs":
                inside = True
            elif element == "xf" and inside:
                self.styles.append(formats.get(int(attributes.get("numFmtId", 0)), ""))
            if len(self.styles) > MAX_STYLES or len(formats) > MAX_STYLES:
                raise Damaged

        def end(element: str) -> None:
            nonlocal inside
            inside = inside and element != "cellXfs"

        self.parse(path, start, end)

    def _read_texts(self, path: str) -> None:
        inside = phonetic = False
        parts: list[str] = []
        size = 0

        def start(element: str, _: Attributes) -> None:
            nonlocal inside, phonetic, size
            if element == "si":
                parts.clear()
                size = 0
            phonetic = phonetic or element == "rPh"  # a reading aid, not part of the text
            inside = element == "t" and not phonetic

        def end(element: str) -> None:
            nonlocal inside, phonetic
            inside = False
            if element == "rPh":
                phonetic = False
            elif element == "si":
                self.texts.append(unescape("".join(parts)))
                if len(self.texts) > MAX_TEXTS:
                    raise LimitError(
                        f"The workbook holds more than {MAX_TEXTS:,} different texts; save the sheet as CSV."
                    )

        def text(data: str) -> None:
            nonlocal size
            if inside:
                size += len(data)
                if size > ESCAPE * self._limits.cell:
                    raise LimitError(
                        f"A cell of the workbook has more than {self._limits.cell:,} characters, the most that is "
                        "accepted; shorten it or leave its column out."
                    )
                parts.append(data)

        self.parse(path, start, end, text)


def unescape(text: str) -> str:
    """Resolve ``_x000D_``, by which Excel writes characters that XML cannot hold."""
    return ESCAPED.sub(_character, text) if "_x" in text else text


def _character(match: re.Match[str]) -> str:
    code = int(match[1], 16)
    return match[0] if code == 0 or 0xD800 <= code < 0xE000 else chr(code)


def _meaning(code: str) -> str:
    """What a number format makes of a number."""
    code = LITERALS.sub("", code).partition(";")[0]
    if ELAPSED.search(code):
        return "elapsed"
    return "date" if re.search(r"[dmyhs]", code, re.IGNORECASE) else ""


def _no_doctype(*_: object) -> None:
    raise Damaged  # entities can multiply text; no spreadsheet program writes them
