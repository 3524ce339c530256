"""Steps through pages that several browser tests take."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from playwright.sync_api import Page

from core import Table, examples
from tests.browser import rig

OTHERS = examples.city(3_000, seed=5)


RELEASE = "Uploaded: their release, already anonymised"


SOURCE = "Where its records come from"


def starred(table: Table) -> bytes:
    """A release as ARX writes it: stars at two depths, suppressed rows, other headers and words."""
    frame = table.to_frame()
    age = frame["age"].str.zfill(2)
    cells = {
        "Years": np.where(age >= "60", age.str[0] + "*", age.str[0] + "*"),
        "Postcode": np.where(
            frame["zip code"] < "00200", frame["zip code"].str[:4] + "*", frame["zip code"].str[:3] + "**"
        ),
        "Dx": frame["diagnosis"].str.lower(),
    }
    out = frame.assign(**cells)[list(cells)]
    rare = out.groupby(["Years", "Postcode"])["Dx"].transform("size") < 5
    out.loc[rare, ["Years", "Postcode"]] = "*"
    return out.to_csv(index=False, sep=";").encode()


def record(page: Page) -> None:
    """Write a decision down: nothing of it may be left open."""
    assert page.get_by_role("button", name="Record the decision").is_disabled()
    rig.choose(page, "Decision", "Publish")
    page.get_by_label("Decided by", exact=True).fill("The review board")
    page.get_by_label("Decided by", exact=True).press("Enter")
    rig.wait_idle(page)
    rig.set_date(page, "On", "20260301")
    page.get_by_text(re.compile(r"^We accept these \d+ assumptions")).click()
    rig.wait_idle(page)
    rig.click(page, "Record the decision")
    page.get_by_text("The decision is recorded. The report states it.").wait_for()


def section(page: Page, name: str) -> None:
    page.get_by_role("radio", name=name).click()
    rig.wait_idle(page)


@contextmanager
def narrow_and_dark(page: Page) -> Iterator[None]:
    """A window of half a screen in the dark theme, for a while."""
    before = page.viewport_size
    assert before is not None
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 900, "height": 900})
    rig.wait_idle(page)
    yield
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(before)
    rig.wait_idle(page)


def nothing_hangs_over(page: Page) -> None:
    """Nothing is wider than the page; what was resized is drawn again in its own time."""
    page.wait_for_function(
        "() => { const part = document.querySelector('[data-testid=\"stMain\"]');"
        " return part.scrollWidth - part.clientWidth <= 1; }"
    )
