"""A setting becomes my release: by an agreement, by a dot, and by keyboard."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from playwright.sync_api import Page, expect

from tests.browser import rig
from tests.tables import stays


def test_from_the_headline_to_a_coordinated_release(page: Page, app: rig.App) -> None:
    rig.visit(page, app, "attack?example=city&overlap=500&repeats=1")
    page.get_by_test_id("stMain").get_by_role("link", name="What helps").click()
    page.get_by_role("heading", name="What helps").wait_for()
    page.get_by_role("radio", name="Coordinated releases").click()
    page.get_by_role("button", name="Make an agreement").click()
    page.get_by_role("button", name="Try it").click()
    page.locator(".st-key-hold-take-agreed button").wait_for(timeout=120_000)
    rig.wait_idle(page, timeout_ms=120_000)
    page.locator(".st-key-hold-take-agreed button").click()
    page.get_by_text("This is my release now.").wait_for(timeout=120_000)
    rig.bar_shows(page, r"k\s+\d")
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
    rig.bar_shows(page, r"k\s+10")


def the_status_bar_is_one_line_and_says_what_its_numbers_mean(page: Page) -> None:
    """With all that an agreement adds, beside an open sidebar; the pointer may lie on a number, or the focus."""
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
    expect(page.get_by_test_id("stTooltipContent")).to_contain_text(
        "The smallest number of people in a class of my release"
    )
    page.mouse.move(700, 700)
    expect(page.get_by_test_id("stTooltipContent")).to_have_count(0)
    bar.get_by_label("Help").first.focus()
    page.keyboard.press("Tab")
    expect(page.get_by_test_id("stTooltipContent")).to_contain_text("of my release, measured")


# --- stopped -------------------------------------------------------------------------------------


def test_stopped_redraws_are_resumed_to_their_end(page: Page, app: rig.App) -> None:
    # So many redraws take long enough to be stopped by hand.
    rig.visit(page, app, "attack?repeats=20")
    interval = page.get_by_text("95% interval").first
    expect(interval).to_be_visible()
    field = rig.widget(page, "stNumberInput", "Shared people (overlap), exact").locator("input")
    field.fill("9000")
    field.press("Enter")
    stop = page.get_by_role("button", name="Stop", exact=True)
    redrawing = page.get_by_text("Redrawing the hospitals for the intervals")
    expect(redrawing).to_be_visible(timeout=rig.IDLE_MS)
    stop.click()
    resume = page.get_by_role("button", name="Resume", exact=True)
    expect(resume).to_be_visible(timeout=rig.IDLE_MS)
    expect(page.get_by_text("Stopped.")).to_be_visible()
    expect(redrawing).to_be_hidden()
    resume.click()
    expect(resume).to_have_count(0, timeout=rig.IDLE_MS)
    rig.wait_idle(page)
    expect(page.get_by_text(re.compile(r"Of 9,000 patients you share")).first).to_be_visible()
    expect(interval).to_be_visible()


# --- the table of columns ------------------------------------------------------------------------


ROW, BOX = 35, 17
"""Height of a row of the table, and where its box is."""


def test_a_role_is_given_to_the_columns_that_were_selected_and_no_other(page: Page, app: rig.App) -> None:
    rig.visit(page, app, "data")
    rig.upload(page, "Load your own table", "stays.csv", stays())
    rig.click(page, "Use this table")
    table = page.get_by_test_id("stDataFrame").first
    for row in (1, 3):
        table.click(position={"x": BOX, "y": ROW * (row + 1.5)})
        rig.wait_idle(page)
    page.get_by_role("radio", name="others may know it").click()
    rig.wait_idle(page)
    rows = [[page.get_by_test_id(f"glide-cell-{column}-{row}").text_content() for column in (2, 6)] for row in range(4)]
    assert [role for role, _ in rows] == ["others may know it", "others may know it", "left out", "others may know it"]
    follows = [f"Follows from '{name}': anyone who knows one knows the other" for name in ("invhlos", "lnhlos")]
    assert [why for _, why in rows][:3] == ["Named like an age", *follows]


# --- the address ---------------------------------------------------------------------------------


def test_a_reload_keeps_the_settings_and_back_leads_to_the_page_before(page: Page, app: rig.App) -> None:
    """However often something was moved."""
    rig.visit(page, app, "data")
    rig.open_page(page, "Release")
    for k in ("10", "15", "20"):
        rig.set_slider(page, "People per class (k)", k)
    page.wait_for_url("**/release?*k=20*")
    page.reload()
    rig.wait_idle(page)
    assert rig.slider_value(page, "People per class (k)") == "20"
    page.go_back()
    rig.wait_idle(page)
    assert urlsplit(page.url).path == "/data"
    page.go_forward()
    rig.wait_idle(page)
    assert page.title().startswith("Release")


def test_a_page_begins_at_its_top(page: Page, app: rig.App) -> None:
    page.set_viewport_size({"width": 1280, "height": 400})
    rig.visit(page, app, "attack")
    main = page.get_by_test_id("stMain")
    for title in ("Release", "If others publish", "Decide"):
        main.evaluate("main => main.scrollTo(0, 900)")
        assert main.evaluate("main => main.scrollTop") > 0
        rig.open_page(page, title)
        rig.wait_idle(page)
        assert main.evaluate("main => main.scrollTop") == 0, title
