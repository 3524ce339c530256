"""Exact losses of sampling and suppressing, by enumeration in rational arithmetic [definitions §11]."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import comb


def outputs(n: int, beta: Fraction, k: int) -> dict[int, Fraction]:
    """Chance of every count that a cell of n records can be published with; 0 stands for left out."""
    found: dict[int, Fraction] = {}
    for y in range(n + 1):
        told = y if y >= k else 0
        found[told] = found.get(told, Fraction(0)) + comb(n, y) * beta**y * (1 - beta) ** (n - y)
    return found


def delta(one: dict, other: dict, factor: Fraction) -> Fraction:
    """Sum over outputs of what one's chance is above ``factor`` times the other's."""
    return sum((max(Fraction(0), p - factor * other.get(y, Fraction(0))) for y, p in one.items()), Fraction(0))


def tables(counts: Sequence[int], beta: Fraction, k: int) -> dict[tuple[int, ...], Fraction]:
    """Chance of every published table of several cells."""
    cells = [outputs(n, beta, k) for n in counts]
    found: dict[tuple[int, ...], Fraction] = {}
    for told in product(*cells):
        chance = Fraction(1)
        for cell, y in zip(cells, told, strict=True):
            chance *= cell[y]
        found[told] = chance
    return found


def neighbours(cells: int, most: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Every pair of small tables that differ in one record more."""
    for counts in product(range(most + 1), repeat=cells):
        for cell in range(cells):
            more = list(counts)
            more[cell] += 1
            yield counts, tuple(more)


def values_left(told: Sequence[Sequence[int] | None], values: int) -> list[set[int]]:
    """What several tables leave of one person, after each: what each tells of the cell, all where it tells nothing."""
    left, found = set(range(values)), []
    for counts in told:
        some = set() if counts is None else {value for value, many in enumerate(counts) if many > 0}
        left = left & (some or set(range(values)))
        found.append(left)
    return found


def belief(told: Sequence[Sequence[int]], prior: Sequence[float], bin_of: Sequence[int]) -> list[float]:
    """What is believed of one person's value after tables that tell these counts of the person's cell.

    Product of the counts, table by table, over what would be said without any of them; a table without a count says
    nothing. Within a bin values keep the proportions of the prior.
    """
    heard = [[int(n) for n in counts] for counts in told if any(counts)]
    exact = [Fraction(p) for p in prior]
    if not heard:
        return [float(p / sum(exact)) for p in exact]
    weights = {}
    for one in range(len(heard[0])):
        base = sum((p for p, b in zip(exact, bin_of, strict=True) if b == one), Fraction(0))
        before = sum(counts[one] for counts in heard) + 20 * base
        weight = before
        for counts in heard:
            weight = weight * counts[one] / before if before else Fraction(0)
        weights[one] = (weight, base)
    total = sum(weight for weight, _ in weights.values())
    found = []
    for p, b in zip(exact, bin_of, strict=True):
        weight, base = weights.get(int(b), (Fraction(0), Fraction(0)))
        found.append(float(weight / total * p / base) if total and base else 0.0)
    return found
