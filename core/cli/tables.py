"""The data of a command: a table that is read, or records that are counted."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path

from core import lake
from core.cli.progress import bar
from core.data.reading import read_table
from core.data.table import Table
from core.data.tally import Tally
from core.errors import ParameterError
from core.lake.files import files_of, is_several


@dataclass(frozen=True, eq=False)
class Counted:
    """A tally, and what it is of: itself, or the table that was read."""

    tally: Tally
    source: Table | Tally


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
            progress=progress,
        )


def by_engine(options: Namespace) -> bool:
    """Whether the engine counts the data: several files, or where it is wanted."""
    return is_several(options.data) or options.engine is not None


def counts_records(options: Namespace) -> bool:
    """Whether the data are counted or a tally, so that their records are not held."""
    return by_engine(options) or options.count is not None


def counted(options: Namespace, columns: tuple[str, ...]) -> Counted:
    """Count the data: by the engine where they are several files or it is wanted, else here."""
    if by_engine(options):
        if options.count is not None:
            raise ParameterError("--count is for one file that is a tally; leave it away.", parameter="count")
        bounds = engine_bounds(options)
        with bar("Counting the records") as progress:
            tally = lake.tally_of_files(
                options.data, columns, bounds, decimal=options.decimal, delimiter=options.delimiter, progress=progress
            )
        return Counted(tally, tally)
    table = data_of(options)
    if options.count is not None:
        tally = Tally.from_table(table, options.count)
        return Counted(Tally.of(tally.table, columns, tally.counts), tally)
    return Counted(Tally.of(table, columns), table)


def engine_bounds(options: Namespace) -> lake.Bounds:
    """Return what the engine may take."""
    return lake.Bounds(options.memory, options.threads, options.work)


def data_files(options: Namespace) -> list[Path]:
    """Files that the data are in."""
    return [Path(path) for path in files_of(options.data).paths] if is_several(options.data) else [Path(options.data)]
