"""Parquet files, through pyarrow, in batches.

A tiny Parquet file can hold billions of rows or texts that unpack to gigabytes. So texts
are read as dictionary codes, rows and characters are counted batch by batch, and the
process that reads has a limit of memory for what pyarrow unpacks on the way.
"""

from __future__ import annotations

import io
from typing import Any, BinaryIO

from core.base.errors import InputError, LimitError, MissingPackageError
from core.data.reading.gather import Gather, Parsed
from core.data.reading.tallies import fact_of
from core.data.table import Limits
from core.data.values import check_type, encode_cells, is_floating, without_points

BATCH = 65_536


def read_parquet(stream: BinaryIO, limits: Limits) -> Parsed:
    """Read a Parquet file.

    Whole numbers come out without a decimal point, also where a column of them is stored
    as floating point; other floats by their shortest form; dates and times by ISO 8601;
    truth values as ``TRUE`` and ``FALSE``; null and NaN as the empty text.

    Raises
    ------
    InputError, LimitError
        Naming the column or row, never a cell.
    MissingPackageError
        If pyarrow is not installed.
    """
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise MissingPackageError("pyarrow", "read Parquet files") from None
    try:
        return _read(parquet, stream, limits)
    except MemoryError:
        raise  # of ours and of pyarrow's, which is also an ArrowException
    except (ArrowException, OSError, ValueError, TypeError, LookupError, ArithmeticError, RuntimeError):
        pass  # pyarrow does not say which errors a damaged file gives; they hold cells
    raise InputError("The Parquet file is damaged or uses a feature that cannot be read; write it again, or as CSV.")


def _read(parquet: Any, stream: BinaryIO, limits: Limits) -> Parsed:
    footer = parquet.read_metadata(stream)
    if footer.num_rows > limits.rows:
        raise LimitError(
            f"The table has {footer.num_rows:,} rows; at most {limits.rows:,} are accepted. Load a part of it, or "
            "raise the limit (Limits.rows) in a script."
        )
    stream.seek(0)
    schema = parquet.ParquetFile(stream, metadata=footer).schema_arrow
    gather = Gather(schema.names, 1, limits, "row", count_text=True)
    for name, field in zip(gather.names, schema, strict=True):
        check_type(name, field.type)
    # pyarrow cannot give delta-encoded texts as dictionary codes.
    delta = {i for i in range(len(schema)) if any("DELTA" in str(encoding) for encoding in _encodings(footer, i))}
    texts = [field.name for i, field in enumerate(schema) if "string" in str(field.type) and i not in delta]
    checked = _has_checksums(parquet, stream, footer)
    stream.seek(0)
    file = parquet.ParquetFile(
        stream, metadata=footer, read_dictionary=texts, pre_buffer=False, page_checksum_verification=True
    )
    for rows in file.iter_batches(batch_size=BATCH):
        gather.add_codes([encode_cells(column) for column in rows.columns], rows.num_rows)
    columns = [
        without_points(column) if is_floating(field.type) else column
        for column, field in zip(gather.finish(), schema, strict=True)
    ]
    source = {"format": "Parquet", "checksums": "verified" if checked else "none", **fact_of(footer.metadata)}
    return Parsed(tuple(columns), source, gather.notes)


def _encodings(footer: Any, column: int) -> set[str]:
    """Names of the encodings of a column's pages."""
    return {name for group in range(footer.num_row_groups) for name in footer.row_group(group).column(column).encodings}


def _has_checksums(parquet: Any, stream: BinaryIO, footer: Any) -> bool:
    """Whether pages carry checksums, which no footer tells: damage the last byte of a page and see who notices.

    Whoever writes a file gives all pages a checksum or none, so one column is enough.
    """
    chunks = (
        (group, column, footer.row_group(group).column(column))
        for group in range(footer.num_row_groups)
        for column in range(footer.num_columns)
    )
    group, column, chunk = min(
        (chunk for chunk in chunks if chunk[2].num_values),
        key=lambda chunk: chunk[2].total_compressed_size,
        default=(0, 0, None),
    )
    if chunk is None:
        return False
    start = chunk.data_page_offset
    if chunk.has_dictionary_page and chunk.dictionary_page_offset:
        start = min(start, chunk.dictionary_page_offset)
    data = bytearray(stream.seek(0) or stream.read())
    last = start + chunk.total_compressed_size - 1
    if not 0 <= last < len(data):
        raise ValueError
    data[last] ^= 1
    try:
        name = footer.schema.column(column).path
        parquet.ParquetFile(io.BytesIO(data), metadata=footer, page_checksum_verification=True).read_row_group(
            group, columns=[name]
        )
    except (OSError, ValueError, LookupError, MemoryError) as error:  # what damage can lead to where nobody notices it
        return isinstance(error, OSError) and "checksum" in str(error).lower()
    return False
