"""The review in a browser: pinned, compared, found, judged; report and scenario taken away and opened again."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
from playwright.sync_api import Browser, Page

from core import read_table
from core.data.encoding import encode
from core.data.proposal import propose
from core.decision.review import Case
from core.decision.scenario.scenario import Scenario
from core.report import build
from tests.browser import rig
from tests.browser.steps import narrow_and_dark, nothing_hangs_over, record, section


def own_table() -> bytes:
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 60, 900),
            "sex": rng.choice(["f", "m"], 900),
            "diagnosis": rng.choice(list("ABCDEFGH"), 900, p=np.arange(1, 9) / 36),
        }
    )
    return frame.to_csv(index=False).encode()


def pin(page: Page, name: str) -> None:
    field = page.get_by_role("textbox", name="Pin this setting as")
    field.fill(name)
    field.press("Enter")
    rig.wait_idle(page, quiet_ms=2 * rig.QUIET_MS)


def ask_for(page: Page, k: int) -> None:
    """Type k, and wait until the whole page goes by it."""
    rig.set_number(page, "People per class (k), exact", k)
    page.get_by_placeholder(f"k = {k}, Least loss").wait_for()
    rig.wait_idle(page)


def load_own(page: Page, app: rig.App) -> None:
    """Load a table in a new session."""
    rig.visit(page, app, "data")
    rig.upload(page, "Load your own table", "mine.csv", own_table())
    rig.click(page, "Use this table")


def test_from_candidates_to_a_report_and_back(page: Page, app: rig.App, browser: Browser, tmp_path: Path) -> None:
    warnings: list[str] = []
    page.on("console", lambda message: warnings.append(message.text) if message.type == "warning" else None)
    load_own(page, app)
    rig.open_page(page, "Release")
    for k, name in ((6, "six"), (10, ""), (20, "twenty")):
        ask_for(page, k)
        pin(page, name)
    page.get_by_text("3 of 12 pinned").wait_for()

    rig.open_page(page, "Decide")
    section(page, "Candidates")
    heads = page.get_by_test_id("stTable").first.get_by_role("columnheader").all_inner_texts()
    assert [head.strip() for head in heads][1:] == ["six", "k = 10, Least loss", "twenty (present)"]
    text = page.get_by_test_id("stTable").first.inner_text()
    assert "best" in text
    assert "worst" in text
    rig.wait_idle(page)
    assert warnings == []
    with narrow_and_dark(page):
        for name in ("Each limit", "Decision and report", "Scenario file", "Candidates"):
            section(page, name)
            nothing_hangs_over(page)

    section(page, "Each limit")
    rig.click(page, "Start with four limits")
    rig.set_number(page, "True disclosures at C, weighted adversary: at most, %", 100)
    page.get_by_text(re.compile("the present setting (keeps all 4|breaks . of 4) limits")).first.wait_for()
    rig.click(page, "Try them")
    page.get_by_text("If I am wrong").first.wait_for()

    section(page, "Scenario file")
    _, scenario = rig.download(page, "Download the scenario (JSON)")
    section(page, "Decision and report")
    page.get_by_label("Because").fill("It keeps every limit.")
    page.get_by_label("Because").press("Control+Enter")
    rig.wait_idle(page)
    record(page)
    rig.click(page, "Write the report")
    page.get_by_text("report is written").wait_for(timeout=120_000)
    rig.wait_idle(page)
    name, html = rig.download(page, "Download the report (HTML)")
    assert re.fullmatch(r"report_internal_\w+_2026-03-01\.html", name), "the table and the date"
    _, numbers = rig.download(page, "Download its numbers (JSON)")
    opened_without_network(browser, html, tmp_path)
    first = json.loads(numbers)

    # A new session has lost everything but the file.
    load_own(page, app)
    rig.open_page(page, "Decide")
    section(page, "Scenario file")
    rig.upload(page, "Open a scenario file", "scenario.json", scenario, "application/json")
    page.get_by_text("saved with the table in use").wait_for()
    rig.click(page, "Open it")
    page.get_by_text("the present setting keeps all 4 limits").first.wait_for()
    _, again = rig.download(page, "Download the scenario (JSON)")
    assert again == scenario
    section(page, "Decision and report")
    rig.click(page, "Write the report")
    page.get_by_text("report is written").wait_for(timeout=120_000)
    rig.wait_idle(page)
    _, content = rig.download(page, "Download its numbers (JSON)")
    table, asked = read_table(own_table()), Scenario.from_json(scenario)
    assert asked.schema == propose(table).schema
    assert content.decode() == build(Case(encode(table, asked.schema), asked)).to_json(), "as without any page"
    second = json.loads(content)
    assert {**first, "candidates": 0, "decision": 0} == {**second, "candidates": 0, "decision": 0}, "as before"


def opened_without_network(browser: Browser, html: bytes, folder: Path) -> None:
    """Open a report where nothing can be fetched; it must want nothing and show its charts."""
    file = folder / "report.html"
    file.write_bytes(html)
    context = browser.new_context(offline=True)
    wanted: list[str] = []
    errors: list[str] = []
    context.on("request", lambda request: wanted.append(request.url))
    context.on("weberror", lambda error: errors.append(str(error.error)))
    try:
        page = context.new_page()
        page.goto(file.as_uri())
        assert "It keeps every limit." in page.locator("body").inner_text()
        assert page.locator("svg").count() >= 2
        assert [url for url in wanted if not url.startswith(("file:", "data:"))] == []
        assert not errors
    finally:
        context.close()
