"""The sections under the breach curve, one function each."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from core import figures
from core.attack.exposure import by_attribute
from core.base import wording
from core.base.wording import DISAGREE, several
from pages.shared.compute import assessment, attack_results
from pages.shared.state import session
from pages.shared.ui import charts, widgets
from pages.shared.ui.rows import row_at
from pages.shared.ui.text import at_confidence, count, draws, percent, plain, safe
from pages.shared.ui.value_words import UNTRIED, worded


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
                attack_results.curve(vary, attack_results.k_points(vary), 1),
                "People per class (k)",
                session.get("my_k"),
            ),
            alt="k, mean class size, mean distinct values before and mean values left after, against k.",
        )


def doubts() -> None:
    """The breach over the range of each assumption."""
    st.markdown(
        "The setting above is a guess about hospitals you do not control. Each line varies one assumption over its "
        "range and keeps the others fixed. The widest comes first. The dotted rule is the present setting."
    )
    scenario = session.scenario()
    with widgets.working("Trying other assumptions") as progress:
        frame = assessment.doubts(progress)
    frame = frame.assign(share=frame["breach"])
    lines = [frame[frame["assumption"] == name] for name in frame["assumption"].unique()]
    lines.sort(key=lambda line: float(np.ptp(line["share"])), reverse=True)
    frame = pd.concat(lines, ignore_index=True)
    share = float(row_at(attack_results.headline(), "confidence", scenario.confidence)["share"])
    low, high = frame["share"].min(), frame["share"].max()
    st.markdown(
        f"Over all of these the share exposed at {at_confidence(scenario.confidence)} lies between "
        f"**{percent(low)}** and **{percent(high)}**; the present setting gives {percent(share)} of "
        f"{count(scenario.overlap)} shared people. Every value is tested on the same "
        f"{several(scenario.repeats, 'draw')} of the hospitals."
    )
    if attack_results.nobody_knows():
        st.caption(UNTRIED)
    if "same_value_rate" in set(frame["assumption"]):
        st.caption(DISAGREE)
    charts.show(
        figures.doubts(frame, wording.ASSUMPTIONS, share), alt="Range of the share exposed for each assumption."
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
