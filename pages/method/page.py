"""Method: definitions, assumptions, errata, limits."""

from __future__ import annotations

import streamlit as st

from pages.method import text

st.title("Method")
st.markdown("Decide whether you can rely on a number: what it means, where it comes from, and what it cannot know.")
st.markdown(text.in_short())
opened = st.toggle("Open all sections", key="method:all", help="For reading through or printing.")

for group, sections in text.sections().items():
    st.header(group, anchor=False)
    for section in sections:
        with st.expander(
            f"**{section.title}**: {section.lead}", expanded=opened, key=f"method:{section.name}:{opened}"
        ):
            st.markdown(section.body)
