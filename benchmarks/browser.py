"""From moving a slider to the repainted chart, in Chromium: ``python -m benchmarks --only browser``.

On the built-in city, and on a made extract of 36,000 records and 28 columns that is uploaded through the page, as a
user would. The clock starts at the key that
moves the slider, inside the browser. From then on every frame looks at the marks of the
chart and at the headline: the first frame after the one in which they differ from before
is when the change is on the screen. The script goes on with the redraws behind the
interval; "everything" is when it has finished. Of the other pages it is measured when all is
settled. Beside each row stands what Streamlit takes by itself: the same on a page that has a
slider and a chart and nothing else (``benchmarks/framework.py``).
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

from benchmarks import extract, table
from benchmarks.data import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Page

MOVES = 24
FEW = 3
"""Moves on each of the other pages."""
PAGE = "If others publish"
K, OVERLAP = "People per class (k)", "Shared people (overlap)"
HEADER = ("what", "moves", "median", "95th percentile", "max", "Streamlit alone", "goal", "met")

CURVE = '[data-testid="stVegaLiteChart"]:is([aria-label*=": share of shared people,"], [aria-label="A line"])'
"""The breach curve by its text alternative, or the chart of the page that has nothing else; pages have other charts."""

HOSPITALS = "Hospitals that publish (R)"
OTHER_PAGES = {"Release": K, "What helps": HOSPITALS, "Differential privacy": HOSPITALS}
"""Pages with a main chart, and the slider that is moved on each."""
HEADLINE_FIRST = ("What helps", "Differential privacy")
"""Pages that show their headline before all is computed."""

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


def room(page: Page, label: str, moves: int) -> int:
    """Steps to the right, so many or as many as a slider has, after the first that warms up.

    A slider with fewer stops than that begins at its first. It never goes back: where it has
    been, the answer is known.
    """
    from tests.browser import rig

    handle = rig.slider(page, label)
    low, high, stop = (float(handle.get_attribute(name) or 0) for name in ("min", "max", "step"))
    if (high - float(handle.input_value())) / stop < moves + 1:
        handle.press("Home")
        rig.wait_idle(page)
    return min(moves, round((high - low) / stop) - 1)


def series(page: Page, label: str, moves: int, wait: bool) -> list[Move]:
    """Move a slider to the right, step by step; the first move warms up."""
    return [move(page, label, "ArrowRight", wait) for _ in range(room(page, label, moves) + 1)][1:]


def quantile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that so many of the values do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, round(share * len(ordered) + 0.5) - 1))]


@dataclass(frozen=True)
class Goal:
    """Milliseconds that the median and the 95th percentile are to keep to; ``None`` where nothing is asked."""

    median: float | None = None
    high: float | None = None

    @property
    def words(self) -> str:
        """As it stands in the table."""
        named = ((self.median, "median"), (self.high, "95th"))
        return ", ".join(f"{table.seconds(limit / 1000)} {name}" for limit, name in named if limit) or table.NONE


@dataclass(frozen=True)
class Timed:
    """A row: what was done, how long it took each time, what is asked, and the same by Streamlit alone.

    Parameters
    ----------
    what
        In words.
    milliseconds
        Each time; ``None`` where nothing was seen to change.
    goal
        What is asked.
    bare
        Each time on a page with a slider and a chart and nothing else.
    """

    what: str
    milliseconds: Sequence[float | None]
    goal: Goal = Goal()
    bare: Sequence[float | None] = ()


def line(row: Timed) -> table.Line:
    """Summarise moves as one row."""
    known = [value / 1000 for value in row.milliseconds if value is not None]
    bare = [value / 1000 for value in row.bare if value is not None]
    median, high = statistics.median(known), quantile(known, 0.95)
    limits = [(limit, found) for limit, found in ((row.goal.median, median), (row.goal.high, high)) if limit]
    met = "yes" if all(1000 * found <= limit for limit, found in limits) else "**no**"
    cells = (
        row.what,
        str(len(known)),
        table.seconds(median),
        table.seconds(high),
        table.seconds(max(known)),
        table.seconds(statistics.median(bare)) if bare else table.NONE,
        row.goal.words,
        met if limits else table.NONE,
    )
    return table.Line(cells)


@contextlib.contextmanager
def opened(browser: Any, script: Path = ROOT / "app.py") -> Iterator[tuple[Page, float]]:
    """Start the app, or another one, and show its first page; yield it with the seconds that took."""
    from tests.browser import rig

    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        with rig.running(script, Path(folder)) as app:
            context = browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme="light")
            page = context.new_page()
            page.goto(app.url)
            page.locator('[data-testid="stMain"] :is(h1, [data-testid="stMetric"])').first.wait_for()
            rig.wait_idle(page, quiet_ms=0)
            yield page, time.perf_counter() - began
            context.close()


def load_table(page: Page, content: bytes) -> None:
    """Load a table through the Data page and accept what is proposed."""
    from tests.browser import rig

    rig.open_page(page, "Data")
    rig.upload(page, "Load your own table", "table.csv", content)
    rig.click(page, "Use this table")


def attack_page(page: Page, content: bytes | None) -> None:
    """Load a table, or keep the built-in city, and open the attack."""
    from tests.browser import rig

    if content is not None:
        load_table(page, content)
    rig.open_page(page, PAGE)
    rig.wait_idle(page)
    if page.locator(CURVE).count() != 1:
        raise SystemExit("The attack page has no breach curve, or another text alternative than benchmarks/browser.py.")


def settled(page: Page, label: str, moves: int) -> list[float]:
    """Milliseconds from the key that moves a slider until the script has ended and nothing changes any more."""
    from tests.browser import rig

    found = []
    for _ in range(room(page, label, moves) + 1):
        handle = rig.slider(page, label)
        handle.focus()
        found.append(rig.timed(page, lambda handle=handle: handle.press("ArrowRight")).painted)
    return found[1:]


# A page stays on the screen, faded, until the next one has sent its title; elements of the one before are stale.
_FIRST_SIGHT = """title => {
    const clock = window.sightClock = {start: undefined, headline: undefined, chart: undefined};
    document.addEventListener('pointerdown', () => { clock.start = performance.now(); }, {capture: true, once: true});
    const look = () => {
        const main = document.querySelector('[data-testid="stMain"]');
        const there = main?.querySelector('h1')?.innerText.trim() === title && clock.start !== undefined;
        const fresh = (what, within) => [...main.querySelectorAll(what)].some(
            part => !part.closest('[data-stale="true"]') && part.querySelector(within));
        if (there && fresh('.st-key-stage [data-testid="stMarkdown"]', 'p')) clock.headline ??= performance.now();
        if (there && fresh('[data-testid="stVegaLiteChart"]', 'svg, canvas')) clock.chart = performance.now();
        else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
}"""


def opening(page: Page, title: str) -> tuple[float, float, float]:
    """Milliseconds from the click on a page in the navigation until it shows headline and chart, and has settled."""
    from tests.browser import rig

    more = page.get_by_test_id("stSidebarNavViewButton")
    link = page.get_by_test_id("stSidebarNav").get_by_role("link", name=title, exact=True)
    if not link.is_visible():
        more.click()
        link.wait_for()
    page.evaluate(_FIRST_SIGHT, title)
    painted = rig.timed(page, link.click).painted
    page.wait_for_function("window.sightClock.chart !== undefined", timeout=rig.IDLE_MS)
    headline, chart = (
        page.evaluate(f"window.sightClock.{name} - window.sightClock.start") for name in ("headline", "chart")
    )
    return headline, chart, painted


def bare_rows(browser: Any, moves: int) -> tuple[list[Move], list[float], list[float]]:
    """What Streamlit takes by itself: moves of a slider, moves until all is settled, and starts in milliseconds."""
    from benchmarks import framework

    with opened(browser, Path(framework.__file__)) as (page, took):
        moved = series(page, "Slider", moves, wait=True)
        return moved, settled(page, "Slider", moves), [1000 * took]


def measured(records: int, moves: int) -> list[Timed]:
    """Drive the app; return the rows of the table."""
    from playwright.sync_api import sync_playwright

    from tests.browser import ensure_browser

    with sync_playwright() as playwright:
        browser = ensure_browser.open_browser(playwright)
        if browser is None:
            raise SystemExit("No browser works here: run tests/browser/ensure_browser.py, as 'make test' does.")
        bare, calm, bare_start = bare_rows(browser, moves)
        rows: list[Timed] = []
        for name, content in (("city", None), (extract.NAME, extract.table(records))):
            rows += _moves(browser, name, content, moves, bare)
            rows += _others(browser, name, content, min(moves, FEW), calm)
            rows += _openings(browser, name, content, calm)
        starts = []
        for _ in range(4):
            with opened(browser) as (_, took):
                starts.append(1000 * took)
        browser.close()
    return [*rows, Timed("app started, first page shown", starts[1:], Goal(2000), bare_start)]


def _moves(browser: Any, table_name: str, content: bytes | None, moves: int, bare: Sequence[Move]) -> list[Timed]:
    """The attack page: each slider, and one that is moved again before all is done."""
    from tests.browser import rig

    with opened(browser) as (page, _):
        attack_page(page, content)
        before = rig.slider_value(page, K)
        k = series(page, K, moves, wait=True)
        rig.set_slider(page, K, before)
        overlap = series(page, OVERLAP, moves, wait=True)
        hurried = series(page, OVERLAP, moves, wait=False)
    chart, number, end = ([getattr(one, part) for one in bare] for part in ("chart", "number", "end"))
    rows = []
    for name, done in (("k", k), ("overlap", overlap)):
        what = f"{table_name}: {name} moved,"
        rows += [
            Timed(f"{what} chart repainted", [one.chart for one in done], Goal(300, 450), chart),
            Timed(f"{what} headline repainted", [one.number for one in done], Goal(), number),
            Timed(f"{what} everything done, intervals too", [one.end for one in done], Goal(1500), end),
        ]
    again = [one.chart for one in hurried]
    return [*rows, Timed(f"{table_name}: overlap moved again at once, chart repainted", again, Goal(400, 600), chart)]


def _others(browser: Any, table_name: str, content: bytes | None, moves: int, bare: Sequence[float]) -> list[Timed]:
    """Every other page with a main chart: its slider, until all is settled."""
    from tests.browser import rig

    rows = []
    with opened(browser) as (page, _):
        if content is not None:
            load_table(page, content)
        for title, label in OTHER_PAGES.items():
            rig.open_page(page, title)
            rig.wait_idle(page)
            what = f"{table_name}, {title}: slider moved, settled"
            rows.append(Timed(what, settled(page, label, moves), Goal(1500), bare))
    return rows


def _openings(browser: Any, table_name: str, content: bytes | None, bare: Sequence[float]) -> list[Timed]:
    """Every page with a main chart, opened for the first time."""
    with opened(browser) as (page, _):
        if content is not None:
            load_table(page, content)
        took = [(title, *opening(page, title)) for title in ("Release", PAGE, *HEADLINE_FIRST)]
    rows = []
    for title, headline, chart, done in took:
        first = Goal(500) if title in HEADLINE_FIRST else Goal()
        rows.append(Timed(f"{table_name}, {title}: opened, headline shown", [headline], first))
        rows.append(Timed(f"{table_name}, {title}: opened, chart shown", [chart]))
        rows.append(Timed(f"{table_name}, {title}: opened, settled", [done], Goal(1500), bare))
    return rows


def main(asked: argparse.Namespace) -> int:
    """Measure and print; with ``--write``, put the table into benchmarks/README.md."""
    try:
        import playwright  # noqa: F401
    except ImportError:
        print("The browser is driven by playwright: install requirements-dev.txt, as 'make test' does.")
        return 1
    load, records = table.load(), 2_000 if asked.quick else extract.RECORDS
    lines = [line(row) for row in measured(records, 2 if asked.quick else MOVES)]
    print(table.markdown([table.plainer(timed) for timed in lines], HEADER, HEADER[1:]))
    print(f"{table.machine()}.{load}")
    if asked.write:
        facts = f"Measured on {asked.date}: {table.machine()}.{load}"
        table.write("browser", "\n\n".join([facts, table.markdown(lines, HEADER, HEADER[1:])]))
    return 0
