"""Intersection attack: the breach, live, against everything that moves it."""

from __future__ import annotations

import streamlit as st

from pages.attack import axes
from pages.attack import curve as views
from pages.shared import errors, results, session, widgets
from pages.shared.later import later

PLACE = "attack"
results.fit_overlap()

st.title("Intersection attack")
st.markdown(
    "Decide whether the people who are in several releases stay hidden: whoever knows a person's class in each release "
    "keeps only the sensitive values that all of them share."
)

records = session.people()
most_k = session.most_k(records)
with st.container(border=True), st.grid(4, min_column_width=180, gap=("xsmall", "medium")) as grid:
    with grid.cell():
        widgets.slider("my_k", PLACE, high=most_k)
        linked = widgets.toggle("linked", PLACE)
    if not linked:
        widgets.slider("their_k", PLACE, high=most_k)
    with grid.cell():
        widgets.slider("confidence", PLACE)
        st.caption(views.confidence_in_words(session.get("confidence")))
    with errors.refusing():
        widgets.slider("overlap", PLACE, **results.overlap_range())
    widgets.slider("releases", PLACE)
    widgets.models(PLACE, *axes.sensitive_facts())
    widgets.slider("agreement", PLACE)
    views.algorithms()
    views.categories()
views.scenarios()

numbers = st.empty()
title, what, axis = st.columns([1.3, 1, 1], vertical_alignment="bottom")
title.subheader("Share of shared people exposed")
with what:
    number = views.number()
with axis:
    vary = widgets.pick("vary", PLACE, list(axes.axes()), axes.axes().__getitem__)
chart = st.empty()
ready = False
with errors.refusing():
    views.main(numbers, chart, vary, number, repeats=1)
    later(lambda: views.refine(numbers, chart, vary, number))
    ready = True

if ready:
    with errors.refusing():
        views.below()
