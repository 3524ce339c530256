"""Estimate the population uniques of a sample if only the sampling fraction is known.

A record that is unique in a table may have doubles among the people who are not in it. Two models
of the population guess how many have none [definitions §12]: Pitman's, of Hoshino (2001), for small samples, and
Zayatz's (1991), which takes the sample's own classes for the population's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from core.base.arrays import Floats, Ints
from core.base.errors import ParameterError
from core.base.limits import LIMITS

FEW = 0.1
"""Largest sampling fraction for which Pitman's model is used."""
_STEPS = 200


@dataclass(frozen=True)
class PopulationUniques:
    """Estimated number of people who are unique in the population.

    Parameters
    ----------
    sample
        People of the sample who are unique in it.
    records
        People of the sample: its records, or its persons if they may have several.
    pitman, zayatz
        People of the population who are unique in it, by each model; ``None`` if a model does not fit.
    chosen
        The model that the rule chooses: "pitman" or "zayatz"; "" if no model fits.
    population
        People of the population.
    """

    sample: int
    records: int
    population: float
    pitman: float | None
    zayatz: float | None
    chosen: str

    @property
    def people(self) -> float | None:
        """People who are unique in the population, by the model chosen."""
        return None if not self.chosen else float(getattr(self, self.chosen))

    @property
    def share(self) -> float | None:
        """Share of the population that is unique; the same share of the sample is expected to be."""
        return None if self.people is None else self.people / self.population


def population_uniques(sizes: Ints, fraction: float, people: Ints | None = None) -> PopulationUniques:
    """Estimate the number of population uniques if a table is a simple random sample.

    Parameters
    ----------
    sizes
        (classes,) people of the sample with equal values in what an adversary knows.
    fraction
        People of the sample over people of the population: above 0, at most 1.
    people
        (classes,) people who are counted in classes of each of these sizes; by default each class holds
        the people of its size. Persons with several records are counted in one class each
        (:func:`core.data.profiling.uniqueness.people_by_group`), and n people in classes of s make up n / s of them.

    Raises
    ------
    ParameterError
        If the fraction is out of its range, or there are no records.

    Notes
    -----
    O(classes) to count; the rest takes almost no time. With the whole population as the sample every
    model is the count itself.
    """
    LIMITS["fraction"].check(fraction, "fraction")
    if not len(sizes):
        raise ParameterError("The table has no records, so no one is unique in it.", parameter="sizes")
    size, which = np.unique(sizes, return_inverse=True)
    people = sizes if people is None else people
    count = np.bincount(which, weights=people / sizes)
    records, unique = int(people.sum()), round(float(count[size == 1].sum()))
    population = records / fraction
    if fraction == 1.0 or unique == 0:
        estimate = float(unique)
        return PopulationUniques(unique, records, population, estimate, estimate, "zayatz")
    pitman, zayatz = (_capped(model(size, count, fraction), unique / fraction) for model in (_pitman, _zayatz))
    fits = "zayatz" if zayatz is not None else ""
    chosen = "pitman" if fraction <= FEW and pitman is not None else fits
    return PopulationUniques(unique, records, population, pitman, zayatz, chosen)


def _capped(people: float | None, most: float) -> float | None:
    """Cap the estimate at the case in which every sample unique represents only population uniques."""
    return None if people is None or not math.isfinite(people) else min(max(people, 0.0), most)


# ---- Pitman -------------------------------------------------------------------------------------


def _pitman(size: Ints, count: Floats | Ints, fraction: float) -> float | None:
    """Expected singletons of Pitman's sampling formula in the whole population, its parameters the most likely.

    Hoshino fits theta and alpha to the sample and asks for the singletons of a sample of N:
    N Gamma(theta + alpha + N - 1) Gamma(theta + 1) / (Gamma(theta + alpha) Gamma(theta + N)).
    """
    fitted = fit_pitman(size, count)
    if fitted is None:
        return None
    theta, alpha = fitted
    people = float((size * count).sum()) / fraction
    return math.exp(
        math.log(people)
        + math.lgamma(theta + alpha + people - 1)
        + math.lgamma(theta + 1)
        - math.lgamma(theta + alpha)
        - math.lgamma(theta + people)
    )


