"""What is hard to read is noticed; ``test_every_page.py`` looks for it on every page."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.browser import contrast


def test_what_is_hard_to_read_is_found(page: Page) -> None:
    page.set_content(
        "<div data-testid='stMain' style='background: white'><p style='color: #777'>faint</p>"
        "<p style='color: black; opacity: 0.4'>veiled</p><p style='color: #595959'>good</p>"
        "<svg><g class='mark-line'><path d='M0 0 L9 9' stroke='#bbb' fill='none'></path></g></svg></div>"
    )
    looked, poor = contrast.poor(page)
    assert looked == 4
    assert [one.split(":")[0] for one in poor] == ["faint", "veiled", "line in "]
