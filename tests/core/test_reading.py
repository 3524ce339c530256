"""Text files: cells come out as they were written, and what was found out is said."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import pathlib
from unittest import mock

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.base.errors import CompositionError, InputError, ParameterError
from core.data.reading import delimited, read_table, text
from core.data.reading import delimiter as sniff
from core.data.table import Limits
from tests.files import rows_of
from tests.reference.reading import read_slowly

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
    is_noted = "spaces after each delimiter" in table.source.get("note", "")
    assert is_noted == (rows[0][1] in ("State-gov", "Self, emp"))


def test_a_delimiter_that_is_given_wins() -> None:
    assert read_table(b"a;b,c\n1;2,3\n", delimiter=",").names == ("a;b", "c")
    assert rows_of(read_table(b'a b c\n1  2\n"3"  4\n', delimiter=" ")) == [["1", "", "2"], ["3", "", "4"]]


def test_source_names_what_was_found() -> None:
    assert dict(read_table(b"age,sex\n1,M\n2,F\n").source) == {
        "format": "CSV",
        "encoding": "UTF-8",
        "delimiter": "comma",
        "decimal": "point",
        "rows": "2",
        "columns": "2",
    }


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("final", [True, False])
def test_line_ends_and_blank_lines(end: str, final: bool) -> None:
    content = end.join(["", "a,b", "1,2", "", "  ", "3,4"]) + (end if final else "")
    assert rows_of(read_table(content.encode())) == [["1", "2"], ["3", "4"]]


def test_rows_without_any_value_are_kept_and_noted() -> None:
    table = read_table(b"a,b,c\n1,2,\n,,\n3,4,\n")
    assert rows_of(table)[1] == ["", "", ""]
    assert "1 row holds no value" in table.source["note"]
    assert "1 column holds no value" in table.source["note"]


# ---- finding out -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("delimiter", "name"), [(",", "comma"), (";", "semicolon"), ("\t", "tab"), ("|", "vertical bar")]
)
def test_delimiter(delimiter: str, name: str) -> None:
    table = read_table(written([["age", "town"], ["1", "Rome"], ["2", "a b"]], delimiter))
    assert rows_of(table) == [["1", "Rome"], ["2", "a b"]]
    assert table.source["delimiter"] == name
    assert table.source["format"] == ("TSV" if name == "tab" else "CSV")


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
    assert "names the delimiter" in table.source["note"]
    with pytest.raises(InputError, match="Line 3 has 1 field"):
        read_table(b"sep=;\na;b\n1\n")


def test_headers_that_differ_to_the_eye_are_kept() -> None:
    assert read_table("Age,age,x2,x²,C_1,C1\n1,2,3,4,5,6\n".encode()).names == ("Age", "age", "x2", "x²", "C_1", "C1")


def test_one_column_is_noted() -> None:
    table = read_table(b'diagnosis\nflu, mild\ncold\n\n""\n')
    assert rows_of(table) == [["flu, mild"], ["cold"], [""]]
    assert "Only one column" in table.source["note"]


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
    assert table.source["encoding"] == label


def test_encoding_falls_back_to_windows_1252_and_says_so() -> None:
    table = read_table("a,b\nx,y\nZoë,5 €\n".encode("cp1252") + b"\x81,\x9d\n")
    assert rows_of(table) == [["x", "y"], ["Zoë", "5 €"], ["\x81", "\x9d"]]
    assert table.source["encoding"] == "Windows-1252"
    assert "Windows-1252" in table.source["note"]


def test_encoding_that_changes_late_in_a_long_file() -> None:
    filler = "x" * 90
    content = f"a,b\n{''.join(f'{i},{filler}' + chr(10) for i in range(60_000))}".encode()
    assert len(content) > text.BLOCK
    table = read_table(content + "1,Zoë\n".encode("cp1252"))
    assert table.source["encoding"] == "Windows-1252"
    assert table.column("b").texts()[-1] == "Zoë"


def test_encoding_given_wins() -> None:
    content = "a,b\nŁódź,1\n".encode("cp1250")
    assert rows_of(read_table(content, encoding="cp1250")) == [["Łódź", "1"]]
    assert read_table(content, encoding="cp1250").source["encoding"] == "CP1250"
    assert read_table(codecs.BOM_UTF8 + b'"a",b\n1,2\n', encoding="utf-8").names == ("a", "b")


@pytest.mark.parametrize(
    ("content", "decimal"),
    [
        (b"x;y\n1,5;a\n2;b\n", ","),
        (b"x;y\n1,5;a\n;b\n", ","),
        (b"x\ty\n-0,25\t1\n1,5e3\t2\n", ","),
        (b"x;y\n1,5;1.5\n2;2\n", "."),  # some column has decimal points
        (b"x;y\n1,5;a\nnone;b\n", "."),  # not every value is a number
        (b"x;y\n1;a\n2;b\n", "."),  # no value has a comma
        (b"x;y\n1.5;a\n2;b\n", "."),
        (b"x;y\n1,234;a\n12,500;b\n", "."),  # these may be thousands
        (b"x;y\n0,234;a\n12,500;b\n", ","),  # these cannot
        (b'x,y\n"1,5",a\n"2,5",b\n', "."),  # commas separate the fields
    ],
)
def test_decimal_mark(content: bytes, decimal: str) -> None:
    table = read_table(content)
    assert table.decimal == decimal
    assert table.source["decimal"] == {",": "comma", ".": "point"}[decimal]


def test_decimal_mark_that_cannot_be_told_is_noted_without_cells() -> None:
    note = read_table(b"x;y\n1,234;a\n12,500;b\n").source["note"]
    assert "'x'" in note
    assert "1,234" not in note


@pytest.mark.parametrize(
    ("content", "decimal"), [(b"x;y\n7.122,19;a\n950,00;b\n;c\n", ","), (b'x;y\n"1,234,567.5";a\n12;b\n', ".")]
)
def test_thousands_separators_are_noted_and_tell_the_decimal_mark(content: bytes, decimal: str) -> None:
    table = read_table(content)
    assert table.decimal == decimal
    assert table.source["note"] == "Numbers of 'x' have thousands separators and are read as text; export them without."


def test_decimal_mark_given_wins() -> None:
    assert read_table(b"x;y\n1,5;a\n", decimal=".").decimal == "."
    assert read_table(b"x;y\n1;a\n", decimal=",").decimal == ","


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
    assert ("header missing" in read_table(content).source.get("note", "")) is noted


def test_headers_are_tidied_and_kept_as_text() -> None:
    hostile = ["![x](http://example.org/x.png)", "<script>alert(1)</script>", "=1+1", "a$b$", "*b*"]
    table = read_table(written([[*hostile, " two\r\nlines "], ["1"] * 6]))
    assert table.names == (*hostile, "two lines")
    assert "headers were tidied" in table.source["note"]


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
        read_table(Pipe(b"a,b\n" + b"1,2\n" * 50), limits=Limits(bytes=100))


def test_gzip_is_told() -> None:
    table = read_table(gzip.compress(b"a\tb\n1\t2\n") + gzip.compress(b"3\t4\n"))
    assert rows_of(table) == [["1", "2"], ["3", "4"]]
    assert dict(table.source)["format"] == "TSV in gzip"


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
    with mock.patch.object(text, "BLOCK", block):
        table = read_table(content, delimiter=delimiter)
    assert [list(table.names), *rows_of(table)] == rows


@given(tables(st.text("abc 01-é", max_size=6)), st.sampled_from(DELIMITERS))
@settings(max_examples=100, deadline=None)
def test_round_trip_with_the_delimiter_found(rows: list[list[str]], delimiter: str) -> None:
    assume(len(rows[0]) > 1 and not looks_spaced(rows))
    table = read_table(written(rows, delimiter))
    assert [list(table.names), *rows_of(table)] == rows


@given(
    st.text(st.sampled_from('ab",; \n\r\u00e9'), max_size=60),
    st.integers(1, 4),
    st.sampled_from([",", ";"]),
    st.booleans(),
    st.integers(8, 40),
)
@settings(max_examples=500, deadline=None)
def test_agrees_with_the_slow_twin_on_any_text(body: str, width: int, delimiter: str, spaced: bool, block: int) -> None:
    content = delimiter.join(f"h{i}" for i in range(width)) + "\n" + body
    dialect = sniff.Dialect(delimiter, spaced)
    with mock.patch.object(text, "BLOCK", block), mock.patch.object(delimited, "sniff", return_value=dialect):
        try:
            expected = read_slowly(content, delimiter, spaced)
        except ValueError:
            with pytest.raises(InputError):
                read_table(content.encode())
        else:
            table = read_table(content.encode())
            assert (list(table.names), rows_of(table)) == expected


@given(tables(st.text(" ab1é\u2028\ufeff", min_size=1, max_size=20)), st.sampled_from(["\n", "\r\n", "\r"]))
@settings(max_examples=100, deadline=None)
def test_the_fast_way_is_taken_and_agrees_with_the_slow_twin(rows: list[list[str]], end: str) -> None:
    rows[1][0] = "a"
    content = end.join(",".join(row) for row in rows)
    dialect = sniff.Dialect(",", spaced=False)
    with (
        mock.patch.object(delimited, "sniff", return_value=dialect),
        mock.patch("core.data.reading.delimited._Parser._read_slow", side_effect=AssertionError),
    ):
        table = read_table(content.encode())
    assert (list(table.names), rows_of(table)) == read_slowly(content, ",")


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
    with mock.patch.object(text, "BLOCK", 8):
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
    with mock.patch.object(text, "BLOCK", block), pytest.raises(InputError, match=r"^Line 21 has .* in line 8;"):
        read_table(end.join(lines).encode(), delimiter=",")
    with mock.patch.object(text, "BLOCK", block), pytest.raises(InputError, match="line 21 holds NUL"):
        read_table(end.join(lines).replace("bad", "a,\0").encode(), delimiter=",")


# ---- the public data sets ----------------------------------------------------------------


@pytest.mark.long
def test_adult_agrees_with_the_slow_twin(adult_bytes: bytes) -> None:
    table = read_table(adult_bytes)
    assert (len(table), len(table.names)) == (32_561, 15)
    assert table.source["note"] == "The spaces after each delimiter were removed."
    assert (list(table.names), rows_of(table)) == read_slowly(adult_bytes.decode(), ",", spaced=True)
    quoted = written([list(table.names), *rows_of(table)], "\t", quoting=csv.QUOTE_ALL)
    assert read_table(quoted).content_id == table.content_id


def test_ipums_keeps_its_leading_zeros(ipums_bytes: bytes) -> None:
    table = read_table(gzip.compress(ipums_bytes, 1))
    assert (len(table), len(table.names)) == (70_187, 10)
    assert set(map(len, table.column("age").labels)) == {3}
    assert table.column("age").labels[0] == "000"
    assert "note" not in table.source
