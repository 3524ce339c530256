"""Providers: organisations that publish together, and what some of them learn by colluding."""

from __future__ import annotations

import streamlit as st

from pages.providers import controls
from pages.providers import numbers as pr
from pages.providers import sections as views
from pages.shared import errors

st.title("Providers", anchor=False)
st.markdown(
    "Decide how many of the organisations that pool their records and publish together may collude before the release "
    "stops hiding the patients of the others. Each knows its own records and can subtract them."
)
ready = False
with st.container(border=True), st.grid(3, min_column_width=230, gap=("xsmall", "medium")) as grid:
    with grid.cell():
        controls.who()
    with grid.cell(), errors.refusing():
        controls.extra()
        encoded = pr.pooled()
        controls.ask_nameless(controls.nameless(encoded))
        st.caption(controls.shares_in_words(encoded))
        ready = True
    with grid.cell():
        if ready:
            controls.policy(encoded, pr.present(encoded))

if ready:
    method = st.segmented_control(
        "Release",
        list(pr.RELEASES),
        format_func=pr.RELEASES.__getitem__,
        default="plain",
        required=True,
        key="providers:release",
    )
    feasible = False
    with errors.refusing():
        views.verdict(method)
        feasible = True
    if feasible:
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
        lattice, cost = st.tabs(
            ["One class and its coalitions", "What it costs"], key="providers:tabs", on_change="rerun"
        )
        if lattice.open:
            with lattice, errors.refusing():
                views.one_class(method)
        if cost.open:
            with cost, errors.refusing():
                views.costs()
    st.caption(
        "k and l count what is left, so m-privacy inherits their weaknesses. A differentially private release needs no "
        "such search: it bounds what anybody learns who knows all records but one, so it withstands all providers but "
        "one (n − 1)."
    )
