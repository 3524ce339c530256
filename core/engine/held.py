"""The interface of an engine: the few tables that it holds, and Narwhals frames made of them.

All steps over the rows of a release are written once, as such frames. An engine can keep one as a table,
take a small table from core, send rows, and forget a table; DuckDB holds tables in its memory, Spark as Parquet
files in the work folder, so that rows never pass through its driver.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar

import narwhals as nw
import numpy as np

from core.base.arrays import Ints, Progress
from core.base.errors import CompositionError, InputError, LimitError, MemoryShortError
from core.engine.sources import Source

BATCH = 65_536
"""Rows of an engine that are sent at once."""
Result = TypeVar("Result")


class HeldTables(Protocol):
    """An engine and the tables that it holds."""

    integers: tuple[tuple[int, str], ...]
    """Its integer types, the narrowest first: bits without a sign, and the name in Narwhals."""

    exact: int
    """Largest whole number that it divides exactly."""

    reads_more: bool
    """Whether it may read files that were not named when it was started."""

    @property
    def memory(self) -> int:
        """Bytes of its memory, if its tables are in this process; else 0."""

    def check_path(self, path: Path) -> None:
        """Refuse a path that the engine takes for another."""

    def rows_of(self, source: Source, progress: Progress | None = None) -> tuple[nw.LazyFrame[Any], bool]:
        """Return the rows of files: their cells ``c0, c1, ...`` and records ``n``, 0 if that is no whole number.

        And whether no two rows have the same cells; ``progress`` may raise to cancel what is done at once.
        """

    def rows_with_key(self, source: Source, key: str) -> nw.LazyFrame[Any]:
        """Return the cells ``c0, c1, ...`` of all rows, and the ``key`` that identifies each: a column, or its number.

        Numbers of rows, for the key "", go over all files in the order of their paths, from 1.
        """

    def table(self, name: str) -> nw.LazyFrame[Any]:
        """Return a table that is held, as a frame."""

    def keep(self, name: str, frame: nw.LazyFrame[Any], progress: Progress | None = None) -> None:
        """Compute a frame and hold it as a table; ``progress`` may raise to interrupt that."""

    def give(self, name: str, content: Any, more: bool = False) -> None:
        """Hold an Arrow table of core; with ``more`` its rows are added to a table of that name."""

    def stream(self, frame: nw.LazyFrame[Any]) -> Iterator[Any]:
        """Send the rows of a frame as Arrow record batches, in their order if they are sorted."""

    def relabel(self, name: str, column: str, choices: Mapping[int, str], most: int) -> None:
        """Replace some whole numbers in a column, at first all 0, by others, at most ``most``.

        The numbers are chosen by other columns, in SQL of :func:`last_start`.
        """

    def drop(self, name: str) -> None:
        """Forget a table."""


def fetched(held: HeldTables, frame: nw.LazyFrame[Any]) -> Ints:
    """Fetch the few rows of a frame of whole numbers: (columns, rows)."""
    batches = [
        np.stack([column.to_numpy().astype(np.int64) for column in batch.columns]) for batch in held.stream(frame)
    ]
    return np.concatenate(batches, axis=1) if batches else np.empty((0, 0), dtype=np.int64)


def grouped(rows: nw.LazyFrame[Any], keys: Sequence[str]) -> nw.LazyFrame[Any]:
    """Return the distinct rows with their records ``n``, 0 if one of their counts is below 1, and their ``rows``."""
    sums = (nw.col("n").sum().alias("sum"), nw.col("n").min().alias("least"), nw.len().alias("rows"))
    number = nw.when(nw.col("least") < 1).then(nw.lit(0)).otherwise(nw.col("sum"))
    return rows.group_by(keys).agg(*sums).select(*keys, number.cast(nw.Int64).alias("n"), "rows")


def integer(held: HeldTables, most: int) -> Any:
    """Return the narrowest type of an engine for 0 to ``most``."""
    return getattr(nw, next(name for bits, name in held.integers if most < 2**bits))


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


def leaf(number: int) -> str:
    """Return a number as :func:`last_start` writes it."""
    return f"({number})"


def last_start(column: str, starts: Sequence[int], answers: Sequence[str]) -> str:
    """Return SQL that chooses the answer of the last start not above a column's value, with few comparisons."""
    if len(starts) == 1:
        return answers[0]
    half = len(starts) // 2
    low, high = (last_start(column, starts[some], answers[some]) for some in (slice(0, half), slice(half, None)))
    return f"CASE WHEN {column} < {starts[half]} THEN {low} ELSE {high} END"


def chosen_again(choice: str, choices: Mapping[int, str]) -> str:
    """Return SQL of :func:`last_start` with other choices instead of some numbers."""
    return re.sub(r"\((\d+)\)", lambda number: choices.get(int(number[1]), number[0]), choice)
