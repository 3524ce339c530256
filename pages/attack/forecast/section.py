"""Before anybody publishes: what Sattar and Helal estimate from one release, beside the number of the page."""

from __future__ import annotations

import streamlit as st

from pages.attack.forecast import answer, controls, sections
from pages.shared import errors, layout

SECTIONS = {
    "Classes at risk": sections.classes,
    "What this rests on": sections.basis,
    "All numbers": answer.numbers_of_curve,
}


def show() -> None:
    """The published estimate with its controls, its curve, and what is behind it."""
    rail, stage = st.columns([1, 2.6], gap="medium")
    with rail:
        # First: a file of theirs that cannot be read is put aside there.
        controls.show()
    with stage, errors.refusing():
        answer.answer()
        answer.curve()
        layout.tabs("forecast:sections", SECTIONS)
