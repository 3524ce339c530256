"""Tables of text: codes and labels, content ids, data frames, numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.errors import InputError
from core.data.table import Column, Table, check_header, looks_numeric, parse_numbers
from tests.tables import column_of

TEXTS = st.lists(st.text(max_size=4), min_size=1, max_size=20)


def table_of(**columns: list[str]) -> Table:
    return Table(tuple(column_of(name, texts) for name, texts in columns.items()))


# ---- columns -----------------------------------------------------------------------------


@given(TEXTS)
def test_a_column_gives_its_texts_back(texts: list[str]) -> None:
    column = column_of("a", texts)
    assert column.texts().tolist() == texts
    assert list(column.labels) == sorted(set(texts))
    assert column.counts.tolist() == [texts.count(label) for label in column.labels]
    assert column.codes.dtype == np.int32
    assert len(column) == len(texts)


@given(TEXTS, st.data())
def test_taking_rows_drops_labels_that_are_gone(texts: list[str], data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.integers(0, len(texts) - 1), max_size=10))
    column = column_of("a", texts).take(np.array(rows, dtype=np.int64))
    assert column.texts().tolist() == [texts[row] for row in rows]
    assert list(column.labels) == sorted({texts[row] for row in rows})


def test_codes_of_unsorted_labels_are_renumbered() -> None:
    column = Column.from_codes("a", ["b", "never", "a"], np.array([0, 2, 0]))
    assert (column.labels, column.codes.tolist()) == (("a", "b"), [1, 0, 1])


def test_labels_that_repeat_are_refused() -> None:
    with pytest.raises(InputError, match="column 'a' are the same"):
        Column.from_codes("a", ["x", "x"], np.array([0, 1]))


# ---- tables ------------------------------------------------------------------------------


def test_a_table_is_checked() -> None:
    a, b = column_of("a", ["1"]), column_of("b", ["1", "2"])
    for columns, match in (((a, b), "differ in length"), ((a, a), "same header")):
        with pytest.raises(InputError, match=match):
            Table(columns)
    with pytest.raises(InputError, match="no rows"):
        Table((column_of("a", []),))


@pytest.mark.parametrize(
    ("names", "match"),
    [
        ([], "no columns"),
        (["a", " "], "Column 2 has an empty"),
        (["a", "b", "a"], "Columns 1 and 3"),
        (["x" * 201], "has 201 characters; at most 200"),
    ],
)
def test_headers_are_checked(names: list[str], match: str) -> None:
    with pytest.raises(InputError, match=match):
        check_header(names)
    check_header(["x" * 200, "<b>", "=1"])


def test_a_column_that_is_not_there_is_named() -> None:
    with pytest.raises(InputError, match="no column 'c'") as caught:
        table_of(a=["1", "2"], b=["x", "y"]).column("c")
    assert caught.value.parameter == "c"


# ---- content ids -------------------------------------------------------------------------


def test_content_id_is_that_of_equal_cells() -> None:
    table = table_of(a=["1", "2", "1"], b=["x", "", "y"])
    assert len(table.content_id) == 64
    same = Table(
        (Column.from_codes("a", ["2", "1", "unused"], np.array([1, 0, 1])), column_of("b", ["x", "", "y"])),
        source={"format": "elsewhere"},
    )
    assert same.content_id == table.content_id
    assert table.take(np.arange(3)).content_id == table.content_id
    assert Table.from_frame(table.to_frame()).content_id == table.content_id


@pytest.mark.parametrize(
    "other",
    [
        table_of(a=["1", "2", "2"], b=["x", "", "y"]),  # a cell
        table_of(a=["1", "1", "2"], b=["x", "", "y"]),  # the order of rows
        table_of(b=["x", "", "y"], a=["1", "2", "1"]),  # the order of columns
        table_of(a=["1", "2", "1"], c=["x", "", "y"]),  # a name
        table_of(a=["1", "2", "1"]),
        table_of(a=["1", "2", "1"], b=["x", " ", "y"]),
        table_of(a=["1", "2", "1 "], b=["x", "", "y"]),
        Table(table_of(a=["1", "2", "1"], b=["x", "", "y"]).columns, decimal=","),
    ],
    ids=["cell", "rows", "columns", "name", "fewer", "space", "other space", "decimal"],
)
def test_content_id_tells_other_cells(other: Table) -> None:
    assert other.content_id != table_of(a=["1", "2", "1"], b=["x", "", "y"]).content_id


@given(st.lists(st.tuples(st.text(max_size=3), st.text(max_size=3)), min_size=1, max_size=6), st.data())
def test_content_id_changes_with_any_cell(rows: list[tuple[str, str]], data: st.DataObject) -> None:
    cells = [list(row) for row in rows]
    row, column = data.draw(st.integers(0, len(rows) - 1)), data.draw(st.integers(0, 1))
    cells[row][column] = data.draw(st.text(max_size=3).filter(lambda text: text != rows[row][column]))
    first, second = (
        table_of(**dict(zip("ab", (list(column) for column in zip(*each, strict=True)), strict=True)))
        for each in (rows, cells)
    )
    assert first.content_id != second.content_id


# ---- numbers -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("12", 12),
        ("-0.5", -0.5),
        ("+3", 3),
        (".5", 0.5),
        ("5.", 5),
        ("1e3", 1000),
        ("1E-2", 0.01),
        (" 7 ", 7),
        ("01", 1),
    ],
)
def test_numbers(text: str, number: float) -> None:
    assert parse_numbers([text]).tolist() == [number]


@pytest.mark.parametrize(
    "text", ["", " ", "nan", "inf", "-Infinity", "1,5", "1 000", "1_000", "0x10", "1.2.3", "e5", "-", "."]
)
def test_what_is_no_number(text: str) -> None:
    assert np.isnan(parse_numbers([text])).all()
    assert not looks_numeric(["1", text])


def test_numbers_with_decimal_comma_and_too_large_ones() -> None:
    assert parse_numbers(["1,5", "-0,25", "2"], ",").tolist() == [1.5, -0.25, 2.0]
    assert parse_numbers(["1e400", "-1e400"]).tolist() == [np.inf, -np.inf]


@pytest.mark.parametrize(
    ("labels", "numeric"),
    [
        (["1", "2.5", "-3"], True),
        (["0", "0.5", "10"], True),
        (["01234", "13000"], False),
        (["-01"], False),
        ([], False),
        (["1", ""], False),
        (["1", "1e999"], False),
        (["00"], False),
    ],
)
def test_codes_with_leading_zeros_are_not_numeric(labels: list[str], numeric: bool) -> None:
    assert looks_numeric(labels) is numeric
