"""Distinct rows of a frame, however many, held by Spark if they are Spark's, else by DuckDB."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.base.errors import ParameterError
from core.lake.counting import OnEngine, Source, counted_by_duckdb, make_keyed, source_of, without_past
from core.lake.engine import EngineBudget, connected
from core.lake.file_patterns import PARQUET, Files, files_of
from core.lake.held import quietly
from core.lake.lazy_frames import chosen
from core.lake.spark import spark_of
from core.lake.work import work_folder

NO_FILES = Files((), PARQUET, ())
"""Source of a frame."""


@contextmanager
def counted_from_frame(
    frame: Any, columns: Sequence[str], bounds: EngineBudget, *, count: str = "", decimal: str | None = None
) -> Iterator[OnEngine]:
    """Count the distinct rows of a frame on its engine, and leave them, however many, with Spark or else with DuckDB.

    Parameters
    ----------
    frame, columns, count, decimal
        As for :func:`frequency_table_of_frame`.
    bounds
        Resources of DuckDB, and the work folder. A frame of Spark stays with its session, whose settings are left as
        they are; its workers must have the work folder in common with this process.

    Raises
    ------
    ParameterError
        If there is no work folder.
    InputError, LimitError, MissingPackageError
        As for :func:`frequency_table_of_frame`; the number of distinct rows has no limit here.

    Notes
    -----
    The result is that of :func:`core.lake.counting.counted_on_engine` for files, so that
    :func:`core.lake.release_rounds.release_by_blocks` cuts it block by block.
    """
    if bounds.work is None:
        raise ParameterError("The distinct rows of a frame are written to disk; name a work folder.", parameter="work")
    with without_past(), ExitStack() as stack:
        rows = chosen(frame, columns, count)
        native: Any = rows.frame.to_native()
        if rows.frame.implementation.is_spark_like():
            spark = stack.enter_context(spark_of(native.sparkSession, bounds.work))
            # The frame may be the result of much work, which is not done for each column again.
            spark.keep("cells", rows.grouped())
            keys = make_keyed(spark, spark.table("cells"), len(columns), is_distinct=True)
            spark.drop("cells")
            source = Source((), "", rows.types, None)
            yield OnEngine.of(spark, NO_FILES, source, tuple(columns), decimal, keys, None)
            return
        place = Path(stack.enter_context(work_folder(bounds.work)) or "") / "rows.parquet"
        quietly(lambda: rows.grouped().sink_parquet(str(place)))
        written = files_of(str(place))
        source = replace(source_of(written, rows.keys, None), count="n", distinct=True, records=None)
        engine = stack.enter_context(connected(written.paths, bounds))
        there = counted_by_duckdb(engine, NO_FILES, source, tuple(columns), decimal)
        place.unlink()
        yield replace(there, rows_of_files=None)
