"""Every page, opened by its address, in every window: itself, nothing missing, cause and effect in one view.

And in light and dark every text and line has contrast enough, computed from what the browser drew.
"""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import axe_playwright_python
import pytest
from playwright.sync_api import Locator, Page

from tests.browser import contrast, rig

TITLES = {
    "": "Start",
    "method": "Method",
    "data": "Data",
    "release": "Release",
    "attack": "If others publish",
    "hold": "What helps",
    "review": "Decide",
    "noise": "Differential privacy",
    "providers": "Providers",
    "register": "Publication register",
}
CHARTS = {
    "attack": "Exposed: share of shared people",
    "release": "Class sizes run from",
    "noise": "Gain over guessing against the average error",
    "hold": "Settings that were tried",
}
"""Pages with a main chart, and what the chart's text alternative begins with."""
TABS = {
    "": ("3. Both", "A lesson"),
    "attack": ("Other hospitals", "Before anyone publishes", "Beliefs", "All numbers", "One person"),
    "review": ("Each limit", "Decision and report", "Scenario file"),
}
"""Parts of pages that are pressed before colours are looked at: more is drawn there."""
FIRST_VIEW = dict.fromkeys(("", "attack", "release", "hold", "noise", "review"), (250, 20, 1)) | {"data": (250, 20, 2)}
"""Words, controls that can be used, and charts of a page that was opened in a wide window, at most; all is in sight."""
CONTROLS = """:is([data-testid="stMain"] :is([role="radio"], [role="tab"], summary, [data-testid="stSlider"],
  [data-testid="stNumberInput"], [data-testid="stTextInput"], [data-testid="stTextArea"], [data-testid="stSelectbox"],
  [data-testid="stMultiSelect"], [data-testid="stCheckbox"], [data-testid="stFileUploader"], [data-testid="stPageLink"],
  [data-testid="stButton"], [data-testid="stDownloadButton"]))"""
STRIP = ("One value left", "Information loss")
WIDE, LOW, NARROW = (1440, 900), (1280, 720), (900, 900)
ON_TOP = "([x, y]) => document.elementFromPoint(x, y)?.closest('.st-key-status-bar') != null"


def test_the_pages_are_those_of_the_app() -> None:
    folders = {path.parent.name for path in (rig.ROOT / "pages").glob("*/page.py")}
    assert folders == {address or "overview" for address in TITLES}


@pytest.mark.parametrize("address", TITLES)
def test_a_page_in_every_window(page: Page, app: rig.App, address: str) -> None:
    """Console and requests to other hosts are looked at by the fixture."""
    answers: list[tuple[int, str]] = []
    page.on("response", lambda answer: answers.append((answer.status, answer.url)))
    warnings: list[str] = []
    page.on("console", lambda message: warnings.append(message.text) if message.type == "warning" else None)
    rig.visit(page, app, address)
    is_itself(page, TITLES[address])

    if address in FIRST_VIEW:
        resize(page, WIDE)
        the_first_view_is_one_screen_with_few_words_and_controls(page, *FIRST_VIEW[address])
    for size in (WIDE, LOW):
        resize(page, size)
        if address in CHARTS:
            rig.holds(lambda: controls_and_chart_are_in_sight(page, CHARTS[address]))
        rig.holds(lambda: what_is_chosen_is_in_sight(page))
    numbers_are_written_as_in_texts(page)
    scroll(page, 400)
    if address:  # Start tells no number of the city
        rig.holds(lambda: the_status_bar_is_in_sight(page))

    resize(page, NARROW)
    nothing_hangs_over(page)
    if address in CHARTS:
        rig.holds(lambda: controls_stay_beside_the_chart(page, CHARTS[address]))
    # The theme follows the system's.
    wrong: list[str] = []
    for part, theme in itertools.product(TABS.get(address, (None,)), ("light", "dark")):
        press(page, part)
        page.emulate_media(color_scheme=theme)
        rig.wait_idle(page)
        nothing_hangs_over(page)
        looked, poor = contrast.poor(page)
        assert looked > 20, "hardly anything was looked at"
        wrong += [f"{theme}: {each}" for each in (*poor, *against_axe(page))]
    assert not wrong, "\n".join(wrong)
    assert [answer for answer in answers if answer[0] >= 400 and not rig.BELOW_A_PAGE.search(answer[1])] == []
    # A font that Streamlit asks for ahead of time is late on a slow machine, and Chromium remarks on that.
    assert [warning for warning in warnings if "was preloaded using link preload" not in warning] == []


def nothing_hangs_over(page: Page) -> None:
    """Nothing is wider than the page; what was resized is drawn again in its own time."""
    page.wait_for_function(
        "() => { const part = document.querySelector('[data-testid=\"stMain\"]');"
        " return part.scrollWidth - part.clientWidth <= 1; }"
    )


