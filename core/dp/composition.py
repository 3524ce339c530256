"""What several noisy tables cost together, and a budget that refuses before it is overdrawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from core.dp.mechanisms import check_epsilon
from core.errors import ParameterError


@dataclass(frozen=True)
class Cost:
    """A promise: epsilon and delta of [Ganta 2008, Def. 11]; delta 0 is Def. 10."""

    epsilon: float
    delta: float = 0.0


def basic(costs: Sequence[Cost]) -> Cost:
    """Epsilons and deltas add up [Ganta 2008, Lemma 12], whoever publishes and whatever the noise.

    Sums are taken in decimal, so that three times 0.1 is 0.3.
    """
    epsilon = sum((Decimal(repr(float(cost.epsilon))) for cost in costs), Decimal(0))
    delta = sum((Decimal(repr(float(cost.delta))) for cost in costs), Decimal(0))
    return Cost(float(epsilon), float(delta))


def advanced(costs: Sequence[Cost], slack: float) -> Cost:
    """Advanced composition: a smaller epsilon for a further delta.

    sum e (exp(e) - 1) / (exp(e) + 1) + sqrt(2 ln(1 / slack) sum e^2), with delta the sum of
    all deltas and ``slack`` [Kairouz 2015, Thm. 3.5].

    Raises
    ------
    ParameterError
        If ``slack`` is not between 0 and 1.
    """
    if not 0 < slack < 1:
        raise ParameterError(f"The slack must be between 0 and 1; {slack:g} was given.", parameter="slack")
    drift = math.fsum(cost.epsilon * math.tanh(cost.epsilon / 2) for cost in costs)
    spread = math.sqrt(-2 * math.log(slack) * math.fsum(cost.epsilon**2 for cost in costs))
    return Cost(drift + spread, basic([*costs, Cost(0.0, slack)]).delta)


@dataclass(frozen=True)
class Composition:
    """What some tables cost together.

    Parameters
    ----------
    basic
        By adding up; always true.
    advanced
        The smaller epsilon of advanced composition; ``None`` where it is not smaller.
    """

    basic: Cost
    advanced: Cost | None


def compose(costs: Sequence[Cost], slack: float) -> Composition:
    """Compose by Lemma 12, and by advanced composition where that is tighter."""
    added, other = basic(costs), advanced(costs, slack)
    return Composition(added, other if other.epsilon < added.epsilon else None)


@dataclass(frozen=True)
class Entry:
    """A table that was published: what it was and what it cost."""

    what: str
    cost: Cost


@dataclass(frozen=True)
class Ledger:
    """A budget of epsilon and delta, and what was spent of it.

    Parameters
    ----------
    budget
        Never to be exceeded, by adding up.
    entries
        Spent so far.
    """

    budget: Cost
    entries: tuple[Entry, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a budget that is none, or is overdrawn from the start."""
        check_epsilon(self.budget.epsilon)
        if not 0 <= self.budget.delta < 1:
            raise ParameterError(
                f"The budget of delta must be at least 0 and below 1; {self.budget.delta:g} was given.",
                parameter="delta",
            )
        if self.spent.epsilon > self.budget.epsilon or self.spent.delta > self.budget.delta:
            raise ParameterError(
                f"Tables for epsilon = {self.spent.epsilon:g} and delta = {self.spent.delta:g} are published already; "
                "a budget cannot be below that.",
                parameter="budget",
            )

    @property
    def spent(self) -> Cost:
        """Sum of the entries."""
        return basic([entry.cost for entry in self.entries])

    @property
    def left(self) -> Cost:
        """Budget minus what is spent."""
        spent = self.spent
        return Cost(
            float(Decimal(repr(float(self.budget.epsilon))) - Decimal(repr(spent.epsilon))),
            float(Decimal(repr(float(self.budget.delta))) - Decimal(repr(spent.delta))),
        )

    def spend(self, what: str, cost: Cost) -> Ledger:
        """Return the ledger with one more entry; call it before the noise is drawn.

        Raises
        ------
        ParameterError
            If that would overdraw the budget; nothing has changed then.
        """
        if not (cost.epsilon > 0 and cost.delta >= 0):
            raise ParameterError("A table costs an epsilon above 0 and a delta of at least 0.", parameter="epsilon")
        after = basic([*(entry.cost for entry in self.entries), cost])
        for name in ("epsilon", "delta"):
            if getattr(after, name) > getattr(self.budget, name):
                raise ParameterError(
                    f"This table would bring {name} to {getattr(after, name):g}, above the budget of "
                    f"{getattr(self.budget, name):g}; {getattr(self.left, name):g} is left. Choose a smaller {name}, "
                    "or publish nothing more.",
                    parameter=name,
                )
        return replace(self, entries=(*self.entries, Entry(what, cost)))
