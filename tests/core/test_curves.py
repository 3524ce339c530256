"""Sweeps against a straightforward computation of every point, and what stays fixed within one."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pandas as pd
import pytest

from core import Policy, Schema, Table, breach_curve, examples
from core.algorithms import partition_sweep
from core.attack.number import ANY, counted, exposures
from core.base.errors import ParameterError
from core.base.rates import redraw_interval
from core.data.encoding.encoded import Encoded, encode
from core.release.release import Release
from core.study.hospitals import Hospital, Study
from core.study.one_run import Whole, run_study, seeds
from core.study.redraw_numbers import over_redraws
from core.study.redraws import Redraws
from core.study.sweep import redrawn, sweep
from core.study.vary import at_value, fixed_sizes, variable
from tests.progress import rises_and_can_be_stopped
from tests.reference import attack as twin
from tests.reference import weighted as twin_weighted

N = 900
COLUMNS = [
    "vary",
    "value",
    "confidence",
    "share",
    "low",
    "high",
    "n",
    "repeats",
    "wrong",
    "single",
    "guess",
    "right",
    "right_low",
    "right_high",
    "right_single",
    "weighted",
    "weighted_low",
    "weighted_high",
    "weighted_wrong",
    "weighted_single",
    "weighted_correct",
    "weighted_correct_low",
    "weighted_correct_high",
    "weighted_correct_single",
    "class_size",
    "prior",
    "posterior",
    "fewest",
    "drop",
    "vulnerable",
    "empty",
    "false_alarms",
    "unlocated",
    "located",
    "hit",
    "hit_low",
    "hit_high",
    "hit_single",
    "weighted_hit",
    "weighted_hit_low",
    "weighted_hit_high",
    "weighted_hit_single",
    "guess_one",
    "said",
    "crowd",
    "crowd_low",
    "crowd_high",
    "crowd_single",
    *(f"{name}{end}" for name in ("at_risk", "average_after") for end in ("", "_low", "_high", "_single")),
]


@pytest.fixture(scope="module")
def table() -> Table:
    return examples.city(N, seed=7)


@pytest.fixture(scope="module")
def schema() -> Schema:
    return examples.city_schema()


@pytest.fixture(scope="module")
def encoded(table: Table, schema: Schema) -> Encoded:
    return encode(table, schema)


# ---- the straightforward computation ----------------------------------------------------


def dealt(study: Study, vary: str, values: Sequence[Any]) -> tuple[int, int]:
    """Size and dealing of a sweep: the smallest that any of its points needs, dealt for the most hospitals."""
    hospitals = max(values) if vary == "releases" else len(study.hospitals)
    overlaps = values if vary == "overlap" else [study.overlap]
    return min(p + (N - p) // hospitals for p in overlaps), hospitals


def hospitals_at(study: Study, vary: str, value: Any) -> list[Hospital]:
    """Hospitals of one point."""
    mine, *others = study.hospitals
    if vary == "releases":
        return [mine, *(others[i % len(others)] for i in range(value - 1))]
    if vary == "same_value_rate":
        return [mine, *(replace(hospital, same_value_rate=value) for hospital in others)]
    if vary == "overlap":
        return [mine, *others]
    field = vary.rsplit(maxsplit=1)[-1]
    changed = [replace(h, policy=replace(h.policy, **{field: value})) for h in study.hospitals]
    return {"my k": [changed[0], *others], "their k": [mine, *changed[1:]]}.get(vary, changed)


def numbers(
    releases: list[Release], overlap: int, confidences: Sequence[float], same_value_rate: Sequence[float]
) -> list[dict[str, float]]:
    """Everything a row of a sweep says about one draw, by the slow twin."""
    records = []
    for release in releases:
        texts = release.encoded.sensitive.labels
        labels = release.labels.tolist()
        records.append(
            [(label, texts[code]) for label, code in zip(labels, release.encoded.sensitive_codes, strict=True)]
        )
    attacked = twin.attack(records, [range(overlap)] * len(releases), releases[0].encoded.sensitive.labels)
    people = attacked.people
    tables = [release.labels.tolist() for release in releases]
    sizes = [table.count(label) for table in tables for label in table[:overlap]]
    said = weights(records, overlap, frozenset(releases[0].encoded.sensitive.labels), same_value_rate)
    alone = [[twin_weighted.share_of(record, frozenset([record[i][0]])) for i in people] for record in records]
    alone_sure = [[max(count.values()) / count.total() for count in each] for each in alone]
    alone_right = [
        [
            float(twin_weighted.hit({s: Fraction(n) for s, n in count.items()}, records[0][i][1]))
            for i, count in enumerate(each)
        ]
        for each in alone
    ]
    named = [[(records[0][i][1] in count) / len(count) for i, count in enumerate(each)] for each in alone]
    right = [float(twin_weighted.hit(one, records[0][i][1])) for i, one in enumerate(said)]
    sure = [float(max(one.values(), default=0)) for one in said]
    common = {
        "unlocated": 0.0,
        "located": 1.0,
        "hit": statistics.fmean(attacked.right_by_chance(i) for i in people),
        "hit_single": max(statistics.fmean(each) for each in named),
        "weighted_hit": statistics.fmean(right),
        "weighted_hit_single": max(statistics.fmean(each) for each in alone_right),
        "guess_one": float(attacked.guess(1.0)),
        "said": statistics.fmean(sure),
        "n": overlap,
        "class_size": statistics.fmean(sizes),
        "prior": statistics.fmean(attacked.prior(j, i) for j in range(len(releases)) for i in people),
        "posterior": statistics.fmean(attacked.posterior(i) for i in people),
        "fewest": min(attacked.posterior(i) for i in people if attacked.left(i)),
        "drop": statistics.fmean(attacked.drop(i) for i in people),
        "vulnerable": float(attacked.vulnerable()),
        "empty": float(attacked.empty()),
        "false_alarms": float(attacked.false_alarms()),
    }
    return [
        {
            **common,
            "confidence": c,
            "share": float(attacked.pvp(c)),
            "wrong": float(attacked.share([attacked.breached(i, c) and attacked.wrong(i) for i in people])),
            "single": float(attacked.single(c)),
            "guess": float(attacked.guess(c)),
            "right": float(attacked.true_disclosures(c)),
            "right_single": float(attacked.true_disclosures_single(c)),
            "weighted_correct": statistics.fmean((s >= c - 1e-9) * hit for s, hit in zip(sure, right, strict=True)),
            "weighted_single": max(statistics.fmean(s >= c - 1e-9 for s in each) for each in alone_sure),
            "weighted_correct_single": max(
                statistics.fmean((s >= c - 1e-9) * hit for s, hit in zip(*each, strict=True))
                for each in zip(alone_sure, alone_right, strict=True)
            ),
            "weighted": statistics.fmean(s >= c - 1e-9 for s in sure),
            "weighted_wrong": statistics.fmean((s >= c - 1e-9) * (1 - hit) for s, hit in zip(sure, right, strict=True)),
        }
        for c in confidences
    ]


def weights(
    records: list[twin.Release], overlap: int, universe: frozenset[str], same_value_rate: Sequence[float]
) -> list[dict[str, Fraction]]:
    """What the weighted adversary says of each shared person; people of the same classes together."""
    known: dict[tuple[int, ...], dict[str, Fraction]] = {}
    found = []
    for i in range(overlap):
        classes = tuple(release[i][0] for release in records)
        if classes not in known:
            sure = [Fraction(agrees) for agrees in same_value_rate]
            mine = [frozenset([label]) for label in classes]
            known[classes] = twin_weighted.posterior(records, mine, universe, same_value_rate=sure)
        found.append(known[classes])
    return found


def slow_sweep(
    encoded: Encoded,
    study: Study,
    vary: str,
    values: Sequence[Any],
    confidences: Sequence[float],
    repeats: int,
    seed: int,
) -> list[list[dict[str, float]]]:
    """For each value, then each redraw by itself, the rows of all confidences."""
    size, deal = dealt(study, vary, values)
    found = []
    for value in values:
        hospitals = tuple(hospitals_at(study, vary, value))
        overlap = value if vary == "overlap" else study.overlap
        point, same_value_rate = (
            Study(hospitals, overlap, size, deal),
            [hospital.same_value_rate for hospital in hospitals],
        )
        drawn = [run_study(encoded, point, draw).releases for draw in seeds(seed, repeats)]
        found.append([row for releases in drawn for row in numbers(releases, overlap, confidences, same_value_rate)])
    return found


STUDY = Study.uniform(Policy(4), overlap=120)
MIXED = Study((Hospital(Policy(3)), Hospital(Policy(8, l=7)), Hospital(Policy(5))), overlap=90)
DISAGREEING = Study((Hospital(Policy(4)), Hospital(Policy(6), same_value_rate=0.7)), overlap=100)
SWEEPS: list[tuple[str, Study, str, list[Any]]] = [
    ("k", STUDY, "k", [2, 5, 40, 200]),
    ("k beside l", Study.uniform(Policy(4, l=3), 120), "k", [3, 6, 12]),
    ("k beside t", Study.uniform(Policy(4, t=0.7), 120), "k", [3, 6]),
    ("k of three, mixed", MIXED, "k", [2, 6, 9]),
    ("my k", MIXED, "my k", [2, 6, 20]),
    ("their k", MIXED, "their k", [2, 6, 20]),
    ("distinct l", STUDY, "l", [1, 2, 4, 8]),
    ("entropy l", Study.uniform(Policy(4, l=2, diversity="entropy"), 120), "l", [1.5, 3, 4.2]),
    ("recursive l", Study.uniform(Policy(4, l=2, diversity="recursive", c=2), 120), "l", [2, 3]),
    ("t", STUDY, "t", [0.5, 0.8, 1.0]),
    ("ordered t", Study.uniform(Policy(4, t=0.5, distance="ordered"), 120), "t", [0.1, 0.3]),
    ("overlap", STUDY, "overlap", [1, 50, 150, 400]),
    ("releases", STUDY, "releases", [2, 3, 5]),
    ("releases, not in order", MIXED, "releases", [4, 2, 3]),
    ("same_value_rate", STUDY, "same_value_rate", [0.0, 0.5, 0.9, 1.0]),
    ("agreement of three", MIXED, "same_value_rate", [0.2, 1.0]),
    ("k with disagreement", DISAGREEING, "k", [3, 9]),
    ("overlap with disagreement", DISAGREEING, "overlap", [40, 90]),
]


@pytest.mark.parametrize(("study", "vary", "values"), [s[1:] for s in SWEEPS], ids=[s[0] for s in SWEEPS])
def test_every_row_is_what_a_straightforward_computation_gives(
    encoded: Encoded, study: Study, vary: str, values: list[Any]
) -> None:
    confidences, repeats = (1.0, 0.34, 0.25), 2 if vary == "same_value_rate" else 1
    frame = sweep(encoded, study, vary, values, Redraws(repeats, 11, confidences=confidences))
    assert sorted(frame.columns) == sorted(COLUMNS)
    assert frame["value"].tolist() == [value for value in values for _ in confidences]
    assert frame["confidence"].tolist() == list(confidences) * len(values)
    assert (frame["vary"] == vary).all()
    assert (frame["repeats"] == repeats).all()
    assert frame["low"].isna().all()
    assert frame["high"].isna().all()
    expected = slow_sweep(encoded, study, vary, values, confidences, repeats, seed=11)
    rows = iter(frame.to_dict("records"))
    for redraws in expected:
        for confidence in confidences:
            mine = [row for row in redraws if row["confidence"] == confidence]
            row = next(rows)
            for name in mine[0]:
                mean = statistics.fmean(redraw[name] for redraw in mine)
                assert row[name] == pytest.approx(mean, abs=1e-9), (row["value"], confidence, name)


def test_what_can_vary() -> None:
    assert variable() == ("k", "my k", "their k", "l", "t", "overlap", "releases", "same_value_rate", "case_mix")
    # A case mix is that of hospitals like mine: test_resampled.
    assert {vary for _, _, vary, _ in SWEEPS} == set(variable()) - {"case_mix"}


# ---- redraws ------------------------------------------------------------------------------


def test_mean_and_interval_of_redraws(encoded: Encoded) -> None:
    draws = Redraws(10, 3, confidences=(1.0, 0.25))
    each, frame = redrawn(encoded, STUDY, "k", [6], draws), sweep(encoded, STUDY, "k", [6], draws)
    for row in frame.itertuples():
        shares = each.loc[each["confidence"] == row.confidence, "share"].tolist()
        assert (row.repeats, row.share) == (len(shares), pytest.approx(statistics.fmean(shares)))
        assert (row.low, row.high) == pytest.approx(redraw_interval(shares, STUDY.overlap))


def test_the_fewest_values_are_the_least_over_redraws_not_their_mean(encoded: Encoded) -> None:
    study = Study((Hospital(Policy(2)), Hospital(Policy(2))), overlap=20)
    rows = redrawn(encoded, study, "k", [2, 9], Redraws(6, 1, confidences=(1.0, 0.25)))
    frame = over_redraws(rows, "k", 6)
    assert rows.groupby("value")["fewest"].nunique().max() > 1
    assert frame.groupby("value")["fewest"].max().tolist() == rows.groupby("value")["fewest"].min().tolist()


@pytest.mark.parametrize(("values", "confidences"), [([3, 3], (0.5,)), ([3], (0.5, 0.5))])
def test_a_value_or_confidence_named_twice_makes_no_redraws(
    encoded: Encoded, values: list[int], confidences: tuple[float, ...]
) -> None:
    """Five redraws stay five; the interval must not come out too narrow."""
    twice = sweep(encoded, STUDY, "k", values, Redraws(5, confidences=confidences))
    assert twice[["low", "high"]].isna().all(axis=None)
    assert (twice["repeats"] == 5).all()


def test_the_first_redraws_do_not_depend_on_how_many_follow(encoded: Encoded) -> None:
    assert [s.entropy for s in seeds(4, 3)] == [s.entropy for s in seeds(4, 30)][:3]
    one = sweep(encoded, STUDY, "k", [4], Redraws(1, 4, confidences=(0.5,)))
    outcome = run_study(encoded, STUDY, seed=4)
    assert outcome.result.pvp(0.5).value == one["share"][0]
    assert outcome.class_size == pytest.approx(one["class_size"][0])
    assert run_study(encoded, STUDY, seed=5).class_size != outcome.class_size


# ---- what stays fixed within a sweep --------------------------------------------------------


@pytest.mark.parametrize(("study", "vary", "values"), [s[1:] for s in SWEEPS], ids=[s[0] for s in SWEEPS])
def test_sizes_and_dealing_are_the_same_at_every_point(study: Study, vary: str, values: list[Any]) -> None:
    """Draws of one size and dealing are nested (test_hospitals.py): the curve does not measure size."""
    base = fixed_sizes(study, vary, values, N)
    points = [at_value(base, vary, value) for value in values]
    assert {(point.size, point.deal) for point in (base, *points)} == {dealt(study, vary, values)}


def test_a_size_that_was_chosen_is_kept_where_it_fits(encoded: Encoded) -> None:
    small, room = replace(STUDY, size=300), 120 + (N - 120) // 8
    assert fixed_sizes(small, "overlap", [100, 200], N).size == 300
    own = replace(STUDY, hospitals=(STUDY.hospitals[0], replace(STUDY.hospitals[1], size=300)))
    for hospitals, size in ((3, 300), (8, room)):
        assert fixed_sizes(small, "releases", [2, hospitals], N).size == size
        assert fixed_sizes(own, "releases", [2, hospitals], N).hospitals[1].size == size
    modelled = replace(own, hospitals=(own.hospitals[0], replace(own.hospitals[1], origin="resampled")))
    assert fixed_sizes(modelled, "k", [2, 3], N).hospitals[1].size == 300
    frame = sweep(encoded, small, "k", [300], Redraws(confidences=(1.0,)))
    assert frame["class_size"].tolist() == [300]


@pytest.mark.parametrize(
    ("study", "vary", "values"),
    [
        (STUDY, "overlap", [100, N + 1]),
        (STUDY, "overlap", [0, 100]),
        (STUDY, "overlap", [-5]),
        (STUDY, "overlap", [10, 600]),  # hospitals of (900 - 10) / 2 + 10 records cannot share 600
        (replace(STUDY, size=150), "overlap", [100, 151]),
        (replace(STUDY, overlap=N + 1), "k", [2, 3]),
        (replace(STUDY, overlap=0), "k", [2, 3]),
    ],
)
def test_an_overlap_that_does_not_fit(encoded: Encoded, study: Study, vary: str, values: list[Any]) -> None:
    for call in (lambda: fixed_sizes(study, vary, values, N), lambda: sweep(encoded, study, vary, values)):
        with pytest.raises(ParameterError) as caught:
            call()
        assert caught.value.parameter == "overlap"


def test_the_largest_overlap_that_fits_is_named(encoded: Encoded) -> None:
    with pytest.raises(ParameterError, match="455") as caught:
        fixed_sizes(STUDY, "overlap", [10, 600], N)
    assert "600" in caught.value.message
    assert len(sweep(encoded, STUDY, "overlap", [10, 455], Redraws(confidences=(1.0,)))) == 2


# ---- refusals -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("vary", "values", "options", "parameter"),
    [
        ("size", [1], {}, "vary"),
        ("", [1], {}, "vary"),
        ("K", [1], {}, "vary"),
        ("k", [], {}, "values"),
        ("k", [0], {}, "k"),
        ("k", [2.5], {}, "k"),
        ("k", [N + 1], {}, "k"),
        ("l", [10_000], {}, "l"),
        ("t", [1.5], {}, "t"),
        ("t", [-0.1], {}, "t"),
        ("same_value_rate", [1.1], {}, "same_value_rate"),
        ("same_value_rate", [-0.1], {}, "same_value_rate"),
        ("releases", [2, 9], {}, "releases"),
        ("releases", [1, 2], {}, "releases"),
        ("releases", [0], {}, "releases"),
        ("k", [3], {"confidences": (0.0,)}, "confidence"),
        ("k", [3], {"confidences": (1.5,)}, "confidence"),
        ("k", [3], {"confidences": ()}, "confidences"),
        ("k", [3], {"repeats": 0}, "repeats"),
        ("k", [3], {"repeats": -1}, "repeats"),
    ],
)
def test_bad_arguments_are_named(
    encoded: Encoded, vary: str, values: list[Any], options: dict[str, Any], parameter: str
) -> None:
    with pytest.raises(ParameterError) as caught:
        sweep(encoded, STUDY, vary, values, Redraws(**options))
    assert caught.value.parameter == parameter


# ---- progress -------------------------------------------------------------------------------


@pytest.mark.parametrize(("vary", "values"), [("k", [2, 3, 5]), ("releases", [2, 3])])
def test_progress_of_a_sweep_stops_at_every_point_of_every_draw(encoded: Encoded, vary: str, values: list[Any]) -> None:
    draws, points = Redraws(3, confidences=(0.5,)), 3 * len(values)
    shares = rises_and_can_be_stopped(lambda progress: sweep(encoded, STUDY, vary, values, draws, progress))
    assert set(shares) >= {(done + 1) / points for done in range(points)}


def test_progress_of_a_curve_and_of_a_study(encoded: Encoded, table: Table, schema: Schema) -> None:
    both = ("mondrian", "mondrian")
    for work in (
        lambda progress: breach_curve(
            table, schema, Policy(4), "k", [2, 5], 100, repeats=2, algorithms=both, progress=progress
        ),
        lambda progress: run_study(encoded, MIXED, progress=progress),
    ):
        assert len(set(rises_and_can_be_stopped(work))) > 2


# ---- breach_curve ---------------------------------------------------------------------------


def test_breach_curve_has_the_numbers_of_the_sweep_a_row_each(encoded: Encoded, table: Table, schema: Schema) -> None:
    values, levels, algorithms = [2, 5], (1.0, 0.5), ("mondrian", "least-loss")
    frame = breach_curve(
        table,
        schema,
        Policy(4),
        vary="k",
        values=values,
        overlap=150,
        releases=3,
        algorithms=algorithms,
        confidences=levels,
        repeats=10,
        seed=9,
    )
    assert list(frame.columns) == ["algorithm", "k", "confidence", "number", "share", "low", "high", "single"]
    assert not frame.duplicated(["algorithm", "k", "confidence", "number"]).any()
    compared = 0
    for algorithm in algorithms:
        study = Study.uniform(Policy(4), 150, releases=3, algorithm=algorithm, origin="resampled")
        wide = sweep(encoded, study, "k", values, Redraws(10, 9, confidences=levels)).set_index(["value", "confidence"])
        for row in frame[frame["algorithm"] == algorithm].itertuples():
            number = exposures()[row.number]
            expected = wide.loc[(row.k, levels[0] if number.read == ANY else row.confidence)]
            names = [number.column, number.low, number.high, number.single]
            assert [row.share, row.low, row.high, row.single] == expected[names].tolist()
            compared += 1
    chosen = {number.column for number in counted().values() if number.read != ANY}
    at_any = [number for number in counted().values() if number.read == ANY]
    assert compared == len(frame) == 2 * len(values) * (len(chosen) * len(levels) + len(at_any))


def test_a_curve_of_no_algorithm_is_refused(table: Table, schema: Schema) -> None:
    with pytest.raises(ParameterError):
        breach_curve(table, schema, Policy(4), "k", [3], 100, algorithms=())


# ---- drawing a study ------------------------------------------------------------------------


def test_same_seed_same_people_whatever_the_policies(encoded: Encoded) -> None:
    strict = Study((Hospital(Policy(50, l=4, t=0.5)), Hospital(Policy(9, t=0.4), same_value_rate=0.3)), 120)
    for mine, theirs in zip(STUDY.draw(encoded, 5), strict.draw(encoded, 5), strict=True):
        assert mine.rows.tolist() == theirs.rows.tolist()
    assert STUDY.draw(encoded, 0)[0].rows.tolist() != STUDY.draw(encoded, 1)[0].rows.tolist()


def test_hospitals_disagree_independently(encoded: Encoded) -> None:
    hospitals = (Hospital(Policy(2)), *(Hospital(Policy(2), same_value_rate=0.5) for _ in range(2)))
    mine, one, two = Study(hospitals, 300).draw(encoded, 6)
    changed = [part.sensitive_codes[:300] != mine.sensitive_codes[:300] for part in (one, two)]
    assert 0.1 < (changed[0] & changed[1]).mean() < 0.4


# ---- in parts ---------------------------------------------------------------------------


@pytest.mark.parametrize(("vary", "values"), [("k", [2, 4]), ("releases", [2, 3])])
def test_draws_made_in_parts_give_the_same_curve(encoded: Encoded, vary: str, values: list[int]) -> None:
    study, draws = Study.uniform(Policy(3), 60, 2), Redraws(11, 5)
    parts = draws.parts(4)
    assert [(part.first, part.repeats) for part in parts] == [(0, 1), (1, 4), (5, 4), (9, 2)]
    assert Redraws(1).parts(4) == [Redraws(1)]
    rows = pd.concat([redrawn(encoded, study, vary, values, part) for part in parts], ignore_index=True)
    together = over_redraws(rows, vary, draws.repeats, study.model_error)
    pd.testing.assert_frame_equal(together, sweep(encoded, study, vary, values, draws))


def test_releases_that_are_there_change_nothing(encoded: Encoded) -> None:
    mine, ks = Hospital(Policy(3)), [2, 4, 6]
    study = Study((mine, replace(mine, origin="resampled")), 60)
    made = partition_sweep(encoded, [Policy(k) for k in ks], study.hospitals[0].algorithm)
    assert Whole(encoded, study, made).fits
    pd.testing.assert_frame_equal(
        sweep(encoded, study, "k", ks, Redraws(2), made=made), sweep(encoded, study, "k", ks, Redraws(2))
    )
