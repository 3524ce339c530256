"""Hands and eyes for the browser tests: start the app, move its widgets, read what it shows.

Widgets are named by their label, as a person would name them. Every function that causes a run
of the script returns when that run is finished and drawn. The selectors are those of
Streamlit 1.67; ``test_rig.py`` tells when a newer one has moved them.
"""

from __future__ import annotations

import contextlib
import functools
import http.server
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Download, Locator, Page, WebError, WebSocket
from playwright.sync_api import TimeoutError as TooLong

import launch
from pages.shared.server import ENVIRONMENT

ROOT = Path(__file__).resolve().parents[2]
GUARD = ROOT / "tests" / "guard"

START_SECONDS = 120
IDLE_MS = 120_000
PRESS_MS = 15_000
# A run begins 30 to 100 ms after the key or the click that causes it; on a busy machine later.
QUIET_MS = 500
# Looking at every frame, as Playwright does by itself, keeps the browser drawing frames while nothing happens.
LOOK_MS = 100


# --- the app -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class App:
    """A running app: where it answers, what it logs, and which other hosts its server tried to reach."""

    url: str
    log: Path
    outside: Path
    process: int = 0

    def complaints(self) -> list[str]:
        """Return what is wrong with the server so far: errors logged and attempts to reach other hosts."""
        found = []
        text = _DEPARTURE.sub("", self.log.read_text(encoding="utf-8", errors="replace"))
        if _LOGGED_ERROR.search(text):
            found.append(f"the server logged an error:\n{text[-4000:]}")
        if self.outside.exists():
            found += [
                f"the server tried to reach another host: {line}"
                for line in self.outside.read_text(encoding="utf-8").splitlines()
            ]
        return found


# With its text, or without as the app logs it.
BELOW_A_PAGE = re.compile(r"/\w+/_stcore/(health|host-config)$")
"""What a page that was opened by its address looks for below that address, before it finds its server."""
_LOGGED_ERROR = re.compile(r"^Traceback |\b[A-Z]\w*(?:Error|Exception)(?::| at )", re.MULTILINE)

_LEFT = r"Traceback \(most recent call last\):\n(?:[ \t].*\n)+starlette\.websockets\.WebSocketDisconnected: .*\n"
_DEPARTURE = re.compile(rf"^{_LEFT}(?:\n(?:During handling|The above exception).*\n\n{_LEFT})*", re.MULTILINE)
"""A browser that goes away while it still connects: the server of Streamlit 1.67 logs that as an error of its own."""


@contextlib.contextmanager
def running(
    script: Path,
    folder: Path,
    options: Sequence[str] = (),
    environment: Mapping[str, str] = ENVIRONMENT,
    command: Sequence[str] = (),
    working_folder: Path = ROOT,
) -> Iterator[App]:
    """Run a Streamlit script on a free port of this machine, its log in `folder`, until the block ends.

    With further options of the command line, variables of the environment, those of `make run`, and
    another command than `streamlit run` or another working folder where one is given.
    """
    port = free_port()
    variables = {name: value for name, value in os.environ.items() if not name.startswith("STREAMLIT_")}
    # No settings but the project's own.
    variables |= {"HOME": str(folder), **environment}
    start = command or ["-m", "streamlit", "run", str(script)]
    with served(
        [sys.executable, *start, f"--server.port={port}", *options], folder, port, variables, working_folder
    ) as app:
        yield app


