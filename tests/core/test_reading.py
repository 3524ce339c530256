"""Text files: cells come out as they were written; bad input gets one sentence that never shows a cell."""

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
from functools import partial
from typing import Any
from unittest import mock

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import core
from core.base.errors import CompositionError, InputError, LimitError, ParameterError
from core.data.reading import delimited, text_blocks
from core.data.reading import delimiter as sniff
from core.data.tables.input_limits import InputLimits
from core.data.tables.table import Table
from tests.files import HEADER, SECRET, everything_said, inline, parquet, parts, read_table, row, rows_of, workbook
from tests.reference.reading import SHORT, read_slowly

DELIMITERS = [",", ";", "\t", "|"]


def written(rows: list[list[str]], delimiter: str = ",", **options: object) -> bytes:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, **options).writerows(rows)  # type: ignore[call-overload]
    return out.getvalue().encode()


# ---- values ------------------------------------------------------------------------------

COMPOSED, DECOMPOSED, ODD = "Zoë", "Zoe\u0308", "x\u2028y\x85z\x0bv"


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        (
            "zip,diagnosis,score,note\n01234,NA,1.50,\n1e3,None,+5, nan \n,null,-0,N/A\n",
            [["01234", "NA", "1.50", ""], ["1e3", "None", "+5", " nan "], ["", "null", "-0", "N/A"]],
        ),
        (
            'name,said\n"Roe, Jane","""no"" , she\r\nsaid"\nB,"a\rb\nc"\n',
            [["Roe, Jane", '"no" , she\r\nsaid'], ["B", "a\rb\nc"]],
        ),
        (
            '39, State-gov, 7\n50,  "Self, emp", \n38, Private, x y\n',
            [["50", "Self, emp", ""], ["38", "Private", "x y"]],
        ),
        ("age,work\n39, State-gov\n50, Private\n", [["39", "State-gov"], ["50", "Private"]]),
        ("age,work,x\n39, State-gov, 1\n50,Private, 2\n", [["39", " State-gov", " 1"], ["50", "Private", " 2"]]),
        (f"a,b\n\u00a0{COMPOSED}\u00a0,{DECOMPOSED}\n", [[f"\u00a0{COMPOSED}\u00a0", DECOMPOSED]]),
        ("a,b\n1,2", [["1", "2"]]),
        (f"a,b\n{ODD},{ODD}\n", [[ODD, ODD]]),
        ("weight, kg;height, cm\n80,5;1,80\n", [["80,5", "1,80"]]),
        ("id|text\n1|a, b, c\n2|d\n3|e, f\n", [["1", "a, b, c"], ["2", "d"], ["3", "e, f"]]),
        ('id,text\n1,a|b;c\n2,"d, e"\n', [["1", "a|b;c"], ["2", "d, e"]]),
    ],
    ids=[
        "as written",
        "quoted",
        "spaced",
        "spaced under a plain header",
        "spaces not everywhere",
        "no-break spaces and Unicode forms",
        "one row",
        "other separators of lines",
        "commas in numbers and headers",
        "commas in prose",
        "other marks in prose",
    ],
)
def test_cells_are_read_as_they_are_written(content: str, rows: list[list[str]]) -> None:
    table = read_table(content.encode())
    assert rows_of(table) == rows
    is_noted = "spaces after each delimiter" in table.read_info.get("note", "")
    assert is_noted == (rows[0][1] in ("State-gov", "Self, emp"))


def test_marks_that_keep_a_spreadsheet_from_reading_numbers_are_taken_off_and_noted() -> None:
    content = b'zip,name,born\n="01012",\'t Hooft,\'90s\n\'01013,"=""a""",\'1990\n"=""0""""1""",=1+2,1991\n'
    table = read_table(content)
    assert rows_of(table) == [["01012", "'t Hooft", "'90s"], ["01013", "a", "1990"], ['0"1', "=1+2", "1991"]]
    assert table.read_info["note"].count("taken off") == 3
    assert "'zip'" in table.read_info["note"]
    assert "01012" not in table.read_info["note"]


def test_a_delimiter_that_is_given_wins() -> None:
    assert read_table(b"a;b,c\n1;2,3\n", delimiter=",").names == ("a;b", "c")
    assert rows_of(read_table(b'a b c\n1  2\n"3"  4\n', delimiter=" ")) == [["1", "", "2"], ["3", "", "4"]]


