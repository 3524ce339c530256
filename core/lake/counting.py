"""The frequency table of files: the engine counts distinct rows, core writes their texts."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import narwhals as nw
import numpy as np

from core.base.arrays import Ints, LastProgress, Progress, part
from core.base.errors import CompositionError, InputError, LimitError, MissingPackageError, ParameterError, nearest
from core.base.errors import shown_name as shown
from core.data.frequency_table import FrequencyTable
from core.data.reading.delimiter import sniff
from core.data.reading.frequency_file import marked_count
from core.data.reading.gather import Gather, Parsed, clean_header
from core.data.tables.arrow_values import check_type, is_floating, without_points
from core.data.tables.column import Column
from core.data.tables.input_limits import InputLimits
from core.data.tables.numbers import decimal_mark
from core.data.tables.table import Table
from core.lake.engine import Engine, EngineBudget, connected, name, text
from core.lake.file_patterns import PARQUET, Files, files_of
from core.lake.held import BATCH, HeldTables, fetched, integer
from core.lake.keys import MOST, Keys, number_values
from core.lake.text_files import TextFiles

MOST_TUPLES = 20_000_000
"""Largest number of distinct rows loaded into memory."""
HEAD = 262_144
"""Bytes of a text file from which its form is detected."""
NUMBERED = ("file_index", "file_row_number")
"""DuckDB's names for the number of a file and of a row in it, both from 0."""
PART_OF_MEMORY = 4
"""Divisor of the engine's memory that gives the additional memory for the keys of records."""
LOOK = 2_000_000
"""Number of records in the test whether most are distinct."""
MOSTLY = 0.75
"""Share of distinct records from which their keys are sorted."""
OTHER_RECORDS = "The files do not hold as many records as they say; write them again."
NO_ROWS = "The files have a header but no rows; at least one record is needed."
LIMITS = InputLimits(rows=MOST_TUPLES, bytes=2**60)


@dataclass(frozen=True)
class Source:
    """How an engine reads files.

    Parameters
    ----------
    columns
        The engine's name of each requested column, in order.
    relation
        SQL relation to select from.
    types
        Arrow type of each of those columns; ``None`` for text.
    records
        In all files; ``None`` if they must be counted.
    comma
        Whether fields are separated by commas.
    count
        The engine's name of the column that counts records, if the files are frequency tables; "" if a row is one
        record.
    distinct
        Whether another engine has already counted, so that no two rows are equal in these columns.
    lines
        Properties of text files.
    """

    columns: tuple[str, ...]
    relation: str
    types: tuple[Any, ...] | None
    records: int | None
    comma: bool = False
    count: str = ""
    distinct: bool = False
    lines: TextFiles | None = None

    @property
    def cells(self) -> list[str]:
        """SQL expressions of the requested columns of the relation ``given``."""
        return [f"given.{name(column)}" for column in self.columns]

    def rows(self, *more: str) -> str:
        """Query of the cells ``c0, c1, ...`` of each row, its records ``n``, 0 if that is no whole number; and more."""
        cells, column = [f"{cell} AS c{number}" for number, cell in enumerate(self.cells)], f"given.{name(self.count)}"
        times = f"coalesce({column}, 0)::BIGINT" if self.count else "1::BIGINT"
        if self.count and self.lines is not None:
            times = f"CASE WHEN regexp_full_match({column}, '[0-9]{{1,15}}') THEN {column}::BIGINT ELSE 0 END"
        return f"SELECT {', '.join([*cells, f'{times} AS n', *more])} FROM {self.relation} AS given"  # noqa: S608 - quoted


