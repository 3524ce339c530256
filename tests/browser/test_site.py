"""The site that `make docs` builds: whole, and asking no other host for anything."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from delivery import site
from tests.browser import rig

WRITTEN = ("docs/samples/report_external.html", "docs/slides/lesson.html")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    pytest.importorskip("zensical", reason="make test-all installs what builds the site")
    assert site.main([]) == 0
    with rig.serving(site.SITE) as port:
        yield f"http://127.0.0.1:{port}/"


@pytest.fixture
def alone(browser: Browser, address: str) -> Iterator[tuple[Page, rig.Watch]]:
    """A page that reaches the site and nothing else."""
    watch, context = rig.Watch(), browser.new_context()
    watch.attach(context)
    context.route(lambda url: not url.startswith(address), lambda route: route.abort())
    yield context.new_page(), watch
    context.close()
    assert [url for url in watch.requests if not url.startswith((address, "data:"))] == []
    assert watch.errors == []


def test_no_page_asks_another_host(alone: tuple[Page, rig.Watch], address: str) -> None:
    page, _ = alone
    pages = [path.relative_to(site.SITE).as_posix() for path in sorted(site.SITE.rglob("*.html"))]
    assert set(WRITTEN) <= set(pages)
    for name in pages:
        page.goto(address + name, wait_until="load")
        assert page.locator("h1").first.is_visible(), name


def test_slides_are_turned_by_keyboard_and_hide_numbers_until_they_are_wanted(
    alone: tuple[Page, rig.Watch], address: str
) -> None:
    page, _ = alone
    page.goto(f"{address}docs/slides/lesson.html#4")
    slide = page.locator("section.shown")
    numbers = slide.get_by_role("cell", name="24.3%")
    assert not numbers.is_visible()
    slide.get_by_role("button", name="Reveal").press("Enter")
    assert numbers.is_visible()
    page.keyboard.press("ArrowRight")
    assert page.get_by_role("status").inner_text().startswith("5 of ")
    assert "third hospital" in slide.inner_text()


def test_every_link_within_the_site_leads_to_a_file(address: str) -> None:
    for path in sorted(site.SITE.rglob("*.html")):
        for target in re.findall(r'(?:href|src)="?([^"\s>]+)', path.read_text(encoding="utf-8")):
            name = target.partition("#")[0]
            if name and not re.match(r"[a-z]+:|/|\$", name):
                assert (path.parent / Path(name)).exists(), f"{path.relative_to(site.SITE)}: {target}"
