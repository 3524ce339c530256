"""The real app on a port of its own, and a Chromium that reports what it was asked to do."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Error, Page, sync_playwright

from tests.browser import ensure_browser, rig


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[rig.App]:
    """Run the app for all browser tests."""
    script = rig.ROOT / "app.py"
    start = ["-m", "tests.browser.remembering", str(script)]
    with rig.running(script, tmp_path_factory.mktemp("app"), command=start) as running:
        yield running


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start one Chromium for all browser tests."""
    with sync_playwright() as playwright:
        browser = ensure_browser.open_browser(playwright)
        if browser is None:
            pytest.fail("no browser works here: run tests/browser/ensure_browser.py, as 'make test-all' does")
        yield browser
        browser.close()


class Tab:
    """One tab for many tests: what Chromium has read and compiled of Streamlit's programs is not read again.

    Each test finds it blank, with nothing stored and a window of its usual size; the app gives it a session of its
    own as it is opened. Where it cannot be left so, the next test has a new one.
    """

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._page: Page | None = None

    def blank(self) -> Page:
        """Return the tab as a new one is."""
        if self._page is None:
            context = self._browser.new_context(locale="en-GB", accept_downloads=True)
            context.set_default_timeout(60_000)
            self._page = context.new_page()
        self._page.set_viewport_size({"width": 1440, "height": 900})
        self._page.emulate_media(media="null", color_scheme="light")
        return self._page

    def leave(self, page: Page) -> None:
        """Forget what a test left: other tabs, what is stored, the mouse, and the page itself."""
        try:
            for other in page.context.pages:
                if other is not page:
                    other.close()
            if page.url.startswith("http"):
                page.evaluate("localStorage.clear(); sessionStorage.clear()")
            page.context.clear_cookies()
            page.mouse.move(0, 0)
            page.goto("about:blank")
        except Error:
            self.close()

    def close(self) -> None:
        """Close it for good."""
        if self._page is not None:
            self._page.context.close()
            self._page = None


@pytest.fixture(scope="session")
def tab(browser: Browser) -> Iterator[Tab]:
    """Keep one tab for all browser tests."""
    tab = Tab(browser)
    yield tab
    tab.close()


@pytest.fixture
def page(tab: Tab, app: rig.App) -> Iterator[Page]:
    """Give a blank page; afterwards, no request may have left this machine and no error have been shown.

    Each test has a Streamlit session of its own.
    """
    watch = rig.Watch()
    page = tab.blank()
    with watch.over(page):
        yield page
        for left in page.context.pages:
            watch.look(left)
    tab.leave(page)
    complaints = watch.complaints() + app.complaints()
    assert not complaints, "\n".join(complaints)