def frequency_table_of_files(
    pattern: str,
    columns: Sequence[str],
    bounds: EngineBudget | None = None,
    *,
    decimal: str | None = None,
    delimiter: str | None = None,
    count: str | None = None,
    progress: Progress | None = None,
) -> FrequencyTable:
    """Count the distinct rows of all files that a pattern names.

    Parameters
    ----------
    pattern
        A file, a folder, or a pattern such as ``lake/*.parquet``; Parquet, or delimited text in UTF-8 with one
        header in each file.
    columns
        The quasi-identifiers and the sensitive attribute. No other column is read.
    bounds
        Resources of the engine.
    decimal, delimiter
        As for :func:`core.data.reading.read_table`.
    count
        The column with the number of records of each row; "" if each row is one record. By default the one that the
        files of a frequency table name.
    progress
        Called with the share of the work done; may raise to cancel.

    Returns
    -------
    FrequencyTable
        The one that :func:`core.data.reading.read_table` would give if the files were a single table.

    Raises
    ------
    InputError
        If there is no such file or column, the files differ in their columns, or one is damaged, was changed meanwhile,
        or cannot be read.
    LimitError
        If there are more than 20,000,000 distinct rows, or too little memory.
    MissingPackageError
        If DuckDB or pyarrow is not installed.

    Notes
    -----
    Every record is read once by the engine, O(records); core's part is O(columns x distinct rows).
    """
    counting = part(progress, 0.0, 0.9)
    how: dict[str, Any] = {"decimal": decimal, "delimiter": delimiter, "count": count}
    with counted_on_engine(pattern, columns, bounds, **how, progress=counting) as there:
        return there.frequency_table(part(progress, 0.9))


@dataclass(frozen=True, eq=False)
class OnEngine:
    """Distinct rows of files, counted and held by an engine.

    Parameters
    ----------
    engine
        Holds the distinct rows in a table ``keyed``, and the values of each column with their numbers.
    files, source, columns
        The files counted, how they were read, and the names of the columns.
    rows
        Distinct rows; texts of two of them may still be the same.
    decimal
        Decimal mark, if given.
    keys
        The tables of the values, and how rows are packed.
    numbers
        The distinct rows: the numbers of their values ``i0, i1, ...`` and the counts ``n``.
    rows_of_files
        Makes a frame of the rows themselves from the name of a column that identifies them, or "": their cells
        ``c0, c1, ...`` and the ``key``.
    """

    engine: Engine | Counting
    files: Files
    source: Source
    columns: tuple[str, ...]
    rows: int
    decimal: str | None
    keys: Keys
    numbers: nw.LazyFrame[Any]
    rows_of_files: Callable[[str], nw.LazyFrame[Any]] | None = None

    @property
    def reader(self) -> Counting | None:
        """The engine, if it may read other files: what DuckDB may read is settled."""
        return None if isinstance(self.engine, Engine) else self.engine

    @classmethod
    def of(
        cls,
        engine: Engine | Counting,
        files: Files,
        source: Source,
        columns: tuple[str, ...],
        decimal: str | None,
        keys: Keys,
        rows_of_files: Callable[[str], nw.LazyFrame[Any]] | None,
    ) -> OnEngine:
        """Take what an engine has counted into its table ``keyed``.

        Raises
        ------
        InputError
            If there are no rows.
        """
        keyed = engine.table("keyed")
        ((rows,),) = fetched(engine, keyed.select(nw.len().alias("rows")))
        if not rows:
            raise InputError(NO_ROWS)
        numbers = keyed.select(*keys.unpack(), "n")
        return cls(engine, files, source, columns, int(rows), decimal, keys, numbers, rows_of_files)

    def labels(self, number: int) -> Column:
        """Read the distinct values of a column, with the code of each one's text, in the order of their numbers."""
        values = self.engine.table(f"{self.keys.tables}{number}").sort("i").select("v")
        cells = (([batch.columns[0]], batch.num_rows) for batch in self.engine.stream(values))
        return self.parsed([number], cells, self.keys.sizes[number]).columns[0]

    def frequency_table(self, progress: Progress | None = None) -> FrequencyTable:
        """Load the distinct rows into memory.

        Raises
        ------
        LimitError
            If there are more than 20,000,000.
        """
        if self.rows > MOST_TUPLES:
            raise LimitError(
                f"The files have {self.rows:,} distinct rows in these columns; at most {MOST_TUPLES:,} are accepted. "
                f"Leave out a quasi-identifier, or use coarser values."
            )
        parsed, counts = self._taken(progress)
        self.check(int(counts.sum()))
        mark = self.decimal or decimal_mark(parsed.columns, parsed.point_is_decimal)[0]
        return FrequencyTable.of(Table(parsed.columns, mark, parsed.source), self.columns, counts)

    def check(self, records: int) -> None:
        """Refuse files that changed in the meantime, or whose number of records differs from their metadata."""
        self.files.check_unchanged()
        if self.source.records is not None and self.source.records != records:
            raise InputError(OTHER_RECORDS)

    def _taken(self, progress: Progress | None) -> tuple[Parsed, Ints]:
        columns = [self.labels(number) for number in range(len(self.columns))]
        codes = [np.empty(self.rows, dtype=np.int32) for _ in columns]
        counts, begin = np.empty(self.rows, dtype=np.int64), 0
        for batch in self.engine.stream(self.numbers):
            *own, times = (column.to_numpy() for column in batch.columns)
            rows = slice(begin, begin + batch.num_rows)
            for column, code, values in zip(columns, codes, own, strict=True):
                code[rows] = column.codes[values]
            counts[rows], begin = times, rows.stop
            if progress is not None:
                progress(begin / self.rows)
        texts = tuple(Column.from_codes(own.name, own.labels, code) for own, code in zip(columns, codes, strict=True))
        return Parsed(texts, self._facts, point_is_decimal=self.source.comma), counts

    @property
    def _facts(self) -> dict[str, str]:
        return {"format": "CSV" if self.source.types is None else "Parquet"}

    def parsed(
        self, which: Sequence[int], cells: Iterable[tuple[list[Any], int]], rows: int, progress: Progress | None = None
    ) -> Parsed:
        """Texts of some columns from the engine's batches of Arrow columns with their lengths.

        Parameters
        ----------
        which
            Numbers of the columns.
        rows
            In all batches.
        """
        types = None if self.source.types is None else [self.source.types[number] for number in which]
        columns = texts_of([self.columns[number] for number in which], types, cells, rows, progress)
        return Parsed(columns, self._facts, point_is_decimal=self.source.comma)


