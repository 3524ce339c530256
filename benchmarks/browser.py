"""From moving a slider to the repainted chart, in Chromium, on Adult: ``python -m benchmarks --only browser``.

The table is uploaded through the page, as a user would. The clock starts at the key that
moves the slider, inside the browser. From then on every frame looks at the marks of the
chart and at the headline: the first frame after the one in which they differ from before
is when the change is on the screen. The script goes on with the redraws behind the
interval; "everything" is when it has finished.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import table
from benchmarks.data import ABSENT, ROOT, Data

if TYPE_CHECKING:
    from playwright.sync_api import Page

MOVES = 24
BUDGET, START_BUDGET = 0.5, 3.0
PAGE = "Intersection attack"
K, OVERLAP = "People per class (k)", "Shared people (overlap)"
HEADER = ("what", "moves", "median", "95th percentile", "max", "budget", "met")

CURVE = '[data-testid="stVegaLiteChart"][aria-label^="Share of shared people exposed at confidence"]'
"""The breach curve by its text alternative; the page has other charts, and while one is made anew the next moves up."""

# The marks as text: paths of an SVG, pixels of a canvas; "" while there are none.
_WATCH = """curve => {
    const marks = () => {
        const chart = document.querySelector(curve);
        if (!chart) return '';
        const canvas = chart.querySelector('canvas');
        if (canvas) return canvas.width ? canvas.toDataURL() : '';
        const paths = chart.querySelectorAll('g.mark-line path, g.mark-rule line, g.mark-area path');
        return [...paths].map(path => path.outerHTML).join('');
    };
    const number = () => {
        const shown = document.querySelectorAll('[data-testid="stMain"] [data-testid="stMetricValue"]');
        return [...shown].map(value => value.innerText).join('|');
    };
    const app = document.querySelector('[data-testid="stApp"]');
    const clock = window.benchClock = {start: undefined, chart: undefined, number: undefined, ran: false,
                                       end: undefined, done: false};
    const before = {marks: marks(), number: number()};
    document.addEventListener('keydown', () => { clock.start ??= performance.now(); }, {capture: true, once: true});
    const look = () => {
        if (clock.done) return;
        if (clock.start !== undefined) {
            const now = {marks: marks(), number: number()};
            const busy = app.dataset.testScriptState !== 'notRunning';
            clock.ran ||= busy;
            // What differs now is on the screen with the next frame.
            if (clock.chart === undefined && now.marks && now.marks !== before.marks)
                requestAnimationFrame(time => { clock.chart ??= time; });
            if (clock.number === undefined && now.number && now.number !== before.number)
                requestAnimationFrame(time => { clock.number ??= time; });
            clock.end = busy || !clock.ran ? undefined : clock.end ?? performance.now();
        }
        requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
}"""
_STOP = """() => {
    const clock = window.benchClock;
    clock.done = true;
    return ['chart', 'number', 'end'].map(name => clock[name] === undefined ? null : clock[name] - clock.start);
}"""


@dataclass(frozen=True)
class Move:
    """Milliseconds from the key to the chart, to the headline and to the end of the script's run."""

    chart: float
    number: float | None
    end: float | None


def move(page: Page, label: str, key: str, wait: bool) -> Move:
    """Press a key on a slider and time what follows; ``wait`` for the end of everything, or go on at once."""
    from tests.browser import rig

    handle = rig.slider(page, label)
    handle.focus()
    page.evaluate(_WATCH, CURVE)
    handle.press(key)
    page.wait_for_function("window.benchClock.chart !== undefined", timeout=rig.IDLE_MS)
    if wait:
        rig.wait_idle(page)
    chart, number, end = page.evaluate(_STOP)
    return Move(chart, number, end if wait else None)


def series(page: Page, label: str, moves: int, wait: bool) -> list[Move]:
    """Move a slider to the right, step by step; the first move warms up."""
    return [move(page, label, "ArrowRight", wait) for _ in range(moves + 1)][1:]


def quantile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that so many of the values do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, round(share * len(ordered) + 0.5) - 1))]


