"""The frequency table of files: the engine counts distinct rows, core writes their texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace

import narwhals as nw

from core.base.arrays import Progress, part
from core.data.encoding.persons import naming, refuse_repeats
from core.data.frequency_table import FrequencyTable
from core.data.schemas.schema import Schema
from core.engine.file_patterns import files_of, unchanged
from core.engine.interface import Engine, grouped, without_past
from core.engine.on_duckdb import EngineBudget, connected
from core.engine.sources import Source, loaded, source_of


def frequency_table_of_files(
    pattern: str,
    columns: Sequence[str],
    bounds: EngineBudget | None = None,
    *,
    decimal: str | None = None,
    delimiter: str | None = None,
    count: str | None = None,
    engine: Engine | None = None,
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
    engine
        Counts instead of DuckDB.
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
    with files_on_engine(pattern, columns, bounds, delimiter=delimiter, count=count, engine=engine) as there:
        return there.frequency_table(decimal, progress)


@dataclass(frozen=True, eq=False)
class FilesOnEngine:
    """Files that an engine can count.

    Parameters
    ----------
    engine
        Counts them.
    source
        How they are read.
    """

    engine: Engine
    source: Source

    def frequency_table(self, decimal: str | None = None, progress: Progress | None = None) -> FrequencyTable:
        """Count the distinct rows, and load them into memory; see :func:`frequency_table_of_files`."""
        source = self.source
        there = source.there(part(progress, 0.0, 0.1))
        rows = grouped(self.engine.rows_of(source), len(source.columns), bool(source.count))
        batches = self.engine.stream(rows, part(progress, 0.1, 0.9))
        table, read = loaded(source.names, source.types, batches, decimal, source.comma, part(progress, 0.9))
        source.files.check_unchanged()
        source.check(read, there)
        return table

    def check_people(self, schema: Schema) -> None:
        """Refuse files of which it is not known whether their records are people.

        Raises
        ------
        RepeatedIdentifierError
            As :func:`core.data.encoding.persons.check_people`.

        Notes
        -----
        O(identifiers x records) on the engine, which holds the values of one identifier.
        """
        source = self.source
        for name in naming(source.header, schema):
            of_name = source_of(source.files, (name,), None if source.lines is None else source.lines.delimiter, "")
            rows = self.engine.rows_of(replace(of_name, count=source.count))
            known = rows.with_columns(nw.col("c0").cast(nw.String)).filter(~nw.col("c0").is_null())
            known = known.filter(~nw.col("c0").is_in(list(schema.missing_tokens)))
            several = known.group_by("c0").agg(nw.col("n").sum()).filter(nw.col("n") > 1)
            if any(batch.num_rows for batch in self.engine.stream(several.select("n").head(1))):
                refuse_repeats(name)


@contextmanager
def files_on_engine(
    pattern: str,
    columns: Sequence[str],
    bounds: EngineBudget | None = None,
    *,
    delimiter: str | None = None,
    count: str | None = None,
    engine: Engine | None = None,
) -> Iterator[FilesOnEngine]:
    """Find the files that a pattern names, and the engine that counts them; see :func:`frequency_table_of_files`."""
    with without_past(), ExitStack() as stack:
        files = files_of(pattern)
        stack.enter_context(unchanged(files))
        source = source_of(files, columns, delimiter, count)
        if count is None:
            source.check_counts()
        yield FilesOnEngine(engine or stack.enter_context(connected(files.paths, bounds or EngineBudget())), source)
