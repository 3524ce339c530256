"""Total cost of several noisy tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from core.base.limits import LIMITS


@dataclass(frozen=True)
class Cost:
    """A guarantee: epsilon and delta of [Ganta 2008, Def. 11]; delta 0 is Def. 10."""

    epsilon: float
    delta: float = 0.0


def basic(costs: Sequence[Cost]) -> Cost:
    """Epsilons and deltas add up [Ganta 2008, Lemma 12], regardless of publisher and noise.

    Sums are decimal, so that three times 0.1 is 0.3.
    """
    epsilon = sum((Decimal(repr(float(cost.epsilon))) for cost in costs), Decimal(0))
    delta = sum((Decimal(repr(float(cost.delta))) for cost in costs), Decimal(0))
    return Cost(float(epsilon), float(delta))


def advanced(costs: Sequence[Cost], slack: float) -> Cost:
    """Advanced composition: a smaller epsilon for an additional delta.

    sum e (exp(e) - 1) / (exp(e) + 1) + sqrt(2 ln(1 / slack) sum e^2), with delta the sum of
    all deltas and ``slack`` [Kairouz 2015, Thm. 3.5].

    Raises
    ------
    ParameterError
        If ``slack`` is not between 0 and 1.
    """
    LIMITS["slack"].check(slack, "slack")
    drift = math.fsum(cost.epsilon * math.tanh(cost.epsilon / 2) for cost in costs)
    spread = math.sqrt(-2 * math.log(slack) * math.fsum(cost.epsilon**2 for cost in costs))
    return Cost(drift + spread, basic([*costs, Cost(0.0, slack)]).delta)


@dataclass(frozen=True)
class Composition:
    """Total cost of some tables.

    Parameters
    ----------
    basic
        By adding up; always true.
    advanced
        The smaller epsilon of advanced composition; ``None`` if it is not smaller.
    """

    basic: Cost
    advanced: Cost | None


def compose(costs: Sequence[Cost], slack: float) -> Composition:
    """Compose by Lemma 12, or by advanced composition if that is tighter."""
    added, other = basic(costs), advanced(costs, slack)
    return Composition(added, other if other.epsilon < added.epsilon else None)
