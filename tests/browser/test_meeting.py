"""The file of a meeting as a board has it: opened from a file, without a network, its sliders moved."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from core import Policy, Scenario, examples
from core.data.encoding import encode
from core.decision.review import Case, assess, judge
from core.decision.scenario.requirements import Requirements
from core.report import Answers, answers, meeting_file
from core.report.rounding import Coarse
from core.study.hospitals import Hospital
from tests.browser import rig
from tests.hostile import HOSTILE


@pytest.mark.parametrize("width", [1200, 390])
def test_a_slider_changes_the_number_without_a_network(browser: Browser, tmp_path: Path, width: int) -> None:
    encoded = encode(examples.city(1000), examples.city_schema())
    scenario = Scenario(
        examples.city_schema(),
        (Hospital(Policy(3)), Hospital(Policy(3), source="resampled")),
        overlap=200,
        data_name=HOSTILE[7],
        confidence=1.0,
        requirements=Requirements(perfect=0.0),
    )
    case = Case(encoded, scenario)
    found = assess(case)
    judged = judge(found)
    known = answers(case, found, judged)
    points = [{"label": name, "loss": 0.1, "exposure": 0.2, "mine": place == 0} for place, name in enumerate(HOSTILE)]
    file = tmp_path / "meeting.html"
    file.write_text(meeting_file(case, found, known, points, "\n".join(HOSTILE), HOSTILE[8]), encoding="utf-8")

    watch = rig.Watch()
    context = browser.new_context(offline=True, viewport={"width": width, "height": 900})
    watch.attach(context)
    page = context.new_page()
    page.goto(file.as_uri())
    present = tuple(axis.present for axis in known.axes)
    assert page.locator("#text").inner_text() == text_of(known, present)
    page.get_by_label("Hospitals that publish").focus()
    page.keyboard.press("End")
    moved = (*present[:-1], len(known.axes[-1].values) - 1)
    assert text_of(known, moved) != text_of(known, present)
    assert page.locator("#text").inner_text() == text_of(known, moved)
    assert page.locator("#value2").inner_text() == str(known.axes[-1].values[-1])
    page.get_by_role("button", name="Back to the present setting").click()
    assert page.locator("#text").inner_text() == text_of(known, present)
    for box in ("Yes", "No", "Not yet"):
        assert page.get_by_text(f"☐ {box}", exact=True).count() == 1
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), "nothing hangs over"
    assert len(watch.requests) == 1
    assert watch.errors == []
    context.close()


def text_of(known: Answers, at: tuple[int, ...]) -> str:
    number, scale = known.numbers[at], Coarse()
    assert number is not None
    return f"{scale.number(known.metric, number).text} of {scale.many(number).text}"
