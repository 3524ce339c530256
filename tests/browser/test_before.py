"""The number before the last move stands beside that of now; the hundred patients follow a move."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser import rig

FULL = """() => [...document.querySelectorAll(
    '[data-testid="stVegaLiteChart"][aria-label^="Of 100 patients"] .mark-symbol path')].filter(
    dot => !['none', 'rgba(0, 0, 0, 0)'].includes(getComputedStyle(dot).fill)).length"""
"""How many dots are full."""
K = "People per class (k), exact"


def test_the_number_before_a_move_stays_and_the_dots_follow_it(page: Page, app: rig.App) -> None:
    rig.visit(page, app, "attack")
    rig.set_number(page, K, 12)
    expect(page.get_by_text("Before this move:").first).to_be_visible()
    page.wait_for_url("**/attack?*k=12*")
    page.get_by_role("radio", name="100 patients").click()
    rig.wait_idle(page)
    dots = page.locator('[data-testid="stVegaLiteChart"][aria-label^="Of 100 patients you share"]')
    dots.wait_for()
    few = page.evaluate(FULL)
    rig.set_number(page, K, 2)
    page.wait_for_function(f"few => ({FULL})() > few + 20", arg=few)
