"""Persons with several records on the pages: the role, one record a person, what is said aloud."""

import pytest
from streamlit.testing.v1 import AppTest

from core import Policy, Schema, Table
from core.algorithms import partition
from core.base.words import count
from core.data.encoding import encode
from pages.shared import column_draft
from tests.pages.drive import at_section, loaded, page_of, set_picture, set_section, spaced, texts, workspace_of
from tests.visits import made_visits

SCHEMA = Schema(["age", "zip"], "diagnosis", person="patient_nbr")
NAMED = Schema(["age", "zip"], "diagnosis", identifiers=["patient_nbr"])
PEOPLE = 300


@pytest.fixture(scope="module")
def table() -> Table:
    return Table.from_frame(made_visits(PEOPLE))


def opened(page: str, table: Table, schema: Schema = SCHEMA, **choices: object) -> AppTest:
    return loaded(table, schema, page_of(page), **{"overlap": 40, "repeats": 2, **choices})


# ---- data ---------------------------------------------------------------------------------


def test_data_says_how_many_persons_and_offers_one_record_of_each(table: Table) -> None:
    app = opened("data", table, section="Persons")
    assert spaced(f"{count(len(table))} records") in texts(app)
    assert "300 persons" in texts(app)
    assert not app.warning
    for how in ("first", "random", "last"):
        app = app.radio(key=column_draft.ONE).set_value(how).run()
        assert (workspace_of(app).schema.person, workspace_of(app).schema.one_record) == ("patient_nbr", how)
        if how == "random":
            app = app.number_input(key=column_draft.SEED).set_value(9).run()
            assert workspace_of(app).schema.record_seed == 9
    app = app.switch_page("pages/release/page.py").run()
    assert "one record of each person is released" in texts(app)
    app = at_section(app.switch_page("pages/data/page.py"), "data", "Persons")
    assert (app.radio(key=column_draft.ONE).value, workspace_of(app).schema.one_record) == ("last", "last")
    app = app.radio(key=column_draft.ONE).set_value(column_draft.ALL_RECORDS).run()
    assert workspace_of(app).schema.one_record is None


@pytest.mark.parametrize("page", ["data", "release"])
def test_a_repeated_identifier_is_said_aloud_before_anything_is_released(page: str, table: Table) -> None:
    for schema, warnings in ((NAMED, 1), (SCHEMA, 0)):
        shown = [warning.value for warning in opened(page, table, schema).warning]
        assert sum("repeats" in text and "person column" in text for text in shown) == len(shown) == warnings


# ---- release ------------------------------------------------------------------------------


def test_asked_and_measured_are_of_persons(table: Table) -> None:
    release = partition(encode(table, SCHEMA), Policy(4))
    text = texts(opened("release", table))
    assert "rows and the person column, which stays here" in text
    assert f"its smallest class has {release.classes.sizes.min()} of them" in text
    assert "300 persons are published" in text


# ---- the pages behind ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("attack#Other hospitals", "300 persons, as"),
        ("attack", "patients you share"),
        ("attack", "The record of this person that leaves fewest values"),
        ("attack#Before anybody publishes", "300 persons"),
        ("noise", "300 persons, each with the first of their records"),
        ("review", "shared people"),
    ],
)
def test_pages_count_persons(page: str, words: str, table: Table) -> None:
    app = opened(page, table)
    set_section(app, "noise", "Draw a table")
    set_picture(app, "One person")
    app.run()
    assert words in texts(app) + str([one.value for one in app.dataframe] or "")
    assert not app.error


def test_what_counts_records_refuses_and_names_the_way_out(table: Table) -> None:
    app = opened("attack#Beliefs", table)
    assert "choose one record a person" in texts(app)
    (way,) = [link for link in app.get("page_link") if link.proto.label == "Choose one record a person"]
    assert way.proto.page == "data"
    assert "choose one record a person" not in texts(opened("attack#Beliefs", table, SCHEMA.with_(one_record="first")))
    assert "choose one record a person" in texts(opened("release", table, my_algorithm="mdav"))
