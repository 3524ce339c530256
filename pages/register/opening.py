"""Open a register, and load the files that an attack on its publications needs."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from core.base.errors import CompositionError
from core.base.limits import LIMITS
from core.register import Register, match_files
from pages.register import work
from pages.shared.compute import cache
from pages.shared.state import publications, session, uploads
from pages.shared.state.deferred import once
from pages.shared.ui import errors, reading
from pages.shared.ui.text import count, safe

_FILE, _FILES, SAID = "register:open", "register:files", "register:said"
MEGABYTES = -(-int(LIMITS["register"].most) // 1_000_000)


def show() -> None:
    """The file of the register on top, then its files."""
    words = "Open a register, or add one to this" if publications.register().publications else "Open a register"
    file = uploads.uploader(words, _FILE, type=["json"], max_upload_size=MEGABYTES)
    if file is not None:
        with errors.refusing():
            publications.keep(publications.register().joined(Register.from_json(file.getvalue())))
            uploads.let_go(_FILE, file.file_id)
            st.rerun()
    message = once(SAID)
    if message:
        st.success(safe(message, 300), icon=":material/check:")
    register = publications.register()
    if not register.publications:
        return
    _load(register)
    opened = len(register.open_sets())
    if opened:
        st.caption(f"{count(opened)} of the sets that recipients hold are not assessed yet.")
        if st.button("Assess what is open", key="register:assess", icon=":material/calculate:"):
            with errors.refusing():
                publications.keep(work.assessed(register))
                st.rerun()
    st.button("Start an empty register", key="register:forget", icon=":material/delete:", on_click=publications.forget)


def _load(register: Register) -> None:
    """Take private copies, one file at a time, and say which publications have theirs."""
    words = "Private copies of its publications"
    help_text = "They stay in the memory of this session. Of a table of counts, also the table itself."
    file = uploads.uploader(words, _FILES, max_upload_size=200, help=help_text)
    if file is not None:
        with errors.refusing():
            _take(register, file)
    linked = work.linked(register)
    wanted = [own.number for own in register.publications if own.is_assessed]
    if wanted:
        there = [number for number in wanted if number in linked]
        st.caption(f"{count(len(there))} of {count(len(wanted))} private copies are loaded.")


def _take(register: Register, file: Any) -> None:
    try:
        stop = partial(uploads.let_go, _FILES, file.file_id)
        table = cache.cached((session.FILE_READ, file.file_id), lambda: reading.table(file, stop))
        match_files(register.publications, [table])
    except CompositionError as error:
        errors.refuse(error)
        return
    publications.keep_files({table.content_id: table})
    uploads.let_go(_FILES, file.file_id)
    st.rerun()
