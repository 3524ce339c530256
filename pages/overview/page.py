"""Overview: how two safe releases expose a shared patient, first in a story, then in numbers."""

from __future__ import annotations

import streamlit as st

from pages.overview import beliefs, pooled, versions
from pages.overview import story as show
from pages.shared import errors, firm, session
from pages.shared.texts import facts, fill, overview

texts = overview()
st.title("Two safe releases, one exposed patient")
st.markdown(texts["question"])
st.caption(fill(texts["privacy"], facts()))

st.subheader("Alice went to two hospitals", anchor=False)
show.alice()

st.subheader("The same in numbers", anchor=False)
with errors.refusing():
    firm.shown_firmly(show.present)
with st.expander("Predict, then reveal", icon=":material/visibility:"), errors.refusing():
    show.predict()
if session.workspace().example:
    with_one = st.expander(
        "One of them, step by step", icon=":material/person_alert:", key="overview:resident", on_change="rerun"
    )
    if with_one.open:
        with with_one, errors.refusing():
            show.resident()
PAGES = (
    ("pages/data/page.py", "Data", ":material/table:", "Look at the table, or load your own."),
    ("pages/release/page.py", "Release", ":material/grid_view:", "Choose k, l and t; open the classes."),
    ("pages/attack/page.py", "Other hospitals", ":material/domain:", "Say what you assume of the others."),
    ("pages/attack/page.py", "Intersection attack", ":material/join_inner:", "Move a slider, watch the exposure."),
)
with st.grid(4, min_column_width=190, gap="small", border=True) as grid:
    for page, title, icon, words in PAGES:
        with grid.cell():
            st.page_link(page, label=title, icon=icon)
            st.caption(words)

st.subheader("More worked examples", anchor=False)
EXAMPLES = {
    "hospitals_a_and_b": "Hospitals A and B",
    "bobs_class": "Bob's class",
    "colluding_hospitals": "Colluding hospitals",
    **beliefs.TITLES,
    "two_versions": "Two versions",
}
chosen = st.segmented_control(
    "Example", list(EXAMPLES), format_func=EXAMPLES.__getitem__, key="overview:example", label_visibility="collapsed"
)
if chosen == "colluding_hospitals":
    pooled.show()
elif chosen == "two_versions":
    versions.show()
elif chosen in beliefs.TITLES:
    beliefs.example(chosen)
elif chosen:
    show.other_example(chosen)
