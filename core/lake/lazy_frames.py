"""The frequency table of a frame: its engine counts the distinct rows, and core writes their texts.

A frame is whatever Narwhals takes: a relation of DuckDB, a DataFrame of Spark, a LazyFrame of
Polars, a table of Ibis, which represents a warehouse. The engine only groups and counts: texts of values are made by
the same code as for files, never by a cast of the engine.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

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
from core.data.frequency_table import FrequencyTable
from core.data.tables.arrow_values import check_type
from core.data.tables.numbers import decimal_mark
from core.data.tables.table import Table
from core.lake import counting
from core.lake.counting import (
    OnEngine,
    Source,
    counted_by_duckdb,
    places,
    plain,
    read_parquet,
    source_of,
    texts_of,
    without_past,
)
from core.lake.engine import EngineBudget, connected
from core.lake.engine import name as quoted
from core.lake.file_patterns import PARQUET, Files, files_of
from core.lake.held import BATCH
from core.lake.work import work_folder

if TYPE_CHECKING:
    import narwhals as nw

Result = TypeVar("Result")
BINARY = "UTF8_BINARY"
"""Collation of Spark under which texts are equal only if all their characters are."""


NO_FILES = Files((), PARQUET, ())
"""Source of a frame, if known."""


def quietly(work: Callable[[], Result], what: str = "The engine of the frame cannot count its rows") -> Result:
    """Run some work of an engine; turn its error into one sentence, because its own text may hold a cell.

    The errors of every engine cannot be listed, so any error is caught except ours and a lack of memory.

    Parameters
    ----------
    work
        What to do.
    what
        Begins the sentence.

    Raises
    ------
    LimitError
        If the memory or the disk of the engine does not suffice.
    InputError
        For any other error of it.
    """
    quiet = _Quiet(what)
    with quiet:
        return work()
    raise quiet.refusal


class _Quiet:
    """Turns an error into a refusal that is raised after the block, so that the error is gone."""

    refusal: CompositionError

    def __init__(self, what: str) -> None:
        self._what = what

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(
        self, error_class: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        """Keep the refusal instead of the error."""
        if not isinstance(error, Exception) or isinstance(error, (CompositionError, MemoryError)):
            return False
        text = str(error)
        if "No space left" in text or os.strerror(errno.ENOSPC) in text:
            self.refusal = LimitError("The disk that the engine works on is full; name a larger one.", parameter="work")
        elif "OutOfMemory" in text or "Out of Memory" in text:
            self.refusal = MemoryShortError("The engine's memory does not suffice; raise it.", parameter="memory")
        else:
            self.refusal = InputError(f"{self._what} ({type(error).__name__}); look at it with a query of your own.")
        return True


@dataclass(frozen=True, eq=False)
class Grouped:
    """Distinct rows of a frame, not yet counted.

    Parameters
    ----------
    frame
        Columns ``c0, c1, ...`` and ``n``, which is 0 if a count of a frequency table is missing or below 1.
    columns
        Names of the columns.
    instants
        Numbers of the columns of instants with the type in which they are written.
    """

    frame: nw.LazyFrame[Any]
    columns: tuple[str, ...]
    instants: dict[int, Any]

    @property
    def keys(self) -> list[str]:
        """Names of the columns in the frame."""
        return [f"c{number}" for number in range(len(self.columns))]

    def write(self, path: Path) -> None:
        """Let the engine write the rows as Parquet: as one file, or, as Spark does, as a folder of files."""
        quietly(lambda: self.frame.sink_parquet(str(path)))


def grouped(frame: Any, columns: Sequence[str], count: str = "") -> Grouped:
    """Group a frame by some columns; no row is read yet.

    Parameters
    ----------
    frame, columns, count
        As for :func:`frequency_table_of_frame`.

    Raises
    ------
    InputError
        If it is not a frame, lacks a column, or has one without plain values.
    """
    if find_spec("narwhals") is None:
        # not tested: tests have every package.
        raise MissingPackageError("narwhals", "count the rows of a frame")
    if count in columns:
        raise InputError(
            f"The column {shown(count)} counts the records of a frequency table; it can have no other role."
        )
    return quietly(lambda: _grouped(frame, columns, count))


def _grouped(frame: Any, columns: Sequence[str], count: str) -> Grouped:
    import narwhals as nw

    given = nw.from_native(frame, pass_through=True)
    if not isinstance(given, (nw.DataFrame, nw.LazyFrame)):
        raise InputError(
            "This is not a frame: give a relation of DuckDB, a DataFrame of Spark, a LazyFrame of Polars, a table of "
            "Ibis, or whatever else Narwhals takes."
        )
    header, lazy = _by_place(given.lazy() if isinstance(given, nw.DataFrame) else given, columns)
    place = places(header, columns, "The frame")
    counts = places(header, [count], "The frame") if count else []
    keys = [f"c{number}" for number in range(len(columns))]
    chosen = [nw.col(f"f{at}").alias(key) for key, at in zip(keys, place, strict=True)]
    rows = lazy.select(*chosen, *(nw.col(f"f{at}").alias("n") for at in counts))
    types = [plain(arrow_type) for arrow_type in rows.head(0).collect("pyarrow").to_arrow().schema.types]
    for column, arrow_type in zip(columns, types, strict=False):
        check_type(column, arrow_type)
    if count:
        _check_counts(count, types.pop())
        rows = rows.with_columns(nw.col("n").cast(nw.Int64).fill_null(0))
        rows = rows.group_by(keys).agg(nw.col("n").sum().alias("sum"), nw.col("n").min().alias("least"))
        number = nw.when(nw.col("least") < 1).then(nw.lit(0)).otherwise(nw.col("sum"))
    else:
        rows, number = rows.group_by(keys).agg(nw.len().alias("sum")), nw.col("sum")
    engine = lazy.implementation
    of_sql = engine.is_spark_like() or engine.is_duckdb() or engine.is_ibis()
    rows = rows.select(*keys, number.cast(nw.Int64).alias("n"))
    return Grouped(rows, tuple(columns), _instants(types, of_sql))


def _by_place(lazy: nw.LazyFrame[Any], columns: Sequence[str]) -> tuple[list[str], nw.LazyFrame[Any]]:
    """Names of the columns of a frame, and the frame with ``f0, f1, ...`` instead.

    For some engines a dot, a star or a backtick in a name means something, and Narwhals passes names on unchanged.
    """
    import narwhals as nw

    native: Any = lazy.to_native()
    if lazy.implementation.is_spark_like():
        header = list(native.columns)
        _check_collations(columns, native.schema)
        return header, nw.from_native(native.toDF(*(f"f{at}" for at in range(len(header)))))
    header = lazy.collect_schema().names()
    names = [f"f{at}" for at in range(len(header))]
    if lazy.implementation.is_duckdb():
        # A column may have a collation that ignores case, which its type does not show.
        binary = [' COLLATE "binary"' if str(arrow_type) == "VARCHAR" else "" for arrow_type in native.types]
        chosen = [f"{quoted(own)}{how} AS {at}" for own, how, at in zip(header, binary, names, strict=True)]
        return header, nw.from_native(native.project(", ".join(chosen)))
    return header, lazy.rename(dict(zip(header, names, strict=True)))


def _check_collations(columns: Sequence[str], schema: Any) -> None:
    """Refuse texts if Spark treats different ones as equal."""
    for field in schema:
        column, collation = field.name, getattr(field.dataType, "collation", BINARY)
        if column in columns and collation != BINARY:
            raise InputError(
                f"The column {shown(column)} has a collation under which Spark treats different texts as equal; cast "
                f"it to STRING first.",
                parameter=column,
            )


def _instants(types: Sequence[Any], in_utc: bool) -> dict[int, Any]:
    """Types of columns of instants, by column index: in UTC if a column of the engine has no time zone."""
    import pyarrow as pa

    zoned = {
        at: arrow_type
        for at, arrow_type in enumerate(types)
        if pa.types.is_timestamp(arrow_type) and arrow_type.tz is not None
    }
    return {at: pa.timestamp(arrow_type.unit, "UTC") for at, arrow_type in zoned.items()} if in_utc else zoned


def _check_counts(count: str, arrow_type: Any) -> None:
    import pyarrow as pa

    if not pa.types.is_integer(arrow_type) and not (pa.types.is_decimal(arrow_type) and arrow_type.scale == 0):
        raise InputError(
            f"The column {shown(count)} of the frame does not hold whole numbers of records; name another.",
            parameter=count,
        )


def frequency_table_of_frame(
    frame: Any, columns: Sequence[str], *, count: str = "", decimal: str | None = None, progress: Progress | None = None
) -> FrequencyTable:
    """Count the distinct rows of a frame on its engine, and load them into memory.

    Parameters
    ----------
    frame
        Whatever Narwhals takes: a relation of DuckDB, a DataFrame of Spark, a LazyFrame of Polars, a table of Ibis; a
        DataFrame of pandas or Polars, or a table of Arrow.
    columns
        The quasi-identifiers and the sensitive attribute. No other column is requested from the engine.
    count
        Column with the number of records per row, if the frame is a frequency table.
    decimal
        As for :func:`core.data.reading.read_table`.
    progress
        Called with the share of the work done once the engine has counted; may raise to cancel.

    Returns
    -------
    FrequencyTable
        The same, with the same ``content_id``, as that of the rows in files or in memory.

    Raises
    ------
    InputError
        If it is not a frame, has no row, lacks a column, a column has no plain values, a count is below 1, or the
        engine reports an error.
    LimitError
        If there are more than 20,000,000 distinct rows.
    MissingPackageError
        If Narwhals or pyarrow is not installed.

    Notes
    -----
    Every record is read once by the engine, O(records); core's part is O(columns x distinct rows). The engine decides
    which texts are equal: with a collation that ignores case, ``A`` and ``a`` are counted as one. If a type has no zone
    (in SQL), instants are written in UTC.
    """
    with without_past():
        rows = grouped(frame, columns, count)
        return _frequency_table(rows, _collected(rows), decimal, progress)


def _collected(rows: Grouped) -> Any:
    """Distinct rows as an Arrow table."""
    most = counting.MOST_TUPLES
    table: Any = quietly(lambda: rows.frame.head(most + 1).collect("pyarrow").to_arrow())
    if len(table) > most:
        raise LimitError(
            f"The frame has more than {most:,} distinct rows in these columns, the most that are loaded into memory; "
            f"leave out a quasi-identifier, or use coarser values."
        )
    if not len(table):
        raise InputError("The frame has no rows; at least one record is needed.")
    return table


def _frequency_table(rows: Grouped, table: Any, decimal: str | None, progress: Progress | None) -> FrequencyTable:
    types = [rows.instants.get(at, plain(arrow_type)) for at, arrow_type in enumerate(table.schema.types[:-1])]
    batches = table.to_batches(max_chunksize=BATCH)
    cells = ((batch.columns[:-1], batch.num_rows) for batch in batches)
    texts = texts_of(rows.columns, types, cells, len(table), progress)
    mark = decimal or decimal_mark(texts)[0]
    return FrequencyTable.of(Table(texts, mark, {"format": "frame"}), rows.columns, table.column("n").to_numpy())


@contextmanager
def counted_from_frame(
    frame: Any, columns: Sequence[str], bounds: EngineBudget, *, count: str = "", decimal: str | None = None
) -> Iterator[OnEngine]:
    """Count the distinct rows of a frame on its engine, and leave them, however many, with DuckDB.

    Parameters
    ----------
    frame, columns, count, decimal
        As for :func:`frequency_table_of_frame`.
    bounds
        Resources of DuckDB. The frame's engine writes the distinct rows into the work folder, which the workers of
        a cluster must have in common with this process.

    Raises
    ------
    ParameterError
        If there is no work folder.
    InputError, LimitError, MissingPackageError
        As for :func:`frequency_table_of_frame`; the number of distinct rows has no limit here.

    Notes
    -----
    The result is that of :func:`core.lake.counting.counted_on_engine` for files, so that
    :func:`core.lake.release_rounds.release_by_blocks` cuts it block by block.
    """
    if bounds.work is None:
        raise ParameterError("The distinct rows of a frame are written to disk; name a work folder.", parameter="work")
    with without_past():
        rows = grouped(frame, columns, count)
        with work_folder(bounds.work) as folder:
            place = Path(folder or "") / "rows.parquet"
            rows.write(place)
            source = source_of(files_of(str(place)), rows.keys, None)
            # Spark writes instants in a special form that a reader does not recognise.
            types = tuple(rows.instants.get(at, arrow_type) for at, arrow_type in enumerate(source.types or ()))
            source = replace(source, types=types, records=None)
            with load_into_duckdb(place, columns, bounds, decimal, source) as there:
                yield there


@contextmanager
def load_into_duckdb(
    place: Path,
    columns: Sequence[str],
    bounds: EngineBudget,
    decimal: str | None,
    source: Source,
    files: Files = NO_FILES,
    progress: Progress | None = None,
) -> Iterator[OnEngine]:
    """Let DuckDB hold distinct rows that another engine wrote, and remove what was written.

    Parameters
    ----------
    place
        File or folder that :meth:`Grouped.write` made.
    columns, bounds, decimal, progress
        As for :func:`core.lake.counting.counted_on_engine`.
    source
        Types in which the values are written, and the number of records, if it is known.
    files
        Files that the other engine read, which must be unchanged.
    """
    written = files_of(str(place))
    names = tuple(f"c{number}" for number in range(len(columns)))
    own = replace(source, columns=names, relation=read_parquet(written), count="n", distinct=True)
    with connected(written.paths, bounds) as engine:
        there = replace(counted_by_duckdb(engine, files, own, tuple(columns), decimal, progress=progress), rows_of_files=None)
        for path in written.paths:
            Path(path).unlink()
        yield there
