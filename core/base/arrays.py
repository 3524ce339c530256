"""Array types that all of core shares, and progress reports."""

from collections.abc import Callable
from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Codes = NDArray[np.int32]
"""Codes: ranks of values in the domain of their column."""
BitSets = NDArray[np.uint64]
"""Sets as bits, 64 values per word."""
Progress = Callable[[float], None]
"""Callback that receives the share of work done, from 0 to 1; an exception from it ends the work."""
T = TypeVar("T")
"""Return type of a function passed as an argument."""


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


def mean_over(numbers: NDArray[Any], weight: Ints) -> Any:
    """Mean of numbers over the last axis, weighted by the people that each represents."""
    return (numbers * weight).sum(axis=-1) / weight.sum()


def is_first(ordered: NDArray[Any]) -> Bools:
    """(entries,) whether each entry differs from the one before: in a sorted array, the first of its kind."""
    first = np.ones(len(ordered), dtype=bool)
    first[1:] = ordered[1:] != ordered[:-1]
    return first


def runs(begin: Ints, long: Ints) -> Ints:
    """For each i, ``long[i]`` whole numbers from ``begin[i]`` on, run after run: ``begin[0], begin[0] + 1, ...``."""
    ends = np.cumsum(long)
    if not len(ends):
        return np.zeros(0, dtype=np.int64)
    numbers: Ints = np.repeat(begin - ends + long, long)
    numbers += np.arange(int(ends[-1]))
    return numbers


def in_pieces(size: Ints, most: int) -> list[tuple[int, int]]:
    """Split classes, in their order, into pieces of about ``most`` units, exceeded by at most one class.

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
