"""Other hospitals: who else publishes, what is known of them, and what the adversary is assumed to know."""

from __future__ import annotations

import streamlit as st

from core.anonymize import ALGORITHM_NAMES, ONE_PUBLISHER
from pages._ui import errors, hospital_one, hospital_views, runs, state, widgets

PLACE = "hospitals"
runs.fit_overlap()

st.title("Other hospitals")
st.markdown(
    "Decide what to assume about the organisations you do not control: how many publish, how careful they are, and how "
    "many patients you share. If one has published already, load its release."
)
with st.container(border=True), st.grid(4, min_column_width=180, gap=("xsmall", "medium")) as grid:
    widgets.slider("releases", PLACE)
    with grid.cell(), errors.refusing():
        widgets.slider("overlap", PLACE, **runs.overlap_range())
    with grid.cell():
        linked = state.get("linked")
        widgets.slider("their_k", PLACE, high=state.most_k(len(state.workspace().table)), disabled=linked)
        widgets.toggle("linked", PLACE)
    widgets.slider("agreement", PLACE)
    widgets.pick("their_algorithm", PLACE, ONE_PUBLISHER, ALGORITHM_NAMES.__getitem__)
    widgets.toggle("their_models", PLACE, disabled=state.get("diversity") == "none" and not state.get("closeness"))
    widgets.slider("seed", PLACE)
    widgets.slider("repeats", PLACE)

with errors.refusing():
    hospital_views.study()

st.subheader("One by one")
st.caption("What is set here holds for that hospital alone; moving a slider above sets it for all again.")
others = state.hospitals()[1:]
for tab, (number, hospital) in zip(
    st.tabs([hospital_one.title(i, h) for i, h in enumerate(others, 1)], key="hospitals:tabs"),
    enumerate(others, 1), strict=True,
):  # fmt: skip
    with tab, errors.refusing():
        hospital_one.show(number, hospital)

with errors.refusing():
    hospital_views.published()

st.subheader("What the adversary is assumed to know")
with errors.refusing():
    hospital_views.adversary()
st.page_link("pages/attack.py", label="See the attack", icon=":material/join_inner:")
