"""The calibrated forecast: against its slow twin, against made true worlds, and at its edges."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import Policy, Release, examples
from core.algorithms import partition
from core.classes import ClassHistogram
from core.data.encoding import Encoded, encode
from core.data.marginals import Marginals
from core.errors import ParameterError
from core.forecast import (
    Another,
    Expected,
    Goal,
    Question,
    another_like,
    beside_real,
    contributions,
    expected,
    forecast_curve,
    mergers,
    real_risk,
    smallest_k,
)
from core.forecast.expected import MARGIN, Beside, left_alone
from core.forecast.ground import Ground
from core.forecast.likeness import BETA, ROUNDS, WEIGHTS, Likeness, likeness, log_gamma
from core.review import other_algorithm, question
from core.scenario.scenario import Scenario
from core.study.draw import overlapping_samples
from core.study.hospitals import Hospital, Study
from core.study.redraws import Redraws
from core.study.run import run_study, seeds
from core.study.vary import at_value
from tests.reference import forecast as twin
from tests.strategies import Case, cases, message_of

N = 1_200


@pytest.fixture(scope="module")
def encoded() -> Encoded:
    return encode(examples.city(N, seed=5), examples.city_schema())


@pytest.fixture(scope="module")
def release(encoded: Encoded) -> Release:
    return partition(encoded, Policy(4))


# ---- the parts against their slow twins ---------------------------------------------------------


def test_the_logarithm_of_gamma() -> None:
    x = np.concatenate((np.logspace(-6, 7, 400), np.arange(1.0, 200)))
    exact = np.array([math.lgamma(value) for value in x])
    assert np.abs(log_gamma(x) - exact).max() <= 1e-9 * max(1.0, float(np.abs(exact).max()))
    near = np.abs(exact) < 100
    assert np.abs(log_gamma(x) - exact)[near].max() < 1e-9


@settings(max_examples=60)
@given(
    seats=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=14), shared=st.integers(1, 14)
)
def test_who_sits_together(seats: list[tuple[int, int]], shared: int) -> None:
    mine, theirs = (np.array(side) for side in zip(*seats, strict=True))
    another = Another(np.arange(len(seats)), theirs, np.bincount(theirs, minlength=4) + 1, shared, 20)
    slow = twin.together(mine.tolist(), theirs.tolist())
    assert another.together(mine).tolist() == pytest.approx([float(share) for share in slow])
    assert another.share == pytest.approx((shared - 1) / 19)


@st.composite
def worlds(draw: st.DrawFn) -> tuple[ClassHistogram, Likeness, list[dict[int, int]]]:
    """A few classes by value, and a mixture over them."""
    values = draw(st.integers(1, 4))
    counts = draw(
        st.lists(st.dictionaries(st.integers(0, values - 1), st.integers(1, 4), min_size=1), min_size=1, max_size=3)
    )
    counts = [dict(sorted(count.items())) for count in counts]
    owner = np.array([e for e, count in enumerate(counts) for _ in count])
    value = np.array([v for count in counts for v in count])
    number = np.array([n for count in counts for n in count.values()])
    starts = np.searchsorted(owner, np.arange(len(counts)))
    overall = np.bincount(value, weights=number, minlength=values).astype(np.int64)
    pairs = draw(st.integers(1, 2))
    mean = np.array([draw(st.lists(st.integers(1, 9), min_size=values, max_size=values)) for _ in range(pairs)])
    mean = (mean / mean.sum(axis=1)[:, None])[:, value]
    weight = np.array([draw(st.sampled_from([2.0, 8.0, 32.0])) for _ in range(pairs)])
    posterior = np.array(
        [draw(st.lists(st.integers(1, 9), min_size=len(counts), max_size=len(counts))) for _ in range(pairs)],
        dtype=float,
    )
    of = Likeness(mean, weight, np.ones(pairs) / pairs, posterior / posterior.sum(axis=0))
    return ClassHistogram(owner, value, number, starts, overall), of, counts


@settings(max_examples=120)
@given(world=worlds(), people=st.integers(0, 9), g=st.integers(0, 4), r=st.integers(0, 4), far=st.booleans())
def test_left_alone_equals_its_slow_twin(
    world: tuple[ClassHistogram, Likeness, list[dict[int, int]]], people: int, g: int, r: int, far: bool
) -> None:
    histogram, of, counts = world
    share, known = Fraction(g, 4), Fraction(g * r, 16)
    every = np.arange(len(histogram.owner))
    beside = Beside(
        every, np.full(len(every), float(people)), np.full(len(every), float(share)), np.full(len(every), float(known))
    )
    found = left_alone(histogram, of, beside, far)
    for triple in every:
        owner, value = int(histogram.owner[triple]), int(histogram.value[triple])
        inside = np.flatnonzero(histogram.owner == owner)
        mixture = [
            (
                Fraction(float(of.weight[pair])),
                {str(histogram.value[i]): Fraction(float(of.mean[pair, i])) for i in inside},
                Fraction(float(of.posterior[pair, owner])),
            )
            for pair in range(len(of.weight))
        ]
        seat = twin.Seat(str(value), {str(v): n for v, n in counts[owner].items()}, people, share, known)
        assert found[triple] == pytest.approx(float(twin.alone(seat, mixture, far)), abs=1e-9)


@settings(max_examples=30)
@given(case=cases(rows=(4, 40), qids=2), k=st.integers(2, 5))
def test_what_surroundings_say_equals_its_slow_twin(case: Case, k: int) -> None:
    encoded = case.encoded
    release = partition(encoded, Policy(min(k, len(encoded))))
    of = likeness(release)
    labels = encoded.sensitive.labels
    table = [labels[code] for code in encoded.secret]
    histogram, values = release.histogram, encoded.sensitive.size
    groups = [[labels[code] for code in encoded.secret[release.classes.members(e)]] for e in range(histogram.classes)]
    # So small a table has no surroundings but itself.
    means = [twin.around(group, None, table, values) for group in groups]
    likely = [
        [float(twin.likelihood(group, mean, Fraction(weight))) for group, mean in zip(groups, means, strict=True)]
        for weight in WEIGHTS
    ]
    slow = twin.mixed(likely, ROUNDS)
    kept = [i for i, share in enumerate(slow) if share >= 1e-3]
    assert of.weight.tolist() == [WEIGHTS[i] for i in kept]
    assert of.mixture.tolist() == pytest.approx([slow[i] / sum(slow[j] for j in kept) for i in kept], rel=1e-6)
    for triple, (owner, value) in enumerate(zip(histogram.owner, histogram.value, strict=True)):
        assert of.mean[0, triple] == pytest.approx(float(means[owner][labels[value]]))
    assert of.posterior.sum(axis=0).tolist() == pytest.approx([1.0] * histogram.classes)


def test_surroundings_leave_the_class_out(encoded: Encoded, release: Release) -> None:
    of, wide = likeness(release), Ground(encoded).classes([50])[0]
    labels, values = encoded.sensitive.labels, encoded.sensitive.size
    table = [labels[code] for code in encoded.secret]
    means = {weight: i for i, weight in enumerate(of.weight)}
    assert means
    for number in range(0, release.classes.count, 7):
        members = release.classes.members(number)
        home = np.bincount(wide.classes.labels[members]).argmax()
        if (wide.classes.labels[members] != home).any():
            continue
        inside = [labels[code] for code in encoded.secret[wide.classes.members(int(home))]]
        own = [labels[code] for code in encoded.secret[members]]
        slow = {size: twin.around(own, found, table, values, int(BETA)) for size, found in ((0, None), (50, inside))}
        for triple in np.flatnonzero(release.histogram.owner == number):
            label = labels[release.histogram.value[triple]]
            known = [float(mean[label]) for mean in slow.values()]
            near = [min(abs(of.mean[pair, triple] - value) for value in known) for pair in range(len(of.weight))]
            assert min(near) < 1e-12


# ---- the other hospital, made up ------------------------------------------------------------------


def test_another_hospital_is_one(encoded: Encoded) -> None:
    another = another_like(encoded, Policy(6), 100)
    assert another.shared == 100
    assert another.records == N
    assert another.sizes.min() >= 6
    assert another.sizes.sum() == N
    assert len(np.unique(another.rows)) == len(another.rows) == len(another.group) == N // 3
    again = another_like(encoded, Policy(6), 100)
    assert again.rows.tolist() == another.rows.tolist()
    assert again.group.tolist() == another.group.tolist()
    assert another_like(encoded, Policy(6), 100, seed=1).rows.tolist() != another.rows.tolist()
    large = another_like(encoded, Policy(6), N, 3 * N)
    assert len(large.rows) == N
    assert large.sizes.sum() == 3 * N
    assert another_like(encoded, Policy(6, l=3), 100).sizes.min() >= 6
    assert another_like(encoded, Policy(6), 100, algorithm="mdav").sizes.max() <= 11
    for wrong in (0, N + 1):
        assert (
            "shared" in message_of(lambda wrong=wrong: another_like(encoded, Policy(6), wrong), ParameterError).lower()
        )


def test_a_policy_that_the_other_cannot_keep_is_reduced_to_k(encoded: Encoded) -> None:
    rare = np.zeros(N, dtype=np.int32)
    rare[:2] = 1
    poor = replace(encoded, secret=rare)
    assert another_like(poor, Policy(3, l=2, diversity="entropy"), 20, 60).sizes.min() >= 3


# ---- the forecast as a whole -------------------------------------------------------------------


def halves(encoded: Encoded, shared: int, size: int, k: int, seed: int) -> tuple[Release, Release]:
    rows = overlapping_samples(len(encoded), shared, 2, size, seed=seed)
    first, second = (partition(encoded.take(part), Policy(k)) for part in rows)
    return first, second


@pytest.mark.parametrize(("shared", "k"), [(150, 3), (150, 5), (1200, 3), (1200, 5), (500, 10)])
def test_the_band_holds_the_truth_in_made_worlds(shared: int, k: int) -> None:
    """Issue 11, point 14: with few shared people the first estimate says half of what happens."""
    whole = encode(examples.city(7_000, seed=11), examples.city_schema())
    inside, off, first_off = [], [], []
    for seed in range(3):
        mine, other = halves(whole, shared, 3_400, k, seed)
        people = np.arange(shared)
        true = float((real_risk(mine, other, (people, people)).left == 1).mean())
        found = expected(mine, shared)
        inside.append(found.low <= true <= found.high)
        off.append(abs(found.share - true))
        first_off.append(abs(Question().of(mine).pinned_share - true))
    assert sum(inside) >= 2
    assert np.mean(off) < 0.05, "what chance does to so few people, and to so small a table"
    if k == 5 and shared == 150:
        assert np.mean(first_off) > 2 * np.mean(off)


def test_it_answers_to_what_is_assumed(release: Release) -> None:
    few, many = expected(release, 20), expected(release, 800)
    assert few.share > many.share, "shared people bring each other's values"
    assert few.high - few.low > many.high - many.low, "chance does more to few people"
    assert 0 <= few.low <= few.share <= few.high <= 1
    assert expected(release, 20).share == few.share
    small, large = (expected(release, 100, class_size=size) for size in (2, 30))
    assert small.share > large.share
    assert expected(release, 100, class_size=1).share == 1.0
    assert expected(release, 100, 5 * N).others == 5 * N
    one = Marginals.from_weights(
        {release.encoded.sensitive.name: {release.encoded.sensitive.labels[0]: 1}}, release.encoded
    )
    assert expected(release, 100, population=one).share != expected(release, 100).share
    same = Marginals.of(release.encoded)
    assert expected(release, 100, population=same).share == expected(release, 100).share


def test_the_band_is_the_lower_and_upper_model_with_chance_and_a_margin() -> None:
    found = Expected(np.zeros(4, dtype=np.int64), np.full(4, 0.2), np.full(4, 0.3), 400, 1000)
    assert found.share == pytest.approx(0.25)
    assert found.low == pytest.approx(0.2 - 1.959964 * math.sqrt(0.2 * 0.8 / 400) - MARGIN)
    assert found.high == pytest.approx(0.3 + 1.959964 * math.sqrt(0.3 * 0.7 / 400) + MARGIN)
    none = Expected(np.zeros(2, dtype=np.int64), np.zeros(2), np.zeros(2), 10, 100)
    assert (none.low, none.share, none.high) == (0.0, 0.0, 0.0)


def test_classes_of_one_value_are_certain(encoded: Encoded) -> None:
    alike = partition(replace(encoded, secret=np.zeros(N, dtype=np.int32)), Policy(5))
    found = expected(alike, 100)
    assert found.share == 1.0
    assert found.high == 1.0


def test_it_refuses(release: Release, encoded: Encoded) -> None:
    def none() -> object:
        labels = np.full(N, -1)
        return expected(Release.of(encoded, labels, Policy(4), "mondrian"), 10)

    wrong: list[tuple[Any, str]] = [
        (lambda: expected(release, 0), "shared people"),
        (lambda: expected(release, N + 1), "shared people"),
        (lambda: expected(release, 10, 5), "shared people"),
        (lambda: expected(release, 10, class_size=0.5), "class_size"),
        (lambda: expected(release, 10, class_size=math.nan), "class_size"),
        (none, "suppressed"),
    ]
    for run, said in wrong:
        assert said in message_of(run, ParameterError)


def test_suppressed_people_are_left_out(encoded: Encoded, release: Release) -> None:
    labels = release.classes.labels.copy()
    labels[labels == labels.max()] = -1
    fewer = Release.of(encoded, labels, release.policy, release.algorithm)
    found = expected(fewer, 300)
    assert found.owner.max() < fewer.classes.count
    assert 0 < found.share < 1


@settings(max_examples=40)
@given(case=cases(rows=(2, 30), qids=2), k=st.integers(1, 4), data=st.data())
def test_any_small_table(case: Case, k: int, data: st.DataObject) -> None:
    encoded = case.encoded
    release = partition(encoded, Policy(min(k, len(encoded))))
    shared = data.draw(st.integers(1, len(encoded)))
    others = data.draw(st.sampled_from([None, len(encoded) + 3, 200]))
    found = expected(release, shared, others)
    assert np.isfinite(found.by_seat).all()
    assert 0 <= found.low <= found.share + 1e-12
    assert found.share <= found.high + 1e-12 <= 1 + 2e-12


# ---- curve, search, mergers, columns --------------------------------------------------------------


def test_the_curve_and_the_search_say_the_same(encoded: Encoded) -> None:
    asked = Question(shared=200)
    curve = forecast_curve(encoded, Policy(2), [3, 6, 12], asked)
    for row in curve.itertuples():
        found = asked.expected(partition(encoded, Policy(int(row.k))))
        assert found is not None
        assert (row.expected, row.expected_low, row.expected_high) == (found.share, found.low, found.high)
    known = forecast_curve(encoded, Policy(2), [3, 6], replace(asked, policy=Policy(9)))
    assert (known["expected"].to_numpy() != curve["expected"].to_numpy()[:2]).any()
    single = replace(asked, policy=Policy(9)).expected(partition(encoded, Policy(3)))
    assert single is not None
    assert known["expected"].iloc[0] == single.share
    found = smallest_k(encoded, Policy(2), Goal(0.05, "expected", 40), asked)
    assert found.any_met
    best = int(found.best["k"].iloc[0])
    before = found.tried[found.tried["k"] < best]
    assert (before["expected"] > 0.05).all()
    assert "number" in message_of(lambda: smallest_k(encoded, Policy(2), Goal(0.05, "expected")), ParameterError)
    assert "expected" not in forecast_curve(encoded, Policy(2), [3])


def test_mergers_and_columns_say_what_is_expected_then(encoded: Encoded, release: Release) -> None:
    asked = Question(shared=200)
    done = mergers(release, asked, rounds=1)
    assert all(merger.expected is not None for merger in done)
    start, last = done[0].expected, done[-1].expected
    assert start is not None
    assert last is not None
    assert start.share == expected(release, 200).share
    assert last.share < start.share
    frame = contributions(encoded, Policy(4), asked)
    assert frame["expected"].notna().all()
    assert frame["expected"].iloc[0] == start.share
    assert mergers(release, Question(), rounds=1)[0].expected is None


@pytest.mark.parametrize(("theirs", "told"), [("mondrian", "mondrian"), ("least-loss", None), ("mdav", "mdav")])
def test_the_forecast_is_told_how_the_other_forms_classes(encoded: Encoded, theirs: str, told: str | None) -> None:
    """Of a scenario, and beside hospitals that are really drawn; as I do is ``None``, and goes on when I change."""
    mine = Hospital(Policy(4), "least-loss")
    other = Hospital(Policy(4), theirs, source="resampled")
    scenario = Scenario(schema=examples.city_schema(), hospitals=(mine, other), overlap=40, data_id="x")
    assert question(scenario).algorithm == told
    assert other_algorithm(scenario) == told
    simulated = Study((mine, replace(other, source="simulated")), 40)
    frame = beside_real(encoded, simulated, [4], Question(l=2), Redraws(1, 3))
    outcome = run_study(encoded, at_value(simulated, "k", 4), seeds(3, 1)[0])
    first, second = (release.release for release in outcome.releases)
    assert first is not None
    assert second is not None
    there = another_like(first.encoded, Policy(4), 40, len(second.encoded), theirs)
    expect = expected(first, 40, len(second.encoded), another=there)
    assert frame["expected"][0] == pytest.approx(expect.share)
