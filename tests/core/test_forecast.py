"""Forecast of the composition risk: against enumeration, direct draws and the definitions."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.papers.second_release import common_values, hypothesised
from core import Policy, Release, examples
from core.algorithms import partition
from core.base.errors import ParameterError
from core.data.encoding.encoded import Encoded, encode
from core.data.encoding.marginals import Marginals
from core.forecast import Question, forecast, forecast_curve, real_risk
from core.forecast.occupancy import at_least
from core.release.utility import gcp
from tests.reference import forecast as twin
from tests.releases import City, cities
from tests.strategies import Case, cases

N = 900


@pytest.fixture(scope="module")
def encoded() -> Encoded:
    return encode(examples.city(N, seed=5), examples.city_schema())


@pytest.fixture(scope="module")
def release(encoded: Encoded) -> Release:
    return partition(encoded, Policy(5))


# ---- P(at least l of the values occur) ---------------------------------------------------------


def in_twin(cells: Any) -> dict[str, Fraction]:
    return {f"v{i}": Fraction(float(cell)) for i, cell in enumerate(cells)}


@settings(max_examples=150)
@given(st.lists(st.integers(0, 6), min_size=1, max_size=5), st.integers(0, 5), st.integers(1, 100))
def test_exact_by_enumeration(parts: list[int], draws: int, more: int) -> None:
    """Values that nobody has, that half of the people have and that all have, and a share drawn at random."""
    total = sum(parts)
    whole = np.array([[part / (total + rest) if total else 0.0 for part in parts] for rest in (0, total, more)])
    cells = np.vstack([np.zeros(len(parts)), whole])
    for wanted in range(len(parts) + 2):
        expected = [float(twin.at_least(in_twin(row), draws, wanted)) for row in cells]
        assert at_least(cells, draws, wanted).tolist() == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("draws", [2, 1_000, 1_000_000])
def test_the_circle_agrees_with_inclusion_and_exclusion(draws: int) -> None:
    """l = 3 over all pairs of values, an exact formula of its own."""
    rng = np.random.default_rng(draws)
    table = rng.dirichlet(np.full(7, 0.4), size=40)[:, :6] * np.minimum(1, rng.random((40, 1)) * 12 / draws)
    found = at_least(table, draws, 3)
    for row, value in zip(table, found, strict=True):
        rest, m = 1 - row.sum(), len(row)

        def only(inside: Any, rest: float = rest) -> float:
            return float((rest + sum(inside)) ** draws)

        two = sum(only(pair) for pair in itertools.combinations(row, 2))
        one = sum(only([cell]) for cell in row)
        below = two - (m - 2) * one + (m - 1) * (m - 2) / 2 * only([])
        assert value == pytest.approx(1 - below, abs=2e-8)


def test_many_draws_of_few_values() -> None:
    """More than half of the population in the values: the whole circle is needed."""
    rare = at_least(np.array([[0.5, 0.4, 0.1 - 1e-6, 1e-6]]), 1_000_000, 4)
    assert rare[0] == pytest.approx(1 - np.exp(-1), abs=1e-5)
    assert at_least(np.array([[0.5, 0.5]]), 10_000, 2)[0] == pytest.approx(1)


# ---- the forecast of a release ----------------------------------------------------------------


def groups_of(release: Release) -> list[twin.Group]:
    """Classes as the twin sees them."""
    encoded = release.encoded
    low, high, absent = release.regions
    return [
        twin.Group(
            tuple(
                frozenset(
                    domain.labels[low[number, i] : high[number, i] + 1] + domain.labels[-1:] * int(absent[number, i])
                )
                for i, domain in enumerate(encoded.qids)
            ),
            tuple(encoded.sensitive.labels[s] for s in encoded.sensitive_codes[release.classes.members(number)]),
        )
        for number in range(release.classes.count)
    ]


def shares_in_twin(encoded: Encoded) -> tuple[list[twin.Shares], twin.Shares]:
    columns = [*zip(encoded.qids, encoded.codes, strict=True), (encoded.sensitive, encoded.sensitive_codes)]
    shares = [twin.shares_of(domain.labels[code] for code in codes) for domain, codes in columns]
    return list(shares[:-1]), shares[-1]


@settings(max_examples=60)
@given(case=cases(rows=(2, 16), qids=3), k=st.integers(1, 4), n=st.integers(1, 5), l=st.integers(1, 4), data=st.data())
def test_a_forecast_equals_its_slow_twin(case: Case, k: int, n: int, l: int, data: st.DataObject) -> None:  # noqa: E741
    encoded = case.encoded
    release = partition(encoded, Policy(min(k, len(encoded))))
    confidence = data.draw(st.sampled_from([0.3, 0.9, 1.0]))
    found = forecast(release, others=n, l=l, confidence=confidence)
    qids, sensitive = shares_in_twin(encoded)
    groups = groups_of(release)
    vulnerable = []
    for number, group in enumerate(groups):
        cells = twin.cells_of(group, qids, sensitive)
        assert found.region[number] == pytest.approx(float(twin.region_probability(group, qids)))
        exact = twin.at_least(cells, n, l)
        assert found.common[number] == pytest.approx(float(exact), abs=1e-8)
        best = twin.best_subset(cells, n, l)
        assert found.subset[number] == pytest.approx(float(best), abs=1e-8)
        vulnerable.append(found.common[number] < confidence - 1e-9)
    assert found.vulnerable().tolist() == vulnerable
    assert found.risk().value == pytest.approx(np.mean(vulnerable))
    inside = sum(len(group.secrets) for group, bad in zip(groups, vulnerable, strict=True) if bad)
    assert found.people().value == pytest.approx(inside / len(encoded))


def test_regions_as_often_as_in_the_own_table(encoded: Encoded, release: Release) -> None:
    """Ours: p is the class's share of the table; everything else as before."""
    found = forecast(release, others=500, l=2, joint=True)
    assert found.region.tolist() == (release.sizes / N).tolist()
    sensitive = encoded.overall / N
    for number in (0, 7, release.classes.count - 1):
        values, _ = release.histogram.of_class(number)
        cells = release.sizes[number] / N * sensitive[values]
        assert found.common[number] == at_least(cells[None], 500, 2)[0]
    assert Question(joint=True, others=500).of(release).risk() == found.risk()


