"""Slow twins of core.beliefs, from the definitions, in plain Python.

Nothing of core is used. A background is a list of f(s, q) rows, one a record; records with
equal quasi-identifiers have equal rows.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Hashable, Sequence
from fractions import Fraction

Row = Sequence[float]


def alpha(row: Row) -> list[float]:
    """Eq. 1 of [Allard 2023]; zeros where the row believes in nothing."""
    total = sum(row)
    return [x / total if total else 0.0 for x in row]


def drawn_posterior(
    target: Hashable, qids: Sequence[Hashable], secrets: Sequence[int], joint: dict[Hashable, Row]
) -> list[float]:
    """Posterior of the target by the model behind Eq. 2, event by event.

    A record of the class is picked, each as likely as another; its quasi-identifiers are drawn
    from f(q | s, q*), over the distinct ones that the class was generalised from; what is left
    is conditioned on having drawn the target's.
    """
    values = len(joint[target])
    region = set(qids)
    hit = [0.0] * values
    for s in secrets:
        of_value = sum(joint[q][s] for q in region)
        for q in region:
            if of_value and q == target:
                hit[s] += (1 / len(secrets)) * joint[q][s] / of_value
    return alpha(hit)


def dealt_posterior(rows: Sequence[Row], secrets: Sequence[int]) -> list[list[float]]:
    """Posterior of each member when all are known: every distinct way to deal out the values."""
    values = len(rows[0])
    weight = [[0.0] * values for _ in rows]
    for dealt in set(itertools.permutations(secrets)):
        chance = 1.0
        for row, s in zip(rows, dealt, strict=True):
            chance *= alpha(row)[s]
        for member, s in enumerate(dealt):
            weight[member][s] += chance
    return [alpha(row) for row in weight]


def holds(counts: Sequence[int], c: Fraction, l: int) -> bool:  # noqa: E741
    """Recursive (c, l)-diversity as printed: r1 < c (r_l + ... + r_m)."""
    ordered = sorted((n for n in counts if n), reverse=True)
    return bool(ordered) and ordered[0] < c * sum(ordered[l - 1 :])


def subsets_left(counts: Sequence[int], statements: int) -> list[list[int]]:
    """Counts left after each set of at most so many true negation statements."""
    there = [n for n in counts if n]
    return [
        [n for i, n in enumerate(there) if i not in struck]
        for size in range(min(statements, len(there) - 1) + 1)
        for struck in itertools.combinations(range(len(there)), size)
    ]


def holds_after(counts: Sequence[int], c: Fraction, l: int, statements: int) -> bool:  # noqa: E741
    """Whether (c, l) holds whatever is struck."""
    return all(holds(left, c, l) for left in subsets_left(counts, statements))


def share_after(counts: Sequence[int], statements: int) -> float:
    """Largest share of one value among those left, whatever is struck."""
    return max(max(left) / sum(left) for left in subsets_left(counts, statements))


def own_joint(qids: Sequence[Hashable], secrets: Sequence[int], values: int) -> dict[Hashable, list[float]]:
    """f(s, q) counted in a table."""
    seen = Counter(zip(qids, secrets, strict=True))
    return {q: [seen[q, s] / len(qids) for s in range(values)] for q in set(qids)}