def test_source_names_what_was_found() -> None:
    assert dict(read_table(b"age,sex\n1,M\n2,F\n").read_info) == {
        "format": "CSV",
        "encoding": "UTF-8",
        "delimiter": "comma",
        "decimal": "point",
        "rows": "2",
        "columns": "2",
    }


def test_rows_without_any_value_are_kept_and_noted() -> None:
    table = read_table(b"a,b,c\n1,2,\n,,\n3,4,\n")
    assert rows_of(table)[1] == ["", "", ""]
    assert "1 row holds no value" in table.read_info["note"]
    assert "1 column holds no value" in table.read_info["note"]


# ---- finding out -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("delimiter", "name"), [(",", "comma"), (";", "semicolon"), ("\t", "tab"), ("|", "vertical bar")]
)
def test_delimiter(delimiter: str, name: str) -> None:
    table = read_table(written([["age", "town"], ["1", "Rome"], ["2", "a b"]], delimiter))
    assert table.read_info["delimiter"] == name
    assert table.read_info["format"] == ("TSV" if name == "tab" else "CSV")


@pytest.mark.parametrize(
    ("content", "options", "names"),
    [
        (b"sep=;\na;b\n1,5;2\n", {}, ("a", "b")),
        (b'\xef\xbb\xbf"sep=|"\r\na|b\r\n1|2\r\n', {}, ("a", "b")),
        (b"SEP=,\n\na,b;c\n1,2\n", {}, ("a", "b;c")),
        (b"sep=;\na,b\n1,2\n", {"delimiter": ","}, ("a", "b")),
    ],
)
def test_the_line_by_which_excel_names_the_delimiter(
    content: bytes, options: dict[str, str], names: tuple[str, ...]
) -> None:
    table = read_table(content, **options)  # type: ignore[arg-type]
    assert table.names == names
    assert len(table) == 1
    assert "names the delimiter" in table.read_info["note"]
    with pytest.raises(InputError, match="Line 3 has 1 field"):
        read_table(b"sep=;\na;b\n1\n")


def test_headers_that_differ_to_the_eye_are_kept() -> None:
    assert read_table("Age,age,x2,x²,C_1,C1\n1,2,3,4,5,6\n".encode()).names == ("Age", "age", "x2", "x²", "C_1", "C1")


def test_one_column_is_noted() -> None:
    table = read_table(b'diagnosis\nflu, mild\ncold\n\n""\n')
    assert rows_of(table) == [["flu, mild"], ["cold"], [""]]
    assert "Only one column" in table.read_info["note"]


@pytest.mark.parametrize(
    ("content", "label"),
    [
        ("a,b\nZoë,Łódź\n".encode(), "UTF-8"),
        (codecs.BOM_UTF8 + "a,b\nZoë,Łódź\n".encode(), "UTF-8 with byte order mark"),
        ("a,b\nZoë,Łódź\n".encode("utf-16"), "UTF-16"),
        (codecs.BOM_UTF16_BE + "a,b\nZoë,Łódź\n".encode("utf-16-be"), "UTF-16"),
        ("a,b\nZoë,Łódź\n".encode("utf-32"), "UTF-32"),
    ],
)
def test_encoding(content: bytes, label: str) -> None:
    table = read_table(content)
    assert table.names == ("a", "b")
    assert rows_of(table) == [["Zoë", "Łódź"]]
    assert table.read_info["encoding"] == label


WESTERN = {
    "de": ["Müller", "Jäger", "Größe", "MÜLLER", "Übach-Palenberg"],
    "fr": ["Évry", "Béziers", "Nîmes", "L’Haÿ", "Œuf", "ÎLE"],
    "es": ["España", "Cádiz", "¿Qué?", "1ª", "Coruña"],
    "sv": ["Åre", "Malmö", "Å", "Ö"],
    "is": ["Þórshöfn", "Ísafjörður"],
    "signs": ["5 €", "20–30", "O’Brien", "50 °C", "“x”", "½", "12 µg", "km²", "Zoë"],
}


@pytest.mark.parametrize("language", [*WESTERN])
def test_encoding_falls_back_to_windows_1252_and_says_so(language: str) -> None:
    words = WESTERN[language]
    table = read_table("\n".join(["a;b", *(f"{word};x" for word in words)]).encode("cp1252"))
    assert rows_of(table) == [[word, "x"] for word in words]
    assert table.read_info["encoding"] == "Windows-1252"
    assert "Windows-1252" in table.read_info["note"]


