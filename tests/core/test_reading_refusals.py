"""Bad input gets one sentence that says what to do, and never shows a cell."""

from __future__ import annotations

import codecs
import contextlib
import csv
import gzip
import io
import pathlib
import random
import re
import tracemalloc
import zipfile
from collections.abc import Callable
from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import core
from core.base.errors import CompositionError, InputError, LimitError
from core.data.reading import text
from core.data.table import Limits, Table
from tests.files import HEADER, SECRET, everything_said, inline, parquet, parts, read_table, row, workbook

S = SECRET.encode()


def by_match(value: object) -> str:
    return value if isinstance(value, str) else ""


def refused(content: Any, match: str, kind: type[CompositionError] = InputError, **options: Any) -> CompositionError:
    with pytest.raises(kind) as caught:
        read_table(content, **options)
    message = str(caught.value)
    assert re.search(match, message), message
    assert message.endswith((".", "?"))
    assert "\n" not in message
    assert len(message) < 400
    for said in everything_said(caught.value):
        assert SECRET not in said
        assert SECRET[:6] not in said
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None
    return caught.value


# ---- not a table -------------------------------------------------------------------------

BOOK = workbook([["a", "b"], [SECRET, 1], [SECRET + "2", 2]])
PARQUET = parquet({"a": [SECRET, SECRET + "2"], "b": [1, 2]})
NOISE = random.Random(1).randbytes(5000)


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (b"", "file is empty"),
        (codecs.BOM_UTF8, "file is empty|blank"),
        (gzip.compress(b""), "file is empty"),
        (b" \n\t\r\n\n  ", "only blank lines"),
        (b"\n" * 10, "only blank lines"),
        (b"a,b\n", "header but no rows"),
        (b"a,b\n\n  \n", "header but no rows"),
        (workbook([["a", "b"]]), "header but no rows"),
        (workbook([]), "sheet is empty"),
        (parquet({"a": []}), "header but no rows"),
        (b"a,b\n" + S + b",1\n1," + S + b",2\n", "^Line 3 has 3 fields but 2 are expected from the header in line 1"),
        (b'\na,b\n\n"' + S + b'\nx",1\n\n' + S + b"\n", "^Line 7 has 1 field but 2 are .* header in line 2"),
        (b"a,b\r" + S + b",1\r" + S + b"\r", "^Line 3 has 1 field"),
        (b"a\n" + S + b",1\n1,2\n3,4\n", "^Line 2 has 2 fields but 1 is expected"),
        (workbook([["a"], [1], [SECRET, SECRET]]), "^Row 3 has 2 fields but 1 is expected from the header in row 1"),
        (workbook([["a", "b"], [SECRET] * 16_384]), "^Row 2 has 16,384 fields but 2 are expected"),
        (b"a,b\n" + S + b",\0\n", "line 2 holds NUL"),
        (("a,b\n" + SECRET + ",1\n").encode("utf-16-le"), "NUL.*utf-16-le"),
        (NOISE, "not a text file.*Load CSV, TSV, Parquet or Excel"),
        (NOISE.replace(b"\0", b"\1"), "control characters"),
        (b"\x89PNG\r\n\x1a\n" + S, "picture"),
        (b"%PDF-1.7 " + S, "PDF"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + S, r"old Excel workbook \(.xls\) or an encrypted one"),
        (b"PARE" + S, "encrypted"),
        (b"SQLite format 3\0" + S, "SQLite"),
        (b"<!DOCTYPE html><table><tr><td>" + S, "web page"),
        (b"\n <html>" + S, "web page"),
        (b'a,b\n1,2\n"' + S + b",3\n4,5\n", r"opens in the record beginning in line 3 is never closed"),
        (b'a,b\n1,2\n"' + S + b'" x,3\n4,5\n', "closing quote.*line 3"),
        (b'"a,b\n' + S + b",2\n", "beginning in line 1 is never closed"),
        (b"a,b,a\n1,2," + S + b"\n", "Columns 1 and 3 have the same header;"),
        (S + b",1," + S + b"\n1,2,3\n", "Columns 1 and 3 have the same header;"),
        (b"a, a \n1," + S + b"\n", "Columns 1 and 2 have the same header"),
        ("a,a\u200b\n1,".encode() + S + b"\n", "Columns 1 and 2 have headers that look the same"),
        ("a b,a\u00a0b\n1,".encode() + S + b"\n", "Columns 1 and 2 have headers that look the same"),
        ("age,\u0430ge\n1,".encode() + S + b"\n", "Columns 1 and 2 have headers that look the same"),
        ("Zo\u00eb,Zoe\u0308\n1,".encode() + S + b"\n", "Columns 1 and 2 have headers that look the same"),
        ("a,\u200b\n1,".encode() + S + b"\n", "Column 2 has an empty header"),
        (b"a,,b\n1,2," + S + b"\n", "Column 2 has an empty header"),
        (b"a,\xc2\xa0\n1," + S + b"\n", "Column 2 has an empty header"),
        (b"a,b,\n1,2," + S + b"\n", "Column 3 has an empty header"),
        (b"a," + b"x" * 10_000 + b"\n1," + S + b"\n", "header of column 2 has 10,000 characters; at most 200"),
        (b"a,b\x1b[31m\n1," + S + b"\n", "header of column 2 holds control characters"),
        (workbook([["a", None, "c"], [SECRET, 1, 2]]), "Column 2 has an empty header"),
        (workbook([["a", "a"], [SECRET, 1]]), "same header"),
        ("a,b\nZoë,1\n".encode() + S + b",\xff\n", "Line 3 is not valid UTF-8; choose the encoding"),
        (b"a,b\n" + "Zoë".encode() + S + b",\xc3", "Line 2 is not valid UTF-8"),
        (codecs.BOM_UTF8 + b"a,b\n" + S + b",\xff\n", "Line 2 is not valid UTF-8"),
        (("a,b\n" + SECRET + ",1\n").encode("utf-16")[:-1], "not valid UTF-16"),
        (gzip.compress(b"a,b\n" + S * 50 + b",1\n" + NOISE)[:-2000], "cut off"),
        (gzip.compress(b"a,b\n" + S + b",1\n")[:-8] + b"\0" * 8, "damaged"),
        (gzip.compress(b"a,b\n" + S + b",1\n") + b"junk", "damaged"),
        (b"\x1f\x8b" + S, "damaged"),
        (gzip.compress(BOOK), "workbook inside gzip"),
        (gzip.compress(PARQUET), "Parquet file inside gzip"),
        (gzip.compress(gzip.compress(S)), "gzip file inside gzip"),
        (BOOK[:-100], "damaged or cut off"),
        (BOOK[: len(BOOK) // 2], "damaged or cut off"),
        (PARQUET[:-100], "Parquet file is damaged"),
        (b"PAR1" + S, "Parquet file is damaged"),
        (b"PK\x03\x04" + S, "damaged or cut off"),
        (b"PK\x05\x06" + b"\0" * 18, "ZIP archive"),
    ],
    ids=by_match,
)
def test_what_is_not_a_table(content: bytes, match: str) -> None:
    refused(content, match)


