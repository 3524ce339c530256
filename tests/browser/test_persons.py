"""The whole job with a table of several encounters a patient: proposed, released, attacked, downloaded, decided."""

import io
import re
import time

from playwright.sync_api import Page

from core import Policy, Schema, measure, read_table
from core.algorithms import partition
from core.data.encoding import encode
from core.data.proposal import propose
from pages.attack import effect
from tests.browser import rig
from tests.browser.steps import section
from tests.browser.strip import headline, reads, strip_shows
from tests.pages.drive import MY_ALGORITHM, usual
from tests.visits import made_visits

PERSONS = 1200


def content(header: str = "patient_nbr") -> bytes:
    return made_visits(PERSONS, 2).rename(columns={"patient_nbr": header}).to_csv(index=False).encode()


def has(page: Page, text: str) -> None:
    """Wait for words on the page, whatever blanks they are written with."""
    deadline = time.monotonic() + 60
    shown = ""
    while text not in shown and time.monotonic() < deadline:
        shown = re.sub(r"\s+", " ", page.get_by_test_id("stMain").inner_text())
        page.wait_for_timeout(200)
    assert text in shown


def test_encounters_go_through_the_whole_job_as_persons(page: Page, app: rig.App) -> None:
    data = content()
    table = read_table(data)
    schema = propose(table).schema
    assert schema.person == "patient_nbr"
    encoded = encode(table, schema)
    assert encoded.people == PERSONS < len(encoded)

    rig.visit(page, app, "data")
    rig.upload(page, "Load your own table", "visits.csv", data)
    page.get_by_text("Proposed roles").wait_for()
    rig.click(page, "Use this table")
    has(page, "records of 1 200 persons")
    strip_shows(page, "1 200 persons")

    # Release: k is of persons, asked beside measured, and the file holds no person column.
    rig.open_page(page, "Release")
    rig.set_slider(page, "People per class (k)", "6")
    release = partition(encoded, Policy(6), MY_ALGORITHM)
    guarantee = measure(release.publish(0, "patient_nbr"), schema)
    assert guarantee.by_person
    assert guarantee.k >= 6
    strip_shows(page, rf"(?m)^(measured )?k\s+{guarantee.k}$")
    has(page, "1 200 persons are published")
    _, content_ = rig.download(page, "Download the release")
    published = read_table(io.BytesIO(content_)).to_frame()
    assert set(published.columns) == {"age", "zip", "diagnosis"}
    assert len(published) == len(table)
    assert measure(published, schema).k == release.classes.sizes.min()

    # Attack: shares are of persons.
    rig.open_page(page, "If others publish")
    rig.set_slider(page, "People per class (k)", "6")
    rig.set_number(page, "Shared people (overlap), exact", 150)
    wanted = headline(encoded, usual(Policy(6), 150), 0.25)
    reads(page, effect.label(1.0), wanted[1.0])

    section(page, "Before anybody publishes")
    has(page, "1 200 people")
    section(page, "Beliefs")
    has(page, "choose one record a person")
    rig.open_page(page, "Differential privacy")
    page.get_by_role("radio", name="Draw a table").click()
    rig.wait_idle(page)
    has(page, "1 200 persons, each with the first of their records")
    rig.open_page(page, "Decide")
    has(page, "150 shared people")

    # The way out: one record of each person, and every page counts records that are people.
    rig.open_page(page, "Data")
    page.get_by_role("radio", name="Persons").click()
    page.get_by_text("The last record of each person").click()
    rig.wait_idle(page)
    one = schema.with_(one_record="last")
    kept = encode(table, one)
    assert len(kept) == PERSONS
    rig.open_page(page, "Release")
    has(page, "one record of each person is released")
    strip_shows(
        page, rf"(?m)^(measured )?k\s+{measure(partition(kept, Policy(6), MY_ALGORITHM).publish(seed=0), one).k}$"
    )
    rig.open_page(page, "If others publish")
    section(page, "Beliefs")
    rig.slider(page, "A belief may move by (theta)").wait_for()
    has(page, "Choose a row to open the class")
    assert "choose one record a person" not in page.get_by_test_id("stMain").inner_text()


def test_an_identifier_that_repeats_is_said_and_forgetting_brings_back_the_city(page: Page, app: rig.App) -> None:
    table = read_table(content("name"))
    assert propose(table).schema == Schema(
        ["age", "zip"], "diagnosis", ["name"], kinds={"age": "numeric", "zip": "numeric", "diagnosis": "categorical"}
    )
    rig.visit(page, app, "data")
    rig.upload(page, "Load your own table", "visits.csv", content("name"))
    page.get_by_text("Proposed roles").wait_for()
    rig.click(page, "Use this table")
    has(page, "'name' repeats")
    rig.open_page(page, "Release")
    has(page, "make it the person column")
    rig.open_page(page, "Data")
    strip_shows(page, f"{len(table):,} records".replace(",", " "))
    rig.click(page, "Forget this data")
    rig.click(page, "Forget it all")
    strip_shows(page, "The synthetic city")
