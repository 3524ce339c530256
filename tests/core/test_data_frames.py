"""Frames of pandas, Polars and Arrow: the texts that a file has, at every public function that takes a table."""

from __future__ import annotations

import datetime as dt
import io
import math
import uuid
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import (
    CompositionError,
    FrequencyTable,
    Policy,
    Release,
    Schema,
    Table,
    UnmodifiedColumn,
    anonymize,
    breach_curve,
    dp,
    intersection_attack,
    measure,
    read_table,
)
from core.base.errors import InputError, LimitError
from core.data.encoding.encoded import encode
from core.data.profiling.proposal import propose
from core.data.reading.delimited import KEPT_AS_TEXT
from core.data.tables.input_limits import InputLimits
from core.engine import frequency_table_of_frame
from core.release.published.matching import match_columns
from tests.tables import small_table

LIBRARIES: dict[str, Callable[[pa.Table], Any]] = {
    "pandas": lambda table: table.to_pandas(),
    "pandas on Arrow": lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
    "Arrow": lambda table: table,
    "Polars": polars.from_arrow,
}
"""How the same rows come into a frame of each library."""


# ---- texts -------------------------------------------------------------------------------

WRITTEN = st.one_of(
    st.none(),
    st.sampled_from(["01", "1,5", "2,25", "1.5", "[20-30]", "{a, b}", "NA", "nan", "TRUE", "=1+1", "1e3", "-0"]),
    # The marks with which a spreadsheet keeps a text are of files alone.
    st.text(alphabet="aé1 .,;[]{}*'\"<&", max_size=5).filter(lambda text: not KEPT_AS_TEXT.fullmatch(text)),
)


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(st.tuples(WRITTEN, WRITTEN), min_size=1, max_size=12))
def test_text_in_a_frame_is_the_table_that_a_file_of_it_is(rows: list[tuple[str | None, str | None]]) -> None:
    columns = {name: [row[at] for row in rows] for at, name in enumerate(["a", "b"])}
    # Where each field begins with a space, the reader takes it away.
    columns["key"] = [f"r{at}" for at in range(len(rows))]
    table = pa.table({name: pa.array(cells, pa.string()) for name, cells in columns.items()})
    file = pd.DataFrame(columns, dtype=object).to_csv(sep=";", index=False).encode()
    expected = read_table(file, delimiter=";")
    read = pd.read_csv(io.BytesIO(file), sep=";", dtype=str, keep_default_na=False)
    for frame in [read, *(framed(table) for framed in LIBRARIES.values())]:
        assert Table.from_frame(frame).content_id == expected.content_id


KINDS: dict[str, tuple[Any, st.SearchStrategy[Any]]] = {
    "whole": (pa.int64(), st.integers(-(2**53) + 1, 2**53 - 1)),
    "real": (pa.float64(), st.floats(allow_nan=False)),
    "single": (pa.float32(), st.floats(width=32, allow_nan=False)),
    "truth": (pa.bool_(), st.booleans()),
    "date": (pa.date32(), st.dates(dt.date(1700, 1, 1), dt.date(2250, 1, 1))),
    "instant": (pa.timestamp("us"), st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2250, 1, 1))),
    "money": (pa.decimal128(12, 2), st.decimals(-(10**9), 10**9, places=2)),
    "text": (pa.string(), st.text(alphabet="ab1.-[]", max_size=4)),
    "category": (pa.dictionary(pa.int32(), pa.string()), st.sampled_from(["low", "[1-2]", ""])),
}


def twin(kind: str, values: list[Any]) -> list[str]:
    """The rule, value by value."""
    there = [value for value in values if value is not None]
    if kind in ("real", "single") and all(math.isfinite(x) and x == int(x) and abs(x) < 2**53 for x in there):
        return ["" if value is None else str(int(value)) for value in values]

    def text(value: Any) -> str:
        if value is None:
            return ""
        if kind == "truth":
            return str(value).upper()
        if kind == "single" and value % 1:
            return repr(float(str(np.float32(value))) + 0.0)
        if kind in ("real", "single"):
            return repr(value + 0.0)
        return value.isoformat().removesuffix("T00:00:00") if kind in ("date", "instant") else str(value)

    return [text(value) for value in values]


