"""Start: how two safe releases expose a patient, first as a story, then for a person that the reader chooses."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from pages.overview import beliefs, don, lesson_text, pooled, target, versions
from pages.overview import story as show
from pages.shared.ui import layout
from pages.shared.ui.asset_texts import document, overview

with st.container(gap="small"):
    layout.heading("Two safe releases, one exposed patient", overview()["question"])
    show.alice()
    st.header("Be the target", anchor=False)
    target.show()

EXAMPLES: dict[str, tuple[str, Callable[[], None]]] = {
    "hospitals_a_and_b": ("Hospitals A and B", partial(show.other_example, "hospitals_a_and_b")),
    "bobs_class": ("Bob's class", partial(show.other_example, "bobs_class")),
    "colluding_hospitals": ("Colluding hospitals", pooled.show),
    "dons_beliefs": ("Don's beliefs", don.show),
    "homogeneity_and_linkage": ("Homogeneity and linkage", beliefs.linkage),
    "disagreement": ("Disagreement", beliefs.disagreement),
    "two_versions": ("Two versions", versions.show),
}
"""Title and drawing function of each."""


def more_examples() -> None:
    """Draw one of the other worked examples, by its name."""
    chosen = st.segmented_control(
        "Example",
        list(EXAMPLES),
        format_func=lambda name: EXAMPLES[name][0],
        key="overview:example",
        label_visibility="collapsed",
    )
    if chosen:
        EXAMPLES[chosen][1]()


def lesson() -> None:
    """Show the lesson for a class."""
    lesson_text.show(document("lesson"))


def guide() -> None:
    """Show what to do with a table of one's own."""
    st.markdown(document("guide"))


SECTIONS, LESSON = "overview:sections", "A lesson"
if lesson_text.is_begun() and SECTIONS not in st.session_state:
    layout.open_section(SECTIONS, LESSON)
layout.closer(SECTIONS, {"More examples": more_examples, LESSON: lesson, "A guide": guide})
