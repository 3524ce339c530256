"""Total cost of several noisy tables, and a budget that refuses before it is overdrawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from core.base.errors import ParameterError
from core.base.limits import LIMITS
from core.dp.mechanisms import check_epsilon, delta_degree


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


@dataclass(frozen=True)
class Entry:
    """A published table and its cost."""

    what: str
    cost: Cost


@dataclass(frozen=True)
class Ledger:
    """A budget of epsilon, with the amounts of epsilon and delta spent.

    Parameters
    ----------
    epsilon
        Budget of epsilon, by adding up: nothing is drawn beyond it.
    records
        n of the table. The total of delta has to stay below 1/n, because from there on a method that publishes one
        person's whole record at random would satisfy the guarantee.
    entries
        Spent so far. They can exceed the budget if they were published elsewhere.
    """

    epsilon: float
    records: int
    entries: tuple[Entry, ...] = ()

    def __post_init__(self) -> None:
        """Validate the budget."""
        check_epsilon(self.epsilon)
        LIMITS["ledger"].check(self.records, "records")

    @property
    def spent(self) -> Cost:
        """Sum of the entries."""
        return basic([entry.cost for entry in self.entries])

    @property
    def left(self) -> float:
        """Epsilon that is left; 0 if more than the budget is spent."""
        return max(0.0, float(Decimal(repr(float(self.epsilon))) - Decimal(repr(self.spent.epsilon))))

    def degree(self, more: Cost | None = None) -> int:
        """Severity of the total delta, with one more table or without: see :func:`delta_degree`."""
        costs = [entry.cost for entry in self.entries] + ([more] if more is not None else [])
        return delta_degree(basic(costs).delta, self.records)

    def note(self, what: str, cost: Cost) -> Ledger:
        """Return the ledger with a table that was published already, regardless of the budget.

        Raises
        ------
        ParameterError
            If the cost is invalid.
        """
        LIMITS["cost epsilon"].check(cost.epsilon, "epsilon")
        LIMITS["cost delta"].check(cost.delta, "delta")
        return replace(self, entries=(*self.entries, Entry(what, cost)))

    def spend(self, what: str, cost: Cost) -> Ledger:
        """Return the ledger with one more entry; call it before the noise is drawn.

        Raises
        ------
        ParameterError
            If that would overdraw epsilon, or bring the total of delta to 1/n; nothing has changed then.
        """
        after = self.note(what, cost)
        if after.spent.epsilon > self.epsilon:
            raise ParameterError(
                f"This table would bring epsilon to {after.spent.epsilon:g}, above the budget of {self.epsilon:g}; "
                f"{self.left:g} is left. Choose a smaller epsilon, or publish nothing more.",
                parameter="epsilon",
            )
        if cost.delta and after.degree() == 2:
            raise ParameterError(
                f"This table would bring delta to {after.spent.delta:.3g}, which is not below 1 over the "
                f"{self.records:,} records. Choose a smaller delta, or Laplace noise on declared domains, which needs "
                "none.",
                parameter="delta",
            )
        return after
