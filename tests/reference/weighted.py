"""Slow twin of the weighted adversary: exact fractions, one person and one value at a time.

Definitions §4. A release is a list of records, each with its class (``None`` if it is in
none) and the text of its sensitive value, as for the twin of the attack.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from tests.reference.attack import Record

PRIOR = 20


def share_of(records: Sequence[Record], classes: frozenset[int] | None) -> Counter[str]:
    """How often each value occurs in the given classes; in all of them for ``None``."""
    return Counter(value for label, value in records if label is not None and (classes is None or label in classes))


def posterior(
    releases: Sequence[Sequence[Record]],
    candidates: Sequence[frozenset[int]],
    universe: frozenset[str],
    prior: int = PRIOR,
    naive: bool = False,
) -> dict[str, Fraction]:
    """P(s | q, E_1..E_R) of every value that is left; empty where none is.

    ``candidates[j]`` are the classes of release j that the person may be in.
    """
    counts = [share_of(records, mine) for records, mine in zip(releases, candidates, strict=True) if mine]
    overall = share_of(releases[0], None)
    everybody = sum(overall.values())
    left = {s for s in universe if all(count[s] > 0 for count in counts)}
    pooled = sum(sum(count.values()) for count in counts)
    weight = {}
    for s in left:
        share = Fraction(overall[s], everybody)
        if naive:
            before = max(share, Fraction(1, 2 * everybody))
        else:
            before = (sum(count[s] for count in counts) + prior * share) / (pooled + prior)
        if not counts:
            weight[s] = before
            continue
        product = before
        for count in counts:
            product *= Fraction(count[s], sum(count.values())) / before
        weight[s] = product
    total = sum(weight.values())
    return {s: w / total for s, w in weight.items()}


def hit(said: dict[str, Fraction], truth: str | None) -> Fraction:
    """Chance that naming the likeliest value is right, ties broken at random."""
    if not said or truth is None:
        return Fraction(0)
    likeliest = [s for s, p in said.items() if p == max(said.values())]
    return Fraction(truth in likeliest, len(likeliest))