def make_keyed(
    engine: HeldTables,
    rows: nw.LazyFrame[Any],
    columns: int,
    *,
    is_distinct: bool = False,
    records: int | None = None,
    absent: Sequence[Sequence[str]] = (),
    tables: str = "v",
    progress: Progress | None = None,
) -> Keys:
    """Count distinct rows by their keys, into the engine's table ``keyed`` of ``k0, k1, ...`` and ``n``.

    Parameters
    ----------
    engine
        Gets the table, and those of the values.
    rows
        Cells ``c0, c1, ...`` of each row, and its records ``n``.
    columns
        How many.
    is_distinct
        Whether no two rows have the same cells.
    records
        Number of the rows, if each is one record.
    absent, tables
        As for :func:`core.lake.keys.number_values`.
    progress
        Called with the share of the work done; may raise to cancel.

    Raises
    ------
    InputError
        If a count is below 1, or there are more rows than the files declare.
    """
    keys = number_values(engine, rows, columns, absent=absent, tables=tables, progress=part(progress, 0.0, 0.3))
    packed = keys.numbered(engine, rows).select(*keys.pack(), "n")
    so_far = LastProgress(part(progress, 0.3))
    if isinstance(engine, Engine) and _sorted_keys(engine, packed, keys, records or 0, so_far):
        return keys
    if not is_distinct or absent:  # values that mean missing are now equal
        count = nw.col("n").sum().cast(integer(engine, records or MOST - 1))
        packed = packed.group_by(keys.names).agg(count)
    engine.keep("keyed", packed, part(progress, 0.3 + 0.7 * so_far.share))
    return keys


