"""Noise for counts: discrete Laplace and discrete Gaussian.

Neighbouring tables differ in one person's record *replaced* [Ganta 2008, Def. 10-11]: one
cell loses a record and another gains one, so a histogram changes by 2 in L1 and by the
square root of 2 in L2.

Noise for anything that leaves the program comes from OpenDP (:func:`noisy_counts`), which
draws it from the operating system and without a seed. :func:`simulate` draws from the same
discrete distributions with numpy, seeded, for charts only: never publish its output.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Floats, Ints, Progress
from core.base.errors import MissingPackageError, ParameterError
from core.base.limits import LIMITS

NAMES = ("laplace", "gaussian")
L1 = 2
"""L1 sensitivity of a histogram to one replaced record."""
L2 = math.sqrt(2)
"""L2 sensitivity of the same."""
RELATION = "one person's record replaced by another (the number of records stays)"
MIN_EPSILON, MAX_EPSILON = LIMITS["epsilon"].least, LIMITS["epsilon"].most
PART = 20_000
"""Number of cells between two progress reports."""


@dataclass(frozen=True)
class Mechanism:
    """Noise that is added to every cell.

    Parameters
    ----------
    name
        ``"laplace"`` or ``"gaussian"``, both on whole numbers.
    epsilon, delta
        Cost of one table published with it; ``delta`` is 0 for Laplace.
    scale
        Of the distribution: P(x) is proportional to exp(-|x| / scale), or to
        exp(-x^2 / (2 scale^2)).
    """

    name: str
    epsilon: float
    delta: float
    scale: float

    @property
    def words(self) -> str:
        """Name for people."""
        return "discrete Laplace" if self.name == "laplace" else "discrete Gaussian"

    def pmf(self, x: NDArray[Any]) -> Floats:
        """Probability of each whole number."""
        if self.name == "laplace":
            laplace: Floats = np.tanh(0.5 / self.scale) * np.exp(-np.abs(x) / self.scale)
            return laplace
        grid = self.grid
        total = np.exp(-0.5 * (grid / self.scale) ** 2).sum()
        chances: Floats = np.exp(-0.5 * (np.asarray(x) / self.scale) ** 2) / total
        return chances

    def log_ratio(self, y: NDArray[Any]) -> Floats:
        """log of P(noise = y - 1) / P(noise = y), of the shape of ``y``.

        With y the noisy count less a supposed true count, it measures how strongly y suggests one record more.
        """
        if self.name == "laplace":
            laplace: Floats = (np.abs(y) - np.abs(np.asarray(y) - 1.0)) / self.scale
            return laplace
        gaussian: Floats = (np.asarray(y) - 0.5) / self.scale**2
        return gaussian

    @property
    def grid(self) -> Ints:
        """Whole numbers up to 12 standard deviations; beyond them probabilities vanish in double precision."""
        most = math.ceil(12 * self.scale) + 12
        return np.arange(-most, most + 1)

    @property
    def deviation(self) -> float:
        """Standard deviation of the noise of one cell."""
        if self.name == "laplace":
            return 1.0 / (math.sqrt(2.0) * math.sinh(0.5 / self.scale))
        return float(np.sqrt((self.pmf(self.grid) * self.grid**2.0).sum()))

    def accuracy(self, error: float = 0.05) -> int:
        """Smallest a so that the noise of one cell is at most a with probability 1 - error.

        Raises
        ------
        ParameterError
            If ``error`` is not between 0 and 1.
        """
        LIMITS["error"].check(error, "error")
        if self.name == "laplace":
            # P(|X| > a) = 2 q^(a+1) / (1 + q) with q = exp(-1 / scale).
            q = math.exp(-1 / self.scale)
            return max(0, math.ceil(-self.scale * math.log(error * (1 + q) / 2) - 1 - 1e-12))
        grid = self.grid
        inside = np.cumsum(np.r_[self.pmf(np.array([0])), 2 * self.pmf(grid[grid > 0])])
        return int(np.searchsorted(inside, 1 - error - 1e-15))


def check_epsilon(epsilon: float) -> float:
    """Return epsilon, or raise ParameterError unless it is a useful number."""
    LIMITS["epsilon"].check(epsilon, "epsilon")
    return float(epsilon)


def check_delta(delta: float) -> float:
    """Return delta, or raise ParameterError: Gaussian noise needs one above 0; above 0.1 it protects no one."""
    LIMITS["delta"].check(delta, "delta")
    return float(delta)


def default_delta(records: int) -> float:
    """1e-4 / n^2 [definitions §8], for n records."""
    return 1e-4 / max(1, records) ** 2


# ---- mechanisms --------------------------------------------------------------------------


def mechanism(name: str, epsilon: float, delta: float = 0.0) -> Mechanism:
    """Choose the smallest noise that meets a guarantee for one histogram.

    Parameters
    ----------
    name
        ``"laplace"`` (epsilon) or ``"gaussian"`` (epsilon and delta).
    epsilon, delta
        The guarantee; Laplace does not use delta.

    Raises
    ------
    ParameterError
        If the name is unknown, or epsilon or delta is out of range.
    MissingPackageError
        Without opendp, which finds the scale of Gaussian noise.
    """
    if name not in NAMES:
        raise ParameterError(f"The mechanism must be one of {', '.join(NAMES)}.", parameter="mechanism")
    epsilon = check_epsilon(epsilon)
    if name == "laplace":
        return Mechanism(name, epsilon, 0.0, _laplace_scale(epsilon))
    delta = check_delta(delta)
    return Mechanism(name, epsilon, delta, _gaussian_scale(epsilon, delta))


def opendp() -> Any:
    """Import the library that draws publishable noise; MissingPackageError if it is not installed."""
    try:
        import opendp.prelude as dp
    except ImportError:
        raise MissingPackageError("opendp", "draw noise for differential privacy") from None
    dp.enable_features("contrib")
    return dp


def _measurement(name: str, scale: float) -> Any:
    """Return the OpenDP measurement of a vector of counts."""
    dp = opendp()
    domain = dp.vector_domain(dp.atom_domain(T="i64"))
    if name == "laplace":
        return dp.m.make_laplace(domain, dp.l1_distance(T="i64"), scale)
    return dp.m.make_gaussian(domain, dp.l2_distance(T="f64"), scale)


def _laplace_scale(epsilon: float) -> float:
    """The least scale whose promise, in exact fractions, holds: OpenDP, which takes long to start, is not needed."""
    scale = L1 / epsilon
    while Fraction(scale) * Fraction(epsilon) < L1:
        scale = math.nextafter(scale, math.inf)
    return scale


def _approximate(scale: float) -> Any:
    """Return the (epsilon, delta) profile of Gaussian noise for one replaced record."""
    return opendp().c.make_zCDP_to_approxDP(_measurement("gaussian", scale)).map(_L2_UP)


_L2_UP = math.nextafter(L2, math.inf)
"""The root of 2 rounded upwards: the sensitivity must not be understated."""


def _gaussian_scale(epsilon: float, delta: float) -> float:
    """Smallest scale, to four digits, whose profile stays within (epsilon, delta)."""
    low, high = 1e-2, 1.0
    while _approximate(high).epsilon(delta) > epsilon:
        low, high = high, 2 * high
    while high > low * 1.0001:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if _approximate(middle).epsilon(delta) > epsilon else (low, middle)
    return high


def epsilon_for(name: str, accuracy: int, error: float = 0.05, delta: float = 0.0) -> float:
    """Smallest epsilon at which the noise of a cell is at most ``accuracy`` with probability 1 - error.

    Raises
    ------
    ParameterError
        If no epsilon in range does, or an argument is out of range.
    """
    LIMITS["error"].check(error, "error")
    LIMITS["accuracy"].check(accuracy, "accuracy")
    if name == "gaussian":
        check_delta(delta)
        low, high = 1e-2, 1e5
    elif name == "laplace":
        low, high = L1 / MAX_EPSILON, L1 / MIN_EPSILON
    else:
        raise ParameterError(f"The mechanism must be one of {', '.join(NAMES)}.", parameter="mechanism")
    if Mechanism(name, 1.0, delta, low).accuracy(error) > accuracy:
        raise _too_accurate(accuracy)
    while high > low * 1.00001:
        middle = math.sqrt(low * high)
        fine = Mechanism(name, 1.0, delta, middle).accuracy(error) <= accuracy
        low, high = (middle, high) if fine else (low, middle)
    # The scale of Gaussian noise is found to four digits only, so the answer leaves room for that.
    epsilon = L1 / low if name == "laplace" else float(_approximate(low / 1.0002).epsilon(delta))
    if epsilon > MAX_EPSILON:
        raise _too_accurate(accuracy)
    return max(epsilon, MIN_EPSILON)


def _too_accurate(accuracy: int) -> ParameterError:
    return ParameterError(
        f"No epsilon up to {MAX_EPSILON:g} keeps the noise within {accuracy}; ask for less accuracy.",
        parameter="accuracy",
    )


# ---- noise -------------------------------------------------------------------------------


def noisy_counts(counts: Ints, chosen: Mechanism, progress: Progress | None = None) -> Ints:
    """Add noise that may be published, drawn by OpenDP; there is no seed.

    Parameters
    ----------
    counts
        True counts, of any shape, every cell of the grid.
    chosen
        Of :func:`mechanism`.
    progress
        Called with the share done; an exception it raises cancels.

    Returns
    -------
    ndarray
        Whole numbers, possibly negative.

    Raises
    ------
    ParameterError
        If the scale does not keep the mechanism's promise.
    MissingPackageError
        Without opendp.
    """
    measurement = _measurement(chosen.name, chosen.scale)
    if chosen.name == "laplace":
        kept = measurement.map(L1) <= chosen.epsilon
    else:
        kept = _approximate(chosen.scale).epsilon(chosen.delta) <= chosen.epsilon
    if not kept:
        raise ParameterError(
            f"Noise of scale {chosen.scale:g} does not guarantee epsilon = {chosen.epsilon:g}; take the mechanism "
            f"from mechanism().",
            parameter="scale",
        )
    flat, parts = counts.ravel().astype(np.int64), []
    # The noise of each cell is independent, so parts of the vector can be drawn one after another: together they are
    # one draw of the whole, and one replaced record changes all parts together by 2.
    for begin in range(0, len(flat), PART):
        parts.append(np.asarray(measurement(flat[begin : begin + PART].tolist()), dtype=np.int64))
        if progress is not None:
            progress(min(1.0, (begin + PART) / len(flat)))
    return np.concatenate(parts).reshape(counts.shape) if parts else counts.astype(np.int64)


def simulate(shape: tuple[int, ...], chosen: Mechanism, seed: int | np.random.Generator = 0) -> Ints:
    """Draw noise of the same discrete distribution for a chart; it is seeded, so never publish it.

    A discrete Laplace number is the difference of two geometric ones; a discrete Gaussian
    one comes from its cumulative sums up to 12 standard deviations.
    """
    rng = np.random.default_rng(seed)
    if chosen.name == "laplace":
        stop = -math.expm1(-1 / chosen.scale)
        return rng.geometric(stop, shape) - rng.geometric(stop, shape)
    grid = chosen.grid
    noise: Ints = grid[np.minimum(np.searchsorted(np.cumsum(chosen.pmf(grid)), rng.random(shape)), len(grid) - 1)]
    return noise
