"""Frequency tables and releases as files: next to their destination, then renamed, so that none is incomplete."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv, parquet

from core.base.arrays import Ints, Progress
from core.base.errors import ParameterError
from core.base.errors import shown_name as shown
from core.base.placing import Place, placed
from core.data.frequency_table import FrequencyTable
from core.data.reading.frequency_file import COUNT, KEY, Mark
from core.data.tables.csv_export import harmless
from core.data.tables.table import Table
from core.release.release import Release

PART = 10_000_000
"""Largest number of records in one file of a release."""
ROWS = 1_000_000
"""Number of records written at once."""
FORMATS = ("parquet", "csv")


def write_frequency_table(
    frequencies: FrequencyTable, path: Path, count: str = COUNT, *, sensitive: str = "", force: bool = False
) -> None:
    """Write a frequency table as a Parquet file: its columns as texts, one more with the counts, and its mark.

    Parameters
    ----------
    frequencies
        The frequency table.
    path
        Its file, readable only for the user.
    count
        Name of the column of counts; :meth:`core.data.frequency_table.FrequencyTable.from_table` reads it.
    sensitive
        The sensitive attribute, if the others are quasi-identifiers: the file then says so.
    force
        Whether to replace a file.

    Raises
    ------
    ParameterError
        If the frequency table has a column of that name.
    InputError
        If the file exists, or cannot be written.
    """
    if count in frequencies.table.names:
        raise ParameterError(
            f"The table has a column {shown(count)} already; give the counts another name.", parameter="count"
        )
    columns = {column.name: _texts(list(column.labels), column.codes) for column in frequencies.table.columns}
    table = pa.table({**columns, count: pa.array(frequencies.counts)})
    with (
        placed(Place(path, force)) as (part,),
        parquet.ParquetWriter(part, table.schema, compression="zstd", store_schema=False) as writer,
    ):
        writer.add_key_value_metadata({KEY: Mark(count, sensitive).to_text().encode()})
        writer.write_table(table)


def write_release(
    release: Release,
    folder: Path,
    file_format: str = "parquet",
    *,
    force: bool = False,
    progress: Progress | None = None,
) -> tuple[Table, Ints]:
    """Write a release into a folder, one row per record, in files of at most 10,000,000.

    Parameters
    ----------
    release
        Of a table or a frequency table.
    folder
        Created by this function; readable only for the user.
    file_format
        ``"parquet"`` or ``"csv"``.
    force
        Whether to replace the folder.
    progress
        Called with the share that is written; may raise to cancel, which leaves no output.

    Returns
    -------
    table, counts
        The distinct rows written, and the number of records for each.

    Raises
    ------
    ParameterError
        For another kind.
    InputError
        If the folder exists, or cannot be written.

    Notes
    -----
    Rows are in the order of the published cells, so their order reveals nothing more. O(records), in batches of
    1,000,000.
    """
    if file_format not in FORMATS:
        raise ParameterError(f"The format must be one of {', '.join(FORMATS)}.", parameter="format")
    table, counts = release.publish_counts()
    with placed(Place(folder, force, is_folder=True)) as (part,):
        write_counts(table, counts, part, file_format, progress=progress)
    return table, counts


def files_needed(records: int) -> int:
    """Number of files that :func:`write_counts` writes for ``records`` records."""
    return -(-records // PART)


def write_counts(
    table: Table, counts: Ints, folder: Path, file_format: str, number: int = 0, progress: Progress | None = None
) -> int:
    """Write each row of a table as often as its count, in files of at most 10,000,000 rows.

    Returns
    -------
    int
        The number of the next file; ``number`` is that of the first.
    """
    total, ends = int(counts.sum()), np.cumsum(counts)
    for begin in range(0, total, PART):
        with _writer(file_format, folder / f"part-{number:05d}.{file_format}", table) as write:
            for first in range(begin, min(begin + PART, total), ROWS):
                last = min(first + ROWS, begin + PART, total)
                begins_in, ends_in = np.searchsorted(ends, (first, last - 1), side="right").tolist()
                rows = slice(begins_in, ends_in + 1)
                times = np.minimum(ends[rows], last) - np.maximum(ends[rows] - counts[rows], first)
                write(rows, times)
                if progress is not None:
                    progress(last / total)
        number += 1
    return number


@contextmanager
def _writer(file_format: str, path: Path, table: Table) -> Iterator[Any]:
    """Yield a function that writes some rows of a table, each repeated by its count."""
    labels = [
        pa.array(
            [harmless(label) for label in column.labels] if file_format == "csv" else column.labels, type=pa.string()
        )
        for column in table.columns
    ]
    names = [harmless(name) if file_format == "csv" else name for name in table.names]
    schema = pa.schema(
        [(name, pa.dictionary(pa.int32(), pa.string()) if file_format == "parquet" else pa.string()) for name in names]
    )
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
        made = (
            parquet.ParquetWriter(stream, schema, compression="zstd", store_schema=False)
            if file_format == "parquet"
            else csv.CSVWriter(stream, schema)
        )

        def write(rows: slice, times: Ints) -> None:
            arrays = [
                pa.DictionaryArray.from_arrays(np.repeat(column.codes[rows], times), texts)
                for texts, column in zip(labels, table.columns, strict=True)
            ]
            if file_format == "csv":
                arrays = [array.dictionary_decode() for array in arrays]
            made.write_batch(pa.record_batch(arrays, schema=schema))

        with made:
            yield write
        stream.flush()
        os.fsync(stream.fileno())


def _texts(labels: list[str], codes: Any) -> Any:
    return pa.DictionaryArray.from_arrays(pa.array(codes, type=pa.int32()), pa.array(labels, type=pa.string()))


__all__ = ["FORMATS", "write_counts", "write_frequency_table", "write_release"]
