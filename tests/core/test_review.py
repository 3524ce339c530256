"""Assessment, verdict, comparison: the same numbers as the parts they are made of."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import (
    Encoded,
    Hospital,
    ParameterError,
    Policy,
    Scenario,
    Study,
    encode,
    examples,
    forecast,
    measure,
    partition,
    query_error,
    sweep,
)
from core.asked import AskedForecast, AskedNoise
from core.coalitions import assign_providers
from core.domain import Domain
from core.dp import ceiling
from core.metrics import METRICS, REQUIRABLE
from core.requirements import Requirements
from core.review import Assessment, Judgement, assess, doubts, efficient, judge, plausible_ranges, side_by_side
from core.schema import Kind
from core.utility import gcp

SCHEMA = examples.city_schema()


@pytest.fixture(scope="module")
def encoded() -> Encoded:
    return encode(examples.city(3000), SCHEMA)


def scenario(**changes: object) -> Scenario:
    given = {"schema": SCHEMA, "hospitals": (Hospital(Policy(5, l=2)), Hospital(Policy(8))), "overlap": 300}
    return Scenario(**{**given, **changes})


@pytest.fixture(scope="module")
def assessed(encoded: Encoded) -> Assessment:
    return assess(encoded, scenario())


def test_every_number_is_that_of_its_part(encoded: Encoded, assessed: Assessment) -> None:
    asked = scenario()
    release = partition(encoded, asked.mine.policy)
    found = measure(release.publish(seed=3), SCHEMA)
    numbers = {name: number.value for name, number in assessed.numbers.items()}
    assert (numbers["classes"], numbers["k"], numbers["distinct_l"]) == (found.classes, found.k, found.distinct_l)
    assert (numbers["entropy_l"], numbers["t"]) == (found.entropy_l, found.t)
    assert numbers["loss"] == gcp(release)
    assert numbers["query_error"] == query_error(release, seed=0).absolute
    anticipated = forecast(release)
    assert numbers["forecast"] == anticipated.people().value
    assert numbers["pinned"] == anticipated.pinned_share
    values = int((encoded.overall > 0).sum())
    assert numbers["dp_ceiling"] == ceiling(1 / values, 2.0)
    frame = sweep(encoded, asked.study, "overlap", [300], (1.0, 0.25), 10).set_index("confidence")
    assert numbers["perfect"] == frame.loc[1.0, "share"]
    assert numbers["breach"] == frame.loc[0.25, "share"]
    assert numbers["weighted"] == frame.loc[0.25, "weighted"]
    for name, row, low in (("perfect", 1.0, "low"), ("breach", 0.25, "low"), ("weighted", 0.25, "weighted_low")):
        assert assessed.numbers[name].low == frame.loc[row, low]
    assert assessed.numbers["breach"].single == frame.loc[0.25, "single"]
    assert list(assessed.numbers) == [name for name in METRICS if name in assessed.numbers]
    assert set(assessed.numbers) | set(assessed.not_assessed) == set(METRICS)
    assert set(assessed.not_assessed) == {"m", "category"}


def test_same_scenario_same_numbers(encoded: Encoded, assessed: Assessment) -> None:
    again = assess(encoded, scenario())
    assert again.numbers == assessed.numbers
    pd.testing.assert_frame_equal(again.exposure, assessed.exposure)
    assert assess(encoded, scenario(seed=1)).numbers["perfect"] != assessed.numbers["perfect"]


def test_what_is_asked_is_what_is_computed(encoded: Encoded) -> None:
    release = partition(encoded, Policy(5, l=2))
    asked = scenario(
        forecast=AskedForecast(3, 0.8, "every subset", 500, 7, "joint"),
        noise=AskedNoise(0.3),
        category_level=1,
        repeats=1,
    )
    found = assess(encoded, asked)
    wanted = forecast(release, None, 500, 7, 3, 0.8, joint=True)
    assert found.numbers["forecast"].value == wanted.people("every subset").value
    assert found.numbers["pinned"].value == wanted.pinned_share
    assert found.numbers["category"].value >= found.numbers["perfect"].value
    assert found.numbers["perfect"].low is None
    gauss = assess(encoded, scenario(noise=AskedNoise(0.3, None, "gaussian"), repeats=1))
    assert "dp_ceiling" in gauss.not_assessed
    nofile = assess(encoded, scenario(forecast=AskedForecast(source="file", file_id="x"), repeats=1))
    assert {"forecast", "pinned"} <= set(nofile.not_assessed)


def test_what_is_known_already_is_not_done_again(encoded: Encoded, assessed: Assessment) -> None:
    release = partition(encoded, Policy(5, l=2))
    shares: list[float] = []
    again = assess(encoded, scenario(), progress=shares.append, release=release, exposure=assessed.exposure)
    assert again.numbers == assessed.numbers
    assert shares == [1.0]


def test_progress_and_cancellation(encoded: Encoded) -> None:
    shares: list[float] = []
    assess(encoded, scenario(repeats=2), progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1

    def stop(share: float) -> None:
        if share > 0.3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        assess(encoded, scenario(), progress=stop)


def test_colluding_providers(encoded: Encoded) -> None:
    source = assign_providers(len(encoded), 4, "uniform", 0)
    names = tuple("ABCD")
    dealt = dataclasses.replace(encoded, provider=Domain("provider", Kind.CATEGORICAL, names), source=source)
    asked = scenario(hospitals=(Hospital(Policy(5, m=2), "provider-aware"), Hospital(Policy(8))), repeats=1)
    found = assess(dealt, asked)
    assert found.numbers["m"].value >= 2
    assert found.numbers["m"].n == 4


# ---- verdict -------------------------------------------------------------------------------


def judged(assessed: Assessment, limits: dict[str, float], frame: pd.DataFrame | None = None) -> Judgement:
    asked = assessed.scenario.with_(requirements=Requirements(**limits))
    return judge(dataclasses.replace(assessed, scenario=asked), frame)


@pytest.mark.parametrize("name", REQUIRABLE)
def test_each_requirement_is_met_from_its_own_value_on(assessed: Assessment, name: str) -> None:
    if name not in assessed.numbers:
        found = judged(assessed, {name: 0.5})
        assert found.met is None
        assert found.checks[0].met is None
        return
    value = assessed.numbers[name].value
    assert judged(assessed, {name: value}).met is True
    worse = value - 0.01 if METRICS[name].better == "less" else value + 0.01
    assert judged(assessed, {name: max(worse, 0)}).met is (worse < 0)


def test_verdict_of_several(assessed: Assessment) -> None:
    assert judged(assessed, {}).met is None
    assert judged(assessed, {"k": 5, "m": 1}).met is None
    assert judged(assessed, {"k": 50, "m": 1}).met is False
    assert judged(assessed, {"k": 5, "loss": 1}).met is True
    assert not judged(assessed, {"k": 5}).others_considered
    assert [check.metric for check in judged(assessed, {"loss": 1, "k": 5}).checks] == ["k", "loss"]


def test_the_bad_end_of_the_interval_is_looked_at(assessed: Assessment) -> None:
    number = assessed.numbers["perfect"]
    assert number.high is not None
    assert number.high > number.value
    check = judged(assessed, {"perfect": (number.value + number.high) / 2}).checks[0]
    assert check.met
    assert not check.interval_met


def test_whether_the_verdict_survives(encoded: Encoded, assessed: Assessment) -> None:
    frame = doubts(encoded, assessed.scenario)
    worst = max(frame["perfect"].max(), assessed.numbers["perfect"].value)
    assert worst > assessed.numbers["perfect"].value
    found = judged(assessed, {"perfect": worst, "k": 5}, frame)
    assert found.met
    assert found.survives
    assert found.checks[0].survives is None
    found = judged(assessed, {"perfect": worst - 0.001}, frame)
    assert found.met
    assert found.survives is False
    assert found.checks[0].worst == worst
    assert judged(assessed, {"k": 5}, frame).survives is None
    assert judged(assessed, {"perfect": 0}, frame).survives is None


def test_doubts_are_the_curves(encoded: Encoded) -> None:
    asked = scenario(confidence=0.5)
    frame = doubts(encoded, asked, ranges={"overlap": [100, 300], "their k": [4, 8]})
    assert list(frame["assumption"]) == ["overlap", "overlap", "their k", "their k"]
    curve = sweep(encoded, asked.study, "their k", [4, 8], (1.0, 0.5), 1)
    assert list(frame["perfect"][2:]) == list(curve[curve["confidence"] == 1.0]["share"])
    assert list(frame["breach"][2:]) == list(curve[curve["confidence"] == 0.5]["share"])
    assert frame["category"].isna().all()


def test_ranges_hold_the_present_setting_and_can_be_drawn(encoded: Encoded) -> None:
    for hospitals in (
        (Hospital(Policy(5)), Hospital(Policy(8), agreement=0.9)),
        (Hospital(Policy(5)), Hospital(Policy(8), source="independent")),
        (Hospital(Policy(5)), Hospital(Policy(8), source="conditional", size=400), Hospital(Policy(5))),
    ):
        asked = scenario(hospitals=hospitals)
        ranges = plausible_ranges(asked.study, len(encoded))
        assert asked.overlap in ranges["overlap"]
        assert len(hospitals) in ranges["releases"]
        assert hospitals[1].policy.k in ranges["their k"]
        assert hospitals[1].agreement in ranges["agreement"]
        assert len(doubts(encoded, asked)) == sum(map(len, ranges.values()))


@pytest.mark.parametrize(
    ("name", "value"), [("perfect", 1.1), ("perfect", -0.1), ("k", float("inf")), ("loss", float("nan"))]
)
def test_limits_that_are_none(name: str, value: float) -> None:
    with pytest.raises(ParameterError) as caught:
        Requirements(**{name: value})
    assert caught.value.parameter == name


# ---- side by side ---------------------------------------------------------------------------


def test_side_by_side(encoded: Encoded, assessed: Assessment) -> None:
    other = assess(encoded, scenario(hospitals=Study.alike(Policy(20), 300).hospitals))
    frame = side_by_side({"now": assessed, "k = 20": other})
    assert len(frame) == 2 * len(METRICS)
    loss = frame[frame["metric"] == "loss"].set_index("candidate")
    assert loss.loc["now", "best"]
    assert loss.loc["k = 20", "worst"]
    k = frame[frame["metric"] == "k"].set_index("candidate")
    assert k.loc["k = 20", "best"]
    assert not frame[frame["metric"] == "classes"][["best", "worst"]].any(axis=None)
    ceilings = frame[frame["metric"] == "dp_ceiling"]
    assert not ceilings[["best", "worst"]].any(axis=None)
    assert (frame[frame["metric"] == "m"]["why"] != "").all()


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=8))
def test_efficient_is_what_nobody_beats(points: list[tuple[int, int]]) -> None:
    found = efficient([a for a, _ in points], [b for _, b in points]) if points else np.array([])
    for (a, b), kept in zip(points, found, strict=True):
        beaten = any(c <= a and d <= b and (c, d) != (a, b) for c, d in points)
        assert bool(kept) is not beaten


def test_what_is_unknown_is_not_efficient() -> None:
    assert efficient([1, np.nan, 2], [3, 0, np.nan]).tolist() == [True, False, False]
