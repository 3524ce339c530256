"""Slow twins of core.beliefs, from the definitions, in plain Python.

Nothing of core is used. A background is a list of f(s, q) rows, one a record; records with
equal quasi-identifiers have equal rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

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


def own_joint(qids: Sequence[Hashable], secrets: Sequence[int], values: int) -> dict[Hashable, list[float]]:
    """f(s, q) counted in a table."""
    seen = Counter(zip(qids, secrets, strict=True))
    return {q: [seen[q, s] / len(qids) for s in range(values)] for q in set(qids)}
