"""The frequency table of files: the engine counts distinct rows, core writes their texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa

from core.base.arrays import LastProgress, Progress, part
from core.base.errors import InputError, LimitError, ParameterError
from core.data.encoding.persons import naming, refuse_repeats
from core.data.frequency_table import FrequencyTable
from core.data.schemas.schema import Schema
from core.data.tables.column import Column
from core.data.tables.numbers import decimal_mark
from core.data.tables.table import Table
from core.engine.file_patterns import PARQUET, Files, files_of, unchanged
from core.engine.held import BATCH, HeldTables, fetched, integer, quietly, without_past
from core.engine.keys import MOST, Keys, number_values
from core.engine.lazy_frames import chosen
from core.engine.on_duckdb import EngineBudget, connected
from core.engine.on_spark import spark_of
from core.engine.sources import MOST_TUPLES, Source, source_of, texts_of
from core.engine.work import work_folder

PART_OF_MEMORY = 4
"""Divisor of the engine's memory that gives the additional memory for the keys of records."""
LOOK = 2_000_000
"""Number of records in the test whether most are distinct."""
MOSTLY = 0.75
"""Share of distinct records from which their keys are sorted."""
OTHER_RECORDS = "The files do not hold as many records as they say; write them again."
NO_ROWS = "The files have a header but no rows; at least one record is needed."


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
    source
        The files counted, and how they were read.
    decimal
        Decimal mark, if given.
    keys
        The tables of the values, and how rows are packed.
    rows
        Distinct rows; texts of two of them may still be the same.
    """

    engine: HeldTables
    source: Source
    decimal: str | None
    keys: Keys
    rows: int

    @classmethod
    def counted(
        cls,
        engine: HeldTables,
        source: Source,
        decimal: str | None,
        tables: str = "v",
        *,
        cells: nw.LazyFrame[Any] | None = None,
        progress: Progress | None = None,
    ) -> OnEngine:
        """Count the distinct rows of some files, into the engine's table ``keyed``.

        Parameters
        ----------
        engine, source, decimal
            As in the class.
        tables
            Prefix of the names of the tables of values.
        cells
            Distinct rows of a frame, instead of files: ``c0, c1, ...`` and ``n``.
        progress
            Called with the share of the work done; may raise to cancel.

        Raises
        ------
        InputError
            If there are none, or a count of a frequency table is below 1.
        """
        begin = 0.0 if source.lines is None else 0.7
        rows, is_distinct = (cells, True) if cells is not None else engine.rows_of(source, part(progress, 0.0, begin))
        records = None if is_distinct or source.count else source.records
        how: dict[str, Any] = {"is_distinct": is_distinct, "records": records, "tables": tables}
        keys = make_keyed(engine, rows, len(source.names), **how, progress=part(progress, begin))
        engine.drop("texts")
        ((rows_there,),) = fetched(engine, engine.table("keyed").select(nw.len().alias("rows")))
        if not rows_there:
            raise InputError(NO_ROWS)
        return cls(engine, source, decimal, keys, int(rows_there))

    @property
    def numbers(self) -> nw.LazyFrame[Any]:
        """The distinct rows: the numbers of their values ``i0, i1, ...`` and the counts ``n``."""
        return self.engine.table("keyed").select(*self.keys.unpack(), "n")

    def labels(self, number: int) -> Column:
        """Read the distinct values of a column, with the code of each one's text, in the order of their numbers."""
        values = self.engine.table(f"{self.keys.tables}{number}").sort("i").select("v")
        types = None if self.source.types is None else self.source.types[number : number + 1]
        batches = (batch.columns for batch in self.engine.stream(values))
        return texts_of(self.source.names[number : number + 1], types, batches, self.keys.sizes[number])[0]

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
        labels = [self.labels(number) for number in range(len(self.source.names))]
        codes = [np.empty(self.rows, dtype=np.int32) for _ in labels]
        counts, begin = np.empty(self.rows, dtype=np.int64), 0
        for batch in self.engine.stream(self.numbers):
            *own, times = (column.to_numpy() for column in batch.columns)
            rows = slice(begin, begin + batch.num_rows)
            for column, code, values in zip(labels, codes, own, strict=True):
                code[rows] = column.codes[values]
            counts[rows], begin = times, rows.stop
            if progress is not None:
                progress(begin / self.rows)
        self.check(int(counts.sum()))
        columns = tuple(Column.from_codes(own.name, own.labels, code) for own, code in zip(labels, codes, strict=True))
        mark, remarks = (self.decimal, []) if self.decimal else decimal_mark(columns, self.source.comma)
        facts = {"format": "CSV" if self.source.types is None else "Parquet", "note": " ".join(remarks)}
        return FrequencyTable.of(Table(columns, mark, facts), self.source.names, counts)

    def check(self, records: int) -> None:
        """Refuse files that changed in the meantime, or whose number of records differs from their metadata."""
        self.source.files.check_unchanged()
        if self.source.records is not None and self.source.records != records:
            raise InputError(OTHER_RECORDS)


