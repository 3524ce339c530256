"""Risk as regulators count it: in one release, after composition, in a population; who is unique in a population."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.attack.risk.population_uniques import _hypergeometric_one, _pitman, digamma, fit_pitman, population_uniques
from core.attack.risk.reidentification_risk import PRESETS, ReidentificationRisk
from core.base.errors import ParameterError

SIZES = st.lists(st.integers(1, 9), min_size=1, max_size=12)


@given(SIZES, st.floats(0.05, 1.0))
def test_risks_of_one_release_are_those_of_its_records(sizes: list[int], threshold: float) -> None:
    found = ReidentificationRisk.of_classes(np.array(sizes))
    chances = [1 / size for size in sizes for _ in range(size)]
    assert found.people == sum(sizes)
    assert found.highest == max(chances)
    assert found.average == pytest.approx(len(sizes) / sum(sizes))
    assert found.above(threshold) == pytest.approx(sum(c > threshold + 1e-12 for c in chances) / len(chances))
    assert found.singled_out == pytest.approx(sizes.count(1) / sum(sizes))


ONE = np.array([1])


@pytest.mark.parametrize("name", PRESETS)
def test_a_threshold_is_kept_by_the_anonymity_set_that_is_asked_for(name: str) -> None:
    """0.09 is 1 / 11 rounded: an anonymity set of 11 keeps what is meant, though 1 / 11 is 0.0909."""
    preset = PRESETS[name]
    assert preset.smallest_set == {"public": 11, "arx": 5}[name]
    assert ReidentificationRisk.of(np.array([preset.smallest_set]), ONE).above(preset.highest) == 0
    assert ReidentificationRisk.of(np.array([preset.smallest_set - 1]), ONE).above(preset.highest) == 1


def test_who_cannot_be_in_the_anonymity_set_is_not_found_there() -> None:
    found = ReidentificationRisk.of(np.array([1, 4, 0]), np.ones(3, dtype=np.int64), np.array([True, True, False]))
    assert found.chances.tolist() == [1.0, 0.25, 0.0]
    assert found.average == pytest.approx(1.25 / 3)
    for anonymity_sets in (np.array([], dtype=np.int64), np.array([3, 0])):
        with pytest.raises(ParameterError, match="no people"):
            ReidentificationRisk.of(anonymity_sets, np.ones_like(anonymity_sets))


# ---- uniqueness in a population -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "value"), [(1.0, -0.5772156649015329), (0.5, -1.9635100260214235), (10.0, 2.2517525890667211)]
)
def test_digamma_is_that_of_the_tables(x: float, value: float) -> None:
    assert digamma(x) == pytest.approx(value, abs=1e-12)


@given(st.floats(1e-3, 1e6))
def test_digamma_steps_by_one_over_x(x: float) -> None:
    assert digamma(x + 1) - digamma(x) == pytest.approx(1 / x, rel=1e-7, abs=1e-9)


def pitman_likelihood(partition: list[int], theta: float, alpha: float) -> float:
    """Chance of a partition of labelled things by Pitman's sampling formula, term by term."""
    n, u = sum(partition), len(partition)
    found = math.prod(theta + i * alpha for i in range(1, u)) / math.prod(theta + i for i in range(1, n))
    for size in partition:
        found *= math.prod(i - alpha for i in range(1, size))
    return found


def partitions(things: int) -> list[list[list[int]]]:
    """Every way to put some things into groups."""
    if things == 0:
        return [[]]
    found = []
    for smaller in partitions(things - 1):
        found += [[*smaller[:i], [*group, things], *smaller[i + 1 :]] for i, group in enumerate(smaller)]
        found.append([*smaller, [things]])
    return found


@pytest.mark.parametrize(("theta", "alpha"), [(2.0, 0.3), (0.7, 0.6), (15.0, 0.05)])
def test_expected_uniques_of_pitman_are_those_of_every_partition(
    theta: float, alpha: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = 7
    every = [[len(group) for group in groups] for groups in partitions(people)]
    chances = [pitman_likelihood(sizes, theta, alpha) for sizes in every]
    assert sum(chances) == pytest.approx(1)
    expected = sum(chance * sizes.count(1) for chance, sizes in zip(chances, every, strict=True))
    monkeypatch.setattr("core.attack.risk.population_uniques.fit_pitman", lambda size, count: (theta, alpha))
    assert _pitman(np.array([1]), np.array([7]), 1.0) == pytest.approx(expected)


@given(st.lists(st.integers(1, 12), min_size=4, max_size=25))
@settings(deadline=None, max_examples=40)
def test_no_parameters_near_by_are_likelier(sizes: list[int]) -> None:
    size, count = np.unique(sizes, return_counts=True)
    fitted = fit_pitman(size, count)
    if fitted is None:
        return
    theta, alpha = fitted
    best = pitman_likelihood(sizes, theta, alpha)
    for further, more in itertools.product((0.9, 0.99, 1.01, 1.1), (-0.03, -0.003, 0.003, 0.03)):
        other, beside = (theta + alpha) * further, alpha + more
        if 0 < beside < 1:
            assert pitman_likelihood(sizes, other - beside, beside) <= best * (1 + 1e-9)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_class_is_seen_once_as_often_as_in_every_sample(size: int) -> None:
    """Three of six people are drawn, every draw looked at; so many of the six are of the class."""
    draws = list(itertools.combinations(range(6), 3))
    once = [sum(person < size for person in drawn) == 1 for drawn in draws]
    assert _hypergeometric_one(size, 6, 3) == pytest.approx(np.mean(once))


def test_in_a_world_of_pitman_the_rule_comes_near_the_truth() -> None:
    rng = np.random.default_rng(11)
    theta, alpha, people = 300.0, 0.4, 60_000
    # Sticks are broken off, each the chance of a class.
    stick = rng.beta(1 - alpha, theta + alpha * np.arange(1, 200_001))
    chance = stick * np.concatenate(([1.0], np.cumprod(1 - stick)[:-1]))
    sizes = rng.multinomial(people, chance / chance.sum())
    owner, real = np.repeat(np.arange(len(sizes)), sizes), np.count_nonzero(sizes == 1)
    drawn = np.bincount(owner[rng.choice(people, 3000, replace=False)])
    found = population_uniques(drawn[drawn > 0], 3000 / people)
    assert found.chosen == "pitman"
    assert found.people == pytest.approx(real, rel=0.15)
    assert found.share == pytest.approx(real / people, rel=0.15)


@given(SIZES, st.floats(0.02, 1.0))
@settings(deadline=None)
def test_estimates_lie_between_none_and_all(sizes: list[int], fraction: float) -> None:
    found = population_uniques(np.array(sizes), fraction)
    assert found.sample == sizes.count(1)
    assert found.records == sum(sizes)
    for people in (found.pitman, found.zayatz):
        assert people is None or 0 <= people <= found.sample / fraction + 1e-9
    if fraction == 1.0:
        assert found.people == found.sample
    if 0.1 < fraction < 1:
        assert found.people == found.zayatz


@given(SIZES, st.floats(0.02, 1.0))
@settings(deadline=None)
def test_people_of_whole_groups_are_the_groups(sizes: list[int], fraction: float) -> None:
    size, groups = np.unique(sizes, return_counts=True)
    assert population_uniques(size, fraction, size * groups) == population_uniques(np.array(sizes), fraction)


def test_what_is_no_sample_is_refused() -> None:
    with pytest.raises(ParameterError, match="no records"):
        population_uniques(np.array([], dtype=np.int64), 0.5)
