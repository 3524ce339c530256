"""The page Start: the story's numbers are core's, what is typed there is forgotten, and no table is shown."""

import dataclasses
import itertools
import re

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from core import Schema, Table, examples
from core.study.one_run import Outcome
from pages.overview import examples as story_examples
from pages.overview import view
from pages.shared.state.session import Workspace
from tests.pages import drive
from tests.pages.drive import everything_kept, keep, marked_texts

PEOPLE = [
    (example, person)
    for example, first in zip(examples.worked_examples(), ("Alice", "Alice", "Bob"), strict=True)
    for person in story_examples.people(example, first)
]
each_person = pytest.mark.parametrize("example, person", PEOPLE, ids=[f"{e.name}-{p}" for e, p in PEOPLE])


def unmarked(cell: str) -> str:
    """Return a cell of the story without its marks, as printed."""
    for wrapped in (r":gray\[(.*)\]", r":red-background\[(.*)\]", r"\*\*(.*)\*\*", r"~~(.*)~~"):
        found = re.fullmatch(wrapped, cell)
        cell = found.group(1) if found else cell
    return re.sub(r"\\(.)", r"\1", cell)


# ---- the worked examples, told ---------------------------------------------------------------


@each_person
def test_the_numbers_told_are_the_golden_ones(example, person):
    told = story_examples.tell(example, person)
    golden = example.expected.get(person, example.expected)
    assert told.prior == golden["prior"]
    assert tuple(step.size for step in told.steps) == golden["sizes"]
    assert tuple(sorted(told.left)) == golden["candidates"]
    assert (len(told.left), told.drop, told.confidence) == (golden["posterior"], golden["drop"], golden["confidence"])
    assert told.k == example.expected["k"]


@each_person
@pytest.mark.parametrize(("looked", "final"), [(False, False), (True, False), (True, True)])
def test_tables_are_shown_exactly_as_printed(example, person, looked, final):
    told = story_examples.tell(example, person)
    for release, printed in enumerate(example.published):
        shown = story_examples.table(told, release, looked, final)
        assert list(shown.columns) == [f"{person}?", *printed.columns]
        assert list(shown.index) == [str(row + 1) for row in range(len(printed))]
        cells = [[unmarked(cell) for cell in row] for row in shown.iloc[:, 1:].to_numpy()]
        assert cells == printed.astype(str).to_numpy().tolist()


# ---- texts -----------------------------------------------------------------------------------


# ---- the page --------------------------------------------------------------------------------


def opened(example: str, prepare: dict[str, object] | None = None) -> AppTest:
    at = drive.opened("pages/overview/page.py", {"overview:sections": "More examples", **(prepare or {})})
    keep(at, "overview", "example", example)
    return at.run()


def test_a_stranger_sees_the_question_the_story_and_the_target_and_no_number_of_the_city():
    at = drive.opened("pages/overview/page.py")
    shown = "\n".join(marked_texts(at))
    assert "How many of our shared patients are exposed" in shown
    assert "stays on this computer" in shown
    assert len(at.main.table) == 2
    assert "{{" not in shown
    assert not any("Information loss" in caption.value for caption in at.caption)


def test_lesson_and_guide_are_one_click_away_without_pictures_and_link_into_the_app_alone():
    for section, words in (("A lesson", "Incorrect inferences"), ("A guide", "Load the table")):
        shown = "\n".join(marked_texts(drive.opened("pages/overview/page.py", {"overview:sections": section})))
        assert words in shown
        assert re.findall(r"\]\((?!/[a-z]*\?)", shown) == []


def test_an_answer_of_the_lesson_is_folded_and_a_link_opens_its_page_in_the_same_session():
    at = drive.opened("pages/overview/page.py", {"overview:sections": "A lesson"})
    assert "24.3 of 100" not in "\n".join(marked_texts(at))
    at.session_state["overview:reveal:1"] = True
    assert "24.3 of 100" in "\n".join(marked_texts(at.run()))
    next(one for one in at.button if one.label == "Three hospitals").click().run()
    assert not at.exception
    assert drive.choice_of(at, "releases") == 3
    assert "If others publish" in [title.value for title in at.title]


# ---- be the target ---------------------------------------------------------------------------

AGE, SEX, ZIP, GUESS = (f"overview:target:{name}" for name in ("age", "sex", "zip", "guess"))