def check_people(there: OnEngine, schema: Schema) -> None:
    """Refuse files of which it is not known whether their records are people.

    Raises
    ------
    RepeatedIdentifierError
        As :func:`core.data.encoding.persons.check_people`.

    Notes
    -----
    O(identifiers x records) on the engine, which holds the values of one identifier.
    """
    engine, source = there.engine, there.source
    delimiter = None if source.lines is None else source.lines.delimiter
    for name in naming(source.header, schema):
        of_name = source_of(source.files, (name,), delimiter, "")
        rows, _ = engine.rows_of(replace(of_name, count=source.count))
        known = rows.with_columns(nw.col("c0").cast(nw.String)).filter(~nw.col("c0").is_null())
        known = known.filter(~nw.col("c0").is_in(list(schema.missing_tokens)))
        several = known.group_by("c0").agg(nw.col("n").sum()).filter(nw.col("n") > 1)
        ((repeated,),) = fetched(engine, several.select(nw.len().alias("values")))
        engine.drop("texts")
        if repeated:
            refuse_repeats(name)


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
        As for :func:`core.engine.keys.number_values`.
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
    if _sorted_keys(engine, packed, keys, records or 0, so_far):
        return keys
    if not is_distinct or absent:  # values that mean missing are now equal
        count = nw.col("n").sum().cast(integer(engine, records or MOST - 1))
        packed = packed.group_by(keys.names).agg(count)
    engine.keep("keyed", packed, part(progress, 0.3 + 0.7 * so_far.share))
    return keys


def _sorted_keys(engine: HeldTables, packed: nw.LazyFrame[Any], keys: Keys, records: int, progress: Progress) -> bool:
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


@contextmanager
def counted_on_engine(
    pattern: str,
    columns: Sequence[str],
    bounds: EngineBudget | None = None,
    *,
    decimal: str | None = None,
    delimiter: str | None = None,
    count: str | None = None,
    engine: HeldTables | None = None,
    progress: Progress | None = None,
) -> Iterator[OnEngine]:
    """Count the distinct rows of all files that a pattern names, and leave them with the engine.

    Parameters and errors are those of :func:`frequency_table_of_files`; the number of distinct rows has no limit here.
    ``engine`` counts instead of DuckDB.
    """
    with without_past(), ExitStack() as stack:
        files = files_of(pattern)
        stack.enter_context(unchanged(files))
        source = source_of(files, columns, delimiter, count)
        if count is None:
            source.check_counts()
        held = engine or stack.enter_context(connected(source.files.paths, bounds or EngineBudget()))
        yield OnEngine.counted(held, source, decimal, progress=progress)


@contextmanager
def counted_from_frame(
    frame: Any, columns: Sequence[str], bounds: EngineBudget, *, count: str = "", decimal: str | None = None
) -> Iterator[OnEngine]:
    """Count the distinct rows of a frame on its engine, and leave them, however many, with Spark or else with DuckDB.

    Parameters
    ----------
    frame, columns, count, decimal
        As for :func:`frequency_table_of_frame`.
    bounds
        Resources of DuckDB, and the work folder. A frame of Spark stays with its session, whose settings are left as
        they are; its workers must have the work folder in common with this process.

    Raises
    ------
    ParameterError
        If there is no work folder.
    InputError, LimitError, MissingPackageError
        As for :func:`frequency_table_of_frame`; the number of distinct rows has no limit here.

    Notes
    -----
    The result is that of :func:`core.engine.counting.counted_on_engine` for files, so that
    :func:`core.engine.release_rounds.release_by_blocks` cuts it block by block.
    """
    if bounds.work is None:
        raise ParameterError("The distinct rows of a frame are written to disk; name a work folder.", parameter="work")
    with without_past(), ExitStack() as stack:
        rows = chosen(frame, columns, count)
        native: Any = rows.frame.to_native()
        source = Source(Files((), PARQUET, ()), tuple(columns), (), rows.types, None)
        held: HeldTables
        if rows.frame.implementation.is_spark_like():
            held = stack.enter_context(spark_of(native.sparkSession, bounds.work))
            # The frame may be the result of much work, which is not done for each column again.
            held.keep("texts", rows.grouped())
            cells = held.table("texts")
        else:
            place = Path(stack.enter_context(work_folder(bounds.work))[0]) / "rows.parquet"
            quietly(lambda: rows.grouped().sink_parquet(str(place)))
            written = source_of(files_of(str(place)), rows.keys, None, "n")
            source = replace(source, types=written.types)
            held = stack.enter_context(connected(written.files.paths, bounds))
            cells = held.rows_of(written)[0]
        yield OnEngine.counted(held, source, decimal, cells=cells)
