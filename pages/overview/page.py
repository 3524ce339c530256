"""Start: how two safe releases expose a patient, first as a story, then for a person that the reader chooses."""

from __future__ import annotations

import streamlit as st

from core.examples import worked_examples
from pages.overview import lesson_text, target
from pages.overview import story as show
from pages.shared.ui import layout
from pages.shared.ui.asset_texts import document, overview

with st.container(gap="small"):
    layout.heading("Two safe releases, one exposed patient", overview()["question"])
    show.alice()
    st.header("Be the target", anchor=False)
    target.show()


def more_examples() -> None:
    """Draw one of the other worked examples, by its name."""
    titles = {example.name: example.title for example in worked_examples()[1:]}
    chosen = st.segmented_control(
        "Example", list(titles), format_func=titles.__getitem__, key="overview:example", label_visibility="collapsed"
    )
    if chosen:
        show.other_example(chosen)


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
