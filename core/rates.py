"""A rate that carries its n, its interval and what it must be compared with."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.errors import ParameterError

_T_975 = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
    2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip
"""97.5 % quantiles of Student's t with 1 to 30 degrees of freedom."""
MIN_REDRAWS = 10
"""Fewer redraws than this give no interval [definitions §4]."""


@dataclass(frozen=True)
class Rate:
    """A share of people.

    Parameters
    ----------
    value
        The share, 0 to 1.
    n
        People it is a share of.
    low, high
        Where 95 % of redraws fall, or a confidence interval; ``None`` when the share is
        exact for these people.
    baseline
        The rate of guessing from the overall distribution alone.
    single
        The rate of the best single release alone, where that makes sense.
    """

    value: float
    n: int
    low: float | None = None
    high: float | None = None
    baseline: float | None = None
    single: float | None = None

    @property
    def exact(self) -> bool:
        """Whether the share holds for exactly these people, without an interval."""
        return self.low is None


def wilson(hits: int, n: int, z: float = 1.959964) -> tuple[float, float]:
    """Wilson interval of a proportion, for people drawn at random and independently.

    Parameters
    ----------
    hits, n
        Successes among independent draws, ``0 <= hits <= n`` and ``n > 0``.
    z
        Normal quantile; the default gives 95 %.

    Returns
    -------
    tuple of float
        Lower and upper bound.
    """
    if not 0 <= hits <= n or n == 0:
        raise ParameterError("A proportion needs 0 <= hits <= n and n > 0.", parameter="hits")
    share, square = hits / n, z * z
    middle = (share + square / (2 * n)) / (1 + square / n)
    half = z / (1 + square / n) * math.sqrt(share * (1 - share) / n + square / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)


def redraw_interval(values: Sequence[float]) -> tuple[float, float] | tuple[None, None]:
    """Where 95 % of further redraws are expected, from the values of some redraws.

    Mean -/+ t * sd * sqrt(1 + 1/m) over m redraws, clipped to [0, 1]: a prediction
    interval, because shared people fall into the same classes and a binomial interval is
    too narrow [definitions §4]. With fewer than 10 redraws there is none.
    """
    m = len(values)
    if m < MIN_REDRAWS:
        return None, None
    quantile = _T_975[m - 2] if m - 2 < len(_T_975) else 1.96
    half = quantile * float(np.std(values, ddof=1)) * math.sqrt(1 + 1 / m)
    middle = float(np.mean(values))
    return max(0.0, middle - half), min(1.0, middle + half)
