"""Centres of groups of microaggregation, and how far their people are from them.

Centres are means of numbers and modes of categories, as whole numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.algorithms.mdav.points import Points, half_up
from core.arrays import Floats, Ints
from core.data.encoding import Encoded

FINENESS = 1_000_000
"""Parts of a squared standard deviation in which errors are compared, so that rounding decides nothing."""


def centres(points: Points, labels: NDArray[Any]) -> tuple[Floats, Ints]:
    """Centre of each group.

    Parameters
    ----------
    points, labels
        People, and the group of each record in the order of ``points.order``; every group occurs.

    Returns
    -------
    tuple
        (numbers, groups) means, as whole numbers, and (categories, groups) modes, the lowest of
        several. O(records log records x quasi-identifiers).
    """
    person = np.repeat(np.arange(len(points)), points.count)
    size = np.bincount(labels)
    sums = np.array([np.bincount(labels, row[person]) for row in points.numbers])
    codes = np.array([modes(labels, row[person], len(size)) for row in points.categories], dtype=np.int64)
    return half_up(sums.reshape(len(points.numbers), len(size)), size), codes.reshape(-1, len(size))


def modes(labels: NDArray[Any], codes: NDArray[Any], count: int) -> Ints:
    """Commonest code of each class, the lowest of several; every class must occur."""
    radix = int(codes.max(initial=0)) + 1
    cell, held = np.unique(labels.astype(np.int64) * radix + codes, return_counts=True)
    order = np.lexsort((cell, -held, cell // radix))
    first = np.searchsorted(cell // radix, np.arange(count))
    values: Ints = cell[order[first]] % radix
    return values


def from_outside_in(points: Points, labels: NDArray[np.int32]) -> NDArray[np.int32]:
    """Number groups by how far their centres are from that of all records, the farthest first.

    That is about the order in which MDAV forms them. Of groups equally far the lower one comes first.
    """
    numbers, categories = centres(points, labels)
    middle, mode = centres(points, np.zeros(len(labels), dtype=np.int64))
    far = ((numbers - middle) ** 2).sum(axis=0) + points.unit**2 * (categories != mode).sum(axis=0)
    rank = np.empty(numbers.shape[1], dtype=np.int32)
    rank[np.argsort(-far, kind="stable")] = np.arange(len(rank), dtype=np.int32)
    return rank[labels]


def errors(points: Points, labels: NDArray[Any]) -> Floats:
    """Sum of squared distances of the people of each group from its mean and mode.

    Parameters
    ----------
    points, labels
        As for :func:`centres`.

    Returns
    -------
    ndarray
        (groups,) in squared standard deviations; a mismatch counts 1. O(records log records x
        quasi-identifiers).
    """
    person = np.repeat(np.arange(len(points)), points.count)
    group = labels.astype(np.int64)
    size = np.bincount(group).astype(np.float64)
    error = np.zeros(len(size))
    for row in points.numbers / points.unit:
        value = row[person]
        mean = np.bincount(group, value) / size
        error += np.bincount(group, (value - mean[group]) ** 2)
    for row in points.categories:
        values = int(row.max(initial=0)) + 1
        cell, held = np.unique(group * values + row[person], return_counts=True)
        error += size - np.maximum.reduceat(held, np.searchsorted(cell // values, np.arange(len(size))))
    return error


def squared_error(encoded: Encoded, labels: NDArray[Any]) -> float:
    """Sum over records of the squared distance to the centre of their class, means and modes.

    In squared standard deviations and mismatches; what microaggregation keeps low. The
    value for one class of all is the share's natural whole. O(records log records x quasi-identifiers).
    """
    points = Points.of(encoded)
    return float(errors(points, np.asarray(labels)[points.order]).sum())
