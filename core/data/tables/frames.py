"""Import data frames of pandas, Polars, Arrow or anything else Narwhals accepts, with the texts that a file has.

A whole number is ``3``, even if a missing value turned its column into floats; a missing value is the empty text; a
category is its label, and an ordered one, as an Enum of Polars is, gives its column an order. Other values are
written as in files that have types (:mod:`core.data.tables.arrow_values`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection
from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa

from core.base.errors import InputError
from core.base.errors import shown_name as shown
from core.data.tables.arrow_values import (
    check_type,
    coded,
    column_of,
    is_floating,
    order_of,
    refuse_type,
    text_of,
    without_points,
)
from core.data.tables.column import Column
from core.data.tables.input_limits import check_header

NO_FRAME = (
    "The data must be a data frame of pandas or Polars, a table of Arrow or a Table of core; read_table reads a file."
)
NUMBERS = ("floating", "mixed-integer-float")
"""Names that pandas gives to object columns of real numbers."""


def columns_of_frame(frame: Any, names: Collection[str] | None = None) -> dict[str, Column]:
    """Columns of a frame by their names, all or those of ``names`` that it has; O(columns x rows)."""
    native = native_frame(frame)
    header = native.column_names if isinstance(native, pa.Table) else list(native.columns)
    for position, name in enumerate(header, start=1):
        if not isinstance(name, str):
            raise InputError(
                f"The name of column {position} is not text; use text for every column name "
                f"(frame.columns.astype(str))."
            )
    check_header(header)
    if not len(native):
        raise InputError("The table has no rows; it needs at least one record.")
    wanted = [place for place, name in enumerate(header) if names is None or name in names]
    cells = native.column if isinstance(native, pa.Table) else lambda place: native.iloc[:, place]
    return {header[place]: _column(header[place], cells(place)) for place in wanted}


def native_frame(frame: Any) -> Any:
    """Return a pandas frame for pandas-like frames, otherwise an Arrow table."""
    if isinstance(frame, pd.DataFrame | pa.Table):
        return frame
    held = nw.from_native(frame, pass_through=True)
    if isinstance(held, nw.LazyFrame):
        raise InputError(
            "The frame is a query that has not run; collect it first, or let its engine count the rows "
            "(core.engine.frequency_table_of_frame)."
        )
    if not isinstance(held, nw.DataFrame):
        raise InputError(NO_FRAME)
    if held.implementation.is_pandas_like():
        return held.to_pandas()
    for name, dtype in held.schema.items():
        if dtype in (nw.Object, nw.Int128, nw.UInt128):
            raise InputError(
                f"The column {shown(name)} holds values that Arrow cannot represent; leave it out or turn it into "
                f"text.",
                parameter=name,
            )
    return held.to_arrow()


def _column(name: str, cells: Any) -> Column:
    """Write a column of pandas or Arrow as texts."""
    is_real = False
    if isinstance(cells, pd.Series):
        is_real = cells.dtype == np.object_ and pd.api.types.infer_dtype(cells, skipna=True) in NUMBERS
        cells = pa.chunked_array([_in_arrow(name, cells)])
    check_type(name, cells.type)
    column = replace(column_of(name, [coded(part) for part in cells.chunks]), order=order_of(cells))
    return without_points(column) if is_real or is_floating(cells.type) else column


def _in_arrow(name: str, series: pd.Series[Any]) -> pa.Array:
    """Convert a pandas column to Arrow; values that Arrow does not have become texts."""
    dtype: Any = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        codes = series.cat.codes.to_numpy()
        values = _in_arrow(name, pd.Series(dtype.categories))
        return pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), values, ordered=bool(dtype.ordered))
    # For Arrow the decimals 1.5 and 1.50 are equal, and True and 1 cannot be in one column.
    plain = dtype != np.object_ or pd.api.types.infer_dtype(series, skipna=True) == "string"
    with contextlib.suppress(pa.ArrowException, UnicodeEncodeError):
        cells = pa.array(series, from_pandas=True) if plain else None
        if cells is not None and not isinstance(cells.type, pa.BaseExtensionType):
            return cells.combine_chunks() if isinstance(cells, pa.ChunkedArray) else cells
    missing = series.isna().to_numpy()
    texts = ["" if gone else text_of(_plain(name, value)) for value, gone in zip(series, missing, strict=True)]
    with contextlib.suppress(UnicodeEncodeError):
        return pa.array(texts, pa.large_string())
    row = next(row for row, text in enumerate(texts, start=1) if any("\ud800" <= letter <= "\udfff" for letter in text))
    raise InputError(
        f"The column {shown(name)} holds half of a character in row {row:,}, which cannot be written to a file; take "
        f"it "
        "out.",
        parameter=name,
    )


def _plain(name: str, value: Any) -> Any:
    """Convert a numpy scalar to a Python object; refuse objects with several values."""
    if isinstance(value, np.datetime64):
        return pd.Timestamp(value)
    if isinstance(value, np.timedelta64):
        return pd.Timedelta(value)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Collection) and not isinstance(value, str):
        refuse_type(name, "binary" if isinstance(value, bytes | bytearray | memoryview) else "nested")
    return value
