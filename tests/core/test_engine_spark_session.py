"""Release, measurement, classes of rows and shared people in a session of the caller's: as DuckDB and core have them.

The session's driver takes no result of more than 16 MB, so nothing that passes a table through it can succeed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from core import FrequencyTable, Policy, Schema, Taxonomy, anonymize, measure
from core.base.errors import InputError, LimitError, ParameterError
from core.data.tables.table import Table
from core.engine import (
    ClassFile,
    EngineBudget,
    Output,
    Spark,
    classes_of_rows,
    counted_from_frame,
    counted_on_engine,
    frequency_table_of_frame,
    measure_files,
    release_by_blocks,
    shared_people,
    spark_of,
    words_of,
    write_example_rows,
)
from tests.folders import SECRET, VALUES, in_parts, message, same
from tests.source import ROOT
from tests.sparks import has_spark, session

pytest.importorskip("duckdb", reason="the engine is optional: pip install duckdb")
WHY = has_spark()
pytestmark = pytest.mark.skipif(WHY is not None, reason=WHY or "")

WARDS = Taxonomy.from_nested({"north": ["n1", "n2"], "south": {"east": ["e1", "e2", "e3"], "west": ["w1"]}})
COLUMNS = ("age", "zip", "ward", "grade", "ill")
SCHEMA = Schema(
    COLUMNS[:-1], "ill", taxonomies={"ward": WARDS}, orders={"grade": ("low", "mid", "high")}, unassigned="drop"
)
FORMATS = ("parquet", "csv")
SETTINGS = {"spark.driver.maxResultSize": "16m"}


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with session(tmp_path_factory.mktemp("session"), **SETTINGS) as there:
        yield there


@pytest.fixture
def engine(spark: Any, tmp_path: Path) -> Iterator[Spark]:
    """An engine that works in a folder of its own, which is gone at the end."""
    (tmp_path / "work").mkdir()
    with spark_of(spark, str(tmp_path / "work")) as there:
        yield there
    assert not list((tmp_path / "work").iterdir())


def people(rows: int, seed: int) -> pa.Table:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "number": rng.permutation(rows),
            "age": rng.integers(0, 40, rows),
            "zip": rng.choice(list("pqrstuv"), rows),
            "ward": rng.choice(WARDS.leaf_labels, rows),
            "grade": rng.choice(["low", "mid", "high"], rows),
            "ill": [*["flu", "cold"], *rng.choice(["flu", "cold", "gout", "tb"], rows - 2, p=[0.5, 0.3, 0.15, 0.05])],
        }
    ).astype({"age": "Int64", "ward": object, "ill": object})
    for column, share in (("age", 0.05), ("ward", 0.03), ("ill", 0.02)):
        frame.loc[rng.random(rows) < share, column] = None
    return pa.Table.from_pandas(frame, preserve_index=False)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("rows", "policy", "most"),
    [
        (10, Policy(2), 1),
        (150, Policy(2), 1),
        (90, Policy(3, l=2), 20),
        (120, Policy(2, l=1.8, diversity="entropy"), 7),
        (150, Policy(4, l=2, t=0.5), 60),
    ],
)
def test_blocks_of_any_size_have_the_files_of_duckdb_and_the_classes_of_memory(
    rows: int, policy: Policy, most: int, engine: Spark, tmp_path: Path
) -> None:
    in_parts(people(rows, rows), tmp_path / "lake")
    written = {}
    for name, by in (("spark", engine), ("duckdb", None)):
        with counted_on_engine(str(tmp_path / "lake"), COLUMNS, EngineBudget(threads=2), engine=by) as there:
            frequencies = there.frequency_table()
            file = ClassFile(tmp_path / f"{name}.parquet", "number" if rows == 90 else "")
            output = Output(tmp_path / name, FORMATS[rows % 4 == 0], bounds=EngineBudget(threads=1), classes=file)
            written[name] = release_by_blocks(there, words_of(there), SCHEMA, policy, output, most)
    spark, duckdb = written["spark"], written["duckdb"]
    assert contents(tmp_path / "spark") == contents(tmp_path / "duckdb")
    assert (spark.records, spark.rows, spark.blocks, spark.rounds) == (rows, duckdb.rows, duckdb.blocks, duckdb.rounds)
    assert spark.measured.numbers == pytest.approx(duckdb.measured.numbers)
    twin = anonymize(frequencies, SCHEMA, policy)
    assert spark.measured.classes == duckdb.measured.classes == measure(twin.publish(seed=0), SCHEMA).classes
    by_row = [pd.read_parquet(tmp_path / f"{name}.parquet").sort_values(by="class") for name in written]
    key = by_row[0].columns[0]
    pd.testing.assert_frame_equal(*(frame.sort_values(key).reset_index(drop=True) for frame in by_row))
    assert len(by_row[0]) == rows


def test_more_rows_than_the_driver_may_take(spark: Any, engine: Spark, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 1_000_000
    table = pa.table({name: rng.integers(0, 400, rows) for name in "abc"} | {"ill": rng.integers(0, 9, rows)})
    in_parts(table, tmp_path / "lake", parts=4)
    schema, columns = Schema(list("abc"), "ill"), ("a", "b", "c", "ill")
    for name, by in (("spark", engine), ("duckdb", None)):
        with counted_on_engine(str(tmp_path / "lake"), columns, EngineBudget(threads=2), engine=by) as there:
            if by is not None:
                assert there.rows > 990_000
                with pytest.raises(Exception, match="maxResultSize"):
                    there.numbers.to_native().sort("i0").toArrow()
            output = Output(tmp_path / name, bounds=EngineBudget(threads=1))
            release_by_blocks(there, words_of(there), schema, Policy(20), output, 200_000)
    assert contents(tmp_path / "spark") == contents(tmp_path / "duckdb")


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_what_published_files_guarantee(seed: int, engine: Spark, tmp_path: Path) -> None:
    frequencies = FrequencyTable.of(Table.from_frame(people(300, seed).to_pandas().astype(str)), COLUMNS)
    release = anonymize(frequencies, Schema(COLUMNS[:-1], "ill"), Policy(2)).publish(seed=0).astype(str)
    if seed == 2:  # suppressed records, of stars of any number and with spaces
        release.loc[release.index[::9], list(COLUMNS[:-1])] = ["*", " ** ", "*", "***"]
    if seed == 3:  # values that mean missing, one of them absent
        release.loc[release["ill"] == "tb", "ill"] = "999"
        release["ill"] = release["ill"].where(release["ill"] != "gout", None)
    in_parts(pa.Table.from_pandas(release.sample(frac=1, random_state=1), preserve_index=False), tmp_path / "out")
    how = {"missing": ("", "999")} if seed == 3 else {}
    ours = measure_files(str(tmp_path / "out"), COLUMNS[:-1], "ill", engine=engine, **how)
    theirs = measure_files(str(tmp_path / "out"), COLUMNS[:-1], "ill", **how)
    assert (ours.rows, ours.classes, ours.suppressed) == (theirs.rows, theirs.classes, theirs.suppressed)
    assert (ours.suppressed > 0) == (seed == 2)
    assert ours.numbers == pytest.approx(theirs.numbers)
    if seed != 3:
        twin = measure(release, Schema(COLUMNS[:-1], "ill"))
        assert ours.numbers["t"] == pytest.approx(twin.t)
        assert ours.numbers["k"] == twin.k


def test_values_of_every_type_find_their_row(engine: Spark, tmp_path: Path) -> None:
    values = {f"type {what}": pa.chunked_array([own] * 4) for what, own in VALUES.items()}
    in_parts(pa.table({**values, "number": np.arange(24), "ill": ["a", "b", "c"] * 8}), tmp_path / "lake")
    columns = (*values, "ill")
    found = []
    for by in (engine, None):
        with counted_on_engine(str(tmp_path / "lake"), columns, engine=by) as there:
            frequencies = there.frequency_table()
            for key in ("number", ""):
                rows = classes_of_rows(there, key, frequencies, np.arange(len(frequencies)))
                pairs = pa.Table.from_batches(there.engine.stream(rows)).to_pandas().sort_values("key")
                found.append((frequencies, pairs.to_numpy().tolist()))
    for frequencies, pairs in found:
        same(frequencies, found[-1][0])
        assert len(pairs) == 24
    assert found[0][1] == found[2][1]
    assert found[1][1] == found[3][1]


def test_people_of_several_folders(engine: Spark, tmp_path: Path) -> None:
    schema = Schema(["age", "zip"], "ill", person="id", unassigned="drop", missing_tokens=("", "7"))
    rng, folders = np.random.default_rng(4), []
    for number, kind in enumerate((pa.int64(), pa.string(), pa.int32())):
        ids = pa.array([None, 7, *rng.choice(400, 250).tolist()]).cast(kind)
        in_parts(people(252, number).append_column("id", ids), tmp_path / str(number))
        folders.append(str(tmp_path / str(number)))
    ours, theirs = shared_people(folders, schema, engine=engine), shared_people(folders, schema)
    np.testing.assert_array_equal(ours.rows, theirs.rows)
    np.testing.assert_array_equal(ours.weight, theirs.weight)
    assert 0 < ours.with_several_records == theirs.with_several_records
    for one, other in zip(ours.frequency_tables, theirs.frequency_tables, strict=True):
        same(one, other)


def test_a_frame_is_released_in_its_session_whose_settings_stay(spark: Any, tmp_path: Path) -> None:
    in_parts(people(200, 9), tmp_path / "lake")
    (tmp_path / "work").mkdir()
    before, tags = dict(spark.conf.getAll), spark.getTags()
    frame = spark.read.parquet(str(tmp_path / "lake")).repartition(5)
    with counted_from_frame(frame, COLUMNS, EngineBudget(work=str(tmp_path / "work"))) as there:
        release_by_blocks(there, words_of(there), SCHEMA, Policy(3), Output(tmp_path / "frame", "csv"), 30)
    with counted_on_engine(str(tmp_path / "lake"), COLUMNS) as there:
        release_by_blocks(there, words_of(there), SCHEMA, Policy(3), Output(tmp_path / "files", "csv"), 30)
    assert contents(tmp_path / "frame") == contents(tmp_path / "files")
    assert not list((tmp_path / "work").iterdir())
    assert (dict(spark.conf.getAll), spark.getTags()) == (before, tags)
    assert spark.range(3).count() == 3


def test_the_lines_of_the_guide(spark: Any, tmp_path: Path) -> None:
    text = (ROOT / "docs" / "larger.md").read_text(encoding="utf-8")
    (block,) = (block for block in re.findall(r"(?ms)^```python\n(.*?)^```", text) if "spark_of" in block)
    write_example_rows(tmp_path / "people", range(500))
    (tmp_path / "work").mkdir()
    names: dict[str, Any] = {"spark": spark}
    exec(block.replace("/shared/", f"{tmp_path}/"), names)
    assert names["written"].measured.numbers == pytest.approx(names["measured"].numbers)
    assert (names["measured"].rows, names["measured"].numbers["k"] >= 5) == (500, True)


def test_who_cancels_stops_the_work_and_not_the_session(spark: Any, engine: Spark, tmp_path: Path) -> None:
    in_parts(people(50_000, 1), tmp_path / "lake")

    def stop(share: float) -> None:
        if share > 0.3:
            raise KeyboardInterrupt

    with (
        pytest.raises(KeyboardInterrupt),
        counted_on_engine(str(tmp_path / "lake"), (*COLUMNS, "number"), engine=engine, progress=stop),
    ):
        pass
    assert spark.range(3).count() == 3


def test_what_is_refused_leaves_nothing(engine: Spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    in_parts(people(200, 1), tmp_path / "lake")

    def released(out: Path, policy: Policy) -> None:
        with counted_on_engine(str(tmp_path / "lake"), COLUMNS, engine=engine) as there:
            release_by_blocks(there, words_of(there), SCHEMA, policy, Output(out))

    assert "takes such a name for another" in message(lambda: released(tmp_path / "{out}", Policy(3)), InputError)
    monkeypatch.setattr("core.engine.release_rounds.BLOCK", 50)
    assert "cannot be cut" in message(lambda: released(tmp_path / "out", Policy(150)), LimitError)
    parts = sorted((tmp_path / "lake").iterdir())
    # A type that differs, a broken tail, a count of nobody: before and while Spark reads.
    parquet.write_table(pa.table({name: [SECRET] for name in COLUMNS}), parts[1])
    assert "another name or type" in message(lambda: released(tmp_path / "out", Policy(3)), InputError)
    parts[1].write_bytes(parts[0].read_bytes()[:-3])
    assert "is damaged" in message(lambda: released(tmp_path / "out", Policy(3)), InputError)
    parts[1].unlink()
    changed = monkeypatch.setattr
    old = Spark.give

    def give(self: Spark, name: str, content: Any, more: bool = False) -> None:
        if name == "picks":
            parquet.write_table(people(30, 2), parts[0])
        old(self, name, content, more)

    changed(Spark, "give", give)
    assert "was changed while" in message(lambda: released(tmp_path / "out", Policy(3)), InputError)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lake", "work"]


def test_dates_and_instants_far_from_today_stay(spark: Any, tmp_path: Path) -> None:
    rows = [(datetime(9999, 12, 31, 1, 2, 3), date(1111, 11, 11)), (datetime(1200, 1, 1), date(1, 1, 1))]
    frame = spark.createDataFrame(rows, "at timestamp_ntz, day date")
    expected = frequency_table_of_frame(frame, ["at", "day"])
    assert expected.table.column("day").labels == ("0001-01-01", "1111-11-11")
    with counted_from_frame(frame, ["at", "day"], EngineBudget(work=str(tmp_path))) as there:
        same(there.frequency_table(), expected)
    writes = "spark.sql.parquet.datetimeRebaseModeInWrite"
    spark.conf.set(writes, "LEGACY")
    try:
        with pytest.raises(ParameterError, match="set it to CORRECTED"), spark_of(spark, str(tmp_path)):
            pass
    finally:
        spark.conf.unset(writes)
