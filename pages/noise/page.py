"""Differential privacy: a guarantee that composes, beside one that does not, and what it costs."""

from __future__ import annotations

import streamlit as st

from pages.noise import controls, games, sections, table
from pages.shared import errors

SECTIONS = {
    "What noise costs": sections.cost,
    "Noisy table": table.show,
    "Several tables": sections.together,
    "With and without me": games.show,
}

st.title("Differential privacy", anchor=False)
st.markdown(
    "Decide whether to publish a noisy table instead of a partition: noise keeps its promise whatever others publish, "
    "and you choose what that costs."
)
controls.show()
ready = False
with errors.refusing():
    sections.answer()
    sections.guarantees()
    ready = True

if ready:
    tabs = st.tabs(list(SECTIONS), key="noise:sections", on_change="rerun")
    for tab, draw in zip(tabs, SECTIONS.values(), strict=True):
        # What is folded away is not computed.
        if tab.open:
            with tab, errors.refusing():
                draw()
