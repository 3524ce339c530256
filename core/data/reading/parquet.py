"""Parquet files, through pyarrow, in batches.

A tiny Parquet file can hold billions of rows or texts that unpack to gigabytes. So texts
are read as dictionary codes, rows and characters are counted batch by batch, and the
process that reads has a limit of memory for what pyarrow unpacks on the way.
"""

from __future__ import annotations

import io
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, BinaryIO

import numpy as np

from core.base.arrays import Codes
from core.base.errors import InputError, LimitError, MissingPackageError
from core.base.errors import shown_name as shown
from core.data.reading.gather import Gather, Parsed, duration_text
from core.data.reading.tallies import fact_of
from core.data.table import Column, Limits

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


def is_floating(kind: Any) -> bool:
    """Whether an Arrow type holds floating point numbers."""
    import pyarrow.types as types

    return bool(types.is_floating(kind.value_type if types.is_dictionary(kind) else kind))


def check_type(name: str, kind: Any) -> None:
    """Refuse what is not one plain value a cell."""
    import pyarrow.types as types

    plain = kind.value_type if types.is_dictionary(kind) else kind
    known = (
        types.is_null,
        types.is_boolean,
        types.is_integer,
        types.is_floating,
        types.is_decimal,
        types.is_string,
        types.is_large_string,
        types.is_string_view,
        types.is_date,
        types.is_time,
        types.is_timestamp,
        types.is_duration,
    )
    if not any(test(plain) for test in known):
        what = "binary" if "binary" in str(plain) else "nested" if types.is_nested(plain) else "other"
        raise InputError(
            f"The column {shown(name)} holds {what} values, which are not text, numbers, dates or truth values; leave "
            "it out or turn it into text.",
            parameter=name,
        )


# ---- cells -----------------------------------------------------------------------------


def encode_cells(array: Any) -> tuple[Any, Codes]:
    """Labels of a column of a batch, and a code a row.

    Of texts and whole numbers, an Arrow array of the texts that occur; of anything else a list, of which the last may
    not occur.
    """
    import pyarrow as pa

    if pa.types.is_null(array.type):
        return [""], np.zeros(len(array), dtype=np.int64)
    if not pa.types.is_dictionary(array.type):
        array = array.dictionary_encode()
    codes = array.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    # A dictionary serves all batches of a row group: convert only what occurs in this one.
    used = np.flatnonzero(np.bincount(codes + 1, minlength=len(array.dictionary) + 1)[1:])
    values = array.dictionary.take(pa.array(used))
    place = np.full(len(array.dictionary) + 1, len(values), dtype=np.int64)
    place[used] = np.arange(len(used))  # the last place, reached by -1, is that of nulls
    if "string" not in str(values.type) and not pa.types.is_integer(values.type):
        return [*_texts(values), ""], place[codes]
    empty = pa.array([""] if (codes < 0).any() else [], pa.large_string())
    return pa.concat_arrays([values.cast(pa.large_string()).fill_null(""), empty]), place[codes]


def _texts(values: Any) -> list[str]:
    if str(values.type) in ("float", "halffloat"):  # 0.1 is 0.1 in any precision, not 0.10000000149
        return [_text(float(str(value))) for value in values.to_numpy(zero_copy_only=False)]
    return [_text(value) for value in values.to_pylist()]


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if value is None or value != value:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, timedelta):
        return duration_text(value)
    if isinstance(value, datetime):
        return value.isoformat().removesuffix("T00:00:00")
    if isinstance(value, date | time):
        return value.isoformat()
    # Adding 0.0 takes the sign off a zero: an engine that groups keeps either of the two.
    return repr(value + 0.0) if isinstance(value, float) else str(value)


def without_points(column: Column) -> Column:
    """Write a column of floats that are all whole as whole numbers."""
    numbers = [float(label) for label in column.labels if label]
    if not all(number.is_integer() and abs(number) < 2**53 for number in numbers):
        return column
    labels: dict[str, int] = {}
    whole = [str(int(float(label))) if label else "" for label in column.labels]
    codes = np.array([labels.setdefault(label, len(labels)) for label in whole])
    return Column.from_codes(column.name, labels, codes[column.codes])