@settings(max_examples=150, deadline=None)
@given(kind=st.sampled_from(list(KINDS)), data=st.data())
def test_values_of_every_kind_have_the_same_texts_in_every_library(kind: str, data: st.DataObject) -> None:
    arrow, values = KINDS[kind]
    cells = data.draw(st.lists(st.one_of(st.none(), values), min_size=1, max_size=10))
    table = pa.table({"key": list(range(len(cells))), "a": pa.array(cells, arrow)})
    for library, framed in LIBRARIES.items():
        assert Table.from_frame(framed(table)).column("a").texts().tolist() == twin(kind, cells), library


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        (["01", None, "NA", ""], ["01", "", "NA", ""]),
        (pd.array(["x", pd.NA], dtype="string"), ["x", ""]),
        ([1.0, None, 3.0], ["1", "", "3"]),  # whole numbers that pandas stores as floats
        (pd.Series([1.0, None, 3], dtype=object), ["1", "", "3"]),
        (pd.Series([2**60 + 1, 1.5, None], dtype=object), ["1152921504606846977", "1.5", ""]),
        (pd.Categorical(pd.array(["b", "a"], dtype=pd.ArrowDtype(pa.string()))), ["b", "a"]),
        ([np.inf, 1.0], ["inf", "1.0"]),
        ([-0.0, 0.0], ["0", "0"]),
        (pd.array([1, None], dtype="Int64"), ["1", ""]),
        (pd.array([0.1, None], dtype="Float32"), ["0.1", ""]),
        (np.array([33656592, 0.5], dtype="float32"), ["33656592.0", "0.5"]),  # no rounding of whole numbers
        (pd.array([2**63, 1], dtype="uint64"), ["9223372036854775808", "1"]),
        (pd.array([True, None], dtype="boolean"), ["TRUE", ""]),
        (pd.Series([True, 1, 1.5, "a", None, pd.NA, pd.NaT], dtype=object), ["TRUE", "1", "1.5", "a", "", "", ""]),
        (pd.Series([np.int64(3), np.float64(0.5), np.bool_(True)], dtype=object), ["3", "0.5", "TRUE"]),
        (pd.Series([np.datetime64("2020-01-31"), None], dtype=object), ["2020-01-31", ""]),
        (pd.Series([np.timedelta64(90, "m"), None], dtype=object), ["01:30:00", ""]),
        (pd.Categorical(["b", None, "a"], categories=["c", "b", "a"]), ["b", "", "a"]),
        (pd.Categorical([2, None, 1]), ["2", "", "1"]),
        (pd.cut([5, 25], [0, 10, 30]), ["(0, 10]", "(10, 30]"]),
        (pd.period_range("2020-01", periods=2, freq="M"), ["2020-01", "2020-02"]),
        (pd.to_datetime(["2020-01-31", "2020-01-31 08:30"], format="mixed"), ["2020-01-31", "2020-01-31T08:30:00"]),
        (pd.to_datetime(["2020-01-31", None], utc=True), ["2020-01-31T00:00:00+00:00", ""]),
        ([dt.date(2020, 1, 31), None], ["2020-01-31", ""]),
        ([Decimal("1.50"), Decimal("1.5"), None], ["1.50", "1.5", ""]),
        (pd.array([0, 0, 1], dtype=pd.SparseDtype("int64")), ["0", "0", "1"]),
        ([uuid.UUID(int=1)], ["00000000-0000-0000-0000-000000000001"]),
        ([None, None], ["", ""]),
    ],
)
def test_what_only_pandas_has(values: Any, texts: list[str]) -> None:
    frame = pd.DataFrame({"a": values})
    assert Table.from_frame(frame.set_axis(frame.index + 5)).column("a").texts().tolist() == texts


def test_parts_of_an_arrow_table_are_one() -> None:
    parts = [pa.table({"a": pa.array(cells, pa.dictionary(pa.uint8(), pa.string()))}) for cells in ("ab", "ca", [None])]
    assert Table.from_frame(pa.concat_tables(parts)).column("a").texts().tolist() == ["a", "b", "c", "a", ""]


@pytest.mark.parametrize(("cells", "decimal"), [(["1,5", "2"], ","), (["1.5", "2"], "."), (["1,500"], ".")])
def test_the_decimal_mark_is_that_of_a_file(cells: list[str], decimal: str) -> None:
    frame = pd.DataFrame({"a": cells, "b": "x"})
    assert Table.from_frame(frame).decimal == decimal
    assert read_table(frame.to_csv(sep=";", index=False).encode()).decimal == decimal
    assert Table.from_frame(frame, decimal=".").decimal == "."


@pytest.mark.parametrize("library", [pd, polars, pa])
def test_rows_that_a_frame_counts_are_those_of_the_table(library: Any) -> None:
    pytest.importorskip("narwhals", reason="the frames are optional: pip install narwhals")
    columns = {"age": [30, None, 30], "at": [dt.date(2024, 1, 2)] * 3, "ill": ["a", "b", "a"]}
    frame = library.table(columns) if library is pa else library.DataFrame(columns)
    found, expected = (
        frequency_table_of_frame(frame, [*columns]),
        FrequencyTable.of(Table.from_frame(frame), [*columns]),
    )
    assert (found.content_id, found.counts.tolist()) == (expected.content_id, expected.counts.tolist())


# ---- refusals ----------------------------------------------------------------------------

