"""Other hospitals: who else publishes, and what the adversary is assumed to know."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core import CompositionError
from core.hospitals import default_size
from pages._ui import errors, runs, state, widgets
from pages._ui.text import count, percent

PLACE = "hospitals"

st.title("Other hospitals")
st.markdown(
    "Decide what to assume about the organisations you do not control: how many publish, how careful they are, and how "
    "many patients you share."
)
records = len(state.workspace().table)
left, right = st.columns([1, 1.7], gap="large")
with left:
    widgets.slider("releases", PLACE)
    widgets.slider("overlap", PLACE, low=min(10, max(1, records // 6)), high=state.overlap_bound(records),
                   step=10 if records > 500 else 1)  # fmt: skip
    widgets.slider("agreement", PLACE)
    widgets.toggle("linked", PLACE)
    if not state.get("linked"):
        widgets.slider("their_k", PLACE, high=max(3, min(100, records // 4)))
    widgets.toggle("their_models", PLACE, disabled=state.get("diversity") == "none" and not state.get("closeness"))
    widgets.slider("seed", PLACE)
    widgets.slider("repeats", PLACE)

with right:
    st.markdown("##### The hospitals of this study")
    hospitals = state.hospitals()
    names = ["My hospital", *(f"Hospital {number + 1}" for number in range(1, len(hospitals)))]
    size = default_size(len(runs.encoded()), int(state.get("overlap")), len(hospitals))
    base = pd.DataFrame({
        "hospital": names,
        "records": [size] * len(hospitals),
        "k": [hospital.policy.k for hospital in hospitals],
        "l": ["–" if h.policy.l is None else f"{h.policy.l:g} {h.policy.diversity}" for h in hospitals],
        "t": ["–" if h.policy.t is None else f"{h.policy.t:g} {h.policy.distance}" for h in hospitals],
        "agreement": [hospital.agreement for hospital in hospitals],
    })  # fmt: skip
    edited = st.data_editor(
        base, hide_index=True, num_rows="fixed", disabled=["hospital", "records", "l", "t"],
        key=f"hospitals:table:{state.fingerprint()}", alt="The hospitals of the study and their policies",
        column_config={
            "hospital": "Hospital",
            "records": st.column_config.NumberColumn("Records", format="localized"),
            "k": st.column_config.NumberColumn("People per class (k)", min_value=2, max_value=1000, step=1,
                                                required=True),
            "l": "Diversity (l)",
            "t": "Distance (t)",
            "agreement": st.column_config.NumberColumn("Same diagnosis", min_value=0.0, max_value=1.0, step=0.05,
                                                       required=True, format="percent"),
        },
    )  # fmt: skip
    if state.adopt_table(edited):
        st.rerun()
    st.caption(
        "Edit k or agreement of one hospital in the table. All are simulated from your table, which plays the city: "
        f"each hospital gets {count(size)} of its {count(len(runs.encoded()))} records, all share exactly "
        f"{count(state.get('overlap'))} people and nobody else, and each anonymises what it has on its own "
        "with Mondrian."
    )
    with errors.refusing():
        found = runs.outcome()
        frame = pd.DataFrame({
            "Hospital": names,
            "Classes": [release.classes.count for release in found.releases],
            "Smallest class": [int(release.sizes.min()) for release in found.releases],
            "Largest class": [int(release.sizes.max()) for release in found.releases],
            "Mean class": [round(float(release.sizes.mean()), 1) for release in found.releases],
            "Values of a shared person's class, mean": found.result.prior.mean(axis=1).round(1),
        })  # fmt: skip
        st.markdown("##### What they would publish (one draw)")
        st.dataframe(frame, hide_index=True, alt="Releases of the simulated hospitals")
        widgets.download_csv(frame, "Simulated releases", "hospitals")

st.markdown("##### What the adversary is assumed to know")
try:
    table = runs.headline_so_far()
    chosen = table[table["confidence"] == state.get("confidence")].iloc[0]
    st.markdown(
        "The class of each shared person in every release, because age, zip code and the like are known and the "
        "published regions point to it (*locatability*), and nothing else: every value left is equally likely to him. "
        f"Under these assumptions {percent(chosen['share'])} of {count(chosen['n'])} shared people are exposed at "
        f"C = {100 * state.get('confidence'):.0f} %."
    )
    st.page_link("pages/attack.py", label="See the attack", icon=":material/join_inner:")
except CompositionError as error:
    errors.refuse(error)