@contextlib.contextmanager
def served(
    command: Sequence[str], folder: Path, port: int, variables: Mapping[str, str], working_folder: Path
) -> Iterator[App]:
    """Run a command that serves the app on a port, with the guard of the network in every Python of it."""
    outside = folder / "outside.log"
    guard = {"PYTHONPATH": str(GUARD), "COMPOSITION_OUTSIDE_LOG": str(outside)}
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(
            command,
            cwd=working_folder,
            env={**variables, **guard},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    app = App(f"http://127.0.0.1:{port}", folder / "server.log", outside, server.pid)
    try:
        healthy = launch.wait_until_healthy(app.url, START_SECONDS)
        assert healthy, f"the app did not start:\n{app.log.read_text(encoding='utf-8', errors='replace')}"
        yield app
    finally:
        server.terminate()
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def free_port() -> int:
    """Return a port of 127.0.0.1 that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[int]:
    """Serve the files of a folder on a port of this machine, until the block ends."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


# --- what the browser was up to ----------------------------------------------------------------


@dataclass
class Watch:
    """Every request and every error of a browser context, from its first page on."""

    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def attach(self, context: BrowserContext) -> Callable[[], None]:
        """Listen to a context and to all pages it will have, until what is returned is called."""
        ears: dict[str, Callable[..., None]] = {
            "request": lambda request: self.requests.append(request.url),
            "console": self._console,
            "weberror": self._page_error,
            "page": lambda page: page.on("websocket", self._socket),
        }
        listen: Callable[..., object] = context.on
        for event, ear in ears.items():
            listen(event, ear)

        def end() -> None:
            for event, ear in ears.items():
                context.remove_listener(event, ear)

        return end

    @contextlib.contextmanager
    def over(self, page: Page) -> Iterator[None]:
        """Listen to a page, its context and all further pages of that, for a while."""
        end = self.attach(page.context)
        page.on("websocket", self._socket)
        yield
        end()
        page.remove_listener("websocket", self._socket)

    def _socket(self, socket: WebSocket) -> None:
        self.requests.append(socket.url)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not BELOW_A_PAGE.search(message.location["url"]):
            self.errors.append(f"console: {message.text}")

    def _page_error(self, error: WebError) -> None:
        self.errors.append(f"page: {error.error}")

    def look(self, page: Page) -> None:
        """Note the errors that a page shows in place of its elements."""
        shown = page.get_by_test_id("stException").all_inner_texts()
        self.errors += [f"shown: {text}" for text in shown]

    def complaints(self) -> list[str]:
        """Return what must not have happened: requests to other hosts, and errors."""
        outside = dict.fromkeys(url for url in self.requests if not stays_here(url))
        return [f"the page asked another host: {url}" for url in outside] + self.errors


def stays_here(url: str) -> bool:
    """Tell whether a request for this address stays on this machine."""
    parts = urlsplit(url)
    return parts.scheme in ("data", "blob", "about") or parts.hostname in ("127.0.0.1", "localhost")


# --- waiting -----------------------------------------------------------------------------------

_IS_IDLE = """quiet => {
    const app = document.querySelector('[data-testid="stApp"]');
    const busy = !app
        || app.dataset.testScriptState !== 'notRunning'
        || app.dataset.testConnectionState !== 'CONNECTED'
        || document.querySelector('[data-testid="stSkeleton"], [data-testid="stAppSkeleton"]');
    const now = performance.now();
    if (busy) { window.rigIdleSince = undefined; return false; }
    window.rigIdleSince ??= now;
    return now - window.rigIdleSince >= quiet;
}"""


def wait_idle(page: Page, quiet_ms: int = QUIET_MS, timeout_ms: int = IDLE_MS) -> None:
    """Wait until the script has not been running, and nothing is still loading, for `quiet_ms`."""
    page.evaluate("window.rigIdleSince = undefined")
    page.wait_for_function(_IS_IDLE, arg=quiet_ms, timeout=timeout_ms, polling=LOOK_MS)


def visit(page: Page, app: App, path: str = "") -> None:
    """Open the app, or one of its pages by address, as a new session."""
    page.goto(f"{app.url}/{path}")
    wait_idle(page)


@dataclass(frozen=True)
class Timing:
    """How long one interaction took, in ms from the key or click as the browser saw it."""

    script: float
    painted: float


_START_CLOCK = """() => {
    const app = document.querySelector('[data-testid="stApp"]');
    const clock = window.rigClock = {start: undefined, runs: 0, finished: undefined, changed: undefined};
    const begin = event => { clock.start ??= performance.now(); };
    const state = new MutationObserver(() => {
        if (app.dataset.testScriptState === 'running') { clock.runs += 1; clock.finished = undefined; }
        else if (clock.runs) { clock.finished = performance.now(); }
    });
    const content = new MutationObserver(() => {
        requestAnimationFrame(() => { clock.changed = performance.now(); });
    });
    for (const kind of ['keydown', 'pointerup']) document.addEventListener(kind, begin, true);
    state.observe(app, {attributes: true, attributeFilter: ['data-test-script-state']});
    for (const part of document.querySelectorAll('[data-testid="stMain"], [data-testid="stSidebar"]'))
        content.observe(part, {attributes: true, childList: true, characterData: true, subtree: true});
    // A run of a few milliseconds begins and ends between two drawings: then the page changes and never says it runs.
    clock.over = () => clock.finished !== undefined
        || (!clock.runs && clock.changed !== undefined && performance.now() - clock.changed > 2000);
    clock.stop = () => {
        clock.finished ??= clock.changed;
        state.disconnect(); content.disconnect();
        for (const kind of ['keydown', 'pointerup']) document.removeEventListener(kind, begin, true);
        return [clock.finished - clock.start, Math.max(clock.finished, clock.changed ?? 0) - clock.start];
    };
}"""


def timed(page: Page, action: Callable[[], object], quiet_ms: int = 500, timeout_ms: int = IDLE_MS) -> Timing:
    """Do something that runs the script, and tell when the run ended and when the page last changed.

    `painted` ends with the frame after the last change of the page's elements. Charts drawn as SVG
    are elements; what is drawn into a canvas is not seen, so its time may be missing.
    """
    page.evaluate(_START_CLOCK)
    action()
    page.wait_for_function("window.rigClock.over()", timeout=timeout_ms, polling=LOOK_MS)
    wait_idle(page, quiet_ms, timeout_ms)
    script, painted = page.evaluate("window.rigClock.stop()")
    return Timing(script, painted)


_IS_CURRENT = """title => [...document.querySelectorAll('[data-testid="stSidebarNavLink"]')].some(
    link => link.ariaCurrent === 'page' && link.innerText.trim().endsWith(title))"""


# --- finding and moving ------------------------------------------------------------------------


def widget(scope: Page | Locator, kind: str, label: str) -> Locator:
    """Return the widget of a kind ("stSlider", "stSelectbox", ...) with exactly this label."""
    name = re.compile(rf"^\s*{re.escape(label)}\s*$")
    labels = scope.page if isinstance(scope, Locator) else scope
    return scope.get_by_test_id(kind).filter(has=labels.get_by_test_id("stWidgetLabel").filter(has_text=name))


SECONDS = 20


def holds(claim: Callable[[], None]) -> None:
    """Wait until a claim holds: a page that was resized is drawn again in its own time."""
    deadline = time.monotonic() + SECONDS
    while True:
        try:
            return claim()
        except AssertionError:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.2)


