"""The officer's walk in Chromium, from an upload to a signed decision: ``python -m benchmarks --only walks``.

On a made extract of 36,000 records and 28 columns, with every role decided. Each action is counted, and the seconds
until the page is at rest after it are what the officer may have to wait; nothing is waited for that she would not.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from benchmarks import browser, extract, table
from benchmarks.helps import PUBLISHED

if TYPE_CHECKING:
    from playwright.sync_api import Page

HEADER = ("step", "what is done", "actions", "waited")
GOAL = "Goal: 20 actions, 60 s of waiting."


class Walk:
    """Steps that were taken: words, actions and seconds until the page was at rest."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.steps: list[tuple[str, int, float]] = []

    def step(self, words: str, act: Callable[[], object], actions: int = 1, ready: str | None = None) -> None:
        """Do something; ``ready`` is a text that ends the waiting, before the page is at rest."""
        from tests.browser import rig

        began = time.perf_counter()
        act()
        if ready is not None:
            self.page.get_by_text(re.compile(ready)).first.wait_for(timeout=10 * rig.IDLE_MS)
        else:
            rig.wait_idle(self.page, timeout_ms=10 * rig.IDLE_MS)
        self.steps.append((words, actions, time.perf_counter() - began))
        rig.wait_idle(self.page, timeout_ms=10 * rig.IDLE_MS)


def officer(page: Page, content: bytes) -> Walk:
    """From the upload to the documents."""
    from tests.browser import rig

    walk, step = Walk(page), page.locator(".st-key-route").get_by_role("link")
    rig.open_page(page, "Data")
    walk.step(
        "load the file", lambda: rig.upload(page, "Load your own table", "extract.csv", content), 2, "Use this table"
    )
    walk.step("use this table", lambda: rig.click(page, "Use this table"))
    walk.step("answer: I choose in the table", lambda: rig.click(page, "I choose in the table"))
    names = extract.table(2).decode().splitlines()[0].split(",")
    box = page.get_by_test_id("stDataFrame").first

    def select() -> None:
        for name in PUBLISHED:
            box.click(position={"x": 17, "y": 35 * (names.index(name) + 1.5)})
            rig.wait_idle(page)

    walk.step("select six columns that are published", select, len(PUBLISHED))
    walk.step("give them their role", lambda: page.get_by_role("radio", name="published as it is").click())
    walk.step("the roles are right", lambda: rig.click(page, "The roles are right"))
    walk.step("next: Release", step.click, ready="Sizes of the")
    walk.step("next: If others publish", step.click, ready="patients you share")
    walk.step(
        "the shared people",
        lambda: rig.set_number(page, "Shared people (overlap), exact", 3000),
        2,
        "Of 3,000 patients",
    )
    walk.step("next: What helps", step.click, ready=r"All \d+ settings|\d+ of \d+")
    walk.step("next: Decide", step.click, ready="Start with four limits")
    walk.step("start with four limits", lambda: rig.click(page, "Start with four limits"), ready="limits")
    walk.step("next: write down the decision", lambda: rig.click(page, "Next: write down the decision"))
    rig.choose(page, "Decision", "Do not publish")
    page.get_by_label("Decided by", exact=True).fill("The review board")
    page.get_by_label("Decided by", exact=True).press("Enter")
    walk.step("decision, who and when", lambda: rig.set_date(page, "On", "20260301"), 4)
    walk.step(
        "accept the assumptions", lambda: page.get_by_text(re.compile(r"^We accept these \d+ assumptions")).click()
    )
    walk.step("record", lambda: rig.click(page, "Record the decision"), ready="The decision is recorded")
    walk.step("write the documents", lambda: rig.click(page, "Write the documents"), ready="The documents are written")
    return walk


def main(asked: argparse.Namespace) -> int:
    """Walk and print."""
    from playwright.sync_api import sync_playwright

    from tests.browser import ensure_browser

    records = 2_000 if asked.quick else 36_000
    with sync_playwright() as playwright:
        chromium: Any = ensure_browser.open_browser(playwright)
        if chromium is None:
            raise SystemExit("No browser works here: run tests/browser/ensure_browser.py, as 'make test' does.")
        with browser.opened(chromium) as (page, _):
            walk = officer(page, extract.table(records))
        chromium.close()
    rows = [
        table.Line((str(number), words, str(actions), table.seconds(waited)))
        for number, (words, actions, waited) in enumerate(walk.steps, 1)
    ]
    actions, waited = sum(each[1] for each in walk.steps), sum(each[2] for each in walk.steps)
    rows.append(table.Line(("", "in all", str(actions), table.seconds(waited))))
    print(table.markdown(rows, HEADER, HEADER[2:]))
    print(f"{records:,} records, 28 columns. {GOAL}")
    return 0
