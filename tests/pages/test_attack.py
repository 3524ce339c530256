"""The attack page: every parameter changed, numbers as core gives them, hostile names harmless."""

import re
from collections import OrderedDict
from dataclasses import replace
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core import Policy
from core.base.words import of_hundred, percent
from core.data.encoding import encode
from core.study.hospitals import Study
from core.study.redraws import Redraws
from core.study.run import run_study
from core.study.sweep import sweep
from pages.shared import results, work_queue
from tests import known
from tests.pages.drive import (
    choice_of,
    choose,
    go,
    loaded,
    metrics,
    press,
    set_choice,
    set_picture,
    set_section,
    texts,
    unfold,
    usual,
    with_numbers,
)
from tests.tables import small_table


def test_values_left_and_the_confidence_are_one_choice() -> None:
    app = loaded(*small_table(), repeats=2)
    box = next(one for one in app.number_input if one.label.startswith("Exposed: at most"))
    assert box.value == 1
    box.set_value(4).run()
    assert choice_of(app, "confidence") == 0.25
    app = choose(app, "confidence", 0.3)
    box = next(one for one in app.number_input if one.label.startswith("Exposed: at most"))
    assert box.value == 3, "at C = 30 % at most 3 values are left"


def test_another_meaning_of_exposed_is_not_compared_with_the_one_before() -> None:
    app = loaded(*small_table(), repeats=2)
    assert "Before this move" in texts(choose(app, "my_k", 9))
    assert "Before this move" not in texts(choose(app, "confidence", 0.5))


def test_false_alarms_and_hit_rates_stand_beside_what_they_belong_to() -> None:
    table, schema = small_table()
    app = loaded(table, schema, confidence=0.25)
    assert "accused wrongly" not in texts(app), "the hospitals agree: nobody is"
    set_section(app, "attack", "All numbers")
    app = choose(app, "agreement", 0.6)
    mine, other = usual(Policy(4), 60).hospitals
    study = Study((mine, replace(other, agreement=0.6)), 60)
    frame = sweep(encode(table, schema), study, "releases", [2], Redraws(10, confidences=(1.0, 0.25))).set_index(
        "confidence"
    )
    shown = texts(app)
    for wrong, right in frame[["wrong", "right"]].to_numpy():
        assert wrong > 0
        assert f"{100 * wrong:.1f} % of all are false disclosures; true disclosures **{100 * right:.1f} %**" in shown
    right = f" people; true disclosures {100 * frame.loc[0.25, 'right']:.1f} %"
    assert right in shown.replace("person;", "people;"), "the status bar says it, too"
    assert metrics(app)["Correct guesses"] == percent(frame.loc[1.0, "weighted_hit"])
    assert f"guessing the most common {100 * frame.loc[1.0, 'guess_one']:.1f} %" in shown
    assert shown.count("guessing") == 1, "beside hit rates alone"
    set_section(app, "attack", "Who attacks")
    assert "The weighted adversary knows how often they do" in texts(app.run())


def test_moving_the_slider_moves_the_choice_and_the_numbers() -> None:
    app = loaded(*small_table())
    before = metrics(app)
    slider = next(s for s in app.select_slider if s.label == "People per class (k)")
    slider.set_value(20).run()
    assert choice_of(app, "my_k") == choice_of(app, "their_k") == 20, "the others follow while k is linked"
    assert before != metrics(app)
    for typed in (7, 131):
        exact = next(n for n in app.number_input if n.label == "People per class (k), exact")
        exact.set_value(typed).run()
        assert choice_of(app, "my_k") == typed
    slider = next(s for s in app.select_slider if s.label == "People per class (k)")
    assert slider.value == 131, "beyond the slider by typing"


def test_the_curve_can_be_drawn_against_everything() -> None:
    app = loaded(*small_table(), repeats=3, diversity="distinct", closeness=True, t=0.6)
    for vary in ("k", "l", "t", "overlap", "releases", "agreement"):
        assert not choose(app, "vary", vary).error
        assert choice_of(app, "vary") == vary


@pytest.mark.parametrize("page", ["attack", "review", "overview", "noise"])
def test_a_confidence_whose_mean_over_redraws_is_another_float_is_shown(page: str) -> None:
    """As half of the stops of its slider are."""
    stops = [0.05 + i * 0.01 for i in range(96)]
    confidence = next(c for c in stops if float(np.mean([c] * 10)) != c)
    assert not loaded(*small_table(60), f"pages/{page}/page.py", confidence=confidence, overlap=15).error


def test_choices_survive_a_change_of_page() -> None:
    app = choose(loaded(*small_table()), "overlap", 44)
    app.switch_page("pages/method/page.py").run()
    app.switch_page("pages/attack/page.py").run()
    assert next(s for s in app.slider if s.label == "Shared people (overlap)").value == 44


def test_no_sensitive_value_is_shown_before_a_person_is_opened() -> None:
    assert "value 3" not in texts(loaded(*small_table()))


def test_one_person_is_followed_to_what_core_leaves() -> None:
    table, schema = small_table()
    app = loaded(table, schema)
    set_picture(app, "One person")
    app.run()
    result = run_study(encode(table, schema), usual(Policy(4), 60), 0).result
    left = result.candidates(0)
    assert any(f"{len(left)} values are left" in m.value or "one value is left" in m.value for m in app.markdown)
    press(app, "Somebody exposed")
    chosen = choice_of(app, "person")
    assert result.breached(1.0)[chosen]
    (value,) = result.candidates(chosen)
    lists = [m.value for m in app.markdown if "~~" in m.value]
    assert len(lists) == 2, "one a release"
    assert all(text.count(f":red[**{value}**]") == text.count(":red") == 1 for text in lists), "the rest is struck out"


