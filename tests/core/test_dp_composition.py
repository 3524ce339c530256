"""Costs add up."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.base.errors import ParameterError
from core.dp import Cost, advanced, basic, compose


@pytest.mark.parametrize(
    ("costs", "together"),
    [([Cost(0.1)] * 3, Cost(0.3)), ([Cost(0.5, 1e-6), Cost(1.0), Cost(0.25, 2e-6)], Cost(1.75, 3e-6)), ([], Cost(0.0))],
)
def test_epsilons_and_deltas_add(costs: list[Cost], together: Cost) -> None:
    assert basic(costs) == together


def test_advanced_only_when_tighter() -> None:
    few, many = compose([Cost(1.0)] * 2, 1e-9), compose([Cost(0.01)] * 10_000, 1e-9)
    assert few.advanced is None
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
