"""The sections under the breach curve, one function each."""

from __future__ import annotations

import streamlit as st

from core import figures
from core.attack.exposure import by_attribute
from pages.shared.compute import attack_results
from pages.shared.state import session
from pages.shared.ui import charts, widgets
from pages.shared.ui.text import count, draws, percent, plain, safe
from pages.shared.ui.value_words import worded


def shrinking() -> None:
    """Values present and values left, compared with the promised k [Ganta 2008, Fig. 2 and 3]."""
    result = attack_results.outcome().result
    left, right = widgets.pair()
    with left:
        st.markdown("## Values that remain possible, before and after")
        charts.show(
            figures.before_and_after(result.best_effective_anonymity, result.posterior, weight=result.weight),
            alt="Histogram of the number of possible sensitive values of each shared person before and after.",
        )
    vary = "k" if session.get("linked") else "my k"
    with right:
        st.markdown("## Promised, present and left, against k")
        charts.show(
            figures.presumed_and_effective(
                attack_results.curve(vary, attack_results.k_points(), 1), "People per class (k)", session.get("my_k")
            ),
            alt="k, mean class size, mean distinct values before and mean values left after, against k.",
        )


def exposed() -> None:
    """Exposure by group and by diagnosis."""
    workspace, scenario, outcome = session.workspace(), session.scenario(), attack_results.outcome()
    overall = float(outcome.result.mean(outcome.result.breached(scenario.confidence)))
    mine = outcome.mine.encoded
    left, right = widgets.pair()
    with left:
        st.markdown("## By what the adversary knows")
        name = st.selectbox(
            "Group people by", list(workspace.schema.quasi_identifiers), key="attack:group", format_func=plain
        )
        frame = by_attribute(outcome.result, mine, name, scenario.confidence)
        charts.show(figures.exposure(frame, plain(name, 30), overall), alt="Share exposed by group.")
    with right:
        st.markdown("## By what is to be protected")
        st.caption(f"Grouped by {safe(workspace.schema.sensitive)}, most common first.")
        frame = by_attribute(outcome.result, mine, workspace.schema.sensitive, scenario.confidence, groups=12)
        frame["group"] = [worded(group) for group in frame["group"]]
        charts.show(
            figures.exposure(frame, plain(workspace.schema.sensitive, 30), overall),
            alt="Share exposed by sensitive value.",
        )
    st.caption(
        f"From one draw of {count(outcome.result.people)} shared people. The dotted rule is everyone in this draw, "
        f"{percent(overall)}; the number on top is the {draws(scenario.repeats)}. Small groups swing widely from draw "
        f"to draw."
    )
