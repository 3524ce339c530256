"""Tables larger than memory, from generated files to a measured release: ``python -m benchmarks --only engine``.

The rows are made on disk by the engine, in the folder that ``--work`` names, and removed at the
end. Each step is a command of its own (``python -m core frequency-table``, ``release``, ``measure``,
``attack``) in a process of its own, whose time, processor time and highest memory are the
system's count.
"""

from __future__ import annotations

import argparse
import json
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
from benchmarks.markdown import table as markdown
from core import Policy, Schema
from core.engine import EngineBudget, counted_on_engine, measure_files, words_of, write_example_rows
from core.engine.blocks import side_by_side
from core.engine.example_rows import PERSON

ROWS = (1_000_000, 10_000_000)
MEMORY = "4GB"
SPARK = ["--engine", "spark"]
"""On all processors of this machine."""
MOST_TALLIED = 20_000_000
"""Records up to which any table has a frequency table that fits into memory."""
HEADER = ("table", "records", "step", "wall", "processor", "highest memory", "distinct rows or classes")
TABLES = {"A: few distinct rows": 0, "B: and 8 places": 8, "C: and 30,000 places": 30_000}


JOINED = 5_500_000
"""Records of each of two hospitals that are joined."""
SHARED = 10 / 55
"""Part of them whose people are in both."""
CURVE = (2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000)
LEFT_OUT = {"A: without the country": ["country"], "A: few distinct rows": []}
"""Quasi-identifiers that the attack on joined hospitals does without."""


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


def generate(folder: Path, people: range, places: int) -> tuple[str, ...]:
    """Write the rows of some people as Parquet files; return the quasi-identifiers, the place only if there are any."""
    _, *qids, _ = write_example_rows(folder, people, places or 1)
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
    qids = generate(folder, range(rows), TABLES[name])
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


PARTS = (
    "count distinct rows (engine)",
    "labels of the columns",
    "codes (engine)",
    "rounds at the top (engine)",
    "blocks cut, published and written",
    "measured",
)


def parts(work: Path, pattern: str, qids: Sequence[str], threads: int, most: int | None = None) -> list[float]:
    """Seconds of each of :data:`PARTS` of a release by blocks, by the wall, with so many threads and workers."""
    from core.engine import release_rounds

    bounds, schema = EngineBudget(MEMORY, threads, str(work)), Schema(tuple(qids), "diagnosis", unassigned="drop")
    seconds, folder = [0.0] * len(PARTS), work / "by parts"
    folder.mkdir()

    def since(begin: float, part: int) -> float:
        now = time.perf_counter()
        seconds[part] += now - begin
        return now

    try:
        began = time.perf_counter()
        with counted_on_engine(pattern, (*qids, "diagnosis"), bounds) as there:
            began = since(began, 0)
            words = words_of(there)
            began = since(began, 1)
            top = release_rounds.top_of(there, words, schema, Policy(5))
            began = since(began, 2)
            known = top.blocks(most=most)
            began = since(began, 3)
            blocks = top.given_out(known, folder, "parquet")
            for _ in side_by_side(blocks, int(known.records.sum()), threads):
                pass
            top.forget()
            began = since(began, 4)
            measure_files(str(folder), tuple(qids), "diagnosis", bounds)
            since(began, 5)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return seconds


def by_threads(work: Path, rows: int, quick: bool) -> Iterator[tuple[str, ...]]:
    """Lines of the parts of the hardest table with one and two threads."""
    name = list(TABLES)[-1]
    folder = work / "rows"
    qids = generate(folder, range(rows), TABLES[name])
    try:
        one, two = (parts(work, f"{folder}/*.parquet", qids, threads, 5_000 if quick else None) for threads in (1, 2))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for part, first, second in zip(PARTS, one, two, strict=True):
        yield (part, table.seconds(first), table.seconds(second), f"{first / second:.1f}")


def joined(work: Path, rows: int) -> Iterator[tuple[str, ...]]:
    """Attack two hospitals of so many records each, joined by the person column, and give the lines of the table."""
    mine, other, shared = work / "mine", work / "other", round(rows * SHARED)
    try:
        qids = generate(mine, range(rows), 0)
        generate(other, range(rows - shared, 2 * rows - shared), 0)
        for name, without in LEFT_OUT.items():
            roles = ["--qids", ",".join(qid for qid in qids if qid not in without), "--sensitive", "diagnosis"]
            folders = ["--data", f"{mine}/*.parquet", "--others", str(other), "--person", PERSON]
            bounds = ["--memory", MEMORY, "--work", str(work)]
            curve = ["-k", str(CURVE[0]), "--curve-k", ",".join(map(str, CURVE[1:])), "--json"]
            took = timed([sys.executable, "-m", "core", "attack", *folders, *roles, *bounds, *curve])
            people = json.loads(took.output)["numbers"]["one_value_left"]["n"]
            assert people == shared, "everybody who is in both is attacked"
            megabytes = f"{took.megabytes:,.0f} MB"
            spent = (table.seconds(took.wall), table.seconds(took.processor), megabytes)
            yield (name, f"2 x {rows:,}", f"attack, {len(CURVE)} values of k", *spent, f"{people:,} people in both")
    finally:
        shutil.rmtree(mine, ignore_errors=True)
        shutil.rmtree(other, ignore_errors=True)


def main(asked: argparse.Namespace) -> int:
    """Run every step on every table and print the lines; with ``--write``, put them into benchmarks/README.md."""
    try:
        import duckdb
    except ImportError:
        print("The engine is DuckDB: install requirements-dev.txt, as 'make test' does.")
        return 1
    facts = f"DuckDB {duckdb.__version__} with at most {MEMORY}; {table.machine()}.{table.load()}"
    pairs = []
    with tempfile.TemporaryDirectory(dir=asked.work) as folder:
        for cells in joined(Path(folder), 11_000 if asked.quick else asked.joined or JOINED):
            print(*cells, sep=" | ", file=sys.stderr, flush=True)
            pairs.append(table.Line(cells))
    text = table.markdown(pairs, (*HEADER[:-1], "people"), HEADER[3:6])
    print(text, facts, sep="\n\n", end="\n\n")
    if asked.write:
        table.write("joined", f"Measured on {asked.date}: {facts}\n\n{text}")
    return 0 if asked.joined else _tables(asked)


def _tables(asked: argparse.Namespace) -> int:
    import duckdb

    load, lines = table.load(), []
    sizes = (20_000,) if asked.quick else (asked.records,) if asked.records else ROWS
    with tempfile.TemporaryDirectory(dir=asked.work) as folder:
        for rows in sizes:
            for name in list(TABLES)[:2] if asked.quick else TABLES:
                for cells in steps(Path(folder), name, rows):
                    print(*cells, sep=" | ", file=sys.stderr, flush=True)
                    lines.append(table.Line(cells))
        split = [*by_threads(Path(folder), sizes[-1] if len(sizes) > 1 or asked.quick else sizes[0], asked.quick)]
    facts = f"DuckDB {duckdb.__version__} with at most {MEMORY}; {table.machine()}.{load}"
    apart = "\n".join(markdown(("Part of a release by blocks", "1 worker", "2 workers", "times"), split, 1))
    text = f"{table.markdown(lines, HEADER, HEADER[3:6])}\n\nThe hardest table, part by part:\n\n{apart}"
    print(text, facts, sep="\n\n")
    if asked.write:
        table.write("engine", f"Measured on {asked.date}: {facts}\n\n{text}")
    return 0
