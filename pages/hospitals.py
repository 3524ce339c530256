"""Other hospitals: who else publishes, and what the adversary is assumed to know."""

from __future__ import annotations

import pandas as pd
import streamlit as st

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
with st.container(border=True), st.grid(4, min_column_width=180, gap=("xsmall", "medium")) as grid:
    widgets.slider("releases", PLACE)
    widgets.slider("overlap", PLACE, **state.overlap_range(records))
    with grid.cell():
        linked = state.get("linked")
        widgets.slider("their_k", PLACE, high=state.most_k(records), disabled=linked)
        widgets.toggle("linked", PLACE)
    widgets.slider("agreement", PLACE)
    widgets.toggle("their_models", PLACE, disabled=state.get("diversity") == "none" and not state.get("closeness"))
    widgets.slider("seed", PLACE)
    widgets.slider("repeats", PLACE)

with errors.refusing():
    hospitals = state.hospitals()
    city = len(runs.encoded())
    size = default_size(city, int(state.get("overlap")), len(hospitals))
    names = ["My hospital", *(f"Hospital {number + 1}" for number in range(1, len(hospitals)))]
    st.subheader("The hospitals of this study")
    st.markdown(
        f"Your table plays the city of {count(city)} people. Each hospital gets {count(size)} of them; all share "
        f"exactly **{count(state.get('overlap'))}** people and nobody else. Each anonymises what it has on its own."
    )
    base = pd.DataFrame(
        {
            "hospital": names,
            "records": [size] * len(hospitals),
            "k": [hospital.policy.k for hospital in hospitals],
            "l": ["–" if h.policy.l is None else f"{h.policy.l:g} ({h.policy.diversity})" for h in hospitals],
            "t": ["–" if h.policy.t is None else f"{h.policy.t:g} ({h.policy.distance})" for h in hospitals],
            "agreement": [hospital.agreement for hospital in hospitals],
        }
    )
    number = st.column_config.NumberColumn
    edited = st.data_editor(
        base,
        hide_index=True,
        num_rows="fixed",
        disabled=["hospital", "records", "l", "t"],
        key=f"hospitals:table:{state.fingerprint()}",
        alt="The hospitals of the study and their policies",
        column_config={
            "hospital": "Hospital",
            "records": number("Records", format="localized"),
            "k": number("People per class (k)", min_value=2, max_value=1000, step=1, required=True),
            "l": "Diversity (l)",
            "t": "Distance (t)",
            "agreement": number("Same diagnosis", min_value=0.0, max_value=1.0, required=True, format="percent"),
        },
    )
    if state.adopt_table(edited):
        st.rerun()
    st.caption("Change k or the agreement of one hospital in the table; the sliders set them for all.")

    found = runs.outcome()
    st.subheader("What they would publish")
    frame = pd.DataFrame(
        {
            "Hospital": names,
            "Classes": [release.classes.count for release in found.releases],
            "Smallest class": [int(release.sizes.min()) for release in found.releases],
            "Largest class": [int(release.sizes.max()) for release in found.releases],
            "Mean class": [round(float(release.sizes.mean()), 1) for release in found.releases],
            "Values in a shared person's class": found.result.prior.mean(axis=1).round(1),
        }
    )
    st.dataframe(frame, hide_index=True, alt="Releases of the simulated hospitals")
    with st.container(horizontal=True, vertical_alignment="center"):
        widgets.download_csv(frame, "Simulated releases", "hospitals")
        st.caption(f"One draw of the hospitals (seed {state.get('seed')}); means over classes and over shared people.")

    st.subheader("What the adversary is assumed to know")
    table = runs.headline_so_far()
    chosen = table[table["confidence"] == state.get("confidence")].iloc[0]
    st.markdown(
        "The class of each shared person in every release: age, zip code and the like are known, and the published "
        "regions point to the class (*locatability*). Nothing else: every value left is equally likely to him. So "
        f"**{percent(chosen['share'])}** of {count(chosen['n'])} shared people are exposed at "
        f"C = {100 * state.get('confidence'):.0f} %; the best single release alone exposes {percent(chosen['single'])}."
    )
    st.page_link("pages/attack.py", label="See the attack", icon=":material/join_inner:")
