"""Names for the types that every room passes around, and how work tells how far it is."""

from collections.abc import Callable
from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Codes = NDArray[np.int32]
"""Ranks of values in the domain of their column."""
BitSets = NDArray[np.uint64]
"""Sets as bits, 64 values a word."""
Progress = Callable[[float], None]
"""Told the share of the work that is done, from 0 to 1; what it raises ends the work."""
T = TypeVar("T")
"""What a function that is handed on returns."""


@overload
def part(progress: Progress, begin: float, end: float = 1.0) -> Progress: ...
@overload
def part(progress: Progress | None, begin: float, end: float = 1.0) -> Progress | None: ...
def part(progress: Progress | None, begin: float, end: float = 1.0) -> Progress | None:
    """Report a step's progress as the part of the whole from ``begin`` to ``end``."""
    if progress is None:
        return None
    return lambda share: progress(begin + (end - begin) * share)


@overload
def step(progress: Progress, number: int, steps: int) -> Progress: ...
@overload
def step(progress: Progress | None, number: int, steps: int) -> Progress | None: ...
def step(progress: Progress | None, number: int, steps: int) -> Progress | None:
    """Report the progress of one of several equal steps, counted from 0."""
    return None if progress is None else lambda share: progress((number + share) / steps)


class LastProgress:
    """Hands the share of some work on, and keeps what it was told last.

    Parameters
    ----------
    progress
        Who is told, if anybody.
    """

    def __init__(self, progress: Progress | None) -> None:
        self._progress, self.share = progress, 0.0

    def __call__(self, share: float) -> None:
        """Tell the share done."""
        self.share = share
        if self._progress is not None:
            self._progress(share)


def mean_over(numbers: NDArray[Any], weight: Ints) -> Any:
    """Mean of numbers over the last axis, each of as many people as it stands for."""
    return (numbers * weight).sum(axis=-1) / weight.sum()


def is_first(ordered: NDArray[Any]) -> Bools:
    """(entries,) whether each entry differs from the one before: in a sorted array, the first of its kind."""
    first = np.ones(len(ordered), dtype=bool)
    first[1:] = ordered[1:] != ordered[:-1]
    return first


def runs(begin: Ints, long: Ints) -> Ints:
    """``long[i]`` whole numbers from ``begin[i]`` on, run after run: ``begin[0], begin[0] + 1, ...``."""
    ends = np.cumsum(long)
    if not len(ends):
        return np.zeros(0, dtype=np.int64)
    numbers: Ints = np.repeat(begin - ends + long, long)
    numbers += np.arange(int(ends[-1]))
    return numbers


def in_pieces(size: Ints, most: int) -> list[tuple[int, int]]:
    """Part classes, in their order, into pieces of about ``most`` units, up to a whole class more.

    Parameters
    ----------
    size
        (classes,) units of each.
    most
        Units of a piece.

    Returns
    -------
    list
        Of each piece its first class, and the one after its last.
    """
    ends = np.cumsum(size)
    until = (np.flatnonzero(np.append(np.diff(ends // most) > 0, True)) + 1).tolist()
    return list(zip([0, *until[:-1]], until, strict=True))
