"""No page of another origin frames the app, and what the browser may do with a page of the app is said."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from pages.shared import server
from tests.browser import rig
from tests.visitor import get

REFUSED = re.compile("frame-ancestors 'none'|X-Frame-Options")


def test_a_page_of_another_origin_sees_an_empty_frame(browser: Browser, app: rig.App, tmp_path: Path) -> None:
    frame = f'<iframe id="frame" width="900" height="700" src="{app.url}/data"></iframe>'
    (tmp_path / "index.html").write_text(frame, encoding="utf-8")
    page = browser.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    with rig.serving(tmp_path) as port:
        page.goto(f"http://localhost:{port}/")
        for _ in range(100):
            if any(REFUSED.search(text) for text in said):
                break
            page.wait_for_timeout(100)
    assert page.frame_locator("#frame").locator('[data-testid="stApp"]').count() == 0
    assert any(REFUSED.search(text) for text in said), said
    page.goto(f"{app.url}/data")
    page.get_by_test_id("stApp").wait_for()
    page.close()


def test_no_origin_may_talk_with_the_page(app: rig.App) -> None:
    answer = json.loads(get(app.url, "/_stcore/host-config").body)
    assert answer["allowedOrigins"] == []
    assert not answer["enableCustomParentMessages"]


@pytest.mark.parametrize("path", ["/", "/data", "/_stcore/health", "/static/missing.js"])
def test_every_answer_says_what_the_browser_may_do(app: rig.App, path: str) -> None:
    headers = get(app.url, path).headers
    for name, value in server.HEADERS.items():
        assert headers.get_all(name) == [value]


def test_the_browser_keeps_no_download(app: rig.App) -> None:
    assert get(app.url, "/media/whatever.csv").headers["Cache-Control"] == "no-store"
