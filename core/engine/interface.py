"""The interface of an engine: it reads files as a Narwhals frame, and sends the rows of a frame."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

import narwhals as nw

from core.base.arrays import Progress
from core.base.errors import CompositionError, InputError, LimitError, MemoryShortError
from core.engine.sources import Source

BATCH = 65_536
"""Rows of an engine that are sent at once."""
Result = TypeVar("Result")


class Engine(Protocol):
    """What counts rows: DuckDB or Spark."""

    def rows_of(self, source: Source) -> nw.LazyFrame[Any]:
        """Return the rows of files: their cells ``c0, c1, ...`` and records ``n``, 0 if that is no whole number."""

    def stream(self, frame: nw.LazyFrame[Any], progress: Progress | None = None) -> Iterator[Any]:
        """Compute a frame, and send its rows as Arrow record batches; ``progress`` may raise to interrupt that."""


def grouped(rows: nw.LazyFrame[Any], columns: int, has_counts: bool) -> nw.LazyFrame[Any]:
    """Return the distinct rows, the records ``n`` of each, 0 if a count is below 1, and how many ``rows`` it was."""
    keys = [f"c{number}" for number in range(columns)]
    if not has_counts:
        return rows.group_by(keys).agg(nw.len().alias("n")).select(*keys, nw.col("n").cast(nw.Int64), rows=nw.col("n"))
    sums = (nw.col("n").sum().alias("sum"), nw.col("n").min().alias("least"), nw.len().alias("rows"))
    number = nw.when(nw.col("least") < 1).then(nw.lit(0)).otherwise(nw.col("sum"))
    return rows.group_by(keys).agg(*sums).select(*keys, number.cast(nw.Int64).alias("n"), "rows")


def quietly(work: Callable[[], Result], what: str = "The engine of the frame cannot count its rows") -> Result:
    """Run some work of an engine; turn its error into one sentence, because its own text may hold a cell.

    The errors of every engine cannot be listed, so any error is caught except ours and a lack of memory.

    Parameters
    ----------
    work
        What to do.
    what
        Begins the sentence.

    Raises
    ------
    LimitError
        If the memory or the disk of the engine does not suffice.
    InputError
        For any other error of it.
    """
    try:
        return work()
    except (CompositionError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 - as above
        text, name = str(error), type(error).__name__
    # After the block, so that the error is gone.
    if "No space left" in text or os.strerror(errno.ENOSPC) in text:
        raise LimitError("The disk that the engine works on is full; name a larger one.", parameter="work")
    if "OutOfMemory" in text or "Out of Memory" in text:
        raise MemoryShortError("The engine's memory does not suffice; raise it.", parameter="memory")
    raise InputError(f"{what} ({name}); look at it with a query of your own.")


@contextmanager
def without_past() -> Iterator[None]:
    """Raise deliberate errors without their causes and frames, which hold cells."""
    try:
        yield
    except CompositionError as error:
        refusal = error
    else:
        return
    refusal.__cause__ = refusal.__context__ = None
    raise refusal.with_traceback(None)
