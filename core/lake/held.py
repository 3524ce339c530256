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
from types import TracebackType
from typing import Any, Protocol, TypeVar

import narwhals as nw
import numpy as np

from core.base.arrays import Ints, Progress
from core.base.errors import CompositionError, InputError, LimitError, MemoryShortError

BATCH = 65_536
"""Rows of an engine that are sent at once."""
Result = TypeVar("Result")


class HeldTables(Protocol):
    """An engine and the tables that it holds."""

    integers: tuple[tuple[int, str], ...]
    """Its integer types, the narrowest first: bits without a sign, and the name in Narwhals."""

    exact: int
    """Largest whole number that it divides exactly."""

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
    quiet = _Quiet(what)
    with quiet:
        return work()
    raise quiet.refusal


class _Quiet:
    """Turns an error into a refusal that is raised after the block, so that the error is gone."""

    refusal: CompositionError

    def __init__(self, what: str) -> None:
        self._what = what

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(
        self, error_class: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        """Keep the refusal instead of the error."""
        if not isinstance(error, Exception) or isinstance(error, (CompositionError, MemoryError)):
            return False
        text = str(error)
        if "No space left" in text or os.strerror(errno.ENOSPC) in text:
            self.refusal = LimitError("The disk that the engine works on is full; name a larger one.", parameter="work")
        elif "OutOfMemory" in text or "Out of Memory" in text:
            self.refusal = MemoryShortError("The engine's memory does not suffice; raise it.", parameter="memory")
        else:
            self.refusal = InputError(f"{self._what} ({type(error).__name__}); look at it with a query of your own.")
        return True


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
