"""The noisy tables that this session has handed out."""

from __future__ import annotations

import streamlit as st

from core.report import NoisyDownload
from pages.shared.state import session

_DOWNLOADS = "noise:downloads"


def downloads() -> tuple[NoisyDownload, ...]:
    """Noisy tables of the present data that were downloaded in this session."""
    downloads: tuple[NoisyDownload, ...] = st.session_state.get(_DOWNLOADS, {}).get(session.workspace().content_id, ())
    return downloads
