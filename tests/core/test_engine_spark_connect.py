"""A session of Spark Connect, whose server does the work: the files, classes and people of DuckDB."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from core import Policy, Schema
from core.engine import (
    ClassFile,
    Output,
    counted_on_engine,
    frequency_table_of_files,
    measure_files,
    release_by_blocks,
    shared_people,
    words_of,
    write_example_rows,
)
from tests.source import ROOT
from tests.sparks import has_spark

pytest.importorskip("duckdb", reason="the engine is optional: pip install duckdb")
pytest.importorskip("grpc", reason="what a session of a server needs is optional: make test-spark installs it")
WHY = has_spark()
pytestmark = pytest.mark.skipif(WHY is not None, reason=WHY or "")
QIDS = ("age", "sex", "education", "place")
SCHEMA = Schema(QIDS, "diagnosis", unassigned="drop")
IN_A_SESSION = """
import json, sys, warnings
from pathlib import Path

warnings.simplefilter("ignore")
from pyspark.sql import SparkSession
from core.engine import (
    EngineBudget, counted_from_frame, frequency_table_of_frame, measure_files, shared_people, spark_of
)
from tests.core.test_engine_spark_connect import QIDS, SCHEMA, released

folder = Path(sys.argv[1])
spark = SparkSession.builder.remote("local[2]").config("spark.local.dir", str(folder / "work")).getOrCreate()
try:
    shares = []
    with spark_of(spark, str(folder / "work")) as held:
        rows = released(folder, "spark", held, shares.append)
        measured = measure_files(str(folder / "spark"), QIDS, "diagnosis", engine=held)
        both = shared_people([str(folder / "data"), str(folder / "other")], SCHEMA.with_(person="id"), engine=held)
    frame = spark.read.parquet(str(folder / "data"))
    with counted_from_frame(frame, SCHEMA.counted, EngineBudget(work=str(folder / "work"))) as there:
        ids = [there.frequency_table().content_id, frequency_table_of_frame(frame, SCHEMA.counted).content_id]
    left = [path.name for path in (folder / "work").iterdir() if path.name.startswith("composition-")]
    answer = {"rows": rows, "numbers": measured.numbers, "people": both.people, "groups": both.rows.tolist()}
    answer |= {"ids": ids, "left": left, "shares": shares == sorted(shares), "runs": spark.range(3).count()}
    print(json.dumps(answer))
finally:
    spark.stop()
"""


def released(folder: Path, out: str, engine: object = None, progress: object = None) -> int:
    """Release in blocks of at most 5,000 distinct rows, with the class of each row; the number of distinct rows."""
    with counted_on_engine(str(folder / "data"), SCHEMA.counted, engine=engine) as there:  # type: ignore[arg-type]
        classes = ClassFile(folder / f"{out}.parquet", "id")
        output = Output(folder / out, classes=classes)
        return release_by_blocks(there, words_of(there), SCHEMA, Policy(20), output, 5_000, progress).rows  # type: ignore[arg-type]


def test_a_session_of_a_server_gives_what_duckdb_gives(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    write_example_rows(tmp_path / "data", range(20_000), 60)
    write_example_rows(tmp_path / "other", range(15_000, 30_000), 60)
    command = [sys.executable, "-c", IN_A_SESSION, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    answer = json.loads(done.stdout.splitlines()[-1])
    assert (answer["left"], answer["shares"], answer["runs"]) == ([], True, 3)
    assert answer["rows"] == released(tmp_path, "duckdb")
    by_each = [{path.name: path.read_bytes() for path in (tmp_path / one).iterdir()} for one in ("spark", "duckdb")]
    assert by_each[0] == by_each[1]
    assert len(by_each[0]) > 3
    classes = [pd.read_parquet(tmp_path / f"{one}.parquet").sort_values("id") for one in ("spark", "duckdb")]
    pd.testing.assert_frame_equal(*(frame.reset_index(drop=True) for frame in classes))
    assert answer["numbers"] == measure_files(str(tmp_path / "duckdb"), QIDS, "diagnosis").numbers
    twin = shared_people([str(tmp_path / "data"), str(tmp_path / "other")], SCHEMA.with_(person="id"))
    assert (answer["people"], answer["groups"]) == (5_000, twin.rows.tolist())
    assert set(answer["ids"]) == {frequency_table_of_files(str(tmp_path / "data"), SCHEMA.counted).content_id}
