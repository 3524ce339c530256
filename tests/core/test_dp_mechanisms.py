"""Noise: the exact distributions, the promise over neighbours, accuracy, tables, bad input."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.errors import MissingPackageError, ParameterError
from core.dp import (
    MAX_EPSILON,
    Declared,
    Mechanism,
    contingency_table,
    default_delta,
    digest_of,
    epsilon_for,
    mechanism,
    noisy_counts,
    noisy_query_error,
    publish,
    simulate,
)
from core.release.query_error import random_queries
from tests.progress import rises_and_can_be_stopped
from tests.reference import dp as slow
from tests.tables import a_table, small_table, with_a_tree

CHOSEN = [
    mechanism("laplace", 0.3),
    mechanism("laplace", 1.0),
    mechanism("laplace", 4.0),
    mechanism("gaussian", 1.0, 1e-6),
    mechanism("gaussian", 8.0, 1e-3),
]
each = pytest.mark.parametrize("chosen", CHOSEN, ids=lambda m: f"{m.name} {m.epsilon:g}")


# ---- distribution --------------------------------------------------------------------------


@each
def test_pmf_is_the_exact_one(chosen: Mechanism) -> None:
    exact = slow.laplace if chosen.name == "laplace" else slow.gaussian
    x = np.arange(-30, 31)
    assert chosen.pmf(x) == pytest.approx([exact(int(z), chosen.scale) for z in x], rel=1e-12)
    wide = np.arange(-4000, 4001)
    assert chosen.pmf(wide).sum() == pytest.approx(1, abs=1e-12)
    assert chosen.deviation == pytest.approx(math.sqrt((chosen.pmf(wide) * wide**2).sum()), rel=1e-9)


def chi_square(draws: np.ndarray, chosen: Mechanism) -> tuple[float, int]:
    """Pearson's statistic over whole numbers expected at least 20 times, tails lumped."""
    most = 0
    while chosen.pmf(np.array([most + 1]))[0] * len(draws) >= 20:
        most += 1
    x = np.arange(-most, most + 1)
    expected = np.r_[chosen.pmf(x), 1 - chosen.pmf(x).sum()] * len(draws)
    inside = np.bincount(draws[np.abs(draws) <= most] + most, minlength=len(x))
    seen = np.r_[inside, (np.abs(draws) > most).sum()]
    keep = expected >= 5
    return float(((seen - expected)[keep] ** 2 / expected[keep]).sum()), int(keep.sum()) - 1


@each
@pytest.mark.parametrize("source", ["opendp", "numpy"])
def test_draws_follow_the_exact_distribution(chosen: Mechanism, source: str) -> None:
    """Six standard deviations of chi square: a wrong scale by 5% would be far beyond."""
    draws = (
        noisy_counts(np.zeros(12_000, dtype=np.int64), chosen)
        if source == "opendp"
        else simulate((60_000,), chosen, seed=3)
    )
    statistic, freedom = chi_square(draws, chosen)
    assert statistic < freedom + 6 * math.sqrt(2 * freedom) + 6


def test_simulation_repeats_and_release_does_not() -> None:
    chosen, counts = mechanism("laplace", 0.5), np.zeros(200, dtype=np.int64)
    assert (simulate((50,), chosen, 1) == simulate((50,), chosen, 1)).all()
    assert (noisy_counts(counts, chosen) != noisy_counts(counts, chosen)).any()


# ---- the promise ---------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(0, 4), min_size=2, max_size=6),
    st.integers(0, 5),
    st.integers(0, 5),
    st.floats(0.01, 8),
    st.lists(st.integers(-60, 60), min_size=6, max_size=6),
)
def test_loss_of_neighbours_never_above_epsilon(
    counts: list[int], source: int, target: int, epsilon: float, seen: list[int]
) -> None:
    """Neighbouring histograms: one record moves from a cell to another; the loss at any output stays in epsilon."""
    chosen = mechanism("laplace", epsilon)
    before = np.array(counts)
    after = before.copy()
    after[source % len(counts)] -= 1
    after[target % len(counts)] += 1
    y = np.array(seen[: len(counts)])
    loss = float(np.log(chosen.pmf(y - before)).sum() - np.log(chosen.pmf(y - after)).sum())
    assert abs(loss) <= epsilon * (1 + 1e-9)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 1e-6), (1.0, 1e-9), (4.0, 1e-3)])
def test_gaussian_keeps_epsilon_and_delta_exactly(epsilon: float, delta: float) -> None:
    """The hockey-stick sum over two cells, without OpenDP, is within delta, and the scale is not twice too large."""
    for factor, fine in ((1.0, True), (0.6, False)):
        scale = mechanism("gaussian", epsilon, delta).scale * factor
        chosen = Mechanism("gaussian", epsilon, delta, scale)
        most = math.ceil(11 * scale) + 3
        x = np.arange(-most, most + 1)
        one, other = chosen.pmf(x), chosen.pmf(x - 1)
        moved = np.maximum(np.outer(one, other) - math.exp(epsilon) * np.outer(other, one), 0).sum()
        assert bool(moved <= delta) is fine


