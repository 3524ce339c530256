"""The class of every row of a release, as a file that is as secret as the data.

A release does not identify the people in its rows. Its publisher may need to know who is in which class, and with whom.
Algorithms that work on frequency tables never separate records with equal quasi-identifiers. So a map from distinct
rows to classes is sufficient, and one join on the engine gives the class of each row of a folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
from pyarrow import csv, parquet

from core.base.arrays import Ints, Progress
from core.base.errors import InputError, ParameterError
from core.base.errors import shown_name as shown
from core.data.frequency_table import FrequencyTable
from core.data.tables.csv_export import harmless
from core.data.tables.table import Table
from core.engine.counting import OnEngine
from core.engine.output import ROWS

ROW, CLASS = "row", "class"
"""Columns of the file: the number of a row unless a column names it, and the number of its class."""
ENDINGS = {".parquet": "parquet", ".pq": "parquet", ".csv": "csv"}


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
    rows_of_files(there, key)


def rows_of_files(there: OnEngine, key: str) -> nw.LazyFrame[Any]:
    """Return the rows of counted files: their cells ``c0, c1, ...``, and the ``key`` that identifies each.

    Raises
    ------
    ParameterError, InputError
        As for :func:`check_key`.
    """
    if there.source.count:
        raise ParameterError(
            "A frequency table counts records and does not list them, so rows have no class to write; give "
            "the data themselves.",
            parameter="classes",
        )
    if not there.source.files.paths:
        raise ParameterError("A frame has no rows of files, so they have no class to write.", parameter="classes")
    return there.engine.rows_with_key(there.source, key)


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


def with_codes(there: OnEngine, rows: nw.LazyFrame[Any], codes: Sequence[Ints]) -> nw.LazyFrame[Any]:
    """Add codes ``q0, q1, ...`` to rows with the cells ``c0, c1, ...``.

    Parameters
    ----------
    there
        The counted files.
    rows
        Of the same columns.
    codes
        For each of the first columns, (values,) code by the engine's number of the value.
    """
    for number, own in enumerate(codes):
        table = pa.table({"i": np.arange(len(own), dtype=np.int32), f"q{number}": own.astype(np.int32)})
        values = f"{there.keys.tables}{number}"
        there.engine.give(f"codes_of_{values}", table)
        known = there.engine.table(values).join(there.engine.table(f"codes_of_{values}"), on="i")
        rows = rows.join(known.drop("i"), left_on=f"c{number}", right_on="v", how="left")
        # A missing cell joins no value; if there is one, its number is 0.
        rows = rows.with_columns(nw.col(f"q{number}").fill_null(int(own[0])))
    return rows


def with_rows(
    there: OnEngine, rows: nw.LazyFrame[Any], frequencies: FrequencyTable, classes: Ints
) -> nw.LazyFrame[Any]:
    """Give rows of counted files the ``class`` of their row of the frequency table, instead of their cells.

    Parameters
    ----------
    there, rows
        As for :func:`with_codes`.
    frequencies
        Of these files.
    classes
        (distinct rows,) class of each row of the frequency table.
    """
    own = {f"q{number}": column.codes for number, column in enumerate(frequencies.table.columns)}
    name = f"class_of_{there.keys.tables}"
    there.engine.give(name, pa.table({**own, CLASS: classes.astype(np.int32)}))
    # The same texts in the same order as in the frequency table.
    codes = [there.labels(number).codes.astype(np.int64) for number in range(len(there.source.names))]
    return in_classes(there, rows, codes, name)


def in_classes(there: OnEngine, rows: nw.LazyFrame[Any], codes: Sequence[Ints], classes: str) -> nw.LazyFrame[Any]:
    """Give rows their ``class`` instead of their cells.

    Parameters
    ----------
    there, rows, codes
        As for :func:`with_codes`.
    classes
        The engine's table of the codes ``q0, q1, ...`` and the ``class`` of their rows.
    """
    names = [f"q{number}" for number in range(len(codes))]
    joined = with_codes(there, rows, codes).join(there.engine.table(classes), on=names)
    return joined.drop(*names, *(f"c{number}" for number in range(len(there.source.names))))


def classes_of_rows(there: OnEngine, key: str, frequencies: FrequencyTable, classes: Ints) -> nw.LazyFrame[Any]:
    """Return the ``key`` and the ``class`` of every row of the files; the parameters are those of :func:`with_rows`."""
    return with_rows(there, rows_of_files(there, key), frequencies, classes)


def write_classes_of_files(
    there: OnEngine,
    rows: nw.LazyFrame[Any],
    file: ClassFile,
    place: Path,
    records: int,
    progress: Progress | None = None,
) -> None:
    """Write the class of every row of some files, by one join on the engine.

    Parameters
    ----------
    there
        The counted files.
    rows
        The ``key`` and the ``class`` of each.
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
    written = 0
    with _writer(file, place) as write:
        for batch in there.engine.stream(rows):
            write(batch.column(0), batch.column(1).to_numpy())
            written += batch.num_rows
            if progress is not None:
                progress(min(1.0, written / records))
    there.source.files.check_unchanged()
    if written != records:
        # not tested: files that change back in time.
        raise InputError("The files do not hold as many records as were counted; try again.")


@contextmanager
def _writer(file: ClassFile, place: Path) -> Iterator[Any]:
    """Yield a function that writes the names of some rows and their classes."""
    file_format = ENDINGS[file.path.suffix]
    made: Any = None
    with place.open("wb") as stream:

        def write(key: Any, classes: Ints) -> None:
            nonlocal made
            if file_format == "csv":
                key = _harmless(key)
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


def _harmless(key: Any) -> Any:
    """Texts that a spreadsheet cannot run as formulas; numbers stay unchanged."""
    if not (pa.types.is_string(key.type) or pa.types.is_large_string(key.type) or pa.types.is_string_view(key.type)):
        return key
    coded = key.cast(pa.string()).dictionary_encode()
    safe = [None if text is None else harmless(text) for text in coded.dictionary.to_pylist()]
    return pa.DictionaryArray.from_arrays(coded.indices, pa.array(safe, pa.string())).dictionary_decode()


__all__ = [
    "ClassFile",
    "check_key",
    "classes_of_rows",
    "in_classes",
    "rows_of_files",
    "with_codes",
    "with_rows",
    "write_classes",
    "write_classes_of_files",
]
