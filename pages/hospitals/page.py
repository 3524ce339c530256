"""Other hospitals: who else publishes, what is known of them, and what the adversary is assumed to know."""

from __future__ import annotations

import streamlit as st

from core.release.algorithm import algorithm_title
from pages.hospitals import earlier, one, sections
from pages.shared import caution, errors, results, session, widgets

PLACE = "hospitals"
results.fit_overlap()

st.title("Other hospitals")
st.markdown(
    "Decide what to assume about the hospitals you do not control: how many publish, how careful they are, and how "
    "many patients you share. If one has published already, load its release. *Hospital* stands for whoever publishes "
    "such a table: a clinic, a registry, an insurer."
)
with st.container(border=True), st.grid(4, min_column_width=180, gap=("xsmall", "medium")) as grid:
    widgets.slider("releases", PLACE)
    with grid.cell(), errors.refusing():
        widgets.slider("overlap", PLACE, **results.overlap_range())
        caution.capped()
    with grid.cell():
        linked = session.get("linked")
        widgets.slider("their_k", PLACE, high=session.most_k(session.people()), disabled=linked)
        widgets.toggle("linked", PLACE)
    widgets.slider("agreement", PLACE)
    widgets.pick("their_algorithm", PLACE, widgets.offered_to_others(), algorithm_title)
    widgets.toggle("their_models", PLACE, disabled=session.policy(2).only_k)
    widgets.slider("seed", PLACE)
    widgets.slider("repeats", PLACE)

with errors.refusing():
    sections.study()

with errors.refusing():
    earlier.show()

st.subheader("One by one")
st.caption("What is set here holds for that hospital alone. Moving a slider above sets it for all again.")
others = session.hospitals()[1:]
for tab, (number, hospital) in zip(
    st.tabs([one.title(i, h) for i, h in enumerate(others, 1)], key="hospitals:tabs"), enumerate(others, 1), strict=True
):
    with tab, errors.refusing():
        one.show(number, hospital)

with errors.refusing():
    sections.published()

st.subheader("What the adversary is assumed to know")
with errors.refusing():
    sections.adversary()
st.page_link("pages/attack/page.py", label="See the attack", icon=":material/join_inner:")
