"""The agreed list in use: public buckets of the sensitive values that all publishers keep whole."""

from __future__ import annotations

import streamlit as st

from core.data.encoding.encoded import Encoded
from pages.shared.state import session
from pages.shared.ui.text import safe


def show(encoded: Encoded) -> None:
    """Show the list in use, allow its removal, or link to where one is chosen."""
    schema = session.workspace().schema
    listed = schema.agreed
    with st.expander(
        "Agreed list" if listed is None else f"Agreed list: {listed.in_words}", icon=":material/handshake:"
    ):
        st.caption(
            f"All publishers agree beforehand on buckets of values of **{safe(schema.sensitive)}**, made from what is "
            f"public. If every class of every release holds whole buckets, all values of a bucket stay possible for "
            f"everyone, however many publish. If only one publisher does so, nothing is promised."
        )
        if encoded.counted:
            st.caption(
                "The algorithm that closes classes needs the records themselves. Load the table, not its frequency "
                "table."
            )
        elif schema.parts:
            st.caption(
                "A list covers the values of a single sensitive column, and several columns are protected as one."
            )
        elif listed is not None:
            st.button("Without the list", key="release:agreed:off", on_click=_drop)
        else:
            st.page_link("pages/hold/page.py", label="Choose one on What helps", icon=":material/handshake:")


def _drop() -> None:
    session.change_schema(session.workspace().schema.with_(agreed=None))
