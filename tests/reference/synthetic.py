"""Slow twin of the modelled synthetic people: the exact probability of every person that can be drawn."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction

Person = tuple[tuple[int, ...], int]


def independent(people: Sequence[Person]) -> dict[Person, Fraction]:
    """P(t) = prod_q P(q) P(s) with the marginals of the table [Sattar 2018, Def. 5-6]."""
    n = len(people)
    columns = [*zip(*(qids for qids, _ in people), strict=True), [secret for _, secret in people]]
    drawn: dict[tuple[int, ...], Fraction] = {(): Fraction(1)}
    for column in columns:
        count = Counter(column)
        drawn = {(*t, value): p * Fraction(times, n) for t, p in drawn.items() for value, times in count.items()}
    return {(t[:-1], t[-1]): p for t, p in drawn.items()}


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
