"""Tables out: nothing a spreadsheet would run, and nothing lost on the way back in."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core import Policy, Schema, Table, read_table
from core.algorithms import partition
from core.data.encoding.encoded import encode
from core.data.tables.csv_export import csv_bytes, harmless
from tests.hostile import CELLS

STARTERS = "=+-@\t\r"
FORMULAS = ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "=cmd|' /C calc'!A0", "-", "+", "=", "--1", "-1-", "+a"]
NUMBERS = ["-1", "+1", "-0.5", "+.5", "-5.", "-1e10", "+2E-3", "0", "12", "1.5"]
HARMLESS = ["", "a", "a=1", "1-2", "'=1", " =1", "(-1)", "[-5, 3]", "ä", "\n=1"]


def cells(frame: pd.DataFrame) -> list[list[str]]:
    """Header and rows as a reader of CSV sees them."""
    return list(csv.reader(io.StringIO(csv_bytes(frame).decode("utf-8"), newline="")))


# ---- one text -------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", NUMBERS + HARMLESS)
def test_numbers_and_other_texts_stay(text: str) -> None:
    assert harmless(text) == text


@given(st.sampled_from(FORMULAS) | st.text(max_size=20))
@example("-1\n")
@example("-1 ")
def test_no_text_comes_out_as_a_formula(text: str) -> None:
    found = harmless(text)
    assert found in (text, "'" + text)
    if found.startswith(tuple(STARTERS)):
        assert float(found) is not None  # a plain number
        assert found == found.strip()
    assert harmless(found) == found


# ---- a frame ----------------------------------------------------------------------------------------


def columns_of(values: list[str]) -> dict[str, Any]:
    """The same texts in every kind of column that holds texts."""
    return {
        "object": pd.Series(values, dtype=object),
        "str": pd.Series(values, dtype="str"),
        "category": pd.Series(pd.Categorical(values)),
        "object category": pd.Series(pd.Categorical(pd.Series(values, dtype=object))),
    }


@pytest.mark.parametrize("kind", list(columns_of(["a"])))
def test_cells_are_made_harmless_in_every_kind_of_column(kind: str) -> None:
    values = [*(text for text in FORMULAS if "\r" not in text), *NUMBERS, *HARMLESS]
    frame = pd.DataFrame({"first": range(len(values)), "c": columns_of(values)[kind]})
    header, *rows = cells(frame)
    assert header == ["first", "c"]
    assert rows == [[str(i), harmless(value)] for i, value in enumerate(values)]


HEADERS = [*(text for text in FORMULAS if "\r" not in text), "plain", "a,b", 'say "x"', "two\nlines", "-1"]
WRITTEN = ['say "x"', "two\nlines", "a\r\nb", "a,b", '"', '""', "tab\there", "end\n", "é ü ß 漢字 🩺"]
NUMBERED = pd.DataFrame(
    {
        "int": np.array([-1, 0, 2**53 + 1]),
        "float": [-0.5, 1 / 3, 1e300],
        "bool": [True, False, True],
        "text": pd.Series(["-1", "-0.50", "+3"], dtype=object),
    }
)
SHUFFLED = pd.DataFrame({"b": ["x", "y", "z"], "n": [1, 2, 3], "a": pd.Categorical(["q", "p", "q"])}, index=[9, 3, 9])


@pytest.mark.parametrize(
    ("frame", "written"),
    [
        (pd.DataFrame([["1", "2", "3"]], columns=["=a", "'=a", "b"]), [["'=a", "'=a", "b"], ["1", "2", "3"]]),
        (pd.DataFrame([[1, 2, 3]], columns=["a", "a", 5]), [["a", "a", "5"], ["1", "2", "3"]]),
        (pd.DataFrame([[1, 2]], columns=[5, "5"]), [["5", "5"], ["1", "2"]]),
        (pd.DataFrame({"c": ["=a", "'=a"]}, dtype=object), [["c"], ["'=a"], ["'=a"]]),
        (pd.DataFrame({"c": ["=a", "'=a"]}, dtype="category"), [["c"], ["'=a"], ["'=a"]]),
        (
            NUMBERED,
            [
                ["int", "float", "bool", "text"],
                ["-1", "-0.5", "True", "-1"],
                ["0", "0.3333333333333333", "False", "-0.50"],
                ["9007199254740993", "1e+300", "True", "+3"],
            ],
        ),
        (
            pd.DataFrame([range(len(HEADERS))], columns=HEADERS),
            [[harmless(name) for name in HEADERS], [str(i) for i in range(len(HEADERS))]],
        ),
        (
            pd.DataFrame({"c": WRITTEN, "d": pd.Series(WRITTEN, dtype="category")}),
            [["c", "d"], *([x, x] for x in WRITTEN)],
        ),
        (SHUFFLED, [["b", "n", "a"], ["x", "1", "q"], ["y", "2", "p"], ["z", "3", "q"]]),
        (SHUFFLED.iloc[:0], [["b", "n", "a"]]),
    ],
    ids=[
        "headers become equal",
        "repeated headers",
        "numbers as headers",
        "texts become equal",
        "categories become equal",
        "numbers",
        "headers",
        "quotes and lines",
        "order and index",
        "no rows",
    ],
)
def test_a_frame_loses_no_column_and_no_digit(frame: pd.DataFrame, written: list[list[str]]) -> None:
    assert cells(frame) == written


@pytest.mark.parametrize(
    ("column", "first"),
    [
        (pd.Series(["x", None], dtype=object), "x"),
        (pd.Series(["x", float("nan")], dtype=object), "x"),
        (pd.Series(["x", pd.NA], dtype=object), "x"),
        (pd.Series(["x", None], dtype="str"), "x"),
        (pd.Series(["x", None], dtype="string"), "x"),
        (pd.Series(["x", None], dtype="category"), "x"),
        (pd.Series([1.5, float("nan")]), "1.5"),
        (pd.Series([1, None], dtype="Int64"), "1"),
        (pd.Series([True, None], dtype="boolean"), "True"),
        (pd.Series(pd.to_datetime(["2024-05-01 08:30", None])), "2024-05-01 08:30:00"),
    ],
    ids=lambda value: str(value.dtype) if isinstance(value, pd.Series) else "",
)
def test_what_is_missing_is_an_empty_cell(column: pd.Series[Any], first: str) -> None:
    assert cells(pd.DataFrame({"n": [1, 2], "c": column})) == [["n", "c"], ["1", first], ["2", ""]]


@pytest.mark.parametrize("text", ["old\rmac", "x\r=1+1", "x\r", "\r=1"])
def test_a_lone_carriage_return_begins_no_new_row(text: str) -> None:
    """What follows it would be a cell of its own, and might be a formula."""
    frame = pd.DataFrame({"c": [text], "d": pd.Series([text], dtype="category"), text: [1]})
    safe = harmless(text)
    assert cells(frame) == [["c", "d", safe], [safe, safe, "1"]]


def test_the_frame_is_left_alone() -> None:
    frame = pd.DataFrame({"=a": pd.Categorical(["=x", "y"]), "b": ["=1", "2"]})
    before = frame.copy(deep=True)
    csv_bytes(frame)
    pd.testing.assert_frame_equal(frame, before)


# ---- a release out and in ------------------------------------------------------------------------------


@settings(max_examples=40)
@given(
    rows=st.lists(st.tuples(*[st.sampled_from(CELLS)] * 3), min_size=4, max_size=30),
    names=st.permutations(["=q", "r,s", 'say "t"', "-u", "v w"]),
)
def test_a_release_of_hostile_names_and_values_comes_back_as_it_was(
    rows: list[tuple[str, str, str]], names: list[str]
) -> None:
    rows += [("x", "y", "yes"), ("x", "y", "no")]
    frame = pd.DataFrame(rows, columns=names[:3], dtype=object)
    schema = Schema(names[:2], names[2], column_types=dict.fromkeys(names[:3], "categorical"))
    published = partition(encode(Table.from_frame(frame), schema), Policy(2)).publish(seed=1)
    again = read_table(csv_bytes(published)).to_frame()
    written = [[harmless(cell) for cell in row] for row in (names[:3], *published.astype(str).to_numpy().tolist())]
    assert [list(again.columns), *again.to_numpy().tolist()] == written