@pytest.mark.parametrize(
    ("words", "encoding"),
    [
        (["Москва", "Казань", "Самара"], "cp1251"),
        (["Москва", "Казань", "Самара"], "koi8-r"),
        (["北京", "上海", "广州"], "gbk"),
        (["東京", "大阪"], "shift-jis"),
        (["Αθήνα", "Πάτρα"], "cp1253"),
        (["Łódź", "Kraków", "Gdańsk"], "iso8859-2"),
        *((WESTERN[language], encoding) for language in ("de", "fr") for encoding in ("mac-roman", "cp850")),
    ],
)
def test_an_encoding_that_cannot_be_windows_1252_is_asked_for(words: list[str], encoding: str) -> None:
    words = [word for word in words if word.encode(encoding, "replace").decode(encoding) == word]
    content = "\n".join(["a;b", *(f"{word};x" for word in words)]).encode(encoding)
    with pytest.raises(InputError, match=r"give its encoding \(--encoding\)") as refusal:
        read_table(content)
    assert refusal.value.parameter == "encoding"
    assert rows_of(read_table(content, encoding=encoding)) == [[word, "x"] for word in words]


@pytest.mark.parametrize("byte", [b"\x81", b"\x8d", b"\x8f", b"\x90", b"\x9d"])
def test_a_byte_without_a_character_is_refused_by_its_line(byte: bytes) -> None:
    with pytest.raises(InputError, match="Line 3 holds a byte that has no character in Windows-1252"):
        read_table("a;b\nZoë;x\n".encode("cp1252") + byte + b";y\n")


def test_encoding_that_changes_late_in_a_long_file() -> None:
    with mock.patch.object(text_blocks, "BLOCK", 64):
        table = read_table(b"a,b\n" + b"1,x\n" * 100 + "1,Zoë\n".encode("cp1252"))
    assert table.read_info["encoding"] == "Windows-1252"
    assert table.column("b").texts()[-1] == "Zoë"


def test_encoding_given_wins() -> None:
    content = "a,b\nŁódź,1\n".encode("cp1250")
    assert rows_of(read_table(content, encoding="cp1250")) == [["Łódź", "1"]]
    assert read_table(content, encoding="cp1250").read_info["encoding"] == "CP1250"
    assert read_table(codecs.BOM_UTF8 + b'"a",b\n1,2\n', encoding="utf-8").names == ("a", "b")


@pytest.mark.parametrize(
    ("content", "options", "decimal"),
    [
        (b"x;y\n1,5;a\n2;b\n", {}, ","),
        (b"x;y\n1,5;a\n;b\n", {}, ","),
        (b"x\ty\n-0,25\t1\n1,5e3\t2\n", {}, ","),
        (b"x;y\n1,5;1.5\n2;2\n", {}, "."),  # some column has decimal points
        (b"x;y\n1,5;a\nnone;b\n", {}, "."),  # not every value is a number
        (b"x;y\n1;a\n2;b\n", {}, "."),  # no value has a comma
        (b"x;y\n1.5;a\n2;b\n", {}, "."),
        (b"x;y\n1,234;a\n12,500;b\n", {}, "."),  # these may be thousands
        (b"x;y\n0,234;a\n12,500;b\n", {}, ","),  # these cannot
        (b'x,y\n"1,5",a\n"2,5",b\n', {}, "."),  # commas separate the fields
        (b"x;y\n1,5;a\n", {"decimal": "."}, "."),  # what is given wins
        (b"x;y\n1;a\n", {"decimal": ","}, ","),
    ],
)
def test_decimal_mark(content: bytes, options: dict[str, Any], decimal: str) -> None:
    table = read_table(content, **options)
    assert table.decimal == decimal
    assert table.read_info["decimal"] == {",": "comma", ".": "point"}[decimal]


def test_decimal_mark_that_cannot_be_told_is_noted_without_cells() -> None:
    note = read_table(b"x;y\n1,234;a\n12,500;b\n").read_info["note"]
    assert "'x'" in note
    assert "1,234" not in note


@pytest.mark.parametrize(
    ("content", "decimal"),
    [
        (b"x;y\n7.122,19;a\n950,00;b\n;c\n", ","),
        (b'x;y\n"1,234,567.5";a\n12;b\n', "."),
        (b'x,y\n"1,234.50",a\n950.00,b\n', "."),
    ],
)
def test_thousands_separators_are_noted_and_tell_the_decimal_mark(content: bytes, decimal: str) -> None:
    table = read_table(content)
    assert table.decimal == decimal
    assert table.read_info["note"] == "Thousands separators in the numbers of 'x' are left out."


