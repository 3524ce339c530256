"""A session of Spark Connect, whose server does the work: the frequency table of DuckDB."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from core.engine import frequency_table_of_files
from tests.folders import invented
from tests.source import ROOT
from tests.sparks import has_spark

pytest.importorskip("duckdb", reason="the engine is optional: pip install duckdb")
pytest.importorskip("grpc", reason="what a session of a server needs is optional: make test-spark installs it")
WHY = has_spark()
pytestmark = pytest.mark.skipif(WHY is not None, reason=WHY or "")
COLUMNS = ("age", "sex", "education", "place", "diagnosis")
IN_A_SESSION = """
import json, sys, warnings
from pathlib import Path

warnings.simplefilter("ignore")
from pyspark.sql import SparkSession
from core.engine import frequency_table_of_files, frequency_table_of_frame, spark_of
from tests.core.test_engine_spark_connect import COLUMNS

folder = Path(sys.argv[1])
spark = SparkSession.builder.remote("local[2]").config("spark.local.dir", str(folder / "work")).getOrCreate()
try:
    shares = []
    with spark_of(spark, str(folder / "work")) as held:
        files = frequency_table_of_files(str(folder / "data"), COLUMNS, engine=held, progress=shares.append)
    frame = frequency_table_of_frame(spark.read.parquet(str(folder / "data")), COLUMNS)
    left = [path.name for path in (folder / "work").iterdir() if path.name.startswith("composition-")]
    answer = {"ids": [files.content_id, frame.content_id], "left": left, "shares": shares == sorted(shares)}
    print(json.dumps(answer | {"runs": spark.range(3).count()}))
finally:
    spark.stop()
"""


def test_a_session_of_a_server_gives_what_duckdb_gives(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    invented(tmp_path / "data", 20_000, 60)
    command = [sys.executable, "-c", IN_A_SESSION, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    answer = json.loads(done.stdout.splitlines()[-1])
    assert (answer["left"], answer["shares"], answer["runs"]) == ([], True, 3)
    assert set(answer["ids"]) == {frequency_table_of_files(str(tmp_path / "data"), COLUMNS).content_id}
