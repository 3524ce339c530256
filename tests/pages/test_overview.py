"""The page Start: the story's numbers are core's, what is typed there is forgotten, and no table is shown."""

import itertools
import re
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from core import Schema, Table, examples
from core.study.run import Outcome
from pages.overview import examples as story_examples
from pages.overview import story, view
from pages.shared.session import Workspace
from pages.shared.text import percent
from tests.pages import drive
from tests.pages.drive import everything_kept, keep, marked_texts, metrics, workspace_of

ROOT = Path(__file__).parents[2]
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


def test_findings_are_told_in_words_and_not_by_colour_alone():
    told = story_examples.tell(examples.two_hospitals(), "Alice")
    words = story_examples.table_in_words(told, 1, looked=True)
    assert "12 rows, every one like at least 5 others" in words
    assert words.endswith("AIDS, Tuberculosis, Flu, Cancer.")
    signs = story_examples.table(told, 0, looked=True, final=True)["Alice?"]
    assert [row for row, sign in enumerate(signs) if "in both" in sign] == [0]
    assert [row for row, sign in enumerate(signs) if "ruled out" in sign] == [1, 2, 3]


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


@pytest.mark.parametrize(
    ("place", "words", "lists"),
    [
        (0, "at least 3 others in (a), and 5 in (b)", 0),
        (1, "name 3 conditions", 1),
        (2, "with 4 conditions", 2),
        (3, "Only one is: **AIDS**", 2),
    ],
)
def test_every_step_of_the_story_shows_what_was_looked_at(place, words, lists):
    at = drive.opened("pages/overview/page.py", {story.STEP: story.STEPS[place]})
    shown = marked_texts(at)
    assert any(words in text for text in shown)
    assert sum("k = " in text and "possible: :" in text for text in shown) == lists
    assert any(":red-badge[✓ AIDS]" in text for text in shown) == (place == 3)


def test_the_story_can_be_taken_away_as_one_picture():
    at = drive.opened("pages/overview/page.py", {"overview:film": True})
    assert [button.label for button in at.main.get("download_button")] == ["SVG", "PNG"]


def test_lesson_and_guide_are_one_click_away_without_pictures_and_link_into_the_app_alone():
    for section, words in (("A lesson", "Wrong accusations"), ("A guide", "Load the table")):
        shown = "\n".join(marked_texts(drive.opened("pages/overview/page.py", {"overview:sections": section})))
        assert words in shown
        assert re.findall(r"\]\((?!/[a-z]*\?)", shown) == []
    assert "](/attack?" in "\n".join(
        marked_texts(drive.opened("pages/overview/page.py", {"overview:sections": "A lesson"}))
    )


def test_hospitals_a_and_b_with_its_erratum_and_a_table_that_has_nothing_to_intersect():
    at = opened("hospitals_a_and_b")
    assert metrics(at)["Left by both"] == "1"
    assert examples.hospitals_a_and_b().erratum in marked_texts(at)
    keep(at, "overview", "who:hospitals_a_and_b", "Bob")
    at.run()
    assert metrics(at)["Left by both"] == "3"
    assert metrics(at)["Confidence"] == percent(1 / 3)
    assert any("age 38, sex m, zip code 5195" in text for text in marked_texts(at))
    keep(at, "overview", "example", "bobs_class")
    at.run()
    assert metrics(at)["Left by this table"] == "2"
    assert "Left by both" not in metrics(at)
    assert any("no second release" in text for text in marked_texts(at))


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


def described(outcome: Outcome, person: int) -> tuple[str, ...]:
    encoded, row = outcome.mine.encoded, outcome.people[0][person]
    return tuple(domain.labels[codes[row]] for domain, codes in zip(encoded.qids, encoded.codes, strict=True))


@pytest.mark.parametrize(
    ("case", "words"),
    [
        (lambda answer: not view.says_something(answer), "No class of any hospital fits"),
        (lambda answer: view.says_something(answer) and not answer.left, "No diagnosis is on every list"),
        (lambda answer: view.says_something(answer) and answer.left and not answer.truths, "The attacker cannot know"),
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


def test_an_example_opens_as_data_on_every_page():
    at = opened("hospitals_a_and_b")
    assert not any("It replaces" in text for text in marked_texts(at)), "the city is nobody's"
    at.button(key="overview:load").click().run()
    assert workspace_of(at).name == "Hospitals A and B, table A"
    assert any("This is the data of the session now" in text for text in marked_texts(at))
    for page in sorted((ROOT / "pages").glob("*/page.py")):
        at.switch_page(page.relative_to(ROOT).as_posix()).run()
        assert not at.main.error, (page.parent.name, [error.value for error in at.main.error])
