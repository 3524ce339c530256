"""The strongest adversary: Bayes by brute force, the ceiling over many runs, subtraction."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import Policy
from core.algorithms import partition
from core.base.errors import ParameterError
from core.dp import (
    Mechanism,
    NoisyTargets,
    attack_noisy,
    by_subtraction,
    ceiling,
    mechanism,
    posterior,
    prior_of,
    simulate,
)
from tests.reference import dp as slow
from tests.tables import a_table


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_posterior_is_bayes_by_brute_force(data: st.DataObject) -> None:
    values = data.draw(st.integers(2, 5))
    releases = data.draw(st.integers(1, 3))
    others = data.draw(st.lists(st.integers(0, 6), min_size=values, max_size=values))
    weights = data.draw(st.lists(st.floats(0.05, 1), min_size=values, max_size=values))
    prior = np.array(weights) / sum(weights)
    noisy = [data.draw(st.lists(st.integers(-8, 14), min_size=values, max_size=values)) for _ in range(releases)]
    name = data.draw(st.sampled_from(["laplace", "gaussian"]))
    chosen = Mechanism(name, 1.0, 0.0, data.draw(st.floats(0.6, 9)))
    exact = slow.laplace if name == "laplace" else slow.gaussian
    expected = slow.posterior(noisy, range(values), others, prior.tolist(), lambda x: exact(x, chosen.scale))
    found = posterior(np.array(noisy) - np.array(others), prior, chosen)
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 2.0])
def test_ceiling_over_many_draws_and_the_mean_hit_rate(epsilon: float) -> None:
    """No posterior above the ceiling; the hit rate is the exact one within four standard errors."""
    values, releases, people, draws = 6, 4, 40, 250
    bound = np.array([ceiling(1 / values, epsilon * r) for r in range(1, releases + 1)])
    targets = NoisyTargets(np.arange(people), np.arange(people) % values)
    found = attack_noisy(targets, np.full(values, 1 / values), mechanism("laplace", epsilon), releases, draws=draws)
    assert (found.bound == bound).all()
    assert not found.above.any()
    largest = found.confidence.max(axis=1)
    assert (largest <= bound * (1 + 1e-9)).all()
    assert largest[0] == pytest.approx(bound[0]), "and it is reached"
    exact = [slow.expected_hit(epsilon, r, values) for r in range(1, releases + 1)]
    for sample in (found.hit, found.confidence):
        means = sample.reshape(releases, draws, people).mean(axis=2)
        assert (np.abs(means.mean(axis=1) - exact) <= 4 * means.std(axis=1) / math.sqrt(draws)).all()


def test_people_of_one_cell_see_the_same_noise_and_other_draws_other_noise() -> None:
    people = NoisyTargets(np.array([0, 0, 5]), np.zeros(3, dtype=np.int64))
    found = attack_noisy(people, np.full(4, 0.25), mechanism("laplace", 1.0), 2, draws=4000)
    parts = found.confidence[0].reshape(4000, 3)
    assert (parts[:, 0] == parts[:, 1]).all()
    assert len(np.unique(parts[:, 0])) > 3


def test_ceiling_of_equal_values() -> None:
    assert ceiling(1 / 6, 1.0) == pytest.approx(math.e / (math.e + 5))
    assert ceiling(0.5, 5000) == 1.0
    assert ceiling(0.3, 0) == pytest.approx(0.3)
    for wrong in ((1.5, 1), (0.5, -1)):
        with pytest.raises(ParameterError):
            ceiling(*wrong)


def test_gaussian_passes_the_ceiling_now_and_then() -> None:
    """Gaussian noise has no ceiling: with a large delta some people are above that of epsilon."""
    truth = np.zeros(4000, dtype=np.int64)
    people = NoisyTargets(np.arange(4000), truth)
    found = attack_noisy(people, np.full(4, 0.25), mechanism("gaussian", 0.5, 0.05), 1, seed=1)
    assert 0 < found.above[0] < 0.2
    assert (np.diff(found.quantiles()[:, 0]) >= 0).all()


@pytest.mark.parametrize(("cells", "truth", "words"), [([], [], "at least one person"), ([0], [-1], "must be known")])
def test_nobody_or_unknown(cells: list[int], truth: list[int], words: str) -> None:
    people = NoisyTargets(np.array(cells, dtype=np.int64), np.array(truth, dtype=np.int64))
    with pytest.raises(ParameterError, match=words):
        attack_noisy(people, np.full(4, 0.25), mechanism("laplace", 1.0))


@pytest.mark.parametrize("bins", [[0, 1, 2, 3], [0, 0, 1, 2], [1, 0, 0, 1], [0, 1, -1, 2], [-1, -1, 0, 0]])
@pytest.mark.parametrize("name", ["laplace", "gaussian"])
def test_values_of_one_bin_and_values_left_out(bins: list[int], name: str) -> None:
    """Whole tables over bins, Bayes by brute force: values of one bin share their evidence, one left out has none."""
    chosen, prior, place = Mechanism(name, 1.0, 0.0, 1.7), np.array([0.4, 0.3, 0.2, 0.1]), np.array(bins)
    exact = slow.laplace if name == "laplace" else slow.gaussian
    for truth in range(4):
        found = attack_noisy(NoisyTargets(np.array([2]), np.array([truth]), place), prior, chosen, 3, seed=truth)
        rng = np.random.default_rng(truth)
        noisy = []
        for release in range(1, 4):
            seen = simulate((1, max(bins) + 1), chosen, rng)[0]
            if bins[truth] >= 0:
                seen[bins[truth]] += 1
            noisy.append(seen.tolist())
            belief = np.array(
                slow.posterior(noisy, bins, [0] * (max(bins) + 1), prior.tolist(), lambda x: exact(x, chosen.scale))
            )
            assert found.confidence[release - 1, 0] == pytest.approx(belief.max(), rel=1e-9)
            tops = np.flatnonzero(belief >= belief.max() * (1 - 1e-9))
            assert found.hit[release - 1, 0] == pytest.approx((truth in tops) / len(tops))


def test_who_is_left_out_of_the_table_is_believed_as_before() -> None:
    prior = np.array([0.5, 0.3, 0.2])
    found = attack_noisy(
        NoisyTargets(np.array([-1, 4]), np.array([1, 1])), prior, mechanism("laplace", 3.0), 3, draws=5
    )
    people = found.confidence.reshape(3, 5, 2)
    assert people[:, :, 0] == pytest.approx(0.5)
    assert not np.allclose(people[:, :, 1], 0.5)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 60), min_size=2, max_size=6), st.floats(0.05, 3), st.integers(1, 4), st.integers(0, 99))
def test_nobody_passes_the_ceiling_of_base_rates(counts: list[int], epsilon: float, releases: int, seed: int) -> None:
    """Any table's base rates: the belief in each value stays under that value's ceiling, so all under the highest."""
    prior, values = np.array(counts) / sum(counts), len(counts)
    chosen = mechanism("laplace", epsilon)
    rng = np.random.default_rng(seed)
    for truth in range(values):
        seen = simulate((releases, values), chosen, rng)
        seen[:, truth] += 1
        belief = posterior(seen, prior, chosen)
        each = np.array([ceiling(float(p), epsilon * releases) for p in prior])
        assert (belief <= each * (1 + 1e-9)).all()
        assert belief.max() <= ceiling(float(prior.max()), epsilon * releases) * (1 + 1e-9)


def test_priors_by_name() -> None:
    encoded = a_table()
    rates, equal = prior_of(encoded), prior_of(encoded, "uniform")
    assert rates == pytest.approx(encoded.overall / len(encoded))
    assert (equal == 1 / 3).all()
    with pytest.raises(ParameterError, match="base rates, uniform"):
        prior_of(encoded, "overall")


# ---- partitions ----------------------------------------------------------------------------


@pytest.mark.parametrize("policy", [Policy(2), Policy(10), Policy(5, l=2, diversity="entropy")])
def test_one_partition_gives_everything_away(policy: Policy) -> None:
    encoded = a_table()
    release = partition(encoded, policy)
    people = np.arange(len(encoded))
    assert (by_subtraction(release, people) == encoded.sensitive_codes).all()
