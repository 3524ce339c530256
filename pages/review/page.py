"""Decide: the card of the decision, limits, the report, and other settings for comparison."""

from __future__ import annotations

from collections.abc import Callable

from pages.review import candidates, card, decision, documents, risk, scenario_file, verdict
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
    "Candidates": candidates.show,
    "Re-identification risk": risk.show,
    "Scenario file": scenario_file.show,
}
WITHOUT_NUMBERS = {"Pinned": candidates.pinned, "Scenario file": scenario_file.show}
"""Advice if the present setting cannot be computed: choose another one."""

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