def test_nothing_is_revealed_before_the_guess_and_another_person_needs_another():
    at = drive.opened("pages/overview/page.py")
    assert not any("Hospital 2" in text for text in marked_texts(at))
    at.number_input(key=GUESS).set_value(2).run()
    shown = "\n".join(marked_texts(at))
    assert "You said 2; **1 is left**. In truth this resident has **Prostate cancer**." in shown
    assert [f"**Hospital {number}**" in shown for number in range(1, 5)] == [True] * 4
    at.number_input(key=AGE).set_value(54).run()
    assert at.number_input(key=GUESS).value is None
    assert not any("Hospital 2" in text for text in marked_texts(at))


def test_what_is_typed_is_looked_for_in_the_built_in_city_and_leaves_with_the_page():
    frame = pd.DataFrame({"age": [str(20 + i % 9) for i in range(60)], "job": ["clerk", "nurse", "baker"] * 20})
    small = Workspace(Table.from_frame(frame), Schema(["age"], "job"), "small.csv", example=False)
    at = drive.opened(
        "pages/overview/page.py", {"workspace": small, "choice:overlap": 10, "choice:my_k": 3, "choice:their_k": 3}
    )
    settings = at.query_params.copy()
    at.number_input(key=GUESS).set_value(1).run()
    shown = "\n".join(marked_texts(at))
    assert "Prostate cancer" in shown
    assert "clerk" not in shown
    at.number_input(key=AGE).set_value(87).run()
    at.selectbox(key=ZIP).set_value("00428").run()
    at.number_input(key=GUESS).set_value(3).run()
    assert at.query_params == settings
    assert [name for name, value in everything_kept(at).items() if "00428" in str(value)] == [ZIP]
    at.switch_page("pages/method/page.py").run()
    assert not any(name.startswith("overview:target") for name in everything_kept(at))
    at.switch_page("pages/overview/page.py").run()
    assert at.number_input(key=AGE).value == view.FIRST.age
    assert at.number_input(key=GUESS).value is None
    at = opened("hospitals_a_and_b", {"workspace": small})
    assert any("It replaces **small\\.csv**" in text for text in marked_texts(at))


def test_the_answer_is_the_attack_on_a_resident_of_all_hospitals():
    answer = view.look_up(view.FIRST)
    outcome = view.published()
    (person,) = [one for one in range(view.SHARED) if described(outcome, one) == ("53", "male", "00452")]
    assert answer.truths == (outcome.result.values[outcome.result.truth[person]],)
    assert set(answer.left) == set(outcome.result.candidates(person))
    assert [len(step.left) for step in answer.steps] == [6, 3, 2, 1]
    for place, (before, after) in enumerate(itertools.pairwise(answer.steps), 1):
        assert set(view.ruled_out(answer, place)) == set(before.left) - set(after.left)


def test_a_person_whom_one_hospital_alone_may_have_is_looked_up_there():
    answer = view.look_up(view.FIRST)
    first, *others = answer.steps
    alone = dataclasses.replace(answer, steps=(first, *(dataclasses.replace(step, matches=()) for step in others)))
    assert view.matches_any_class(alone)
    nobody = dataclasses.replace(answer, steps=tuple(dataclasses.replace(step, matches=()) for step in answer.steps))
    assert not view.matches_any_class(nobody)


def described(outcome: Outcome, person: int) -> tuple[str, ...]:
    encoded, row = outcome.mine.encoded, outcome.people[0][person]
    return tuple(domain.labels[codes[row]] for domain, codes in zip(encoded.qids, encoded.codes, strict=True))


@pytest.mark.parametrize(
    ("case", "words"),
    [
        (lambda answer: not view.matches_any_class(answer), "No class of any hospital fits"),
        (lambda answer: view.matches_any_class(answer) and not answer.left, "No diagnosis is on every list"),
        (
            lambda answer: view.matches_any_class(answer) and answer.left and not answer.truths,
            "The attacker cannot know",
        ),
        (lambda answer: len(answer.truths) > 1 and answer.left, "residents with these values were in all hospitals"),
    ],
)
def test_whoever_is_in_no_table_is_told_what_that_means(case, words):
    people = itertools.product(range(0, 101, 3), view.choices("sex"), view.choices("zip code"))
    person = next(person for values in people if case(view.look_up(person := view.Person(*values))))
    at = drive.opened("pages/overview/page.py")
    at.number_input(key=AGE).set_value(person.age)
    at.selectbox(key=SEX).set_value(person.sex)
    at.selectbox(key=ZIP).set_value(person.zip_code).run()
    at.number_input(key=GUESS).set_value(1).run()
    assert any(words in text for text in marked_texts(at))


# ---- other data ------------------------------------------------------------------------------
