"""What the page *What helps* says from opening to rest, in Chromium: ``python -m benchmarks --only helps``.

On the built-in city, there with a limit and with three hospitals, and on a made extract of 36,000 records and 28
columns, six of them published as they are. Ten times a second the sentence, its bold words and the number of settings
tried are noted. A recommendation, which is in bold, must stay once it is shown; where one changes the exit status is 1.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks import browser, extract, table

if TYPE_CHECKING:
    from playwright.sync_api import Page

PAGE = "What helps"
PUBLISHED = ("admit_type", "disposition", "payer", "severity", "mortality", "ed")
CITY = {"city": "", "city, at most 5% exposed": "?limit_one_value_left=0.05", "city, three hospitals": "?hospitals=3"}
REST_MS = 3000
"""Milliseconds without a run after which the page is at rest."""
HEADER = ("table", "says how many were tried", "recommends", "last word", "recommendation")

_LISTEN = """title => {
    const began = performance.now();
    window.heard = [];
    let last = '';
    const look = () => {
        const main = document.querySelector('[data-testid="stMain"]');
        if (main?.querySelector('h1')?.innerText.trim() === title) {
            const stage = main.querySelector('.st-key-stage');
            const sentence = stage?.querySelector('[data-testid="stMarkdown"] p');
            const said = [
                sentence?.innerText.split('\\n')[0] ?? '',
                [...(sentence?.querySelectorAll('strong') ?? [])].map(part => part.innerText),
                stage?.querySelector('[data-testid="stProgress"]')?.innerText.trim() ?? '',
            ];
            if (JSON.stringify(said) !== last) window.heard.push([(performance.now() - began) / 1000, ...said]);
            last = JSON.stringify(said);
        }
        setTimeout(look, 100);
    };
    look();
}"""


@dataclass(frozen=True)
class Heard:
    """What a page said: after how many seconds, the sentence, what of it is in bold, and how many were tried."""

    after: float
    sentence: str
    bold: tuple[str, ...]
    tried: str


def listened(page: Page) -> list[Heard]:
    """Open the page and note what it says until it is at rest."""
    from tests.browser import rig

    page.evaluate(_LISTEN, PAGE)
    rig.open_page(page, PAGE)
    rig.wait_idle(page, quiet_ms=REST_MS, timeout_ms=10 * rig.IDLE_MS)
    return [Heard(after, said, tuple(bold), tried) for after, said, bold, tried in page.evaluate("window.heard")]


def contradictions(heard: list[Heard]) -> list[str]:
    """Recommendations after the first, in the order in which they were shown; there should be none."""
    shown = list(dict.fromkeys(each.bold for each in heard if each.bold))
    return ["; ".join(bold) for bold in shown[1:]]


def line(name: str, heard: list[Heard]) -> table.Line:
    """What was heard, as a row."""

    def first(kept: Iterator[Heard]) -> str:
        found = next(kept, None)
        return table.NONE if found is None else table.seconds(found.after)

    last = next(each for each in heard if each.sentence == heard[-1].sentence)
    counted, named = (each for each in heard if each.tried), (each for each in heard if each.bold)
    said = " → ".join([*dict.fromkeys("; ".join(each.bold) for each in heard if each.bold)]) or table.NONE
    return table.Line((name, first(counted), first(named), table.seconds(last.after), said))


def load_extract(page: Page, records: int) -> None:
    """Load the extract, with six columns published as they are, by a scenario file."""
    from core import Policy, Scenario, read_table
    from core.data.profiling.proposal import propose
    from core.study.hospitals import Hospital
    from tests.browser import rig

    content = extract.table(records)
    browser.load_table(page, content)
    loaded = read_table(content)
    schema = propose(loaded).schema
    schema = schema.with_(unmodified=PUBLISHED, other=[name for name in schema.other if name not in PUBLISHED])
    hospitals = Hospital(Policy(5), "least-loss"), Hospital(Policy(5), "mondrian", origin="resampled")
    scenario = Scenario(schema, hospitals, overlap=records // 10, data_id=loaded.content_id)
    rig.open_page(page, "Decide")
    rig.wait_idle(page)
    page.get_by_role("radio", name="Scenario file").click()
    rig.upload(page, "Open a scenario file", "scenario.json", scenario.to_json().encode(), "application/json")
    rig.wait_idle(page)


def measured(records: int) -> dict[str, list[Heard]]:
    """What is heard in each case."""
    from playwright.sync_api import sync_playwright

    from tests.browser import ensure_browser, rig

    heard = {}
    with sync_playwright() as playwright:
        chromium: Any = ensure_browser.open_browser(playwright)
        if chromium is None:
            raise SystemExit("No browser works here: run tests/browser/ensure_browser.py, as 'make test' does.")
        for name, query in CITY.items():
            with browser.opened(chromium) as (page, _):
                page.goto(page.url.rstrip("/") + "/" + query)
                rig.wait_idle(page)
                heard[name] = listened(page)
        with browser.opened(chromium) as (page, _):
            load_extract(page, records)
            heard[f"{records:,} x 28, six columns published"] = listened(page)
        chromium.close()
    return heard


def main(asked: argparse.Namespace) -> int:
    """Listen and print."""
    try:
        import playwright  # noqa: F401
    except ImportError:
        print("The browser is driven by playwright: install requirements-dev.txt, as 'make test' does.")
        return 1
    load, status = table.load(), 0
    heard = measured(2_000 if asked.quick else extract.RECORDS)
    print(table.markdown([line(*each) for each in heard.items()], HEADER, HEADER[1:-1]))
    print(f"{table.machine()}.{load}")
    for name, each in heard.items():
        for other in contradictions(each):
            print(f"{name}: another recommendation took its place: {other}")
            status = 1
    return status
