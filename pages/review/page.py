"""Decide: the card of the decision, limits, and the report."""

from __future__ import annotations

from collections.abc import Callable

from pages.review import card, decision, documents, risk, scenario_file, verdict
from pages.shared.compute import assessment
from pages.shared.ui import caution, errors, layout, widgets


def decide() -> None:
    """The decision, and the documents."""
    decision.show()
    with errors.refusing():
        documents.show()


SECTIONS: dict[str, Callable[[], None]] = {
    decision.SECTION: decide,
    "What it means": lambda: card.meaning(assessment.assessed()),
    "Each limit": card.each_limit,
    "Re-identification risk": risk.show,
    "Scenario file": scenario_file.show,
}
WITHOUT_NUMBERS = {"Scenario file": scenario_file.show}
"""If the present setting cannot be computed: open another one."""

layout.heading("Decide", "Yes, no, or not yet?")
caution.show()
rail, stage = layout.one_view()
ready = False
with stage, errors.refusing():
    with widgets.working("Redrawing the hospitals for the intervals") as progress:
        assessed = assessment.assessed(progress=progress)
    card.show(assessed)
    ready = True
if ready:
    with rail:
        verdict.limits(assessed)
layout.closer("review:sections" if ready else "review:without", SECTIONS if ready else WITHOUT_NUMBERS)
