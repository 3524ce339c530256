"""Who attacks: what each adversary claims or is sure of, and how often they are right."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core import figures
from core.attack.intruder import Claims, in_words
from core.attack.views import LOCATE
from core.attack.weighted import adversaries
from core.base.limits import LIMITS
from core.base.wording import several
from core.study.population import least_listed
from pages.attack import computed
from pages.attack.hospitals.sections import names
from pages.shared.compute import attack_results, data_results
from pages.shared.state import session
from pages.shared.state.choices import CHOICES, WEIGHING
from pages.shared.ui import charts, errors, widgets
from pages.shared.ui.text import count, percent, safe

PLACE = "attack"
NOBODY_KNOWS = "nobody knows"
ATTACKERS = {
    "everywhere": "They know who was where",
    "mine": "They know who is in my table",
    "list": "They have a population list only",
    WEIGHING: "They also weigh the values left",
}
WAYS = {
    "assumed": "They know each person's class in every release (the papers' setting)",
    "published": "They have only the published tables and each person's quasi-identifiers",
}


def show() -> None:
    """Ask who attacks, and say what they claim, or how sure they are."""
    widgets.pick("attacker", PLACE, CHOICES["attacker"].options, ATTACKERS.__getitem__)
    knows, least = str(session.get("attacker")), least_listed(data_results.encoded(), session.scenario().study)
    rail, stage = st.columns([1, 2.6], gap="medium")
    with rail:
        if knows == "list":
            widgets.slider("list_times", PLACE, high=max(1, min(50, int(LIMITS["list_size"].most) // least)))
        else:
            widgets.pick("locate", PLACE, LOCATE, WAYS.__getitem__)
    with stage, errors.refusing():
        if knows == WEIGHING:
            weights()
        else:
            _claims(knows, least)
    if knows in ("everywhere", WEIGHING):
        _located()


def _claims(knows: str, least: int) -> None:
    """Claims of an adversary in one draw, by what they rest on, and a guesser next to them."""
    with widgets.working("Attacking with a population list") as progress:
        claims = computed.claims(knows, least * int(session.get("list_times")) if knows == "list" else least, progress)
    st.markdown(in_words(claims, safe))
    if claims.claims:
        _counts(claims)
    made = f"The population list has {several(claims.listed, 'person', 'people')}: all people in the tables"
    made += ", and synthetic people like mine" * (claims.listed > least)
    unknown = " Shared people are only assumed to be in the uploaded file." * attack_results.nobody_knows()
    st.caption(
        f"One draw of the hospitals. {made}. The guesser has the list and no release. A limit on the people named "
        f"correctly is set on *Decide*.{unknown}"
    )


def _counts(claims: Claims) -> None:
    tables = "both tables" if claims.releases == 2 else f"all {claims.releases} tables"
    shared = several(claims.shared, "shared person", "shared people")
    cells = {
        "Disclosed": (claims.disclosures, f"Right, and in {tables}: {percent(claims.reached)} of {shared}."),
        "Right by chance": (claims.by_chance, f"About people who are not in {tables}: no disclosure."),
        "Wrong": (claims.wrong, "People about whom an incorrect value is inferred."),
    }
    with st.grid(3, min_column_width=150, gap="small", border=True) as grid:
        for label, (number, words) in cells.items():
            with grid.cell():
                st.metric(label, count(number))
                st.caption(words)


def weights() -> None:
    """Breach and true disclosures of the adversary who weighs the values, next to the one who does not."""
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


def _located() -> None:
    """Report how well people's classes are found."""
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
