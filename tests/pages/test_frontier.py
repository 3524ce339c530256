"""The frontier: what is tried is what core works out, limits decide what is best, and a setting becomes my release."""

from __future__ import annotations

import math
from typing import Any
from unittest.mock import Mock

import pandas as pd
import pytest

from core import Policy
from core.algorithms import partition
from core.base.errors import InfeasibleError
from core.data.encoding.encoded import encode
from core.release.utility import gcp
from core.study.redraws import Redraws
from core.study.sweep import sweep
from pages.hold import view
from pages.shared.compute import attack_results, settings_tried
from pages.shared.ui import charts
from tests.pages.drive import MY_ALGORITHM, Session, choice_of, loaded, spaced, texts, usual
from tests.tables import small_table

PAGE = "pages/hold/page.py"


def tried(**changes: list[object]) -> pd.DataFrame:
    """Three settings: the present one, a dearer one that exposes less, and one that is worse in both."""
    frame = pd.DataFrame(
        {
            "words": ["Least loss", "Least loss", "Mondrian"],
            "setting": ["k = 5", "k = 10", "k = 5, mondrian"],
            "k": [5, 10, 5],
            "loss": [0.03, 0.06, 0.11],
            "share": [0.24, 0.02, 0.3],
            "low": [0.2, 0.01, 0.25],
            "high": [0.28, 0.04, 0.35],
            "right": [0.14, 0.01, 0.2],
            "wrong": [0.1, 0.01, 0.1],
            "single": [0.01, 0.0, 0.02],
            "state": ["now", "", ""],
            "part": [1.0, 1.0, 1.0],
        }
    )
    return frame.assign(**changes)


NOBODY = "**None** of 3 settings keeps your limits; **k = 10** has the lowest exposure: 2.0% exposed "
HALF = (
    "Of 3 settings, **k = 10** halves what is exposed now, with its whole interval, and loses least: "
    "2.0% exposed "
)
TENTH = "Of 3 settings, **k = 10** keeps your limits and loses least: 2.0% exposed "
STAY = "Of 3 settings, the **present one** keeps your limits and loses least: 24.0% exposed "


@pytest.mark.parametrize(
    ("limits", "best", "sentence"),
    [
        (view.ExposureLimits(), "k = 10", HALF),
        (view.ExposureLimits(exposed=0.3), "k = 5", STAY),
        (view.ExposureLimits(exposed=0.25), "k = 10", TENTH),
        (view.ExposureLimits(exposed=0.03), None, NOBODY),
        (view.ExposureLimits(lost=0.05), "k = 5", STAY),
        (view.ExposureLimits(exposed=0.05, lost=0.05), None, NOBODY),
        (view.ExposureLimits(k=6), "k = 10", TENTH),
        (view.ExposureLimits(right=0.15), "k = 10", TENTH),
    ],
)
def test_the_best_loses_least_of_those_whose_whole_interval_keeps_the_limits(
    limits: view.ExposureLimits, best: str | None, sentence: str
) -> None:
    row = view.best(tried(), limits)
    assert (None if row is None else row["setting"]) == best
    assert spaced(view.sentence(tried(), limits)).startswith(f"{sentence}(95% interval ")


def test_what_has_no_interval_keeps_a_limit_on_average_only() -> None:
    drawn_once = tried(low=math.nan, high=math.nan)
    said = spaced(view.sentence(drawn_once, view.ExposureLimits(exposed=0.03)))
    assert "**k = 10** keeps your limits on average only and loses least: 2.0% exposed (no interval; " in said
    assert "on average" not in view.sentence(drawn_once, view.ExposureLimits(lost=0.05))


def test_nothing_is_halved_where_nobody_is_exposed_or_no_setting_does_it() -> None:
    nobody = tried(share=0.0)
    assert view.sentence(nobody, view.ExposureLimits()).startswith("The **present setting** exposes no one")
    worse = tried(share=[0.2, 0.19, 0.3], high=[0.3, 0.3, 0.4])
    said = view.sentence(worse, view.ExposureLimits())
    assert said.startswith(
        "**None** of 3 settings halves what is exposed now; **k = 10** has the lowest exposure"
    )


def test_only_settings_that_no_other_beats_in_both_are_worth_choosing_and_the_present_one() -> None:
    assert view.worth_choosing(tried())["setting"].tolist() == ["k = 5", "k = 10"]
    assert "k = 5, mondrian" in view.worth_choosing(tried(state=["", "", "now"]))["setting"].tolist()


def test_every_setting_is_that_of_core() -> None:
    table, schema = small_table()
    app = loaded(table, schema, PAGE, "Every setting that was tried", repeats=2)
    frame = app.dataframe[0].value.set_index("Setting")
    assert set(frame["Classes by"]) >= {"Least loss", "Mondrian", "Least loss, l = 3 (distinct)"}
    encoded = encode(table, schema)
    (point,) = sweep(encoded, usual(Policy(4), 60), "k", [8], Redraws(2, confidences=(1.0,))).to_dict("records")
    row = frame.loc["k = 8, least loss"]
    assert row["Exposed (%)"] == pytest.approx(100 * point["share"], abs=0.006)
    loss = gcp(partition(encoded, Policy(8), MY_ALGORITHM))
    assert row["Information loss (%)"] == pytest.approx(100 * loss, abs=0.006)


def test_a_line_that_no_release_can_meet_is_left_out_and_not_tried_again(
    started: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = next(iter(settings_tried.lines().values()))
    refused = Mock(side_effect=InfeasibleError("not even the whole table"))
    monkeypatch.setattr(attack_results, "curve", refused)
    for _ in range(2):
        assert settings_tried.worked_out(line, 1).empty
    assert refused.call_count == 1


def test_a_setting_becomes_my_release() -> None:
    for linked in (True, False):
        app = loaded(*small_table(), PAGE, repeats=2, linked=linked)
        assert ("all of them with the k of the setting" if linked else "the others with k = 4") in texts(app)
        box = app.selectbox(key="hold:setting")
        another = next(name for name in box.options if name.startswith("k = ") and not name.startswith("k = 4,"))
        box.set_value(another).run()
        app.button(key="hold:take").click().run()
        assert another.startswith(f"k = {choice_of(app, 'my_k')}, ")
        assert choice_of(app, "their_k") == (choice_of(app, "my_k") if linked else 4)
        assert "My release now" in texts(app)


def test_a_hollow_dot_breaks_the_limit_with_the_end_of_its_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[pd.DataFrame] = []

    def noted(chart: Any, **_: Any) -> None:
        drawn.extend(table for table in chart.specification()[1].values() if "solid" in table)

    monkeypatch.setattr(charts, "show", noted)
    loaded(*small_table(), PAGE, repeats=10, requirements={"one_value_left": 0.2})
    dots = max(drawn, key=len)
    worst = dots["high"].fillna(dots["share"])
    assert ((dots["share"] <= 0.2) & (worst > 0.2)).any(), "some dot keeps it on average only"
    assert dots["solid"].tolist() == (worst <= 0.2).astype(int).tolist()
