"""Reading an uploaded file: how far it is, a way to stop it, and what it may take."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Any

import streamlit as st

import core
from core import CompositionError, Table
from core.base.errors import InputError
from core.data.reading.tallies import is_marked
from core.data.table import Limits

_REFUSED = "reading:refused"
_LIMITS = Limits()
BOUNDS = f"at most {_LIMITS.memory / 1e9:g} GB of memory and {_LIMITS.seconds:g} seconds"


def table(file: Any, key: str, stop: Callable[[], None], *, tally: bool = False, **how: Any) -> Table:
    """Read an upload as a table; ``stop`` lets go of it when somebody presses the button.

    A file that is marked as a tally is refused unless ``tally`` says that one can be used.
    """
    this = (file.file_id, *how.values())
    refused, message, parameter = st.session_state.get(_REFUSED, (None, "", None))
    if refused == this:
        raise InputError(message, parameter=parameter)  # known without spending the time again
    try:
        with shown(key, stop) as progress:
            content = BytesIO(file.getvalue())
            content.name = file.name
            read = core.read_table(content, progress=progress, **how)
        if is_marked(read) and not tally:
            raise InputError(
                "The file is a tally, which counts records that are alike, and the rows themselves are needed at this "
                "place; load the table that was counted, or the tally on the page Data."
            )
        return read
    except CompositionError as found:
        st.session_state[_REFUSED] = this, found.message, found.parameter
        raise


@contextmanager
def shown(key: str, stop: Callable[[], None]) -> Iterator[Callable[[float], None]]:
    """Progress of a reading that takes longer than a moment; any other move on the page ends the reading too.

    Parameters
    ----------
    key
        Key of the button that stops it.
    stop
        Called when the button is pressed.
    """
    text = f"Reading the file, with {BOUNDS}"
    place: list[Any] = []

    def show(share: float) -> None:
        if not place:
            place.append(st.empty())
            with place[0].container():
                place.append(st.progress(0.0, text))
                st.button("Stop reading", key=f"{key}:stop", icon=":material/stop_circle:", on_click=stop)
        place[1].progress(min(1.0, share), text)

    try:
        yield show
    finally:
        if place:
            place[0].empty()
