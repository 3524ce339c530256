"""What only a browser shows of how a page is read: what comes into view, how wide and dark it is, where focus is."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser import rig
from tests.tables import stays

PHONE = {"width": 390, "height": 844}
IN_VIEW = "one => { const box = one.getBoundingClientRect(); return box.top >= 0 && box.top < innerHeight / 2; }"


def width_of(part: Locator) -> float:
    box = part.bounding_box()
    assert box is not None
    return box["width"]


@pytest.mark.parametrize(("address", "section"), [("release", "What it costs"), ("attack", "All numbers")])
def test_what_is_opened_comes_into_view(page: Page, app: rig.App, address: str, section: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    rig.visit(page, app, address)
    page.get_by_role("radio", name=section).click()
    rig.wait_idle(page)
    rig.holds(lambda: None if page.locator(".st-key-closer").evaluate(IN_VIEW) else pytest.fail(f"{section} is below"))


def test_a_class_with_a_single_value_stands_above_the_sizes_with_its_remedy(page: Page, app: rig.App) -> None:
    rig.visit(page, app, "release?example=city&k=2")
    main = page.get_by_test_id("stMain")
    first = main.get_by_text(re.compile(r"hold(s)? a single value")).first.bounding_box()
    sizes = main.get_by_text(re.compile("^Sizes of the")).first.bounding_box()
    assert first is not None
    assert sizes is not None
    assert first["y"] < sizes["y"]
    rig.click(page, "Require l = 2")
    expect(main.get_by_text(re.compile(r"hold(s)? a single value"))).to_have_count(0)


def test_columns_that_would_be_left_out_are_asked_about_beside_a_table_of_full_width(page: Page, app: rig.App) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    rig.visit(page, app, "data")
    rig.upload(page, "Load your own table", "stays.csv", stays())
    rig.click(page, "Use this table")
    page.locator(".st-key-left-out").wait_for()
    page.locator(".st-key-status-bar").get_by_text(re.compile(r"if \d+ columns? (is|are) left out")).first.wait_for()
    main = page.get_by_test_id("stMainBlockContainer").locator("> div").first
    assert width_of(page.get_by_test_id("stDataFrame").first) >= 0.95 * width_of(main)


def test_columns_of_a_wide_table_are_chosen_in_sight(page: Page, app: rig.App) -> None:
    names = ["age", "sex", "dx", *(f"c{place}" for place in range(230))]
    rows = [names, *([str(20 + n), "MF"[n % 2], f"d{n % 4}", *["1"] * 230] for n in range(40))]
    rig.visit(page, app, "data")
    rig.upload(page, "Load your own table", "wide.csv", "".join(",".join(row) + "\n" for row in rows).encode())
    page.get_by_text("233 columns; at most 200 are accepted").wait_for()
    box = page.get_by_role("combobox", name="Columns to read")
    expect(box).to_be_visible()
    box.click()
    for name in ("age", "sex", "dx"):
        page.keyboard.type(name)
        page.get_by_role("option", name=name, exact=True).click()
    page.keyboard.press("Escape")
    rig.click(page, "Read these columns")
    expect(page.get_by_text("3 of 233 columns were read").first).to_be_visible()
    expect(page.get_by_role("button", name="Use this table")).to_be_visible()


def test_ranges_that_were_not_shown_are_those_in_use(page: Page, app: rig.App) -> None:
    """A field in a popover that was closed while the page was drawn again has its own value, not the least."""
    rig.visit(page, app, "review?example=city&limit_one_value_left=0.3")
    rig.open_page(page, "Data")
    rig.open_page(page, "Decide")
    page.get_by_role("radio", name="Each limit").click()
    rig.wait_idle(page)
    rig.click(page, "What is plausible?")
    field = page.get_by_label("People in all releases, to").locator("visible=true")
    expect(field.first).to_have_value("10000")


def test_the_next_step_of_decide_is_the_decision(page: Page, app: rig.App) -> None:
    rig.visit(page, app, "review")
    rig.click(page, "Next: write down the decision")
    expect(page.get_by_role("radio", name="Decision and report")).to_have_attribute("aria-checked", "true")


def test_on_a_phone_numbers_are_whole_and_sliders_long(page: Page, app: rig.App) -> None:
    page.set_viewport_size(PHONE)
    rig.visit(page, app, "attack?example=city&overlap=5000&repeats=1")
    field = rig.widget(page, "stNumberInput", "Shared people (overlap), exact").locator("input")
    assert field.input_value() == "5000"
    assert field.evaluate("one => one.scrollWidth <= one.clientWidth"), "all digits are seen"
    assert width_of(rig.widget(page, "stSlider", "People per class (k)")) >= 200


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_where_the_keyboard_is_can_be_seen(page: Page, app: rig.App, theme: str) -> None:
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    rig.visit(page, app)
    for part in (page.get_by_test_id("stSidebarNavLink").nth(2), page.locator(".st-key-route a")):
        part.focus()
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("Tab")
        style = part.evaluate("one => { const it = getComputedStyle(one); return [it.outlineStyle, it.outlineWidth]; }")
        assert style == ["solid", "3px"]


def test_the_logo_is_dark_where_the_page_is(page: Page, app: rig.App) -> None:
    shades = {}
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
        rig.visit(page, app)
        logo = page.get_by_test_id("stSidebarLogo")
        ground = page.evaluate(_GROUND, logo.get_attribute("src"))
        shades[theme] = sum(ground[:3]) / 3
    assert shades["light"] > 200
    assert shades["dark"] < 60


_GROUND = """async source => {
    const image = new Image();
    image.src = source;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [246, 48];
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    return [...context.getImageData(160, 8, 1, 1).data];
}"""


def test_an_answer_of_the_lesson_is_folded_and_its_links_stay_in_this_tab(page: Page, app: rig.App) -> None:
    rig.visit(page, app)
    page.get_by_role("radio", name="A lesson").click()
    rig.wait_idle(page)
    folds = page.get_by_test_id("stExpander")
    assert folds.count() > 3
    assert not folds.locator("details[open]").count()
    page.locator(".st-key-closer").get_by_role("button", name="100 patients at k = 5").first.click()
    page.wait_for_function("!document.title.startsWith('Start')")
    assert len(page.context.pages) == 1
    rig.open_page(page, "Start")
    expect(page.get_by_role("heading", name="2. A whole city")).to_be_visible()


def test_another_hospitals_release_is_loaded_by_a_button(page: Page, app: rig.App) -> None:
    rig.visit(page, app, "attack")
    page.get_by_role("radio", name="Other hospitals").click()
    rig.wait_idle(page)
    button = page.locator(".st-key-closer").get_by_role("button", name=re.compile("Load"))
    expect(button.first).to_be_visible()
