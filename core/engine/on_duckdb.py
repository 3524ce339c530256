"""DuckDB with limited memory, threads, disk and files; no network, and no files except those that are read."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import narwhals as nw
import pyarrow as pa

from core.base.arrays import Progress, part
from core.base.errors import (
    CompositionError,
    InputError,
    LimitError,
    MemoryShortError,
    MissingPackageError,
    ParameterError,
)
from core.base.errors import shown_name as shown
from core.engine.held import BATCH, grouped, last_start
from core.engine.sources import Source, check_case, first_rows
from core.engine.work import work_folder

LOOK = 0.1
"""Seconds between two progress checks of a query."""
FOR_A_THREAD = 125 * 10**6
"""Least bytes of memory for each thread: with less, DuckDB sometimes fails before rows spill to the work folder."""
NARROW = {"UTINYINT": 2**8 - 1, "USMALLINT": 2**16 - 1}
"""Largest number in a column of a narrow type."""
NUMBERED = ("file_index", "file_row_number")
"""DuckDB's names for the number of a file and of a row in it, both from 0."""
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
    """DuckDB as :class:`core.engine.held.HeldTables`; its connection reads some files and nothing else."""

    integers: tuple[tuple[int, str], ...] = ((8, "UInt8"), (16, "UInt16"), (31, "Int32"), (63, "Int64"))
    exact = 2**63
    reads_more = False

    def __init__(self, connection: Any, bounds: EngineBudget, paths: Sequence[str] = ()) -> None:
        self._connection, self._bounds, self._paths = connection, bounds, paths

    @staticmethod
    def check_path(_path: Path) -> None:
        """Nothing is refused."""

    @property
    def memory(self) -> int:
        """Its memory limit in bytes."""
        return self._bounds.bytes

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

    def select(self, query: str) -> nw.LazyFrame[Any]:
        """Return the rows of a query as a frame."""
        with self._refusing():
            relation: Any = self._connection.sql(query)
            frame: nw.LazyFrame[Any] = nw.from_native(relation)
            return frame

    def rows_of(self, source: Source, progress: Progress | None = None) -> tuple[nw.LazyFrame[Any], bool]:
        """Return the rows of some files, and whether they are distinct; see :class:`core.engine.held.HeldTables`.

        Text is parsed once: rows are counted by their cells, into the table ``texts``.
        """
        cells, count = _cells(source.columns), f"given.{name(source.count)}"
        times = f"coalesce({count}, 0)::BIGINT" if source.count else "1::BIGINT"
        if source.count and source.lines is not None:
            times = f"CASE WHEN regexp_full_match({count}, '[0-9]{{1,15}}') THEN {count}::BIGINT ELSE 0 END"
        query = f"SELECT {cells}, {times} AS n FROM {_relation(source)} AS given"  # noqa: S608 - quoted
        if source.lines is None:
            return self.select(query), False
        lines = source.lines.count(part(progress, 0.0, 0.1))
        keys = [f"c{number}" for number in range(len(source.columns))]
        self.keep("texts", grouped(self.select(query), keys), part(progress, 0.1))
        ((records,),) = self.values("SELECT coalesce(sum(rows), 0)::BIGINT FROM texts")
        source.lines.check(records, lines)
        return self.table("texts").drop("rows"), True

    def rows_with_key(self, source: Source, key: str) -> nw.LazyFrame[Any]:
        """Return the cells of all rows and the ``key`` of each; see :class:`core.engine.held.HeldTables`."""
        cells, own, joined = _cells(source.columns), "begin + file_row_number", "JOIN begins ON of_file = file_index"
        if key:
            source = source.with_key(key)
            own, joined = f"given.{name(source.columns[-1])}", ""
        else:
            self.give("begins", first_rows(source.files, NUMBERED))
        query = f"SELECT {cells}, {own} AS key FROM {_relation(source)} AS given {joined}"  # noqa: S608 - quoted
        return self.select(query)

    def table(self, name: str) -> nw.LazyFrame[Any]:
        """Return a temporary table; see :class:`core.engine.held.HeldTables`."""
        return self.select(f"SELECT * FROM {name}")  # noqa: S608 - names of our own

    def keep(self, name: str, frame: nw.LazyFrame[Any], progress: Progress | None = None) -> None:
        """Make a temporary table of a frame."""
        native: Any = frame.to_native()
        self.run(f"CREATE OR REPLACE TEMP TABLE {name} AS {native.sql_query()}", progress)

    def give(self, name: str, content: Any, more: bool = False) -> None:
        """Make a temporary table of an Arrow table or a reader of batches, or add its rows to one."""
        make = f"INSERT INTO {name}" if more else f"CREATE OR REPLACE TEMP TABLE {name} AS"
        with self._refusing():
            self._connection.register("given", content)
            self._connection.execute(f"{make} SELECT * FROM given")  # noqa: S608 - names of our own
            self._connection.unregister("given")

    def stream(self, frame: nw.LazyFrame[Any]) -> Iterator[Any]:
        """Send the rows of a frame as Arrow record batches."""
        native: Any = frame.to_native()
        with self._refusing():
            yield from native.to_arrow_reader(BATCH)

    def relabel(self, name: str, column: str, choices: Mapping[int, str], most: int) -> None:
        """Rewrite some numbers of a column in place; other rows and columns stay unchanged."""
        ((present,),) = self.values(f"SELECT typeof({column}) FROM {name} LIMIT 1")  # noqa: S608 - names of our own
        if most > NARROW.get(present, most):
            self.run(f"ALTER TABLE {name} ALTER {column} TYPE INTEGER")
        old = sorted(choices)
        choice = last_start(column, old, [choices[number] for number in old])
        self.run(f"UPDATE {name} SET {column} = {choice} WHERE {column} IN ({', '.join(map(str, old))})")  # noqa: S608 - as above

    def drop(self, name: str) -> None:
        """Free the memory of a temporary table."""
        self.run(f"DROP TABLE IF EXISTS {name}")

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


def _cells(columns: Sequence[str]) -> str:
    """SQL of some columns of the relation ``given``, as ``c0, c1, ...``."""
    return ", ".join(f"given.{name(column)} AS c{number}" for number, column in enumerate(columns))


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