def open_page(page: Page, title: str) -> None:
    """Open a page by its title in the sidebar."""
    # On a narrow screen the sidebar starts folded; with many pages the last ones do.
    link = page.get_by_test_id("stSidebarNav").get_by_role("link", name=title, exact=True)
    folded = page.get_by_test_id("stExpandSidebarButton")
    if folded.is_visible():
        folded.click()
        page.wait_for_timeout(QUIET_MS)
    more = page.get_by_test_id("stSidebarNavViewButton")
    if more.is_visible() and not link.is_visible():
        more.click()
        page.wait_for_timeout(QUIET_MS)
    link.click()
    page.wait_for_function(_IS_CURRENT, arg=title, polling=LOOK_MS)
    wait_idle(page)


def slider(page: Page, label: str) -> Locator:
    """Return the handle of a slider."""
    return widget(page, "stSlider", label).locator("input[type=range]")


def slider_value(page: Page, label: str) -> str:
    """Return what a slider says it is set to, as it shows it."""
    return slider(page, label).get_attribute("aria-valuetext") or ""


def set_slider(page: Page, label: str, value: str) -> None:
    """Move a slider made of options to the option with this text, by keyboard."""
    handle = slider(page, label)
    handle.press("Home")
    for _ in range(int(handle.get_attribute("max") or 0) + 1):
        if handle.get_attribute("aria-valuetext") == value:
            return wait_idle(page)
        handle.press("ArrowRight")
    raise AssertionError(f"the slider '{label}' has no option '{value}'")