SECRET = "Methuselah"
NO_TABLES = [
    (1, "data frame of pandas"),
    (None, "data frame of pandas"),
    (f"{SECRET}.csv", "read_table reads a file"),
    ([{"a": SECRET}], "data frame of pandas"),
    ({"a": [SECRET]}, "data frame of pandas"),
    (np.array([[SECRET]]), "data frame of pandas"),
    (pd.Series([SECRET]), "data frame of pandas"),
    (pd.DataFrame({"a": []}), "no rows"),
    *(
        (framed(pa.table({n: [SECRET] for n in ("age", "sex", "diagnosis")}))[:0], "no rows")
        for framed in LIBRARIES.values()
    ),
    (pd.DataFrame(index=range(3)), "no columns"),
    (pa.table({}), "no columns"),
    (pd.DataFrame([[SECRET]], columns=[2020]), "name of column 1 is not text"),
    (pd.DataFrame([[SECRET]], columns=pd.MultiIndex.from_tuples([("a", "b")])), "name of column 1 is not text"),
    (pd.DataFrame([[SECRET, SECRET]], columns=["a", "a"]), "Columns 1 and 2 have the same header"),
    (pa.table([[SECRET], [SECRET]], ["a", "a"]), "Columns 1 and 2 have the same header"),
    (pd.DataFrame([[SECRET]], columns=[" "]), "Column 1 has an empty header"),
    (pd.DataFrame({"a": [[SECRET]]}), "'a' holds nested values"),
    (pd.DataFrame({"a": [SECRET.encode()]}), "'a' holds binary values"),
    (pd.DataFrame({"a": pd.Series([f"{SECRET}\ud800"], dtype=object)}), "'a' holds half of a character"),
    (pa.table({"a": [[SECRET]]}), "'a' holds nested values"),
    (pa.table({"a": [SECRET.encode()]}), "'a' holds binary values"),
    (pa.table({"a": [[SECRET]]}).to_pandas(types_mapper=pd.ArrowDtype), "'a' holds nested values"),
    (polars.DataFrame({"a": [SECRET]}).lazy(), "has not run; collect it first"),
    (polars.Series([SECRET]), "data frame of pandas"),
    (polars.DataFrame({"a": [object()]}), "'a' holds values that Arrow cannot represent"),
    (polars.DataFrame({"a": [2**100]}, schema={"a": polars.Int128}), "'a' holds values that Arrow cannot represent"),
]


# ---- doors -------------------------------------------------------------------------------

TABLE, SCHEMA = small_table()
RELEASE = anonymize(TABLE, SCHEMA, Policy(2))
DOORS: dict[str, Callable[[Any], Any]] = {
    "Table.from_frame": lambda data: (data if isinstance(data, Table) else Table.from_frame(data)).content_id,
    "anonymize": lambda data: anonymize(data, SCHEMA, Policy(4)).labels,
    "breach_curve": lambda data: breach_curve(data, SCHEMA, Policy(4), "k", [4], overlap=100).to_csv(),
    "measure": lambda data: measure(data, SCHEMA).sizes,
    "measure, of published columns": lambda data: repr(measure(data, ALSO_SEX)),
    "Release.parse": lambda data: Release.parse(data, SCHEMA).labels,
    "intersection_attack": lambda data: intersection_attack([RELEASE, RELEASE], data, locate="published").posterior,
    "encode": lambda data: encode(data, SCHEMA).codes,
    "propose": lambda data: propose(data).reasons,
    "FrequencyTable.of": lambda data: FrequencyTable.of(data, TABLE.names).content_id,
    "FrequencyTable.from_table": lambda data: FrequencyTable.from_table(data, "age").content_id,
    "match_columns": lambda data: match_columns(TABLE, data, SCHEMA),
    "dp.contingency_table": lambda data: dp.contingency_table(data, SCHEMA, {}, DIAGNOSES).counts,
}
ALSO_SEX = Schema(["diagnosis"], "age", unmodified=[UnmodifiedColumn("sex", diverse=True)])
DIAGNOSES = dp.Declared("values", values=TABLE.column("diagnosis").labels, source="a list")


@pytest.mark.parametrize("door", DOORS)
def test_every_public_function_takes_frames_and_tables_alike(door: str) -> None:
    rows = pa.Table.from_pandas(TABLE.to_frame(), preserve_index=False)
    rows = rows.set_column(0, "age", rows["age"].cast(pa.int32()))
    expected = DOORS[door](TABLE)
    for library, framed in LIBRARIES.items():
        assert np.array_equal(DOORS[door](framed(rows)), expected), library


@pytest.mark.parametrize("door", DOORS)
def test_every_public_function_refuses_what_is_no_table_in_a_sentence_without_a_cell(door: str) -> None:
    for data, match in NO_TABLES:
        with pytest.raises(CompositionError) as caught:
            DOORS[door](data)
        assert SECRET not in str(caught.value)
        if door == "anonymize":
            assert (type(caught.value), match in str(caught.value)) == (InputError, True)


def test_limits_of_a_frame() -> None:
    frame = pd.DataFrame(np.zeros((4, 3)), columns=list("abc"))
    assert len(Table.from_frame(frame, limits=InputLimits(rows=4, columns=3))) == 4
    for limits, words in ((InputLimits(rows=3), "4 rows; at most 3"), (InputLimits(columns=2), "3 columns; at most 2")):
        with pytest.raises(LimitError, match=words):
            Table.from_frame(frame, limits=limits)
