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

from core import Policy, Release, Schema, Table, measure, read_table
from core.algorithms import partition
from core.data.csv_export import csv_bytes, harmless
from core.data.encoding import encode
from core.measurement import Guarantee
from tests.hostile import CELLS
from tests.strategies import Case, cases

STARTERS = "=+-@\t\r"
FORMULAS = ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "=cmd|' /C calc'!A0", "-", "+", "=", "--1", "-1-", "+a"]
NUMBERS = ["-1", "+1", "-0.5", "+.5", "-5.", "-1e10", "+2E-3", "0", "12", "1.5"]
HARMLESS = ["", "a", "a=1", "1-2", "'=1", " =1", "(-1)", "[-5, 3]", "ä", "\n=1"]


def cells(frame: pd.DataFrame) -> list[list[str]]:
    """Header and rows as a reader of CSV sees them."""
    return list(csv.reader(io.StringIO(csv_bytes(frame).decode("utf-8"), newline="")))


# ---- one text -------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", FORMULAS)
def test_formulas_get_an_apostrophe(text: str) -> None:
    assert harmless(text) == "'" + text


@pytest.mark.parametrize("text", NUMBERS + HARMLESS)
def test_numbers_and_other_texts_stay(text: str) -> None:
    assert harmless(text) == text


@given(st.text(max_size=20))
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


def test_headers_are_made_harmless() -> None:
    names = [*(text for text in FORMULAS if "\r" not in text), "plain", "a,b", 'say "x"', "two\nlines", "-1"]
    frame = pd.DataFrame([range(len(names))], columns=names)
    header, row = cells(frame)
    assert header == [harmless(name) for name in names]
    assert row == [str(i) for i in range(len(names))]


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
        "order and index",
        "no rows",
    ],
)
def test_a_frame_loses_no_column_and_no_digit(frame: pd.DataFrame, written: list[list[str]]) -> None:
    assert cells(frame) == written


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(["x", None], dtype=object),
        pd.Series(["x", float("nan")], dtype=object),
        pd.Series(["x", pd.NA], dtype=object),
        pd.Series(["x", None], dtype="str"),
        pd.Series(["x", None], dtype="string"),
        pd.Series(["x", None], dtype="category"),
    ],
    ids=["object None", "object NaN", "object NA", "str", "string", "category"],
)
def test_a_missing_text_is_an_empty_cell(column: pd.Series[Any]) -> None:
    assert cells(pd.DataFrame({"n": [1, 2], "c": column})) == [["n", "c"], ["1", "x"], ["2", ""]]


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([1.5, float("nan")]),
        pd.Series([1, None], dtype="Int64"),
        pd.Series([True, None], dtype="boolean"),
        pd.Series(pd.to_datetime(["2024-05-01", None])),
    ],
    ids=["float", "Int64", "boolean", "time"],
)
def test_a_missing_number_is_an_empty_cell(column: pd.Series[Any]) -> None:
    _, one, missing = cells(pd.DataFrame({"n": [1, 2], "c": column}))
    assert one[1]
    assert missing == ["2", ""]


def test_quotes_and_lines_come_back_as_they_were() -> None:
    values = ['say "x"', "two\nlines", "a\r\nb", "a,b", '"', '""', "tab\there", "end\n", "é ü ß 漢字 🩺"]
    frame = pd.DataFrame({"c": pd.Series(values, dtype=object), "d": pd.Series(values, dtype="category")})
    assert cells(frame)[1:] == [[value, value] for value in values]


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


def assert_same_guarantee(release: Release, schema: Schema, distance: str = "equal") -> None:
    """Publish, write, read, measure."""
    published = release.publish(seed=1)
    again = read_table(csv_bytes(published))
    assert len(again) == len(published)
    first, second = measure(published, schema, distance), measure(again.to_frame(), schema, distance)
    summary = [(g.rows, g.classes, g.k, g.distinct_l) for g in (first, second)]
    assert summary[0] == summary[1]
    assert summary[0][2] == release.sizes.min()
    for name in ("entropy_l", "t"):
        assert getattr(second, name) == pytest.approx(getattr(first, name), abs=1e-12)
    for l in (1, 2, 3):  # noqa: E741
        assert second.recursive_c(l) == first.recursive_c(l)
    assert sorted(counts(first)) == sorted(counts(second))


def counts(guarantee: Guarantee) -> list[tuple[int, ...]]:
    """Counts of sensitive values, class by class."""
    ends = np.append(guarantee.starts[1:], len(guarantee.sorted_counts))
    return [tuple(guarantee.sorted_counts[a:b].tolist()) for a, b in zip(guarantee.starts, ends, strict=True)]


@settings(max_examples=40)
@given(case=cases(rows=(3, 40)), k=st.integers(1, 4))
def test_random_releases_come_back_with_the_same_guarantee(case: Case, k: int) -> None:
    schema = case.schema
    encoded = encode(case.table, schema)
    release = partition(encoded, Policy(min(k, len(encoded))))
    assert_same_guarantee(release, schema)


@settings(max_examples=40)
@given(
    rows=st.lists(st.tuples(*[st.sampled_from(CELLS)] * 3), min_size=4, max_size=30),
    names=st.permutations(["=q", "r,s", 'say "t"', "-u", "v w"]),
)
def test_hostile_names_and_values_come_back_with_the_same_guarantee(
    rows: list[tuple[str, str, str]], names: list[str]
) -> None:
    rows += [("x", "y", "yes"), ("x", "y", "no")]
    frame = pd.DataFrame(rows, columns=names[:3], dtype=object)
    kinds = dict.fromkeys(names[:3], "categorical")
    release = partition(encode(Table.from_frame(frame), Schema(names[:2], names[2], kinds=kinds)), Policy(2))
    kept = [harmless(name) for name in names]
    published = release.publish(seed=1)
    again = read_table(csv_bytes(published)).to_frame()
    assert list(again.columns) == kept[:3]
    schema = Schema(kept[:2], kept[2], kinds=dict.fromkeys(kept[:3], "categorical"))
    renamed = published.set_axis(kept[:3], axis=1)
    first, second = measure(renamed, schema), measure(again, schema)
    assert (second.rows, second.classes, second.k) == (first.rows, first.classes, first.k)
    assert second.distinct_l == first.distinct_l
    assert second.t == pytest.approx(first.t)
    assert not any(cell.startswith(tuple("=+@\t\r")) for row in cells(published) for cell in row)