def set_number(page: Page, label: str, value: float) -> None:
    """Type a number into a number field and leave it."""
    field_ = widget(page, "stNumberInput", label).locator("input")
    field_.fill(f"{value:g}")
    field_.press("Enter")
    wait_idle(page)


def set_date(page: Page, label: str, digits: str) -> None:
    """Type a date into a date field, year, month and day without anything between, and leave it."""
    part = page.get_by_role("group", name=label, exact=True).get_by_role("spinbutton").first
    part.click()
    page.keyboard.type(digits)
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    wait_idle(page)


def choose(page: Page, label: str, option: str) -> None:
    """Pick an option of a drop-down list."""
    box = widget(page, "stSelectbox", label).get_by_role("combobox")
    # Scrolling closes an open list.
    box.scroll_into_view_if_needed()
    page.wait_for_timeout(QUIET_MS)
    box.click()
    page.get_by_role("option", name=option, exact=True).click()
    wait_idle(page)


def click(page: Page, label: str, scope: Locator | None = None) -> None:
    """Press a button by its text."""
    (scope or page).get_by_role("button", name=label, exact=True).click()
    wait_idle(page)


def upload(page: Page, label: str, name: str, content: bytes, mime: str = "text/csv") -> None:
    """Hand a file to a file uploader."""
    holder = widget(page, "stFileUploader", label)
    holder.locator("input[type=file]").set_input_files({"name": name, "mimeType": mime, "buffer": content})
    wait_idle(page, quiet_ms=2 * QUIET_MS)


def download(page: Page, label: str) -> tuple[str, bytes]:
    """Press a download button; return the file's proposed name and its content."""
    button = page.get_by_role("button", name=label, exact=True)
    event = _pressed(page, button)
    content = Path(event.path()).read_bytes()
    wait_idle(page)
    return event.suggested_filename, content


def _pressed(page: Page, button: Locator, presses: int = 3) -> Download:
    """Press until a download begins: a run still at work draws the button anew, and a press on the old one is lost."""
    button.wait_for()
    wait_idle(page)
    try:
        with page.expect_download(timeout=PRESS_MS if presses > 1 else IDLE_MS) as event:
            button.click()
        return event.value
    except TooLong:
        if presses == 1:
            raise
    return _pressed(page, button, presses - 1)


# --- reading -----------------------------------------------------------------------------------


def spaced(text: str) -> str:
    """Return a text with plain spaces for those that keep a number on its line."""
    return text.replace("\N{NO-BREAK SPACE}", " ")


def metric(scope: Page | Locator, label: str) -> str:
    """Return the text of a metric by its label, looking only inside `scope`."""
    name = re.compile(rf"^\s*{re.escape(label)}\s*$")
    page = scope.page if isinstance(scope, Locator) else scope
    labelled = page.get_by_test_id("stMetricLabel").filter(has_text=name)
    value = scope.get_by_test_id("stMetric").filter(has=labelled).get_by_test_id("stMetricValue")
    return spaced(value.inner_text()).strip()


def bar_text(page: Page) -> str:
    return spaced(page.locator(".st-key-status-bar").inner_text())


def bar_shows(page: Page, pattern: str) -> None:
    """Wait until the status bar matches: under load it follows the page by more than the quiet time."""
    deadline = time.monotonic() + 60
    while not (found := re.search(pattern, bar_text(page))) and time.monotonic() < deadline:
        page.wait_for_timeout(250)
    assert found, f"the status bar never showed {pattern}; it shows:\n{bar_text(page)}"
