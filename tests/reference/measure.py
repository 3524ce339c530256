"""Slow twin of the measured guarantee: loops over the rows of a published table, definitions §2.

"The measured value of a release is the weakest class."
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from tests.reference import policies
from tests.reference.attributes import Attribute, Value


@dataclass(frozen=True)
class Measured:
    """Sensitive values of every class, and of the table."""

    groups: list[list[Value]]
    sensitive: Attribute

    @property
    def k(self) -> int:
        return min(len(group) for group in self.groups)

    @property
    def distinct_l(self) -> int:
        return min(policies.distinct(group) for group in self.groups)

    @property
    def entropy_l(self) -> float:
        """exp(min entropy), a real number; 0 where a class has no known value."""
        found = [policies.entropy(group) for group in self.groups]
        return 0.0 if None in found else float(min(x for x in found if x is not None).exp())

    def entropies(self) -> list[float]:
        found = [policies.entropy(group) for group in self.groups]
        return [-math.inf if x is None else float(x + Decimal(0)) for x in found]

    def t(self, distance: str) -> float:
        return float(max(self.distances(distance)))

    def distances(self, distance: str) -> list[Fraction]:
        table = self.sensitive.values
        return [policies.distance_of(group, table, self.sensitive, distance) for group in self.groups]

    def recursive_c(self, l: int) -> float:  # noqa: E741
        """Infimum of the c that every class satisfies."""
        found = [policies.smallest_c(group, l) for group in self.groups]
        return math.inf if None in found else float(max(c for c in found if c is not None))


def same(cell: Any) -> Any:
    """One marker for every kind of missing cell."""
    return None if cell is None or cell != cell else cell


def measured(rows: Sequence[Sequence[Any]], sensitive: Attribute) -> Measured:
    """Group rows of quasi-identifier cells, in order; rows of stars are set apart."""
    pairs = list(zip(rows, sensitive.values, strict=True))
    withheld = [all(cell in ("*", "***") for cell in row) for row in rows]
    if not all(withheld):
        pairs = [pair for pair, away in zip(pairs, withheld, strict=True) if not away]
    groups: dict[tuple[Any, ...], list[Value]] = {}
    for row, secret in pairs:
        groups.setdefault(tuple(same(cell) for cell in row), []).append(secret)
    return Measured(list(groups.values()), replace(sensitive, values=[secret for _, secret in pairs]))
