"""Differential privacy the slow way: every definition as a loop, with probabilities written out."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
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


def posterior(
    noisy: Sequence[Sequence[int]], bins: Sequence[int], others: Sequence[int], prior: Sequence[float], pmf: Pmf
) -> list[float]:
    """Belief in each value from whole noisy tables: prior times the chance of every cell, normalised.

    A table counts bins of values; a value of bin -1 is not counted at all. In fractions: the product of small chances
    is too small for a float.
    """
    weights = []
    for s, belief in enumerate(prior):
        weight = Fraction(belief)
        for table in noisy:
            for place, seen in enumerate(table):
                weight *= Fraction(pmf(seen - (others[place] + (bins[s] == place))))
        weights.append(weight)
    return [float(weight / sum(weights)) for weight in weights]


def told_chance(count: int, threshold: int, scale: float) -> dict[int | None, float]:
    """Chance of each noisy count that is told of a cell of so many records, None for nothing; no noise without one."""
    if count == 0:
        return {None: 1.0}
    reach = range(threshold, threshold + int(40 * scale) + count)
    told: dict[int | None, float] = {y: laplace(y - count, scale) for y in reach}
    hidden = sum(laplace(y - count, scale) for y in range(threshold - int(40 * scale) - 40, threshold))
    return {None: hidden, **told}


def threshold_delta(before: Sequence[int], after: Sequence[int], threshold: int, epsilon: float) -> float:
    """Least delta over both directions between two histograms: sums of max(0, P - e^epsilon Q) over all outputs."""
    scale, worst = 2 / epsilon, 0.0
    changed = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
    for turned in (changed, [(b, a) for a, b in changed]):
        first = [told_chance(a, threshold, scale) for a, _ in turned]
        other = [told_chance(b, threshold, scale) for _, b in turned]
        total = 0.0
        for outputs in itertools.product(*({*p, *q} for p, q in zip(first, other, strict=True))):
            one = math.prod(p.get(y, 0.0) for p, y in zip(first, outputs, strict=True))
            two = math.prod(q.get(y, 0.0) for q, y in zip(other, outputs, strict=True))
            total += max(0.0, one - math.exp(epsilon) * two)
        worst = max(worst, total)
    return worst


def declared_bin(text: str, declared: Mapping[str, object], missing: Sequence[str]) -> str | None:
    """Label of the bin of one cell's text, from the text and the declaration alone; None where it is not counted.

    For ranges of whole numbers and lists of texts.
    """
    rest = "other or missing" if declared["rest"] else None
    if text in missing:
        return rest
    if declared["kind"] == "values":
        return text if text in declared["values"] else rest  # type: ignore[operator]
    low, high, width = (int(declared[name]) for name in ("low", "high", "width"))  # type: ignore[call-overload]
    try:
        number = float(text)
    except ValueError:
        return rest
    place = low
    while place + width < high and number >= place + width:
        place += width
    if low + width >= high:
        return "every number"
    if place == low:
        return f"below {low + width}"
    return f"{place} and above" if place + width >= high else f"{place} to below {place + width}"


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


def right_by_noise(
    prior: Sequence[float], bins: Sequence[int], truth: int, counted: bool, epsilon: float, releases: int
) -> float:
    """Chance that the strongest adversary names one person's value: every outcome of every cell of every table.

    A cell's noise matters by the ratio of its chances with one record more and without; ratios are collected over
    all noise that has a chance to speak of.
    """
    scale, places = 2 / epsilon, sorted({place for place in bins if place >= 0}) if counted else []
    cells = []
    for place in places:
        own = int(bins[truth] == place)
        ratios: dict[float, float] = {}
        for x in range(-int(40 * scale) - 5, int(40 * scale) + 6):
            ratio = (abs(x + own) - abs(x + own - 1)) / scale
            ratios[ratio] = ratios.get(ratio, 0.0) + laplace(x, scale)
        cells.append([(place, ratio, chance) for ratio, chance in ratios.items()])
    right = 0.0
    for tables in itertools.product(*cells * releases):
        chance = math.prod(each for _, _, each in tables)
        beliefs = []
        for s, before in enumerate(prior):
            speaks = sum(ratio for place, ratio, _ in tables if place == bins[s])
            beliefs.append(math.log(before) + speaks if before > 0 else -math.inf)
        top = [s for s, belief in enumerate(beliefs) if belief >= max(beliefs) - 1e-9]
        right += chance * (truth in top) / len(top)
    return right


def likely(rows: Sequence[Sequence[int]], values: Sequence[int], size: int, record: int) -> list[float]:
    """Naive Bayes for one record, each column smoothed by 20 records, without the record itself."""
    others = [i for i in range(len(rows)) if i != record]
    weights = []
    for s in range(size):
        those = [i for i in (others if values[record] == s else range(len(rows))) if values[i] == s]
        weight = float(len(those))
        for column, code in enumerate(rows[record]):
            share = sum(row[column] == code for row in rows) / len(rows)
            same = sum(rows[i][column] == code for i in those)
            weight *= (same + 20 * share) / (len(those) + 20)
        weights.append(weight)
    return [weight / sum(weights) if sum(weights) else 0.0 for weight in weights]


def named_right(weights: Sequence[float], truth: int) -> float:
    """Chance that naming the value with the largest weight is right; ties are split."""
    top = [s for s, weight in enumerate(weights) if weight >= max(weights) * (1 - 1e-9)]
    return (truth in top) / len(top) if max(weights) > 0 else 0.0
