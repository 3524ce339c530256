"""The attack page: every parameter changed, numbers as core gives them, hostile names harmless."""

import re
from collections import OrderedDict
from dataclasses import replace
from typing import Any
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from core import Schema, Table
from core.attack.trail import Step, follow
from core.base.wording import of_hundred
from core.study.population import least_listed
from pages.attack import attackers, computed, curve, person
from pages.shared.compute import attack_results, data_results, work_queue
from pages.shared.state import session
from tests import known
from tests.pages.drive import Session, choice_of, choose, go, loaded, set_choice, texts, unfold
from tests.tables import small_table


def test_values_left_and_the_confidence_are_one_choice() -> None:
    app = loaded(*small_table(), repeats=2)
    box = next(one for one in app.number_input if one.label.startswith("Count as exposed"))
    assert box.value == 1
    box.set_value(4).run()
    assert choice_of(app, "confidence") == 0.25
    app = choose(app, "confidence", 0.3)
    box = next(one for one in app.number_input if one.label.startswith("Count as exposed"))
    assert box.value == 3, "at C = 30% at most 3 values are left"


def test_another_meaning_of_exposed_is_not_compared_with_the_one_before() -> None:
    app = loaded(*small_table(), repeats=2)
    assert "Before this move" in texts(choose(app, "my_k", 9))
    assert "Before this move" not in texts(choose(app, "confidence", 0.5))


def test_the_next_exposed_person_is_another_one_until_all_were_shown(started: Session) -> None:
    (exposed,) = attack_results.outcome().result.breached(float(session.get("confidence"))).nonzero()
    assert len(exposed) > 1
    session.put("person", 1 + int(exposed[-1]))
    for each in exposed:
        person._exposed_person()
        assert session.get("person") == 1 + each


@pytest.mark.parametrize("silent", [1, 2])
def test_nothing_is_learned_of_a_person_whom_no_release_knows(silent: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def without(*asked: Any) -> list[Step]:
        steps = follow(*asked)
        return [*steps[silent:], *(replace(step, matches=()) for step in steps[:silent])]

    monkeypatch.setattr(person, "follow", without)
    app = loaded(*small_table(), state={curve.CLOSER: "One person"})
    assert ("Nothing is learned" in texts(app)) == (silent == 2)


def test_the_curve_can_be_drawn_against_everything() -> None:
    app = loaded(*small_table(), repeats=3, diversity="distinct", closeness=True, t=0.6)
    for vary in ("k", "l", "t", "overlap", "releases", "same_value_rate"):
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


def test_draws_of_many_records_are_made_in_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = [text for text in texts(loaded(*small_table())).split("\n") if "%" in text]
    in_workers = Mock(wraps=work_queue.in_workers)
    monkeypatch.setattr(known, "_known", OrderedDict())
    monkeypatch.setattr(attack_results, "AT_ONCE", 0)
    monkeypatch.setattr(work_queue, "in_workers", in_workers)
    app = loaded(*small_table())
    parts = [len(call.args[0]) for call in in_workers.call_args_list]
    assert parts[0] == 1, "the first draw is the first answer"
    assert max(parts) > 1
    assert [text for text in texts(app).split("\n") if "%" in text] == expected


def test_nothing_is_redrawn_before_the_curve_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Others' first answers wait for this one, and for no interval."""
    steps = Mock()
    steps.attach_mock(Mock(wraps=attack_results.redrawn), "redrawn")
    steps.attach_mock(Mock(wraps=work_queue.answered), "answered")
    monkeypatch.setattr(known, "_known", OrderedDict())
    monkeypatch.setattr(attack_results, "AT_ONCE", 0)
    monkeypatch.setattr(attack_results, "redrawn", steps.redrawn)
    monkeypatch.setattr(work_queue, "answered", steps.answered)
    loaded(*small_table())
    names = [name for name, *_ in steps.mock_calls]
    answered = names.index("answered")
    made = [(args[2], args[4].first, args[4].repeats) for name, args, _ in steps.mock_calls if name == "redrawn"]
    assert made[:answered] == [("releases", 0, 1), ("k", 0, 1)], "the number, then the curve"
    assert {vary for vary, first, _ in made[answered:] if first > 0} == {"releases", "k"}, "their intervals"


@pytest.mark.parametrize("page", ["pages/release/page.py", "pages/attack/page.py"])
def test_no_draw_is_made_twice(monkeypatch: pytest.MonkeyPatch, page: str) -> None:
    redrawn = Mock(wraps=attack_results.redrawn)
    monkeypatch.setattr(known, "_known", OrderedDict())
    monkeypatch.setattr(attack_results, "redrawn", redrawn)
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
    assert choice_of(app, "same_value_rate") == 0.5


def test_a_struck_out_value_in_every_list_says_what_ruled_it_out() -> None:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"age": rng.integers(0, 6, 240).astype(str), "ward": rng.integers(0, 30, 240).astype(str)})
    table = Table.from_frame(frame.assign(diagnosis=rng.choice(list("abcdefghi"), 240)))
    schema = Schema(["age"], "diagnosis", unmodified=["ward"])
    app = loaded(table, schema, repeats=1, state={"attack:sections": "One person"})
    assert next(slider for slider in app.slider if slider.label == "Shared person").min == 1
    lists = [set(re.findall(r"(?:~~|\[\*\*)(\w+)", item.value)) for item in app.markdown if "  \n" in item.value]
    told = [line for item in app.markdown for line in item.value.split("\n") if "ruled out by" in line]
    everywhere = set.intersection(*lists)
    assert told, "the person shows what is tested"
    assert {line[2] for line in told} <= everywhere
    assert all(line.startswith("~~") for line in told)
    left = {word for item in app.markdown for word in re.findall(r":red\[\*\*(\w+)", item.value)}
    assert everywhere == left | {line[2] for line in told}


