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
