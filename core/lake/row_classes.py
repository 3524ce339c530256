"""The class of every row of a release, as a file that is as secret as the data.

A release does not identify the people in its rows. Its publisher may need to know who is in which class, and with whom.
Algorithms that work on frequency tables never separate records with equal quasi-identifiers. So a map from distinct
rows to classes is sufficient, and one join on the engine gives the class of each row of a folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from core.base.arrays import Ints, Progress
from core.base.errors import InputError, ParameterError
from core.base.errors import shown_name as shown
from core.data.tables.csv_export import harmless
from core.data.tables.table import Table
from core.lake.counting import BATCH, OnEngine, Source, source_of
from core.lake.engine import name
from core.lake.file_patterns import PARQUET
from core.lake.output import ROWS, arrow

ROW, CLASS = "row", "class"
"""Columns of the file: the number of a row unless a column names it, and the number of its class."""
ENDINGS = {".parquet": "parquet", ".pq": "parquet", ".csv": "csv"}
NUMBERED = ("file_index", "file_row_number")
"""The engine's names for the number of a file and of a row in it, both from 0."""


@dataclass(frozen=True)
class ClassFile:
    """Destination for the class of every row.

    Parameters
    ----------
    path
        Ends in ``.parquet``, ``.pq`` or ``.csv``.
    key
        Column of the data that names each row, such as a record number; "" for the number of the row, from 1, over all
        files in the order of their paths, so that it is the same in every run.
    force
        Whether to replace a file.

    Raises
    ------
    ParameterError
        If the ending is another one, or the column has the name of that of the classes.
    """

    path: Path
    key: str = ""
    force: bool = False

    def __post_init__(self) -> None:
        """Validate the destination."""
        if self.path.suffix not in ENDINGS:
            raise ParameterError(
                f"The file of the classes ends in {', '.join(ENDINGS)}; {shown(self.path.name)} does not.",
                parameter="classes",
            )
        if self.key == CLASS:
            raise ParameterError(
                f"The classes are written to a column {shown(CLASS)}; name another column as key, or rename this one.",
                parameter="key",
            )

    @property
    def named(self) -> str:
        """Name of the column that names each row."""
        return self.key or ROW


def check_key(there: OnEngine, key: str) -> None:
    """Refuse, before anything is cut, files whose rows cannot be identified.

    Raises
    ------
    ParameterError
        If the files are frequency tables, or the engine does not number their rows and no column names them.
    InputError
        If there is no such column.
    """
    _keyed(there, key)


def write_classes(table: Table, classes: Ints, file: ClassFile, place: Path) -> None:
    """Write the class of every row of a table in memory.

    Parameters
    ----------
    table
        The table that was released.
    classes
        (records,) number of its class, from 0; -1 for a record that was left out, whose cell is empty.
    file
        Its format.
    place
        Where to write.

    Raises
    ------
    InputError
        If the table has no such column.
    """
    pa = arrow()[0]
    column = table.column(file.key) if file.key else None
    with _writer(file, place) as write:
        for first in range(0, len(classes), ROWS):
            last = min(first + ROWS, len(classes))
            if column is None:
                key = pa.array(np.arange(first, last) + 1)
            else:
                codes = pa.array(column.codes[first:last], type=pa.int32())
                key = pa.DictionaryArray.from_arrays(codes, pa.array(column.labels, pa.string())).dictionary_decode()
            write(key, classes[first:last])


def classes_of_rows(there: OnEngine, classes: Ints) -> str:
    """Add the class of each distinct row to it, on the engine.

    Parameters
    ----------
    there
        The counted files.
    classes
        (distinct rows,) class of each, by the engine's number of it
        (:meth:`core.lake.counting.OnEngine.placed_frequency_table`).

    Returns
    -------
    str
        Joins for the rows, for :func:`write_classes_of_files`.
    """
    pa = arrow()[0]
    there.engine.give("given_classes", pa.table({"id": np.arange(len(classes)), CLASS: classes.astype(np.int32)}))
    keys = ", ".join(there.keys.names)
    there.engine.run(
        f"CREATE OR REPLACE TEMP TABLE class_of AS "  # noqa: S608 - names of our own
        f"SELECT {keys}, class FROM keyed JOIN given_classes ON keyed.rowid = given_classes.id"
    )
    there.engine.run("DROP TABLE given_classes")
    cells = [f"counted.c{number}" for number in range(len(there.columns))]
    return f"{there.keys.joins(cells)} JOIN class_of ON {there.keys.same('class_of')}"