def _sorted_keys(engine: Engine, packed: nw.LazyFrame[Any], keys: Keys, records: int, progress: Progress) -> bool:
    """Count distinct rows by sorting their keys, which is faster than grouping if most rows differ.

    Parameters
    ----------
    engine, keys, records, progress
        As in :func:`make_keyed`.
    packed
        Keys of each row.

    Returns
    -------
    bool
        Whether the table was made: not if a row is not one record with one key, keys take too much of the engine's
        memory, or many rows are equal.

    Raises
    ------
    InputError
        If there are more records than the files declare.
    """
    import pyarrow as pa

    if len(keys.names) > 1 or not 0 < 8 * records <= engine.memory // PART_OF_MEMORY:
        return False
    key, end = np.empty(records, dtype=np.int64), 0
    looked = min(LOOK, records)
    for batch in engine.stream(packed.select("k0")):
        begin, end = end, end + batch.num_rows
        if end > records:
            raise InputError(OTHER_RECORDS)
        key[begin:end] = batch.columns[0].to_numpy()
        if begin < looked <= end:
            some = np.sort(key[:end])
            if np.count_nonzero(some[1:] != some[:-1]) < MOSTLY * end:
                return False
        progress(0.9 * end / records)
    key = key[:end]
    key.sort()
    dtype = np.uint32 if records < 2**32 else np.int64

    def counted() -> Iterator[Any]:
        begin = 0
        while begin < len(key):
            last = min(begin + 4 * BATCH, len(key)) - 1
            until = int(np.searchsorted(key, key[last], side="right"))
            own = key[begin:until]
            first = np.flatnonzero(np.append(True, own[1:] != own[:-1]))
            times = np.diff(np.append(first, len(own))).astype(dtype)
            yield pa.record_batch([own[first], times], schema=schema)
            begin = until

    schema = pa.schema([("k0", pa.int64()), ("n", pa.from_numpy_dtype(dtype))])
    engine.give("keyed", pa.RecordBatchReader.from_batches(schema, counted()))
    return True


def rows_by_duckdb(engine: Engine, source: Source, progress: Progress | None = None) -> tuple[nw.LazyFrame[Any], bool]:
    """Return the rows of some files: their cells ``c0, c1, ...`` and records ``n``; and whether they are distinct.

    Text is parsed once: rows are counted by their cells, into the engine's table ``texts``.
    """
    lines = source.lines
    if lines is None:
        return engine.select(source.rows()), source.distinct
    there = lines.count(part(progress, 0.0, 0.1))
    cells = ", ".join(f"c{number}" for number in range(len(source.columns)))
    engine.run(
        f"CREATE OR REPLACE TEMP TABLE texts AS SELECT {cells}, (CASE WHEN min(n) < 1 THEN 0 ELSE sum(n) END)::BIGINT "  # noqa: S608 - quoted
        f"AS n, count(*) AS lines FROM ({source.rows()}) GROUP BY {cells}",
        part(progress, 0.1),
    )
    ((records,),) = engine.rows("SELECT coalesce(sum(lines), 0)::BIGINT FROM texts")
    lines.check(records, there)
    return engine.table("texts"), True


def texts_of(
    names: Sequence[str],
    types: Sequence[Any] | None,
    cells: Iterable[tuple[list[Any], int]],
    rows: int,
    progress: Progress | None = None,
) -> tuple[Column, ...]:
    """Convert an engine's output to the texts that core writes; O(columns x rows).

    Parameters
    ----------
    names
        Of the columns.
    types
        Their Arrow types, in which the values are written; ``None`` for text.
    cells
        Batches: Arrow arrays of all columns, and their length.
    rows
        In all batches.
    progress
        Called with the share of the work done; may raise to cancel.
    """
    gather = Gather(names, 1, LIMITS, "row", count_text=True)
    for own, _ in cells:
        typed = own if types is None else [_as(cell, arrow_type) for cell, arrow_type in zip(own, types, strict=True)]
        gather.add_columns(typed)
        if progress is not None:
            progress(gather.rows / rows)
    return tuple(
        without_points(column) if arrow_type is not None and is_floating(arrow_type) else column
        for column, arrow_type in zip(gather.finish(), types or [None] * len(names), strict=True)
    )


