"""Excel and Parquet: typed cells become the text a person would write."""

from __future__ import annotations

import csv
import datetime as dt
import io
import zipfile
from decimal import Decimal
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.base.errors import InputError, LimitError, ParameterError
from core.data.reading import parquet as parquet_module
from core.data.tables.input_limits import InputLimits
from core.data.tables.table import Table
from tests.files import HEADER, inline, parquet, parts, read_table, row, rows_of, saved, workbook

openpyxl = pytest.importorskip("openpyxl")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


# ---- Excel -------------------------------------------------------------------------------


def test_excel_values() -> None:
    values = [
        5,
        5.0,
        0.1,
        -3,
        1e20,
        1e-7,
        123456789012345,
        True,
        False,
        "01234",
        "NA",
        " x ",
        "",
        None,
        "1,5",
        "ß\nß",
        dt.datetime(2020, 1, 31),
        dt.datetime(2020, 1, 31, 8, 30),
        dt.date(1900, 1, 1),
        dt.date(1900, 3, 1),
        dt.time(8, 30),
        dt.timedelta(hours=26, minutes=30),
    ]
    texts = [
        "5",
        "5",
        "0.1",
        "-3",
        "1e+20",
        "1e-07",
        "123456789012345",
        "TRUE",
        "FALSE",
        "01234",
        "NA",
        " x ",
        "",
        "",
        "1,5",
        "ß\nß",
        "2020-01-31",
        "2020-01-31T08:30:00",
        "1900-01-01",
        "1900-03-01",
        "08:30:00",
        "26:30:00",
    ]
    table = read_table(workbook([["key", "value"], *(["-", value] for value in values)]))
    assert table.column("value").texts().tolist() == texts
    assert dict(table.read_info) == {
        "format": "Excel",
        "sheet": "Sheet",
        "decimal": "point",
        "rows": str(len(values)),
        "columns": "2",
        "note": "Numbers of more than 15 digits, of which Excel keeps the first 15: 1; store identifiers as text.",
    }


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("General", "43861.5"),
        ("0.00", "43861.5"),
        ('0.0" days"', "43861.5"),
        ("[Red]0.0", "43861.5"),
        ("@", "43861.5"),
        ("yyyy-mm-dd", "2020-01-31T12:00:00"),
        ("[$-409]d mmm yy", "2020-01-31T12:00:00"),
        ("0;[Blue]d", "43861.5"),
        ("h:mm AM/PM", "2020-01-31T12:00:00"),
        ("[h]:mm", "1052676:00:00"),
        ("[mm]:ss", "1052676:00:00"),
        (r"0\d", "43861.5"),
        ('yyyy"年"m"月"', "2020-01-31T12:00:00"),
        ("_-0.0_d", "43861.5"),
    ],
)
def test_excel_dates_are_told_by_their_format(code: str, text: str) -> None:
    book = openpyxl.load_workbook(io.BytesIO(workbook([["a", "b"], [43861.5, "x"]])))
    book.active["A2"].number_format = code
    assert rows_of(read_table(saved(book))) == [[text, "x"]]


def test_excel_dates_from_1904() -> None:
    book = openpyxl.Workbook()
    book.epoch = openpyxl.utils.datetime.CALENDAR_MAC_1904
    book.active.append(["a", "b"])
    book.active.append([dt.datetime(2020, 1, 31), "x"])
    assert rows_of(read_table(saved(book))) == [["2020-01-31", "x"]]


def test_excel_numbers_that_cannot_be_dates_are_kept_and_noted() -> None:
    book = openpyxl.load_workbook(io.BytesIO(workbook([["a", "b"], [-5, "x"], [3e6, "x"], [1e300, "x"]])))
    for number in (2, 3, 4):
        book.active.cell(number, 1).number_format = "yyyy-mm-dd"
    table = read_table(saved(book))
    assert table.column("a").texts().tolist() == ["00:00:00", "3000000", "1e+300"]
    assert "midnight or a date before 1900, both read as 00:00:00: 1." in table.read_info["note"]


def test_excel_formulas_give_their_saved_result() -> None:
    sheet = (
        "<worksheet><sheetData>"
        + HEADER
        + row(2, '<c r="A2"><f>1+1</f><v>2</v></c>', '<c r="B2" t="str"><f>x</f><v>y_x000D_z</v></c>')
        + row(3, '<c r="A3" t="e"><v>#N/A</v></c>', '<c r="B3"><f>1+1</f></c>')
        + row(4, '<c r="A4" t="b"><v>1</v></c>', '<c r="B4" t="str"><f>x</f><v></v></c>')
        + row(5, inline("A5", "=1+"), inline("B5", "x"))
        + '</sheetData><mergeCells><mergeCell ref="A1:A2"/></mergeCells></worksheet>'
    )
    table = read_table(parts(sheet))
    assert rows_of(table) == [["2", "y\rz"], ["TRUE", ""], ["=1+", "x"]]
    assert "such as #N/A in the workbook, read as empty cells: 1." in table.read_info["note"]
    assert "without a saved result in the workbook, read as empty cells: 1." in table.read_info["note"]
    assert "merged cells" in table.read_info["note"]


