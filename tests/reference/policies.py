"""Slow twins of the privacy models: one class at a time, exact numbers, definitions §2.

A class is the list of its sensitive values, ``None`` where one is missing. A missing value
never counts towards diversity; for t-closeness it is a value like any other (§1).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from core.privacy.policy import Policy
from tests.reference.attributes import Attribute, Value, shared

TOLERANCE = Fraction(1, 10**9)
"""Allowed for entropy l and for t, for nothing else [definitions §2, boundaries]."""
DIGITS = 40


def known_counts(secrets: Sequence[Value]) -> list[int]:
    """Counts of the values that are not missing, largest first."""
    return sorted(Counter(value for value in secrets if value is not None).values(), reverse=True)


def distinct(secrets: Sequence[Value]) -> int:
    """#{s : n(s) > 0}."""
    return len(known_counts(secrets))


def entropy(secrets: Sequence[Value]) -> Decimal | None:
    """- sum p ln p to 40 digits; ``None`` for a class without a known value."""
    counts = known_counts(secrets)
    if not counts:
        return None
    with localcontext() as context:
        context.prec = DIGITS
        shares = [Decimal(count) / sum(counts) for count in counts]
        return -sum((share * share.ln() for share in shares), Decimal(0))


def entropy_diverse(secrets: Sequence[Value], l: float) -> bool:  # noqa: E741
    """- sum p ln p >= ln l, give or take 1e-9."""
    found = entropy(secrets)
    if found is None:
        return False
    with localcontext() as context:
        context.prec = DIGITS
        return found >= Decimal(l).ln() - Decimal(1).scaleb(-9)


def exact(c: Any) -> Fraction:
    """Take a factor as it is written: 0.1 is one tenth."""
    return c if isinstance(c, Fraction) else Fraction(str(c))


def recursively_diverse(secrets: Sequence[Value], c: Any, l: int) -> bool:  # noqa: E741
    """r1 < c (r_l + r_{l+1} + ... + r_m); a class with fewer than l distinct values fails."""
    counts = known_counts(secrets)
    if len(counts) < l:
        return False
    return counts[0] < exact(c) * sum(counts[l - 1 :])


def smallest_c(secrets: Sequence[Value], l: int) -> Fraction | None:  # noqa: E741
    """Infimum of the c for which a class is (c, l)-diverse; ``None`` where no c is enough."""
    counts = known_counts(secrets)
    return Fraction(counts[0], sum(counts[l - 1 :])) if len(counts) >= l else None


def shares(secrets: Sequence[Value]) -> dict[Value, Fraction]:
    """Share of every value, a missing one included."""
    return {value: Fraction(count, len(secrets)) for value, count in Counter(secrets).items()}


def equal_distance(secrets: Sequence[Value], table: Sequence[Value]) -> Fraction:
    """Total variation: half the sum of the absolute differences."""
    mine, whole = shares(secrets), shares(table)
    return sum((abs(mine.get(s, Fraction(0)) - p) for s, p in whole.items()), Fraction(0)) / 2


def ordered_distance(secrets: Sequence[Value], table: Sequence[Value], attribute: Attribute) -> Fraction:
    """Sum of absolute cumulative differences over the ranks of the table's values, over m - 1; missing last."""
    mine, whole = shares(secrets), shares(table)
    ranked = [value for value in (*attribute.labels(), None) if value in whole]
    if len(ranked) < 2:
        return Fraction(0)
    total = running = Fraction(0)
    for value in ranked:
        running += mine.get(value, Fraction(0)) - whole[value]
        total += abs(running)
    return total / (len(ranked) - 1)


def ground_distance(first: tuple[Any, ...], second: tuple[Any, ...], height: int) -> int:
    """Height of the lowest common node of two leaves, counted from the deepest leaf; 0 for the same leaf."""
    return 0 if first == second else height - (len(shared([first, second])) - 1)


def hierarchical_distance(secrets: Sequence[Value], table: Sequence[Value], attribute: Attribute) -> Fraction:
    """Earth mover's distance over the taxonomy, as the least cost of really moving the mass (Li et al. §4)."""
    height = max(len(path) - 1 for path in attribute.paths.values())
    if height == 0:
        return Fraction(0)
    mine, whole = Counter(secrets), Counter(table)
    values = list(whole)
    cost = [[ground_distance(attribute.path(a), attribute.path(b), height) for b in values] for a in values]
    supply = [mine[value] * len(table) for value in values]
    demand = [whole[value] * len(secrets) for value in values]
    return Fraction(transport(supply, demand, cost), height * len(table) * len(secrets))


def transport(supply: Sequence[int], demand: Sequence[int], cost: Sequence[Sequence[int]]) -> int:
    """Cost of moving all supply to the demand, the nearest first: over the leaves of a tree nothing is cheaper."""
    left, need, total = list(supply), list(demand), 0
    for price, i, j in sorted((price, i, j) for i, row in enumerate(cost) for j, price in enumerate(row)):
        moved = min(left[i], need[j])
        left[i] -= moved
        need[j] -= moved
        total += moved * price
    assert not any(left)
    return total


def distance_of(secrets: Sequence[Value], table: Sequence[Value], attribute: Attribute, distance: str) -> Fraction:
    """D(p_E, p_table) in the distance asked."""
    if distance == "equal":
        return equal_distance(secrets, table)
    if distance == "ordered":
        return ordered_distance(secrets, table, attribute)
    return hierarchical_distance(secrets, table, attribute)


def meets(policy: Policy, secrets: Sequence[Value], table: Sequence[Value], attribute: Attribute) -> bool:
    """Whether one class satisfies the whole policy."""
    if len(secrets) < policy.k:
        return False
    if policy.l is not None:
        if policy.diversity == "distinct" and distinct(secrets) < policy.l:
            return False
        if policy.diversity == "entropy" and not entropy_diverse(secrets, policy.l):
            return False
        if policy.diversity == "recursive" and not recursively_diverse(secrets, policy.c, int(policy.l)):
            return False
    if policy.t is not None:
        return distance_of(secrets, table, attribute, policy.distance) <= Fraction(policy.t) + TOLERANCE
    return True
