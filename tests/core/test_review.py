"""Assessment, verdict, comparison: the same numbers as the parts they are made of."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.shares import assign_providers
from core import Policy, Scenario, examples, measure
from core.algorithms import partition
from core.attack.number import exposures
from core.base import wording
from core.base.metrics import CONDITIONAL, MET, METRICS, NOT_MET, ON_AVERAGE
from core.data.encoding.domain import Domain
from core.data.encoding.encoded import Encoded, encode
from core.data.schemas.schema import ColumnType
from core.decision.review import (
    Assessment,
    Case,
    Judgement,
    assess,
    cases,
    doubts,
    efficient,
    judge,
    plausible_ranges,
    present_values,
    tried_values,
    worth_showing,
)
from core.decision.scenario.questions import AskedForecast, AskedNoise, Plausible
from core.decision.scenario.requirements import Requirements
from core.dp import Declared, ceiling
from core.forecast import forecast
from core.release.query_error import query_error
from core.release.utility import gcp
from core.study.hospitals import Hospital, Study
from core.study.redraws import Redraws
from core.study.sweep import sweep
from core.study.uploads import Foreign, Upload
from tests.progress import rises_and_can_be_stopped

LIMIT = 0.5
SCHEMA = examples.city_schema()


@pytest.fixture(scope="module")
def encoded() -> Encoded:
    return encode(examples.city(2000), SCHEMA)


def scenario(**changes: object) -> Scenario:
    given = {"schema": SCHEMA, "hospitals": (Hospital(Policy(5, l=2)), Hospital(Policy(8))), "overlap": 300}
    return Scenario(**{**given, **changes})


@pytest.fixture(scope="module")
def assessed(encoded: Encoded) -> Assessment:
    return assess(Case(encoded, scenario()))


@pytest.mark.parametrize("overlap", [1, 2, 3, 7, 40])
def test_what_is_tried_of_an_assumption_is_in_order_and_can_be(overlap: int) -> None:
    encoded = encode(examples.city(300, seed=1), examples.city_schema())
    for k in (2, 5, 40):
        study = Study((Hospital(Policy(5)), Hospital(Policy(k), origin="resampled", same_value_rate=0.9)), overlap)
        asked = scenario(hospitals=study.hospitals, overlap=overlap)
        present = present_values(asked)
        for name, values in tried_values(study, len(encoded), plausible_ranges(asked)).items():
            assert list(values) == sorted(set(values)), name
            assert min(values) > 0, name
            assert present[name] not in values, "the table stays whole: what is assumed is known already"
            sweep(encoded, study, name, values, Redraws(1))


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
    assert numbers["dp_ceiling"] == ceiling(float(encoded.overall.max() / len(encoded)), 2.0)
    frame = sweep(encoded, asked.study, "overlap", [300], Redraws(10, confidences=(1.0, 0.25))).set_index("confidence")
    for name, row, column in (
        ("one_value_left", 1.0, "share"),
        ("breach", 0.25, "share"),
        ("weighted", 0.25, "weighted"),
    ):
        low = "low" if column == "share" else "weighted_low"
        assert (numbers[name], assessed.numbers[name].low) == (frame.loc[row, column], frame.loc[row, low])
    assert assessed.numbers["breach"].single == frame.loc[0.25, "single"]
    assert list(assessed.numbers) == [name for name in METRICS if name in assessed.numbers]
    assert set(assessed.numbers) | set(assessed.not_assessed) == set(METRICS) - {"named_list", "named_mine"}, "no limit"
    assert set(assessed.not_assessed) == {"m", "agreed"}


def test_what_is_asked_is_what_is_computed(encoded: Encoded) -> None:
    release = partition(encoded, Policy(5, l=2))
    asked = scenario(forecast=AskedForecast(3, 0.8, "every subset", 500, "joint"), noise=AskedNoise(0.3), repeats=1)
    found = assess(Case(encoded, asked))
    wanted = forecast(release, None, 500, 3, 0.8, joint=True)
    assert found.numbers["forecast"].value == wanted.people("every subset").value
    assert found.numbers["one_value_left"].low is None
    ceilings = found.numbers["dp_ceiling"]
    assert ceilings.value == ceiling(ceilings.guess, 0.6)
    assert ceilings.guess == encoded.overall.max() / len(encoded)
    equal = assess(Case(encoded, scenario(noise=AskedNoise(0.3, prior="uniform"), repeats=1))).numbers["dp_ceiling"]
    assert equal.value == ceiling(1 / int((encoded.overall > 0).sum()), 0.6) < ceilings.value
    open_ones = AskedNoise(0.3, domains={SCHEMA.sensitive: Declared("open")})
    assert "threshold" in assess(Case(encoded, scenario(noise=open_ones, repeats=1))).not_assessed["dp_ceiling"]
    without = {"forecast": AskedForecast(statistics="file", file_id="x"), "noise": AskedNoise(0.3, None, "gaussian")}
    assert {"dp_ceiling", "forecast"} <= set(assess(Case(encoded, scenario(**without, repeats=1))).not_assessed)


def test_what_is_known_already_is_not_done_again(encoded: Encoded, assessed: Assessment) -> None:
    release = partition(encoded, Policy(5, l=2))
    shares: list[float] = []
    again = assess(Case(encoded, scenario()), progress=shares.append, release=release, exposure=assessed.exposure)
    assert again.numbers == assessed.numbers
    assert shares == [1.0]


def test_progress(encoded: Encoded) -> None:
    case = Case(encoded, scenario(repeats=2))
    rises_and_can_be_stopped(lambda progress: assess(case, progress=progress))


def test_colluding_providers(encoded: Encoded) -> None:
    source = assign_providers(len(encoded), 4, "uniform", 0)
    names = tuple("ABCD")
    dealt = dataclasses.replace(
        encoded, provider=Domain("provider", ColumnType.CATEGORICAL, names), provider_code=source
    )
    asked = scenario(hospitals=(Hospital(Policy(5, m=2), "provider-aware"), Hospital(Policy(8))), repeats=1)
    found = assess(Case(dealt, asked))
    assert found.numbers["m"].value >= 2
    assert found.numbers["m"].n == 4


# ---- verdict -------------------------------------------------------------------------------


def judged(assessed: Assessment, limits: dict[str, float], frame: pd.DataFrame | None = None) -> Judgement:
    asked = assessed.scenario.with_(requirements=Requirements(**limits))
    return judge(dataclasses.replace(assessed, scenario=asked), frame)


@pytest.mark.parametrize(
    ("limits", "met"), [({}, None), ({"k": 5, "m": 1}, None), ({"k": 50, "m": 1}, False), ({"loss": 1, "k": 5}, True)]
)
def test_verdict_of_several(assessed: Assessment, limits: dict[str, float], met: bool | None) -> None:
    found = judged(assessed, limits)
    assert found.met is met
    assert [check.metric for check in found.checks] == sorted(limits, key=list(METRICS).index)
    assert not found.others_considered


@pytest.mark.parametrize("name", ["one_value_left", "weighted_correct"])
def test_three_verdicts(assessed: Assessment, name: str) -> None:
    number = assessed.numbers[name]
    assert number.high > number.value > 0.001
    within, past = (number.value + number.high) / 2, number.value - 0.0005
    for limit, verdict, met, on_average in (
        (number.high, MET, True, True),
        (within, ON_AVERAGE, False, True),
        (past, NOT_MET, False, False),
    ):
        found = judged(assessed, {name: limit, "k": 5})
        assert (found.verdict, found.met, found.on_average) == (verdict, met, on_average)
        assert found.checks[-1].verdict == verdict
        assert judged(assessed, {name: limit, "m": 1}).verdict == (NOT_MET if verdict == NOT_MET else "open")


@pytest.mark.parametrize("repeats", [1, 9])
def test_too_few_redraws_for_an_interval_meet_a_limit_on_average_only(encoded: Encoded, repeats: int) -> None:
    one = assess(Case(encoded, scenario(repeats=repeats)), groups=("exposure",))
    number = one.numbers["breach"]
    assert (number.low, number.redraws) == (None, repeats)
    assert judged(one, {"breach": 1.0}).verdict == ON_AVERAGE
    assert judged(one, {"breach": 0.0}).verdict == NOT_MET


def test_what_is_exact_is_met_or_not() -> None:
    """Both tables are given and a common identifier says who is in both: nothing is drawn."""
    table = examples.city(300, seed=4)
    encoded = encode(table, SCHEMA)
    upload = Upload(table.content_id, tuple((name, name) for name in (*SCHEMA.quasi_identifiers, "diagnosis")))
    rows = np.arange(300)
    other = Hospital(Policy(5), origin="published", upload=upload)
    asked = scenario(hospitals=(Hospital(Policy(5)), other), overlap=300, repeats=1)
    theirs = partition(encoded, Policy(5)).published
    linked = {upload: Foreign(theirs, mine=rows, theirs=rows)}
    found = assess(Case(encoded, asked, linked), groups=("exposure",))
    assert found.numbers["breach"].redraws is None
    assert judged(found, {"breach": found.numbers["breach"].value}).verdict == MET
    unknown = assess(Case(encoded, asked.with_(overlap=60), {upload: Foreign(theirs)}), groups=("exposure",))
    assert unknown.numbers["breach"].redraws == 1, "who is in the file is drawn by chance"
    assert judged(unknown, {"breach": 1.0}).verdict == ON_AVERAGE


@given(
    st.floats(0, 1),
    st.none() | st.tuples(st.floats(0, 1), st.floats(0, 1)),
    st.booleans(),
    st.floats(0, 1),
    st.sampled_from(["one_value_left", "entropy_l"]),
)
def test_a_verdict_is_met_only_where_every_value_of_the_interval_meets_the_limit(
    value: float, ends: tuple[float, float] | None, drawn: bool, limit: float, name: str
) -> None:
    low, high = (None, None) if ends is None else (min(*ends, value), max(*ends, value))
    verdict = METRICS[name].verdict(value, low, high, drawn, limit)
    good = [METRICS[name].meets(each, limit) for each in (value, low, high) if each is not None]
    assert (verdict == NOT_MET) is (not good[0])
    assert (verdict == MET) is (all(good) and (ends is not None or not drawn))


def test_a_true_disclosure_is_a_number_of_its_own(encoded: Encoded) -> None:
    apart = scenario(hospitals=(Hospital(Policy(5)), Hospital(Policy(5), same_value_rate=0.6)))
    found = assess(Case(encoded, apart), groups=("exposure",)).numbers
    frame = sweep(encoded, apart.study, "overlap", [300], Redraws(10, confidences=(1.0, 0.25))).set_index("confidence")
    for name, level in (("one_value_left", 1.0), ("breach", 0.25)):
        whole, right = found[name], found[f"{name}_correct"]
        assert whole.wrong > 0.01
        assert right.value == frame.loc[level, "right"] == pytest.approx(whole.value - whole.wrong)
        assert (right.low, right.single) == (frame.loc[level, "right_low"], frame.loc[level, "right_single"])
    agreed = assess(Case(encoded, scenario()), groups=("exposure",)).numbers
    assert agreed["one_value_left"].wrong == 0
    assert "one_value_left_correct" in worth_showing(found)
    assert "one_value_left_correct" not in worth_showing(agreed), "no clutter where nobody is wrong"
    assert "one_value_left_correct" in worth_showing(agreed, ["one_value_left_correct"])


def test_each_share_has_a_baseline_of_its_own_kind(assessed: Assessment) -> None:
    for name, number in ((name, assessed.numbers.get(name)) for name in exposures()):
        if number is not None:
            assert number.single is not None, name
            assert (number.guess is not None) is (name in ("hit", "weighted_hit")), "only a hit rate is like guessing"


def test_the_condition_of_a_verdict(encoded: Encoded, assessed: Assessment) -> None:
    tried = {"overlap": [100, 200, 300, 900], "their k": [2, 6]}
    frame = doubts(Case(encoded, assessed.scenario), tried)
    share = frame.set_index(["assumption", "value"])["one_value_left"]
    now = assessed.numbers["one_value_left"].value
    assert share["their k", 2] > share["their k", 6] > now, "fewer people in their classes expose more"
    asked = assessed.scenario.with_(plausible=Plausible(their_k=(6, 8), overlap=(200, 900)))
    within = dataclasses.replace(assessed, scenario=asked)
    worst = max(share["overlap", 200], share["overlap", 900], share["their k", 6])
    for limit, verdict, breaking in ((worst, ON_AVERAGE, 0), (worst - 1e-9, CONDITIONAL, 1), (now - 0.001, NOT_MET, 0)):
        found = judged(within, {"one_value_left": limit, "k": 5}, frame)
        check = found.checks[1]
        assert (found.verdict, len(check.breaking)) == (verdict, breaking), limit
        assert [case.number.value for case in check.cases] == sorted(
            (share[at] for at in share.index if at != ("overlap", 300)), reverse=True
        ), "every case but what is assumed, the worst first"
        beyond = {(case.assumption, case.value) for case in check.cases if not case.plausible}
        assert beyond == {("their k", 2), ("overlap", 100)}
    assert judged(within, {"one_value_left": worst - 1e-9}, frame).survives is False
    assert judged(within, {"k": 5}, frame).survives is None
    assert judged(within, {"one_value_left": worst - 1e-9}).verdict == ON_AVERAGE, "nothing was tried"
    assert judged(within, {"one_value_left": worst - 1e-9, "m": 1}, frame).survives is None, "one has no number"


@pytest.mark.parametrize(
    ("plausible", "limit", "verdict"),
    [
        (Plausible(overlap=(100, 200), their_k=(5, 5), releases=(2, 2), same_value_rate=(1.0, 1.0)), LIMIT, MET),
        (
            Plausible(overlap=(100, 200), their_k=(2, 5), releases=(2, 2), same_value_rate=(1.0, 1.0)),
            LIMIT,
            CONDITIONAL,
        ),
        (Plausible(), 0.01, NOT_MET),
    ],
)
def test_green_amber_red(plausible: Plausible, limit: float, verdict: str) -> None:
    """Three settings of the same table whose colours must not change."""
    encoded = encode(examples.city(2_000, seed=1), SCHEMA)
    hospitals = (Hospital(Policy(5), "least-loss"), Hospital(Policy(5), origin="resampled"))
    asked = Scenario(
        SCHEMA, hospitals, overlap=200, plausible=plausible, requirements=Requirements(one_value_left=limit)
    )
    case = Case(encoded, asked)
    assert judge(assess(case), doubts(case)).verdict == verdict


def test_where_hospitals_differ_the_value_of_one_at_all_of_them_is_a_case() -> None:
    encoded = encode(examples.city(900, seed=1), SCHEMA)
    others = [Hospital(Policy(k), origin="resampled", same_value_rate=rate) for k, rate in ((5, 1.0), (20, 0.9))]
    asked = scenario(hospitals=(Hospital(Policy(5)), *others), overlap=60, repeats=2)
    tried = tried_values(asked.study, 900, plausible_ranges(asked))
    assert {5, 20} <= set(tried["their k"]), "all careless, and all careful"
    assert {0.9, 1.0} <= set(tried["same_value_rate"])
    frame = doubts(Case(encoded, asked), {"their k": [5, 20]})
    assert {case.value for case in cases(frame, asked, "one_value_left", chance=True)} == {5, 20}
    assert plausible_ranges(asked)["their k"] == (5, 40)


def test_plausible_ranges_are_as_usual_or_as_the_scenario_says() -> None:
    asked = scenario(hospitals=(Hospital(Policy(5)), Hospital(Policy(40), origin="resampled", same_value_rate=0.7)))
    assert plausible_ranges(asked) == {
        "overlap": (150, 600),
        "their k": (5, 80),
        "releases": (2, 3),
        "same_value_rate": (0.7, 1.0),
        "case_mix": (0.0, 1.0),
    }, "what is assumed is plausible"
    said = asked.with_(plausible=Plausible(overlap=(1_000, 2_000), releases=(2, 2)))
    assert plausible_ranges(said)["overlap"] == (300, 2_000)
    assert plausible_ranges(said)["releases"] == (2, 2)
    tried = tried_values(said.study, 3_000, plausible_ranges(said))
    assert {60, 600, 2_000} <= set(tried["overlap"]), "both ends, and beyond"
    assert max(tried_values(said.study, 1_500, plausible_ranges(said))["overlap"]) <= 1_500, "what the table allows"


def test_doubts_are_the_curves(encoded: Encoded) -> None:
    asked = scenario(confidence=0.5)
    frame = doubts(Case(encoded, asked), {"overlap": [100, 300], "their k": [4, 8]})
    assert list(frame["assumption"]) == ["overlap", "overlap", "their k", "their k"]
    curve = sweep(encoded, asked.study, "their k", [4, 8], Redraws(asked.repeats, confidences=(1.0, 0.5)))
    assert list(frame["one_value_left"][2:]) == list(curve[curve["confidence"] == 1.0]["share"])
    assert list(frame["breach"][2:]) == list(curve[curve["confidence"] == 0.5]["share"])


def test_ranges_hold_the_present_setting_and_can_be_drawn(encoded: Encoded) -> None:
    for hospitals in (
        (Hospital(Policy(5)), Hospital(Policy(8), same_value_rate=0.9)),
        (Hospital(Policy(5)), Hospital(Policy(40), origin="resampled")),
        (Hospital(Policy(5)), Hospital(Policy(8), origin="resampled", size=400), Hospital(Policy(5))),
    ):
        asked = scenario(hospitals=hospitals, repeats=1)  # ranges and rows do not depend on the redraws
        ranges = tried_values(asked.study, len(encoded), plausible_ranges(asked))
        assert (min(ranges["their k"]) <= 5) is (hospitals[1].policy.k > 2)
        assert (asked.overlap in ranges["overlap"]) is not asked.study.whole, (
            "dealt tables have the sizes of all points"
        )
        assert len(doubts(Case(encoded, asked))) == sum(map(len, ranges.values()))


# ---- side by side ---------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=8))
def test_efficient_is_what_nobody_beats(points: list[tuple[int, int]]) -> None:
    found = efficient([a for a, _ in points], [b for _, b in points]) if points else np.array([])
    for (a, b), kept in zip(points, found, strict=True):
        beaten = any(c <= a and d <= b and (c, d) != (a, b) for c, d in points)
        assert bool(kept) is not beaten


def test_what_is_unknown_is_not_efficient() -> None:
    assert efficient([1, np.nan, 2], [3, 0, np.nan]).tolist() == [True, False, False]


@pytest.mark.parametrize(
    ("name", "value", "limit", "said"),
    [
        ("one_value_left_correct", 0.0502, 0.05, "5.02%"),
        ("one_value_left_correct", 0.050001, 0.05, "5.0001%"),
        ("one_value_left_correct", 0.0500000001, 0.05, "5.0000%"),  # three more decimals and no further
        ("one_value_left_correct", 0.05, 0.05, "5.0%"),
        ("one_value_left_correct", 0.0496, 0.05, "5.0%"),
        ("one_value_left_correct", 0.051, 0.05, "5.1%"),
        ("one_value_left_correct", 0.0496, 0.0497, "4.96%"),  # met, and 5.0% would read as if it were not
        ("one_value_left_correct", 0.0001, 0.0, "under 0.1%"),
        ("entropy_l", 1.9996, 2.0, "1.9996"),
        ("entropy_l", 2.0, 2.0, "2.00"),
        ("entropy_l", math.inf, 2.0, "unlimited"),
        ("k", 5, 6, "5"),
    ],
)
def test_a_number_beside_its_limit_tells_whether_it_keeps_it(name: str, value: float, limit: float, said: str) -> None:
    assert wording.text_at_limit(name, value, limit).replace("\N{NO-BREAK SPACE}", " ") == said


@pytest.mark.parametrize(
    ("confidence", "text"),
    [
        (1.0, "one value left"),
        (0.5, "at most 2 values left (C = 50%)"),
        (0.34, "at most 2 values left (C = 34%)"),
        (1 / 3, "at most 3 values left (C = 33.33%)"),
    ],
)
def test_a_confidence_is_told_by_the_values_that_it_leaves(confidence: float, text: str) -> None:
    assert wording.level_text(confidence).replace("\N{NO-BREAK SPACE}", " ") == text


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_limit_that_a_number_breaks_is_never_what_it_reads(value: float, limit: float) -> None:
    limit, text = round(limit, 3), wording.text_at_limit("loss", value, round(limit, 3))
    if abs(value - limit) > 1e-6 and text[0].isdigit():
        read = float(text.removesuffix("%")) / 100
        assert METRICS["loss"].meets(read, limit) == METRICS["loss"].meets(value, limit)
