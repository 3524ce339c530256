"""The report as its reader has it: opened from a file, without a network, on a screen and on paper."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from core import Policy, Scenario, examples
from core.data.encoding.encoded import encode
from core.decision.review import Case, assess
from core.decision.scenario.requirements import Requirements
from core.report import Decision, Known, Meeting, Report, TriedSetting, build
from core.study.hospitals import Hospital
from tests.browser import rig
from tests.hostile import HOSTILE

BOTH = pytest.mark.parametrize("strength", ["internal", "external"])
PRINTABLE = 297 - 18 - 20
"""Millimetres of an A4 page between its margins."""


@pytest.fixture(scope="module")
def reports() -> dict[str, Report]:
    """The city, every text hostile."""
    encoded = encode(examples.city(2000), examples.city_schema())
    scenario = Scenario(
        examples.city_schema(),
        (Hospital(Policy(5)), Hospital(Policy(5))),
        overlap=300,
        data_name=HOSTILE[7],
        requirements=Requirements(k=5, one_value_left=0.1, loss=0.9),
    )
    one = assess(Case(encoded, scenario))
    meeting = Meeting(HOSTILE[8], Decision(HOSTILE[7], HOSTILE[10], "2026-11-21", "\n".join(HOSTILE), tuple(HOSTILE)))
    case, known = Case(encoded, scenario), Known(one)
    return {strength: build(case, meeting, strength=strength, known=known) for strength in ("internal", "external")}


@pytest.fixture
def cut_off(browser: Browser) -> Iterator[tuple[BrowserContext, rig.Watch]]:
    """A browser without a network; nothing but the file itself may be asked for."""
    watch = rig.Watch()
    context = browser.new_context(offline=True, viewport={"width": 1000, "height": 900})
    watch.attach(context)
    yield context, watch
    context.close()


def opened(context: BrowserContext, report: Report, folder: Path) -> Page:
    file = folder / "report.html"
    file.write_text(report.to_html(), encoding="utf-8")
    page = context.new_page()
    page.goto(file.as_uri())
    return page


@BOTH
def test_opens_and_prints_without_a_network(
    cut_off: tuple[BrowserContext, rig.Watch], reports: dict[str, Report], strength: str, tmp_path: Path
) -> None:
    context, watch = cut_off
    report = reports[strength]
    page = opened(context, report, tmp_path)
    assert page.locator("svg").count() == 4, "the dots of the front, and three charts"
    assert page.locator(".cases svg").count() == 1
    assert page.locator(".headline").first.inner_text().endswith(report.data["verdict"]["headline"])
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), "nothing is cut off at the side"
    assert page.evaluate("document.scripts.length") == (0 if strength == "internal" else 2)

    pdf = page.pdf(prefer_css_page_size=True, print_background=True)
    pages = len(re.findall(rb"/Type\s*/Page\b", pdf))
    assert 5 <= pages <= 20
    assert re.search(rb"/MediaBox\s*\[0 0 59[45](\.\d+)? 84[12](\.\d+)?\]", pdf), "A4"

    # On paper the text is as wide as the page between its margins; a chart that is cut would be higher than that.
    page.emulate_media(media="print")
    page.set_viewport_size({"width": round((210 - 32) * 96 / 25.4), "height": 900})
    heights = page.eval_on_selector_all("figure", "all => all.map(one => one.getBoundingClientRect().height)")
    assert max(heights) < PRINTABLE * 96 / 25.4
    assert page.eval_on_selector_all("figure", "all => all.every(one => getComputedStyle(one).breakInside == 'avoid')")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert [url for url in watch.requests if not url.startswith("file:")] == []
    assert len(watch.requests) == 1
    assert watch.errors == []


def test_its_policy_stops_what_somebody_puts_in(
    cut_off: tuple[BrowserContext, rig.Watch], reports: dict[str, Report], tmp_path: Path
) -> None:
    """Should a text ever get through unescaped, the document itself forbids it to run or to fetch."""
    context, watch = cut_off
    file = tmp_path / "changed.html"
    put = (
        '<script>document.title = "ran"</script><img src="http://evil.example/a.png" onerror="document.title=1"></main>'
    )
    file.write_text(reports["external"].to_html().replace("</main>", put), encoding="utf-8")
    page = context.new_page()
    page.goto(file.as_uri())
    assert page.title() == "Composition report, external"
    stopped = [error for error in watch.errors if "violates the following Content Security Policy" in error]
    assert sum("Executing inline script" in error for error in stopped) >= 1
    assert sum("a.png" in error for error in stopped) == 1


# --- what outsiders move --------------------------------------------------------------------------


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (390, "dark")])
def test_a_slider_reaches_every_case_without_a_network(
    browser: Browser, tmp_path: Path, width: int, scheme: Literal["light", "dark"]
) -> None:
    encoded = encode(examples.city(1000), examples.city_schema())
    scenario = Scenario(
        examples.city_schema(),
        (Hospital(Policy(3)), Hospital(Policy(3), origin="resampled")),
        overlap=200,
        data_name=HOSTILE[7],
        confidence=1.0,
        requirements=Requirements(one_value_left=0.9),
    )
    case = Case(encoded, scenario)
    present = assess(case)
    tried = [TriedSetting(name, present.numbers, mine=place == 0) for place, name in enumerate(HOSTILE)]
    meeting = Meeting("\n".join(HOSTILE), limits_by=HOSTILE[8], settings=tried)
    report = build(case, meeting, strength="external", known=Known(present))
    base, *rows = next(figure["rows"] for figure in report.data["figures"] if figure["name"] == "doubts")

    watch = rig.Watch()
    context = browser.new_context(offline=True, viewport={"width": width, "height": 900}, color_scheme=scheme)
    watch.attach(context)
    page = opened(context, report, tmp_path)
    assert page.locator("#label").inner_text() == "As assumed"
    seen = set()
    sliders = page.locator('input[type="range"]')
    for slider in (sliders.nth(number) for number in range(sliders.count())):
        slider.focus()
        page.keyboard.press("Home")
        for _ in range(int(slider.get_attribute("max") or 0) + 1):
            seen.add((page.locator("#label").inner_text().split(" (")[0], page.locator("#text").inner_text()))
            page.keyboard.press("ArrowRight")
    told = {(row["label"], f"{row['shown']['share']}, {row['shown']['people']}") for row in (base, *rows)}
    assert seen == told, "every case that the document names, and no other"
    page.get_by_role("button", name="Back to what is assumed").click()
    assert page.locator("#label").inner_text() == "As assumed"
    for box in ("Yes", "No", "Not yet"):
        assert page.get_by_text(f"☐ {box}", exact=True).count() == 1
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), "nothing hangs over"
    assert len(watch.requests) == 1
    assert watch.errors == []
    context.close()