def _as(cells: Any, arrow_type: Any) -> Any:
    """Cells in the type of their column; an engine may return another type for an empty column."""
    import pyarrow as pa

    return pa.nulls(len(cells)) if pa.types.is_null(arrow_type) else cells.cast(arrow_type)


@contextmanager
def counted_on_engine(
    pattern: str,
    columns: Sequence[str],
    bounds: EngineBudget | None = None,
    *,
    decimal: str | None = None,
    delimiter: str | None = None,
    count: str | None = None,
    engine: Counting | None = None,
    progress: Progress | None = None,
) -> Iterator[OnEngine]:
    """Count the distinct rows of all files that a pattern names, and leave them with the engine.

    Parameters and errors are those of :func:`frequency_table_of_files`; the number of distinct rows has no limit here.
    ``engine`` counts instead of DuckDB.
    """
    with without_past():
        files = files_of(pattern)
        source = source_of(files, columns, delimiter, count)
        if engine is not None:
            yield engine.counted(files, source, tuple(columns), decimal, progress=progress)
            return
        with connected(files.paths, bounds or EngineBudget()) as duckdb:
            yield counted_by_duckdb(duckdb, files, source, tuple(columns), decimal, progress=progress)


class Counting(HeldTables, Protocol):
    """An engine other than DuckDB that reads and counts files."""

    def check_path(self, path: Path) -> None:
        """Refuse a path that the engine takes for another."""

    def read(self, files: Files) -> Any:
        """Return files as a frame of the engine."""

    def counted(
        self,
        files: Files,
        source: Source,
        columns: tuple[str, ...],
        decimal: str | None,
        tables: str = "v",
        progress: Progress | None = None,
    ) -> OnEngine:
        """Count the distinct rows of some files; the parameters are those of :func:`counted_by_duckdb`."""


def counted_by_duckdb(
    engine: Engine,
    files: Files,
    source: Source,
    columns: tuple[str, ...],
    decimal: str | None,
    tables: str = "v",
    *,
    progress: Progress | None = None,
) -> OnEngine:
    """Count the distinct rows of some files, into DuckDB's table ``keyed``.

    Parameters
    ----------
    engine, files, source, columns, decimal
        As in :class:`OnEngine`.
    tables
        Prefix of the names of the tables of values.
    progress
        Called with the share of the work done; may raise to cancel.

    Raises
    ------
    InputError
        If there are none, or a count of a frequency table is below 1.
    """
    begin = 0.0 if source.lines is None else 0.7
    rows, is_distinct = rows_by_duckdb(engine, source, part(progress, 0.0, begin))
    records = None if is_distinct or source.count else source.records
    how: dict[str, Any] = {"is_distinct": is_distinct, "records": records, "tables": tables}
    keys = make_keyed(engine, rows, len(source.columns), **how, progress=part(progress, begin))
    engine.drop("texts")
    there = partial(_rows_of_files, engine, files, source, columns)
    return OnEngine.of(engine, files, source, columns, decimal, keys, there)


def check_names_rows(source: Source) -> None:
    """Refuse files whose rows count several records.

    Raises
    ------
    ParameterError
        If they are frequency tables.
    """
    if source.count:
        raise ParameterError(
            "A frequency table counts records and does not list them, so rows have no class to write; give "
            "the data themselves.",
            parameter="classes",
        )


def first_rows(files: Files, numbered: Sequence[str]) -> Any:
    """Return a table of the files with the number of the first row of each, from 1.

    Parameters
    ----------
    files
        Which are Parquet.
    numbered
        The engine's names for the number of a file and of a row in it, which no column may have.

    Raises
    ------
    ParameterError
        If they are text, or a column has such a name.
    """
    import pyarrow as pa
    from pyarrow import parquet

    if files.file_format != PARQUET:
        raise ParameterError(
            "The engine does not number the rows of text files; name a column that identifies them with --key.",
            parameter="key",
        )
    footers = [parquet.read_metadata(path) for path in files.paths]
    if any(column in footer.schema.to_arrow_schema().names for footer in footers[:1] for column in numbered):
        raise ParameterError(
            f"The files have a column {' or '.join(numbered)}, the name the engine uses to number rows; rename it, "
            f"or name a column that identifies rows with --key.",
            parameter="key",
        )
    rows = np.array([footer.num_rows for footer in footers])
    return pa.table({"of_file": np.arange(len(rows)), "begin": np.cumsum(rows) - rows + 1})


