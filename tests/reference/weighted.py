"""Slow twin of the weighted adversary: exact fractions, one person and one value at a time.

Definitions §4. A release is a list of records, each with its class (``None`` if it is in
none) and the text of its sensitive value, as for the twin of the attack.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import cache

from tests.reference.attack import Record

PRIOR = 20


def share_of(records: Sequence[Record], classes: frozenset[int] | None) -> Counter[str]:
    """How often each value occurs in the given classes; in all of them for ``None``."""
    return Counter(value for label, value in records if label is not None and (classes is None or label in classes))


def posterior(
    releases: Sequence[Sequence[Record]],
    candidates: Sequence[frozenset[int]],
    universe: frozenset[str],
    prior_weight: int = PRIOR,
    naive: bool = False,
    same_value_rate: Sequence[Fraction] | None = None,
) -> dict[str, Fraction]:
    """P(s | q, E_1..E_R) of every value that is left; empty where none is.

    ``candidates[j]`` are the classes of release j that the person may be in. A record of
    release j carries the person's value with the chance ``agreement[j]``, and else one drawn
    from all records of the first release (half a record for a value that has none): its value
    is summed over, one possibility after another.
    """
    sure = [Fraction(1)] * len(releases) if same_value_rate is None else same_value_rate
    heard = [
        (share_of(records, mine), agrees)
        for records, mine, agrees in zip(releases, candidates, sure, strict=True)
        if mine
    ]
    counts = [count for count, _ in heard]
    overall = share_of(releases[0], None)
    everybody = sum(overall.values())
    left = {s for s in universe if all(count[s] > 0 for count, agrees in heard if agrees == 1)}
    pooled = sum(sum(count.values()) for count in counts)

    @cache
    def drawn(s: str) -> Fraction:
        return max(Fraction(overall[s], everybody), Fraction(1, 2 * everybody))

    @cache
    def before(s: str) -> Fraction:
        if naive:
            return drawn(s)
        return (sum(count[s] for count in counts) + prior_weight * Fraction(overall[s], everybody)) / (
            pooled + prior_weight
        )

    weight = {}
    for s in left:
        product = before(s)
        for count, agrees in heard:
            likelihood = Fraction(0)
            for carried in universe if agrees < 1 else [s]:
                if not count[carried]:
                    continue
                chance = agrees * (carried == s) + (1 - agrees) * drawn(carried)
                if chance:
                    likelihood += chance * Fraction(count[carried], sum(count.values())) / before(carried)
            product *= likelihood
        weight[s] = product
    total = sum(weight.values())
    return {s: w / total for s, w in weight.items()}


def hit(said: dict[str, Fraction], truth: str | None) -> Fraction:
    """Chance that naming the most likely value is right, ties broken at random."""
    if not said or truth is None:
        return Fraction(0)
    most_likely = [s for s, p in said.items() if p == max(said.values())]
    return Fraction(truth in most_likely, len(most_likely))
