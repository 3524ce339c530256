"""Rates with their n, their interval and the baseline they must be compared with."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from core.base.errors import ParameterError
from core.base.limits import LIMITS

NORMAL = NormalDist().inv_cdf(0.975)
"""97.5% quantile of the normal distribution."""
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
        Where one more world falls with 95%, or a confidence interval; ``None`` when the share is
        exact for these people.
    single
        The rate of the best single release alone, if that makes sense.
    """

    value: float
    n: int
    low: float | None = None
    high: float | None = None
    single: float | None = None


def student(freedom: int) -> float:
    """97.5% quantile of Student's t with at least 9 degrees of freedom, to 0.00002.

    The expansion of Cornish and Fisher around the normal quantile [Abramowitz and Stegun, 26.7.5].
    """
    x, v = NORMAL, freedom
    return x + (
        (x**3 + x) / (4 * v)
        + (5 * x**5 + 16 * x**3 + 3 * x) / (96 * v**2)
        + (3 * x**7 + 19 * x**5 + 17 * x**3 - 15 * x) / (384 * v**3)
        + (79 * x**9 + 776 * x**7 + 1482 * x**5 - 1920 * x**3 - 945 * x) / (92160 * v**4)
    )


def redraw_interval(values: Sequence[float], n: float, model: float = 0.0) -> tuple[float, float] | tuple[None, None]:
    """Prediction interval (95%) for the share in one more world: one of :func:`redraw_intervals`.

    Parameters
    ----------
    values
        Shares of m redraws, 0 to 1 each; fewer than 10 give no interval.
    n, model
        As there.

    Returns
    -------
    tuple of float
        Lower and upper bound, within 0 and 1 and around the mean; ``None`` for both without an interval.
    """
    low, high = redraw_intervals(np.asarray(values, dtype=float), n, model)
    return (None, None) if len(values) < MIN_REDRAWS else (float(low), float(high))


def redraw_intervals(
    values: NDArray[np.float64], n: float | NDArray[np.float64], model: float = 0.0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Prediction intervals (95%) for shares in one more world, from those of some redraws.

    A prediction interval for one world, not a confidence interval of a mean. Shared people
    fall into the same classes, so redraws vary more than a binomial share would: the variance is ``v * p * (1 - p)``,
    with v estimated from the redraws and at least the binomial 1/n. All p whose distance from the mean x is within
    reach,

        (x - p)^2 <= (t^2 * v * (1 + 1/m) + (2 * 1.96 * model)^2) * p * (1 - p),

    make the interval, one person more at either end because a share counts whole people.
    So it is never without width: from m shares of 0 it ends above 3/n if n is at least 5, else above 0.7.

    Parameters
    ----------
    values
        (m, ...) shares in m redraws, 0 to 1 each; fewer than 10 redraws give no interval.
    n
        People that each is a share of, above 0: one number, or (...).
    model
        Standard error, at a share of one half, of the model that the redraws were drawn
        from: how far its mean is from that of worlds of real people. 0 if what is
        expected is another redraw of the same model.

    Returns
    -------
    low, high : ndarray
        (...) lower and upper bounds, within 0 and 1 and around the mean; NaN without an interval, and if a share of a
        redraw is NaN.

    Raises
    ------
    ParameterError
        If there are no people.

    Notes
    -----
    O(values).
    """
    m = len(values)
    if not np.all(np.asarray(n) > 0):
        raise ParameterError("A share needs at least one person.", parameter="n")
    if m < MIN_REDRAWS:
        none = np.full(values.shape[1:], np.nan)
        return none, none
    middle = np.clip(values.mean(axis=0), 0, 1)
    spread = middle * (1 - middle)
    varied = spread > 0
    times = np.maximum(np.where(varied, values.var(axis=0, ddof=1) / np.where(varied, spread, 1.0), 0.0), 1 / n)
    reach = student(m - 1) ** 2 * times * (1 + 1 / m) + (2 * NORMAL * model) ** 2
    centre = (middle + reach / 2) / (1 + reach)
    half = np.sqrt(reach * spread + reach**2 / 4) / (1 + reach)
    low = np.maximum(0.0, np.minimum(centre - half, middle) - 1 / n)
    return low, np.minimum(1.0, np.maximum(centre + half, middle) + 1 / n)


def candidate_limit(confidence: float) -> int:
    """Return the most candidates that still give this confidence: floor(1/C + 1e-9)."""
    LIMITS["confidence"].check(confidence, "confidence")
    return math.floor(min(1 / confidence, 2.0**53) + 1e-9)
