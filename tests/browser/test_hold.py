"""A setting becomes my release: under an agreed list, by a dot, and by keyboard."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser import rig
from tests.browser.status_bar import bar_shows


def test_from_the_headline_to_an_agreed_release(page: Page, app: rig.App) -> None:
    rig.visit(page, app, "attack?example=city&overlap=500&repeats=1")
    page.get_by_test_id("stMain").get_by_role("link", name="What helps").click()
    page.get_by_role("heading", name="What helps").wait_for()
    page.get_by_role("radio", name="Agreed list").click()
    page.locator(".st-key-hold-take-agreed button").click()
    page.get_by_text("This is my release now.").wait_for(timeout=120_000)
    bar_shows(page, r"k\s+\d")
    the_status_bar_is_one_line_and_says_what_its_numbers_mean(page)


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
    bar_shows(page, r"k\s+10")


def the_status_bar_is_one_line_and_says_what_its_numbers_mean(page: Page) -> None:
    """With all that an agreed list adds, beside an open sidebar; the pointer may lie on a number, or the focus."""
    bar = page.locator(".st-key-status-bar")
    for width in (1280, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function(
            "height => document.querySelector('.st-key-status-bar').getBoundingClientRect().height < height", arg=64
        )
    block = bar.get_by_text("k", exact=True).locator("xpath=ancestor::*[@data-testid='stVerticalBlock'][1]")
    place = block.get_by_text(re.compile(r"^\d+$")).bounding_box()
    assert place is not None
    page.mouse.move(place["x"] + 5, place["y"] + place["height"] / 2)
    expect(page.get_by_test_id("stTooltipContent")).to_contain_text("The fewest people in a class of my release")
    page.mouse.move(700, 700)
    expect(page.get_by_test_id("stTooltipContent")).to_have_count(0)
    bar.get_by_label("Help").first.focus()
    page.keyboard.press("Tab")
    expect(page.get_by_test_id("stTooltipContent")).to_contain_text("of my release, measured")
