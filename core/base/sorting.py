"""The order of small whole numbers, by sorts that count or that pack them with their places."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Ints

DIGIT = 16
"""Bits that one pass sorts by: numpy's stable sort of these is a radix sort."""
IN_CACHE = 1 << 17
"""Most numbers that are sorted in two passes; more would leave the processor's cache between them."""


def stable_order(key: NDArray[Any]) -> Ints:
    """Places of whole numbers from the least up, of equal ones the first place first.

    Parameters
    ----------
    key
        (entries,) numbers from 0 on; signed 64-bit.

    Returns
    -------
    ndarray
        (entries,) places, as ``np.argsort(key, kind="stable")``.

    Notes
    -----
    O(entries) where all are less than 2^16, or less than 2^32 and at most :data:`IN_CACHE`; else
    O(entries log entries).
    """
    n = len(key)
    wide = int(key.max(initial=0)).bit_length()
    if wide <= DIGIT:
        return key.astype(np.uint16).argsort(kind="stable")
    if wide <= 2 * DIGIT and n <= IN_CACHE:
        order = (key & ((1 << DIGIT) - 1)).astype(np.uint16).argsort(kind="stable")
        return order[(key >> DIGIT).astype(np.uint16)[order].argsort(kind="stable")]
    bits = max(1, (n - 1).bit_length())
    if bits + wide > 62:
        return np.argsort(key, kind="stable")
    packed = (key << bits) | np.arange(n)
    packed.sort()
    place: Ints = packed & ((1 << bits) - 1)
    return place
