"""Differential privacy the slow way: every definition as a loop, with probabilities written out."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction

Pmf = Callable[[int], float]


def laplace(x: int, scale: float) -> float:
    """Discrete Laplace: (1 - q) / (1 + q) q^|x| with q = exp(-1 / scale)."""
    q = math.exp(-1 / scale)
    return (1 - q) / (1 + q) * q ** abs(x)


def gaussian(x: int, scale: float) -> float:
    """Discrete Gaussian: exp(-x^2 / 2 s^2) over the sum of the same over all whole numbers."""
    most = int(40 * scale) + 40
    total = sum(math.exp(-(z**2) / (2 * scale**2)) for z in range(-most, most + 1))
    return math.exp(-(x**2) / (2 * scale**2)) / total


def contingency(rows: Sequence[tuple[str, ...]]) -> Counter[tuple[str, ...]]:
    """Records of each combination of group labels and sensitive value."""
    return Counter(rows)


def posterior(noisy: Sequence[Sequence[int]], others: Sequence[int], prior: Sequence[float], pmf: Pmf) -> list[float]:
    """Belief in each value from whole noisy tables: prior times the chance of every cell, normalised.

    In fractions: the product of small chances is too small for a float.
    """
    weights = []
    for s, belief in enumerate(prior):
        weight = Fraction(belief)
        for table in noisy:
            for cell, seen in enumerate(table):
                weight *= Fraction(pmf(seen - (others[cell] + (cell == s))))
        weights.append(weight)
    return [float(weight / sum(weights)) for weight in weights]


def expected_hit(epsilon: float, releases: int, values: int) -> float:
    """Chance of naming the right value, over all patterns of cells above and not above."""
    q = math.exp(-epsilon / 2)
    found = 0.0
    for pattern in itertools.product(range(releases + 1), repeat=values):
        chance = 1.0
        for cell, ups in enumerate(pattern):
            up = 1 / (1 + q) if cell == 0 else q / (1 + q)
            chance *= math.comb(releases, ups) * up**ups * (1 - up) ** (releases - ups)
        if pattern[0] == max(pattern):
            found += chance / pattern.count(max(pattern))
    return found


def laplace_outputs(table: Sequence[int], values: int, epsilon: float) -> dict[tuple[int, ...], float]:
    """Chance of every noisy histogram, counts cut to 0..n by adding up the tails one term after another."""
    n, scale = len(table), 2 / epsilon
    found = {}
    for seen in itertools.product(range(n + 1), repeat=values):
        chance = 1.0
        for value, y in enumerate(seen):
            count = sum(1 for person in table if person == value)
            reach = range(-300, 1) if y == 0 else range(n, n + 300) if y == n else [y]
            chance *= sum(laplace(z - count, scale) for z in reach)
        found[seen] = chance
    return found


def games(
    prior: dict[tuple[int, ...], float],
    chance: Callable[[tuple[int, ...]], dict[object, float]],
    default: int,
) -> float:
    """Largest statistical difference between game 0 and any other, over outputs that can occur."""
    people = len(next(iter(prior)))
    real = {table: chance(table) for table in prior}
    outputs = {t for table, b in prior.items() if b > 0 for t, p in real[table].items() if p > 0}
    worst = 0.0
    for t in outputs:
        total = sum(b * real[table].get(t, 0.0) for table, b in prior.items())
        for i in range(people):
            without = {d: real[(*d[:i], default, *d[i + 1 :])].get(t, 0.0) * b for d, b in prior.items()}
            other = sum(without.values())
            if other == 0:
                return 1.0
            worst = max(
                worst, sum(abs(b * real[d].get(t, 0.0) / total - without[d] / other) for d, b in prior.items()) / 2
            )
    return worst
