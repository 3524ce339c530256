"""My table whole, another hospital like it drawn afresh: one release, and one number for one setting."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from core import Policy, Scenario, examples
from core.algorithms import partition
from core.data.encoding.encoded import Encoded, encode
from core.decision.review import Case, assess, doubts
from core.release.utility import gcp
from core.study import similar_people as module
from core.study.hospitals import MODEL_ERROR, Hospital, Study
from core.study.one_run import attack_parts, run_study, seeds
from core.study.redraw_numbers import attack_numbers, over_redraws
from core.study.redraws import Redraws
from core.study.similar_people import SCALES
from core.study.sweep import sweep
from core.study.vary import at_value, fixed_sizes
from tests.tables import a_table

LEVELS = (1.0, 0.5, 0.25)
POLICIES = {
    "k": (Policy(4), "mondrian"),
    "k and l": (Policy(4, l=3), "mondrian"),
    "k and t": (Policy(4, t=0.5), "mondrian"),
    "microaggregation": (Policy(4), "mdav"),
}


@pytest.fixture(scope="module")
def encoded() -> Encoded:
    return encode(examples.city(900, seed=3), examples.city_schema())


@pytest.fixture(scope="module")
def coarse() -> Encoded:
    """A table of few values, in which ties abound."""
    whole = encode(examples.city(900, seed=4), examples.city_schema())
    return whole.only([whole.qids[1].name, whole.qids[3].name])


def study(policy: Policy = POLICIES["k"][0], algorithm: str = "mondrian", releases: int = 2, **more: Any) -> Study:
    mine = Hospital(policy, algorithm)
    return Study((mine, *[replace(mine, origin="resampled", **more)] * (releases - 1)), 120)


@pytest.mark.parametrize("name", POLICIES)
def test_what_is_attacked_is_what_i_publish(encoded: Encoded, name: str) -> None:
    policy, algorithm = POLICIES[name]
    published = partition(encoded, policy, algorithm)
    for seed in seeds(1, 3):
        outcome = run_study(encoded, study(policy, algorithm), seed)
        order = np.searchsorted(encoded.rows, outcome.mine.encoded.rows)
        assert (outcome.mine.labels == published.labels[order]).all()
        assert gcp(outcome.mine) == pytest.approx(gcp(published), abs=1e-12)


@pytest.mark.parametrize(
    ("table", "vary", "values"),
    [
        ("encoded", "k", [2, 4, 9]),
        ("coarse", "k", [2, 4, 9]),
        ("coarse", "my k", [4, 8]),
        ("coarse", "their k", [3, 4]),
        ("coarse", "l", [2, 3]),
        ("encoded", "overlap", [40, 300]),
        ("coarse", "releases", [2, 3]),
        ("encoded", "same_value_rate", [0.5, 1.0]),
        ("encoded", "case_mix", [0.0, 1.0]),
    ],
)
def test_a_sweep_equals_draw_by_draw(table: str, vary: str, values: list[Any], request: pytest.FixtureRequest) -> None:
    """The release that is made once, against one made in every draw; Mondrian does not go by the order of records.

    Every draw is compared, so a few are enough.
    """
    found = request.getfixturevalue(table)
    frame = sweep(found, study(), vary, values, Redraws(4, 2, confidences=LEVELS))
    rows = []
    for draw in seeds(2, 4):
        for value in values:
            point = at_value(fixed_sizes(study(), vary, values, len(found)), vary, value)
            rows += attack_numbers(value, attack_parts(point, point.draw(found, draw)), LEVELS)
    slow = over_redraws(pd.DataFrame(rows), vary, 4, MODEL_ERROR)
    key = ["value", "confidence"]
    pd.testing.assert_frame_equal(
        frame.sort_values(key, ignore_index=True), slow.sort_values(key, ignore_index=True), check_exact=False
    )


# ---- one number for one quantity ------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "vary", "now", "values"),
    [
        ("coarse", "k", 4, [2, 4, 9]),
        ("coarse", "my k", 4, [4, 20]),
        ("encoded", "their k", 4, [2, 4]),
        ("coarse", "overlap", 120, [60, 120, 600]),
        ("encoded", "releases", 3, [2, 3, 5]),
        ("coarse", "same_value_rate", 1.0, [0.5, 1.0]),
        ("encoded", "case_mix", 0.0, [0.0, 1.0]),
    ],
)
def test_the_curve_at_the_present_setting_is_the_headline(
    table: str, vary: str, now: Any, values: list[Any], request: pytest.FixtureRequest
) -> None:
    found = request.getfixturevalue(table)
    present = study(releases=3)
    headline = sweep(found, present, "releases", [3], Redraws(4, 7, confidences=LEVELS))
    curve = sweep(found, present, vary, values, Redraws(4, 7, confidences=LEVELS))
    here = curve[curve["value"] == now].reset_index(drop=True)
    pd.testing.assert_frame_equal(here.drop(columns=["vary", "value"]), headline.drop(columns=["vary", "value"]))


@pytest.mark.parametrize("table", ["encoded", "coarse"])
def test_all_that_state_it_state_the_same(table: str, request: pytest.FixtureRequest) -> None:
    """Headline, what if, the verdict's doubts, and the assessment of report and gate."""
    found, present = request.getfixturevalue(table), study()
    schema = replace(examples.city_schema(), unassigned="drop")
    scenario = Scenario(schema, present.hospitals, overlap=present.overlap, confidence=0.25, repeats=10, seed=3)
    headline = sweep(found, present, "releases", [2], Redraws(10, 3, confidences=LEVELS)).set_index("confidence")
    if table == "encoded":
        assessed = assess(Case(found, scenario), groups=("exposure", "cost")).numbers
        assert assessed["breach"].value == headline.loc[0.25, "share"]
        assert assessed["one_value_left"].value == headline.loc[1.0, "share"]
        assert assessed["loss"].value == pytest.approx(gcp(run_study(found, present, 3).mine))
    ranges = {"overlap": [60, 120], "their k": [4, 8], "same_value_rate": [0.8, 1.0]}
    tried = doubts(Case(found, scenario), ranges)
    now = [("overlap", 120), ("their k", 4), ("same_value_rate", 1.0)]
    for assumption, value in now:
        row = tried[(tried["assumption"] == assumption) & (tried["value"] == value)].iloc[0]
        assert row["breach"] == pytest.approx(headline.loc[0.25, "share"], abs=1e-12)
        assert row["one_value_left"] == pytest.approx(headline.loc[1.0, "share"], abs=1e-12)


