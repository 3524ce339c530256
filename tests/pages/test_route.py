"""The way through: each page leads to the step that comes next, and says what is done."""

from __future__ import annotations

import pytest

from pages.shared import route, session, workspace
from tests.pages.drive import Session, loaded
from tests.tables import small_table

TABLE, SCHEMA = small_table()


def test_each_step_leads_to_the_one_after_it(bare: Session) -> None:
    led = [step.address for address in ("data", "release", "attack") if (step := route.next_step(address))]
    assert led == ["release", "attack", "review"]
    assert route.next_step("review") is None
    after = route.next_step("hospitals")
    assert after is not None
    assert after.address == "review"


def test_beside_the_way_the_first_step_that_is_not_done_comes_next(bare: Session) -> None:
    assert route.next_step("method") == route.FIRST
    for address in ("data", "attack", "forecast"):
        route.seen(address)
    step = route.next_step("forecast")
    assert step is not None
    assert step.address == "release"
    assert route.done() == {"data", "attack"}
    route.seen("release")
    step = route.next_step("overview")
    assert step is not None
    assert step.address == "review"


def test_what_was_done_was_done_with_one_table(bare: Session) -> None:
    for step in route.STEPS:
        route.seen(step.address)
    session.put("decision", {"recorded": "Publish", "setting": route.setting()})
    assert route.done() == {step.address for step in route.STEPS}
    k = session.get("my_k")
    session.put("my_k", k + 1)
    assert "review" not in route.done(), "what was decided is of another setting"
    session.put("my_k", k)
    assert "review" in route.done()
    session.load(TABLE, SCHEMA, "another")
    assert route.done() == frozenset()
    workspace.use(workspace.Offer(TABLE, SCHEMA, "mine", upload="1"))
    assert route.done() == {"data"}


@pytest.mark.parametrize("address", route.CHANGES)
def test_every_page_says_what_would_change_its_answer(address: str) -> None:
    app = loaded(TABLE, SCHEMA, f"pages/{address}/page.py")
    assert not app.exception
    assert any(route.CHANGES[address] in caption.value for caption in app.sidebar.caption)
