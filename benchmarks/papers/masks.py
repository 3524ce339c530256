"""Coalitions as bitmasks: bit ``i`` stands for the i-th contributor of a class."""

from __future__ import annotations

import numpy as np

from core.base.arrays import Bools, Ints


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
    """
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
