"""Uploaders that can be emptied, and bytes of uploaded files, which the server would keep until the session ends."""

from __future__ import annotations

from typing import Any

import streamlit as st
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx


def drop(file: str | None) -> None:
    """Take an uploaded file out of the server's memory by its id, or all of the session's."""
    context = get_script_run_ctx()
    if context is None:
        return
    if file is None:
        context.uploaded_file_mgr.remove_session_files(context.session_id)
    else:
        manager = context.uploaded_file_mgr
        assert isinstance(manager, MemoryUploadedFileManager), "uploads of this server are in its memory"
        manager.remove_file(context.session_id, file)


def key_of(name: str) -> str:
    """Key of everything that is redrawn when an uploader is emptied, including the uploader."""
    return f"{name}:{st.session_state.get(f'{name}:turn', 0)}"


def uploader(label: str, name: str, where: Any = st, **more: Any) -> Any:
    """A file uploader of Streamlit that :func:`let_go` empties."""
    return where.file_uploader(label, key=key_of(name), **more)


def let_go(name: str, file: str | None) -> None:
    """Empty an uploader, and take the file that is known by this id, if any, out of the server's memory."""
    st.session_state[f"{name}:turn"] = st.session_state.get(f"{name}:turn", 0) + 1
    if file is not None:
        drop(file)