def fit_pitman(size: Ints, count: Floats | Ints) -> tuple[float, float] | None:
    """Maximum likelihood theta and alpha, 0 < alpha < 1, of a sample's classes; ``None`` if there are none.

    ``count`` (sizes,) classes have ``size`` (sizes,) records. For each alpha the most likely theta is
    looked for, and over these the most likely alpha: each is the zero of a derivative of the log-likelihood. With u
    classes of n records in all, the log-likelihood is

    sum_{i<u} log(theta + i alpha) - sum_{i<n} log(theta + i) + sum_j count_j sum_{i<j} log(i - alpha)
    """
    records, classes = round(float((size * count).sum())), float(count.sum())
    if classes < 2 or records == classes:
        return None

    def first_sum(theta: float, alpha: float) -> float:
        """Derivative of the first sum by theta."""
        return (digamma(theta / alpha + classes) - digamma(theta / alpha + 1)) / alpha

    def slope_in_theta(theta: float, alpha: float) -> float:
        return first_sum(theta, alpha) - (digamma(theta + records) - digamma(theta + 1))

    def most_likely_theta(alpha: float) -> float:
        # theta is above -alpha, and may be millions: halve the logarithm of theta + alpha.
        above = _root(lambda x: slope_in_theta(math.exp(x) - alpha, alpha), math.log(1e-9), math.log(1e12), math.exp)
        return above - alpha

    def slope_in_alpha(alpha: float) -> float:
        # At the most likely theta, so that theta itself adds nothing to the slope.
        theta = most_likely_theta(alpha)
        by_first_sum = (classes - 1 - theta * first_sum(theta, alpha)) / alpha
        terms = [c * (digamma(j - alpha) - digamma(1 - alpha)) for j, c in zip(size, count, strict=True)]
        return by_first_sum - float(sum(terms))

    low, high = 1e-6, 1 - 1e-6
    if not slope_in_alpha(low) > 0 > slope_in_alpha(high):
        return None
    alpha = _root(slope_in_alpha, low, high, float)
    return most_likely_theta(alpha), alpha


def _root(falling: Callable[[float], float], low: float, high: float, transform: Callable[[float], float]) -> float:
    """Root of a falling function by bisection; one of the ends if there is none."""
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)
    return transform((low + high) / 2)


def digamma(x: float) -> float:
    """Derivative of log Gamma for x > 0, to 1e-12: raised to 10 and more, then its asymptotic series.

    The standard library has log Gamma alone, and a library for this one function would be the
    largest that the program needs.
    """
    below = 0.0
    while x < 10:
        below -= 1 / x
        x += 1
    square = 1 / (x * x)
    series = square * (
        1 / 12
        - square * (1 / 120 - square * (1 / 252 - square * (1 / 240 - square * (1 / 132 - square * 691 / 32760))))
    )
    return below + math.log(x) - 1 / (2 * x) - series


# ---- Zayatz -------------------------------------------------------------------------------------


def _zayatz(size: Ints, count: Floats | Ints, fraction: float) -> float | None:
    """Unique records of the sample, times the chance that one of them is unique in the population, over the fraction.

    By Bayes: the population has classes of the sizes that the sample has, and a class of j is
    seen once with the hypergeometric chance of it.
    """
    records = round(float((size * count).sum()))
    people = round(records / fraction)
    share = count / count.sum()
    seen_once = np.array([_hypergeometric_one(int(j), people, records) for j in size])
    whole = float((share * seen_once).sum())
    of_ones = float((share * seen_once)[size == 1].sum())
    return None if whole <= 0 else float(count[size == 1].sum()) * of_ones / whole / fraction


def _hypergeometric_one(marked: int, people: int, drawn: int) -> float:
    """Probability that exactly one of some marked people is among those drawn."""
    if people - marked < drawn - 1:
        return 0.0
    return math.exp(math.log(marked) + _choose(people - marked, drawn - 1) - _choose(people, drawn))


def _choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
