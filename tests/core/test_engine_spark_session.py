"""The frequency table of files in a session of the caller's: as DuckDB and core have it.

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

from core import FrequencyTable, Schema
from core.base.errors import InputError, LimitError, ParameterError, RepeatedIdentifierError
from core.engine import Spark, files_on_engine, frequency_table_of_files, frequency_table_of_frame, sources, spark_of
from tests.folders import SECRET, in_parts, invented, message, same
from tests.source import ROOT
from tests.sparks import has_spark, session

pytest.importorskip("duckdb", reason="the engine is optional: pip install duckdb")
WHY = has_spark()
pytestmark = pytest.mark.skipif(WHY is not None, reason=WHY or "")

COLUMNS = ("age", "zip", "ward", "grade", "ill")
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
            "ward": rng.choice(["n1", "n2", "e1", "e2"], rows),
            "grade": rng.choice(["low", "mid", "high"], rows),
            "ill": [*["flu", "cold"], *rng.choice(["flu", "cold", "gout", "tb"], rows - 2, p=[0.5, 0.3, 0.15, 0.05])],
        }
    ).astype({"age": "Int64", "ward": object, "ill": object})
    for column, share in (("age", 0.05), ("ward", 0.03), ("ill", 0.02)):
        frame.loc[rng.random(rows) < share, column] = None
    return pa.Table.from_pandas(frame, preserve_index=False)


def test_more_rows_than_the_driver_may_take(engine: Spark, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 1_000_000
    table = pa.table({name: rng.integers(0, 400, rows) for name in "abc"} | {"ill": rng.integers(0, 9, rows)})
    in_parts(table, tmp_path / "lake", parts=4)
    columns = ("a", "b", "c", "ill")
    with files_on_engine(str(tmp_path / "lake"), columns, engine=engine) as there:
        with pytest.raises(Exception, match="maxResultSize"):
            there.engine.rows_of(there.source).to_native().sort("c0").toArrow()
        ours = there.frequency_table()
    assert len(ours) > 990_000
    assert ours.content_id == frequency_table_of_files(str(tmp_path / "lake"), columns).content_id


def test_people_are_checked_by_either_engine(engine: Spark, tmp_path: Path) -> None:
    schema = Schema(COLUMNS[:-1], "ill", identifiers=("id",), unassigned="drop")
    named = people(200, 1).rename_columns(["id", *COLUMNS])
    in_parts(named, tmp_path / "lake")
    in_parts(pa.concat_tables([named] * 2), tmp_path / "twice")
    for by in (engine, None):
        with files_on_engine(str(tmp_path / "lake"), COLUMNS, engine=by) as there:
            there.check_people(schema)
        with (
            pytest.raises(RepeatedIdentifierError, match="id"),
            files_on_engine(str(tmp_path / "twice"), COLUMNS, engine=by) as there,
        ):
            there.check_people(schema)


def test_a_session_keeps_its_settings(spark: Any, tmp_path: Path) -> None:
    in_parts(people(200, 9), tmp_path / "lake")
    (tmp_path / "work").mkdir()
    before, tags = dict(spark.conf.getAll), spark.getTags()
    with spark_of(spark, str(tmp_path / "work")) as engine:
        ours = frequency_table_of_files(str(tmp_path / "lake"), COLUMNS, engine=engine)
    same(ours, frequency_table_of_files(str(tmp_path / "lake"), COLUMNS))
    assert not list((tmp_path / "work").iterdir())
    assert (dict(spark.conf.getAll), spark.getTags()) == (before, tags)
    assert spark.range(3).count() == 3


def test_the_lines_of_the_guide(spark: Any, tmp_path: Path) -> None:
    text = (ROOT / "docs" / "larger.md").read_text(encoding="utf-8")
    (block,) = (block for block in re.findall(r"(?ms)^```python\n(.*?)^```", text) if "spark_of" in block)
    invented(tmp_path / "people", 500)
    (tmp_path / "work").mkdir()
    names: dict[str, Any] = {"spark": spark}
    exec(block.replace("/shared/", f"{tmp_path}/"), names)
    assert names["release"].policy.k == 5
    assert sum(parquet.read_metadata(path).num_rows for path in (tmp_path / "published").iterdir()) == 500


def test_who_cancels_stops_the_work_and_not_the_session(spark: Any, engine: Spark, tmp_path: Path) -> None:
    in_parts(people(50_000, 1), tmp_path / "lake")

    def stop(share: float) -> None:
        if share > 0.3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        frequency_table_of_files(str(tmp_path / "lake"), (*COLUMNS, "number"), engine=engine, progress=stop)
    assert spark.range(3).count() == 3


def test_what_is_refused_leaves_nothing(engine: Spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    in_parts(people(200, 1), tmp_path / "lake")
    in_parts(people(200, 1), tmp_path / "{lake}")

    def counted(name: str = "lake") -> FrequencyTable:
        return frequency_table_of_files(str(tmp_path / name), COLUMNS, engine=engine)

    assert "takes such a name for another" in message(lambda: counted("{lake}"), InputError)
    monkeypatch.setattr(sources, "MOST_TUPLES", 50)
    assert "more than 50 distinct rows" in message(counted, LimitError)
    parts = sorted((tmp_path / "lake").iterdir())
    # A type that differs, and a broken tail: before Spark reads.
    parquet.write_table(pa.table({name: [SECRET] for name in COLUMNS}), parts[1])
    assert "another name or type" in message(counted, InputError)
    parts[1].write_bytes(parts[0].read_bytes()[:-3])
    assert "is damaged" in message(counted, InputError)
    parts[1].unlink()
    old = Spark.stream

    def stream(self: Spark, *how: Any) -> Iterator[Any]:
        parquet.write_table(people(30, 2), parts[0])
        return old(self, *how)

    monkeypatch.setattr(Spark, "stream", stream)
    assert "was changed while" in message(counted, InputError)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lake", "work", "{lake}"]


def test_dates_and_instants_far_from_today_stay(spark: Any, tmp_path: Path) -> None:
    rows = [(datetime(9999, 12, 31, 1, 2, 3), date(1111, 11, 11)), (datetime(1200, 1, 1), date(1, 1, 1))]
    frame = spark.createDataFrame(rows, "at timestamp_ntz, day date")
    expected = frequency_table_of_frame(frame, ["at", "day"])
    assert expected.table.column("day").labels == ("0001-01-01", "1111-11-11")
    frame.write.parquet(str(tmp_path / "rows"))
    with spark_of(spark, str(tmp_path)) as engine:
        pattern = str(tmp_path / "rows" / "*.parquet")
        same(frequency_table_of_files(pattern, ["at", "day"], engine=engine), expected)
    writes = "spark.sql.parquet.datetimeRebaseModeInWrite"
    spark.conf.set(writes, "LEGACY")
    try:
        with pytest.raises(ParameterError, match="set it to CORRECTED"), spark_of(spark, str(tmp_path)):
            pass
    finally:
        spark.conf.unset(writes)
