"""My own values keep their order however they are written, or a caution names the column; no cell is in it."""

from __future__ import annotations

import io
import itertools
import re
from collections.abc import Callable
from datetime import date

import numpy as np
import pandas as pd
import polars
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import Policy, Release, Schema, Table
from core.algorithms import partition
from core.cli import main
from core.data.encoding.encoded import encode
from core.data.profiling.cautions import cautions, forms_left_out
from core.data.profiling.proposal import propose
from core.data.reading import read_table
from core.data.schemas.schema import ColumnType
from core.data.tables.dates import first_day, in_form, text_of
from core.data.tables.number_forms import numbers_of
from core.data.tables.numbers import decimal_mark
from core.measurement import measure
from core.release.utility import gcp
from tests.tables import column_of

Write = Callable[[int], str]
NUMBERS: dict[str, Write] = {
    "years": lambda n: f"{n} year{'s' if n != 1 else ''}",
    "years old": lambda n: f"{n} years old",
    "months": lambda n: f"{n} months",
    "DICOM": lambda n: f"{n:03d}Y",
    "percent": lambda n: f"{n}%",
    "dollars": lambda n: f"${n * 100:,}",
    "euros": lambda n: f"{n},50\u00a0€",
    "in parentheses": lambda n: f"({n})",
    "accounting": lambda n: f"({60 - n})" if n < 60 else str(n - 60),
    "minus sign": lambda n: f"\u2212{60 - n}" if n < 60 else str(n - 60),
    "thousands": lambda n: f"{1000 * n:,}",
    "time": lambda n: f"{n // 60:02d}:{n % 60:02d}",
    "time of a clock": lambda n: f"{(n // 60 + 11) % 12 + 1}:{n % 60:02d} {'am' if n < 720 else 'pm'}",
}
"""Forms of numbers that must be read: all cells agree in them."""
TOPS: dict[str, Write] = {
    "or older": lambda n: "70 or Older" if n >= 70 else str(n),
    "and over": lambda n: "70 and over" if n >= 70 else str(n),
    "a blank": lambda n: "70 +" if n >= 70 else str(n),
    "years": lambda n: "70 years and over" if n >= 70 else f"{n} years",
    "under one": lambda n: "<1" if n == 0 else "70+" if n >= 70 else str(n),
}
DATES = {
    "%d%b%Y": "day",
    "%d-%b-%Y": "day",
    "%d-%b-%y": "day",
    "%B %d, %Y": "day",
    "%Y-%m": "month",
    "%b-%y": "month",
    "%m/%Y": "month",
    "%Y-Q%q": "quarter",
    "Q%q %Y": "quarter",
    "%G-W%V": "week",
}
"""Forms of dates that must be read, and the unit of each."""


def table(cells: list[str], name: str = "age") -> Table:
    diseases = [f"d{n % 3}" for n in range(len(cells))]
    return Table.from_frame(pd.DataFrame({name: cells, "disease": diseases}))


SCHEMA = Schema(["age"], "disease")
AGES = st.lists(st.integers(0, 110), min_size=12, max_size=40).map(lambda ages: [3, 17, 60, 61, 75, *ages])


def released(cells: list[str]) -> Release:
    return partition(encode(table(cells), SCHEMA), Policy(k=3), "mondrian")


def read_back(release: Release, mine: Table) -> None:
    """What is published is parsed and measured as it was made."""
    domains = {domain.name: domain for domain in encode(mine, SCHEMA).qids}
    column_types = (
        {"age": release.encoded.qids[0].column_type} if domains["age"].column_type is not ColumnType.ORDINAL else {}
    )
    orders = {"age": domains["age"].labels} if domains["age"].column_type is ColumnType.ORDINAL else {}
    published = release.publish()
    parsed = Release.parse(published, SCHEMA.with_(column_types=column_types, orders=orders))
    assert set(parsed.attributes[0].regions) == set(release.published.attributes[0].regions)
    assert measure(published, SCHEMA).numbers["k"] == release.classes.sizes.min()