def test_the_interval_holds_the_doubt_about_the_model(encoded: Encoded) -> None:
    """Of a resampled hospital, which stands for a real one; not of one that is dealt from my table."""
    assert study().model_error == MODEL_ERROR
    dealt = replace(study(), hospitals=(study().hospitals[0],) * 2)
    assert dealt.model_error == 0
    frame = sweep(encoded, study(), "k", [4], Redraws(10, confidences=LEVELS))
    assert ((frame["high"] - frame["low"])[frame["share"].between(0.1, 0.9)] > 4 * MODEL_ERROR * 0.6).all()


# ---- what draws need of a whole table is computed once ---------------------------------------


def drawn(encoded: Encoded, study: Study) -> list[list[int]]:
    parts = study.draw(encoded, 3)
    return [part.to_release.sensitive_codes.tolist() for part in parts if part.to_release is not None]


def test_a_copy_of_a_prepared_table_is_drawn_from_without_new_partitions(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded, study = a_table(300, 2), Study.uniform(Policy(3), 40, 6, origin="resampled")
    wanted = drawn(a_table(300, 2), study)
    study.prepare(encoded)
    assert len(encoded.neighbours) == len(SCALES)
    copy = pickle.loads(pickle.dumps(encoded))

    def refuse(*_: object) -> None:
        raise AssertionError("a partition is made again")

    monkeypatch.setattr(module, "partition", refuse)
    assert drawn(copy, study) == wanted
    with pytest.raises(AssertionError, match="again"):
        drawn(encoded.take(np.arange(300)), study)


def test_nothing_is_prepared_for_draws_that_ask_for_nothing() -> None:
    encoded = a_table(300, 2)
    Study.uniform(Policy(3), 40, 2).prepare(encoded)
    assert not encoded.neighbours
