"""The class of every row of a release, as a file that is as secret as the data.

A release does not identify the people in its rows. Its publisher may need to know who is in which class, and with whom.
Algorithms that work on frequency tables never separate records with equal quasi-identifiers. So a map from distinct
rows to classes is sufficient, and one join on the engine gives the class of each row of a folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa

from core.base.arrays import Ints, Progress
from core.base.errors import InputError, ParameterError
from core.base.errors import shown_name as shown
from core.data.frequency_table import FrequencyTable
from core.data.tables.csv_export import harmless
from core.data.tables.table import Table
from core.engine.counting import OnEngine
from core.engine.held import HeldTables
from core.engine.output import ROWS, write_batches

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

    @property
    def file_format(self) -> str:
        """Of the ending."""
        return ENDINGS[self.path.suffix]

    def batch(self, key: Any, classes: Ints) -> Any:
        """Arrow record batch of some rows: what identifies each, and its class from 0, or -1 for an empty cell."""
        names = [self.named, CLASS]
        if "string" in str(key.type):
            key = key.cast(pa.string())
        if self.file_format == "csv":
            names[0] = harmless(names[0])
            if pa.types.is_string(key.type):  # texts that a spreadsheet cannot run as formulas
                coded = key.dictionary_encode()
                safe = [None if text is None else harmless(text) for text in coded.dictionary.to_pylist()]
                key = pa.DictionaryArray.from_arrays(coded.indices, pa.array(safe, pa.string())).dictionary_decode()
        return pa.record_batch([key, pa.array(classes.astype(np.int64) + 1, mask=classes < 0)], names=names)


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

    def batches() -> Iterator[Any]:
        for first in range(0, len(classes), ROWS):
            last = min(first + ROWS, len(classes))
            key = pa.array(np.arange(first, last) + 1)
            if file.key:
                column = table.column(file.key)
                codes = pa.array(column.codes[first:last], type=pa.int32())
                key = pa.DictionaryArray.from_arrays(codes, pa.array(column.labels, pa.string())).dictionary_decode()
            yield file.batch(key, classes[first:last])

    write_batches(place, file.file_format, batches())


def with_codes(engine: HeldTables, rows: nw.LazyFrame[Any], codes: Sequence[Ints]) -> nw.LazyFrame[Any]:
    """Add codes ``q0, q1, ...`` to rows with the numbers of their values ``i0, i1, ...``.

    Parameters
    ----------
    engine
        Gets the codes.
    rows
        Of any files.
    codes
        For each of the first columns, (values,) code by the number of the value.
    """
    for number, own in enumerate(codes):
        known = pa.table({f"i{number}": np.arange(len(own), dtype=np.int32), f"q{number}": own.astype(np.int32)})
        if np.array_equal(own, np.arange(len(own))):
            rows = rows.with_columns(nw.col(f"i{number}").alias(f"q{number}"))
        else:
            engine.give(f"m{number}", known)
            rows = rows.join(engine.table(f"m{number}"), on=f"i{number}", how="left")
    return rows


def with_rows(
    there: OnEngine, rows: nw.LazyFrame[Any], frequencies: FrequencyTable, classes: Ints
) -> nw.LazyFrame[Any]:
    """Give rows the ``class`` of their row of the frequency table, instead of their cells.

    Parameters
    ----------
    there
        The counted files.
    rows
        Of the same columns, with the cells ``c0, c1, ...``.
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
    there, rows
        As for :func:`with_rows`.
    codes
        As for :func:`with_codes`.
    classes
        The engine's table of the codes ``q0, q1, ...`` and the ``class`` of their rows.
    """
    columns = range(len(codes))
    coded = with_codes(there.engine, there.keys.numbered(there.engine, rows, columns), codes)
    joined = coded.join(there.engine.table(classes), on=[f"q{number}" for number in columns])
    cells = (f"c{number}" for number in range(len(there.source.names)))
    return joined.drop(*cells, *(f"{kind}{number}" for number in columns for kind in "iq"))


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

    def batches() -> Iterator[Any]:
        nonlocal written
        for batch in there.engine.stream(rows):
            yield file.batch(batch.column(0), batch.column(1).to_numpy())
            written += batch.num_rows
            if progress is not None:
                progress(min(1.0, written / records))

    write_batches(place, file.file_format, batches())
    there.source.files.check_unchanged()
    if written != records:
        # not tested: files that change back in time.
        raise InputError("The files do not hold as many records as were counted; try again.")
