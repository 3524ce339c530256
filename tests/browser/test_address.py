"""A page opened by its address is itself: its title, nothing missing, nothing in the console."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.browser import rig

TITLES = {
    "": "Overview",
    "method": "Method",
    "data": "Data",
    "release": "Release",
    "attack": "Intersection attack",
    "hospitals": "Other hospitals",
    "review": "Compare and decide",
    "forecast": "Forecast",
    "beliefs": "Beliefs",
    "noise": "Differential privacy",
    "providers": "Providers",
}


@pytest.mark.parametrize("address", TITLES)
def test_a_page_opened_by_its_address(page: Page, app: rig.App, address: str) -> None:
    """Console and requests to other hosts are looked at by the fixture."""
    answers: list[tuple[int, str]] = []
    page.on("response", lambda answer: answers.append((answer.status, answer.url)))
    warnings: list[str] = []
    page.on("console", lambda message: warnings.append(message.text) if message.type == "warning" else None)
    rig.visit(page, app, address)
    assert page.title() == f"{TITLES[address]} · Composition"
    assert warnings == []
    assert [answer for answer in answers if answer[0] >= 400] == []
    current = page.get_by_test_id("stSidebarNav").locator("[aria-current=page]")
    assert current.count() == 1, "also a folded page is seen in the navigation"
    assert current.inner_text().strip().endswith(TITLES[address])


def test_a_reload_keeps_the_settings(page: Page, app: rig.App) -> None:
    rig.visit(page, app, "review")
    rig.click(page, "Start with four limits")
    limit = "Information loss: at most, %"
    rig.set_number(page, limit, 42)
    page.wait_for_url("**/review?*limit_loss=0.42*")
    rig.open_page(page, "Data")
    page.wait_for_url("**/data?*limit_loss=0.42*")
    kept = page.url
    page.reload()
    rig.wait_idle(page)
    rig.open_page(page, "Compare and decide")
    assert rig.widget(page, "stNumberInput", limit).locator("input").input_value() == "42.0"
    second = page.context.new_page()
    second.goto(kept.replace("/data", "/review"))
    rig.wait_idle(second)
    assert rig.widget(second, "stNumberInput", limit).locator("input").input_value() == "42.0"
