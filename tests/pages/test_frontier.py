"""The frontier: what is tried is what core works out, limits decide what is best, and a setting becomes my release."""

from __future__ import annotations

import math
import re
from typing import Any
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
import streamlit
from hypothesis import given
from hypothesis import strategies as st

from core import Policy, agree
from core.algorithms import partition
from core.base.errors import InfeasibleError
from core.base.rates import redraw_intervals
from core.data.encoding.encoded import encode
from core.release.utility import gcp
from core.study.redraws import Redraws
from core.study.sweep import sweep
from pages.hold import frontier, view, ways
from pages.shared.compute import attack_results, settings_tried
from pages.shared.state import session
from pages.shared.ui import agreements, charts, summary
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
HALF = "Of 3 settings, **k = 10** halves what is exposed now, with its whole interval, and loses least: 2.0% exposed "
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
    assert said.startswith("**None** of 3 settings halves what is exposed now; **k = 10** has the lowest exposure")


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


# --- a recommendation that stays ----------------------------------------------------------------


@st.composite
def worlds(draw: st.DrawFn) -> tuple[pd.DataFrame, np.ndarray, view.ExposureLimits]:
    """Settings with the shares of all their draws, and limits."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    size, repeats = draw(st.integers(2, 14)), draw(st.sampled_from([2, 10, 12]))
    typical = rng.choice([0.0, 0.001, 0.01, 0.1, 0.4], size)[:, None]
    shares = np.clip(typical * rng.lognormal(0, draw(st.sampled_from([0.1, 0.8])), (size, repeats)), 0, 1)
    frame = pd.DataFrame(
        {
            "setting": [f"setting {i}" for i in range(size)],
            "k": rng.integers(2, 9, size),
            "loss": rng.integers(0, 8, size) / 20,  # some lose the same
            "wrong": 0.0,
            "single": 0.0,
            "state": ["now"] + [""] * (size - 1),
        }
    )
    exposed, lost, right, k = (
        draw(st.sampled_from([math.nan, *some])) for some in ((0.0, 0.02, 0.15), (0.1, 0.25), (0.05,), (4, 6))
    )
    return frame, shares, view.ExposureLimits(exposed, lost, right, k)


def after(frame: pd.DataFrame, shares: np.ndarray, made: np.ndarray) -> pd.DataFrame:
    """The settings after some draws of each; an interval after all."""
    repeats = shares.shape[1]
    mean = np.array([row[:times].mean() for row, times in zip(shares, made, strict=True)])
    low, high = redraw_intervals(shares.T, 500.0)
    there = made == repeats
    ends = {"low": np.where(there, low, np.nan), "high": np.where(there, high, np.nan)}
    return frame.assign(share=mean, right=mean, part=made / repeats, **ends)


@given(worlds())
def test_what_is_recommended_is_what_all_draws_of_all_settings_recommend_and_never_changes(
    world: tuple[pd.DataFrame, np.ndarray, view.ExposureLimits],
) -> None:
    """The slow twin: every setting tried to the end."""
    frame, shares, limits = world
    repeats = shares.shape[1]
    whole = after(frame, shares, np.full(len(frame), repeats))
    wanted = view.best(whole, limits)
    made = np.where(frame["state"] == "now", repeats, 1)
    for _ in range(len(frame) * repeats):
        now = after(frame, shares, made)
        first = view.best(now, limits)
        assert first is None or (wanted is not None and first["setting"] == wanted["setting"])
        if "None" in view.sentence(now, limits):
            break
        targets = view.targets(now, limits, repeats)
        if not len(targets):
            break
        assert (targets > made[targets.index]).all(), "every step draws on"
        made[targets.index] = targets
    else:
        pytest.fail("it comes to an end")
    assert view.settled(now, limits).all()
    assert view.sentence(now, limits).partition(":")[0] == view.sentence(whole, limits).partition(":")[0]


def test_nothing_is_in_bold_while_another_setting_could_still_be_better() -> None:
    limit = view.ExposureLimits(exposed=0.05)
    open_still = tried(part=[1.0, 1.0, 0.1], loss=[0.03, 0.06, 0.05], share=[0.24, 0.02, 0.04])
    assert view.best(open_still, limit) is None
    assert "**" not in view.sentence(open_still, limit)
    dearer = open_still.assign(loss=[0.03, 0.06, 0.07])
    assert "**k = 10**" in view.sentence(dearer, limit)
    assert "**" not in view.sentence(dearer, limit, missing=1), "a line without a draw"
    certain = open_still.assign(share=[0.24, 0.02, 0.51])
    assert "**k = 10**" in view.sentence(certain, limit), "a tenth of the draws alone gives 5.1%"
    none = tried(share=[0.24, 0.2, 0.3], high=[0.3, 0.3, 0.4], part=[1.0, 0.1, 1.0])
    assert "**" not in view.sentence(none, limit), "none is said when all are tried"


def test_what_is_drawn_setting_by_setting_is_what_the_whole_line_gives(started: Session) -> None:
    session.put("repeats", 12)
    line = list(settings_tried.lines().values())[-1]
    settings_tried.begin([line], lambda _: None)
    words, ks = settings_tried.line_words(line.mine), settings_tried.points(line)
    for target in (3, 2, 12):
        settings_tried.draw_on({words: {ks[0]: target, ks[2]: min(target, 5)}}, lambda _: None)
    drawn = settings_tried.so_far(line)
    assert (12 * drawn["part"]).round().tolist()[:3] == [12, 1, 5]
    assert drawn["low"].isna().tolist()[:3] == [False, True, True], "an interval needs all draws"
    state = streamlit.session_state[session.RESULTS]
    for key in [key for key in state if "draws" in key]:
        state.pop(key)
    pd.testing.assert_frame_equal(settings_tried.so_far(line), drawn, obj="with a first draw that was forgotten")
    first = settings_tried.worked_out(line, 1)
    whole = settings_tried.worked_out(line, 12)
    for at, twin in ((0, whole), (1, first)):
        names = twin.columns.drop("repeats")
        pd.testing.assert_series_equal(drawn.loc[at, names], twin.loc[at, names], check_names=False, rtol=1e-12)
    assert drawn["loss"].tolist() == whole["loss"].tolist()


def test_an_agreement_that_begins_with_the_lines_gives_what_it_gives_alone(started: Session) -> None:
    table, schema = small_table()
    agreements.keep(agree(table.take(np.arange(300)), schema, least=2))
    ways.ask()
    listed = [ways.way(name) for name in frontier.WAYS]
    settings_tried.begin([], lambda _: None, as_they_are=[way.scenario for way in listed if way.scenario])
    state = streamlit.session_state[session.RESULTS]
    assert sum("draws" in key for key in state) == 2
    begun = [ways.worked_out(way.scenario) for way in listed if way.scenario]
    state.clear()
    alone = [ways.worked_out(way.scenario) for way in listed if way.scenario]
    pd.testing.assert_frame_equal(pd.DataFrame(begun), pd.DataFrame(alone))


@pytest.mark.parametrize(
    "choices", [{"requirements": {"one_value_left": 0.05}, "releases": 3}, {"requirements": {"one_value_left": 0.0}}]
)
def test_from_opening_to_rest_the_page_recommends_one_thing_or_nothing(
    monkeypatch: pytest.MonkeyPatch, choices: dict[str, object]
) -> None:
    said: list[str] = []
    sentence = view.sentence

    def noted(*given: Any) -> str:
        said.append(sentence(*given))
        return said[-1]

    monkeypatch.setattr(view, "sentence", noted)
    monkeypatch.setattr(frontier, "ENOUGH", 0.0)  # the page is drawn again after every step
    app = loaded(*small_table(), PAGE, repeats=10, **choices)
    bold = [tuple(re.findall(r"\*\*(.+?)\*\*", text)) for text in said]
    assert bold[0] == (), "nothing is known at first"
    assert bold[-1] != ()
    assert len(set(bold)) == 2
    assert not [each for each in app.get("progress") if "tried so far" in each.text], "all are tried"


def test_what_is_still_computed_cannot_be_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frontier, "_next_step", lambda: None)
    monkeypatch.setattr(summary, "_draw_all", lambda _: False)
    app = loaded(*small_table(), PAGE, repeats=10)
    assert "settings tried so far" in app.get("progress")[0].text
    box = app.selectbox(key="hold:setting")
    box.set_value(next(name for name in box.options if not name.startswith("k = 4,"))).run()
    assert app.button(key="hold:take").disabled
    assert "Not yet: the interval of this setting is still being computed." in texts(app)
    monkeypatch.undo()
    app.run()
    assert not app.button(key="hold:take").disabled, "the setting that is looked at gets all draws"