@pytest.mark.parametrize(
    ("content", "noted"),
    [
        (b"39,77516\n50,83311\n", True),
        (b"39,M,Rome\n50,M,Rome\n", True),
        (b"39,M\n39,F\n", True),
        (b"39,M,Rome\n39,F,Paris\n", False),
        (b"age,sex\n39,M\nage,sex\n", True),
        (b"age,2019,2020\n1,5,5\n", False),
        (b"age,sex\n1,M\n", False),
    ],
)
def test_header_that_looks_like_data_is_noted(content: bytes, noted: bool) -> None:
    assert ("header missing" in read_table(content).read_info.get("note", "")) is noted


def test_headers_are_tidied_and_kept_as_text() -> None:
    hostile = ["![x](http://example.org/x.png)", "<script>alert(1)</script>", "=1+1", "a$b$", "*b*"]
    table = read_table(written([[*hostile, " two\r\nlines "], ["1"] * 6]))
    assert table.names == (*hostile, "two lines")
    assert "headers were tidied" in table.read_info["note"]


# ---- sources -----------------------------------------------------------------------------


def test_sources_are_equal(tmp_path: pathlib.Path) -> None:
    content = b"a,b\n1,2\n"
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    stream = io.BytesIO(content)
    stream.read()  # a stream that was read before is read again from its start

    with path.open("rb") as opened:
        for source in (path, str(path), content, bytearray(content), stream, opened, gzip.compress(content)):
            assert rows_of(read_table(source)) == [["1", "2"]]  # type: ignore[arg-type]
        assert not opened.closed
    assert not stream.closed


def test_a_stream_that_cannot_be_rewound() -> None:
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

        def read(self, size: int | None = -1) -> bytes:
            return super().read(min(size or 0, 3) if size is not None and size >= 0 else 3)

    assert rows_of(read_table(Pipe(b"a,b\n1,2\n"))) == [["1", "2"]]
    with pytest.raises(CompositionError, match="more than"):
        read_table(Pipe(b"a,b\n" + b"1,2\n" * 50), limits=InputLimits(bytes=100))


def test_gzip_is_told() -> None:
    table = read_table(gzip.compress(b"a\tb\n1\t2\n") + gzip.compress(b"3\t4\n"))
    assert rows_of(table) == [["1", "2"], ["3", "4"]]
    assert dict(table.read_info)["format"] == "TSV in gzip"


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        ({"delimiter": ""}, "delimiter"),
        ({"delimiter": ",,"}, "delimiter"),
        ({"delimiter": '"'}, "delimiter"),
        ({"encoding": "klingon"}, "encoding"),
        ({"encoding": "rot13"}, "encoding"),
        ({"encoding": "a\0"}, "encoding"),
        ({"decimal": "'"}, "decimal"),
    ],
)
def test_impossible_arguments(options: dict[str, str], parameter: str) -> None:
    with pytest.raises(ParameterError, match=parameter) as caught:
        read_table(b"a,b\n1,2\n", **options)  # type: ignore[arg-type]
    assert caught.value.parameter == parameter


# ---- properties --------------------------------------------------------------------------

CELL = st.text(
    st.one_of(st.sampled_from('\n\r\t,;|" .0159é'), st.characters(exclude_categories=("Cs", "Cc"))), max_size=12
)


@st.composite
def tables(draw: st.DrawFn, cell: st.SearchStrategy[str] = CELL) -> list[list[str]]:
    width = draw(st.integers(1, 5))
    header = [f"c{i}" for i in range(width)]
    return [header, *draw(st.lists(st.lists(cell, min_size=width, max_size=width), min_size=1, max_size=8))]


def looks_spaced(rows: list[list[str]]) -> bool:
    """Whether unquoted cells would be taken for spaced ones."""
    return any(cell[:1] == " " for row in rows[1:] for cell in row[1:])


