"""Persons with several records on the pages: the role, one record a person, what is said aloud."""

import pytest
from streamlit.testing.v1 import AppTest

from core import Schema, Table
from core.data.encoding.encoded import encode
from tests.pages.drive import loaded, page_of, texts, workspace_of
from tests.visits import made_visits

SCHEMA = Schema(["age", "zip"], "diagnosis", person="patient_nbr")
PEOPLE = 300


@pytest.fixture(scope="module")
def table() -> Table:
    return Table.from_frame(made_visits(PEOPLE))


def opened(page: str, table: Table, schema: Schema = SCHEMA, **choices: object) -> AppTest:
    return loaded(table, schema, page_of(page), **{"overlap": 40, "repeats": 2, **choices})


# ---- data ---------------------------------------------------------------------------------


# ---- release ------------------------------------------------------------------------------


# ---- the pages behind ---------------------------------------------------------------------


def test_what_counts_records_refuses_and_names_the_way_out(table: Table) -> None:
    app = opened("attack#Beliefs", table)
    assert "choose one record per person" in texts(app)
    (way,) = [link for link in app.get("page_link") if link.proto.label == "Choose one record per person"]
    assert way.proto.page == "data"
    assert "choose one record per person" not in texts(
        opened("attack#Beliefs", table, SCHEMA.with_(one_record="first"))
    )
    assert "choose one record per person" in texts(opened("release", table, my_algorithm="mdav"))


@pytest.mark.parametrize("page", ["release", "attack", "hold", "noise", "review", "register"])
def test_an_identifier_that_repeats_is_asked_about_before_anything_is_released(page: str, table: Table) -> None:
    named = Schema(["age", "zip"], "diagnosis", ["patient_nbr"])
    app = opened(page, table, named)
    (way,) = [link for link in app.get("page_link") if link.proto.label == "Say whose a record is"]
    assert way.proto.page == "data"
    assert not app.metric
    for answered in (named.with_(rows_are_people=True), SCHEMA):
        assert "may have several records. If it says" not in texts(opened(page, table, answered))


@pytest.mark.parametrize("answer", ["yes", "no"])
def test_data_asks_whose_a_record_is_and_takes_the_answer(answer: str, table: Table) -> None:
    app = opened("data", table, Schema(["age", "zip"], "diagnosis", ["patient_nbr"]))
    assert "Does patient\\_nbr say whose a record is?" in texts(app)
    app.button(key=f"data:whose:{answer}").click().run()
    assert "say whose a record is?" not in texts(app)
    schema = workspace_of(app).schema
    assert (schema.person, schema.rows_are_people) == (("patient_nbr", False) if answer == "yes" else (None, True))
    assert encode(table, schema).people == (PEOPLE if answer == "yes" else len(table))