def test_halves_of_characters_are_refused_before_they_fail_at_export() -> None:
    refused(b"a,b\n" + S + b",+2AA-\n", "Line 2 holds half of a character.*UTF-7", encoding="utf-7")


def zipped(**files: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), content)
    return out.getvalue()


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (zipped(a_csv=b"a,b\n" + S), "ZIP archive"),
        (zipped(content_xml=S), "OpenDocument"),
        (zipped(xl__workbook_xml=b"<workbook><" + S), "damaged"),
        (zipped(xl__other_xml=S), "damaged"),
        (parts(f"<worksheet>{HEADER}<row><c r='A2' t='s'><v>{SECRET}</v></c></row></worksheet>"), "damaged"),
        (parts(f"<worksheet>{HEADER}<row><c r='{SECRET}'><v>1</v></c></row></worksheet>"), "damaged"),
        (parts(f"<worksheet>{HEADER}{row(2, inline('A2', SECRET))}<"), "damaged"),
        (parts(f"<worksheet>{HEADER}<row r='{SECRET}'/></worksheet>"), "damaged"),
    ],
    ids=by_match,
)
def test_damaged_workbooks(content: bytes, match: str) -> None:
    refused(content, match)


@pytest.mark.long
@given(st.integers(0, len(PARQUET) - 1), st.integers(1, 255))
@settings(max_examples=25, deadline=None)
def test_any_damage_to_a_parquet_file_is_silent_about_cells(place: int, flip: int) -> None:
    # As the program reads it, in a process of its own: pyarrow ends the whole process over some damage.
    harmless_or_refused(PARQUET[:place] + bytes([PARQUET[place] ^ flip]) + PARQUET[place + 1 :], core.read_table)


@given(st.integers(0, len(BOOK) - 1), st.integers(1, 255))
@settings(max_examples=150, deadline=None)
def test_any_damage_to_a_workbook_is_silent_about_cells(place: int, flip: int) -> None:
    harmless_or_refused(BOOK[:place] + bytes([BOOK[place] ^ flip]) + BOOK[place + 1 :])


def harmless_or_refused(content: bytes, read: Callable[[bytes], Table] = read_table) -> None:
    """Reading must succeed or refuse by our own error, with nothing of a cell in it."""
    refusal = None
    try:
        read(content)
    except CompositionError as error:
        refusal = error
    if refusal is not None:
        assert refusal.__context__ is None
        assert SECRET not in "".join(everything_said(refusal))


@given(st.binary(max_size=300))
@settings(max_examples=300, deadline=None)
def test_any_bytes_are_a_table_or_refused(content: bytes) -> None:
    with contextlib.suppress(InputError):
        read_table(content)