@given(
    tables(),
    st.sampled_from(DELIMITERS),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    st.integers(8, 60),
)
@settings(max_examples=100, deadline=None)
def test_round_trip(rows: list[list[str]], delimiter: str, quoting: int, encoding: str, block: int) -> None:
    assume(quoting == csv.QUOTE_ALL or not looks_spaced(rows))
    content = written(rows, delimiter, quoting=quoting, lineterminator="\r\n").decode().encode(encoding)
    with mock.patch.object(text_blocks, "BLOCK", block):
        table = read_table(content, delimiter=delimiter)
    assert [list(table.names), *rows_of(table)] == rows


@given(tables(st.text("abc 01-é", max_size=6)), st.sampled_from(DELIMITERS))
@settings(max_examples=100, deadline=None)
def test_round_trip_with_the_delimiter_found(rows: list[list[str]], delimiter: str) -> None:
    assume(len(rows[0]) > 1 and not looks_spaced(rows))
    table = read_table(written(rows, delimiter))
    assert [list(table.names), *rows_of(table)] == rows


@given(
    st.text(st.sampled_from('ab",; \n\r\u00e9\u2028\ufeff'), max_size=60)
    | st.text(st.sampled_from("ab1, \n\r\u00e9\u2028\ufeff"), max_size=60),
    st.integers(1, 4),
    st.sampled_from([",", ";"]),
    st.booleans(),
    st.integers(8, 40),
)
@settings(max_examples=500, deadline=None)
def test_agrees_with_the_slow_twin_on_any_text(body: str, width: int, delimiter: str, spaced: bool, block: int) -> None:
    content = delimiter.join(f"h{i}" for i in range(width)) + "\n" + body
    dialect = sniff.Dialect(delimiter, spaced)
    with mock.patch.object(text_blocks, "BLOCK", block), mock.patch.object(delimited, "sniff", return_value=dialect):
        try:
            expected = read_slowly(content, delimiter, spaced)
        except ValueError as error:
            assume(str(error) != SHORT)  # that a header lacks a name is the subject of tests/core/test_header.py
            with pytest.raises(InputError):
                read_table(content.encode())
        else:
            table = read_table(content.encode())
            assert (list(table.names), rows_of(table)) == expected


@given(
    st.lists(
        st.lists(st.sampled_from(["a", " a", "  a", "", " ", '"x, y"', ' "x,y"']), min_size=3, max_size=3),
        min_size=1,
        max_size=6,
    )
)
def test_a_space_after_every_delimiter_is_recognised(rows: list[list[str]]) -> None:
    cells = [cell for row in rows for cell in row[1:]]
    expected = any(cell[:1] == " " for cell in cells) and all(cell[:1] in (" ", "") for cell in cells)
    content = "\n".join(",".join(row) for row in [["a", "b", "c"], *rows])
    assert sniff.sniff(content, ",").spaced is expected


def test_a_block_that_begins_with_a_mark_of_the_order_of_bytes_keeps_it() -> None:
    with mock.patch.object(text_blocks, "BLOCK", 8):
        assert rows_of(read_table("a,b\n1,2\n\ufeff3,4\n\n".encode())) == [["1", "2"], ["\ufeff3", "4"]]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("block", [8, 9, 13, 1000])
def test_the_line_of_an_error_is_the_line_of_the_file(end: str, block: int) -> None:
    lines = [
        "",
        " ",
        "",
        "",
        "",
        "",
        "",
        "a,b",
        "1,2",
        "",
        '"x',
        'y",3',
        "",
        "",
        "4,5",
        "",
        "",
        "",
        "",
        "6,7",
        "bad",
        "8,9",
    ]
    for bad, words in (("bad", r"^Line 21 has .* in line 8;"), ("a,\0", "line 21 holds NUL")):
        with mock.patch.object(text_blocks, "BLOCK", block), pytest.raises(InputError, match=words):
            read_table(end.join(lines).replace("bad", bad).encode(), delimiter=",")


# ---- the public data sets ----------------------------------------------------------------


# ---- bad input: one sentence that says what to do, and never shows a cell ----------------------

S = SECRET.encode()


def by_match(value: object) -> str:
    return value if isinstance(value, str) else ""


def refused(
    content: Any, match: str, error_class: type[CompositionError] = InputError, **options: Any
) -> CompositionError:
    with pytest.raises(error_class) as caught:
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
        (parquet({"t": [SECRET, SECRET + "\0"]}), "column 1 in record 2 holds a NUL"),
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
        (b"a," + b"x" * 10_000 + b"\n1," + S + b"\n", "header of column 2 must be at most 200"),
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


def closed(content: bytes) -> io.BytesIO:
    stream = io.BytesIO(content)
    stream.close()
    return stream


