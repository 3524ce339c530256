"""The order of small whole numbers, of all or run by run, by sorts that count or that pack them with their places."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Ints

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


def order_in_runs(size: Ints, value: NDArray[Any]) -> tuple[Ints, NDArray[np.bool_]]:
    """Sort each of several runs that lie one after another.

    Parameters
    ----------
    size
        (runs,) entries of each, at least 1.
    value
        (entries,) whole numbers from 0 on, signed.

    Returns
    -------
    order
        (entries,) places, run after run, each from the least value up, of equal ones the first place first.
    is_break
        (entries,) whether the value at this place of that order is larger than the one before in its run.

    Notes
    -----
    One sort of numbers that hold the run, the value and the place in the run; of 32 bits where these suffice.
    """
    n, starts = len(value), np.cumsum(size) - size
    place_bits = int(size.max(initial=1) - 1).bit_length()
    bits = place_bits + int(value.max(initial=0)).bit_length()
    whole = bits + max(len(size) - 1, 0).bit_length()
    is_break = np.zeros(n, dtype=bool)
    if whole > 63:
        owner = np.repeat(np.arange(len(size)), size)
        order = np.lexsort((value, owner))
        ordered = value[order]
        is_break[1:] = (ordered[1:] != ordered[:-1]) & (owner[1:] == owner[:-1])
        return order, is_break
    kind = np.dtype(np.uint32 if whole <= 32 else np.int64)
    key: NDArray[Any] = value.astype(kind)
    key <<= place_bits
    key += np.repeat(((np.arange(len(size)) << bits) - starts).astype(kind), size)
    key += np.arange(n, dtype=kind)
    key.sort()
    place = (key & ((1 << place_bits) - 1)).astype(np.int64)
    place += np.repeat(starts, size)
    key >>= place_bits
    np.not_equal(key[1:], key[:-1], out=is_break[1:])
    is_break[starts] = False
    return place, is_break
