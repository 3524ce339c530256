"""Data: which table, what others may know of it, and what is to protect."""

from __future__ import annotations

import streamlit as st

from pages.data import columns, source, trees, uniqueness
from pages.shared import column_draft, errors, workspace

st.title("Data", anchor=False)
st.markdown(
    "Decide which table is published, what others may know of each person in it, and what nobody may tie to a person."
)
# What waits for a decision stands first, with its button in sight.
waiting = st.container()
with st.grid(2, min_column_width=360, gap=("small", "large")) as grid:
    with grid.cell():
        offer = source.choose()
    with grid.cell():
        source.present()

workspace.asks(offer is not None)
if offer is not None:
    with waiting:
        source.decide(offer)
else:
    columns.begin()
    st.subheader("What happens to each column", anchor=False)
    columns.pickers()
    in_force = st.container()
    with st.expander(
        "Every column: kind, values, missing, provider", icon=":material/view_column:", key="data:grid:open"
    ):
        columns.editor()
        st.button("Undo my changes of the columns", icon=":material/undo:", key="data:undo", on_click=columns.undo)
    with in_force:
        columns.refusal()
        columns.summary()
    with errors.refusing():
        columns.remarks()
        columns.persons()
        columns.missing_in_short()
    with st.expander("Missing values", icon=":material/help_center:", key="data:missing:open"), errors.refusing():
        column_draft.missing()
    with st.expander("Orders and taxonomies", icon=":material/account_tree:", key="data:trees:open"):
        trees.show()
    with errors.refusing():
        uniqueness.show()