# --- a hundred patients --------------------------------------------------------------------------
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


# ---- who attacks ------------------------------------------------------------------------


def test_one_control_holds_every_adversary(started: Session) -> None:
    app = loaded(*small_table(), state={curve.CLOSER: "Who attacks?"})
    box = next(one for one in app.selectbox if one.label == "Who attacks?")
    assert box.options == [*attackers.ATTACKERS.values()]
    exposed = attack_results.outcome().result
    assert count_of(app, "Disclosed") == int(exposed.true_disclosures().sum())
    assert count_of(app, "Right by chance") == 0
    assert "True disclosure" not in texts(app)


def test_the_adversary_who_weighs_is_one_of_them() -> None:
    app = loaded(*small_table(), state={curve.CLOSER: "Who attacks?"}, attacker="weighing")
    assert "weighted adversary" in texts(app)
    assert not [metric for metric in app.metric if metric.label == "Disclosed"]


@pytest.mark.parametrize("knows", ["mine", "list"])
def test_claims_are_counted_by_what_they_rest_on(knows: str, started: Session) -> None:
    session.put("attacker", knows)
    session.put("list_times", 2)
    app = loaded(*small_table(), state={curve.CLOSER: "Who attacks?"}, attacker=knows, list_times=2)
    assert not app.error
    least = least_listed(data_results.encoded(), session.scenario().study)
    claims = computed.claims(knows, 2 * least if knows == "list" else least)
    counted = [count_of(app, label) for label in ("Disclosed", "Right by chance", "Wrong")]
    assert counted == [claims.disclosures, claims.by_chance, claims.wrong]
    assert f"{claims.claims:,} claims: {claims.disclosures:,} right about people in both tables" in texts(app)
    assert f"The population list has {claims.listed:,} people" in texts(app)
    ways = [one for one in app.selectbox if one.label == "How the adversary finds the class"]
    assert len(ways) == (knows == "mine")


def test_a_limit_on_people_named_makes_the_number_one_of_the_page() -> None:
    app = loaded(*small_table(), repeats=2, requirements={"named_list": 0.01})
    box = next(one for one in app.selectbox if one.label == "Show")
    assert "Named from a list" in box.options
    box.set_value("named_list").run()
    assert not app.error
    box = next(one for one in loaded(*small_table(), repeats=2).selectbox if one.label == "Show")
    assert "Named from a list" not in box.options


def count_of(app: AppTest, label: str) -> int:
    """Number that a metric shows."""
    (metric,) = [metric for metric in app.metric if metric.label == label]
    return int(metric.value.replace(",", ""))
