"""Reading an uploaded file: progress, a way to stop it, and its resource limits."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import Any

import streamlit as st

import core
from core import CompositionError, Table
from core.base.errors import InputError
from core.data.reading.frequency_file import is_marked
from core.data.tables.input_limits import InputLimits
from pages.shared.ui import widgets

_REFUSED, _CHOICES = "reading:refused", "reading:choices"
_LIMITS = InputLimits()
BOUNDS = f"at most {_LIMITS.memory / 1e9:g} GB of memory and {_LIMITS.seconds:g} seconds"


WORDS = f"Reading the file, with {BOUNDS}"


def asked(file: Any) -> str | None:
    """The choice that a refused upload needs: the ``"encoding"``, the ``"header_row"`` or the ``"columns"``."""
    refused, error = st.session_state.get(_REFUSED, (None, None))
    if refused is None or refused[0] != file.file_id:
        return None
    return "columns" if error.choices else error.parameter


def choices(file: Any) -> tuple[str, ...]:
    """Columns to choose from, for an upload that is read only after a choice among them."""
    names: dict[str, tuple[str, ...]] = st.session_state.get(_CHOICES, {})
    return names.get(file.file_id, ())


def table(file: Any, stop: Callable[[], None], *, frequencies: bool = False, **how: Any) -> Table:
    """Read an upload as a table; ``stop`` ends it when the button is pressed.

    A file that is marked as a frequency table is refused unless ``frequencies`` says that one can be used.
    """
    this = (file.file_id, *how.values())
    refused, known = st.session_state.get(_REFUSED, (None, None))
    if refused == this:
        raise _again(known)  # known from before, without reading again
    try:
        with widgets.working(WORDS, stop=stop) as progress:
            content = BytesIO(file.getvalue())
            content.name = file.name
            read = core.read_table(content, progress=progress, **how)
        if is_marked(read) and not frequencies:
            raise InputError(
                "The file is a frequency table, which counts equal records, and individual rows are needed here; load "
                "the table that was counted, or the frequency table on the page Data."
            )
        return read
    except CompositionError as found:
        st.session_state[_REFUSED] = this, _again(found)
        if found.choices and not choices(file):
            st.session_state[_CHOICES] = {file.file_id: found.choices}
        raise


def _again(error: CompositionError) -> InputError:
    """The same refusal, without the frames that it was raised in."""
    return InputError(error.message, parameter=error.parameter, choices=error.choices)