def line(what: str, milliseconds: Sequence[float | None], budget: float | None) -> table.Line:
    """Summarise moves as one row."""
    found = [value / 1000 for value in milliseconds if value is not None]
    high = quantile(found, 0.95)
    met = table.NONE if budget is None else "yes" if high <= budget else "**no**"
    words = table.NONE if budget is None else table.seconds(budget)
    cells = (
        what,
        str(len(found)),
        table.seconds(statistics.median(found)),
        table.seconds(high),
        table.seconds(max(found)),
        words,
        met,
    )
    return table.Line(cells)


@contextlib.contextmanager
def opened(browser: Any) -> Iterator[tuple[Page, float]]:
    """Start the app and show its first page; yield it with the seconds that took."""
    from tests.browser import rig

    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        with rig.running(ROOT / "app.py", Path(folder)) as app:
            context = browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme="light")
            page = context.new_page()
            page.goto(app.url)
            page.locator('[data-testid="stMain"] h1').first.wait_for()
            rig.wait_idle(page, quiet_ms=0)
            yield page, time.perf_counter() - began
            context.close()


def attack_page(page: Page, data: Data) -> None:
    """Load the table through the Data page, accept what is proposed, and open the attack."""
    from tests.browser import rig

    rig.open_page(page, "Data")
    rig.upload(page, "Load your own table", "table.csv", data.content)
    rig.click(page, "Use this table")
    rig.open_page(page, PAGE)
    rig.wait_idle(page)
    if page.locator(CURVE).count() != 1:
        raise SystemExit("The attack page has no breach curve, or another text alternative than benchmarks/browser.py.")


def measured(data: Data, moves: int) -> list[table.Line]:
    """Drive the app; return the rows of the table."""
    from playwright.sync_api import sync_playwright

    from tests.browser import ensure_browser

    with sync_playwright() as playwright:
        browser = ensure_browser.open_browser(playwright)
        if browser is None:
            raise SystemExit("No browser works here: run tests/browser/ensure_browser.py, as 'make test' does.")
        starts = []
        for _ in range(4):
            with opened(browser) as (_, took):
                starts.append(1000 * took)
        with opened(browser) as (page, _):
            attack_page(page, data)
            k = series(page, K, moves, wait=True)
            overlap = series(page, OVERLAP, moves, wait=True)
            hurried = series(page, OVERLAP, moves, wait=False)
        browser.close()
    return [
        line("k moved, chart repainted", [found.chart for found in k], BUDGET),
        line("k moved, headline repainted", [found.number for found in k], None),
        line("k moved, everything done, intervals too", [found.end for found in k], None),
        line("overlap moved, chart repainted", [found.chart for found in overlap], BUDGET),
        line("overlap moved, headline repainted", [found.number for found in overlap], None),
        line("overlap moved, everything done, intervals too", [found.end for found in overlap], None),
        line("overlap moved again at once, chart repainted", [found.chart for found in hurried], BUDGET),
        line("app started, first page shown", starts[1:], START_BUDGET),
    ]


def main(asked: argparse.Namespace) -> int:
    """Measure and print; with ``--write``, put the table into benchmarks/README.md."""
    try:
        import playwright  # noqa: F401
    except ImportError:
        print("The browser is driven by playwright: install requirements-dev.txt, as 'make test' does.")
        return 1
    load, data = table.load(), Data(asked.quick)
    lines = measured(data, 2 if asked.quick else MOVES)
    head = [] if data.folder is not None else [ABSENT]
    print(*head, table.markdown([table.plainer(found) for found in lines], HEADER, HEADER[1:]), sep="\n")
    print(f"{data.size}. {table.machine()}.{load}")
    if asked.write:
        facts = f"Measured on {asked.date} with {data.size}: {table.machine()}.{load}"
        table.write("browser", "\n\n".join([*head, facts, table.markdown(lines, HEADER, HEADER[1:])]))
    return 0