def the_first_view_is_one_screen_with_few_words_and_controls(
    page: Page, words: int, controls: int, charts: int
) -> None:
    main = page.get_by_test_id("stMain")
    assert len(main.inner_text().split()) <= words
    shown = [one for one in page.locator(CONTROLS).all() if one.is_visible()]
    assert len([one for one in shown if not one.locator(":disabled").count()]) <= controls
    assert page.locator('[data-testid="stVegaLiteChart"], [data-testid="stPlotlyChart"]').count() <= charts
    inside = page.locator('[data-testid="stMainBlockContainer"] > div').first
    assert box(inside)[3] <= WIDE[1]


def what_is_chosen_is_in_sight(page: Page) -> None:
    """Tags of a list take more lines; they would be cut off at the end of one."""
    cut = page.get_by_test_id("stMultiSelectTagsContainer").evaluate_all(
        "all => all.filter(one => one.scrollWidth > one.clientWidth + 1).length"
    )
    assert not cut


def press(page: Page, name: str | None) -> None:
    if name is not None:
        page.get_by_role("tab", name=name).or_(page.get_by_role("radio", name=name)).first.click()
        rig.wait_idle(page)


def resize(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    scroll(page, -100_000)
    rig.wait_idle(page)


def scroll(page: Page, by: float) -> None:
    page.get_by_test_id("stMain").evaluate("(main, by) => main.scrollBy(0, by)", by)


AXE = Path(axe_playwright_python.__file__).parent / "axe.min.js"
OF_STREAMLIT = ("presentation-role-conflict",)
"""Rules that a part of Streamlit breaks, whatever we do: its file uploader names a part that has no role."""


def against_axe(page: Page) -> list[str]:
    """Rules of axe-core that the page breaks, each with the first part that does."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    return [f"{rule['id']}: {rule['nodes'][0]['html'][:160]}" for rule in found if rule["id"] not in OF_STREAMLIT]


# ---- what is claimed -----------------------------------------------------------------------


def is_itself(page: Page, title: str) -> None:
    page.wait_for_function("title => document.title === title", arg=f"{title} · Composition")
    if title == "Providers":
        return  # stands in the navigation where a column is the provider
    current = page.get_by_test_id("stSidebarNav").locator("[aria-current=page]")
    assert current.inner_text().strip().endswith(title)


def controls_and_chart_are_in_sight(page: Page, alt: str) -> None:
    bar = box(page.locator(".st-key-status-bar"))[3]
    assert_in_sight(page, chart(page, alt), "chart", bar)
    controls = first_controls(page)
    assert controls
    for number, control in enumerate(controls):
        assert_in_sight(page, control, f"control {number}", bar)


def the_status_bar_is_in_sight(page: Page) -> None:
    strip = page.locator(".st-key-status-bar")
    assert_in_sight(page, strip, "strip")
    assert "The synthetic city" in strip.inner_text()
    for words in STRIP:
        shown = strip.get_by_text(words).first
        assert_in_sight(page, shown, words)
        left, top, *_ = box(shown)
        assert page.evaluate(ON_TOP, [left + 4, top + 4]), f"something lies on {words}"


def numbers_are_written_as_in_texts(page: Page) -> None:
    """The axes too: commas between thousands, and no space before the sign of percent."""
    texts = page.locator("[data-testid=stVegaLiteChart] svg text").all_text_contents()
    assert [text for text in texts if re.search(r"\d\s\d{3}\b|\d\s%", text)] == []


def controls_stay_beside_the_chart(page: Page, alt: str) -> None:
    """On a narrow page, down at the bottom of the chart: what was above it has gone, the controls have not."""
    shown = chart(page, alt)
    scroll(page, box(shown)[3] - 895)
    assert_in_sight(page, shown, "chart", box(page.locator(".st-key-rail"))[3] - 1)
    for number, control in enumerate(first_controls(page)):
        assert_in_sight(page, control, f"control {number}", box(page.locator(".st-key-status-bar"))[3] - 1)


# ---- where things are ----------------------------------------------------------------------


def chart(page: Page, alt: str) -> Locator:
    return page.locator(f'[data-testid="stVegaLiteChart"][aria-label^="{alt}"]')


def first_controls(page: Page) -> list[Locator]:
    """The controls of the rail that are not folded away."""
    found = page.locator('.st-key-rail :is([data-testid="stSlider"], [data-testid="stSelectbox"])')
    return [one for one in found.all() if one.is_visible()]


def box(what: Locator) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of an element."""
    found = what.bounding_box()
    assert found is not None
    return found["x"], found["y"], found["x"] + found["width"], found["y"] + found["height"]


def assert_in_sight(page: Page, what: Locator, name: str, above: float = 0.0) -> None:
    left, top, right, bottom = box(what)
    size = page.viewport_size
    assert size is not None
    assert left >= 0, name
    assert top >= above, f"{name}: {top} is under what stays on top"
    assert right <= size["width"] + 1, f"{name}: {right} of {size['width']}"
    assert bottom <= size["height"] + 1, f"{name}: {bottom} of {size['height']}"
