"""Takes the pictures of README and docs from the running app: ``make pictures``.

A picture is an address of the app and the size of a window, and where needed a text to press first.
Nothing here knows how a page is laid out, so a page that changes is taken as it has become.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Error, Page, sync_playwright

from tests.browser import ensure_browser, rig

ROOT = Path(__file__).resolve().parents[1]
SETTLED_MS = 4000
"""Milliseconds without a run of the script after which nothing more is awaited: first numbers are refined later."""

TO_THE_TOP = """part => {
    part.scrollIntoView({block: 'start'});
    document.querySelector('[data-testid="stMain"]').scrollBy(0, -80);
}"""


@dataclass(frozen=True)
class Picture:
    """One picture.

    Parameters
    ----------
    path
        Of the file, from the root of the repository.
    address
        Of the page, with the settings that a link can carry.
    press
        Text of a tab or a button that is pressed first; the picture begins there.
    size
        Of the window, in pixels of the page.
    """

    path: str
    address: str
    press: str = ""
    size: tuple[int, int] = (1280, 860)


PICTURES = (
    Picture("docs/pictures/attack.png", "attack?example=city"),
    Picture("docs/pictures/map.png", "release?example=city&algorithm=mondrian", press="Map"),
    Picture("docs/pictures/overview.png", ""),
    Picture("docs/pictures/data.png", "data"),
    Picture("docs/pictures/release.png", "release"),
    Picture("docs/pictures/hold.png", "hold?example=city&limit_one_value_left=0.05"),
    Picture("docs/pictures/noise.png", "noise"),
    Picture("docs/pictures/review.png", "review?example=city&limit_one_value_left=0.05&limit_loss=0.1"),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Take the pictures; 2 where one could not be taken."""
    top = argparse.ArgumentParser(prog="python -m delivery.pictures", description=__doc__, allow_abbrev=False)
    top.add_argument("--out", type=Path, default=ROOT, help="folder to write them under (default the repository)")
    top.add_argument("--only", default="", help="those whose path holds this text")
    options = top.parse_args(arguments)
    wanted = [picture for picture in PICTURES if options.only in picture.path]
    with tempfile.TemporaryDirectory() as name, rig.running(ROOT / "app.py", Path(name)) as app:
        return take(app, wanted, options.out)


def take(app: rig.App, pictures: Sequence[Picture], out: Path) -> int:
    """Take pictures of a running app, each in a session of its own."""
    missed = 0
    with sync_playwright() as tool:
        browser = ensure_browser.open_browser(tool)
        if browser is None:
            sys.stderr.write("No Chromium or Chrome was found; `make test` fetches one.\n")
            return 2
        for picture in pictures:
            width, height = picture.size
            page = browser.new_page(viewport={"width": width, "height": height}, color_scheme="light")
            try:
                _take(page, app, picture, out / picture.path)
            except Error as error:
                sys.stderr.write(f"{picture.path}: {str(error).splitlines()[0]}\n")
                missed += 1
            page.close()
        browser.close()
    return 2 if missed else 0


def _take(page: Page, app: rig.App, picture: Picture, path: Path) -> None:
    rig.visit(page, app, picture.address)
    rig.wait_idle(page, SETTLED_MS)
    if picture.press:
        where = page.get_by_role("tab", name=picture.press).or_(page.get_by_role("button", name=picture.press))
        pressed = where.or_(page.get_by_role("radio", name=picture.press)).first
        pressed.click()
        rig.wait_idle(page, SETTLED_MS)
        pressed.evaluate(TO_THE_TOP)
        rig.wait_idle(page)
    for notice in page.get_by_test_id("stToast").all():  # it goes by itself
        notice.wait_for(state="hidden")
    path.parent.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=path)
    sys.stdout.write(f"{path}: {path.stat().st_size / 1000:.0f} kB\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
