"""Which row names the columns: titles, comments, groups and row names around a table, and columns that are chosen."""

from __future__ import annotations

import csv
import gzip
import io
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.errors import InputError, LimitError, ParameterError
from core.data.tables.input_limits import InputLimits
from tests.files import parquet, read_table, rows_of, workbook

Rows = list[list[str]]
NAMES = ["age", "sex", "dx", "ward"]


def text(rows: Rows, quoting: int = csv.QUOTE_MINIMAL) -> bytes:
    out = io.StringIO()
    csv.writer(out, quoting=quoting).writerows(rows)  # type: ignore[arg-type]
    return out.getvalue().encode()


@st.composite
def plain(draw: st.DrawFn) -> Rows:
    """A table of two to four columns, the first of them ages."""
    width = draw(st.integers(2, 4))
    cells = st.sampled_from(["flu", "gout", "a b", "F", "7"])
    rows = draw(st.lists(st.lists(cells, min_size=width - 1, max_size=width - 1), min_size=4, max_size=8))
    return [NAMES[:width], *([str(30 + place), *row] for place, row in enumerate(rows))]


DRESSES: dict[str, Any] = {
    "numbers of rows": lambda rows: [["", *rows[0]], *([str(n), *row] for n, row in enumerate(rows[1:]))],
    "names of rows, header a cell short": lambda rows: [rows[0], *([f"p{n}", *row] for n, row in enumerate(rows[1:]))],
    "a comma at the end": lambda rows: [[*row, ""] for row in rows],
    "a comma at the end of records": lambda rows: [rows[0], *([*row, ""] for row in rows[1:])],
    "a title": lambda rows: [["Discharges 2023"], [""], *rows],
    "a title with commas": lambda rows: [["Discharges 2023", *[""] * (len(rows[0]) - 1)], *rows],
    "comments": lambda rows: [["# made 2024"], ["# by nobody"], *rows],
    "a title and numbers of rows": lambda rows: [
        ["A title"],
        ["", *rows[0]],
        *([f"{n}", *row] for n, row in enumerate(rows[1:])),
    ],
}


SHORT = {"names of rows, header a cell short", "a comma at the end of records"}
"""What no workbook has: its rows are of one length."""


