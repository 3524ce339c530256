"""Beliefs: what somebody believes of one person before my release, and after it."""

from __future__ import annotations

import streamlit as st

from pages.attack.beliefs import answer, controls, sections
from pages.shared import errors, layout

SECTIONS = {"One class": sections.one_class, "Negation statements": sections.negation, "All numbers": answer.details}


def show() -> None:
    """How far my release alone moves a belief, against how far counts as a breach."""
    rail, stage = st.columns([1, 2.6], gap="medium")
    with rail:
        controls.show()
    with stage, errors.refusing():
        answer.answer()
        answer.curve()
        st.caption(answer.NO_FACT)
        answer.apart()
        layout.tabs("beliefs:sections", SECTIONS)
