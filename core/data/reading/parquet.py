"""Parquet files, through pyarrow, in batches.

A tiny Parquet file can hold billions of rows or texts that unpack to gigabytes. So the
sizes of its pages are checked before anything is unpacked, texts are read as dictionary
codes, and rows and characters are counted batch by batch.
"""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, BinaryIO

import numpy as np

from core.errors import InputError, LimitError, MissingPackageError
from core.errors import shown_name as shown
from core.reading.gather import Codes, Found, Gather, duration_text
from core.reading.pages import check_pages
from core.table import Column, Limits

BATCH = 65_536


def read_parquet(stream: BinaryIO, limits: Limits) -> Found:
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
    except (ArrowException, OSError, ValueError, TypeError, LookupError, ArithmeticError, RuntimeError, MemoryError):
        pass  # pyarrow does not say which errors a damaged file gives; they hold cells
    raise InputError("The Parquet file is damaged or uses a feature that cannot be read; write it again, or as CSV.")


def _read(parquet: Any, stream: BinaryIO, limits: Limits) -> Found:
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
        _check_type(name, field.type)
    pages = check_pages(stream, limits)
    stream.seek(0)
    texts = [f.name for i, f in enumerate(schema) if "string" in str(f.type) and i not in pages.delta]
    file = parquet.ParquetFile(stream, metadata=footer, read_dictionary=texts, pre_buffer=False)
    for rows in file.iter_batches(batch_size=min(BATCH, pages.rows)):
        gather.add_codes([_encode(column) for column in rows.columns], rows.num_rows)
    columns = [
        _without_points(column) if _is_floating(field.type) else column
        for column, field in zip(gather.finish(), schema, strict=True)
    ]
    return Found(tuple(columns), {"format": "Parquet"}, gather.notes)


def _is_floating(kind: Any) -> bool:
    import pyarrow.types as types

    return bool(types.is_floating(kind.value_type if types.is_dictionary(kind) else kind))


def _check_type(name: str, kind: Any) -> None:
    """Refuse what is not one plain value a cell."""
    import pyarrow.types as types

    plain = kind.value_type if types.is_dictionary(kind) else kind
    known = (
        types.is_null, types.is_boolean, types.is_integer, types.is_floating, types.is_decimal, types.is_string,
        types.is_large_string, types.is_string_view, types.is_date, types.is_time, types.is_timestamp,
        types.is_duration,
    )  # fmt: skip
    if not any(test(plain) for test in known):
        what = "binary" if "binary" in str(plain) else "nested" if types.is_nested(plain) else "other"
        raise InputError(
            f"The column {shown(name)} holds {what} values, which are not text, numbers, dates or truth values; leave "
            "it out or turn it into text.",
            parameter=name,
        )


# ---- cells -----------------------------------------------------------------------------


def _encode(array: Any) -> tuple[list[str], Codes]:
    """Labels that occur in a column of a batch, and a code a row."""
    import pyarrow as pa

    if pa.types.is_null(array.type):
        return [""], np.zeros(len(array), dtype=np.int64)
    if not pa.types.is_dictionary(array.type):
        array = array.dictionary_encode()
    codes = array.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    # A dictionary serves all batches of a row group: convert only what occurs in this one.
    used = np.flatnonzero(np.bincount(codes + 1, minlength=len(array.dictionary) + 1)[1:])
    labels = _texts(array.dictionary.take(pa.array(used)))
    place = np.full(len(array.dictionary) + 1, len(labels), dtype=np.int64)
    place[used] = np.arange(len(used))  # the last place, reached by -1, is that of nulls
    return [*labels, ""], place[codes]


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
    return repr(value) if isinstance(value, float) else str(value)


def _without_points(column: Column) -> Column:
    """Write a column of floats that are all whole as whole numbers."""
    numbers = [float(label) for label in column.labels if label]
    if not all(number.is_integer() and abs(number) < 2**53 for number in numbers):
        return column
    labels: dict[str, int] = {}
    whole = [str(int(float(label))) if label else "" for label in column.labels]
    codes = np.array([labels.setdefault(label, len(labels)) for label in whole])
    return Column.from_codes(column.name, labels, codes[column.codes])
