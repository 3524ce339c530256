"""The whole job as a new user would do it: the city, an own table, a release, the attack, the download."""

import io
import re

import pytest
from playwright.sync_api import Page

import core
from core import Policy, measure, read_table
from core.algorithms import partition
from core.data.encoding import encode
from core.data.proposal import propose
from pages.attack import effect
from tests.browser import rig
from tests.browser.strip import headline, reads, strip_shows, strip_text
from tests.pages.drive import MY_ALGORITHM, usual


def test_a_new_user_does_the_whole_job(page: Page, app: rig.App, adult_bytes: bytes) -> None:
    # Start: the running example, already attacked.
    rig.visit(page, app)
    page.get_by_role("heading", name="Two safe releases, one exposed patient").wait_for()
    rig.open_page(page, "If others publish")
    city = core.examples.city()
    at_start = headline(encode(city, core.examples.city_schema()), usual(Policy(5), 5000), 0.25)
    reads(page, effect.label(1.0), at_start[1.0])

    # A table of their own: accept what is proposed.
    rig.open_page(page, "Data")
    rig.upload(page, "Load your own table", "adult.csv", adult_bytes)
    page.get_by_text("Proposed roles").wait_for()
    assert "The synthetic city" in strip_text(page), "what was loaded before stays until it is replaced"
    rig.click(page, "Use this table")
    strip_shows(page, "32 561 records")

    table = read_table(adult_bytes)
    proposal = propose(table)
    schema = proposal.schema
    assert schema.quasi_identifiers == (
        "age",
        "workclass",
        "education",
        "marital-status",
        "race",
        "sex",
        "native-country",
    )
    assert schema.sensitive == "occupation"
    encoded = encode(table, schema)

    # Release: change k, open a class, read what was measured.
    rig.open_page(page, "Release")
    rig.set_slider(page, "People per class (k)", "8")
    release = partition(encoded, Policy(8), MY_ALGORITHM)
    measured = measure(release.publish(seed=0), schema).k
    assert measured >= 8
    strip_shows(page, rf"(?m)^(measured )?k\s+{measured}$")
    assert f"{len(release.sizes):,}".replace(",", " ") in rig.spaced(page.get_by_test_id("stMain").inner_text())

    # Attack: three sliders, the numbers are core's own.
    rig.open_page(page, "If others publish")
    assert rig.slider_value(page, "People per class (k)") == "8", "choices survive a change of page"
    rig.set_slider(page, "People per class (k)", "4")
    rig.set_number(page, "Shared people (overlap), exact", 2000)
    rig.set_slider(page, "Hospitals that publish (R)", 3)
    wanted = headline(encoded, usual(Policy(4), 2000, 3), 0.25)
    reads(page, effect.label(1.0), wanted[1.0])
    strip_shows(page, re.escape(wanted[1.0]))

    # Download the release, read it again, measure it.
    rig.open_page(page, "Release")
    name, content = rig.download(page, "Download the release")
    assert name.endswith(".csv")
    published = read_table(io.BytesIO(content)).to_frame()
    release = partition(encoded, Policy(4), MY_ALGORITHM)
    guarantee = measure(published, schema)
    expected = measure(release.publish(seed=1), schema)
    assert len(published) == len(encoded)
    assert (guarantee.k, guarantee.classes, guarantee.distinct_l) == (expected.k, expected.classes, expected.distinct_l)
    assert guarantee.k >= 4
    assert guarantee.t == pytest.approx(expected.t)


def test_the_summary_is_always_in_sight(page: Page, app: rig.App) -> None:
    """Also while the page computes: what was known stays until something else is."""
    rig.visit(page, app, "noise")
    handle = rig.slider(page, "Privacy loss of one table (ε)")
    for _ in range(5):
        handle.press("ArrowRight")
        for _ in range(8):
            assert page.get_by_text("One value left").count() == 1
            page.wait_for_timeout(60)
