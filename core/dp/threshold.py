"""Counts of unlisted cells, published only if they hold enough records.

If a domain is not declared, the existence of a cell reveals something about a person who is alone in it. Noise is added
to the cells that occur, and only noisy counts of at least a threshold are published: a single record lifts a new cell
over it with probability at most delta [Korolova 2009; Rogers 2023].
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from core.base.arrays import Ints, Progress
from core.base.errors import ParameterError
from core.base.limits import LIMITS
from core.dp.mechanisms import L1, Mechanism, check_delta, opendp

CHANGED = 2
"""Cells that one replaced record changes."""
MOST = 10**9
"""Largest threshold in the search."""


@dataclass(frozen=True)
class Threshold:
    """A threshold below which counts are not published.

    Parameters
    ----------
    least
        Smallest noisy count that is published.
    delta
        Upper bound on the probability that one of the two cells of a replaced record is published while the record is
        alone in it.
    """

    least: int
    delta: float


def chance_above(mechanism: Mechanism, least: int) -> float:
    """Probability that one of the two changed cells, with one record, gets a noisy count of at least ``least``.

    1 - (1 - p)^2 with p = P(1 + noise >= least) = q^(least - 1) / (1 + q), q = exp(-1 / scale).

    Raises
    ------
    ParameterError
        For other noise than Laplace, or a threshold below 2.
    """
    if mechanism.name != "laplace":
        raise ParameterError("A threshold needs Laplace noise.", parameter="mechanism")
    LIMITS["threshold"].check(least, "threshold")
    log_p = -(least - 1) / mechanism.scale - math.log1p(math.exp(-1 / mechanism.scale))
    p = math.exp(log_p)
    return p * (2 - p)


def threshold_for(mechanism: Mechanism, delta: float) -> Threshold:
    """Smallest threshold that guarantees delta.

    Raises
    ------
    ParameterError
        If delta is not a useful number, or the noise is not Laplace.
    """
    check_delta(delta)
    low, high = 1, 2
    while chance_above(mechanism, high) > delta and high < MOST:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if chance_above(mechanism, middle) > delta else (low, middle)
    if high >= MOST:
        # not tested: no epsilon and delta within limits.
        raise ParameterError(f"No threshold up to {MOST:,} guarantees delta = {delta:g}.", parameter="delta")
    return Threshold(high, delta)


def thresholded(counts: Ints, mechanism: Mechanism, least: Threshold, progress: Progress | None = None) -> Ints:
    """Add OpenDP noise to the cells that occur, and keep those above the threshold; there is no seed.

    Parameters
    ----------
    counts
        True counts, of any shape.
    mechanism
        Laplace noise.
    least
        Of :func:`threshold_for`.
    progress
        Called when it is done.

    Returns
    -------
    ndarray
        Noisy counts of the published cells, 0 for the others.

    Raises
    ------
    ParameterError
        If noise and threshold do not keep their guarantee.
    MissingPackageError
        Without opendp.
    """
    dp = opendp()
    space = dp.map_domain(dp.atom_domain(T="i64"), dp.atom_domain(T="i64"))
    metric = dp.l01inf_distance(dp.absolute_distance(T="i64"))
    made = dp.m.make_laplace_threshold(space, metric, mechanism.scale, least.least)
    epsilon, delta = made.map((CHANGED, L1, 1))
    # The library publishes a count equal to the threshold, but its map covers only counts above it; so the probability
    # computed here must hold as well.
    if epsilon > mechanism.epsilon or max(delta, chance_above(mechanism, least.least)) > least.delta:
        raise ParameterError(
            "This noise and threshold do not meet their guarantee; take them from threshold_for().",
            parameter="threshold",
        )
    flat = counts.ravel()
    some = np.flatnonzero(flat > 0)
    kept = made(dict(zip(some.tolist(), flat[some].tolist(), strict=True))) if len(some) else {}
    published = np.zeros(len(flat), dtype=np.int64)
    published[list(kept)] = list(kept.values())
    if progress is not None:
        progress(1.0)
    return published.reshape(counts.shape)