def write_classes_of_files(
    there: OnEngine, joined: str, file: ClassFile, place: Path, records: int, progress: Progress | None = None
) -> None:
    """Write the class of every row of some files, by one join on the engine.

    Parameters
    ----------
    there
        The counted files.
    joined
        SQL joins that give ``class`` to a row ``counted`` of the columns ``c0, c1, ...``.
    file
        Its format.
    place
        Where to write.
    records
        Rows that there must be.
    progress
        Called with the share that is written; may raise to cancel.

    Raises
    ------
    InputError
        If the files were changed meanwhile.

    Notes
    -----
    Rows have no order: the key identifies each. O(records) on the engine.
    """
    source, key, joined_key = _keyed(there, file.key)
    own = ", ".join(f"{name(column)} AS c{number}" for number, column in enumerate(there.source.columns))
    query = (
        f"SELECT key, class FROM (SELECT {own}, {key} AS key FROM {source.relation} {joined_key}) AS counted {joined}"  # noqa: S608 - quoted
    )
    written = 0
    with _writer(file, place) as write:
        for batch in there.engine.batches(query, BATCH):
            write(batch.column(0), batch.column(1).to_numpy())
            written += batch.num_rows
            if progress is not None:
                progress(min(1.0, written / records))
    there.files.check_unchanged()
    if written != records:
        # not tested: files that change back in time.
        raise InputError("The files do not hold as many records as were counted; try again.")


def _keyed(there: OnEngine, key: str) -> tuple[Source, str, str]:
    """How the engine reads the files with their row names: source, expression and required joins."""
    if there.source.distinct:
        raise ParameterError("Only DuckDB joins the classes to the rows; let it count the files.", parameter="classes")
    if there.source.count:
        raise ParameterError(
            "A frequency table counts records and does not list them, so rows have no class to write; give "
            "the data themselves.",
            parameter="classes",
        )
    if key:
        source = source_of(there.files, (*there.columns, key), there.delimiter)
        return source, name(source.columns[-1]), ""
    if there.files.file_format != PARQUET:
        raise ParameterError(
            "The engine does not number the rows of text files; name a column that identifies them with --key.",
            parameter="key",
        )
    pa, parquet = arrow()
    footers = [parquet.read_metadata(path) for path in there.files.paths]
    if any(column in footer.schema.to_arrow_schema().names for footer in footers[:1] for column in NUMBERED):
        raise ParameterError(
            f"The files have a column {' or '.join(NUMBERED)}, the name the engine uses to number rows; rename it, "
            f"or name a column that identifies rows with --key.",
            parameter="key",
        )
    rows = np.array([footer.num_rows for footer in footers])
    there.engine.give("begins", pa.table({"of_file": np.arange(len(rows)), "begin": np.cumsum(rows) - rows + 1}))
    return there.source, "begin + file_row_number", "JOIN begins ON of_file = file_index"


@contextmanager
def _writer(file: ClassFile, place: Path) -> Iterator[Any]:
    """Yield a function that writes the names of some rows and their classes."""
    pa, parquet = arrow()
    from pyarrow import csv

    file_format = ENDINGS[file.path.suffix]
    made: Any = None
    with place.open("wb") as stream:

        def write(key: Any, classes: Ints) -> None:
            nonlocal made
            if file_format == "csv":
                key = _harmless(pa, key)
            elif pa.types.is_string_view(key.type) or pa.types.is_large_string(key.type):
                key = key.cast(pa.string())
            batch = pa.record_batch(
                [key, pa.array(classes.astype(np.int64) + 1, mask=classes < 0)],
                names=[harmless(file.named) if file_format == "csv" else file.named, CLASS],
            )
            if made is None and file_format == "csv":
                made = csv.CSVWriter(stream, batch.schema)
            elif made is None:
                made = parquet.ParquetWriter(stream, batch.schema, compression="zstd", store_schema=False)
            made.write_batch(batch)

        try:
            yield write
        finally:
            if made is not None:
                made.close()
        stream.flush()
        os.fsync(stream.fileno())


def _harmless(pa: Any, key: Any) -> Any:
    """Texts that a spreadsheet cannot run as formulas; numbers stay unchanged."""
    if not (pa.types.is_string(key.type) or pa.types.is_large_string(key.type) or pa.types.is_string_view(key.type)):
        return key
    coded = key.cast(pa.string()).dictionary_encode()
    safe = [None if text is None else harmless(text) for text in coded.dictionary.to_pylist()]
    return pa.DictionaryArray.from_arrays(coded.indices, pa.array(safe, pa.string())).dictionary_decode()


__all__ = ["ClassFile", "check_key", "classes_of_rows", "write_classes", "write_classes_of_files"]
