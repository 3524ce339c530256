"""Release: the policy, asked beside measured, classes, picture, cost, and the file."""

import streamlit as st

from pages._ui import (
    errors,
    release_classes,
    release_controls,
    release_guarantee,
    release_map,
    release_steps,
    release_utility,
    runs,
)

SECTIONS = {
    "Classes": release_classes.show,
    "Map": release_map.show,
    "Cut by cut": release_steps.show,
    "What it costs": release_utility.show,
}

st.title("Release", anchor=False)
st.markdown("Decide here how far your table is blurred before it is published: what every class of people must meet.")

encoded = runs.encoded()
page = st.grid(5, min_column_width=140, gap=("small", "medium"))
with page.cell(column_span=2):
    release_controls.show(encoded)
feasible = False
with page.cell(column_span=3), errors.refusing():
    mine = release_controls.made()
    release_guarantee.show(mine)
    release_controls.downloads(mine)
    feasible = True

if feasible:
    tabs = st.tabs(list(SECTIONS), key="release:tabs", on_change="rerun")
    for tab, show in zip(tabs, SECTIONS.values(), strict=True):
        # What is folded away is neither computed nor sent.
        if tab.open:
            with tab, errors.refusing():
                show()