def test_excel_rich_text_without_its_reading_aids() -> None:
    texts = "<sst><si><r><t>To</t></r><r><t>kyo</t></r><rPh><t>trash</t></rPh></si>"
    texts += "<si><t xml:space='preserve'>_x0041__xD800_ </t></si></sst>"
    sheet = f"<worksheet>{HEADER}<row><c t='s'><v>0</v></c><c t='s'><v>1</v></c></row></worksheet>"
    assert rows_of(read_table(parts(sheet, texts))) == [["Tokyo", "A_xD800_ "]]


def test_excel_sheet_with_gaps_and_blank_rows_that_begins_further_right() -> None:
    table = read_table(workbook([[], [None, "a", "b", "c"], [], [None, 1, None, 3], [None, " "], [None, None, 2]]))
    assert rows_of(table) == [["1", "", "3"], ["", "2", ""]]


@pytest.mark.parametrize(
    ("number", "code", "text"),
    [
        (1012, "00000", "01012"),
        (123456, "00000", "123456"),
        (0, "000", "000"),
        (10121234, "00000-0000", "01012-1234"),
        (10121234, "00000\\-0000", "01012-1234"),
        (12345678, '000"-"00"-"0000', "012-34-5678"),
        (1012, "00000;-00000", "01012"),
        (1012, "0", "1012"),
        (1012, "0.00", "1012"),
        (1012, "#,##0", "1012"),
        (10.5, "00000", "10.5"),
        (-5, "00000", "-5"),
        ("1012", "00000", "1012"),
    ],
)
def test_excel_numbers_are_read_as_their_format_of_zeros_shows_them(number: object, code: str, text: str) -> None:
    book = openpyxl.Workbook()
    sheet = book.create_sheet("other & more")
    sheet.cell(3, 26).value, sheet.cell(3, 27).value = "x", "zip"  # Z and AA
    for place in (4, 6):
        sheet.cell(place, 26).value = "a"
        sheet.cell(place, 27).value = number
        sheet.cell(place, 27).number_format = code
    table = read_table(saved(book), sheet="other & more")
    assert rows_of(table)[0][-1] == text
    assert rows_of(table)[1][-1] == text
    assert ("format of zeros" in table.read_info.get("note", "")) == (text[:1] == "0" or text == "123456")


def test_excel_sheets() -> None:
    content = workbook([["a"], [1]], second=[["b"], [2]], third=[])
    table = read_table(content)
    assert table.names == ("a",)
    assert table.read_info["note"] == "The sheet 'Sheet' was read, and not 'second', 'third'."
    for wanted in ("second", 2):
        table = read_table(content, sheet=wanted)
        assert (table.names, table.read_info["sheet"]) == (("b",), "second")
    for unknown in ("fourth", 0, 4):
        with pytest.raises(ParameterError, match="'Sheet', 'second', 'third'"):
            read_table(content, sheet=unknown)


def test_excel_skips_a_hidden_first_sheet() -> None:
    book = openpyxl.load_workbook(io.BytesIO(workbook([["hidden"]], seen=[["a"], [1]])))
    book.active.sheet_state = "hidden"
    book.active = 1
    assert read_table(saved(book)).read_info["sheet"] == "seen"


CELLS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**12), 10**12),
    st.floats(allow_nan=False, allow_infinity=False).map(lambda x: float(f"{x:.12g}")),
    st.text(st.characters(exclude_categories=("Cs", "Cc", "Cn")), min_size=1, max_size=8).filter(lambda t: t[0] != "="),
    st.datetimes(dt.datetime(1901, 1, 1), dt.datetime(2100, 1, 1)).map(lambda d: d.replace(microsecond=0)),
)


