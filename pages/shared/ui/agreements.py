"""The agreement of the session: made or loaded on a page, and then used for my release or not."""

from __future__ import annotations

import hashlib
from typing import Any

import streamlit as st

from core import Agreement
from core.data.encoding.encoded import Encoded
from core.data.schemas.agreement import MAX_TEXT
from core.release.algorithm import for_agreements
from pages.shared.compute import cache, data_results
from pages.shared.state import session
from pages.shared.ui import errors, widgets
from pages.shared.ui.text import safe

READY = "agreement:ready"
"""Agreement that was made or loaded in this session; it is used once it is in the schema."""


def ready() -> Agreement | None:
    """The agreement made or loaded last, else the one in use."""
    made: Agreement | None = st.session_state.get(READY)
    return made or session.workspace().schema.agreement


def keep(agreement: Agreement) -> None:
    """Hold an agreement ready for use."""
    st.session_state[READY] = agreement


def ask(key: str) -> None:
    """Ask for the file of an agreement that other publishers have."""
    with errors.refusing():
        file: Any = st.file_uploader(
            "Agreement (JSON file)", type=["json"], key=f"{key}:agreement", max_upload_size=MAX_TEXT // 1_000_000
        )
        if file is not None:
            raw = file.getvalue()
            digest = hashlib.sha256(raw).hexdigest()
            keep(cache.cached(("agreement", digest), lambda: Agreement.from_json(raw)))


def describe(agreement: Agreement) -> None:
    """State what an agreement has and its digest, and offer its file."""
    stable = f", by {', '.join(map(safe, agreement.stable))}" if agreement.stable else ""
    st.caption(
        f"About **{safe(agreement.sensitive)}**: {agreement.in_words}{stable}. All publishers need the same file: "
        f"digest `{agreement.digest[:16]}`."
    )
    widgets.download("Download the agreement", agreement.to_json, "agreement.json", "agreement:download")


def use() -> None:
    """Form my classes by the agreement."""
    session.change_schema(session.workspace().schema.with_(agreement=ready()))
    session.put("my_algorithm", for_agreements()[0])


def drop() -> None:
    """Form my classes without an agreement."""
    st.session_state.pop(READY, None)
    session.change_schema(session.workspace().schema.with_(agreement=None))


def show(encoded: Encoded) -> None:
    """Load an agreement and form my classes by it, or stop doing so."""
    schema = session.workspace().schema
    title = "Agreement" if schema.agreement is None else f"Agreement: {schema.agreement.in_words}"
    with st.expander(title, icon=":material/handshake:"):
        if schema.parts or encoded.has_multiple_records:
            st.caption("An agreement needs one sensitive column, and one record of each person.")
            return
        if schema.agreement is not None:
            describe(schema.agreement)
            st.button("Without the agreement", key="release:agreement:off", on_click=drop)
            return
        st.caption(
            "If every publisher forms classes by the same public file, all values of a bucket stay possible for "
            "everyone, however many publish. If only one publisher does so, nothing is promised."
        )
        ask("release")
        agreement = ready()
        if agreement is None:
            st.page_link("pages/hold/page.py", label="Make one on What helps", icon=":material/handshake:")
            return
        describe(agreement)
        with errors.refusing():
            agreement.check_origin(session.workspace().content_id)
            data_results.encoded_as(schema.with_(agreement=agreement))  # refuses what does not fit the table
            st.button("Form classes by it", key="release:agreement:on", on_click=use)
