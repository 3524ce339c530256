"""Data: which table, what others may know of it, and what is to protect."""

from __future__ import annotations

import streamlit as st

from pages.data import columns, source, trees, uniqueness
from pages.shared import column_draft, errors, workspace

st.title("Data")
st.markdown(
    "Decide which table is published, what others may know of each person in it, and what nobody may tie to a person."
)
with st.grid(2, min_column_width=360, gap=("small", "large")) as grid:
    with grid.cell():
        source.present()
    with grid.cell():
        offer = source.choose()

workspace.asks(offer is not None)
if offer is not None:
    source.decide(offer)
else:
    columns.begin()
    st.subheader("What happens to each column")
    in_force = st.container()
    columns.editor()
    with in_force:
        columns.summary()
    with errors.refusing():
        columns.remarks()
        columns.persons()
        columns.missing_in_short()
    st.button("Undo my changes of the columns", icon=":material/undo:", key="data:undo", on_click=columns.undo)
    with st.expander("Missing values", icon=":material/help_center:", key="data:missing:open"), errors.refusing():
        column_draft.missing()
    with st.expander("Orders and taxonomies", icon=":material/account_tree:", key="data:trees:open"):
        trees.show()
    with errors.refusing():
        uniqueness.show()