@given(AGES, st.sampled_from([*NUMBERS]))
def test_numbers_in_another_dress_are_parted_as_plain_ones(ages, dress):
    plain, dressed = released([str(age) for age in ages]), released([NUMBERS[dress](age) for age in ages])
    assert dressed.encoded.qids[0].column_type is ColumnType.NUMERIC
    assert dressed.labels.tolist() == plain.labels.tolist()
    assert gcp(dressed) == pytest.approx(gcp(plain))
    mine = table([NUMBERS[dress](age) for age in ages])
    assert not [caution for caution in cautions(mine, SCHEMA) if "unordered" in caution.text]
    assert [note.column for note in forms_left_out(mine, SCHEMA)] == ["age"]
    read_back(dressed, mine)


@given(AGES, st.sampled_from([*TOPS]))
def test_open_ends_in_words_are_those_of_bands(ages, dress):
    cells = [TOPS[dress](age) for age in [0, *ages]]
    plain = released([("<1" if age == 0 and dress == "under one" else str(min(age, 70))) for age in [0, *ages]])
    assert released(cells).encoded.qids[0].column_type is ColumnType.ORDINAL
    assert released(cells).labels.tolist() == plain.labels.tolist()
    read_back(released(cells), table(cells))


@given(st.lists(st.dates(date(1980, 1, 1), date(2060, 12, 31)), min_size=12, max_size=40), st.sampled_from([*DATES]))
def test_worded_dates_are_parted_as_their_days_are(days, form):
    firsts = [first_day(day.toordinal(), DATES[form]) for day in days]
    plain = released([str(number) for number in firsts])
    cells = [in_form(day.toordinal(), form) for day in days]
    dressed = released(cells)
    assert dressed.encoded.qids[0].column_type is ColumnType.DATE
    assert dressed.labels.tolist() == plain.labels.tolist()
    assert gcp(dressed) == pytest.approx(gcp(plain))
    assert set(dressed.encoded.qids[0].labels) == {text_of(first, DATES[form]) for first in firsts}
    assert not [caution for caution in cautions(table(cells), SCHEMA) if "unordered" in caution.text]
    read_back(dressed, table(cells))


STRAYS = ["Source: ward book", "n/k", "see file", "total", "12;13", "5 miles away"]


@given(AGES, st.sampled_from([*NUMBERS]), st.lists(st.sampled_from(STRAYS), min_size=1, max_size=4), st.randoms())
def test_a_stray_cell_is_said_by_its_column_and_never_shown(ages, dress, strays, random):
    cells = [*(NUMBERS[dress](age) for age in ages), *strays]
    random.shuffle(cells)
    (caution,) = (each for each in cautions(table(cells), SCHEMA) if "unordered" in each.text)
    assert caution.column == "age"
    assert f"{len(ages)} of {len(cells)} cells of the column 'age' are numbers" in caution.text
    assert not any(cell in caution.text for cell in strays)
    assert set(caution.labels) == set(strays)
    declared = cautions(table(cells), SCHEMA.with_(missing_tokens=strays))
    assert not [each for each in declared if "unordered" in each.text]
    assert encode(table(cells), SCHEMA.with_(missing_tokens=strays)).qids[0].column_type is ColumnType.NUMERIC


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        (
            [*(f"{n} months" for n in range(1, 9)), "2 years"],
            "8 of 9 cells of the column 'age' are numbers with one unit",
        ),
        ([*(f"{n:02d}MAR2023" for n in range(1, 9)), *("late May",) * 3], "8 of 11 cells .* are dates in one format"),
        ([*(f"{n}" for n in range(30, 50)), *("70 or Older", "75")] * 2, "42 of 44 cells .* are numbers"),
    ],
)
def test_what_has_no_common_form_is_said(cells, says):
    (text,) = (caution.text for caution in cautions(table(cells), SCHEMA) if caution.column == "age")
    assert re.search(says, text)
    assert "unordered list" in text


