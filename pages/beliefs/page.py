"""Beliefs: what somebody believes of one person before my release, and after it."""

from __future__ import annotations

import streamlit as st

from pages.beliefs import answer, controls, don, sections
from pages.shared import errors, layout

SECTIONS = {"One class": sections.one_class, "Negation statements": sections.negation, "Don's example": don.show}

layout.heading(
    "Beliefs",
    "Decide how far your release may move what somebody believes about one person: prior beside posterior, for an "
    "adversary whose knowledge you choose.",
)
rail, stage = layout.one_view()
ready = False
with stage, errors.refusing():
    answer.answer()
    answer.curve()
    ready = True
with rail:
    controls.show()
layout.answered()
st.caption(answer.NO_FACT)
if ready:
    answer.details()

# The example needs no release of mine.
layout.tabs("beliefs:sections", {name: draw if ready or draw is don.show else None for name, draw in SECTIONS.items()})
