"""Beliefs in a browser: theta moved in a narrow window in the dark."""

from playwright.sync_api import Page

import core
from core import Policy
from core.algorithms import partition
from core.beliefs import Background, beliefs
from core.data.encoding import encode
from pages.shared.text import percent
from tests.browser import rig
from tests.browser.strip import reads
from tests.pages.drive import MY_ALGORITHM


def test_beliefs_of_the_city(page: Page, app: rig.App) -> None:
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 900, "height": 900})
    rig.visit(page, app, "attack")
    page.get_by_role("radio", name="Beliefs").click()
    rig.wait_idle(page)
    city = encode(core.examples.city(), core.examples.city_schema())
    found = beliefs(partition(city, Policy(5), MY_ALGORITHM), Background.of_table(city, []))
    reads(page, "People breached", percent(found.share(0.1).value))
    rig.set_slider(page, "A belief may move by (theta)", 0.3)
    reads(page, "People breached", percent(found.share(0.3).value))
    assert page.get_by_test_id("stMain").evaluate("part => part.scrollWidth - part.clientWidth") <= 1
