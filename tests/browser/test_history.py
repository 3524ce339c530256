"""Undo and redo in the bar, and the curve before the last move as a pale picture."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from tests.browser import rig

CURVE = '[data-testid="stVegaLiteChart"][aria-label^="Exposed: share of shared people"]'
FULL = """() => [...document.querySelectorAll(
    '[data-testid="stVegaLiteChart"][aria-label^="Of 100 patients"] .mark-symbol path')].filter(
    dot => !['none', 'rgba(0, 0, 0, 0)'].includes(getComputedStyle(dot).fill)).length"""
"""How many dots are full."""
K = "People per class (k), exact"


def turn(page: Page, which: str) -> Locator:
    return page.locator(f".st-key-history-{which}").get_by_role("button")


def k_of(page: Page) -> Locator:
    return rig.widget(page, "stNumberInput", K).locator("input")


def test_undo_redo_and_the_setting_before(page: Page, app: rig.App) -> None:
    rig.visit(page, app, "attack")
    expect(turn(page, "undo")).to_be_disabled()
    before = page.locator(CURVE).locator("svg").get_by_text("before", exact=True)
    expect(before).to_have_count(0)
    rig.set_number(page, K, 12)
    expect(before).to_have_count(1)
    expect(page.get_by_text("Before this move:").first).to_be_visible()
    page.wait_for_url("**/attack?*k=12*")
    turn(page, "undo").click()
    rig.wait_idle(page)  # until then the old field is still there beside the new one
    expect(k_of(page)).to_have_value("5")
    expect(turn(page, "redo")).to_be_enabled()
    turn(page, "redo").click()
    rig.wait_idle(page)
    expect(k_of(page)).to_have_value("12")
    page.get_by_role("radio", name="100 patients").click()
    rig.wait_idle(page)
    dots = page.locator('[data-testid="stVegaLiteChart"][aria-label^="Of 100 patients you share"]')
    dots.wait_for()
    few = page.evaluate(FULL)
    rig.set_number(page, K, 2)
    page.wait_for_function(f"few => ({FULL})() > few + 20", arg=few)
