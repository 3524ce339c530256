"""Spark on this machine, on a cluster, or in a session of the caller's own.

It reads the files and counts their distinct rows, which reach core through the work folder and never through the
driver. What a Spark of our own would log,
open, keep or request by default is turned off; a session of the caller's is left as it is.
"""

from __future__ import annotations

import logging
import os
import re
import secrets
import shutil
import subprocess
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import narwhals as nw
from pyarrow import parquet

from core.base.arrays import Progress
from core.base.errors import InputError, MemoryShortError, MissingPackageError, ParameterError
from core.base.errors import shown_name as shown
from core.engine.file_patterns import PARQUET, Files, files_of
from core.engine.interface import BATCH, quietly, without_past
from core.engine.lazy_frames import chosen
from core.engine.on_duckdb import LOOK, EngineBudget
from core.engine.sources import Source
from core.engine.work import work_folder

LEAST = 512 * 10**6
"""Bytes of memory below which Spark does not start."""
SETTINGS = ("SPARK_", "PYSPARK_", "HADOOP_", "YARN_")
"""Prefixes of the variables that configure Spark; only this module sets them here."""
STAGES = 2
"""Stages of a step: each worker counts its own rows, then the counts are added up and written."""
LOGGERS = ("py4j", "DataFrameQueryContextLogger", "SQLQueryContextLogger")
"""Loggers of PySpark."""
LOOPBACK = re.compile(r"spark://(127\.0\.0\.1|localhost|\[::1\])[:,]")
REBASED = "spark.sql.parquet.datetimeRebaseModeInWrite"
UNSTARTED = "Spark does not start: it needs Java 17 or later, and the memory that it is given"
UNREAD = "Spark cannot read the files"
UNWORKED = "Spark cannot work on the rows"
PATIENCE = 30.0
"""Seconds in which Java must end."""


class Spark:
    """A session of Spark, and a folder that its workers and this process have in common."""

    def __init__(self, session: Any, folder: str) -> None:
        self._session, self._folder = session, Path(folder).absolute()

    def rows_of(self, source: Source) -> nw.LazyFrame[Any]:
        """Return the rows of some files, not yet read; see :class:`core.engine.interface.Engine`.

        Raises
        ------
        InputError
            If they are text, or have names that Spark takes for others.
        """
        _check_files(source.files)
        # These are literal names, not patterns.
        reader = self._session.read.option("__globPaths__", "false")
        frame = quietly(lambda: reader.parquet(*source.files.paths), UNREAD)
        return chosen(frame, source.columns, source.count).frame

    def stream(self, frame: nw.LazyFrame[Any], progress: Progress | None = None) -> Iterator[Any]:
        """Let the workers write the rows of a frame into the work folder, read them there, and remove them."""
        place, native = self._folder / f"table-{secrets.token_hex(8)}", frame.to_native()
        try:
            self._run(lambda: native.write.parquet(str(place)), progress)
            for path in sorted(place.glob("*.parquet")):
                # By default Spark writes instants in a form that Arrow reads as nanoseconds, which end in 2262.
                with parquet.ParquetFile(path, coerce_int96_timestamp_unit="us") as file:
                    yield from file.iter_batches(BATCH)
                path.unlink()
        finally:
            shutil.rmtree(place, ignore_errors=True)

    def _run(self, work: Callable[[], None], progress: Progress | None = None) -> None:
        """Do some work; ``progress`` is called ten times a second and may raise to cancel it."""
        session, seen, tag = self._session, list[int](), f"composition-{secrets.token_hex(8)}"
        context = getattr(session, "sparkContext", None)  # a session of Spark Connect has none

        def tagged() -> None:
            session.addTag(tag)
            work()

        with ThreadPoolExecutor(1) as thread:
            working = thread.submit(quietly, tagged, UNWORKED)
            try:
                while wait([working], LOOK).not_done:
                    if progress is not None:
                        progress(0.0 if context is None else _share(context.statusTracker(), seen))
            finally:
                # Repeatedly, because between two stages there is nothing to cancel.
                while not working.done():
                    with suppress(Exception):  # Java may have ended
                        session.interruptTag(tag)
                    wait([working], LOOK)
            working.result()


def _check_files(files: Files) -> None:
    if files.file_format != PARQUET:
        raise InputError("Spark reads the cells of text files differently; count them with DuckDB, or as Parquet.")
    for path in map(Path, files.paths):
        # With such a letter, even in a folder, Spark reads each of several files once per file.
        if path.name.startswith(("_", ".")) or re.search(r"[][{}*?\\:]", str(path)):
            raise InputError(
                f"The name of {shown(path.name)} begins with _ or ., or it or its folder has one of []{{}}*?\\: "
                "in it, and Spark takes such a name for another; rename it."
            )


