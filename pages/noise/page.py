"""Differential privacy: a guarantee that composes, beside one that does not, and what it costs."""

from __future__ import annotations

import streamlit as st

from pages._ui import errors, noise_controls, noise_games, noise_sections, noise_table

SECTIONS = {
    "What noise costs": noise_sections.cost,
    "Noisy table": noise_table.show,
    "Several tables": noise_sections.together,
    "With and without me": noise_games.show,
}

st.title("Differential privacy", anchor=False)
st.markdown(
    "Decide whether to publish a noisy table instead of a partition: noise keeps its promise whatever others publish, "
    "and you choose what that costs."
)
noise_controls.show()
ready = False
with errors.refusing():
    noise_sections.answer()
    noise_sections.guarantees()
    ready = True

if ready:
    tabs = st.tabs(list(SECTIONS), key="noise:sections", on_change="rerun")
    for tab, draw in zip(tabs, SECTIONS.values(), strict=True):
        # What is folded away is not computed.
        if tab.open:
            with tab, errors.refusing():
                draw()
