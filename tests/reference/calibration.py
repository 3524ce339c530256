"""Slow twin of calibration: one claim at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction


def table(claims: Sequence[tuple[Fraction, Fraction]], bins: int) -> dict[int, tuple[Fraction, Fraction, int]]:
    """For each bin that holds a claim: mean said, mean right, number; 1 belongs to the last bin."""
    inside = defaultdict(list)
    for said, right in claims:
        inside[min(bins - 1, int(said * bins))].append((said, right))
    return {
        number: (sum(s for s, _ in mine) / len(mine), sum(r for _, r in mine) / len(mine), len(mine))
        for number, mine in inside.items()
    }


def error(claims: Sequence[tuple[Fraction, Fraction]], bins: int) -> Fraction:
    """Expected calibration error: what is said less what is right, in its bin, averaged over claims."""
    return sum((n * abs(said - right) for said, right, n in table(claims, bins).values()), start=Fraction(0)) / len(
        claims
    )
