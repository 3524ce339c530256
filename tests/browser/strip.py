"""The summary in the sidebar and the headline, as a person waits for them."""

from __future__ import annotations

import re
import time

from playwright.sync_api import Page

from core.data.encoding import Encoded
from core.study.hospitals import Study
from core.study.redraws import Redraws
from core.study.sweep import sweep
from tests.browser import rig


def percent(share: float) -> str:
    """Write a share as the pages do, for shares that are neither tiny nor nearly all."""
    return f"{100 * share:.1f} %"


def headline(encoded: Encoded, study: Study, confidence: float) -> dict[float, str]:
    frame = sweep(encoded, study, "releases", [len(study.hospitals)], Redraws(10, confidences=(1.0, confidence)))
    return {c: percent(s) for c, s in zip(frame["confidence"], frame["share"], strict=True)}


def reads(page: Page, label: str, wanted: str) -> None:
    """Wait until a metric shows a number: intervals and means follow the first draw by some seconds."""
    wanted = rig.spaced(wanted)
    deadline = time.monotonic() + 60
    while (shown := rig.metric(page, label)) != wanted and time.monotonic() < deadline:
        page.wait_for_timeout(250)
    assert shown == wanted, label


def strip_text(page: Page) -> str:
    return rig.spaced(page.locator(".st-key-strip").inner_text())


def strip_shows(page: Page, pattern: str) -> None:
    """Wait until the strip matches: under load it follows the page by more than the quiet time."""
    deadline = time.monotonic() + 60
    while not (found := re.search(pattern, strip_text(page))) and time.monotonic() < deadline:
        page.wait_for_timeout(250)
    assert found, f"the strip never showed {pattern}; it shows:\n{strip_text(page)}"