@pytest.mark.parametrize(
    ("source", "match"),
    [
        (pathlib.Path(__file__).with_name("none.csv"), "'none.csv' does not exist"),
        (pathlib.Path(__file__).parent, "is a folder"),
        ("/dev/null", "is not a file"),
        ("a\0b", "cannot be opened"),
        # Content that is passed as a path is not shown.
        (f"a,b\n{SECRET},1\n", "The file does not exist"),
        (f"{SECRET}," * 300, "The file (does not exist|cannot be opened)"),
        (io.StringIO(f"a,b\n{SECRET},1\n"), "binary mode"),
        (12, "must be a path"),
        (closed(b"a,b\n" + S + b",1\n"), "binary mode"),
    ],
    ids=by_match,
)
def test_what_is_no_source(source: object, match: str) -> None:
    refused(source, match)


# ---- limits ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "write",
    [
        written,
        partial(written, quoting=csv.QUOTE_ALL),
        workbook,
        lambda rows: parquet(dict(zip(rows[0], zip(*rows[1:], strict=True), strict=True))),
    ],
    ids=["fast text", "quoted text", "Excel", "Parquet"],
)
def test_limits_of_rows_columns_and_cells(write: Callable[[list[list[str]]], bytes]) -> None:
    rows = [["a", "b", "c"], *([SECRET, str(i), "x"] for i in range(20))]
    content = write(rows)
    assert len(read_table(content, limits=InputLimits(rows=20, columns=3, cell=len(SECRET)))) == 20
    assert read_table(content).names == ("a", "b", "c")
    refused(content, "(more than 19|20) rows", LimitError, limits=InputLimits(rows=19))
    refused(content, "3 columns; at most 2", LimitError, limits=InputLimits(columns=2))
    rows[7][0] = SECRET + "y"
    error = refused(
        write(rows), "(line|row) [78] has more than 10 characters", LimitError, limits=InputLimits(cell=len(SECRET))
    )
    assert "column 1 " in str(error), "by its place: the first row may be a record"
    assert (error.parameter, error.choices) == ("columns", ("a", "b", "c"))


def test_limit_of_bytes_holds_for_the_file_and_for_what_it_unpacks_to(tmp_path: pathlib.Path) -> None:
    content = b"a,b\n" + b"%s,1\n" % S * 1000
    limits = InputLimits(bytes=len(content) - 1)
    assert len(read_table(content, limits=InputLimits(bytes=len(content)))) == 1000
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
    limits = InputLimits(bytes=6_000_000, rows=100_000, columns=20, cell=1000)
    with mock.patch.object(text_blocks, "BLOCK", 1 << 16):
        assert peak_of(lambda: refused(bomb, match, limits=limits)) < 8_000_000


CELL_OF_131_073 = b'"' + S * 20_000 + b'"'
LONG = "x" * 300_000


@pytest.mark.parametrize(
    ("content", "match", "error_class", "options"),
    [
        (
            parts(f"<worksheet>{HEADER}{row(2, inline('A2', LONG))}</worksheet>"),
            "cell of column 1 in row 2 has more than 10,000 characters",
            LimitError,
            {},
        ),
        (
            parts(f"<worksheet>{HEADER}</worksheet>", f"<sst><si><t>{LONG}</t></si></sst>"),
            "has a header but no rows",
            InputError,
            {},
        ),
        # A repeated text counts each time.
        (
            workbook([["a", "b"], *([SECRET * 90] * 2 for _ in range(100))]),
            "more than",
            LimitError,
            {"limits": InputLimits(bytes=100_000)},
        ),
        # A longer field than the csv module takes.
        (
            b"a,b\n1,2\n" + CELL_OF_131_073 + b",3\n",
            "line 3 has more than 131,072",
            InputError,
            {"limits": InputLimits(cell=10**7)},
        ),
        (b"a,b\n1,2\n" + CELL_OF_131_073 + b",3\n", "line 3 has more than 10,000", InputError, {}),
        # Halves of characters are refused before they fail at export.
        (b"a,b\n" + S + b",+2AA-\n", "Line 2 holds half of a character.*UTF-7", InputError, {"encoding": "utf-7"}),
    ],
    ids=by_match,
)
def test_long_texts_and_halves_of_characters(
    content: bytes, match: str, error_class: type[CompositionError], options: dict[str, Any]
) -> None:
    refused(content, match, error_class, **options)
