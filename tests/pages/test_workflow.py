"""The way through: each page leads to the one that comes next."""

from __future__ import annotations

from pages.shared import workflow
from tests.pages.drive import loaded
from tests.tables import small_table


def test_the_steps_lead_from_the_start_to_the_decision() -> None:
    address, way = "overview", ["overview"]
    while address in workflow.NEXT:
        address = workflow.NEXT[address][0]
        way.append(address)
    assert way == ["overview", "data", "release", "attack", "hold", "review"]


def test_a_page_leads_to_the_next_one() -> None:
    app = loaded(*small_table(), "pages/release/page.py")
    assert [link.proto.label for link in app.sidebar.get("page_link")] == ["Next: if others publish"]
