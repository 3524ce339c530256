"""Semantic privacy: games against brute force, bounds never exceeded, worked counter-examples."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest

from core.base.errors import CompositionError
from core.dp.semantics import (
    DistanceBound,
    Worlds,
    k_anonymous,
    laplace_histogram,
    least_delta,
    one_at_random,
    play,
    proposition_15,
    sharp,
    theorem_16,
    theorem_18,
    total_variation,
)
from tests.reference import dp as slow

ONE = Worlds(1, 2)


def product_prior(beliefs: np.ndarray) -> dict[tuple[int, ...], float]:
    shares = beliefs / beliefs.sum(axis=1, keepdims=True)
    people, values = shares.shape
    return {
        table: math.prod(float(shares[i, v]) for i, v in enumerate(table))
        for table in itertools.product(range(values), repeat=people)
    }


@pytest.mark.parametrize(("people", "values"), [(1, 2), (2, 3), (3, 2)])
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 3.0])
def test_games_as_enumerated_by_hand(people: int, values: int, epsilon: float) -> None:
    rng = np.random.default_rng(people)
    beliefs = rng.random((people, values))
    worlds = Worlds(people, values)
    games = play(worlds, laplace_histogram(worlds, epsilon), worlds.prior(beliefs), default=1)
    expected = slow.games(product_prior(beliefs), lambda table: slow.laplace_outputs(table, values, epsilon), default=1)
    assert games.largest == pytest.approx(expected, rel=1e-9)
    assert games.probability.sum() == pytest.approx(1)


@pytest.mark.parametrize(("distance", "failure"), [(0.99, 0.99), (1, 0), (0, 1), (2, 0), (0, 2)])
def test_a_probability_of_one_is_no_bound(distance: float, failure: float) -> None:
    assert DistanceBound(distance, failure).excludes_something == (max(distance, failure) < 1)


def test_loss_is_epsilon_exactly() -> None:
    for people, values in ((1, 2), (3, 3), (6, 2)):
        worlds = Worlds(people, values)
        for epsilon in (0.1, 1.0, 4.0):
            laplace = laplace_histogram(worlds, epsilon)
            assert least_delta(worlds, laplace, epsilon * (1 + 1e-9)).max() < 1e-12
            assert least_delta(worlds, laplace, epsilon * 0.99).max() > 1e-6


def test_difference_never_above_the_bounds_in_500_cases() -> None:
    """The tightest case comes close to our bound: it could not be much smaller."""
    rng, tightest = np.random.default_rng(0), 0.0
    for _ in range(500):
        people, values = int(rng.integers(1, 5)), int(rng.integers(2, 4))
        epsilon = float(np.exp(rng.uniform(np.log(0.02), np.log(6))))
        worlds = Worlds(people, values)
        prior = worlds.prior(rng.random((people, values)) ** rng.integers(1, 12))
        if rng.random() < 0.3:  # people who depend on each other
            prior = rng.dirichlet(np.full(worlds.count, 0.2))
        largest = play(worlds, laplace_histogram(worlds, epsilon), prior, int(rng.integers(values))).largest
        assert largest <= proposition_15(epsilon).distance * (1 + 1e-9)
        tightest = max(tightest, largest / sharp(epsilon).distance)
    assert 0.9 < tightest <= 1 + 1e-9


def test_k_anonymity_may_give_everything_away() -> None:
    worlds = Worlds(4, 2)
    assert play(worlds, k_anonymous(worlds, 2), worlds.prior(np.ones((4, 2)))).largest == 1.0
    assert least_delta(worlds, k_anonymous(worlds, 2), 50).max() == 1.0
    # One possible table: nothing is learnt, so nothing differs in any game that can have it.
    sure = np.zeros(worlds.count)
    sure[0] = 1.0
    assert play(worlds, k_anonymous(worlds, 2), sure).largest == 0.0


@pytest.mark.parametrize("people", [2, 4, 7])
def test_one_at_random_passes_total_variation(people: int) -> None:
    """[Ganta 2008, §1.1.2]: 1/n in total variation, nothing in the multiplicative distance."""
    worlds = Worlds(people, 2)
    sanitizer = one_at_random(worlds)
    assert total_variation(worlds, sanitizer) == pytest.approx(1 / people)
    assert least_delta(worlds, sanitizer, 50).max() > 0
    games = play(worlds, sanitizer, worlds.prior(np.ones((people, 2))))
    assert games.largest == 1.0
    assert games.failure(0.99) == pytest.approx(0.5)
    assert least_delta(worlds, sanitizer, 5.0) == pytest.approx(np.full(worlds.count, 1 / people))


def test_bounds() -> None:
    assert (proposition_15(0.69).excludes_something, proposition_15(0.70).excludes_something) == (True, False)
    assert sharp(0.5).distance == pytest.approx(math.tanh(0.25))
    found = theorem_16(0.1, 1e-12, 100)
    assert found.distance == pytest.approx(math.exp(0.3) - 1 + 2e-6)
    assert found.failure == pytest.approx(100 * (1e-6 + 2e-12 / (0.1 * math.exp(0.1))))
    assert theorem_16(0.1, 0, 1).failure == 0
    says = [theorem_16(*asked).excludes_something for asked in ((0.23, 1e-12, 10), (0.24, 1e-12, 10), (0.1, 1e-3, 100))]
    assert says == [True, False, False]
    assert not proposition_15(1000).excludes_something


def test_theorem_18_depends_on_the_prior() -> None:
    worlds = Worlds(4, 2)
    sanitizer = laplace_histogram(worlds, 0.2)
    prior = worlds.prior(np.ones((4, 2)))
    assert theorem_18(worlds, sanitizer, prior, 0.2, 1e-9).holds
    assert not theorem_18(worlds, sanitizer, prior, 0.1, 1e-9).holds
    assert theorem_18(worlds, k_anonymous(worlds, 2), prior, 1.0, 1e-3).share == 0
    assert theorem_18(worlds, one_at_random(worlds), prior, 0.2, 0.25).holds


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Worlds(2, 2).prior(np.array([[1, -1], [1, 1]])), "of at least 0"),
        (lambda: Worlds(2, 2).prior(np.array([[0, 0], [1, 1]])), "weight above 0"),
        (lambda: k_anonymous(Worlds(3, 2), 4), "k must be"),
        *(
            (lambda asked=asked: theorem_16(*asked), "epsilon")
            for asked in ((0, 0.1, 4), (1, 1, 4), (1, -0.1, 4), (1, 0, 0))
        ),
        *(
            (lambda default=default: play(ONE, k_anonymous(ONE, 1), np.ones(2), default), "from 0 to 1")
            for default in (-1, 2)
        ),
    ],
)
def test_what_cannot_be_enumerated(call: Callable[[], object], words: str) -> None:
    with pytest.raises(CompositionError, match=words):
        call()
