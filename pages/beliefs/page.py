"""Beliefs: what somebody believes of one person before my release, and after it."""

from __future__ import annotations

import streamlit as st

from pages.beliefs import answer, controls, don, sections
from pages.shared import errors, layout

layout.heading("Beliefs", "How far does your release move what somebody believes about one person?")
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
    answer.apart()

of_mine = {"One class": sections.one_class, "Negation statements": sections.negation}
# The example needs no release of mine.
every = {"Don's example": don.show}
layout.closer("beliefs:sections", {**of_mine, **every, "All numbers": answer.details} if ready else every)
