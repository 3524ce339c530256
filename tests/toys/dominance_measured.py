"""The toy model measured, by a formula of its own."""

from __future__ import annotations

import numpy as np

from core.base.metrics import LESS, Metric
from core.measurement import Counted, Measure


def _largest_share(counted: Counted) -> np.ndarray:
    largest = np.zeros(len(counted.sizes))
    np.maximum.at(largest, counted.owner, counted.count)
    return largest / counted.sizes


MEASURE = Measure(_largest_share, np.max)
METRIC = Metric(
    "p", "Share of the most common value (p)", "share", LESS, "guarantee", "Largest share of one value.", "s2"
)
