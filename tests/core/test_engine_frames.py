"""Frames of other engines have the frequency table of the same rows in files: text by text, count by count."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from core.base.errors import InputError, LimitError
from core.engine import frequency_table_of_files, frequency_table_of_frame, sources
from tests.folders import COLUMNS, SECRET, VALUES, in_parts, message, people, same
from tests.sparks import has_spark, session

duckdb = pytest.importorskip("duckdb", reason="the engine is optional: pip install duckdb")
pytest.importorskip("narwhals", reason="the frames are optional: pip install narwhals")

# Ibis calls DuckDB by a name of before.
pytestmark = pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")

OF_SQL = ("duckdb", "ibis", "spark")
"""Engines that know instants and no zone of a column, and lengths of time as whole numbers."""
ENGINES = ("duckdb", "polars", "polars at once", "ibis", "pandas", "arrow", "spark")
HOSTILE = ("a.b", "`tick`", 'q"uote', "it's", "^a.*$", "*", "é λ", "x,y{}()=;", "c0", "n", "f1", "sum")
Frames = Callable[[Path], Any]


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    needed = {"polars at once": "polars", "arrow": "pyarrow"}.get(name, name)
    if name != "spark" and find_spec(needed) is None:
        pytest.skip(f"the engine is optional: pip install {needed}")
    return name


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    if (why := has_spark()) is not None:
        pytest.skip(why)
    with session(tmp_path_factory.mktemp("spark")) as there:
        yield there


@pytest.fixture(scope="module")
def frames(engine: str, request: pytest.FixtureRequest) -> Iterator[Frames]:
    """A reader of a folder of Parquet files as a frame of the engine."""
    if engine == "spark":
        there = request.getfixturevalue("spark")
        yield lambda folder: there.read.parquet(str(folder))
        return
    if engine == "duckdb":
        with duckdb.connect() as connection:
            # Where the session is does not change what is counted.
            connection.execute("SET TimeZone = 'Asia/Tokyo'")
            yield lambda folder: connection.read_parquet(f"{folder}/*.parquet")
        return
    if engine == "ibis":
        import ibis

        connection = ibis.duckdb.connect()
        yield lambda folder: connection.read_parquet(f"{folder}/*.parquet")
        connection.disconnect()
        return
    yield lambda folder: at_once(engine, folder)


def at_once(engine: str, folder: Path) -> Any:
    if engine.startswith("polars"):
        import polars

        lazy = polars.scan_parquet(f"{folder}/*.parquet")
        return lazy if engine == "polars" else lazy.collect()
    table = pa.concat_tables([parquet.read_table(path) for path in sorted(folder.glob("*.parquet"))])
    return table if engine == "arrow" else table.to_pandas()


def test_a_frame_has_the_frequency_table_of_the_files(frames: Frames, tmp_path: Path) -> None:
    table = people()
    in_parts(table, tmp_path / "lake")
    expected = frequency_table_of_files(str(tmp_path / "lake"), COLUMNS)
    same(frequency_table_of_frame(frames(tmp_path / "lake"), COLUMNS), expected)
    shuffled = table.take(np.random.default_rng(1).permutation(len(table)))
    in_parts(shuffled, tmp_path / "other", parts=7)
    done: list[float] = []
    same(frequency_table_of_frame(frames(tmp_path / "other"), COLUMNS, progress=done.append), expected)
    assert done[-1] == 1
    assert frequency_table_of_frame(frames(tmp_path / "other"), ["ill"]).records == 3000


@pytest.mark.parametrize("what", [*VALUES, "signed zeros"])
def test_texts_of_values_are_those_of_files(what: str, engine: str, frames: Frames, tmp_path: Path) -> None:
    values = VALUES.get(what, pa.array([0.5, -0.0, 0.0, None, 0.0, -0.0]))
    if engine == "pandas" and pa.types.is_integer(values.type) and values.null_count:
        pytest.skip("a frame of pandas has rounded them already")
    folder = tmp_path / "lake"
    folder.mkdir()
    parquet.write_table(pa.table({"v": values, "ill": ["a", "b", "a", "b", "a", "b"]}), folder / "1.parquet")
    expected = {
        # What the type of the engine's column does not say cannot be told of it.
        "zoned": pa.array([f"2020-01-0{day}T00:00:00+00:00" for day in (1, 2, 3, 4, 1, 1)]),
        "durations": pa.array([1_000_000, 90_000_000, 3_000_000, 4_000_000, 1_000_000, 1_000_000]),
    }
    if engine in OF_SQL and what in expected:
        (tmp_path / "as told").mkdir()
        told = pa.table({"v": expected[what], "ill": ["a", "b", "a", "b", "a", "b"]})
        parquet.write_table(told, tmp_path / "as told" / "1.parquet")
        folder = tmp_path / "as told"
    twin = frequency_table_of_files(str(folder), ["v", "ill"])
    frame = frames(tmp_path / "lake")
    same(frequency_table_of_frame(frame, ["v", "ill"]), twin)


def test_a_frame_of_counts_adds_them_up(engine: str, frames: Frames, tmp_path: Path) -> None:
    in_parts(people(), tmp_path / "lake")
    whole = frequency_table_of_files(str(tmp_path / "lake"), COLUMNS)
    rows = pa.Table.from_pandas(whole.table.to_frame(), preserve_index=False)
    in_parts(rows.append_column("many", pa.array(whole.counts)), tmp_path / "counted")
    same(frequency_table_of_frame(frames(tmp_path / "counted"), COLUMNS, count="many"), whole)
    coarse = frequency_table_of_frame(frames(tmp_path / "counted"), ["sex", "ill"], count="many")
    same(coarse, frequency_table_of_files(str(tmp_path / "lake"), ["sex", "ill"]))
    # Added up, the three rows that are alike stand for two records.
    for wrong in ([1, 3, -2], [1, 1, None], [1, 1, 0]):
        if engine == "pandas" and None in wrong:
            continue  # it has made real numbers of them
        bad = pa.table({"a": ["x", "x", "x"], "ill": ["flu", "flu", "flu"], "many": wrong})
        folder = tmp_path / f"wrong {len(list(tmp_path.iterdir()))}"
        in_parts(bad, folder, parts=1)
        frame = frames(folder)
        assert "count below 1" in message(
            lambda frame=frame: frequency_table_of_frame(frame, ["a", "ill"], count="many"), InputError
        )
    frame = frames(tmp_path / "counted")
    assert "whole numbers" in message(lambda: frequency_table_of_frame(frame, ["age", "ill"], count="sex"), InputError)
    assert "no other role" in message(lambda: frequency_table_of_frame(frame, ["age", "ill"], count="ill"), InputError)


def test_hostile_names_of_columns(frames: Frames, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    columns = {name: rng.choice(["x", "y", f"value of {name}"], 60) for name in HOSTILE}
    in_parts(pa.table(columns), tmp_path / "lake")
    expected = frequency_table_of_files(str(tmp_path / "lake"), HOSTILE)
    frame = frames(tmp_path / "lake")
    same(frequency_table_of_frame(frame, HOSTILE), expected)
    for name in HOSTILE:
        assert frequency_table_of_frame(frame, [name]).table.names == (name,)
    assert "no column 'A.B'" in message(lambda: frequency_table_of_frame(frame, ["A.B", "*"]), InputError)


def test_a_collation_merges_no_texts() -> None:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE people (a VARCHAR COLLATE NOCASE, ill VARCHAR)")
        connection.execute("INSERT INTO people VALUES ('A', 'flu'), ('a', 'flu')")
        assert frequency_table_of_frame(connection.table("people"), ["a", "ill"]).counts.tolist() == [1, 1]


def test_what_duckdb_mixes_up_in_a_relation_is_refused() -> None:
    with duckdb.connect() as connection:
        relation = connection.sql("SELECT 1 AS age, 2 AS \"AGE\", '12:00:00+02'::TIMETZ AS at, 'flu' AS ill")
        for column, words in (("AGE", "differs from 'AGE' only in case"), ("at", "drops the time zone of 'at'")):
            assert words in message(lambda of=column: frequency_table_of_frame(relation, [of, "ill"]), InputError)
        assert frequency_table_of_frame(relation, ["ill"]).records == 1


def test_what_cannot_be_counted(engine: str, frames: Frames, tmp_path: Path) -> None:
    table = pa.table({"a": [SECRET, "x"], "lists": [[1], [2]], "ill": ["flu", "cold"]})
    in_parts(table, tmp_path / "lake", parts=1)
    in_parts(table.slice(0, 0), tmp_path / "none", parts=1)
    frame = frames(tmp_path / "lake")
    # Of a column of objects pandas does not say what they are.
    why = "TypeError" if engine == "pandas" else "nested"
    assert why in message(lambda: frequency_table_of_frame(frame, ["lists", "ill"]), InputError)
    assert "no rows" in message(lambda: frequency_table_of_frame(frames(tmp_path / "none"), ["a", "ill"]), InputError)


def test_too_many_distinct_rows(frames: Frames, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    in_parts(people(60), tmp_path / "lake")
    monkeypatch.setattr(sources, "MOST_TUPLES", 10)
    frame = frames(tmp_path / "lake")
    assert "more than 10 distinct rows" in message(lambda: frequency_table_of_frame(frame, COLUMNS), LimitError)


def test_a_collation_of_spark_is_refused(spark: Any) -> None:
    frame = spark.sql(f"SELECT '{SECRET}' COLLATE UTF8_LCASE AS a, 'b' COLLATE UTF8_LCASE AS b, 'flu' AS ill")
    assert "'a' has a collation" in message(lambda: frequency_table_of_frame(frame, ["a", "ill"]), InputError)
    assert frequency_table_of_frame(frame, ["ill"]).records == 1


def test_what_is_no_frame() -> None:
    for other in (None, 3, "lake/*.parquet", np.zeros((2, 2)), datetime.date(2020, 1, 1)):
        assert "not a frame" in message(lambda other=other: frequency_table_of_frame(other, ["a"]), InputError)


def test_an_error_of_the_engine_shows_no_cell() -> None:
    with duckdb.connect() as connection:
        frame = connection.sql(
            f"SELECT CAST(a AS INTEGER) AS a, 'flu' AS ill FROM (VALUES ('1'), ('{SECRET}')) AS t(a)"
        )
        said = message(lambda: frequency_table_of_frame(frame, ["a", "ill"]), InputError)
    assert "ConversionException" in said
