"""Sets or weights: two adversaries, what each says, and how often he is right."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core import figures
from core.attack.views import LOCATE
from core.attack.weighted import adversaries
from core.base.words import several
from pages.attack.hospitals.sections import names
from pages.shared import charts, results, session, widgets
from pages.shared.text import percent

NOBODY_KNOWS = "nobody knows"
WAYS = {
    "assumed": "He knows the class of each person in every release (the papers' setting)",
    "published": "He has only the published tables and each person's quasi-identifiers",
    "default": "As the release allows: the class where classes can be told apart, else what is published",
}


def weights() -> None:
    """How the adversary finds a class; breach and hits of both adversaries, and their calibration."""
    _adversary()
    scenario = session.scenario()
    st.markdown(
        "The papers' adversary takes all values left as equally likely. The **weighted adversary** also uses how often "
        "each occurs in the person's classes. A person is exposed to him when one value is at least C likely. That can "
        "be more people or fewer, and he can be wrong."
    )
    if any(hospital.agreement < 1 for hospital in scenario.hospitals):
        st.caption(
            "The hospitals do not always agree here. The weighted adversary knows how often they do, so he rules "
            "out no value of my class. The other one goes by the intersection all the same."
        )
    elif scenario.uploads:
        st.caption(
            "Nobody knows how often an uploaded file agrees with my table. The weighted adversary takes it to agree "
            "always."
        )
    outcome = results.outcome()
    st.markdown("## Exposed, and true disclosures")
    charts.show(
        figures.adversaries(adversaries(outcome.result, outcome.weighed()), scenario.confidence),
        alt="Share of shared people exposed at each confidence, and true disclosures, for both adversaries.",
    )
    st.caption(
        f"One draw with {several(outcome.result.people, 'shared person', 'shared people')}. A *true disclosure* is the "
        "value in my table. People whose true value is not known are left out. *Method*, *The weighted adversary*, "
        "tells how often each is right when he is so sure."
    )
    if results.nobody_knows():
        st.caption(
            ":material/help: Shared people are only assumed to be in the uploaded file. Its classes say nothing of "
            "those who are not: that may be why an adversary is right less often here than he says."
        )


def _adversary() -> None:
    """Ask how the class of a person is found, and say how well that works."""
    widgets.pick("locate", "attack", LOCATE, WAYS.__getitem__)
    result = results.outcome().result
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
        "Whoever fits several classes keeps the values of all of them. Whoever fits none loses nothing by that release."
    )
