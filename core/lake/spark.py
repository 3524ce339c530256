"""Spark on this machine counts the distinct rows of files, and DuckDB holds them.

Spark is started for one count, reads the files, writes their distinct rows into the work folder
and is ended; from there on everything is as if DuckDB had counted. Everything that Spark would log, open, keep or
request by default is turned off. For a cluster, a script passes a DataFrame of its session to
:func:`core.lake.lazy_frames.frequency_table_of_frame`.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import subprocess
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from core.base.arrays import Progress, part
from core.base.errors import InputError, MemoryShortError, MissingPackageError, ParameterError
from core.base.errors import shown_name as shown
from core.lake.counting import OnEngine, Source, source_of, without_past
from core.lake.engine import LOOK, EngineBudget
from core.lake.file_patterns import PARQUET, Files, files_of
from core.lake.lazy_frames import grouped, load_into_duckdb, quietly
from core.lake.work import shared_work_folder

LEAST = 512 * 10**6
"""Bytes of memory below which Spark does not start."""
SETTINGS = ("SPARK_", "PYSPARK_", "HADOOP_", "YARN_")
"""Prefixes of the variables that configure Spark; only this module sets them here."""
STAGES = 2
"""Stages of a count: each worker counts its own rows, then the counts are added up and written."""
UNSTARTED = "Spark does not start: it needs Java 17 or later, and the memory that it is given"
UNREAD = "Spark cannot read the files"
PATIENCE = 30.0
"""Seconds in which Java must end."""


@contextmanager
def counted_by_spark(
    pattern: str,
    columns: Sequence[str],
    bounds: EngineBudget,
    *,
    master: str | None = None,
    decimal: str | None = None,
    count: str | None = None,
    progress: Progress | None = None,
) -> Iterator[OnEngine]:
    """Count the distinct rows of all Parquet files that a pattern names with Spark, and leave them with DuckDB.

    Parameters
    ----------
    pattern, columns, decimal, count, progress
        As for :func:`core.lake.counting.frequency_table_of_files`.
    bounds
        Resources of Spark, and of DuckDB once Spark has ended; with a work folder.
    master
        ``local[2]`` for two threads on this machine, ``local[*]`` for as many as it has processors; the threads of
        ``bounds`` by default.

    Raises
    ------
    ParameterError
        If the master is not on this machine, there is no work folder, too little memory, or no Java.
    InputError
        As for :func:`core.lake.counting.frequency_table_of_files`, or if the files are text or have names that Spark
        skips.
    LimitError
        If the memory or the disk does not suffice.
    MissingPackageError
        If PySpark, Narwhals, DuckDB or pyarrow is not installed.

    Notes
    -----
    Every record is read once, O(records). Spark keeps the data exchanged between its threads and the distinct rows in
    the work folder, whatever its memory; both are removed, even if this process is killed.
    """
    with without_past():
        own = _master(master, bounds)
        if bounds.work is None:
            raise ParameterError(
                "Spark keeps what it counts on the disk; name a work folder, which is emptied at the end.",
                parameter="work",
            )
        if re.search(r'[][{}*?\\:,"\s]', str(Path(bounds.work).absolute())):
            raise InputError(
                'The path of the work folder has a space or one of []{}*?\\:," in it, and Spark takes it for another; '
                "name one without.",
                parameter="work",
            )
        if bounds.bytes < LEAST:
            raise ParameterError("Spark needs a memory of 512MB at least.", parameter="memory")
        files = files_of(pattern)
        _check_files(files)
        _check_there()
        source = source_of(files, columns, None, count)
        with shared_work_folder(bounds.work) as (folder, line):
            place = Path(folder).absolute() / "rows.parquet"
            with _session(own, bounds, str(place.parent), line) as spark:
                _count(spark, files, source, place, part(progress, 0.0, 0.9))
            with load_into_duckdb(place, columns, bounds, decimal, source, files, part(progress, 0.9)) as there:
                yield there


def _master(master: str | None, bounds: EngineBudget) -> str:
    if master is None:
        return f"local[{bounds.threads or '*'}]"
    if not re.fullmatch(r"local(\[([1-9][0-9]{0,3}|\*)\])?", master):
        raise ParameterError(
            "The master is local, local[N] or local[*]: Spark is started on this machine alone. On a cluster, give a "
            "DataFrame of your own session to core.lake.frequency_table_of_frame.",
            parameter="master",
        )
    return master


def _check_there() -> None:
    for package in ("pyspark", "narwhals", "duckdb"):
        if find_spec(package) is None:
            raise MissingPackageError(package, "count with Spark")
    home = os.environ.get("JAVA_HOME")
    if not (Path(home, "bin", "java").is_file() if home else shutil.which("java")):
        raise ParameterError(
            "Spark needs Java 17 or later, and there is none; install it, or say in JAVA_HOME where it is.",
            parameter="engine",
        )


def _check_files(files: Files) -> None:
    """Refuse files that Spark would read differently, or not at all."""
    if files.file_format != PARQUET:
        raise InputError("Spark reads the cells of text files differently; count them with DuckDB, or as Parquet.")
    for path in files.paths:
        # With such a letter, even in a folder, Spark reads each of several files once per file.
        if Path(path).name.startswith(("_", ".")) or re.search(r"[][{}*?\\:]", path):
            raise InputError(
                f"The name of {shown(Path(path).name)} begins with _ or ., or it or its folder has one of []{{}}*?\\: "
                "in it, and Spark takes such a name for another; rename it."
            )


@contextmanager
def _session(master: str, bounds: EngineBudget, folder: str, line: int) -> Iterator[Any]:
    """Start Spark with only what it needs to count, and stop it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns about versions of other packages, now and at the first count
        yield from _started(master, bounds, folder, line)