def test_marginals_of_elsewhere_count(encoded: Encoded, release: Release) -> None:
    one = encoded.sensitive.labels[0]
    everybody_has_it = Marginals.read(f"column,value,share\n{encoded.sensitive.name},{one},1\n".encode(), encoded)
    found = forecast(release, everybody_has_it)
    assert found.risk().value == 1  # two common values cannot be


def test_what_has_no_forecast_is_refused(encoded: Encoded, release: Release) -> None:
    other = encode(examples.city(300, seed=1), examples.city_schema())
    nobody = Release.of(encoded, np.full(N, -1), Policy(1), "by hand")
    for call in (
        lambda: forecast(release, Marginals.of(other)),
        lambda: forecast(nobody),
        lambda: forecast(release).risk("both"),
        lambda: real_risk(release, release, ([0], [0]), l=0),
        lambda: real_risk(release, release, ([0], [0, 1])),
        lambda: hypothesised(encoded, Marginals.of(encoded), 0),
    ):
        with pytest.raises(ParameterError):
            call()


def test_suppressed_records_are_in_no_class(encoded: Encoded, release: Release) -> None:
    labels = np.where(release.classes.labels == 0, -1, release.classes.labels - 1)
    fewer = forecast(Release.of(encoded, labels, Policy(5), "by hand"))
    whole = forecast(release)
    assert fewer.common.tolist() == pytest.approx(whole.common[1:].tolist())
    assert fewer.people().n == N - release.sizes[0]


# ---- hypothesised releases and real risk --------------------------------------------------------


@settings(max_examples=40)
@given(case=cases(rows=(2, 30), qids=3), k=st.integers(1, 4), n=st.integers(1, 30))
def test_common_values_one_class_at_a_time(case: Case, k: int, n: int) -> None:
    encoded = case.encoded
    release = partition(encoded, Policy(min(k, len(encoded))))
    other = hypothesised(encoded, Marginals.of(encoded), n, seed=n)
    records = [
        (
            tuple(domain.labels[code] for domain, code in zip(encoded.qids, other.codes[:, i], strict=True)),
            encoded.sensitive.labels[other.sensitive_codes[i]],
        )
        for i in range(n)
    ]
    assert common_values(release, other).tolist() == twin.common(groups_of(release), records)


@settings(max_examples=60)
@given(city=cities(), l=st.integers(1, 4))
def test_real_risk_of_random_releases(city: City, l: int) -> None:  # noqa: E741
    mine, other = city.releases[:2]
    found = real_risk(mine, other, city.people[:2], l)
    sides = []
    for release in (mine, other):
        labels, texts = release.encoded.sensitive.labels, [""] * release.inputs
        for place, code in zip(release.position, release.encoded.sensitive_codes, strict=True):
            texts[place] = labels[code]
        sides.append([(int(c) if c >= 0 else None, t) for c, t in zip(release.labels, texts, strict=True)])
    # Values that occur in no record count for people of whom nothing is known.
    used = [(None, label) for label in {*mine.encoded.sensitive.labels, *other.encoded.sensitive.labels}]
    pairs = list(zip(city.people[0], city.people[1], strict=True))
    expected = twin.fewest_common(sides[0] + used, sides[1] + used, pairs, mine.classes.count)
    assert [None if value < 0 else value for value in found.fewest.tolist()] == expected
    bad = [value is not None and value < l for value in expected]
    assert found.vulnerable.tolist() == bad
    assert found.over_all.value == pytest.approx(np.mean(bad))
    holds = Counter(sides[0][i][0] for i in city.people[0])
    assert found.shared.tolist() == [holds[number] for number in range(mine.classes.count)]
    share = sum(bad) / max(1, sum(1 for number in range(mine.classes.count) if holds[number]))
    assert found.over_shared.value == pytest.approx(share)


# ---- against k, the smallest k, the smallest (k, l) -----------------------------------------------


@pytest.mark.parametrize("joint", [False, True])
def test_the_curve_is_the_forecast_at_each_k(encoded: Encoded, joint: bool) -> None:
    asked = Question(l=3, confidence=0.8, others=2_000, joint=joint)
    seen: list[float] = []
    frame = forecast_curve(encoded, Policy(5, t=0.9), [3, 9, 30], asked, progress=seen.append)
    assert frame["k"].tolist() == [3, 9, 30]
    assert seen[-1] == 1
    for row in frame.itertuples():
        release = partition(encoded, Policy(row.k, t=0.9))
        found = forecast(release, None, 2_000, 3, 0.8, joint=joint)
        assert (row.risk, row.people) == (found.risk().value, found.people().value)
        assert row.risk_subset == found.risk("every subset").value
        assert row.loss == gcp(release)