def _rows_of_files(
    engine: Engine, files: Files, source: Source, columns: tuple[str, ...], key: str
) -> nw.LazyFrame[Any]:
    """Cells ``c0, c1, ...`` of all rows, and the ``key`` that identifies each."""
    check_names_rows(source)
    own, joined = "begin + file_row_number", "JOIN begins ON of_file = file_index"
    if key:
        source = source_of(files, (*columns, key), None if source.lines is None else source.lines.delimiter)
        own, joined = name(source.columns[-1]), ""
    else:
        engine.give("begins", first_rows(files, NUMBERED))
    cells = ", ".join(f"{name(column)} AS c{number}" for number, column in enumerate(source.columns[: len(columns)]))
    return engine.select(f"SELECT {cells}, {own} AS key FROM {source.relation} {joined}")  # noqa: S608 - quoted


@contextmanager
def without_past() -> Iterator[None]:
    """Raise deliberate errors without their causes and frames, which hold cells."""
    try:
        yield
    except CompositionError as error:
        refusal = error
    else:
        return
    refusal.__cause__ = refusal.__context__ = None
    raise refusal.with_traceback(None)


def source_of(files: Files, columns: Sequence[str], delimiter: str | None, count: str | None = None) -> Source:
    """How an engine reads some columns of some files; see :func:`frequency_table_of_files` for what is refused."""
    if count and count in columns:
        raise InputError(_NO_OTHER_ROLE.format(shown(count)), parameter="count")
    if files.file_format == PARQUET:
        return _parquet(files, columns, count)
    return _text(files, columns, delimiter, count)


_NO_OTHER_ROLE = "The column {} counts the records of a frequency table; it can have no other role."


def _parquet(files: Files, columns: Sequence[str], count: str | None) -> Source:
    try:
        from pyarrow import ArrowException, parquet
    except ModuleNotFoundError:
        # not tested: tests have every package.
        raise MissingPackageError("pyarrow", "read Parquet files") from None
    names: tuple[str, ...] = ()
    types: tuple[Any, ...] = ()
    counts: set[str] = set()
    records = 0
    for path in files.paths:
        footer = arrow = None
        try:
            footer = parquet.read_metadata(path)
            arrow = footer.schema.to_arrow_schema()
        except (ArrowException, OSError, ValueError):
            pass  # its text may hold a cell
        if footer is None or arrow is None:
            raise InputError(f"The Parquet file {shown(Path(path).name)} is damaged; write it again.")
        records += footer.num_rows
        counts.add(_count_of(footer.metadata, arrow, path, count))
        if len(counts) > 1:
            raise InputError(
                "Some of the files are frequency tables and some are not; name those of one kind with a pattern."
            )
        place = places(arrow.names, columns, f"The file {shown(Path(path).name)}")
        mine = tuple(arrow.names[i] for i in place), tuple(plain(arrow.field(i).type) for i in place)
        if names and mine != (names, types):
            raise InputError(
                f"A column of {shown(Path(path).name)} has another name or type than in "
                f"{shown(Path(files.paths[0]).name)}; write all files the same way."
            )
        names, types = mine
    for column, arrow_type in zip(columns, types, strict=True):
        check_type(column, arrow_type)
    times = counts.pop()
    if times in columns:
        raise InputError(_NO_OTHER_ROLE.format(shown(times)))
    return Source(names, read_parquet(files), types, None if times else records, count=times)


