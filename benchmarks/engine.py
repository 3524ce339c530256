"""Tables larger than memory, from generated files to a measured release: ``python -m benchmarks --only engine``.

The rows are made on disk by the engine, in the folder that ``--work`` names, and removed at the
end. Each step is a command of its own (``python -m core frequency-table``, ``release``, ``measure``,
``attack``) in a process of its own, whose time, processor time and highest memory are the
system's count.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from benchmarks import processes, table
from benchmarks.data import ROOT

ROWS = (1_000_000, 10_000_000)
MEMORY = "4GB"
SPARK = ["--engine", "spark"]
"""On all processors of this machine."""
MOST_TALLIED = 20_000_000
"""Records up to which any table has a frequency table that fits into memory."""
HEADER = ("table", "records", "step", "wall", "processor", "highest memory", "distinct rows or classes")
TABLES = {"A: few distinct rows": 0, "B: and 8 places": 8, "C: and 30,000 places": 30_000}
COLUMNS = {
    "age": "17 + CAST(74 * pow({u}, 1.6) AS INTEGER)",
    "sex": "CASE WHEN {u} < 0.48 THEN 'f' ELSE 'm' END",
    "education": "'e' || CAST(16 * pow({u}, 2) AS INTEGER)",
    "race": "'r' || CAST(5 * pow({u}, 4) AS INTEGER)",
    "country": "'c' || CAST(41 * pow({u}, 12) AS INTEGER)",
    "place": "'p' || lpad(CAST(CAST({places} * pow({u}, 2) AS INTEGER) AS VARCHAR), 5, '0')",
    "diagnosis": "'d' || CAST(14 * pow({u}, 1.5) AS INTEGER)",
}
"""SQL of each column; ``u`` is a share from 0 to 1 that a hash draws for each person and column."""
IN_A_FILE = 5_000_000
"""People of one file."""


@dataclass(frozen=True)
class Took:
    """What a command took: seconds on the wall and of the processor, and megabytes at its highest."""

    wall: float
    processor: float
    megabytes: float
    output: str


def timed(command: Sequence[str]) -> Took:
    """Run a command to its end; stop the benchmark where it fails.

    On Linux what it starts is counted with it; elsewhere the process with its threads alone.
    """
    began = time.perf_counter()
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=subprocess.STDOUT)
        watch = processes.Watch(process.pid)
        _, status, used = os.wait4(process.pid, 0)
        watch.stop()
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - began
        out.seek(0)
        said = out.read()
    if process.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command[:4])} ended with {process.returncode}:\n{said[-2000:]}")
    # Linux counts kilobytes, macOS bytes.
    scale = 1e-6 if sys.platform == "darwin" else 1024e-6
    own = used.ru_utime + used.ru_stime
    return Took(wall, max(own, watch.seconds), max(watch.megabytes, used.ru_maxrss * scale), said)


def generate(folder: Path, people: int, places: int) -> tuple[str, ...]:
    """Write the rows of some people as Parquet files; return the quasi-identifiers, the place only if there are any."""
    import duckdb

    folder.mkdir()
    columns = {
        column: sql.format(u=f"(hash(i * {len(COLUMNS)} + {number}) / 18446744073709551616.0)", places=places or 1)
        for number, (column, sql) in enumerate(COLUMNS.items())
    }
    drawn = ", ".join(f"{sql} AS {column}" for column, sql in columns.items())
    with duckdb.connect() as engine:
        for first in range(0, people, IN_A_FILE):
            rows = engine.sql(f"SELECT {drawn} FROM range({first}, {min(people, first + IN_A_FILE)}) AS people(i)")  # noqa: S608 - ours
            rows.write_parquet(str(folder / f"{first}.parquet"))
    *qids, _ = COLUMNS
    return tuple(name for name in qids if places or name != "place")


def counted(path: Path) -> int:
    """Rows of the Parquet files of a folder, or of one."""
    import pyarrow.parquet as parquet

    return sum(parquet.ParquetFile(file).metadata.num_rows for file in parts_of(path))


def parts_of(path: Path) -> list[Path]:
    """Files of a folder, or one."""
    return [path] if path.is_file() else sorted(path.glob("*.parquet"))


def steps(work: Path, name: str, rows: int) -> Iterator[tuple[str, ...]]:
    """Generate one table, run every step, and give the lines of the table."""
    folder = work / "rows"
    qids = generate(folder, rows, TABLES[name])
    roles = ["--qids", ",".join(qids), "--sensitive", "diagnosis"]
    rows_of = ["--data", f"{folder}/*.parquet", *roles, "--memory", MEMORY, "--work", str(work)]
    core = [sys.executable, "-m", "core"]
    frequencies, by_spark, published = work / "frequencies.parquet", work / "by_spark", work / "published"
    counts = ["--data", str(frequencies), "--count", "count", *roles]

    def line(step: str, took: Took, what: str) -> tuple[str, ...]:
        megabytes = f"{took.megabytes:,.0f} MB"
        return (name, f"{rows:,}", step, table.seconds(took.wall), table.seconds(took.processor), megabytes, what)

    try:
        if rows <= MOST_TALLIED or not TABLES[name]:
            took = timed([*core, "frequency-table", *rows_of, "--out", str(frequencies)])
            yield line("frequency-table", took, f"{counted(frequencies):,} distinct")
            if find_spec("pyspark"):
                took = timed([*core, "frequency-table", *rows_of, *SPARK, "--out", str(by_spark)])
                if by_spark.read_bytes() != frequencies.read_bytes():
                    raise SystemExit("Spark has another frequency table than DuckDB.")
                by_spark.unlink()
                yield line("frequency-table by Spark", took, f"{counted(frequencies):,} distinct")
        release = [*core, "release", *rows_of, "-k", "5", "--algorithm", "mondrian"]
        took = timed([*release, "--out", str(published)])
        yield line("release, Mondrian, k = 5, measured and written", took, f"{counted(published):,} rows")
        if find_spec("pyspark"):
            took = timed([*release, *SPARK, "--out", str(by_spark)])
            if [path.read_bytes() for path in parts_of(by_spark)] != [
                path.read_bytes() for path in parts_of(published)
            ]:
                raise SystemExit("Spark has another release than DuckDB.")
            shutil.rmtree(by_spark)
            yield line("the same by Spark", took, f"{counted(published):,} rows")
        took = timed([*core, "measure", "--data", str(published), *roles, "--memory", MEMORY, "--work", str(work)])
        yield line("measure of the published files", took, table.NONE)
        if frequencies.exists() and not TABLES[name]:
            took = timed([*core, "attack", *counts, "-k", "100", "--overlap", str(rows // 10), "--repeats", "1"])
            yield line("attack from the frequency table, k = 100, a tenth shared, one draw", took, table.NONE)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.rmtree(published, ignore_errors=True)
        shutil.rmtree(by_spark, ignore_errors=True)
        frequencies.unlink(missing_ok=True)


def main(asked: argparse.Namespace) -> int:
    """Run every step on every table and print the lines; with ``--write``, put them into benchmarks/README.md."""
    try:
        import duckdb
    except ImportError:
        print("The engine is DuckDB: install requirements-dev.txt, as 'make test' does.")
        return 1
    load, lines = table.load(), []
    sizes = (20_000,) if asked.quick else (asked.records,) if asked.records else ROWS
    with tempfile.TemporaryDirectory(dir=asked.work) as folder:
        for rows in sizes:
            for name in list(TABLES)[:2] if asked.quick else TABLES:
                for cells in steps(Path(folder), name, rows):
                    print(*cells, sep=" | ", file=sys.stderr, flush=True)
                    lines.append(table.Line(cells))
    facts = f"DuckDB {duckdb.__version__} with at most {MEMORY}; {table.machine()}.{load}"
    text = table.markdown(lines, HEADER, HEADER[3:6])
    print(text, facts, sep="\n\n")
    if asked.write:
        table.write("engine", f"Measured on {asked.date}: {facts}\n\n{text}")
    return 0
