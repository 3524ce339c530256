"""Start: how two safe releases expose a patient, first as a story, then of a person that the reader chooses."""

from __future__ import annotations

import streamlit as st

from pages.overview import beliefs, pooled, target, versions
from pages.overview import story as show
from pages.shared import layout
from pages.shared.texts import document, overview

with st.container(gap="small"):
    layout.heading("Two safe releases, one exposed patient", overview()["question"])
    show.alice()
    st.header("Be the target", anchor=False)
    target.show()

EXAMPLES = {
    "hospitals_a_and_b": "Hospitals A and B",
    "bobs_class": "Bob's class",
    "colluding_hospitals": "Colluding hospitals",
    **beliefs.TITLES,
    "two_versions": "Two versions",
}


def more_examples() -> None:
    """Draw one of the other worked examples, by its name."""
    chosen = st.segmented_control(
        "Example",
        list(EXAMPLES),
        format_func=EXAMPLES.__getitem__,
        key="overview:example",
        label_visibility="collapsed",
    )
    if chosen == "colluding_hospitals":
        pooled.show()
    elif chosen == "two_versions":
        versions.show()
    elif chosen in beliefs.TITLES:
        beliefs.example(chosen)
    elif chosen:
        show.other_example(chosen)


def lesson() -> None:
    """Show the lesson for a class."""
    st.markdown(document("lesson"))


def guide() -> None:
    """Show what to do with a table of one's own."""
    st.markdown(document("guide"))


layout.closer("overview:sections", {"More examples": more_examples, "A lesson": lesson, "A guide": guide})
