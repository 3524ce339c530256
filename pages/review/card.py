"""The card of the decision, shown first: verdict, people, baseline, cost, and what they depend on."""

from __future__ import annotations

import streamlit as st

from core.base.metrics import MET, NOT_MET, ON_AVERAGE
from core.decision.review import Assessment
from core.report.assumption import assumptions
from core.report.card import card
from core.report.contents import limits_of
from core.report.rounding import Scale
from pages.review import report, verdict
from pages.shared.compute import assessment, attack_results
from pages.shared.ui import widgets
from pages.shared.ui.text import safe

COLOURS = {MET: "met", ON_AVERAGE: "average", NOT_MET: "broken"}
"""Class of the frame of each verdict (assets/style.css); an open one is neither good nor bad."""
TITLES = {"exposed": "Who is exposed", "baseline": "Compared with", "cost": "What it costs"}


def show(assessed: Assessment) -> None:
    """Draw the card of an assessment; the report begins with the same one."""
    files = attack_results.files()
    texts = card(assessed, assumptions(assessed.scenario, files), files, assessment.known_doubts(), Scale())
    judgement = assessment.verdict(assessed)
    with st.container(gap="small", key="card"):
        colour = COLOURS.get(judgement.verdict, "open") if judgement.checks else "open"
        with st.container(border=True, gap="xsmall", key=f"verdict-{colour}"):
            st.markdown(verdict.sentence(judgement))
            if judgement.checks:
                st.caption(safe(limits_of(report.limits_by()), 200))
            _recorded()
        with st.grid(3, min_column_width=200, gap=("xsmall", "medium")) as grid:
            for name, title in TITLES.items():
                with grid.cell():
                    st.markdown(f"**{title}**  \n:small[{safe(texts[name], 600)}]")
        sentences = "  \n".join(f":small[• {safe(sentence, 600)}]" for sentence in texts["hangs_on"])
        st.markdown(f"**What it depends on**  \n{sentences}")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(f"**What was tried.** {safe(texts['untried'], 400)}", width="stretch")
        if assessment.known_doubts() is None:
            tried = st.button("Try them", key="review:card:doubts", icon=":material/rule:")
        else:
            tried = False
    if tried:
        with widgets.working("Trying other assumptions") as progress:
            assessment.doubts(progress)
        st.rerun()


def _recorded() -> None:
    """Show the state of the decision, once one was recorded."""
    if not report.field("recorded"):
        return
    if report.is_recorded():
        st.caption(":material/check_circle: The decision is recorded for this setting.")
    else:
        st.caption(
            ":material/info: A decision was recorded, but for another setting or with other words. *Decision and "
            "report* records it again."
        )
