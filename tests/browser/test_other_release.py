"""Somebody else's release: loaded, matched, attacked, and one person followed through it."""

from playwright.sync_api import Page

from core import Policy, Table, examples
from core.algorithms import partition
from core.data.csv_export import csv_bytes
from core.data.encoding import encode
from core.study.uploads import Upload, open_upload
from pages.attack import effect
from tests.browser import rig
from tests.browser.steps import OTHERS, RELEASE, SOURCE, section

CITY, SCHEMA = examples.city(), examples.city_schema()


def test_a_release_of_this_program_as_the_second_hospital(page: Page, app: rig.App) -> None:
    published = partition(encode(OTHERS, SCHEMA), Policy(4)).publish(seed=0)
    content = csv_bytes(published)
    rig.visit(page, app, "attack")
    section(page, "Other hospitals")
    rig.choose(page, SOURCE, RELEASE)
    rig.upload(page, "Load their release", "theirs.csv", content)
    page.get_by_text("Read:").wait_for()
    rig.click(page, "Use this file")
    page.get_by_role("button", name="Forget this file").wait_for()
    names = (*SCHEMA.quasi_identifiers, SCHEMA.sensitive)
    table = Table.from_frame(published)
    upload = Upload(table.content_id, True, tuple((name, name) for name in names))
    found = open_upload(upload, table, CITY, SCHEMA).published
    assert f"{len(found.sizes)} classes" in page.get_by_test_id("stMain").inner_text().replace(" ", "").replace(
        "classes", " classes"
    )
    assert rig.slider_value(page, "Shared people (overlap)") == "3000", "no more people than the file has"
    rig.open_page(page, "If others publish")
    assert rig.metric(page, effect.label(1.0)).endswith("%")
    the_strip_hides_no_control(page)


def the_strip_hides_no_control(page: Page) -> None:
    """On a narrow page the controls stick below the strip, also where it says how many are exposed rightly."""
    page.set_viewport_size({"width": 900, "height": 900})
    page.get_by_test_id("stMain").evaluate("main => main.scrollTo(0, 600)")
    rig.wait_idle(page)
    strip, rail = page.locator(".st-key-strip"), page.locator(".st-key-rail")
    assert "rightly" in strip.inner_text()
    above, below = strip.bounding_box(), rail.bounding_box()
    assert above is not None
    assert below is not None
    assert above["y"] + above["height"] <= below["y"] + 1
    page.set_viewport_size({"width": 1440, "height": 900})
    rig.wait_idle(page)
