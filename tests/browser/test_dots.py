"""The hundred patients follow a move."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.browser import rig

FULL = """() => [...document.querySelectorAll(
    '[data-testid="stVegaLiteChart"][aria-label^="Of 100 patients"] .mark-symbol path')].filter(
    dot => !['none', 'rgba(0, 0, 0, 0)'].includes(getComputedStyle(dot).fill)).length"""
"""How many dots are full."""


def test_the_dots_follow_a_move(page: Page, app: rig.App) -> None:
    rig.visit(page, app, "attack?k=12")
    page.get_by_role("radio", name="100 patients").click()
    page.locator('[data-testid="stVegaLiteChart"][aria-label^="Of 100 patients you share"]').wait_for()
    rig.wait_idle(page)
    few = page.evaluate(FULL)
    rig.set_number(page, "People per class (k), exact", 2)
    page.wait_for_function(f"few => ({FULL})() > few + 20", arg=few)
