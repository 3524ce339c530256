"""DuckDB with limited memory, threads, disk and files; no network, and no files except those that are read."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import narwhals as nw
import pyarrow as pa

from core.base.arrays import Progress
from core.base.errors import (
    CompositionError,
    InputError,
    LimitError,
    MemoryShortError,
    MissingPackageError,
    ParameterError,
)
from core.base.errors import shown_name as shown
from core.engine.interface import BATCH
from core.engine.sources import Source, check_case
from core.engine.work import work_folder

LOOK = 0.1
"""Seconds between two progress checks of a query."""
FOR_A_THREAD = 125 * 10**6
"""Least bytes of memory for each thread: with less, DuckDB sometimes fails before rows spill to the work folder."""
UNITS = {"MB": 10**6, "GB": 10**9, "TB": 10**12}


@dataclass(frozen=True)
class EngineBudget:
    """Resources that an engine may use.

    Parameters
    ----------
    memory
        As in ``"4GB"`` or ``"500MB"``; of the engine alone, in addition to that of core.
    threads
        At least 1; ``None`` uses all processors. DuckDB uses at most one per 125 MB of memory.
    work
        A folder for data that does not fit into memory. ``None``: nothing is written to disk, and larger data is
        refused.

    Raises
    ------
    ParameterError
        If the memory has another form, or is below 100 MB, or the threads are not from 1 to 1,024.
    """

    memory: str = "4GB"
    threads: int | None = None
    work: str | None = None

    def __post_init__(self) -> None:
        """Validate the resources."""
        if self.bytes < 10**8:
            raise ParameterError(
                "The engine needs at least 100MB of memory, written as 500MB or 4GB.", parameter="memory"
            )
        if self.threads is not None and not 1 <= self.threads <= 1024:
            raise ParameterError("threads must be from 1 to 1,024.", parameter="threads")

    @property
    def bytes(self) -> int:
        """The memory in bytes; 0 if it is not written as it should be."""
        match = re.fullmatch(r"([0-9]{1,6}(?:[.][0-9]{1,3})?) ?(MB|GB|TB)", self.memory)
        return int(float(match[1]) * UNITS[match[2]]) if match else 0


def text(value: str) -> str:
    """Quote a text for SQL."""
    return "'" + value.replace("'", "''") + "'"


def name(value: str) -> str:
    """Quote the name of a column for SQL."""
    return '"' + value.replace('"', '""') + '"'


class DuckDB:
    """DuckDB as :class:`core.engine.interface.Engine`; its connection reads some files and nothing else."""

    def __init__(self, connection: Any, bounds: EngineBudget, paths: Sequence[str] = ()) -> None:
        self._connection, self._bounds, self._paths = connection, bounds, paths

    def run(self, query: str, progress: Progress | None = None) -> None:
        """Run a statement; ``progress`` is called ten times a second and may raise to cancel it."""
        with self._refusing(), ThreadPoolExecutor(1) as thread:
            working = thread.submit(self._connection.execute, query)
            try:
                while wait([working], LOOK).not_done:
                    if progress is not None:
                        progress(min(1.0, max(0.0, self._connection.query_progress() / 100)))
            finally:
                if not working.done():  # it was cancelled
                    self._connection.interrupt()
            working.result()

    def values(self, query: str) -> list[tuple[Any, ...]]:
        """Return the few rows that a query yields."""
        with self._refusing():
            rows: list[tuple[Any, ...]] = self._connection.execute(query).fetchall()
            return rows

    def rows_of(self, source: Source) -> nw.LazyFrame[Any]:
        """Return the rows of some files, not yet read; see :class:`core.engine.interface.Engine`."""
        cells = ", ".join(f"given.{name(column)} AS c{number}" for number, column in enumerate(source.columns))
        count = f"given.{name(source.count)}"
        times = f"coalesce({count}, 0)::BIGINT" if source.count else "1::BIGINT"
        if source.count and source.lines is not None:
            times = f"CASE WHEN regexp_full_match({count}, '[0-9]{{1,15}}') THEN {count}::BIGINT ELSE 0 END"
        return self._select(f"SELECT {cells}, {times} AS n FROM {_relation(source)} AS given")  # noqa: S608 - quoted

    def stream(self, frame: nw.LazyFrame[Any], progress: Progress | None = None) -> Iterator[Any]:
        """Send the rows of a frame as Arrow record batches, once all are there."""
        native: Any = frame.to_native()
        self.run(f"CREATE OR REPLACE TEMP TABLE counted AS {native.sql_query()}", progress)
        rows: Any = self._select("SELECT * FROM counted").to_native()
        with self._refusing():
            yield from rows.to_arrow_reader(BATCH)

    def _select(self, query: str) -> nw.LazyFrame[Any]:
        with self._refusing():
            relation: Any = self._connection.sql(query)
            frame: nw.LazyFrame[Any] = nw.from_native(relation)
            return frame

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        """Turn errors of the engine into one sentence; their own texts hold cells."""
        import duckdb

        try:
            yield
        except (duckdb.Error, pa.ArrowException, OSError) as error:  # batches of Arrow have errors of their own
            refusal = _sentence(error, self._bounds, self._paths)
        else:
            return
        raise refusal


def _relation(source: Source) -> str:
    """SQL of the rows of some files."""
    paths, lines = ", ".join(map(text, source.files.paths)), source.lines
    if lines is None:
        check_case(source.header, (*source.columns, source.count))
        return f"read_parquet([{paths}], hive_partitioning = false)"
    fields = ", ".join(f"'f{number}': 'VARCHAR'" for number in range(lines.fields))
    return (
        f"read_csv([{paths}], auto_detect = false, header = true, delim = {text(lines.delimiter)}, quote = '\"', "
        f"escape = '\"', strict_mode = true, hive_partitioning = false, columns = {{{fields}}})"
    )


@contextmanager
def connected(paths: Sequence[str], bounds: EngineBudget) -> Iterator[DuckDB]:
    """Connect to an engine in this process that may read some files.

    Raises
    ------
    MissingPackageError
        If DuckDB is not installed.
    InputError
        If the work folder cannot be used.
    """
    try:
        import duckdb
    except ModuleNotFoundError:  # other errors of an import do not mean a missing package: memory may have run out
        # not tested: tests have every package.
        raise MissingPackageError("duckdb", "read several files, or tables larger than memory") from None
    with ExitStack() as stack:
        folder = stack.enter_context(work_folder(bounds.work))[0] if bounds.work else ""
        connection = duckdb.connect(":memory:")
        try:
            for setting in (
                f"memory_limit = {text(f'{bounds.bytes // 10**6}MB')}",
                f"threads = {min(bounds.threads or os.cpu_count() or 1, max(1, bounds.bytes // FOR_A_THREAD))}",
                f"temp_directory = {text(folder)}",
                "preserve_insertion_order = false",
                "TimeZone = 'UTC'",
                "enable_progress_bar = true",
                "enable_progress_bar_print = false",
                "autoinstall_known_extensions = false",
                "autoload_known_extensions = false",
                "python_enable_replacements = false",
                f"allowed_paths = [{', '.join(map(text, paths))}]",
                "enable_external_access = false",
                "lock_configuration = true",
            ):
                connection.execute(f"SET {setting}")
            yield DuckDB(connection, bounds, paths)
        finally:
            connection.close()


def _sentence(error: Exception, bounds: EngineBudget, paths: Sequence[str]) -> CompositionError:
    error_class, message = type(error).__name__, str(error)
    if "No space left" in message or os.strerror(errno.ENOSPC) in message or "max_temp_directory_size" in message:
        return LimitError("The disk of the work folder is full; name a larger one.", parameter="work")
    if error_class == "OutOfMemoryException" or "Out of Memory" in message:
        way = "raise it" if bounds.work else "raise it, or name a work folder for what does not fit"
        return MemoryShortError(f"The engine's memory of {bounds.memory} does not suffice; {way}.", parameter="memory")
    line = re.search(r"CSV Error on Line: (\d+)", message)
    if line:
        # A cell that imitates this line can name another of these files, and nothing else.
        file = next((shown(Path(path).name) for path in paths if f"\n  file = {path}\n" in message), "a file")
        return InputError(
            f"Line {int(line[1]):,} of {file} does not have as many fields as the header, a quotation mark that is "
            "left open, or letters that are not UTF-8; correct it."
        )
    return InputError(
        f"The engine cannot read the files ({error_class}): one is damaged, or has other columns than the first; "
        "write it again."
    )
