"""Beliefs: what somebody believes of one person before my release, and after it."""

from __future__ import annotations

import streamlit as st

from pages._ui import beliefs_controls, beliefs_don, beliefs_sections, beliefs_views, errors

SECTIONS = {
    "One class": beliefs_sections.one_class,
    "Negation statements": beliefs_sections.negation,
    "Don's example": beliefs_don.show,
}

st.title("Beliefs", anchor=False)
st.markdown(
    "Decide how far your release may move what somebody believes about one person: prior beside posterior, for an "
    "adversary whose knowledge you choose."
)
st.caption(beliefs_views.NO_FACT)
beliefs_controls.show()
ready = False
with errors.refusing():
    beliefs_views.answer()
    beliefs_views.curve()
    ready = True

tabs = st.tabs(list(SECTIONS), key="beliefs:sections", on_change="rerun")
for tab, (name, draw) in zip(tabs, SECTIONS.items(), strict=True):
    # What is folded away is not computed; the example needs no release of mine.
    if tab.open and (ready or name == "Don's example"):
        with tab, errors.refusing():
            draw()
