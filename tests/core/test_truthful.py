"""Truthful counts under differential privacy: the parameters are proven by enumeration, the sampling is exact."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.errors import ParameterError
from core.dp.truthful import BITS, Sampling, delta_for, sampling_for, truthful_counts, upper_tail
from tests.progress import rises_and_can_be_stopped
from tests.reference import truthful as slow


def factor_of(epsilon: float) -> Fraction:
    """A fraction just below e^epsilon: with it delta is not smaller than with e^epsilon itself."""
    return Fraction(math.exp(epsilon)) * (1 - Fraction(1, 10**12))


@pytest.mark.parametrize("epsilon", [0.1, 0.5, math.log(2), 1.0, 2.0])
@pytest.mark.parametrize("k", [1, 2, 3, 5, 9])
@pytest.mark.parametrize("part", [1.0, 0.5])
def test_no_cell_of_any_size_gives_away_more_than_delta(epsilon: float, k: int, part: float) -> None:
    beta = -math.expm1(-epsilon) * part
    bound = delta_for(k, epsilon, beta)
    exact = Fraction(beta)
    for n in range(41):
        fewer, more = slow.outputs(n, exact, k), slow.outputs(n + 1, exact, k)
        for one, other in ((fewer, more), (more, fewer)):
            assert float(slow.delta(one, other, factor_of(epsilon))) <= bound + 1e-12


@pytest.mark.parametrize("k", [1, 2, 3])
def test_no_table_of_several_cells_does_either(k: int) -> None:
    epsilon = 1.0
    beta = Fraction(-math.expm1(-epsilon))
    bound = delta_for(k, epsilon, float(beta))
    pairs = list(slow.neighbours(2, 4))
    assert len(pairs) == 50
    for counts, more in pairs:
        one, other = slow.tables(counts, beta, k), slow.tables(more, beta, k)
        assert float(slow.delta(one, other, factor_of(epsilon))) <= bound + 1e-12
        assert float(slow.delta(other, one, factor_of(epsilon))) <= bound + 1e-12


def test_a_larger_beta_would_break_the_promise_and_is_refused() -> None:
    beta = -math.expm1(-1.0) + 0.05
    with pytest.raises(ParameterError, match=r"at most 1 - e\^-epsilon"):
        delta_for(5, 1.0, beta)
    # One record of nine is kept more than e^epsilon times as often as one of ten.
    exact = Fraction(beta)
    fewer, more = slow.outputs(9, exact, 1), slow.outputs(10, exact, 1)
    assert float(slow.delta(fewer, more, factor_of(1.0))) > 0


@given(st.floats(0.05, 3), st.integers(1, 40), st.floats(0.2, 1))
@settings(deadline=None, max_examples=60)
def test_no_larger_cell_passes_the_bound_where_the_search_ended(epsilon: float, k: int, part: float) -> None:
    beta = -math.expm1(-epsilon) * part
    gamma = -math.expm1(-epsilon) + beta * math.exp(-epsilon)
    bound = delta_for(k, epsilon, beta)
    first = math.ceil(k / gamma - 1 - 1e-9)
    for n in range(max(1, first), first + 400):
        assert upper_tail(n, beta, math.floor(gamma * n + 1e-9) + 1) <= bound * (1 + 1e-9)


@given(st.integers(1, 60), st.integers(-1, 62), st.floats(0.01, 0.99))
@settings(deadline=None, max_examples=100)
def test_tails_are_those_of_exact_sums(n: int, least: int, beta: float) -> None:
    exact = Fraction(beta)
    wanted = sum(
        (math.comb(n, y) * exact**y * (1 - exact) ** (n - y) for y in range(max(0, least), n + 1)), Fraction(0)
    )
    assert upper_tail(n, beta, least) == pytest.approx(float(wanted), rel=1e-9, abs=1e-300)


@pytest.mark.parametrize(("epsilon", "k"), [(0.5, 51), (1.0, 61), (2.0, 113)])
def test_k_for_usual_promises(epsilon: float, k: int) -> None:
    found = sampling_for(epsilon, 1e-5)
    assert found.k == k
    assert found.delta <= 1e-5 < delta_for(k - 1, epsilon, found.beta)
    assert found.beta < -math.expm1(-epsilon)
    assert found.beta == pytest.approx(-math.expm1(-epsilon), rel=1e-15)


def test_what_it_costs() -> None:
    found = sampling_for(1.0, 1e-6)
    assert (found.cost.epsilon, found.cost.delta) == (1.0, found.delta)
    assert found.replaced.epsilon == 2.0
    assert found.replaced.delta == pytest.approx((1 + math.e) * found.delta)
    for epsilon, delta in ((0.0, 1e-5), (1.0, 0.0), (1.0, 0.5), (math.nan, 1e-5)):
        with pytest.raises(ParameterError):
            sampling_for(epsilon, delta)


def test_sampling_is_decided_by_whole_numbers() -> None:
    """Just below the threshold a record is kept, at it not, whatever the lowest 11 bits are."""
    chosen = Sampling(1.0, 1e-5, 3 << 40, 1)
    numbers = np.array([3 << 40, (3 << 40) - 1, 0, 2**BITS - 1], dtype=np.uint64) << np.uint64(11)
    raw = (numbers | np.uint64(2047)).astype("<u8").tobytes()
    told = truthful_counts(np.array([1, 1, 2]), chosen, source=lambda size: raw[:size])
    assert told.tolist() == [0, 1, 1]


def test_progress() -> None:
    counts, chosen = np.full((40, 1000), 3), sampling_for(1.0, 1e-5)
    rises_and_can_be_stopped(lambda progress: truthful_counts(counts, chosen, progress))


def test_counts_are_left_out_or_true_and_drawn_from_the_system() -> None:
    counts = np.array([[0, 3, 40], [200, 61, 1000]])
    chosen = sampling_for(1.0, 1e-5)
    told = truthful_counts(counts, chosen)
    assert (told <= counts).all()
    assert ((told == 0) | (told >= chosen.k)).all()
    many = truthful_counts(np.full(2_000, 500), chosen)
    # Mean of 2,000 draws of Bin(500, 0.632): standard error 0.24.
    assert abs(many.mean() - 500 * chosen.beta) < 6 * math.sqrt(500 * chosen.beta * (1 - chosen.beta) / 2_000)
    assert truthful_counts(np.zeros((0,), dtype=np.int64), chosen).size == 0
    with pytest.raises(ParameterError, match="not be negative"):
        truthful_counts(np.array([-1]), chosen)
