"""The card of the decision, shown first: the verdict with its condition, and its cases as a picture."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core import figures
from core.base import wording
from core.base.metrics import MET, ON_AVERAGE
from core.decision.review import Assessment, Judgement
from core.figures.exposure_charts import ROW
from core.report.assumption import assumptions
from core.report.card import card
from core.report.cases import as_assumed, case_rows, worst_overlap
from core.report.charts import case_frame
from core.report.contents import limits_of
from core.report.facts import metric_words
from core.report.pictures import finding
from core.report.rounding import Facts, Scale
from core.report.verdict import KINDS
from pages.review import decision, verdict
from pages.review import plausible as ranges
from pages.shared.compute import assessment, attack_results
from pages.shared.state.deferred import later
from pages.shared.ui import charts, layout, widgets
from pages.shared.ui.text import safe
from pages.shared.ui.value_words import UNTRIED

AXIS = 80
"""Pixels of an axis with its title, and of the room above the first case."""
TRYING = "Trying what happens if an assumption about others is wrong"


def show(assessed: Assessment) -> None:
    """Draw the verdict and its cases; the report begins with the same ones."""
    judgement, untried = assessment.verdict(assessed), assessment.untried()
    rows = case_rows(assessed, judgement, assessment.known_doubts(), Scale())
    with st.container(gap="small", key="card"):
        with st.container(border=True, gap="xsmall", key=f"verdict-{_colour(judgement, untried)}"):
            st.markdown(verdict.sentence(assessed, judgement, untried))
            if judgement.checks:
                st.caption(safe(limits_of(decision.limits_by()), 200))
            _recorded()
            if untried:
                place = st.empty()
                later(lambda: _try_them(place))
        if len(rows) > 1:
            _picture(assessed, rows)
        if attack_results.nobody_knows():
            st.caption(UNTRIED)
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.button(
                "Next: write down the decision",
                key="review:next",
                type="primary",
                icon=":material/arrow_downward:",
                on_click=layout.open_section,
                args=("review:sections", decision.SECTION),
            )
            ranges.show()


def _colour(judgement: Judgement, untried: int) -> str:
    """No colour before all cases were tried, but one case that breaks a limit is enough for amber."""
    if not judgement.checks or (untried and judgement.verdict in (MET, ON_AVERAGE)):
        return "open"
    return KINDS.get(judgement.verdict, "open")


def _try_them(place: Any) -> bool:
    with widgets.working(TRYING, place) as progress:
        assessment.doubts(progress)
    return True


def _picture(assessed: Assessment, rows: list[Facts]) -> None:
    title = finding(assessed, rows)
    number = assessed.numbers[rows[0]["metric"]]
    context = "; ".join(filter(None, (wording.interval_words(rows[0]["metric"], number), *wording.baselines(number))))
    words = metric_words(rows[0]["metric"], assessed.scenario.confidence)
    present = f"{as_assumed(rows[0], words, '').removesuffix('.')} ({context})."
    st.markdown(f"**{safe(title, 300)}**  \n:small[{safe(present, 300)} {safe(worst_overlap(rows), 300)}]")
    plausible = [row for row in rows if row["plausible"]]
    _draw(assessed, plausible, f"{title}. A row per plausible case, the worst first.")


def _draw(assessed: Assessment, rows: list[Facts], alt: str) -> None:
    limit = assessed.scenario.requirements.asked.get(rows[0]["metric"])
    # A page counts the axis as part of a chart's height.
    charts.show(figures.cases(case_frame(rows, limit), limit), alt=alt, height=ROW * len(rows) + AXIS)


def each_limit() -> None:
    """Each limit with its worst plausible case, and the picture of cases beyond the plausible ranges."""
    verdict.show()
    assessed = assessment.assessed()
    rows = case_rows(assessed, assessment.verdict(assessed), assessment.known_doubts(), Scale())
    beyond = [row for row in rows if not row["plausible"]]
    if beyond:
        st.markdown("**Cases beyond what is plausible**  \n:small[They do not change the verdict.]")
        _draw(assessed, [rows[0], *beyond], "A row per case beyond what is plausible, the worst first.")


def meaning(assessed: Assessment) -> None:
    """The comparisons, the cost and the conditions of the number, and the cases that could not be tried."""
    files, doubts = attack_results.files(), assessment.known_doubts()
    rows = case_rows(assessed, assessment.verdict(assessed), doubts, Scale())
    texts = card(assessed, assumptions(assessed.scenario, files), files, doubts, rows, Scale())
    for name, title in TITLES.items():
        text = texts[name]
        lines = [text] if isinstance(text, str) else [f"• {sentence}" for sentence in text]
        body = "  \n".join(f":small[{safe(line, 600)}]" for line in lines)
        st.markdown(f"**{title}**  \n{body}")


TITLES = {
    "exposed": "Who is exposed",
    "baseline": "Compared with",
    "cost": "What it costs",
    "depends_on": "What it depends on",
    "untried": "What was tried",
}


def _recorded() -> None:
    """Show the state of the decision, once one was recorded."""
    if not decision.field("recorded"):
        return
    if decision.is_recorded():
        st.caption(":material/check_circle: The decision is recorded for this setting.")
    else:
        st.caption(
            ":material/info: A decision was recorded, but for another setting or with other words. "
            f"*{decision.SECTION}* records it again."
        )
