"""Takes the moving picture of the README from the running app: ``make pictures``.

Alice in three steps, k moved on *If others publish*, what helps, and the decision.
"""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from tests.browser import ensure_browser, rig

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "docs" / "pictures" / "composition.webp"
WINDOW = (1200, 750)
CITY = "?example=city"
LIMITS = "&limit_one_value_left=0.05&limit_loss=0.1"
Frame = tuple[Image.Image, int]
"""What is seen, and for how many milliseconds."""


def main() -> int:
    """Write the picture; 2 where no browser was found."""
    with (
        tempfile.TemporaryDirectory() as name,
        rig.running(ROOT / "app.py", Path(name)) as app,
        sync_playwright() as tool,
    ):
        browser = ensure_browser.open_browser(tool)
        if browser is None:
            sys.stderr.write("No Chromium or Chrome was found; `make test-all` fetches one.\n")
            return 2
        page = browser.new_page(viewport={"width": WINDOW[0], "height": WINDOW[1]}, color_scheme="light")
        frames = list(story(page, app))
        browser.close()
    first, *others = [image for image, _ in frames]
    first.save(
        FILE, save_all=True, append_images=others, duration=[ms for _, ms in frames], loop=0, quality=70, method=6
    )
    seconds = sum(ms for _, ms in frames) / 1000
    sys.stdout.write(f"{FILE}: {len(frames)} frames, {seconds:.0f} s, {FILE.stat().st_size / 1000:.0f} kB\n")
    return 0


def story(page: Page, app: rig.App) -> Iterator[Frame]:
    """Every frame, in order."""
    rig.visit(page, app, CITY)
    for step in ("1. Look in (a)", "2. Look in (b)", "3. Both"):
        press(page, step)
        yield seen(page), 2000
    rig.visit(page, app, f"attack{CITY}&k=2")
    for k in (2, 3, 5, 8, 12, 20):
        rig.set_number(page, "People per class (k), exact", k)
        yield seen(page), 1000
    rig.visit(page, app, f"hold{CITY}{LIMITS}")
    yield seen(page), 3500
    for k in (5, 10):
        rig.visit(page, app, f"review{CITY}{LIMITS}&k={k}")
        yield seen(page), 2500


def press(page: Page, name: str) -> None:
    """Press a step of the story."""
    page.get_by_role("radio", name=name).or_(page.get_by_role("button", name=name)).first.click()


def seen(page: Page) -> Image.Image:
    """The window, when nothing changes any more."""
    rig.wait_idle(page, 3000)
    page.mouse.move(0, 0)
    for notice in page.get_by_test_id("stToast").all():
        notice.wait_for(state="hidden")
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


if __name__ == "__main__":
    sys.exit(main())