@given(st.lists(st.lists(CELLS, min_size=2, max_size=2), min_size=1, max_size=5))
@example([[None, 9007199254750000.0]])
@settings(max_examples=60, deadline=None)
def test_excel_agrees_with_openpyxl(rows: list[list[object]]) -> None:
    content = workbook([["a", "b"], *rows])
    sheet = openpyxl.load_workbook(io.BytesIO(content), data_only=True).active

    def text(value: object) -> str:
        if isinstance(value, bool):
            return str(value).upper()
        if isinstance(value, float) and value.is_integer() and abs(value) < 1e16:
            return str(int(value))
        if isinstance(value, dt.datetime):
            return value.isoformat().removesuffix("T00:00:00")
        return "" if value is None else value if isinstance(value, str) else repr(value)

    expected = [[text(value) for value in cells] for cells in sheet.iter_rows(min_row=2, values_only=True)]
    expected = [cells for cells in expected if any(cell.strip() for cell in cells)]
    if expected:
        assert rows_of(read_table(content)) == expected


# ---- Parquet -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("array", "texts"),
    [
        (pa.array([1, None, -3]), ["1", "", "-3"]),
        (pa.array([2**64 - 1, 0, 1], pa.uint64()), ["18446744073709551615", "0", "1"]),
        (pa.array([1.0, None, -0.0]), ["1", "", "0"]),
        (pa.array([1.0, 2.5, float("nan")]), ["1.0", "2.5", ""]),
        (pa.array([1.0, float("inf"), 1e300]), ["1.0", "inf", "1e+300"]),
        (pa.array([0.1, None, 16777216.0], pa.float32()), ["0.1", "", "16777216.0"]),
        (pa.array([3, 4, None], pa.float32()), ["3", "4", ""]),
        (pa.array([0.5, None, 2], pa.float16()), ["0.5", "", "2.0"]),
        (pa.array([Decimal("1.50"), None, Decimal("-0.00")], pa.decimal128(30, 2)), ["1.50", "", "0.00"]),
        (pa.array([Decimal("1E-12"), None, None], pa.decimal128(30, 12)), ["0.000000000001", "", ""]),
        (pa.array([True, None, False]), ["TRUE", "", "FALSE"]),
        (pa.array([dt.date(2020, 1, 31), None, dt.date(1, 1, 1)]), ["2020-01-31", "", "0001-01-01"]),
        (
            pa.array([dt.datetime(2020, 1, 31), None, dt.datetime(2020, 1, 31, 8, 30)]),
            ["2020-01-31", "", "2020-01-31T08:30:00"],
        ),
        (
            pa.array([1, None, 0], pa.timestamp("ns", "UTC")),
            ["1970-01-01T00:00:00.000000001+00:00", "", "1970-01-01T00:00:00+00:00"],
        ),
        (pa.array([dt.time(8, 30), None, dt.time(0)]), ["08:30:00", "", "00:00:00"]),
        (pa.array([dt.timedelta(hours=26), None, dt.timedelta(milliseconds=-1500)]), ["26:00:00", "", "-00:00:01.5"]),
        (pa.array(["01234", None, ""]), ["01234", "", ""]),
        (pa.array(["NA", "1,5", "5.0"], pa.large_string()), ["NA", "1,5", "5.0"]),
        (pa.array(["NA", None, "x" * 30], pa.string_view()), ["NA", "", "x" * 30]),
        (pa.array(["b", None, "a"]).dictionary_encode(), ["b", "", "a"]),
        (pa.array([3, None, 5]).dictionary_encode(), ["3", "", "5"]),
        (pa.array([3.0, None, 5.0]).dictionary_encode(), ["3", "", "5"]),
        (pa.array([None, None, None], pa.null()), ["", "", ""]),
    ],
    ids=lambda value: str(value.type) if hasattr(value, "type") else "",
)
def test_parquet_values(array: object, texts: list[str]) -> None:
    for options in (
        {},
        {"use_dictionary": False, "compression": "none"},
        {"version": "1.0"} if "ns" not in str(array.type) else {},
    ):  # type: ignore[attr-defined]
        table = read_table(parquet({"key": ["x", "y", "z"], "a": array}, **options))
        assert table.column("a").texts().tolist() == texts
    assert dict(table.read_info, note="") == {
        "format": "Parquet",
        "decimal": "point",
        "rows": "3",
        "columns": "2",
        "note": "",
    }


@pytest.mark.parametrize(
    ("arrow_type", "word"),
    [
        (pa.list_(pa.int64()), "nested"),
        (pa.struct([("x", pa.int64())]), "nested"),
        (pa.map_(pa.string(), pa.int64()), "nested"),
        (pa.binary(), "binary"),
        (pa.binary(4), "binary"),
    ],
)
def test_parquet_refuses_what_is_no_plain_value(arrow_type: object, word: str) -> None:
    with pytest.raises(InputError, match=f"'odd' holds {word}") as caught:
        read_table(parquet({"a": [1], "odd": pa.array([None], arrow_type)}))
    assert caught.value.parameter == "odd"


