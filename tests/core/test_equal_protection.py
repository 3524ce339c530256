"""The twin of equal protection: the guess, the gain of releases and of noisy tables, the epsilon between them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import Policy, dp
from core.base.errors import ParameterError
from core.dp import equal_protection
from core.study.hospitals import Study
from core.study.one_run import run_study, seeds
from core.study.redraws import Redraws
from tests.reference import dp as slow
from tests.tables import a_table


@settings(max_examples=120, deadline=None)
@given(st.data())
def test_the_chance_after_noisy_tables_is_that_over_all_outcomes(data: st.DataObject) -> None:
    values, releases = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 2))
    bins = np.array(data.draw(st.lists(st.integers(-1, 2), min_size=values, max_size=values)))
    weights = st.lists(st.sampled_from([0.0, 1.0, 1.0, 2.0, 0.37]), min_size=values, max_size=values)
    prior = np.array(data.draw(st.lists(weights.filter(any), min_size=1, max_size=4)))
    prior /= prior.sum(axis=1, keepdims=True)
    cells, truth = (
        np.array(data.draw(st.lists(st.integers(low, high), min_size=len(prior), max_size=len(prior))))
        for low, high in ((-1, 1), (0, values - 1))
    )
    epsilon = data.draw(st.sampled_from([0.5, 1.0, 2 * math.log(2), 4.0]))
    found = dp.right_by_noise(dp.NoisyTargets(cells, truth, bins), prior, epsilon, releases)
    wanted = [
        slow.right_by_noise(own.tolist(), bins.tolist(), int(value), cell >= 0, epsilon, releases)
        for own, value, cell in zip(prior, truth, cells, strict=True)
    ]
    assert found == pytest.approx(wanted, abs=1e-9)


def test_it_is_what_simulated_noise_comes_to() -> None:
    rng = np.random.default_rng(4)
    prior = rng.random((60, 5))
    prior /= prior.sum(axis=1, keepdims=True)
    people = dp.NoisyTargets(np.arange(60), rng.integers(0, 5, 60))
    drawn = dp.attack_noisy(people, prior, dp.mechanism("laplace", 1.5), 3, draws=400)
    for releases in (1, 3):
        exact = dp.right_by_noise(people, prior, 1.5, releases)
        each = drawn.hit[releases - 1].reshape(400, 60).mean(axis=1)
        assert abs(each.mean() - exact.mean()) < 4 * each.std() / 20


@pytest.mark.parametrize(("epsilon", "releases", "words"), [(0.0, 1, "epsilon"), (1.0, 0, "at least one table")])
def test_no_noise_and_no_table_are_refused(epsilon: float, releases: int, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        dp.right_by_noise(dp.NoisyTargets(np.array([0]), np.array([0])), np.array([[0.5, 0.5]]), epsilon, releases)


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize(("k", "same"), [(3, 1.0), (10, 0.6), (25, 1.0)])
def test_the_reader_of_classes_person_by_person(
    k: int, same: float, several: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The guess is naive Bayes by loops; the reader's is what they believe times that over its mean in the class."""
    monkeypatch.setattr(equal_protection, "STEP", 70)  # the table is added up in many parts
    encoded = a_table(120, 4)
    if several:
        encoded = replace(encoded, person=(np.random.default_rng(1).permutation(120) // 2).astype(np.int32))
    study = Study.uniform(Policy(k), 30, 2)
    study = replace(study, hospitals=(study.hospitals[0], replace(study.hospitals[1], same_value_rate=same)))
    outcome = run_study(encoded, study, 3)
    right, guess = dp.right_by_classes(outcome)
    mine, weighted = outcome.mine, outcome.weighed()
    rows, truth = mine.encoded.codes.T.tolist(), mine.encoded.sensitive_codes.tolist()
    size, labels = mine.encoded.sensitive.size, mine.labels.tolist()
    every = [slow.likely(rows, truth, size, i) for i in range(len(rows))]
    rates = [truth.count(s) / len(truth) for s in range(size)]
    mean = [sum(each[s] for each in every) / len(every) for s in range(size)]
    informed, naive, common = [], [], []
    for person, record in enumerate(outcome.result.record.tolist()):
        members = [i for i, label in enumerate(labels) if label == labels[record]]
        weights = [0.0] * size
        for value, chance in zip(*weighted.posterior(person), strict=True):
            own = mine.encoded.sensitive.labels.index(outcome.result.values[value])
            weights[own] = chance * every[record][own] / (sum(every[i][own] for i in members) / len(members))
        informed.append(slow.named_right(weights, truth[record]))
        adjusted = [each * rate / all_of for each, rate, all_of in zip(every[record], rates, mean, strict=True)]
        naive.append(slow.named_right(adjusted, truth[record]))
        common.append(slow.named_right(rates, truth[record]))
    assert right.mean() == pytest.approx(max(np.mean(informed), weighted.hit.mean()))
    assert guess.mean() == pytest.approx(max(np.mean(naive), np.mean(common)))
    positions = dp.shared_people(encoded, study, 3)
    assert len(positions) == 30
    if not several:
        assert (encoded.sensitive_codes[positions] == outcome.result.truth).all()


@pytest.mark.parametrize("seed", range(4))
def test_a_release_of_one_class_has_no_epsilon_and_a_fine_one_has(seed: int) -> None:
    encoded = a_table(400, seed)
    gains = dp.gains(encoded, Study.uniform(Policy(2), 100, 2), "k", [2, 201], Redraws(2, seed))
    fine, one_class = (gains[gains["value"] == k].mean() for k in (2, 201))
    assert one_class["surely"] <= 0
    assert fine["surely"] > 0
    people = dp.shared_people(encoded, Study.uniform(Policy(2), 100, 2), seed)
    truth = encoded.sensitive_codes[people].astype(np.int64)
    prior, targets = dp.Guesser(encoded).prior(people), dp.NoisyTargets(people, truth)
    guess = dp.right_without(prior, truth).mean()

    def gain_at(epsilon: float) -> float:
        return float(dp.right_by_noise(targets, prior, epsilon, 2).mean() - guess)

    epsilon = dp.equal_epsilon(gain_at, fine["gain"])
    assert gain_at(epsilon) == pytest.approx(fine["gain"], abs=0.01)  # it rises in steps of people
    assert dp.equal_epsilon(gain_at, max(0.0, one_class["surely"])) == 0


def test_a_gain_that_no_epsilon_reaches_has_none() -> None:
    assert dp.equal_epsilon(lambda epsilon: 0.1, 0.2) == math.inf
    assert dp.equal_epsilon(lambda epsilon: 0.1, 0.1) == pytest.approx(dp.MIN_EPSILON, rel=0.002)


@pytest.mark.parametrize("vary", ["k", "releases"])
def test_gains_made_in_parts_are_those_of_each_draw(vary: str) -> None:
    encoded, study, draws = a_table(200, 5), Study.uniform(Policy(3), 40, 2, origin="resampled"), Redraws(3, 2)
    whole = dp.gains(encoded, study, vary, [2, 3], draws)
    parts = [dp.gains(encoded, study, vary, [2, 3], part) for part in draws.parts(2)]
    assert whole.to_numpy().tolist() == [row for part in parts for row in part.to_numpy().tolist()]
    right, guess = dp.right_by_classes(run_study(encoded, study, seeds(2, 1)[0]))
    row = whole[whole["value"] == (3 if vary == "k" else 2)].iloc[0]
    assert (row["right"], row["guess"], row["n"]) == (right.mean(), guess.mean(), 40)
