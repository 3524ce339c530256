"""The address keeps the settings, through a reload and in another tab."""

from __future__ import annotations

from urllib.parse import urlsplit

from playwright.sync_api import Page, expect

from tests.browser import rig


def test_a_reload_keeps_the_settings(page: Page, app: rig.App) -> None:
    """And so does another tab: test_review_file.py."""
    rig.visit(page, app, "review")
    rig.click(page, "Start with four limits")
    limit = "Information loss: at most, %"
    rig.set_number(page, limit, 42)
    page.wait_for_url("**/review?*limit_loss=0.42*")
    rig.open_page(page, "Data")
    page.wait_for_url("**/data?*limit_loss=0.42*")
    page.reload()
    rig.wait_idle(page)
    rig.open_page(page, "Decide")
    expect(rig.widget(page, "stNumberInput", limit).locator("input")).to_have_value("42.0")


def test_back_leads_to_the_page_before_however_often_something_was_moved(page: Page, app: rig.App) -> None:
    rig.visit(page, app, "data")
    rig.open_page(page, "Release")
    for k in ("10", "15", "20"):
        rig.set_slider(page, "People per class (k)", k)
        rig.wait_idle(page)
    page.wait_for_url("**/release?*k=20*")
    page.go_back()
    rig.wait_idle(page)
    assert urlsplit(page.url).path == "/data"
    page.go_forward()
    rig.wait_idle(page)
    assert urlsplit(page.url).path == "/release"
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
