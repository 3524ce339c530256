"""Release: the policy, asked beside measured, classes, picture, cost, and the file."""

import streamlit as st

from pages.release import classes, controls, guarantee, map_section, steps, trade_off, utility
from pages.shared import errors, results

SECTIONS = {
    "Classes": classes.show,
    "Map": map_section.show,
    "Cut by cut": steps.show,
    "What it costs": utility.show,
    "Loss against exposure": trade_off.show,
}

st.title("Release", anchor=False)
st.markdown("Decide here how far your table is blurred before it is published: what every class of people must meet.")

encoded = results.encoded()
page = st.grid(5, min_column_width=140, gap=("small", "medium"))
with page.cell(column_span=2):
    controls.show(encoded)
feasible = False
with page.cell(column_span=3), errors.refusing():
    mine = controls.made()
    guarantee.show(mine)
    controls.downloads(mine)
    feasible = True

if feasible:
    tabs = st.tabs(list(SECTIONS), key="release:tabs", on_change="rerun")
    for tab, show in zip(tabs, SECTIONS.values(), strict=True):
        # What is folded away is neither computed nor sent.
        if tab.open:
            with tab, errors.refusing():
                show()
