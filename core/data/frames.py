"""Data frames in: of pandas, Polars, Arrow or whatever else Narwhals takes, cell by cell the texts that a file has.

    table_of      a frame as a table
    columns_of    some columns of a frame, for what needs no table

A whole number is ``3``, also where a missing one has made floats of its column; a missing value is the empty text; a
category is its label. Other values are written as in files that have types (:mod:`core.data.values`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from core.base.errors import InputError, LimitError, MissingPackageError
from core.base.errors import shown_name as shown
from core.data.decimals import decimal_mark
from core.data.table import DEFAULT_LIMITS, Column, Limits, Table, check_header
from core.data.values import check_type, encode_cells, is_floating, short_floats, text_of, without_points

if TYPE_CHECKING:
    import pandas as pd
    from narwhals.typing import IntoDataFrame

NO_FRAME = (
    "The data must be a data frame of pandas or Polars, a table of Arrow or a Table of core; read_table reads a file."
)
NUMBERS = ("floating", "mixed-integer-float")
"""What pandas calls a column of objects that are real numbers."""


def table_of(data: Table | IntoDataFrame, decimal: str | None = None, limits: Limits = DEFAULT_LIMITS) -> Table:
    """Return a table as it is, and a frame as a table (:meth:`core.data.table.Table.from_frame`)."""
    if isinstance(data, Table):
        return data
    native = _native(data)
    rows, columns = native.shape
    if rows > limits.rows:
        raise LimitError(
            f"The table has {rows:,} rows; at most {limits.rows:,} are accepted. Take a part of it, or raise the "
            "limit: Table.from_frame(frame, limits=Limits(rows=...))."
        )
    if columns > limits.columns:
        raise LimitError(
            f"The table has {columns:,} columns; at most {limits.columns:,} are accepted. Leave columns out."
        )
    texts = tuple(columns_of(native).values())
    return Table(texts, decimal or decimal_mark(texts)[0], {"format": "data frame"})


def columns_of(data: Table | IntoDataFrame, names: Collection[str] | None = None) -> dict[str, Column]:
    """Columns of a table or frame by their names, all or those of ``names`` that it has; O(columns x rows)."""
    if isinstance(data, Table):
        return {column.name: column for column in data.columns if names is None or column.name in names}
    native = _native(data)
    header = list(native.columns) if hasattr(native, "iloc") else native.column_names
    for position, name in enumerate(header, start=1):
        if not isinstance(name, str):
            raise InputError(
                f"The name of column {position} is not text; name every column by a text (frame.columns.astype(str))."
            )
    check_header(header)
    if not len(native):
        raise InputError("The table has no rows; it needs at least one record.")
    wanted = [place for place, name in enumerate(header) if names is None or name in names]
    if hasattr(native, "iloc"):
        return {header[place]: column_of(header[place], native.iloc[:, place]) for place in wanted}
    return {header[place]: _of_arrow(header[place], native.column(place)) for place in wanted}


def is_frame(data: Any) -> bool:
    """Whether a table or frame is given, where something else could be."""
    import pandas as pd

    if isinstance(data, Table | pd.DataFrame):
        return True
    try:
        from narwhals.dependencies import is_into_dataframe
    except ImportError:
        return False
    return is_into_dataframe(data)


def _native(frame: Any) -> Any:
    """A DataFrame of pandas as it is; of any other frame a table of Arrow, or of pandas where it computes like it."""
    import pandas as pd

    if isinstance(frame, pd.DataFrame):
        return frame
    try:
        import narwhals as nw
    except ImportError:
        raise MissingPackageError("narwhals", "take a frame that is not of pandas") from None
    if nw.dependencies.is_pyarrow_table(frame):
        return frame
    held = nw.from_native(frame, pass_through=True)
    if isinstance(held, nw.LazyFrame):
        raise InputError(
            "The frame is a query that has not run; collect it first, or let its engine count the rows "
            "(core.lake.tally_of_frame)."
        )
    if not isinstance(held, nw.DataFrame):
        raise InputError(NO_FRAME)
    if held.implementation.is_pandas_like():
        return held.to_pandas()
    for name, kind in held.schema.items():
        if kind in (nw.Object, nw.Int128, nw.UInt128):
            raise InputError(
                f"The column {shown(name)} holds values that Arrow does not have; leave it out or turn it into text.",
                parameter=name,
            )
    return held.to_arrow()


def column_of(name: str, series: pd.Series[Any]) -> Column:
    """Write a column of pandas as texts."""
    import pandas as pd

    kind: Any = series.dtype
    if isinstance(kind, pd.CategoricalDtype):
        categories = column_of(name, pd.Series(kind.categories))
        return _numbered(name, [*categories.texts(), ""], series.cat.codes.to_numpy())
    if isinstance(kind, pd.ArrowDtype):
        return _of_arrow(name, series.array.__arrow_array__())
    if kind == np.object_ and pd.api.types.infer_dtype(series, skipna=True) != "string":
        return _of_objects(name, series)
    codes, distinct = pd.factorize(series)
    number = getattr(kind, "numpy_dtype", kind)
    if number in (np.float16, np.float32):
        labels = short_floats(distinct.to_numpy(dtype=number))
    else:
        labels = [text_of(value) for value in distinct.tolist()]
    column = _numbered(name, [*labels, ""], codes)
    return without_points(column) if getattr(number, "kind", "") == "f" else column


def _of_objects(name: str, series: pd.Series[Any]) -> Column:
    """Write a column of objects value by value: to pandas ``True`` equals ``1``, and 1.5 the decimal 1.50."""
    import pandas as pd

    labels: dict[str, int] = {}
    missing = series.isna().to_numpy()
    texts = ["" if gone else text_of(_plain(name, value)) for value, gone in zip(series, missing, strict=True)]
    codes = np.array([labels.setdefault(text, len(labels)) for text in texts], dtype=np.int64)
    column = Column.from_codes(name, labels, codes)
    return without_points(column) if pd.api.types.infer_dtype(series, skipna=True) in NUMBERS else column


def _plain(name: str, value: Any) -> Any:
    """An object of a cell without its cloth of numpy; refuses what holds several values."""
    import pandas as pd

    if isinstance(value, np.datetime64):
        return pd.Timestamp(value)
    if isinstance(value, np.timedelta64):
        return pd.Timedelta(value)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Collection) and not isinstance(value, str):
        what = "binary" if isinstance(value, bytes | bytearray | memoryview) else "nested"
        raise InputError(
            f"The column {shown(name)} holds {what} values, which are not text, numbers, dates or truth values; leave "
            "it out or turn it into text.",
            parameter=name,
        )
    return value


def _of_arrow(name: str, cells: Any) -> Column:
    """Write a column of Arrow as texts."""
    check_type(name, cells.type)
    labels: list[str] = []
    codes = []
    for chunk in cells.chunks:
        texts, numbers = encode_cells(chunk)
        codes.append(numbers + len(labels))
        labels += texts if isinstance(texts, list) else texts.to_pylist()
    column = _numbered(name, labels, np.concatenate(codes) if codes else np.empty(0, dtype=np.int64))
    return without_points(column) if is_floating(cells.type) else column


def _numbered(name: str, labels: Sequence[str], codes: NDArray[Any]) -> Column:
    """Column of labels, of which some may be equal; the code -1 means the last."""
    first: dict[str, int] = {}
    place = np.array([first.setdefault(label, len(first)) for label in labels], dtype=np.int64)
    return Column.from_codes(name, first, place[codes])
