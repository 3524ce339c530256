"""From the attack's headline to a release under an agreed list, its download, and what that file guarantees."""

from __future__ import annotations

import io
import re

import pandas as pd
from playwright.sync_api import Page, expect

from core import examples, measure
from core.data.agreed import AgreedList
from tests.browser import rig
from tests.browser.status_bar import strip_shows

SCHEMA = examples.city_schema()


def test_from_the_headline_to_an_agreed_release_and_its_file(page: Page, app: rig.App) -> None:
    rig.visit(page, app, "attack?example=city&overlap=500&repeats=1")
    page.get_by_test_id("stMain").get_by_role("link", name="What helps").click()
    page.get_by_role("heading", name="What helps").wait_for()
    page.get_by_role("radio", name="Agreed list").click()
    page.locator(".st-key-hold-take-agreed button").click()
    page.get_by_text("This is my release now.").wait_for(timeout=120_000)
    strip_shows(page, r"k\s+\d")
    the_strip_is_one_line_and_says_what_its_numbers_mean(page)
    rig.open_page(page, "Release")
    _, content = rig.download(page, "Download the release")
    published = examples.city(300_000, seed=1).column("diagnosis")
    shares = dict(zip(published.labels, map(float, published.counts), strict=True))
    listed = AgreedList.from_shares(shares, 3)
    frame = pd.read_csv(io.BytesIO(content), dtype=str, keep_default_na=False)
    found = measure(frame, SCHEMA.with_(agreed=listed))
    assert found.numbers["agreed"] >= listed.least == 3
    assert found.k >= 5
    assert len(frame) == 30_000


def test_a_dot_that_is_clicked_or_chosen_in_the_list_becomes_my_release(page: Page, app: rig.App) -> None:
    rig.visit(page, app, "hold?example=city&overlap=500&repeats=1")
    rig.wait_idle(page, timeout_ms=120_000)
    dots = page.locator('[data-testid="stVegaLiteChart"] .settings_marks path')
    expect(dots.first).to_be_visible()
    dots.nth(2).click(force=True)
    rig.wait_idle(page, timeout_ms=120_000)
    box = page.get_by_label("Setting: click a dot, or choose")
    expect(box).to_have_value(re.compile("^k = 4, "))
    # By keyboard alone: the list, then the button.
    box.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.type("k = 10, least loss")
    page.keyboard.press("Enter")
    rig.wait_idle(page, timeout_ms=120_000)
    page.get_by_role("button", name="Make this my release").focus()
    page.keyboard.press("Enter")
    strip_shows(page, r"k\s+10")


def the_strip_is_one_line_and_says_what_its_numbers_mean(page: Page) -> None:
    """With all that an agreed list adds, beside an open sidebar; the pointer may lie on a number, or the focus."""
    before = page.viewport_size
    assert before is not None
    for width in (1280, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        bar = page.locator(".st-key-strip")
        page.wait_for_function(
            "height => document.querySelector('.st-key-strip').getBoundingClientRect().height < height", arg=64
        )
    number = (
        bar.get_by_text("k", exact=True)
        .locator("xpath=ancestor::*[@data-testid='stVerticalBlock'][1]")
        .get_by_text(re.compile(r"^\d+$"))
    )
    place = number.bounding_box()
    assert place is not None
    page.mouse.move(place["x"] + 5, place["y"] + place["height"] / 2)
    expect(page.get_by_test_id("stTooltipContent")).to_contain_text("The fewest people in a class of my release")
    page.mouse.move(700, 700)
    expect(page.get_by_test_id("stTooltipContent")).to_have_count(0)
    bar.get_by_label("Help").first.focus()
    page.keyboard.press("Tab")
    expect(page.get_by_test_id("stTooltipContent")).to_contain_text("of my release, measured")
    page.keyboard.press("Escape")
    page.set_viewport_size(before)
