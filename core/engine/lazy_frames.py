"""The frequency table of a frame: its engine counts the distinct rows, and core writes their texts.

A frame is whatever Narwhals takes: a relation of DuckDB, a DataFrame of Spark, a LazyFrame of
Polars, a table of Ibis, which represents a warehouse. The engine only groups and counts: texts of values are made by
the same code as for files, never by a cast of the engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import pyarrow as pa

from core.base.arrays import Progress
from core.base.errors import InputError
from core.base.errors import shown_name as shown
from core.data.frequency_table import FrequencyTable
from core.data.tables.arrow_values import check_type
from core.engine import sources
from core.engine.interface import BATCH, grouped, quietly, without_past
from core.engine.on_duckdb import name as quoted
from core.engine.sources import check_case, check_counts, check_role, loaded, places, plain

BINARY = "UTF8_BINARY"
"""Collation of Spark under which texts are equal only if all their characters are."""


@dataclass(frozen=True, eq=False)
class Chosen:
    """Rows of some columns of a frame, not yet read.

    Parameters
    ----------
    frame
        Columns ``c0, c1, ...`` and the records ``n`` of each row; 0 if a count of a frequency table is missing.
    columns
        Names of the columns.
    types
        Their Arrow types, as their values are written.
    instants
        Numbers of the columns of instants with the type in which they are written.
    """

    frame: nw.LazyFrame[Any]
    columns: tuple[str, ...]
    types: tuple[Any, ...]
    instants: dict[int, Any]


def chosen(frame: Any, columns: Sequence[str], count: str = "") -> Chosen:
    """Choose some columns of a frame; no row is read yet.

    Parameters
    ----------
    frame, columns, count
        As for :func:`frequency_table_of_frame`.

    Raises
    ------
    InputError
        If it is not a frame, lacks a column, or has one without plain values.
    """
    check_role(count, columns)
    return quietly(lambda: _chosen(frame, columns, count))


def _chosen(frame: Any, columns: Sequence[str], count: str) -> Chosen:
    given = nw.from_native(frame, pass_through=True)
    if not isinstance(given, (nw.DataFrame, nw.LazyFrame)):
        raise InputError(
            "This is not a frame: give a relation of DuckDB, a DataFrame of Spark, a LazyFrame of Polars, a table of "
            "Ibis, or whatever else Narwhals takes."
        )
    wanted = (*columns, *filter(None, [count]))
    header, lazy = by_place(given.lazy() if isinstance(given, nw.DataFrame) else given, wanted)
    place = places(header, columns, "The frame")
    counts = places(header, [count], "The frame") if count else []
    cells = [nw.col(f"f{at}").alias(f"c{number}") for number, at in enumerate(place)]
    rows = lazy.select(*cells, *(nw.col(f"f{at}").alias("n") for at in counts))
    types = [plain(arrow_type) for arrow_type in rows.head(0).collect("pyarrow").to_arrow().schema.types]
    for column, arrow_type in zip(columns, types, strict=False):
        check_type(column, arrow_type)
    if count:
        check_counts(count, types.pop())
    times = nw.col("n").cast(nw.Int64).fill_null(0) if count else nw.lit(1).cast(nw.Int64)
    engine = lazy.implementation
    of_sql = engine.is_spark_like() or engine.is_duckdb() or engine.is_ibis()
    instants = _instants(types, of_sql)
    written = tuple(instants.get(at, arrow_type) for at, arrow_type in enumerate(types))
    return Chosen(rows.with_columns(times.alias("n")), tuple(columns), written, instants)


def by_place(lazy: nw.LazyFrame[Any], columns: Sequence[str]) -> tuple[list[str], nw.LazyFrame[Any]]:
    """Names of the columns of a frame, and the frame with ``f0, f1, ...`` instead.

    For some engines a dot, a star or a backtick in a name means something, and Narwhals passes names on unchanged.
    """
    native: Any = lazy.to_native()
    if lazy.implementation.is_spark_like():
        header = list(native.columns)
        _check_collations(columns, native.schema)
        return header, nw.from_native(native.toDF(*(f"f{at}" for at in range(len(header)))))
    header = lazy.collect_schema().names()
    names = [f"f{at}" for at in range(len(header))]
    if lazy.implementation.is_duckdb():
        check_case(header, columns)
        for column, kind in zip(header, map(str, native.types), strict=True):
            if column in columns and kind == "TIME WITH TIME ZONE":
                raise InputError(
                    f"DuckDB drops the time zone of {shown(column)}; cast it to a text first.", parameter=column
                )
        # A column may have a collation that ignores case, which its type does not show.
        binary = [' COLLATE "binary"' if str(arrow_type) == "VARCHAR" else "" for arrow_type in native.types]
        chosen = [f"{quoted(own)}{how} AS {at}" for own, how, at in zip(header, binary, names, strict=True)]
        return header, nw.from_native(native.project(", ".join(chosen)))
    return header, lazy.rename(dict(zip(header, names, strict=True)))


def _check_collations(columns: Sequence[str], schema: Any) -> None:
    """Refuse texts if Spark treats different ones as equal."""
    for field in schema:
        column, collation = field.name, getattr(field.dataType, "collation", BINARY)
        if column in columns and collation != BINARY:
            raise InputError(
                f"The column {shown(column)} has a collation under which Spark treats different texts as equal; cast "
                f"it to STRING first.",
                parameter=column,
            )


def _instants(types: Sequence[Any], in_utc: bool) -> dict[int, Any]:
    """Types of columns of instants, by column index: in UTC if a column of the engine has no time zone."""
    zoned = {
        at: arrow_type
        for at, arrow_type in enumerate(types)
        if pa.types.is_timestamp(arrow_type) and arrow_type.tz is not None
    }
    return {at: pa.timestamp(arrow_type.unit, "UTC") for at, arrow_type in zoned.items()} if in_utc else zoned


def frequency_table_of_frame(
    frame: Any, columns: Sequence[str], *, count: str = "", decimal: str | None = None, progress: Progress | None = None
) -> FrequencyTable:
    """Count the distinct rows of a frame on its engine, and load them into memory.

    Parameters
    ----------
    frame
        Whatever Narwhals takes: a relation of DuckDB, a DataFrame of Spark, a LazyFrame of Polars, a table of Ibis; a
        DataFrame of pandas or Polars, or a table of Arrow.
    columns
        The quasi-identifiers and the sensitive attribute. No other column is requested from the engine.
    count
        Column with the number of records per row, if the frame is a frequency table.
    decimal
        As for :func:`core.data.reading.read_table`.
    progress
        Called with the share of the work done once the engine has counted; may raise to cancel.

    Returns
    -------
    FrequencyTable
        The same, with the same ``content_id``, as that of the rows in files or in memory.

    Raises
    ------
    InputError
        If it is not a frame, has no row, lacks a column, a column has no plain values, a count is below 1, or the
        engine reports an error.
    LimitError
        If there are more than 20,000,000 distinct rows.
    MissingPackageError
        If Narwhals or pyarrow is not installed.

    Notes
    -----
    Every record is read once by the engine, O(records); core's part is O(columns x distinct rows). The engine decides
    which texts are equal: with a collation that ignores case, ``A`` and ``a`` are counted as one. If a type has no zone
    (in SQL), instants are written in UTC.
    """
    with without_past():
        rows = chosen(frame, columns, count)
        table: Any = quietly(
            lambda: (
                grouped(rows.frame, len(rows.columns), bool(count))
                .head(sources.MOST_TUPLES + 1)
                .collect("pyarrow")
                .to_arrow()
            )
        )
        types = [rows.instants.get(at, plain(arrow_type)) for at, arrow_type in enumerate(table.schema.types[:-2])]
        batches = table.to_batches(max_chunksize=BATCH)
        return loaded(rows.columns, types, batches, decimal, progress=progress)[0]