def _started(master: str, bounds: EngineBudget, folder: str, line: int) -> Iterator[Any]:
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    if SparkContext._gateway is not None:  # noqa: SLF001 - there is no other way to know
        raise ParameterError(
            "This process already has a Spark session; give a DataFrame of it to core.lake.frequency_table_of_frame.",
            parameter="engine",
        )
    settings = SparkConf(loadDefaults=False)
    settings.setAll(list(_settings(master, bounds, folder).items()))
    logging.getLogger("py4j").setLevel(logging.CRITICAL + 1)  # it logs every error with its text
    gateway = None
    try:
        with _variables_away():
            # Messages of Java may hold cells.
            quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "pass_fds": [line]}
            gateway = quietly(lambda: launch_gateway(settings, quiet), UNSTARTED)
            context = quietly(lambda: SparkContext(conf=settings, gateway=gateway), UNSTARTED)
            spark = SparkSession(context)
        yield spark
    except InputError:
        if gateway is None or not _has_ended(gateway):
            raise
        raise MemoryShortError(
            f"Spark's memory of {bounds.memory} does not suffice; raise it.", parameter="memory"
        ) from None
    finally:
        if gateway is not None:
            _end(gateway)


def _settings(master: str, bounds: EngineBudget, folder: str) -> dict[str, str]:
    java = ["-XX:-UsePerfData", "-XX:+ExitOnOutOfMemoryError", "-Duser.timezone=UTC"]
    return {
        "spark.master": master,
        "spark.app.name": "composition",
        "spark.driver.memory": f"{bounds.bytes // 10**6 * 10**6 // 2**20}m",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.eventLog.enabled": "false",
        "spark.local.dir": folder,
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
        "spark.sql.artifact.isolation.enabled": "false",
        "spark.driver.extraJavaOptions": " ".join([*java, f'"-Djava.io.tmpdir={folder}"']),
        # Names and values as they are in the files.
        "spark.sql.caseSensitive": "true",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.timeType.enabled": "true",
        "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
        "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
        "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
        "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
        "spark.sql.files.ignoreMissingFiles": "false",
        "spark.sql.files.ignoreCorruptFiles": "false",
    }


@contextmanager
def _variables_away() -> Iterator[None]:
    """Hide the variables that configure Spark: they may name another Spark, or another disk."""
    before = {name: value for name, value in os.environ.items() if name.startswith(SETTINGS)}
    try:
        for name in before:
            del os.environ[name]
        yield
    finally:
        os.environ.update(before)


def _has_ended(gateway: Any) -> bool:
    """Whether Java ended by itself, as it does when its memory is exhausted."""
    with suppress(subprocess.TimeoutExpired):
        gateway.proc.wait(1)
    return gateway.proc.poll() is not None


def _end(gateway: Any) -> None:
    """Stop Java by closing its input, or by force; forget it, so that another can be started."""
    from py4j.protocol import Py4JError
    from pyspark import SparkContext

    with suppress(Py4JError, OSError):
        if SparkContext._active_spark_context is not None:  # noqa: SLF001 - as above
            SparkContext._active_spark_context.stop()  # noqa: SLF001 - as above
    with suppress(Py4JError, OSError):
        gateway.shutdown()
    gateway.proc.stdin.close()
    try:
        gateway.proc.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        gateway.proc.kill()
        gateway.proc.wait()
    # A context whose Java has ended by itself cannot be stopped.
    SparkContext._active_spark_context = SparkContext._gateway = SparkContext._jvm = None  # noqa: SLF001


def _count(spark: Any, files: Files, source: Source, place: Path, progress: Progress | None) -> None:
    # These are literal names, not patterns.
    frame = quietly(lambda: spark.read.option("__globPaths__", "false").parquet(*files.paths), UNREAD)
    rows = grouped(frame, source.columns, source.count)
    _run(spark, lambda: rows.write(place), progress)


def _run(spark: Any, work: Callable[[], None], progress: Progress | None) -> None:
    """Do some work; ``progress`` is called ten times a second and may raise to cancel it."""
    from py4j.protocol import Py4JError

    context, seen = spark.sparkContext, list[int]()
    with ThreadPoolExecutor(1) as thread:
        working = thread.submit(work)
        try:
            while wait([working], LOOK).not_done:
                if progress is not None:
                    progress(_share(context.statusTracker(), seen))
        finally:
            # Repeatedly, because between two stages there is nothing to cancel.
            while not working.done():
                with suppress(Py4JError, OSError):
                    context.cancelAllJobs()
                wait([working], LOOK)
        working.result()


def _share(tracker: Any, seen: list[int]) -> float:
    """Share of the tasks that are done, by the stages seen so far."""
    share = max(0, len(seen) - 1)
    for stage in tracker.getActiveStageIds():
        if stage not in seen:
            seen.append(stage)
        info = tracker.getStageInfo(stage)
        if info is not None and info.numTasks:
            share = len(seen) - 1 + info.numCompletedTasks / info.numTasks
    return min(1.0, share / STAGES)