def test_another_decimal_mark_than_that_of_the_table_is_said():
    mine = Table(table([f"{n},5" for n in range(9)]).columns, ".")
    assert "'age' have another decimal mark" in cautions(mine, SCHEMA)[0].text


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("age", ["young", "old", "1", "2"] * 5),
        ("zip", ["10012", "01012", "90210", "N/A"] * 5),
        ("sex", ["1", "2", "3", "4", "unknown"] * 5),
        ("age", ["5-9", "10-14", "15+"] * 5),
        ("age", ["ward 3", "ward 4", "ward 5"] * 5),
    ],
)
def test_codes_words_and_bands_have_no_strays(name, cells):
    found = table(cells, name)
    assert not [each for each in cautions(found, Schema([name], "disease")) if "unordered" in each.text]


@pytest.mark.parametrize(
    ("rest", "codes"),
    [
        ([str(20 + n % 60) for n in range(190)], ["999"] * 10),
        ([str(20 + n % 60) for n in range(190)], ["99"] * 10),
        ([str(n % 90) for n in range(190)], ["-9"] * 10),
        ([f"{20 + n % 60} years" for n in range(190)], ["999 years"] * 10),
        ([str(20 + n % 60) for n in range(190)], ["998"] * 5 + ["999"] * 5),
        ([f"{1940 + n % 60}-03-{1 + n % 28:02d}" for n in range(190)], ["9999-12-31"] * 10),
        ([f"{1940 + n % 60}-03-{1 + n % 28:02d}" for n in range(190)], ["1900-01-01"] * 10),
        ([f"{1940 + n % 60}-{1 + n % 12:02d}" for n in range(190)], ["9999-12"] * 10),
    ],
)
def test_codes_for_missing_values_are_noticed_offered_and_not_changed(rest, codes):
    mine = table([*rest, *codes])
    (caution,) = cautions(mine, SCHEMA)
    assert caution.text.startswith("5.0")
    assert set(caution.labels) == set(codes)
    assert not any(code in caution.text for code in codes)
    assert encode(mine, SCHEMA).qids[0].size == len({*rest, *codes})
    assert not cautions(mine, SCHEMA.with_(missing_tokens=codes))


@pytest.mark.parametrize(
    "cells",
    [
        [str(n % 100) for n in range(300)],
        [str(abs(round(n))) for n in np.random.default_rng(3).normal(45, 20, 400).clip(0, 99)],
        ["1", "2", "3", "4", "5", "9"] * 9 + [str(n) for n in range(5, 9)],
        [f"{1900 + n}-01-01" for n in range(80)] * 2,
    ],
)
def test_values_that_only_look_like_codes_are_left_alone(cells):
    assert not [caution for caution in cautions(table(cells), SCHEMA) if caution.labels]


def test_the_proposal_reads_the_same_as_the_gate():
    mine = table([f"{n:03d}Y" for n in range(30)])
    (column, _) = propose(mine).columns
    assert column.column_type is ColumnType.NUMERIC
    assert "years" in column.reason


@pytest.mark.parametrize(
    "text", ["inf", "nan years", "1e999 kg", "", "y", "%", "12 34", "1,23,456", "C34", "34x", "((5))"]
)
def test_what_is_no_number_in_any_form(text):
    assert numbers_of([text]) is None


ORDER = ["low", "middle", "high", "never seen"]
LEVELS = ["high", "low", "middle", "low", "high", "middle"]
ORDERED = pd.Categorical(LEVELS, ORDER, ordered=True)


@pytest.mark.parametrize(
    "values",
    [
        pd.DataFrame({"age": ORDERED}),
        polars.DataFrame({"age": polars.Series(LEVELS, dtype=polars.Enum(ORDER))}),
        pa.Table.from_pandas(pd.DataFrame({"age": ORDERED})),
    ],
)
def test_the_order_of_a_categorical_is_that_of_its_column(values):
    mine = Table((Table.from_frame(values).columns[0], table(LEVELS).columns[1]))
    domain = encode(mine, SCHEMA).qids[0]
    assert (domain.column_type, domain.labels) == (ColumnType.ORDINAL, tuple(ORDER))
    assert encode(mine.take(np.array([1, 2, 4, 0])), SCHEMA).qids[0].labels == tuple(ORDER)
    assert propose(mine).schema.orders["age"] == tuple(ORDER)
    gone = SCHEMA.with_(missing_tokens=["never seen", "low"])
    assert encode(mine, gone).qids[0].labels[:2] == ("middle", "high")