@given(
    st.lists(st.sampled_from(["a", "b", "", None, "c" * 50]), min_size=1, max_size=60),
    st.integers(1, 20),
    st.booleans(),
)
@settings(max_examples=100, deadline=None)
def test_parquet_in_batches_and_row_groups(texts: list[str | None], group: int, plain: bool) -> None:
    content = parquet({"a": texts, "n": range(len(texts))}, row_group_size=group, use_dictionary=not plain)
    with mock.patch.object(parquet_module, "BATCH", 7):
        table = read_table(content)
    assert rows_of(table) == [[text or "", str(n)] for n, text in enumerate(texts)]
    assert all(column.labels == tuple(sorted(set(column.texts()))) for column in table.columns)


@pytest.mark.parametrize(
    "options",
    [{"compression": codec} for codec in ("none", "snappy", "gzip", "zstd")]
    + [
        {"data_page_version": "2.0"},
        {"use_byte_stream_split": ["f"], "use_dictionary": False},
        {"write_page_index": True},
        {"column_encoding": {"t": "DELTA_BYTE_ARRAY"}, "use_dictionary": False},
        {"data_page_size": 100},
        {"column_encoding": {"t": "DELTA_LENGTH_BYTE_ARRAY"}, "use_dictionary": False},
        {"write_page_checksum": True},
        {"write_statistics": False},
    ],
    ids=str,
)
def test_parquet_as_others_write_it(options: dict[str, object]) -> None:
    texts = [f"text {i} " + "ü" * (i % 300) for i in range(2000)]
    content = parquet({"t": texts, "f": np.arange(2000) / 4}, **options)
    table = read_table(content)
    assert table.column("t").texts().tolist() == texts
    assert table.column("f").texts()[1] == "0.25"


@pytest.mark.parametrize("options", [{}, {"compression": "zstd"}, {"use_dictionary": False}], ids=str)
def test_parquet_whose_checksums_show_a_damaged_page(options: dict[str, object]) -> None:
    content = parquet({"t": [f"text {i}" for i in range(500)]}, write_page_checksum=True, **options)
    at = pq.read_metadata(io.BytesIO(content)).row_group(0).column(0).data_page_offset + 60
    with pytest.raises(InputError, match="damaged"):
        read_table(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])


def test_typed_files_leave_the_stream_open() -> None:
    for content in (parquet({"a": [1]}), workbook([["a"], [1]])):
        stream = io.BytesIO(content)
        read_table(stream)
        assert not stream.closed


def test_the_same_cells_have_the_same_content_id_in_every_format() -> None:
    rows = [["zip", "name", "n"], ["01234", 'Zoë, "x"', "5"], ["NA", "", "2.5"], ["9", "a\nb", "-1"]]

    def text(delimiter: str) -> bytes:
        out = io.StringIO()
        csv.writer(out, delimiter=delimiter).writerows(rows)
        return out.getvalue().encode()

    columns = dict(zip(rows[0], zip(*rows[1:], strict=True), strict=True))
    files = [
        text(","),
        text("\t"),
        text("|"),
        text(",").decode().encode("utf-16"),
        workbook([list(r) for r in rows]),
        parquet(columns),
    ]
    tables = [read_table(content) for content in files]
    tables.append(Table.from_frame(pd.DataFrame(columns)))
    assert {table.content_id for table in tables} == {tables[0].content_id}


# ---- limits ------------------------------------------------------------------------------


def test_parquet_of_one_text_a_million_times() -> None:
    texts = pa.DictionaryArray.from_arrays(pa.array(np.zeros(1_000_000, dtype=np.int32)), ["x" * 9_000])
    content = parquet({"a": texts})
    assert len(content) < 100_000
    with pytest.raises(LimitError, match="more than 500 MB"):
        read_table(content)


def test_excel_parts_that_are_not_needed_are_not_unpacked() -> None:
    out = io.BytesIO(workbook([["a"], [1]]))
    with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/media/image1.png", bytes(3_000_000))
    assert len(read_table(out.getvalue(), limits=InputLimits(bytes=1_000_000))) == 1


def test_excel_entry_that_lies_about_its_size() -> None:
    sheet = f"<worksheet>{HEADER}{row(2, inline('A2', 'x'), inline('B2', 'y'))}</worksheet>" + " " * 3_000_000
    content = bytearray(parts(sheet))
    entry = content.rindex(b"PK\x01\x02", 0, content.rindex(b"xl/worksheets/sheet1.xml"))
    content[entry + 24 : entry + 28] = (100).to_bytes(4, "little")  # unpacked size in the directory
    assert zipfile.ZipFile(io.BytesIO(content)).getinfo("xl/worksheets/sheet1.xml").file_size == 100
    with pytest.raises(InputError, match="damaged"):
        read_table(bytes(content))
