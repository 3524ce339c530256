"""The Start page: the story's numbers are core's, and nothing of a file is taken for Markdown."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from core import Policy, Scenario, Schema, Table, examples
from core.data.encoding import encode
from core.release.utility import gcp
from core.study.hospitals import Hospital
from core.study.redraws import Redraws
from core.study.sweep import sweep
from pages.overview import examples as story_examples
from pages.overview import story
from pages.shared import texts as documents
from pages.shared.session import Workspace
from pages.shared.text import count, percent
from tests.hostile import TRICK
from tests.pages.drive import MY_ALGORITHM, keep, spaced, usual, workspace_of
from tests.pages.story_tree import marked_texts, metrics, open_page

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
    assert len(told.left) == golden["posterior"]
    assert told.drop == golden["drop"]
    assert told.confidence == golden["confidence"]
    assert told.k == example.expected["k"]
    if told.result is not None:
        assert tuple(told.result.prior[:, 0]) == golden["prior"]
        assert tuple(sorted(told.result.candidates(0))) == golden["candidates"]


def test_alice_by_the_paper():
    told = story_examples.tell(examples.two_hospitals(), "Alice")
    assert (told.k, told.prior, told.left, told.drop, told.confidence) == ((4, 6), (3, 4), ("AIDS",), 2, 1.0)
    assert told.rows == ((0, 1, 2, 3), (0, 1, 2, 3, 4, 5))
    assert told.values(0) == ("AIDS", "Heart Disease", "Viral Infection")
    assert told.values(1) == ("AIDS", "Tuberculosis", "Flu", "Cancer")


def test_what_the_adversary_knows_of_others_is_their_original_record():
    told = story_examples.tell(examples.hospitals_a_and_b(), "Bob")
    assert told.knows == {"Age": "38", "Sex": "m", "Zip Code": "5195"}
    assert story_examples.tell(examples.two_hospitals(), "Alice").knows == {"Zip code": "13012", "Age": "28"}


@each_person
@pytest.mark.parametrize(("looked", "final"), [(False, False), (True, False), (True, True)])
def test_tables_are_shown_exactly_as_printed(example, person, looked, final):
    told = story_examples.tell(example, person)
    for release, printed in enumerate(example.published):
        shown = story_examples.table(told, release, looked, final)
        assert shown.columns[0] == f"{person}?"
        assert list(shown.columns[1:]) == list(printed.columns)
        assert list(shown.index) == [str(row + 1) for row in range(len(printed))]
        cells = [[unmarked(cell) for cell in row] for row in shown.iloc[:, 1:].to_numpy()]
        assert cells == printed.astype(str).to_numpy().tolist()


def test_rows_that_fit_carry_a_word_and_not_only_a_colour():
    told = story_examples.tell(examples.two_hospitals(), "Alice")
    before = story_examples.table(told, 0, looked=False, final=False)["Alice?"]
    looked = story_examples.table(told, 0, looked=True, final=False)["Alice?"]
    final = story_examples.table(told, 0, looked=True, final=True)["Alice?"]
    assert set(before) == {""}
    assert [row for row, sign in enumerate(looked) if "fits" in sign] == [0, 1, 2, 3]
    assert [row for row, sign in enumerate(final) if "in both" in sign] == [0]
    assert [row for row, sign in enumerate(final) if "only here" in sign] == [1, 2, 3]


@each_person
def test_the_rows_that_fit_are_those_of_the_person_s_class(example, person):
    told = story_examples.tell(example, person)
    places = example.expected.get(person, example.expected).get("rows", (0, 0))
    for release, labels in enumerate(example.labels):
        signs = story_examples.table(told, release, looked=True, final=False)[f"{person}?"]
        same = [label == labels[places[release]] for label in labels]
        assert ["fits" in sign for sign in signs] == same


def test_text_alternatives_tell_the_finding():
    told = story_examples.tell(examples.two_hospitals(), "Alice")
    assert "fit" not in story_examples.table_in_words(told, 0, looked=False)
    words = story_examples.table_in_words(told, 1, looked=True)
    assert "12 rows, every one like at least 5 others" in words
    assert "Rows 1 to 6 fit Alice" in words
    assert words.endswith("AIDS, Tuberculosis, Flu, Cancer.")


def test_chips_escape_values_and_mark_what_is_left():
    line = story_examples.chips([TRICK, "b"], left=["b"])
    assert "![x](" not in line
    assert "$x$" not in line
    assert "~~b~~" not in line
    assert ":red-badge[✓ b]" in line


# ---- sentences -------------------------------------------------------------------------------


def scenario(*policies: Policy) -> Scenario:
    return Scenario(Schema(["a"], "b"), tuple(Hospital(policy) for policy in policies), overlap=1)


@pytest.mark.parametrize(
    ("policies", "words"),
    [
        ((Policy(5), Policy(5)), "k = 5 at both hospitals"),
        ((Policy(5), Policy(5), Policy(5)), "k = 5 at all three hospitals"),
        ((Policy(5), Policy(9)), "k = 5 at my hospital and 9 at the other"),
        ((Policy(5), Policy(9), Policy(3)), "k = 5 at my hospital and 9, 3 at the others"),
        ((Policy(5, l=3), Policy(5, l=3)), "k = 5 at both hospitals, with distinct l = 3,"),
        (
            (Policy(5, l=2.5, diversity="entropy", t=0.4), Policy(5)),
            "k = 5 at both hospitals, with entropy l = 2.5 and t = 0.4 at mine,",
        ),
        (tuple([Policy(5)] * 8), "k = 5 at all eight hospitals"),
    ],
)
def test_the_setting_in_words(policies, words):
    assert story.setting(scenario(*policies)) == words


def test_small_words():
    assert story.wrongly(0.0) == ""
    assert percent(0.02) in story.wrongly(0.02)
    assert story.drawn(1, np.nan, np.nan) == "From one draw of the hospitals."
    assert spaced(story.drawn(10, 0.1, 0.2)) == "95 % interval: 10.0 to 20.0 %."
    assert story.name_in_sentence("The synthetic city") == "the synthetic city"
    assert story.name_in_sentence("Therapy.csv") == "Therapy.csv"


def test_facts_go_into_texts_once():
    assert documents.fill("{{a}} and {{b}}", {"a": 1, "b": "x"}) == "1 and x"
    assert documents.parts("# one\n\nfirst\n\n# two\nsecond\n") == {"one": "first", "two": "second"}


def test_every_text_of_the_page_is_there_and_filled():
    texts = documents.overview()
    told = story_examples.tell(examples.two_hospitals(), "Alice")
    for step in ("tables", "a", "b", "both"):
        filled = documents.fill(texts[f"step {step}"], story.alice_facts(told))
        assert filled
        assert "{{" not in filled
    assert all(len(text) < 420 for text in texts.values()), "no walls of text"


# ---- the page --------------------------------------------------------------------------------


def test_a_stranger_sees_the_question_the_story_and_the_city():
    at = open_page("overview")
    said = "\n".join(marked_texts(at))
    assert "how many of our shared patients are exposed, and what would it cost" in said
    assert "stays on this computer" in said
    assert len(at.main.table) == 2
    assert "{{" not in said
    assert not at.main.error


def test_the_numbers_of_the_city_are_core_s_own():
    at = open_page("overview")
    encoded = encode(examples.city(), examples.city_schema())
    study = usual(Policy(5), 5000)
    found = sweep(encoded, study, "releases", [2], Redraws(10, 0, confidences=(1.0, 0.25))).set_index("confidence")
    shown = metrics(at)
    assert shown["Exposed: one diagnosis left"] == percent(found.loc[1.0, "share"])
    assert shown["By the best single release"] == percent(found.loc[1.0, "single"])
    assert shown["Own value named"] == percent(found.loc[1.0, "weighted_hit"])
    named = next(metric for metric in at.main.metric if metric.label == "Own value named")
    assert f"right for {percent(found.loc[1.0, 'guess_one'])}" in named.help, "a hit rate beside a hit rate"
    sentence = next(text for text in marked_texts(at) if text.startswith("In the synthetic city"))
    assert sentence == (
        f"In the synthetic city, k = 5 at both hospitals leaves one possible diagnosis for "
        f"**{percent(found.loc[1.0, 'share'])}** of {count(5000)} shared people."
    )


def test_the_story_goes_forward_and_back():
    at = open_page("overview")
    assert at.button(key="overview:back").disabled
    for _ in range(3):
        at.button(key="overview:next").click().run()
        assert not at.exception
    assert at.button(key="overview:next").disabled
    shown = metrics(at)
    assert [shown[name] for name in ("Left by (a) alone", "Left by (b) alone", "Left by both", "Drop")] == [
        "3",
        "4",
        "1",
        "2",
    ]
    assert shown["Confidence"] == percent(1).replace(".0", "")
    assert any("Only one is: **AIDS**" in text for text in marked_texts(at))
    at.button(key="overview:back").click().run()
    assert "Left by both" not in metrics(at)
    assert any("with 4 conditions" in text for text in marked_texts(at))


@pytest.mark.parametrize("step", story.STEPS)
def test_every_step_can_be_opened_at_once(step):
    at = open_page("overview")
    at.session_state[story.STEP] = step
    at.run()
    assert not at.exception
    assert len(at.main.table) == 2


def test_hospitals_a_and_b_with_its_erratum():
    at = open_page("overview")
    keep(at, "overview", "example", "hospitals_a_and_b")
    at.run()
    assert not at.exception
    assert metrics(at)["Left by both"] == "1"
    assert examples.hospitals_a_and_b().erratum in marked_texts(at)
    keep(at, "overview", "who:hospitals_a_and_b", "Bob")
    at.run()
    assert metrics(at)["Left by both"] == "3"
    assert metrics(at)["Confidence"] == percent(1 / 3)
    assert any("age 38, sex m, zip code 5195" in text for text in marked_texts(at))


def test_bobs_class_has_nothing_to_intersect():
    at = open_page("overview")
    keep(at, "overview", "example", "bobs_class")
    at.run()
    assert not at.exception
    assert metrics(at)["Left by this table"] == "2"
    assert "Left by both" not in metrics(at)
    assert metrics(at)["Confidence"] == percent(0.5).replace(".0", "")
    assert any("no second release" in text for text in marked_texts(at))


def test_one_resident_is_exposed_step_by_step():
    at = open_page("overview", {"overview:resident": True})
    keep(at, "overview", "resident", True)
    at.run()
    assert not at.exception
    said = marked_texts(at)
    assert any(text.startswith("An invented resident") for text in said)
    left = [text for text in said if ":red-badge[✓" in text]
    assert len(left) == 2, "one line of diagnoses a hospital"
    assert all(line.count(":red-badge[") == 1 for line in left)
    assert len({re.search(r":red-badge\[✓ (\w+)", line).group(1) for line in left}) == 1


# ---- other data ------------------------------------------------------------------------------


def small(columns: list[str], values: list[str], rows: int = 60) -> Workspace:
    frame = pd.DataFrame(
        {columns[0]: [str(20 + i % 9) for i in range(rows)], columns[1]: [values[i % len(values)] for i in range(rows)]}
    )
    return Workspace(Table.from_frame(frame), Schema([columns[0]], columns[1]), "small.csv", example=False)


def load(workspace: Workspace) -> dict[str, object]:
    return {"workspace": workspace, "choice:overlap": 10, "choice:my_k": 3, "choice:their_k": 3}


def test_a_loaded_table_is_spoken_of_by_its_own_names_and_nobody_of_it_is_shown():
    at = open_page("overview", load(small(["age", "job"], ["clerk", "nurse", "baker"])))
    said = "\n".join(marked_texts(at))
    assert "In small\\.csv, k = 3 at both hospitals leaves one possible job for" in said
    assert "of 10 shared people" in said
    assert "clerk" not in said
    assert "step by step" not in said


def test_hostile_headers_and_values_stay_text():
    workspace = small(["a" + TRICK, "b" + TRICK], [TRICK, "=1+1", "x" * 10_000])
    at = open_page("overview", load(replace(workspace, name=TRICK)))
    for text in marked_texts(at):
        for mark in ("![x](", "<script>", "$x$", ":red[x]"):
            assert mark not in text
        assert len(text) < 2000
    assert any("evil" in text for text in marked_texts(at)), "the sensitive column is named"


def test_a_setting_that_cannot_be_met_is_refused_in_a_sentence():
    at = open_page("overview", load(small(["age", "job"], ["clerk", "nurse"])) | {"choice:my_k": 99})
    assert at.main.error
    assert "99" in at.main.error[0].value
    assert len(at.main.table) == 2, "the story is still there"


def test_an_example_opens_as_data_on_every_page():
    at = open_page("overview")
    keep(at, "overview", "example", "hospitals_a_and_b")
    at.run()
    at.button(key="overview:load:hospitals_a_and_b").click().run()
    assert not at.exception
    assert workspace_of(at).name == "Hospitals A and B, table A"
    assert any("of 3 shared people" in text for text in marked_texts(at))
    assert any("This is the data of the session now" in text for text in marked_texts(at))
    for page in sorted((ROOT / "pages").glob("*/page.py")):
        at.switch_page(page.relative_to(ROOT).as_posix()).run()
        assert not at.exception, (page.parent.name, [error.value for error in at.exception])
        assert not at.main.error, (page.parent.name, [error.value for error in at.main.error])


def test_opening_an_example_says_what_it_replaces():
    at = open_page("overview", load(small(["age", "job"], ["clerk", "nurse", "baker"])))
    keep(at, "overview", "example", "hospitals_a_and_b")
    at.run()
    assert any("It replaces **small\\.csv**" in text for text in marked_texts(at))
    city = open_page("overview")
    keep(city, "overview", "example", "hospitals_a_and_b")
    city.run()
    assert not any("It replaces" in text for text in marked_texts(city))


def test_the_cost_is_that_of_my_release():
    at = open_page("overview")
    shown = metrics(at)["Cost: information loss"]
    from core.algorithms import partition

    encoded = encode(examples.city(), examples.city_schema())
    assert shown == percent(gcp(partition(encoded, Policy(5), MY_ALGORITHM)))


# ---- the drawings ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["icon.svg", "logo.svg"])
def test_drawings_are_small_and_fetch_nothing(name):
    text = (ROOT / "assets" / name).read_text(encoding="utf-8")
    root = ET.fromstring(text)
    assert len(text) < 4000
    assert root.get("aria-label") == "Composition"
    tags = {node.tag.rpartition("}")[2] for node in root.iter() if isinstance(node.tag, str)}
    assert tags <= {"svg", "rect", "path"}, "no text in a font that may not be there, no image, no script"
    assert "http" not in text.replace('xmlns="http://www.w3.org/2000/svg"', "")
