"""Costs add up; a budget refuses before it changes."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from core import Table
from core.base.errors import ParameterError
from core.dp import Cost, Ledger, advanced, basic, compose, marks_of, share_known


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


N = 1000


def test_ledger_spends_to_the_last_digit() -> None:
    ledger = Ledger(0.3, N)
    for _ in range(3):
        ledger = ledger.spend("a table", Cost(0.1))
    assert ledger.left == 0
    assert ledger.spent == Cost(0.3)
    with pytest.raises(ParameterError, match=r"above the budget of 0\.3; 0 is left"):
        ledger.spend("one more", Cost(1e-9))


def test_ledger_refuses_before_it_changes() -> None:
    before = Ledger(1.0, N).spend("first", Cost(0.8, 6e-4))
    with pytest.raises(ParameterError, match=r"epsilon to 1\.3"):
        before.spend("second", Cost(0.5))
    with pytest.raises(ParameterError, match=r"delta to 0\.001, which is not below 1 over the 1,000 records"):
        before.spend("second", Cost(0.1, 4e-4))
    assert [entry.what for entry in before.entries] == ["first"]
    assert before.spend("third", Cost(0.2)).left == 0


def test_the_total_of_delta_is_held_against_the_records() -> None:
    """Ten deltas that each pass together do not."""
    ledger, degrees = Ledger(50.0, N), []
    for _ in range(10):
        ledger = ledger.note("a table", Cost(0.1, 1.1e-4))
        degrees.append(ledger.degree())
    assert degrees == [1] * 9 + [2]
    assert Ledger(1.0, N).degree() == 0
    assert Ledger(1.0, N).degree(Cost(1.0, 1e-3)) == 2
    assert len(ledger.spend("pure epsilon adds no delta", Cost(0.1)).entries) == 11


def test_what_was_published_elsewhere_is_noted_beyond_the_budget() -> None:
    over = Ledger(1.0, N).note("of 2024", Cost(1.5))
    assert (over.left, over.spent) == (0, Cost(1.5))
    with pytest.raises(ParameterError, match="above the budget"):
        over.spend("x", Cost(0.1))
    for wrong in ((0.0, N), (1.0, 0)):
        with pytest.raises(ParameterError):
            Ledger(*wrong)


# ---- origin ----------------------------------------------------------------------------------


def test_records_are_known_again_but_for_those_that_changed() -> None:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"age": rng.integers(0, 100, 500), "zip": rng.integers(0, 9000, 500), "x": rng.random(500)})
    before = marks_of(Table.from_frame(frame))
    for other, share in (
        (frame.sample(frac=1, random_state=1)[["x", "age", "zip"]], 1),
        (frame.assign(age=frame["age"].where(frame.index != 7, 101)), 499 / 500),
        (pd.concat([frame, frame]), 0.5),
        (frame.assign(x=rng.random(500)), 0),
    ):
        assert share_known(marks_of(Table.from_frame(other)), before) == share
    assert share_known(before, marks_of(Table.from_frame(pd.concat([frame, frame])))) == 1
    moved = frame.rename(columns={"age": "zip", "zip": "age"})
    assert share_known(marks_of(Table.from_frame(moved)), before) < 0.01