# ---- sources -----------------------------------------------------------------------------


def test_paths_that_are_no_file(tmp_path: pathlib.Path) -> None:
    refused(tmp_path / "none.csv", "'none.csv' does not exist")
    refused(tmp_path, "is a folder")
    refused("/dev/null", "is not a file")
    refused("a\0b", "cannot be opened")


def test_content_passed_as_a_path_is_not_shown() -> None:
    refused(f"a,b\n{SECRET},1\n", "The file does not exist")
    refused(f"{SECRET}," * 300, "The file (does not exist|cannot be opened)")


def test_other_sources() -> None:
    refused(io.StringIO(f"a,b\n{SECRET},1\n"), "binary mode")
    refused(12, "must be a path")
    closed = io.BytesIO(b"a,b\n" + S + b",1\n")
    closed.close()
    refused(closed, "binary mode")


# ---- limits ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "write",
    [
        lambda rows: written_text(rows, csv.QUOTE_MINIMAL),
        lambda rows: written_text(rows, csv.QUOTE_ALL),
        workbook,
        lambda rows: parquet(dict(zip(rows[0], zip(*rows[1:], strict=True), strict=True))),
    ],
    ids=["fast text", "quoted text", "Excel", "Parquet"],
)
def test_limits_of_rows_columns_and_cells(write: Callable[[list[list[str]]], bytes]) -> None:
    rows = [["a", "b", "c"], *([SECRET, str(i), "x"] for i in range(20))]
    content = write(rows)
    assert len(read_table(content, limits=Limits(rows=20, columns=3, cell=len(SECRET)))) == 20
    assert read_table(content).names == ("a", "b", "c")
    refused(content, "(more than 19|20) rows", LimitError, limits=Limits(rows=19))
    refused(content, "3 columns; at most 2", LimitError, limits=Limits(columns=2))
    rows[7][0] = SECRET + "y"
    error = refused(
        write(rows), "(line|row) [78] has more than 10 characters", LimitError, limits=Limits(cell=len(SECRET))
    )
    assert "column 1 " in str(error), "by its place: the first row may be a record"
    assert error.parameter == "a"


def written_text(rows: list[list[str]], quoting: int) -> bytes:
    out = io.StringIO()
    csv.writer(out, quoting=quoting).writerows(rows)  # type: ignore[arg-type]
    return out.getvalue().encode()


def test_limit_of_bytes_holds_for_the_file_and_for_what_it_unpacks_to(tmp_path: pathlib.Path) -> None:
    content = b"a,b\n" + b"%s,1\n" % S * 1000
    limits = Limits(bytes=len(content) - 1)
    assert len(read_table(content, limits=Limits(bytes=len(content)))) == 1000
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    for big in (content, path, io.BytesIO(content), gzip.compress(content)):
        refused(big, "more than 0.013003 MB of content", LimitError, limits=limits)


def peak_of(read: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        read()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("unit", "match"),
    [
        (b"a" * 1000, "longer than"),
        (b"a,b\n", "more than"),
        (b"\n", "only blank|more than"),
        (b'"\n",', "longer than any record|more than"),
        (b'"' + b"a" * 1000, "longer|more than|quote"),
        (b",", "columns|longer"),
    ],
)
def test_gzip_bombs_do_not_fill_the_memory(unit: bytes, match: str) -> None:
    """What unpacks to 15 MB is refused at 6 MB, without ever holding as much as that in rows."""
    bomb = gzip.compress(b"x,y\n" * (unit[0] == 34) + unit * (15_000_000 // len(unit)), compresslevel=1)
    limits = Limits(bytes=6_000_000, rows=100_000, columns=20, cell=1000)
    with mock.patch.object(text, "BLOCK", 1 << 16):
        assert peak_of(lambda: refused(bomb, match, limits=limits)) < 8_000_000


def test_a_long_text_of_a_workbook() -> None:
    long = "x" * 300_000
    in_a_cell = parts(f"<worksheet>{HEADER}{row(2, inline('A2', long))}</worksheet>")
    refused(in_a_cell, "cell of column 1 in row 2 has more than 10,000 characters", LimitError)
    in_none = parts(f"<worksheet>{HEADER}</worksheet>", f"<sst><si><t>{long}</t></si></sst>")
    refused(in_none, "has a header but no rows")


def test_a_repeated_text_counts_each_time_in_a_workbook() -> None:
    long = SECRET * 90
    bomb = workbook([["a", "b"], *([long, long] for _ in range(100))])
    refused(bomb, "more than", LimitError, limits=Limits(bytes=100_000))


def test_a_longer_field_than_the_csv_module_takes() -> None:
    cell = b'"' + S * 20_000 + b'"'
    refused(b"a,b\n1,2\n" + cell + b",3\n", "line 3 has more than 131,072", limits=Limits(cell=10**7))
    refused(b"a,b\n1,2\n" + cell + b",3\n", "line 3 has more than 10,000")
