"""Frequency tables and releases as files: next to their destination, then renamed, so that none is incomplete."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
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


def write_counts(table: Table, counts: Ints, folder: Path, file_format: str, progress: Progress | None = None) -> None:
    """Write each row of a table as often as its count, in files of at most 10,000,000 rows."""
    total, ends = int(counts.sum()), np.cumsum(counts)
    is_csv = file_format == "csv"
    names = [harmless(name) if is_csv else name for name in table.names]
    labels = [[harmless(label) if is_csv else label for label in column.labels] for column in table.columns]
    arrays = [pa.array(own, pa.string()) for own in labels]

    def batches(begin: int, end: int) -> Iterator[Any]:
        for first in range(begin, end, ROWS):
            last = min(first + ROWS, end)
            begins_in, ends_in = np.searchsorted(ends, (first, last - 1), side="right").tolist()
            rows = slice(begins_in, ends_in + 1)
            times = np.minimum(ends[rows], last) - np.maximum(ends[rows] - counts[rows], first)
            codes = (np.repeat(column.codes[rows], times) for column in table.columns)
            cells = [pa.DictionaryArray.from_arrays(*pair) for pair in zip(codes, arrays, strict=True)]
            yield pa.record_batch([own.dictionary_decode() for own in cells] if is_csv else cells, names=names)
            if progress is not None:
                progress(last / total)

    for number, begin in enumerate(range(0, total, PART)):
        path = folder / f"part-{number:05d}.{file_format}"
        write_batches(path, file_format, batches(begin, min(begin + PART, total)))


def write_batches(path: Path, file_format: str, batches: Iterable[Any]) -> None:
    """Write Arrow record batches, at least one, to a file that only the user can read, and to the disk."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as stream:
        with ExitStack() as stack:
            writer: Any = None
            for batch in batches:
                if writer is None and file_format == "csv":
                    writer = stack.enter_context(csv.CSVWriter(stream, batch.schema))
                elif writer is None:
                    made = parquet.ParquetWriter(stream, batch.schema, compression="zstd", store_schema=False)
                    writer = stack.enter_context(made)
                writer.write_batch(batch)
        stream.flush()
        os.fsync(stream.fileno())


def _texts(labels: list[str], codes: Any) -> Any:
    return pa.DictionaryArray.from_arrays(pa.array(codes, type=pa.int32()), pa.array(labels, type=pa.string()))