def read_parquet(files: Files) -> str:
    """SQL relation of Parquet files."""
    return f"read_parquet([{', '.join(map(text, files.paths))}], hive_partitioning = false)"


def _count_of(metadata: dict[bytes, bytes] | None, arrow: Any, path: str, given: str | None) -> str:
    """Column of a file that counts records: the given one, else that of a file marked as a frequency table."""
    import pyarrow as pa

    if given:
        name = arrow.names[places(arrow.names, [given], f"The file {shown(Path(path).name)}")[0]]
        arrow_type = arrow.field(name).type  # Snowflake writes a count as a decimal number without places
        if not (pa.types.is_integer(arrow_type) or (pa.types.is_decimal(arrow_type) and arrow_type.scale == 0)):
            raise InputError(f"The column {shown(given)} does not hold whole numbers, so it counts no records.")
        return str(name)
    count = marked_count(metadata) if given is None else ""
    if count and (count not in arrow.names or not pa.types.is_integer(arrow.field(count).type)):
        raise InputError(
            f"{shown(Path(path).name)} is marked as a frequency table but its counts are not whole numbers; write it "
            f"again.",
            parameter=count,
        )
    return count


def plain(arrow_type: Any) -> Any:
    """Type of the values, whether they are kept as a dictionary or not."""
    import pyarrow as pa

    arrow_type = arrow_type.value_type if pa.types.is_dictionary(arrow_type) else arrow_type
    return pa.string() if pa.types.is_large_string(arrow_type) or pa.types.is_string_view(arrow_type) else arrow_type


def _text(files: Files, columns: Sequence[str], delimiter: str | None, count: str | None) -> Source:
    head, first = _head(files.paths[0])
    dialect = sniff(head, delimiter)
    if dialect.spaced:
        raise InputError(
            "The files have a space after each delimiter, which the engine does not remove; write them without it."
        )
    for path in files.paths[1:]:
        if _head(path)[1] != first:
            raise InputError(
                f"The first line of {shown(Path(path).name)} differs from that of "
                f"{shown(Path(files.paths[0]).name)}; give all files the same header."
            )
    try:
        header = next(csv.reader([first], delimiter=dialect.delimiter), [])
    except csv.Error:
        header = []
    if not header:
        raise InputError(
            f"The first line of {shown(Path(files.paths[0]).name)} is not a header; it must name the columns."
        )
    place = places(header, [*columns, *([count] if count else [])], f"The file {shown(Path(files.paths[0]).name)}")
    listed = ", ".join(map(text, files.paths))
    fields = ", ".join(f"'f{number}': 'VARCHAR'" for number in range(len(header)))
    relation = (
        f"read_csv([{listed}], auto_detect = false, header = true, delim = {text(dialect.delimiter)}, quote = '\"', "
        f"escape = '\"', strict_mode = true, hive_partitioning = false, columns = {{{fields}}})"
    )
    lines = TextFiles(files.paths, dialect.delimiter)
    times = f"f{place.pop()}" if count else ""
    return Source(tuple(f"f{i}" for i in place), relation, None, None, dialect.delimiter == ",", times, lines=lines)


def _head(path: str) -> tuple[str, str]:
    """Text that a file begins with, and its first line."""
    with Path(path).open("rb") as stream:
        raw = stream.read(HEAD)
    try:
        head = raw[: raw.rfind(b"\n") + 1 or len(raw)].decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(
            f"The file {shown(Path(path).name)} is not UTF-8 text, the only encoding that the engine reads; save it as "
            "such."
        ) from None
    return head, next(io.StringIO(head, newline=""), "").rstrip("\r\n")


def places(header: Sequence[str], columns: Sequence[str], what: str) -> list[int]:
    """Position of each requested column in a header; ``what`` begins the error message."""
    _, names, _ = clean_header(header, LIMITS)
    for column in columns:
        if column not in names:
            raise InputError(
                f"{what} has no column {shown(column)} among its {len(names):,} columns{nearest(column, names)}.",
                parameter=column,
            )
    return [names.index(column) for column in columns]
