"""Open the source of a table, and recognise its format by content."""

from __future__ import annotations

import gzip
import io
import os
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from core.base.errors import InputError, LimitError
from core.base.errors import shown_name as shown
from core.data.reading.gather import unpacks_too_far
from core.data.tables.input_limits import InputLimits

READABLE = "CSV, TSV, Excel (.xlsx), Parquet, Stata, SAS, SPSS, or gzip of CSV or TSV"

SIGNATURES = {
    b"\x1f\x8b": "gzip",
    b"PAR1": "Parquet",
    b"PK\x03\x04": "zip",
    b"PK\x05\x06": "zip",
    b"<stata_dta>": "Stata",
    b"$FL2": "SPSS",
    b"$FL3": "SPSS",
    b"HEADER RECORD*******LIB": "SAS transport",
    b"\0" * 12 + bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011"): "SAS",
}
_OLD_STATA = re.compile(rb"[\x66-\x73][\x01\x02]\x01\x00")
"""Versions before 117: the version, the order of bytes, and two that never differ."""
_SPSS_PORTABLE = b"SPSS PORT FILE"
_JSON = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:\{\s*(?:\"|\})|\[\s*[\[{])")
REFUSED = {
    b"\xd0\xcf\x11\xe0": "This is an old Excel workbook (.xls) or an encrypted one; save it as .xlsx without a "
    "password, or as CSV.",
    b"PARE": "This Parquet file is encrypted; write it without encryption.",
    b"%PDF": "This is a PDF document, not a table; save the table in it as CSV or Excel.",
    b"BZh": "This file is packed with bzip2; unpack it first, or pack it with gzip.",
    b"\xfd7zXZ\0": "This file is packed with xz; unpack it first, or pack it with gzip.",
    b"\x28\xb5\x2f\xfd": "This file is packed with zstd; unpack it first, or pack it with gzip.",
    b"7z\xbc\xaf\x27\x1c": "This is a 7z archive; unpack it first.",
    b"\x89PNG": f"This is a picture, not a table; load {READABLE}.",
    b"\xff\xd8\xff": f"This is a picture, not a table; load {READABLE}.",
    b"SQLite format 3": f"This is an SQLite database; save the table in it as one of {READABLE}.",
    b"ARROW1": "This is an Arrow (Feather) file; save it as Parquet or CSV.",
    b"FEA1": "This is a Feather file; save it as Parquet or CSV.",
    b"ORC": "This is an ORC file; save it as Parquet or CSV.",
    b"Obj\x01": "This is an Avro file; save it as Parquet or CSV.",
    **dict.fromkeys(
        (b"X\n\0\0\0", b"A\n2\n", b"A\n3\n", b"RDX2", b"RDX3", b"RDA2", b"RDA3"),
        "This is a file of R (.rds, .rda); write the data frame in it with write.csv(..., row.names = FALSE).",
    ),
}


@contextmanager
def opened(source: str | os.PathLike[str] | bytes | BinaryIO, limits: InputLimits) -> Iterator[BinaryIO]:
    """Return a seekable stream at its start."""
    if isinstance(source, bytes | bytearray | memoryview):
        yield _checked_size(io.BytesIO(source), limits)
    elif isinstance(source, str | os.PathLike):
        with _open_path(Path(source)) as stream:
            yield _checked_size(stream, limits)
    elif hasattr(source, "read"):
        yield _checked_size(_seekable(source, limits), limits)
    else:
        raise InputError(
            "The source must be a path, bytes or a file object opened in binary mode; pass a data frame itself if a "
            "table is expected."
        )


def _open_path(path: Path) -> BinaryIO:
    try:
        mode = path.stat().st_mode
        if stat.S_ISREG(mode):
            return path.open("rb")
        trouble = "is a folder; choose a file in it" if stat.S_ISDIR(mode) else "is not a file"
    except FileNotFoundError:
        trouble = "does not exist"
    except (OSError, ValueError):
        trouble = "cannot be opened; check the path and your permission to read it"
    # A long path, or one with several lines, is probably the content of a file passed by mistake.
    is_path = len(str(path)) <= 1000 and str(path).isprintable()
    raise InputError(f"The file {shown(path.name)} {trouble}." if is_path else f"The file {trouble}.")


def _seekable(stream: BinaryIO, limits: InputLimits) -> BinaryIO:
    """Rewind a stream, or buffer one that cannot be rewound."""
    try:
        if stream.seekable():
            stream.seek(0)
            if isinstance(stream.read(0), bytes):
                return stream
        else:
            return io.BytesIO(Bytes(stream, False, limits).read(limits.bytes + 1))
    except (AttributeError, ValueError, OSError, TypeError):
        pass
    raise InputError("The file object cannot be read as bytes; open it in binary mode ('rb').")


def _checked_size(stream: BinaryIO, limits: InputLimits) -> BinaryIO:
    size = stream.seek(0, os.SEEK_END)
    stream.seek(0)
    if size > limits.bytes:
        raise LimitError(unpacks_too_far(limits))
    return stream


class Bytes:
    """Bytes of a file, unpacked if necessary, checked against the limit."""

    def __init__(self, stream: BinaryIO, packed: bool, limits: InputLimits) -> None:
        self._stream = gzip.GzipFile(fileobj=stream) if packed else stream
        self._limits, self._seen = limits, 0

    def read(self, size: int) -> bytes:
        """Return the requested number of bytes, fewer only at the end."""
        parts: list[bytes] = []
        while size > 0 and (data := self._next(min(size, 1 << 20))):
            parts.append(data)
            size -= len(data)
            self._seen += len(data)
            if self._seen > self._limits.bytes:
                raise LimitError(unpacks_too_far(self._limits))
        return b"".join(parts)

    def _next(self, size: int) -> bytes:
        try:
            return self._stream.read(size) or b""
        except EOFError:
            trouble = "is cut off; copy or download it again"
        except (zlib.error, OSError):
            trouble = "is damaged; copy or pack it again"
        raise InputError(f"The file {trouble}.")


def is_plain_text(stream: BinaryIO, most: int) -> bool:
    """Whether a stream holds at most ``most`` bytes and is in none of the known formats."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(0)
    head = stream.read(512) if size <= most else b""
    stream.seek(0)
    return size <= most and _signature(head) == "text"


def file_format_of(stream: BinaryIO) -> str:
    """Recognise the format of a table by content: text, gzip, Excel, Parquet, or one of a statistics program."""
    head = stream.read(512)
    stream.seek(0)
    file_format = _signature(head)
    if file_format == "zip":
        return _file_format_of_zip(stream)
    if file_format == "gzip":
        packed = Bytes(stream, True, InputLimits()).read(512)
        stream.seek(0)
        inner = _signature(packed)
        if inner != "text":
            name = "a ZIP archive or workbook" if inner == "zip" else f"a {inner} file"
            raise InputError(f"This is {name} inside gzip, which is only read for text; unpack it first.")
        head = packed
    if _JSON.match(head):
        raise InputError("This is a JSON file; save the table in it as CSV or Parquet, one row per record.")
    return file_format


def _signature(head: bytes) -> str:
    for start, sentence in REFUSED.items():
        if head.startswith(start):
            raise InputError(sentence)
    if _OLD_STATA.match(head):
        return "Stata"
    if _SPSS_PORTABLE in head:
        return "SPSS portable"
    return next((file_format for start, file_format in SIGNATURES.items() if head.startswith(start)), "text")


def _file_format_of_zip(stream: BinaryIO) -> str:
    try:
        names = zipfile.ZipFile(stream).namelist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        names = None
    stream.seek(0)
    if names is None:
        raise InputError("The Excel workbook or ZIP archive is damaged or cut off; copy or download it again.")
    if "xl/workbook.bin" in names:
        raise InputError("This is a binary Excel workbook (.xlsb); save it as .xlsx or CSV.")
    if any(name.startswith("xl/") for name in names):
        return "Excel"
    if "content.xml" in names:
        raise InputError("This is an OpenDocument file; save the sheet as .xlsx or CSV.")
    raise InputError(f"This is a ZIP archive, not a table; unpack it and load {READABLE}.")
