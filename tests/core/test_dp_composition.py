"""Costs add up; a budget refuses before it changes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.dp import Cost, Ledger, advanced, basic, compose
from core.errors import ParameterError


def test_epsilons_and_deltas_add() -> None:
    assert basic([Cost(0.1)] * 3) == Cost(0.3)
    assert basic([Cost(0.5, 1e-6), Cost(1.0), Cost(0.25, 2e-6)]) == Cost(1.75, 3e-6)
    assert basic([]) == Cost(0.0)


def test_advanced_only_when_tighter() -> None:
    few, many = compose([Cost(1.0)] * 2, 1e-9), compose([Cost(0.01)] * 10_000, 1e-9)
    assert few.advanced is None
    assert many.advanced is not None
    assert many.advanced.epsilon < many.basic.epsilon == pytest.approx(100)
    assert many.advanced.delta == 1e-9


@pytest.mark.parametrize(("epsilon", "releases", "slack"), [(0.1, 400, 1e-5), (0.5, 400, 1e-2), (0.02, 900, 1e-9)])
def test_advanced_is_true_of_the_worst_mechanism(epsilon: float, releases: int, slack: float) -> None:
    """Randomised response loses epsilon or -epsilon, the most that any can: its exact delta is within the slack."""
    right = 1 / (1 + math.exp(-epsilon))
    loss = np.array([right, 1 - right])
    total = np.ones(1)
    for _ in range(releases):
        total = np.convolve(total, loss)
    values = epsilon * (releases - 2 * np.arange(releases + 1))
    bound = advanced([Cost(epsilon)] * releases, slack).epsilon
    assert bound < releases * epsilon
    exact = float((total * np.maximum(0, -np.expm1(bound - values))).sum())
    assert exact <= slack


@pytest.mark.parametrize("slack", [0, 1, -1, math.nan])
def test_slack_in_range(slack: float) -> None:
    with pytest.raises(ParameterError, match="slack"):
        advanced([Cost(0.1)], slack)


def test_ledger_spends_to_the_last_digit() -> None:
    ledger = Ledger(Cost(0.3))
    for _ in range(3):
        ledger = ledger.spend("a table", Cost(0.1))
    assert ledger.left == Cost(0.0)
    assert ledger.spent == Cost(0.3)
    with pytest.raises(ParameterError, match=r"above the budget of 0\.3; 0 is left"):
        ledger.spend("one more", Cost(1e-9))


def test_ledger_refuses_before_it_changes() -> None:
    before = Ledger(Cost(1.0, 1e-6)).spend("first", Cost(0.8, 1e-6))
    with pytest.raises(ParameterError, match=r"epsilon to 1\.3"):
        before.spend("second", Cost(0.5))
    with pytest.raises(ParameterError, match="delta to 2e-06"):
        before.spend("second", Cost(0.1, 1e-6))
    assert [entry.what for entry in before.entries] == ["first"]
    assert before.spend("third", Cost(0.2)).left.epsilon == 0


@pytest.mark.parametrize("cost", [Cost(0.0), Cost(-1.0), Cost(1.0, -1e-9), Cost(math.nan)])
def test_no_negative_costs(cost: Cost) -> None:
    with pytest.raises(ParameterError, match="costs an epsilon above 0"):
        Ledger(Cost(5.0)).spend("x", cost)


def test_a_budget_below_what_is_spent() -> None:
    with pytest.raises(ParameterError, match="published already"):
        Ledger(Cost(1.0), Ledger(Cost(2.0)).spend("x", Cost(1.5)).entries)
    with pytest.raises(ParameterError, match="epsilon must be"):
        Ledger(Cost(0.0))