@settings(max_examples=80, deadline=None)
@given(st.floats(0.001, MAX_EPSILON))
def test_scale_holds_at_every_epsilon(epsilon: float) -> None:
    chosen = mechanism("laplace", epsilon)
    assert chosen.scale == pytest.approx(2 / epsilon, rel=1e-12)
    noisy_counts(np.zeros(2, dtype=np.int64), chosen)


# ---- accuracy ------------------------------------------------------------------------------


@each
@pytest.mark.parametrize("error", [0.01, 0.05, 0.3, 0.9])
def test_accuracy_is_the_least(chosen: Mechanism, error: float) -> None:
    a = chosen.accuracy(error)
    x = np.arange(-5000, 5001)
    inside = chosen.pmf(x[np.abs(x) <= a]).sum()
    assert inside >= 1 - error - 1e-12
    if a:
        assert chosen.pmf(x[np.abs(x) < a]).sum() < 1 - error


@pytest.mark.parametrize(("name", "delta"), [("laplace", 0.0), ("gaussian", 1e-8)])
@pytest.mark.parametrize("accuracy", [1, 3, 20])
def test_epsilon_for_an_accuracy_and_back(name: str, delta: float, accuracy: int) -> None:
    epsilon = epsilon_for(name, accuracy, 0.05, delta)
    assert mechanism(name, epsilon, delta).accuracy(0.05) <= accuracy
    assert mechanism(name, epsilon * 0.97, delta).accuracy(0.05) > accuracy


# ---- tables --------------------------------------------------------------------------------


OPEN = Declared("open")


def declared(*names: str) -> dict[str, Declared]:
    """A range, a list and a tree for the columns of the table."""
    every = {
        "age": Declared("range", low=0, high=100, width=20),
        "city": Declared("values", values=("Rennes", "Brest", "Nantes")),
        "zip": Declared("tree", level=1, digest=digest_of(with_a_tree()[1], "zip")),
    }
    return {name: every[name] for name in names}


def test_queries_answered_as_one_by_one() -> None:
    """A cell counts with the share of its codes that the range covers, column by column."""
    encoded = a_table(120)
    table = contingency_table(*with_a_tree(120), declared("age", "city"), OPEN)
    queries = random_queries(encoded.qids, 40, 2)
    noise = simulate(table.counts.shape, mechanism("laplace", 1.0), 5)
    found = noisy_query_error(table, encoded, queries, np.zeros(40, dtype=np.int64), table.counts + noise)
    totals = (table.counts + noise).sum(axis=1).reshape(table.shape)
    for number in range(len(queries)):
        answer = 0.0
        for bins in np.ndindex(*table.shape):
            share = 1.0
            for axis, place, column in zip(table.axes, bins, (0, 1), strict=True):
                codes = np.flatnonzero(axis.bin_of == place)
                low, high = queries.low[number, column], queries.high[number, column]
                hit = sum(low <= code <= high for code in codes)
                whole = low == 0 and high == axis.domain.size - 1
                share *= hit / len(codes) if len(codes) else float(whole)
            answer += share * totals[bins]
        answer *= (queries.high[number, 2] - queries.low[number, 2] + 1) / encoded.qids[2].size
        assert found.answer[number] == pytest.approx(answer)


# ---- bad input -----------------------------------------------------------------------------


def test_a_delta_of_one_over_the_records_promises_nothing() -> None:
    table, schema = small_table(100)
    counted = contingency_table(table, schema, {}, Declared("values", values=("a",)))
    assert default_delta(100) == pytest.approx(1e-8)
    with pytest.raises(ParameterError, match=r"0\.01 is not below 1 over the 100 records"):
        publish(counted, mechanism("gaussian", 1.0, 0.01))
    assert publish(counted, mechanism("gaussian", 1.0, 0.0099)).cost.delta == 0.0099


@pytest.mark.parametrize(
    ("call", "words"),
    [
        *(
            (lambda weak=weak: noisy_counts(np.zeros(2, dtype=np.int64), weak), "does not guarantee epsilon")
            for weak in (Mechanism("laplace", 1.0, 0.0, 1.9), Mechanism("gaussian", 1.0, 1e-6, 2.0))
        ),
        (lambda: mechanism("cauchy", 1.0), "laplace, gau"),
    ],
)
def test_too_little_noise_and_no_mechanism_are_refused(call: Callable[[], object], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        call()


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    chosen = mechanism("laplace", 1.0)  # charts do not wait for the package to start
    with pytest.raises(MissingPackageError, match="opendp"):
        noisy_counts(np.zeros(2, dtype=np.int64), chosen)
    assert len(simulate((5,), chosen)) == 5


def test_progress() -> None:
    counts = np.zeros((25, 1000), dtype=np.int64)
    rises_and_can_be_stopped(lambda progress: noisy_counts(counts, mechanism("laplace", 3.0), progress))
