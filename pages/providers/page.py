"""Providers: they publish together, and some of them may learn more by colluding."""

from __future__ import annotations

from functools import partial

import streamlit as st

from pages.providers import controls
from pages.providers import numbers as pr
from pages.providers import sections as views
from pages.shared import errors, layout, turns

layout.heading(
    "Providers",
    "Decide how many of the providers that publish together may collude before the release stops hiding the "
    "patients of the others.",
)
rail, stage = layout.one_view()
ready = False
with rail:
    with errors.refusing():
        encoded = pr.pooled()
        controls.policy(encoded, pr.present(encoded))
        method = st.selectbox(
            "Release", list(pr.RELEASES), format_func=pr.RELEASES.__getitem__, key="providers:release"
        )
        ready = True
    with st.expander("Who contributed what", icon=":material/tune:", key="providers:who"):
        controls.who()
        with errors.refusing():
            controls.extra()
        if ready:
            controls.ask_nameless(controls.nameless(encoded))
    if ready:
        st.caption(controls.shares_in_words(encoded))
layout.again_if_fitted()

if ready:
    feasible = False
    with stage, errors.refusing():
        views.verdict(method)
        feasible = True
    turns.answered()
    if feasible:
        with stage:
            worst = partial(views.worst_classes, method)
            layout.tabs("providers:tabs", {"Worst classes": worst, "What it costs": views.costs})
        views.caveat(method)
        with st.container(horizontal=True, vertical_alignment="center"):
            if st.button(
                "Take this release to the attack",
                icon=":material/join_inner:",
                key="providers:adopt",
                help="It becomes your release, with its table, policy and algorithm.",
            ):
                pr.adopt(method)
                st.switch_page("pages/attack/page.py")
            if not pr.has_column():
                st.caption("The made-up providers then become a column of your table.")
    st.caption(
        "Each provider knows its own records and can take them out. k and l count what is left, so m-privacy shares "
        "their weaknesses. A differentially private release needs no such search. It bounds what anybody learns who "
        "knows all records but one, so it withstands all providers but one."
    )
