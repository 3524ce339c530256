"""Texts of values that have a type: the same whether Arrow, pandas or a spreadsheet holds them."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Codes
from core.base.errors import InputError
from core.base.errors import shown_name as shown
from core.data.table import Column


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
    codes = array.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
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
    if str(values.type) in ("float", "halffloat"):
        return short_floats(values.to_numpy(zero_copy_only=False))
    return [text_of(value) for value in values.to_pylist()]


def short_floats(numbers: NDArray[np.floating]) -> list[str]:
    """Texts of floats of less than 64 bits: 0.1 is 0.1 in any precision, not 0.10000000149; whole ones are exact."""
    return [text_of(float(number) if number == np.floor(number) else float(str(number))) for number in numbers]


def text_of(value: Any) -> str:
    """Write one value: truth values as TRUE and FALSE, dates and times by ISO 8601, missing ones as the empty text."""
    if isinstance(value, str):
        return str(value)
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


def duration_text(duration: timedelta) -> str:
    """Write a duration as hours, minutes and seconds: ``26:30:00``, ``-00:00:01.5``."""
    sign, micro = ("-" if duration < timedelta(0) else ""), abs(duration) // timedelta(microseconds=1)
    seconds, micro = divmod(micro, 1_000_000)
    fraction = f".{micro:06d}".rstrip("0").rstrip(".")
    return f"{sign}{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{fraction}"