@contextmanager
def started_spark(bounds: EngineBudget, master: str | None = None, patterns: Sequence[str] = ()) -> Iterator[Spark]:
    """Start Spark, and stop it at the end.

    Parameters
    ----------
    bounds
        Memory of Spark's driver and of each of its executors, threads on this machine, and the work folder, which the
        workers of a cluster must have in common with this process.
    master
        ``local[2]`` for two threads on this machine, ``local[*]`` for as many as it has processors; the threads of
        ``bounds`` by default. ``spark://host:7077`` for a cluster.
    patterns
        Files that it is to read, refused before it is started.

    Raises
    ------
    ParameterError
        If the master is neither, there is no work folder, too little memory, or no Java.
    InputError
        If the work folder cannot be used.
    LimitError
        If the memory or the disk does not suffice.
    MissingPackageError
        If PySpark is not installed.

    Notes
    -----
    Spark keeps the data exchanged between its threads and all tables in the work folder, whatever its memory; both are
    removed, even if this process is killed. The workers of a cluster exchange data in folders of their own.
    """
    # It warns about versions of other packages, now and at the first count.
    with without_past(), _quiet_logs(), warnings.catch_warnings(action="ignore"):
        own, work = _master(master, bounds), _work(bounds.work)
        if bounds.bytes < LEAST:
            raise ParameterError("Spark needs a memory of 512MB at least.", parameter="memory")
        for pattern in patterns:
            _check_files(files_of(pattern))
        _check_there()
        with work_folder(work) as (folder, line), _session(own, bounds, folder, line) as session:
            yield Spark(session, folder)


@contextmanager
def spark_of(session: Any, work: str | None) -> Iterator[Spark]:
    """Use a session of Spark that the caller has; its settings are left as they are, and it is not stopped.

    Parameters
    ----------
    session
        A ``SparkSession``.
    work
        The work folder, which its workers must have in common with this process.

    Raises
    ------
    ParameterError, InputError
        If there is no work folder, it cannot be used, or the session shifts old dates as it writes them.
    """
    if session.conf.get(REBASED) == "LEGACY":
        raise ParameterError(
            f"{REBASED} is LEGACY, which shifts dates before 1582 in the tables that are held; set it to CORRECTED.",
            parameter="session",
        )
    with without_past(), _quiet_logs(), work_folder(_work(work)) as (folder, _):
        yield Spark(session, folder)


@contextmanager
def _quiet_logs() -> Iterator[None]:
    """Let no error be logged, since its text may hold a cell."""
    loggers = [logging.getLogger(name) for name in LOGGERS]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    # An interrupt ends a call to Java, which Py4J reports to the root logger.
    root = logging.getLogger()
    root.addFilter(_is_of_others)
    try:
        yield
    finally:
        root.removeFilter(_is_of_others)
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)


def _is_of_others(record: logging.LogRecord) -> bool:
    return "py4j" not in record.pathname


def _work(work: str | None) -> str:
    """Refuse a work folder that Spark takes for another."""
    if work is None:
        raise ParameterError(
            "Spark keeps what it counts on the disk; name a work folder, which is emptied at the end.", parameter="work"
        )
    if re.search(r'[][{}*?\\:,"\s]', str(Path(work).absolute())):
        raise InputError(
            'The path of the work folder has a space or one of []{}*?\\:," in it, and Spark takes it for another; '
            "name one without.",
            parameter="work",
        )
    return work


def _master(master: str | None, bounds: EngineBudget) -> str:
    if master is None:
        return f"local[{bounds.threads or '*'}]"
    if not re.fullmatch(r"local(\[([1-9][0-9]{0,3}|\*)\])?|spark://[][A-Za-z0-9.:,_-]{1,1000}", master):
        raise ParameterError(
            "The master is local, local[N] or local[*] for this machine, or spark://host:port for a cluster; for any "
            "other cluster, give a session of your own to core.engine.spark_of.",
            parameter="master",
        )
    return master


def _check_there() -> None:
    if find_spec("pyspark") is None:
        raise MissingPackageError("pyspark", "count with Spark")
    home = os.environ.get("JAVA_HOME")
    if not (Path(home, "bin", "java").is_file() if home else shutil.which("java")):
        raise ParameterError(
            "Spark needs Java 17 or later, and there is none; install it, or say in JAVA_HOME where it is.",
            parameter="engine",
        )


@contextmanager
def _session(master: str, bounds: EngineBudget, folder: str, line: int) -> Iterator[Any]:
    """Start Spark with only what it needs to count, and stop it."""
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    if SparkContext._gateway is not None:  # noqa: SLF001 - there is no other way to know
        raise ParameterError(
            "This process already has a Spark session; give it to core.engine.spark_of.", parameter="engine"
        )
    settings = SparkConf(loadDefaults=False)
    settings.setAll(list(_settings(master, bounds, folder).items()))
    gateway = None
    try:
        with _variables_away():
            # Messages of Java may hold cells.
            quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "pass_fds": [line]}
            # In a thread: an interrupt must not lose the Java that is being started.
            with ThreadPoolExecutor(1) as thread:
                starting = thread.submit(quietly, lambda: launch_gateway(settings, quiet), UNSTARTED)
                try:
                    wait([starting])
                finally:
                    gateway = starting.result()
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
    memory = f"{bounds.bytes // 10**6 * 10**6 // 2**20}m"
    on_this_machine = master.startswith("local") or LOOPBACK.match(master)
    return ({"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"} if on_this_machine else {}) | {
        "spark.master": master,
        "spark.app.name": "composition",
        "spark.driver.memory": memory,
        "spark.executor.memory": memory,
        "spark.executor.extraJavaOptions": " ".join(java),
        # Messages of the workers of a cluster may hold cells.
        "spark.log.level": "OFF",
        "spark.executor.syncLogLevel.enabled": "true",
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
        REBASED: "CORRECTED",
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
