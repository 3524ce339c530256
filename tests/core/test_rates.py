"""Rates and their intervals against published values."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import ParameterError
from core.rates import _T_975, MIN_REDRAWS, Rate, redraw_interval, wilson
from tests.reference import rates as twin


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    [
        # Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_equals_published_values(hits: int, n: int, low: float, high: float) -> None:
    assert wilson(hits, n) == pytest.approx((low, high), abs=5.1e-5)


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 10_000), st.data())
def test_wilson_solves_its_equation(n: int, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, n))
    low, high = wilson(hits, n)
    assert 0 <= low <= hits / n + 1e-12
    assert hits / n - 1e-12 <= high <= 1
    for bound in (low, high):
        # A bound p lies 1.96 standard errors of p away from the share, or is cut off at 0 or 1.
        error = 1.959964 * math.sqrt(bound * (1 - bound) / n)
        assert abs((hits / n - bound) ** 2 - error**2) < 1e-12
    mirrored = wilson(n - hits, n)
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-12)


def test_wilson_narrows_with_n_and_widens_with_z() -> None:
    assert wilson(500, 1000)[1] < wilson(5, 10)[1]
    assert wilson(5, 10, z=2.575829)[1] > wilson(5, 10)[1]


@pytest.mark.parametrize(("hits", "n"), [(-1, 5), (6, 5), (0, 0), (1, 0), (0, -1)])
def test_wilson_refuses_what_is_no_proportion(hits: int, n: int) -> None:
    with pytest.raises(ParameterError):
        wilson(hits, n)


def test_no_interval_from_fewer_than_10_redraws() -> None:
    assert MIN_REDRAWS == 10
    assert redraw_interval([], 100) == (None, None)
    assert redraw_interval([0.5] * 9, 100) == (None, None)
    with pytest.raises(ParameterError):
        redraw_interval([0.5] * 10, 0)


shares = st.lists(st.floats(0, 1), min_size=10, max_size=60)
same = st.builds(lambda share, m: [share] * m, st.sampled_from([0.0, 0.002, 0.5, 1.0]), st.integers(10, 40))


@settings(max_examples=150, deadline=None)
@given(shares | same, st.integers(1, 20_000), st.sampled_from([0.0, 0.015, 0.1]))
def test_redraw_interval_follows_the_twin(values: list[float], n: int, model: float) -> None:
    m = len(values)
    quantile = _T_975[m - 2] if m - 2 < len(_T_975) else 1.959964
    expected = twin.redraw_interval(values, n, model, quantile)
    assert redraw_interval(values, n, model) == pytest.approx(expected, abs=1e-9)


@settings(max_examples=150, deadline=None)
@given(shares | same, st.integers(1, 20_000), st.sampled_from([0.0, 0.015, 0.1]))
def test_redraw_interval_lies_in_0_to_1_around_the_mean_and_has_width(
    values: list[float], n: int, model: float
) -> None:
    low, high = redraw_interval(values, n, model)
    assert low is not None
    assert high is not None
    assert 0 <= low <= np.mean(values) + 1e-12
    assert np.mean(values) - 1e-12 <= high <= 1
    assert high - low >= min(1 / n, 1.0)
    assert redraw_interval(list(reversed(values)), n, model) == pytest.approx((low, high))
    mirrored = redraw_interval([1 - value for value in values], n, model)
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-9)
    wider = redraw_interval(values, n, model + 0.02)
    assert wider[0] is not None
    assert wider[1] is not None
    assert wider[0] <= low + 1e-12
    assert wider[1] >= high - 1e-12


@pytest.mark.parametrize("n", [5, 100, 5000])
def test_ten_equal_redraws_are_no_certainty(n: int) -> None:
    """The rule of three: nobody among n says that at most 3/n are, with 95 %."""
    low, high = redraw_interval([0.0] * 10, n)
    assert low == 0
    assert high is not None
    assert high > min(3 / n, 0.6)
    low, high = redraw_interval([1.0] * 10, n)
    assert high == 1
    assert low is not None
    assert low < 1 - min(3 / n, 0.6)


def test_for_many_people_it_is_a_t_prediction_interval() -> None:
    values = [0.30, 0.32, 0.28, 0.31, 0.29, 0.33, 0.27, 0.30, 0.34, 0.26]
    half = 2.262 * math.sqrt(sum((v - 0.3) ** 2 for v in values) / 9) * math.sqrt(1.1)
    assert redraw_interval(values, 10**9) == pytest.approx((0.3 - half, 0.3 + half), abs=0.01)


@pytest.mark.parametrize("m", [10, 20, 31, 40])
@pytest.mark.parametrize(("share", "n", "together"), [(0.5, 1000, 1), (0.5, 1000, 4), (0.03, 400, 1), (0.002, 1500, 1)])
def test_redraw_interval_covers_one_more_draw(m: int, share: float, n: int, together: int) -> None:
    """People who are exposed or not in groups of ``together``, as those of one class are."""
    rng = np.random.default_rng(m)
    inside = 0
    for _ in range(1000):
        draws = rng.binomial(n // together, share, m + 1) / (n // together)
        low, high = redraw_interval(draws[:m].tolist(), n)
        assert low is not None
        assert high is not None
        inside += low <= draws[m] <= high
    assert inside / 1000 > 0.935


def test_a_rate_without_an_interval_is_exact() -> None:
    assert Rate(0.5, 10).exact
    assert not Rate(0.5, 10, 0.4, 0.6).exact
