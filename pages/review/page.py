"""Review: candidates side by side, limits met or not, the setting under them, and the report of the decision."""

from __future__ import annotations

import streamlit as st

from pages.review import candidates, find, report, scenario_file, verdict
from pages.shared import assessment, errors, widgets

SECTIONS = {
    "Candidates": candidates.show,
    "Limits and verdict": verdict.show,
    "Find the setting": find.show,
    "Decision and report": report.show,
    "Scenario file": scenario_file.show,
}
WITHOUT_NUMBERS = {"Pinned": candidates.pinned, "Scenario file": scenario_file.show}
"""What helps where the present setting cannot be worked out: another one."""

st.title("Compare and decide", anchor=False)
st.markdown(
    "Decide whether to publish: what the present setting exposes and costs, beside the others you considered, and "
    "against the limits your organisation accepts."
)
ready = False
with errors.refusing():
    with widgets.working("Redrawing the hospitals for the intervals") as progress:
        found = assessment.assessed(progress=progress)
    verdict.answer(found)
    ready = True

sections = SECTIONS if ready else WITHOUT_NUMBERS
tabs = st.tabs(list(sections), key="review:sections" if ready else "review:without", on_change="rerun")
for tab, draw in zip(tabs, sections.values(), strict=True):
    # What is folded away is not computed.
    if tab.open:
        with tab, errors.refusing():
            draw()
