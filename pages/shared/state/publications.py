"""The publication register of this session, and the files of it that were loaded; nothing of them is on disk."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from core import Table
from core.register import Publication, Register

_REGISTER, _FILES, _ENTRY = "publications:register", "publications:files", "publications:entry"


def register() -> Register:
    """The register; an empty one until something is entered or loaded."""
    kept: Register = st.session_state.get(_REGISTER) or Register()
    return kept


def keep(changed: Register) -> None:
    """Let this be the register of the session."""
    st.session_state[_REGISTER] = changed


def files() -> dict[str, Table]:
    """Private copies, and tables of counts as published, by content id."""
    kept: dict[str, Table] = st.session_state.get(_FILES, {})
    return kept


def keep_files(more: Mapping[str, Table]) -> None:
    """Add files to those of the register."""
    st.session_state[_FILES] = {**files(), **more}


def entry_of(table: Table) -> Publication | None:
    """Its entry in the register, if a file is a publication of it."""
    entries = register().publications
    known = (table.content_id, *(own.content for own in entries))
    if st.session_state.get(_ENTRY, (None,))[0] != known:
        st.session_state[_ENTRY] = known, next((own for own in entries if own.has_content(table)), None)
    entry: Publication | None = st.session_state[_ENTRY][1]
    return entry


def forget() -> None:
    """Start with an empty register."""
    for name in (_REGISTER, _FILES):
        st.session_state.pop(name, None)


def for_documents() -> str:
    """The register as the documents of *Decide* take it; "" if nothing is in it."""
    kept = register()
    return kept.to_json() if kept.publications else ""