def test_an_order_that_a_parquet_file_may_have_lost_is_said():
    file = io.BytesIO()
    pd.DataFrame({"age": ORDERED}).to_parquet(file)
    assert "categories of 'age' is not in the file for sure" in read_table(file).read_info["note"]


def test_an_unordered_categorical_has_no_order():
    mine = Table.from_frame(pd.DataFrame({"age": pd.Categorical(LEVELS, ORDER), "disease": [*"xyzxyz"]}))
    assert encode(mine, SCHEMA).qids[0].column_type is ColumnType.CATEGORICAL


# ---- at the gate ---------------------------------------------------------------------------


def test_the_gate_says_what_stands_apart_on_standard_error_without_a_cell(tmp_path, capsys):
    mine = tmp_path / "mine.csv"
    rows = [*(f"{20 + n % 50},{n % 90} days,d{n % 3}" for n in range(199)), "Source: ward book,3 days,d1"]
    mine.write_text("\n".join(["age,stay,disease", *rows]), encoding="utf-8")
    arguments = ["--data", str(mine), "--qids", "age,stay", "--sensitive", "disease", "-k", "5"]
    assert main(["measure", *arguments]) == 0
    said = capsys.readouterr().err
    assert "199 of 200 cells of the column 'age' are numbers; 1 is not" in said
    assert "The numbers of 'stay' are read and published in days" in said
    assert "ward book" not in said
    assert main(["release", *arguments, "--out", str(tmp_path / "out"), "--format", "csv"]) == 0
    assert "199 of 200 cells of the column 'age'" in capsys.readouterr().err
    assert main(["measure", *arguments, "--missing-tokens", "Source: ward book"]) == 0
    assert "unordered" not in capsys.readouterr().err


def test_the_gate_asks_for_an_encoding_and_says_what_the_reader_noted(tmp_path, capsys):
    mine = tmp_path / "mine.csv"
    rows = "\n".join(["town,disease", *(f"{('Москва', 'Казань')[n % 2]},d{n % 3}" for n in range(30))])
    mine.write_bytes(rows.encode("cp1251"))
    arguments = ["measure", "--data", str(mine), "--qids", "town", "--sensitive", "disease", "-k", "5"]
    assert main(arguments) == 2
    assert "give its encoding (--encoding)" in capsys.readouterr().err
    assert main([*arguments, "--encoding", "cp1251"]) == 0
    mine.write_bytes(rows.replace("Москва", "Zürich").replace("Казань", "Köln").encode("cp1252"))
    assert main(arguments) == 0
    assert "'mine.csv': The file is not UTF-8 and was read as Windows-1252" in capsys.readouterr().err


MARKS = {
    "56": ".,",
    "1,234": ".,",
    "0,234": ",",
    "1,5": ",",
    "1.5": ".",
    "1.234,5": ",",
    "1.234.567": ",",
    "1,234.5": ".",
    "1,234,567": ".",
    "x": "",
}
"""Cells, and the decimal marks under which each is a number."""


def test_the_decimal_mark_is_the_one_under_which_all_cells_are_numbers() -> None:
    """Every pair of columns of two cells; a comma that may be either is remarked on where nothing else decides."""
    columns = []
    for cells in itertools.combinations_with_replacement(MARKS, 2):
        marks = set(MARKS[cells[0]]) & set(MARKS[cells[1]])
        mark_of = "doubt" if len(marks) == 2 and "1,234" in cells else "".join(marks) if len(marks) == 1 else ""
        columns.append((column_of("a", cells), mark_of))
    for (one, first), (other, second) in itertools.product(columns, repeat=2):
        mark, remarks = decimal_mark([one, other])
        marks_of = {first, second}
        assert mark == ("," if "," in marks_of and "." not in marks_of else "."), (one.labels, other.labels)
        doubtful = "doubt" in marks_of and not marks_of & {",", "."}
        assert any("check the decimal mark" in remark for remark in remarks) == doubtful, (one.labels, other.labels)
        assert decimal_mark([one, other], point_is_decimal=True)[0] == "."
