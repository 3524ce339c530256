"""Truthful counts under differential privacy: records are sampled, and small cells suppressed [definitions §11].

SafePub (Bild, Kuhn, Prasser, PoPETs 2018): every record is kept with probability beta, generalised
by a scheme that was fixed without the data (:mod:`core.dp.public_domains`), and cells of fewer than k
records are left out. No noise is added: every published record is a true one. The guarantee does not depend on what
others publish.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from core.base.arrays import Ints, Progress
from core.base.errors import ParameterError
from core.dp.composition import Cost
from core.dp.mechanisms import check_delta, check_epsilon

BITS = 53
"""Bits of the probability of keeping a record: a multiple of 2^-53, so that drawing it is exact."""
MOST = 10**7
"""Largest k in the search."""
SLACK = 1e-9
"""Relative error allowed for sums of probabilities in double precision; added on the safe side."""
PART = 4_000_000
"""Number of records drawn between two progress reports."""


@dataclass(frozen=True)
class Sampling:
    """Parameters of sampling and suppression.

    Parameters
    ----------
    epsilon
        Of the guarantee, for one record added or removed.
    delta
        Proven bound for these parameters; at most the requested one.
    threshold
        A record is kept if a random whole number below 2^53 is below this one.
    k
        Cells of fewer sampled records are left out.
    """

    epsilon: float
    delta: float
    threshold: int
    k: int

    @property
    def beta(self) -> float:
        """Probability of keeping a record."""
        return self.threshold / float(2**BITS)

    @property
    def cost(self) -> Cost:
        """Cost of one publication, for one record added or removed."""
        return Cost(self.epsilon, self.delta)

    @property
    def replaced(self) -> Cost:
        """Cost for one replaced record: two steps, so 2 epsilon and (1 + e^epsilon) delta."""
        return Cost(2 * self.epsilon, (1 + math.exp(self.epsilon)) * self.delta)


def sampling_for(epsilon: float, delta: float) -> Sampling:
    """Find the parameters that publish most: the largest beta, and the smallest k for it.

    beta is 1 - e^-epsilon, rounded down to 53 bits. O(log k) bounds.

    Raises
    ------
    ParameterError
        If epsilon or delta is out of range, or no k up to ten million is sufficient.
    """
    check_epsilon(epsilon)
    check_delta(delta)
    # One less than the rounded product: never above the exact value of -expm1(-epsilon) 2^53.
    threshold = max(1, min(2**BITS - 1, math.floor(-math.expm1(-epsilon) * 2**BITS) - 1))
    beta = threshold / 2**BITS
    low, high = 0, 1
    while delta_for(high, epsilon, beta) > delta:
        if high == MOST:
            raise ParameterError(
                f"No k up to {MOST:,} guarantees this delta at this epsilon; ask for a smaller epsilon or a larger "
                f"delta.",
                parameter="delta",
            )
        low, high = high, min(2 * high, MOST)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if delta_for(middle, epsilon, beta) <= delta else (middle, high)
    return Sampling(float(epsilon), delta_for(high, epsilon, beta), threshold, high)


def delta_for(k: int, epsilon: float, beta: float) -> float:
    """Bound of delta: the largest P(Bin(n, beta) > gamma n) over all n from ceil(k / gamma - 1).

    With n records in a cell and one more or fewer, an output y is more than e^epsilon times as
    likely only if y > gamma n, gamma = (e^epsilon - 1 + beta) / e^epsilon, and only outputs from k on are published.
    For fewer n, P(Bin(n, beta) >= k) grows with n and is covered by the first n examined. For n beyond the last
    one, P(Bin(n, beta) > gamma n) <= exp(-n KL(gamma, beta)) (Chernoff), which falls with n: the search ends when that
    is below the largest value so far.

    Raises
    ------
    ParameterError
        If beta is above 1 - e^-epsilon, or k below 1.
    """
    if k < 1 or not 0 < beta <= -math.expm1(-epsilon) * (1 + 1e-15):
        raise ParameterError(
            f"beta must be above 0 and at most 1 - e^-epsilon = {-math.expm1(-epsilon):.6g}, and k at least 1.",
            parameter="beta",
        )
    gamma = -math.expm1(-epsilon) + beta * math.exp(-epsilon)
    apart = gamma * math.log(gamma / beta)
    if gamma < 1:
        apart += (1 - gamma) * math.log((1 - gamma) / (1 - beta))
    n = max(1, math.ceil(k / gamma - 1 - 1e-9))
    worst = 0.0
    while worst < (rest := math.exp(-n * apart)):
        # An n for which gamma n is a whole number up to rounding counts that number in: on the safe side.
        worst = max(worst, upper_tail(n, beta, math.floor(gamma * n - 1e-9) + 1))
        n += 1
        if rest == 0.0:
            break
    return min(1.0, worst * (1 + SLACK))


def upper_tail(n: int, beta: float, least: int) -> float:
    """P(Bin(n, beta) >= least), summed from its first term; O(n)."""
    if least <= 0:
        return 1.0
    if least > n:
        return 0.0
    first = math.lgamma(n + 1) - math.lgamma(least + 1) - math.lgamma(n - least + 1)
    term = math.exp(first + least * math.log(beta) + (n - least) * math.log1p(-beta))
    total, odds = 0.0, beta / (1 - beta)
    for y in range(least, n + 1):
        total += term
        term *= odds * (n - y) / (y + 1)
        if term < total * 1e-17 and (n - y) * odds < y + 1:
            break
    return min(1.0, total)


def truthful_counts(
    counts: Ints, chosen: Sampling, progress: Progress | None = None, source: Callable[[int], bytes] = os.urandom
) -> Ints:
    """Sample every record of every cell, and leave out cells of fewer than k.

    Parameters
    ----------
    counts
        Records of each cell of a grid that was declared without the data, of any shape.
    chosen
        The parameters.
    progress
        Called with the share of the records drawn; may raise to cancel.
    source
        Gives random bytes; those of the operating system, never a seed, for what is published.

    Returns
    -------
    ndarray
        Of the same shape: 0, or a number from k to the count.

    Notes
    -----
    O(records): eight random bytes each.
    """
    if counts.size and int(counts.min()) < 0:
        raise ParameterError("Counts of records must not be negative.", parameter="counts")
    flat = counts.astype(np.int64).ravel()
    ends = np.cumsum(flat)
    records = int(ends[-1]) if len(ends) else 0
    kept_before = np.zeros(records + 1, dtype=np.int64)
    for begin in range(0, records, PART):
        end = min(records, begin + PART)
        drawn = np.frombuffer(source(8 * (end - begin)), dtype="<u8") >> np.uint64(64 - BITS)
        kept = np.cumsum(drawn < np.uint64(chosen.threshold))
        kept_before[begin + 1 : end + 1] = kept_before[begin] + kept
        if progress is not None:
            progress(end / records)
    sampled = kept_before[ends] - kept_before[ends - flat]
    published: Ints = np.where(sampled >= chosen.k, sampled, 0).reshape(counts.shape)
    return published
