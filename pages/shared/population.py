"""The file of population statistics that a session may have, as uploaded."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import streamlit as st

_FILE = "forecast:marginals"


@dataclass(frozen=True)
class File:
    """Population statistics as uploaded; ``upload`` is the id of the server's own copy."""

    name: str
    content: bytes
    upload: str | None = None

    @property
    def digest(self) -> str:
        """SHA-256 of the content."""
        return hashlib.sha256(self.content).hexdigest()


def keep(name: str, content: bytes, upload: str | None = None) -> None:
    """Use these population statistics from now on."""
    st.session_state[_FILE] = File(name, content, upload)


def forget() -> None:
    """Use the table's own statistics again."""
    st.session_state.pop(_FILE, None)


def file() -> File | None:
    """The uploaded population statistics."""
    file: File | None = st.session_state.get(_FILE)
    return file
