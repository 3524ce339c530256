"""Coalitions as bitmasks: bit ``i`` stands for the i-th contributor of a class."""

from __future__ import annotations

from math import comb

import numpy as np

from core.arrays import Bools, Ints
from core.errors import ParameterError

MAX_CONTRIBUTORS = 62
"""Contributors of one class that a 64-bit mask can name."""
MAX_COALITIONS = 2_000_000
"""Coalitions of one size that are listed at once (16 MB)."""


def of_size(contributors: int, size: int) -> Ints:
    """All coalitions of one size, as masks in ascending order.

    Parameters
    ----------
    contributors
        Providers to choose from, at most 62.
    size
        Members of a coalition.

    Returns
    -------
    ndarray
        (C(contributors, size),) int64.

    Raises
    ------
    ParameterError
        If there are more than :data:`MAX_COALITIONS`, or a mask cannot name so many.
    """
    if contributors > MAX_CONTRIBUTORS:
        raise ParameterError(
            f"A class has {contributors} contributors; the lattice of their coalitions can be searched for at most "
            f"{MAX_CONTRIBUTORS}. Choose the strategy 'shortcut'.",
            parameter="strategy",
        )
    if comb(contributors, size) > MAX_COALITIONS:
        raise ParameterError(
            f"{contributors} contributors form {comb(contributors, size):,} coalitions of {size}; at most "
            f"{MAX_COALITIONS:,} are searched. Choose the strategy 'shortcut' or another m.",
            parameter="strategy",
        )
    if 2 * size > contributors:
        return np.sort(((1 << contributors) - 1) ^ of_size(contributors, contributors - size))
    mask, top = np.zeros(1, dtype=np.int64), np.full(1, -1)
    for _ in range(size):
        room = contributors - 1 - top
        first = np.cumsum(room) - room
        parent = np.repeat(np.arange(len(mask)), room)
        top = top[parent] + 1 + np.arange(len(parent)) - first[parent]
        mask = mask[parent] | (np.int64(1) << top)
    return np.sort(mask)


def members(mask: int) -> tuple[int, ...]:
    """Bits of a mask."""
    return tuple(i for i in range(int(mask).bit_length()) if mask >> i & 1)


def mask_of(bits: object) -> int:
    """Mask of some bits."""
    mask = 0
    for bit in np.atleast_1d(np.asarray(bits, dtype=np.int64)).tolist():
        mask |= 1 << bit
    return mask


def inside_any(masks: Ints, wholes: Ints) -> Bools:
    """Whether each coalition is a sub-coalition of one of the others; O(len x len)."""
    inside = np.zeros(len(masks), dtype=bool)
    step = max(1, 4_000_000 // max(1, len(wholes)))
    for begin in range(0, len(masks), step):
        part = masks[begin : begin + step, None]
        inside[begin : begin + step] = ((part & ~wholes[None, :]) == 0).any(axis=1)
    return inside


def children(masks: Ints, contributors: int) -> tuple[Ints, Ints]:
    """Direct sub-coalitions of some coalitions, each once, and how many of them each one has for a parent."""
    bits = np.int64(1) << np.arange(contributors)
    below = masks[:, None] & ~bits
    return np.unique(below[below != masks[:, None]], return_counts=True)
