"""What the Providers page asks: who contributed what, what else is sensitive, and the policy."""

from __future__ import annotations

import streamlit as st

from core.data.encoding import Encoded
from core.privacy.coalitions import SHARES
from pages.providers import numbers as pr
from pages.shared import session, widgets
from pages.shared.text import count, plain, safe

PLACE = "providers"
SHARE_WORDS = {"uniform": "All the same (uniform)", "exponential": "Few large ones (exponential)"}


def who() -> None:
    """Ask who contributed each record."""
    schema = session.workspace().schema
    if schema.provider is not None:
        words = {"column": f"The column {plain(schema.provider, 30)}", "assigned": "Made-up providers"}
        widgets.pick("pool_source", PLACE, list(words), words.__getitem__)
    if not pr.has_column():
        widgets.slider("pool_providers", PLACE, high=max(3, min(30, session.workspace().records)))
        widgets.pick("pool_shares", PLACE, SHARES, SHARE_WORDS.__getitem__)
        widgets.slider("pool_seed", PLACE)


def nameless(encoded: Encoded) -> int:
    """Records that name no provider."""
    if encoded.provider is None or encoded.source is None or encoded.provider.missing < 0:
        return 0
    return int((encoded.source == encoded.provider.missing).sum())


def ask_nameless(records: int) -> None:
    """Offer to leave out records that name no provider."""
    if records:
        st.markdown(f":material/help: {count(records)} records name no provider.")
    if records or session.get("pool_drop"):
        widgets.toggle("pool_drop", PLACE)


def extra() -> None:
    """Ask what else is sensitive."""
    columns = pr.extra_columns()
    if not columns:
        return
    choice = session.CHOICES["pool_extra"]
    key = "widget:providers:pool_extra:many"
    st.session_state[key] = [name for name in session.get("pool_extra") if name in columns]
    st.multiselect(
        choice.label,
        columns,
        key=key,
        help=choice.help,
        format_func=lambda name: plain(name, 40),
        placeholder=f"None beside {plain(session.workspace().schema.sensitive, 30)}",
        on_change=lambda: session.put("pool_extra", tuple(st.session_state[key])),
        wrap=True,
    )


def policy(encoded: Encoded, providers: int) -> None:
    """Ask for m, k and l."""
    known = int((encoded.overall > 0).sum()) - int(
        encoded.sensitive.missing >= 0 and encoded.overall[encoded.sensitive.missing] > 0
    )
    widgets.slider("pool_m", PLACE, high=max(1, providers - 1))
    widgets.slider("pool_k", PLACE, high=max(2, min(200, len(encoded) // 2)))
    widgets.slider("pool_l", PLACE, high=max(2, min(30, known)))


def shares_in_words(encoded: Encoded) -> str:
    """Who contributed how much, largest first, and whether it is made up."""
    assert encoded.provider is not None
    assert encoded.source is not None
    number = encoded.provider.size
    size = sorted(
        ((int((encoded.source == code).sum()), encoded.provider.labels[code]) for code in range(number)), reverse=True
    )
    size = [pair for pair in size if pair[0]]
    first = ", ".join(f"{safe(name, 30)} ({count(records)})" for records, name in size[:4])
    rest = f", …, {safe(size[-1][1], 30)} ({count(size[-1][0])})" if len(size) > 4 else ""
    words = f"{count(len(encoded))} records of {count(len(size))} providers: {first}{rest}."
    return words if pr.has_column() else f"{words} They are made up, and so is who contributed what."
