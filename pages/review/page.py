"""Review: candidates side by side, limits met or not, the setting under them, and the report of the decision."""

from __future__ import annotations

import streamlit as st

from pages._ui import (
    errors,
    review_candidates,
    review_file,
    review_find,
    review_report,
    review_runs,
    review_verdict,
    widgets,
)

SECTIONS = {
    "Candidates": review_candidates.show,
    "Limits and verdict": review_verdict.show,
    "Find the setting": review_find.show,
    "Decision and report": review_report.show,
    "Scenario file": review_file.show,
}
WITHOUT_NUMBERS = {"Pinned": review_candidates.pinned, "Scenario file": review_file.show}
"""What helps where the present setting cannot be worked out: another one."""

st.title("Review", anchor=False)
st.markdown(
    "Decide whether to publish: what the present setting exposes and costs, beside the others you considered, and "
    "against the limits your organisation accepts."
)
ready = False
with errors.refusing():
    with widgets.working("Redrawing the hospitals for the intervals") as progress:
        found = review_runs.assessed(progress=progress)
    review_verdict.answer(found)
    ready = True

sections = SECTIONS if ready else WITHOUT_NUMBERS
tabs = st.tabs(list(sections), key="review:sections" if ready else "review:without", on_change="rerun")
for tab, draw in zip(tabs, sections.values(), strict=True):
    # What is folded away is not computed.
    if tab.open:
        with tab, errors.refusing():
            draw()
