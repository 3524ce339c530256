"""What microaggregation keeps low: the squared distance of people from the centre of their class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.algorithms.mdav.points import Points
from core.data.encoding.encoded import Encoded


def squared_error(encoded: Encoded, labels: NDArray[Any]) -> float:
    """Sum over records of the squared distance to the centre of their class, means and modes.

    In squared standard deviations and mismatches. The value for one class of all is the
    share's natural whole.
    """
    points = Points.of(encoded)
    person = np.repeat(np.arange(len(points)), points.count)
    group = np.asarray(labels)[points.order].astype(np.int64)
    size = np.bincount(group)
    error = 0.0
    for row in points.numbers / points.unit:
        value = row[person]
        mean = np.bincount(group, value) / size
        error += float(((value - mean[group]) ** 2).sum())
    for row in points.categories:
        radix = int(row.max(initial=0)) + 1
        cell, held = np.unique(group * radix + row[person], return_counts=True)
        most = np.zeros(len(size), dtype=np.int64)
        np.maximum.at(most, cell // radix, held)
        error += float((size - most).sum())
    return error
