"""Stop leaves a line that says so; Resume ends with everything that was not done yet."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser import rig


def test_stopped_redraws_are_resumed_to_their_end(page: Page, app: rig.App) -> None:
    # So many redraws take long enough to be stopped by hand.
    rig.visit(page, app, "attack?repeats=20")
    interval = page.get_by_text("95 % interval").first
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
    expect(page.get_by_text(re.compile(r"Of 9\s000 patients you share")).first).to_be_visible()
    expect(interval).to_be_visible()
