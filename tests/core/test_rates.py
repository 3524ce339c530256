"""Rates and their intervals against published values."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.errors import ParameterError
from core.base.rates import redraw_interval, redraw_intervals, student
from tests.reference import rates as twin


@pytest.mark.parametrize(
    ("freedom", "printed"),
    # Abramowitz and Stegun, table 26.10.
    [(9, 2.262), (10, 2.228), (15, 2.131), (20, 2.086), (30, 2.042), (40, 2.021), (60, 2.000), (120, 1.980)],
)
def test_quantiles_of_t_are_the_printed_ones(freedom: int, printed: float) -> None:
    assert student(freedom) == pytest.approx(printed, abs=5.1e-4)


@pytest.mark.parametrize("freedom", [9, 10, 12, 19, 31, 49, 200])
def test_95_percent_of_the_density_of_t_lies_within_its_quantiles(freedom: int) -> None:
    x = np.linspace(0, student(freedom), 20_001)
    log = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2) - 0.5 * math.log(freedom * math.pi)
    density = np.exp(log - (freedom + 1) / 2 * np.log1p(x**2 / freedom))
    assert 2 * np.trapezoid(density, x) == pytest.approx(0.95, abs=2e-6)
    # Where the density is 0.04, so much of the area on both sides is 0.00003 of the quantile.
    assert density[-1] > 0.04


def test_no_interval_from_fewer_than_10_redraws() -> None:
    assert redraw_interval([], 100) == (None, None)
    assert redraw_interval([0.5] * 9, 100) == (None, None)
    with pytest.raises(ParameterError):
        redraw_interval([0.5] * 10, 0)


shares = st.lists(st.floats(0, 1), min_size=10, max_size=60)
same = st.builds(lambda share, m: [share] * m, st.sampled_from([0.0, 0.002, 0.5, 1.0]), st.integers(10, 40))


@settings(max_examples=150, deadline=None)
@given(shares | same, st.integers(1, 20_000), st.sampled_from([0.0, 0.015, 0.1]))
def test_redraw_interval_follows_the_twin(values: list[float], n: int, model: float) -> None:
    expected = twin.redraw_interval(values, n, model, student(len(values) - 1))
    assert redraw_interval(values, n, model) == pytest.approx(expected, abs=1e-9)


def test_intervals_of_many_shares_are_those_of_each() -> None:
    draws, people = np.random.default_rng(3).random((12, 4, 2)), np.array([[7.0], [60.0], [500.0], [20_000.0]])
    draws[:, 1, 0], draws[:, 2, 1], draws[3, 3, 0] = 0.0, 1.0, np.nan
    low, high = redraw_intervals(draws, people, 0.02)
    for place in np.ndindex(4, 2):
        if place == (3, 0):
            # What one redraw knows nothing of has no interval.
            assert np.isnan([low[place], high[place]]).all()
        else:
            one = redraw_interval(draws[:, *place].tolist(), people[place[0], 0], 0.02)
            assert (low[place], high[place]) == pytest.approx(one, abs=1e-12)
    assert np.isnan(redraw_intervals(draws[:9], people)).all()


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 100, 5000])
@pytest.mark.parametrize("draws", [10, 50, 1000])
def test_equal_redraws_are_no_certainty(n: int, draws: int) -> None:
    """The rule of three: nobody among n says that at most 3/n are, with 95%; of fewer than 5 the end is above 0.7."""
    least = 3 / n if n >= 5 else 0.7
    low, high = redraw_interval([0.0] * draws, n)
    assert low == 0
    assert high > least
    low, high = redraw_interval([1.0] * draws, n)
    assert high == 1
    assert low < 1 - least


@pytest.mark.parametrize("m", [10, 20, 31, 40])
@pytest.mark.parametrize(("share", "n", "together"), [(0.5, 1000, 1), (0.5, 1000, 4), (0.03, 400, 1), (0.002, 1500, 1)])
def test_redraw_interval_covers_one_more_draw(m: int, share: float, n: int, together: int) -> None:
    """People who are exposed or not in groups of ``together``, as those of one class are."""
    rng = np.random.default_rng(m)
    inside = 0
    for _ in range(1000):
        draws = rng.binomial(n // together, share, m + 1) / (n // together)
        low, high = redraw_interval(draws[:m].tolist(), n)
        inside += low <= draws[m] <= high
    assert inside / 1000 > 0.935
