"""Sets or weights: two adversaries, their conclusions, and how often they are right."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core import figures
from core.attack.views import LOCATE
from core.attack.weighted import adversaries
from core.base.wording import several
from pages.attack.hospitals.sections import names
from pages.shared.compute import attack_results
from pages.shared.state import session
from pages.shared.ui import charts, widgets
from pages.shared.ui.text import percent

NOBODY_KNOWS = "nobody knows"
WAYS = {
    "assumed": "They know each person's class in every release (the papers' setting)",
    "published": "They have only the published tables and each person's quasi-identifiers",
    "default": "Automatic: the class if classes do not overlap, otherwise what is published",
}


def weights() -> None:
    """How the adversary finds a class; breach and hits of both adversaries, and their calibration."""
    _adversary()
    scenario = session.scenario()
    st.markdown(
        "The papers' adversary takes all values left as equally likely. The **weighted adversary** also uses how often "
        "each occurs in the person's classes. To this adversary a person is exposed when one value has a probability "
        "of at least C. This can expose more or fewer people, and this adversary can be wrong."
    )
    if any(hospital.same_value_rate < 1 for hospital in scenario.hospitals):
        st.caption(
            "The hospitals do not always agree here. The weighted adversary knows how often they do, so it rules "
            "out no value of my class. The other one still goes by the intersection."
        )
    elif scenario.uploads:
        st.caption(
            "How often an uploaded file agrees with my table is unknown. The weighted adversary takes it to agree "
            "always."
        )
    outcome = attack_results.outcome()
    st.markdown("## Exposed, and true disclosures")
    charts.show(
        figures.adversaries(adversaries(outcome.result, outcome.weighed()), scenario.confidence),
        alt="Share of shared people exposed at each confidence, and true disclosures, for both adversaries.",
    )
    st.caption(
        f"One draw with {several(outcome.result.people, 'shared person', 'shared people')}. A *true disclosure* is the "
        "value in my table. People whose true value is not known are left out. *Method*, *The weighted adversary*, "
        "shows how often each is right at that confidence."
    )
    if attack_results.nobody_knows():
        st.caption(
            ":material/help: Shared people are only assumed to be in the uploaded file. Its classes say nothing about "
            "those who are not: that may be why an adversary is right less often here than stated."
        )


def _adversary() -> None:
    """Ask how a person's class is found, and report how well that works."""
    widgets.pick("locate", "attack", LOCATE, WAYS.__getitem__)
    result = attack_results.outcome().result
    among = [NOBODY_KNOWS if s is None else percent(s.among.value) for s in result.located_correctly]
    frame = pd.DataFrame(
        {
            "Release": names(),
            "Own class among those found": among,
            "Fit no class": [percent(float(share)) for share in result.unlocated / result.people],
            "Classes that match, mean": [round(float(result.mean(where.counts)), 2) for where in result.located],
        }
    )
    st.dataframe(frame, hide_index=True, alt="How well the adversary finds people in each release")
    st.caption(
        "A person who fits several classes keeps the values of all of them; a release whose classes a person does not "
        "fit rules nothing out."
    )
