"""The data of a command: a table that is read, or records that are counted."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core import engine
from core.base.arrays import Ints
from core.base.errors import ParameterError
from core.base.errors import shown_name as shown
from core.cli.progress import bar
from core.data.encoding.persons import check_people
from core.data.frequency_table import FrequencyTable
from core.data.reading import read_table
from core.data.reading.frequency_file import is_marked, mark_of
from core.data.schemas.schema import Schema
from core.data.tables.table import Table
from core.engine.file_patterns import files_of, is_several
from core.release.published.layout import ONE_EACH, possible_counts

Say = Callable[[str], None]
OF_ONE_FILE = ("encoding", "sheet", "header_row", "columns")
"""Options of a table that is read in memory."""
NO_COLUMNS = "Give a scenario with --scenario, or the columns with --qids and --sensitive."


@dataclass(frozen=True, eq=False)
class CountedTable:
    """A frequency table and its origin.

    Parameters
    ----------
    frequency_table
        Distinct rows with counts.
    source
        The frequency table itself, or the table that was read.
    place
        (records,) row of the frequency table for each record of that table; with a person column, the record itself.
    """

    frequency_table: FrequencyTable
    source: Table | FrequencyTable
    place: Ints | None = None


def data_of(options: Namespace) -> Table:
    """Read the table."""
    sheet = options.sheet
    with bar("Reading the table") as progress:
        return read_table(
            options.data,
            delimiter=options.delimiter,
            encoding=options.encoding,
            decimal=options.decimal,
            sheet=int(sheet) if sheet and sheet.isdecimal() and len(sheet) < 6 else sheet,
            header_row=options.header_row,
            columns=options.columns,
            progress=progress,
        )


def by_engine(options: Namespace) -> bool:
    """Whether an engine counts the data: for several files, or on request.

    Raises
    ------
    ParameterError
        If an option is given that another engine has.
    """
    if options.master is not None and not by_spark(options):
        raise ParameterError("--master is an option of Spark; also give --engine spark.", parameter="master")
    counts = is_several(options.data) or options.engine is not None
    for name in OF_ONE_FILE if counts else ():
        if getattr(options, name) is not None:
            raise ParameterError(
                f"--{name.replace('_', '-')} is for one file that is read in memory; an engine reads Parquet and text "
                "in UTF-8, so omit it.",
                parameter=name,
            )
    return counts


def by_spark(options: Namespace) -> bool:
    """Whether the engine is Spark."""
    return bool(options.engine == "spark")


def read(options: Namespace, schema: Schema, say: Say) -> Table | CountedTable:
    """Read a table, or count the data: several files, files for the engine, or a file that is a frequency table.

    Data of which it is not known whether the records are people are refused. No column with a role counts records
    unless ``--count`` names it. ``say`` is called if a file is read as a frequency table without being marked as one.
    """
    if by_engine(options):
        with _on_engine(options, schema, say) as there, bar("Counting the records") as progress:
            frequencies = there.frequency_table(options.decimal, progress)
        _say_note(options, frequencies.table, say)
        return CountedTable(frequencies, frequencies)
    table = data_of(options)
    _say_note(options, table, say)
    count = _count_of(options, table, schema, say)
    data = table if count is None else FrequencyTable.from_table(table, count)
    check_people(data, schema)
    if isinstance(data, Table):
        return data
    return CountedTable(FrequencyTable.of(data.table, schema.counted, data.counts), data)


def _say_note(options: Namespace, table: Table, say: Say) -> None:
    """Report what is surprising in the cells."""
    if table.read_info.get("note"):
        say(f"{shown(data_name(options.data))}: {table.read_info['note']}")


def counted(options: Namespace, schema: Schema, say: Say) -> CountedTable:
    """Count the data: with the engine for several files or on request, otherwise in this process."""
    data = read(options, schema, say)
    if isinstance(data, CountedTable):
        return data
    frequencies, place = FrequencyTable.placed(data, schema.counted)
    place = place if schema.person is None else np.arange(len(data))  # records of persons are released as they are
    return CountedTable(frequencies, data, place)


def _count_of(options: Namespace, table: Table, schema: Schema, say: Say) -> str | None:
    """Column that counts records: the one given, else the one that the file names or seems to have.

    A file that only looks like a frequency table is not read as one if columns without a role are dropped.
    """
    used = {name for name, _ in schema.roles()}
    if options.count == ONE_EACH and ONE_EACH not in table.names:
        return None
    if options.count is not None and (options.count in table.names or not options.others):
        return str(options.count)
    if not is_marked(table) and schema.unassigned == "drop":
        _say_of_counts(possible_counts(table, used), say)
        return None
    mark = mark_of(table)
    if mark is None:
        _say_of_counts(possible_counts(table, used), say)
    if mark is None or mark.count in used:
        return None
    if not is_marked(table):
        say(
            f"The file looks like a frequency table: its column {shown(mark.count)} is taken to count the records of "
            "each row. With --drop-unassigned every row is one record."
        )
    return mark.count


def _say_of_counts(names: Sequence[str], say: Say) -> None:
    """Warn of columns without a role that may count records."""
    for name in names:
        say(
            f"The column {shown(name)} may say how many records each row stands for. Each row is taken as one record; "
            f"if it counts, name it with --count; if not, give --count {ONE_EACH}."
        )


@contextmanager
def _on_engine(options: Namespace, schema: Schema, say: Say) -> Iterator[engine.FilesOnEngine]:
    """Find the files and their engine; refuse, or warn of, what may be counted wrongly."""
    count = "" if options.count == ONE_EACH else options.count
    if count and options.others and not engine.has_column(options.data, count, options.delimiter):
        count = None  # it is one of the other hospitals' files
    how = {"delimiter": options.delimiter, "count": count}
    with (
        _spark(options) as held,
        engine.files_on_engine(options.data, schema.counted, _engine_bounds(options), **how, engine=held) as there,
    ):
        if count is None and not there.source.count:
            used = {name for name, _ in schema.roles()}
            _say_of_counts([name for name in there.source.may_count if name not in used], say)
        there.check_people(schema)
        yield there


@contextmanager
def _spark(options: Namespace) -> Iterator[engine.Spark | None]:
    """Start Spark if it is the engine; else it is DuckDB."""
    if not by_spark(options):
        yield None
        return
    with engine.started_spark(_engine_bounds(options), options.master, [options.data]) as held:
        yield held


def _engine_bounds(options: Namespace) -> engine.EngineBudget:
    """Return the resources that the engine may use."""
    return engine.EngineBudget(options.memory, options.threads, options.work)


def data_name(data: str) -> str:
    """Source named by an option, for results: the name of a file, or a folder or pattern as it was given."""
    return data if is_several(data) else Path(data).name


def data_files(data: str) -> list[Path]:
    """Files that an option names: those of a folder or pattern, or the file itself."""
    return [Path(path) for path in files_of(data).paths] if is_several(data) else [Path(data)]