@pytest.mark.parametrize("dress", DRESSES)
@given(rows=plain(), quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
@settings(max_examples=40, deadline=None)
def test_a_table_is_read_whatever_stands_around_it(dress: str, rows: Rows, quoting: int) -> None:
    dressed = DRESSES[dress](rows)
    for content in (text(dressed, quoting), *([] if dress in SHORT else [workbook(dressed)])):
        table = read_table(content)
        assert [list(table.names), *rows_of(table)] == rows
        assert "left out" in table.read_info.get("note", "") or "comma" in dress


@given(rows=plain())
@settings(max_examples=50, deadline=None)
def test_a_table_with_a_whole_first_line_is_read_as_ever(rows: Rows) -> None:
    table = read_table(text(rows))
    assert [list(table.names), *rows_of(table)] == rows
    assert "note" not in table.read_info


@pytest.mark.parametrize(
    "above",
    ["# made by x\n# made, on, date\n", "Hospital admissions, 2024\n", "Hospital:,St Mary,\nPeriod:,March,\n", "# a\n"],
)
def test_remarks_with_the_delimiter_are_no_header(above: str) -> None:
    table = read_table(f"{above}age,sex,dx\n34,F,flu\n35,M,gout\n36,F,flu\n".encode())
    assert table.names == ("age", "sex", "dx")
    assert len(table) == 3


def test_twenty_lines_may_stand_above() -> None:
    table = read_table(b"note\n" * 20 + b"age,dx\n34,flu\n35,flu\n" + b"36,flu\n" * 30)
    assert (table.names, len(table)) == (("age", "dx"), 32)


def test_a_name_that_occurs_twice_cannot_be_chosen() -> None:
    names = ["age", "ward", "ward", *(f"c{place}" for place in range(250))]
    with pytest.raises(LimitError) as refused:
        read_table(text([names, ["1"] * len(names)]))
    assert refused.value.choices == ("age", *names[3:])


def test_a_list_of_names_and_meanings_is_no_table() -> None:
    meanings = [["Column", "Meaning"], ["age", "in years"], ["sex", "M or F"]]
    table = read_table(workbook(meanings, Data=[["age", "sex", "dx"], ["34", "F", "flu"], ["35", "M", "flu"]]))
    assert (table.names, table.read_info["sheet"]) == (("age", "sex", "dx"), "Data")


@given(st.integers(2, 5), st.integers(1, 9))
def test_names_of_groups_above_a_table_of_numbers_are_left_out(width: int, many: int) -> None:
    names = [f"n{place}" for place in range(width)]
    rows = [names, *([str(7 * row + place) for place in range(width)] for row in range(many))]
    for groups in (["person", *[""] * (width - 1)], ["stay"] * width, ["person", *["stay"] * (width - 1)]):
        table = read_table(text([groups, *rows]))
        if len(set(groups)) < width or "" in groups:
            assert [list(table.names), *rows_of(table)] == rows


def test_names_that_occur_in_several_groups_follow_those_of_their_groups() -> None:
    rows = [["id", "first", "", "second", ""], ["", "mean", "sd", "mean", "sd"], ["1", "2", "3", "4", "5"]]
    rows[1][0] = "code"
    assert read_table(text(rows)).names == ("code", "first mean", "first sd", "second mean", "second sd")


@pytest.mark.parametrize(
    "content",
    [
        b"age,sex,dx\n34,F,flu,x\n34,M,cold,y\n",
        b"age,weight,dx\n34,70,5,flu\n30,80,1,cold\n",
        b",age,dx\nF,34,flu\nM,45,cold\nF,50,flu\n",
        b"dx,dx,sex,age\nflu,cold,F,>89\ncold,none,M,45\nx,y,M,50\n",
        b"ward,diagnosis,,los\nA,flu,mild,unknown\nB,cold,severe,4\nC,x,mild,3\n",
        b"ward,,,\nA,flu,mild,x\nB,cold,severe,y\nC,z,mild,z\n",
        b"A title\nward,dx\nA,flu\nB,cold\nA,flu\n",
        b"1,,3\na,b,c\n4,5,6\n7,8,9\n",
        b"note\n" * 21 + b"age,dx\n34,flu\n35,flu\n" + b"36,flu\n" * 30,
        b",,dx\n1,2,flu\n",
        b"age,,dx\n1,2,flu\n3,4,flu\n",
        b"age,dx,\n1,flu,x\n2,flu,\n",
        b"M,flu,flu\nF,gout,flu\nF,flu,gout\n",
    ],
    ids=[
        "a nameless last column",
        "a decimal comma",
        "a nameless first column that repeats",
        "a record under two equal names",
        "a record under a name that is missing",
        "a record under one name",
        "a title over texts alone",
        "a record above names",
        "more lines than a title has",
        "two unnamed",
        "inside",
        "the last with a cell",
        "no header",
    ],
)
def test_what_is_not_certain_is_refused_and_the_option_is_named(content: bytes) -> None:
    with pytest.raises(InputError, match=r"--header-row"):
        read_table(content)


@pytest.mark.parametrize("write", [text, workbook, lambda rows: gzip.compress(text(rows))])
def test_the_line_of_the_header_can_be_named(write: Any) -> None:
    rows = [["a", "b"], ["c", "d"], ["1", "2"], ["3", "4"]]
    table = read_table(write(rows), header_row=2)
    assert [list(table.names), *rows_of(table)] == rows[1:]
    for row in (9, 101):
        with pytest.raises(ParameterError, match=rf"There is no (line|row) {row} "):
            read_table(write(rows), header_row=row)
    for row in (0, -1):
        with pytest.raises(ParameterError, match="header_row must be"):
            read_table(write(rows), header_row=row)


# ---- choosing columns -------------------------------------------------------------------


def of_frame(rows: Rows) -> bytes:
    return parquet(dict(zip(rows[0], zip(*rows[1:], strict=True), strict=True)))


WRITERS = {"text": text, "quoted": lambda rows: text(rows, csv.QUOTE_ALL), "Excel": workbook, "Parquet": of_frame}


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
@given(rows=plain(), data=st.data())
@settings(max_examples=15, deadline=None)
def test_chosen_columns_are_those_of_the_whole_table(write: Any, rows: Rows, data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.sampled_from(rows[0]), min_size=1, unique=True))
    whole, part = read_table(write(rows)), read_table(write(rows), columns=chosen)
    assert part.names == tuple(name for name in whole.names if name in chosen)
    assert all(part.column(name).texts().tolist() == whole.column(name).texts().tolist() for name in chosen)
    assert f"{len(chosen)} of {len(rows[0])} columns were read." in part.read_info["note"]


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_a_table_of_many_columns_asks_to_choose_and_says_among_which(write: Any) -> None:
    names = [f"c{place}" for place in range(300)]
    content = write([names, [str(place) for place in range(300)]])
    with pytest.raises(LimitError, match=r"300 columns; at most 200.*--columns") as refused:
        read_table(content)
    assert refused.value.choices == tuple(names)
    assert read_table(content, columns=("c7", "c299")).names == ("c7", "c299")


def test_what_is_not_chosen_may_be_of_any_kind() -> None:
    long = "x" * 20_000
    for content in (text([["a", "b"], ["1", long]]), workbook([["a", "b"], ["1", long]])):
        with pytest.raises(LimitError, match=r"more than 10,000 characters.*--columns") as refused:
            read_table(content)
        assert refused.value.choices == ("a", "b")
        assert rows_of(read_table(content, columns=["a"])) == [["1"]]
    nested = parquet({"a": [1], "b": [[1, 2]], "c.d": [b"x"]})
    with pytest.raises(InputError, match=r"nested values.*--columns") as nested_refused:
        read_table(nested)
    assert nested_refused.value.choices == ("a", "b", "c.d")
    assert rows_of(read_table(nested, columns=["a"])) == [["1"]]


def test_a_column_that_cannot_be_chosen_is_named() -> None:
    content = b"age,ward,ward\n1,2,3\n"
    for columns, words in {("aeg",): "has no column 'aeg'", ("ward",): "2 columns 'ward'"}.items():
        with pytest.raises(InputError, match=words):
            read_table(content, columns=columns)
    assert read_table(content, columns=["age"]).names == ("age",)
    with pytest.raises(ParameterError, match="at least one column"):
        read_table(content, columns=[])


def test_the_limit_of_columns_is_one_of_those_chosen() -> None:
    content = text([NAMES, ["1", "2", "3", "4"]])
    assert read_table(content, columns=NAMES[:2], limits=InputLimits(columns=2)).names == tuple(NAMES[:2])
    with pytest.raises(LimitError, match="3 columns; at most 2"):
        read_table(content, columns=NAMES[:3], limits=InputLimits(columns=2))
