"""The real app on a port of its own, and a Chromium that reports what it was asked to do."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

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
            pytest.fail("no browser works here: run tests/browser/ensure_browser.py, as 'make test' does")
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser, app: rig.App) -> Iterator[Page]:
    """Open a blank page; afterwards, no request may have left this machine and no error have been shown.

    Each test has a browser context, and so a Streamlit session, of its own.
    """
    watch = rig.Watch()
    context = browser.new_context(
        viewport={"width": 1440, "height": 900}, color_scheme="light", locale="en-GB", accept_downloads=True
    )
    context.set_default_timeout(60_000)
    watch.attach(context)
    yield context.new_page()
    for left in context.pages:
        watch.look(left)
    context.close()
    complaints = watch.complaints() + app.complaints()
    assert not complaints, "\n".join(complaints)
