"""Slow twin of the modelled synthetic people: the exact probability of every person that can be drawn."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction

Person = tuple[tuple[int, ...], int]


def resampled(people: Sequence[Person], wide: Sequence[int], narrow: Sequence[int]) -> dict[Person, Fraction]:
    """A record at random, with the value of one of its wide class but not of its narrow one; of all, where none is."""
    n = len(people)
    drawn: dict[Person, Fraction] = defaultdict(Fraction)
    for i, (qids, _) in enumerate(people):
        near = [j for j in range(n) if wide[j] == wide[i]]
        others = [j for j in near if narrow[j] != narrow[i]] or near
        for j in others:
            drawn[qids, people[j][1]] += Fraction(1, n * len(others))
    return dict(drawn)
