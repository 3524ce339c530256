"""Decide: the card of the decision, limits, the report, other settings beside it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from pages.review import candidates, card, find, meeting, report, risk, scenario_file, verdict
from pages.shared import assessment, caution, errors, layout, trade_off, widgets


def decision() -> None:
    """The decision, its report, and the file of the meeting."""
    report.show()
    with errors.refusing():
        meeting.show()


SECTIONS: dict[str, Callable[[], None]] = {
    "Limits and verdict": verdict.show,
    "Decision and report": decision,
    "Risk of being found": risk.show,
    "Candidates": candidates.show,
    "Find the setting": find.show,
    "Same exposure, less loss": partial(trade_off.show, "review:trade_off"),
    "Scenario file": scenario_file.show,
}
WITHOUT_NUMBERS = {"Pinned": candidates.pinned, "Scenario file": scenario_file.show}
"""What helps where the present setting cannot be worked out: another one."""

st.title("Decide", anchor=False)
st.caption("Set the limits that you accept, read the verdict, and write the decision down.")
caution.show()
ready = False
with errors.refusing():
    with widgets.working("Redrawing the hospitals for the intervals") as progress:
        assessment_now = assessment.assessed(progress=progress)
    card.show(assessment_now)
    ready = True

layout.tabs("review:sections" if ready else "review:without", SECTIONS if ready else WITHOUT_NUMBERS)
