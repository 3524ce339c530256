"""The whole job as a new user would do it: the city, an own table, a release, the attack, the download."""

import io
import re

from playwright.sync_api import Page

from core import read_table
from pages.attack import effect
from tests.browser import rig
from tests.browser.status_bar import bar_shows, bar_text


def test_a_new_user_does_the_whole_job(page: Page, app: rig.App, adult_bytes: bytes) -> None:
    # Start: the running example, already attacked.
    rig.visit(page, app)
    page.get_by_role("heading", name="Two safe releases, one exposed patient").wait_for()
    rig.open_page(page, "If others publish")
    assert rig.metric(page, effect.label(1.0)).endswith("%")

    # A table of their own: accept what is proposed.
    rig.open_page(page, "Data")
    rig.upload(page, "Load your own table", "adult.csv", adult_bytes)
    page.get_by_text("Proposed roles").wait_for()
    assert "The synthetic city" in bar_text(page), "what was loaded before stays until it is replaced"
    rig.click(page, "Use this table")
    bar_shows(page, "32 561 records")

    # Release: change k, read what was measured.
    rig.open_page(page, "Release")
    rig.set_slider(page, "People per class (k)", "8")
    bar_shows(page, r"(?m)^(measured )?k\s+([89]|\d\d)$")

    # Attack: three sliders.
    rig.open_page(page, "If others publish")
    assert rig.slider_value(page, "People per class (k)") == "8", "choices survive a change of page"
    rig.set_slider(page, "People per class (k)", "4")
    rig.set_number(page, "Shared people (overlap), exact", 2000)
    rig.slider(page, "Hospitals that publish (R)").press("ArrowRight")
    page.get_by_text(re.compile(r"Of 2.000 patients you share, [\d.]+ would be left with one")).first.wait_for()

    # Download the release, and read it again.
    rig.open_page(page, "Release")
    name, content = rig.download(page, "Download the release")
    assert name.endswith(".csv")
    assert len(read_table(io.BytesIO(content))) == 32_561


def test_the_summary_is_always_in_sight(page: Page, app: rig.App) -> None:
    """Also while the page computes: what was known stays until something else is."""
    rig.visit(page, app, "noise")
    handle = rig.slider(page, "Privacy loss of one table (ε)")
    for _ in range(5):
        handle.press("ArrowRight")
        for _ in range(8):
            assert page.get_by_text("One value left").count() == 1
            page.wait_for_timeout(60)