def test_nobody_exposed_is_said_in_place_of_a_button_that_finds_nobody() -> None:
    app = loaded(*small_table(), my_k=40, their_k=40)
    set_picture(app, "One person")
    assert "Nobody is exposed in this draw." in texts(app.run())
    assert not [button for button in app.button if button.label == "Somebody exposed"]


def test_draws_of_many_records_are_made_in_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = [text for text in texts(loaded(*small_table())).split("\n") if "%" in text]
    in_workers = Mock(wraps=work_queue.in_workers)
    monkeypatch.setattr(known, "_known", OrderedDict())
    monkeypatch.setattr(results, "AT_ONCE", 0)
    monkeypatch.setattr(work_queue, "in_workers", in_workers)
    app = loaded(*small_table())
    parts = [len(call.args[0]) for call in in_workers.call_args_list]
    assert parts[0] == 1, "the first draw is the first answer"
    assert max(parts) > 1
    assert [text for text in texts(app).split("\n") if "%" in text] == expected


@pytest.mark.parametrize("page", ["pages/release/page.py", "pages/attack/page.py"])
def test_no_draw_is_made_twice(monkeypatch: pytest.MonkeyPatch, page: str) -> None:
    redrawn = Mock(wraps=results.redrawn)
    monkeypatch.setattr(known, "_known", OrderedDict())
    monkeypatch.setattr(results, "redrawn", redrawn)
    app = loaded(*small_table(), page)
    asked = [call.args[2:5] for call in redrawn.call_args_list]
    made = [(vary, tuple(values), draws.first + n) for vary, values, draws in asked for n in range(draws.repeats)]
    assert len(made) == len(set(made))
    assert [number for vary, _, number in made if vary == "k"] == list(range(10))
    assert {number for vary, _, number in made if vary != "k"} <= {0}, "the number on the bar, before the curve"
    set_choice(app, "my_k", 5)
    set_choice(app, "their_k", 5)
    go(app, "pages/attack/page.py")
    assert redrawn.call_count == len(asked), "every page makes the draws of the curve over k, too"


def test_more_assumptions_are_sent_where_they_are_unfolded_and_hold_when_they_are_folded() -> None:
    def shown(app: AppTest) -> list[Any]:
        return [slider for slider in app.slider if slider.label.startswith("Same diagnosis")]

    app = loaded(*small_table())
    assert not shown(app)
    (slider,) = shown(unfold(app, "attack"))
    slider.set_value(0.5).run()
    assert not shown(unfold(app, "attack", unfolded=False))
    assert choice_of(app, "agreement") == 0.5


def test_numbers_behind_the_curve_are_sent_where_they_are_unfolded_once_for_all_redraws() -> None:
    app = loaded(*small_table(), repeats=3, section="All numbers")
    sent = [frame for frame in app.dataframe if "Setting" in frame.value]
    assert not sent, "folded away, they would go to the browser with every move"
    app = with_numbers(app, "curve")
    (numbers,) = (frame.value for frame in app.dataframe if "Setting" in frame.value)
    assert set(numbers["Redraws"]) == {3}, "those of the first draw were written over"
    choose(app, "overlap", 30)
    (moved,) = (frame.value for frame in app.dataframe if "Setting" in frame.value)
    assert set(moved["Redraws"]) == {3}, "drawn twice in this run, shown once"
    assert not moved.equals(numbers), "it stays unfolded, and shows the curve of the move"


def test_whoever_is_left_with_nothing_is_in_no_mean_and_said() -> None:
    app = loaded(*small_table(), section="All numbers", my_k=2, their_k=2, agreement=0.3, releases=4, repeats=2)
    shown = texts(app)
    assert re.search(r"would be left with one value.*?, \d+ true disclosures", shown)
    assert re.search(r"On average over those of whom something is left \(\d+\.\d %\);", shown)
    assert "of all; they do not count as exposed" in shown


def test_what_is_also_assumed_is_said_in_words() -> None:
    shown = texts(loaded(*small_table(), agreement=0.7))
    assert "the same diagnosis for 70.0 % of shared people; my classes formed by least loss. The others are " in shown


# --- a hundred patients --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "share, told",
    [
        (0.0, (0, "0")),
        (0.004, (0, "fewer than 1")),
        (0.006, (1, "about 1")),
        (0.17, (17, "17")),
        (0.173, (17, "about 17")),
        (0.994, (99, "about 99")),
        (0.998, (99, "more than 99")),
        (1.0, (100, "100")),
    ],
)
def test_people_of_a_hundred_are_rounded_honestly(share: float, told: tuple[int, str]) -> None:
    assert of_hundred(share) == told


def test_the_dots_stand_in_place_of_the_curve() -> None:
    table, schema = small_table()
    app = loaded(table, schema)
    lists = {"Show", "Draw the curve against"}
    assert lists <= {box.label for box in app.selectbox}
    app.segmented_control(key="attack:picture").set_value("100 patients").run()
    assert not lists & {box.label for box in app.selectbox}, "they would do nothing"
    drawn = [chart.proto.alt for chart in app.get("vega_lite_chart")]
    study = usual(Policy(4), 60)
    row = sweep(encode(table, schema), study, "releases", [2], Redraws(10, confidences=(1.0,))).iloc[0]
    left, alone = of_hundred(row["share"])[1], of_hundred(row["single"])[1]
    alt = next(alt for alt in drawn if alt.startswith("Of 100 patients you share"))
    assert f"{left} left with one value; " in alt
    assert f"{alone} left with one value by the best single release alone" in alt
    assert not any(alt.startswith("Exposed: share") for alt in drawn)
