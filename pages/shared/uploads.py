"""Bytes of uploaded files, which the server would keep until the session ends."""

from __future__ import annotations

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
