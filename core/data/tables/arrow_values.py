"""Texts of typed values, the same from Arrow, pandas or a spreadsheet."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as arrow
from pyarrow import types

from core.base.errors import InputError
from core.base.errors import shown_name as shown
from core.data.tables.column import Column


def is_floating(arrow_type: pa.DataType) -> bool:
    """Whether an Arrow type holds floating point numbers."""
    return bool(types.is_floating(arrow_type.value_type if types.is_dictionary(arrow_type) else arrow_type))


def check_type(name: str, arrow_type: pa.DataType, columns: Sequence[str] = ()) -> None:
    """Refuse types with more than one plain value per cell; ``columns`` are those of a file, to choose from."""
    plain = arrow_type.value_type if types.is_dictionary(arrow_type) else arrow_type
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
        refuse_type(name, what, columns)


def refuse_type(name: str, what: str, columns: Sequence[str] = ()) -> NoReturn:
    """Refuse a column of values that are not plain; ``columns`` are those of a file, to choose from."""
    way_out = "choose the columns to read (--columns)" if columns else "leave it out"
    raise InputError(
        f"The column {shown(name)} holds {what} values, which are not text, numbers, dates or booleans; {way_out} or "
        "turn it into text.",
        choices=columns,
        parameter=name,
    )


def coded(cells: Any) -> Any:
    """Codes of the cells of an Arrow array, and the dictionary of their texts; a null is the empty text.

    Some texts of the dictionary may not occur.
    """
    if types.is_null(cells.type):
        cells = cells.cast(pa.large_string())
    if not types.is_dictionary(cells.type):
        cells = cells.dictionary_encode()
    values = cells.dictionary
    texts = _texts(values)
    # The last one is that of nulls. Two values may have one text.
    distinct = pa.concat_arrays([texts, pa.array([""], pa.large_string())]).dictionary_encode()
    codes = distinct.indices.take(cells.indices.cast(pa.int64()).fill_null(len(values)))
    return pa.DictionaryArray.from_arrays(codes, distinct.dictionary)


def column_of(name: str, parts: Sequence[Any]) -> Column:
    """Column of the cells that :func:`coded` gives, part after part, at least one; O(rows + distinct log distinct)."""
    whole = pa.concat_arrays(parts)
    codes = whole.indices.to_numpy()
    used = np.flatnonzero(np.bincount(codes))
    texts = whole.dictionary.take(pa.array(used))
    # By their bytes in UTF-8, which is the order of their characters.
    order = arrow.sort_indices(texts).to_numpy()
    place = np.zeros(len(whole.dictionary), dtype=np.int32)
    place[used[order]] = np.arange(len(order), dtype=np.int32)
    numbers = place[codes]
    numbers.setflags(write=False)
    return Column(name, tuple(texts.take(pa.array(order)).to_pylist()), numbers)


def order_of(cells: Any) -> tuple[str, ...]:
    """Values of a chunked Arrow array from lowest to highest, if it holds an ordered category; else none."""
    if not (types.is_dictionary(cells.type) and cells.type.ordered and cells.num_chunks):
        return ()
    values = cells.unify_dictionaries().chunk(0).dictionary
    return tuple(dict.fromkeys(text for text in _texts(values).to_pylist() if text))


def _texts(values: Any) -> Any:
    """Texts of an Arrow array of values of any plain type, as an Arrow array."""
    if "string" in str(values.type) or types.is_integer(values.type):
        return values.cast(pa.large_string()).fill_null("")
    return pa.array(_one_by_one(values), pa.large_string())


def _one_by_one(values: Any) -> list[str]:
    if str(values.type) not in ("float", "halffloat"):
        return [text_of(value) for value in values.to_pylist()]
    # 0.1 is 0.1 in any precision, not 0.10000000149; whole ones are exact.
    numbers = values.to_numpy(zero_copy_only=False)
    return [text_of(float(number) if number == np.floor(number) else float(str(number))) for number in numbers]


def text_of(value: Any) -> str:
    """Write one value: booleans as TRUE and FALSE, dates and times by ISO 8601, missing ones as the empty text."""
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
    """Write a column of floats as whole numbers if all of them are whole."""
    numbers = [float(label) for label in column.labels if label]
    if not all(number.is_integer() and abs(number) < 2**53 for number in numbers):
        return column
    return column.renamed(column.name, [str(int(float(label))) if label else "" for label in column.labels])


def duration_text(duration: timedelta) -> str:
    """Write a duration as hours, minutes and seconds: ``26:30:00``, ``-00:00:01.5``."""
    sign, micro = ("-" if duration < timedelta(0) else ""), abs(duration) // timedelta(microseconds=1)
    seconds, micro = divmod(micro, 1_000_000)
    fraction = f".{micro:06d}".rstrip("0").rstrip(".")
    return f"{sign}{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{fraction}"
