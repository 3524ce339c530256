"""Persons with several records on the pages: the role, one record a person, what is said aloud."""

import pytest
from streamlit.testing.v1 import AppTest

from core import Schema, Table
from tests.pages.drive import loaded, page_of, texts
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
