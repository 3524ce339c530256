"""The summary on top of a page, as a person waits for it."""

from __future__ import annotations

import re
import time

from playwright.sync_api import Page

from tests.browser import rig


def bar_text(page: Page) -> str:
    return rig.spaced(page.locator(".st-key-status-bar").inner_text())


def bar_shows(page: Page, pattern: str) -> None:
    """Wait until the status bar matches: under load it follows the page by more than the quiet time."""
    deadline = time.monotonic() + 60
    while not (found := re.search(pattern, bar_text(page))) and time.monotonic() < deadline:
        page.wait_for_timeout(250)
    assert found, f"the status bar never showed {pattern}; it shows:\n{bar_text(page)}"
