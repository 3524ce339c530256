"""The summary on top of a page, as a person waits for it."""

from __future__ import annotations

import re
import time

from playwright.sync_api import Page

from tests.browser import rig


def strip_text(page: Page) -> str:
    return rig.spaced(page.locator(".st-key-strip").inner_text())


def strip_shows(page: Page, pattern: str) -> None:
    """Wait until the strip matches: under load it follows the page by more than the quiet time."""
    deadline = time.monotonic() + 60
    while not (found := re.search(pattern, strip_text(page))) and time.monotonic() < deadline:
        page.wait_for_timeout(250)
    assert found, f"the strip never showed {pattern}; it shows:\n{strip_text(page)}"
