"""Notes on contributions."""

from __future__ import annotations

import streamlit as st

from core.data.encoding.encoded import Encoded
from pages.shared.state import session
from pages.shared.ui import widgets
from pages.shared.ui.text import count, safe

PLACE = "providers"


def nameless(encoded: Encoded) -> int:
    """Number of records that name no provider."""
    if encoded.provider is None or encoded.provider_code is None or encoded.provider.missing < 0:
        return 0
    return int((encoded.provider_code == encoded.provider.missing).sum())


def ask_nameless(records: int) -> None:
    """Offer to leave out records that name no provider."""
    if records:
        st.markdown(f":material/help: {count(records)} records name no provider.")
    if records or session.get("pool_drop"):
        widgets.toggle("pool_drop", PLACE)


def shares_in_words(encoded: Encoded) -> str:
    """Who contributed how much, largest first."""
    assert encoded.provider is not None
    assert encoded.provider_code is not None
    number = encoded.provider.size
    size = sorted(
        ((int((encoded.provider_code == code).sum()), encoded.provider.labels[code]) for code in range(number)),
        reverse=True,
    )
    size = [pair for pair in size if pair[0]]
    first = ", ".join(f"{safe(name, 30)} ({count(records)})" for records, name in size[:4])
    rest = f", …, {safe(size[-1][1], 30)} ({count(size[-1][0])})" if len(size) > 4 else ""
    return f"{count(len(encoded))} records of {count(len(size))} providers: {first}{rest}."
