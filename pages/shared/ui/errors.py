"""Refusals on a page, and logs without personal data."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from core import CompositionError
from core.base.errors import NotLoadedError, RepeatedIdentifierError, SeveralRecordsError
from pages.shared.ui.text import sentence


@contextmanager
def refusing() -> Iterator[None]:
    """Show a deliberate error of core as one sentence, and skip the rest of the block."""
    try:
        yield
    except CompositionError as error:
        refuse(error)


_HELP = {
    RepeatedIdentifierError: ("pages/data/page.py", "Say whose a record is", ":material/table:"),
    SeveralRecordsError: ("pages/data/page.py", "Choose one record per person", ":material/table:"),
    NotLoadedError: ("pages/attack/page.py", "See the file under Other hospitals", ":material/domain:"),
}
"""Places to fix the cause of a refusal."""


def refuse(error: CompositionError) -> None:
    """Show one refusal, and link to the remedy."""
    st.error(sentence(error.message), icon=":material/block:")
    for error_class, (page, label, icon) in _HELP.items():
        if isinstance(error, error_class):
            st.page_link(page, label=label, icon=icon)


class _NoValues(logging.Filter):
    """Keep the kind and the place of an unexpected error, drop its text: it may hold a cell."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrite the record; always let it through."""
        if record.exc_info and record.exc_info[0] is not None:
            error_class, _, trace = record.exc_info
            frames = traceback.extract_tb(trace)
            where = " < ".join(f"{frame.name}:{frame.lineno}" for frame in reversed(frames[-6:]))
            record.msg, record.args = f"{error_class.__name__} at {where}", ()
            record.exc_info = record.exc_text = None
        return True


def quiet_logs() -> None:
    """Make the loggers of Streamlit and of its server leave out the text of exceptions."""
    known = list(logging.root.manager.loggerDict)
    for name in ("streamlit", "uvicorn.error", "asyncio", *(n for n in known if n.startswith("streamlit."))):
        logger = logging.getLogger(name)
        targets: list[logging.Filterer] = [logger, *logger.handlers]
        for target in targets:
            if not any(isinstance(there, _NoValues) for there in target.filters):
                target.addFilter(_NoValues())
