"""Cause and effect in one view: controls and chart together without scrolling, the strip on every page."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page

from tests.browser import rig
from tests.browser.rig import App

CHARTS = {
    "Intersection attack": "Exposed: share of shared people at confidence",
    "Release": "Class sizes run from",
    "Forecast": "Shared people expected to be left with one value",
    "Beliefs": "Share of people whose beliefs move",
    "Providers": "Lattice of the coalitions",
    "Differential privacy": "Mean confidence in the likeliest value",
    "Make it hold": "Shared people with one value left",
}
"""Pages with a main chart, by title, and what the chart's text alternative begins with."""
STRIP = ("One diagnosis left", "Exposed at C", "Information loss")
EVERY_PAGE = (
    "Overview",
    "Data",
    "Release",
    "Other hospitals",
    "Intersection attack",
    "Make it hold",
    "Forecast",
    "Beliefs",
    "Providers",
    "Differential privacy",
    "Compare and decide",
    "Method",
)


def chart(page: Page, alt: str) -> Locator:
    return page.locator(f'[data-testid="stVegaLiteChart"][aria-label^="{alt}"]')


def box(page: Page, what: Locator) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of an element."""
    found = what.bounding_box()
    assert found is not None
    return found["x"], found["y"], found["x"] + found["width"], found["y"] + found["height"]


def assert_in_sight(page: Page, what: Locator, name: str, above: float = 0.0) -> None:
    left, top, right, bottom = box(page, what)
    size = page.viewport_size
    assert size is not None
    assert left >= 0, name
    assert top >= above, f"{name}: {top} is under what stays on top"
    assert right <= size["width"] + 1, f"{name}: {right} of {size['width']}"
    assert bottom <= size["height"] + 1, f"{name}: {bottom} of {size['height']}"


def first_controls(page: Page) -> list[Locator]:
    """The controls of the rail that are not folded away."""
    found = page.locator('.st-key-rail :is([data-testid="stSlider"], [data-testid="stSelectbox"])')
    return [one for one in found.all() if one.is_visible()]


@pytest.mark.parametrize("size", [(1440, 900), (1280, 720)])
@pytest.mark.parametrize("title", CHARTS)
def test_controls_and_chart_are_in_sight_together(page: Page, app: App, title: str, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    rig.visit(page, app)
    rig.open_page(page, title)
    bar = box(page, page.locator(".st-key-strip"))[3]
    assert_in_sight(page, chart(page, CHARTS[title]), "chart", bar)
    controls = first_controls(page)
    assert controls
    for number, control in enumerate(controls):
        assert_in_sight(page, control, f"control {number}", bar)


@pytest.mark.parametrize("title", CHARTS)
def test_on_a_narrow_page_the_controls_stay_in_sight_beside_the_chart(page: Page, app: App, title: str) -> None:
    page.set_viewport_size({"width": 900, "height": 900})
    rig.visit(page, app)
    rig.open_page(page, title)
    shown = chart(page, CHARTS[title])
    # To the bottom of the chart: what was above has gone, the controls have not.
    page.get_by_test_id("stMain").evaluate("(main, by) => main.scrollBy(0, by)", box(page, shown)[3] - 895)
    page.wait_for_timeout(rig.QUIET_MS)
    assert_in_sight(page, shown, "chart", box(page, page.locator(".st-key-rail"))[3] - 1)
    for number, control in enumerate(first_controls(page)):
        assert_in_sight(page, control, f"control {number}", box(page, page.locator(".st-key-strip"))[3] - 1)


def test_the_strip_is_in_sight_on_every_page(page: Page, app: App) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    rig.visit(page, app)
    for title in EVERY_PAGE:
        rig.open_page(page, title)
        page.get_by_test_id("stMain").evaluate("main => main.scrollBy(0, 400)")
        page.wait_for_timeout(rig.QUIET_MS)
        strip = page.locator(".st-key-strip")
        assert_in_sight(page, strip, f"strip of {title}")
        assert "The synthetic city" in strip.inner_text(), title
        for words in STRIP:
            shown = strip.get_by_text(words).first
            assert_in_sight(page, shown, f"{words} of {title}")
            left, top, *_ = box(page, shown)
            on_top = "([x, y]) => document.elementFromPoint(x, y).closest('.st-key-strip') !== null"
            assert page.evaluate(on_top, [left + 4, top + 4]), f"something lies on {words} of {title}"
