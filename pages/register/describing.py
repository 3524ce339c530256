"""Enter a file that has no entry yet: a table of counts, or what somebody else published."""

from __future__ import annotations

from datetime import date
from functools import partial
from typing import Any

import streamlit as st

from core import Table
from core.base.errors import InputError
from core.register import KINDS, Publication
from core.release.published.layout import names_a_count
from core.study.uploads import COUNT
from pages.register.adding import Made, entered, offer, read, recipients
from pages.shared.state import uploads
from pages.shared.ui import errors
from pages.shared.ui.text import plain

_FILE, _COPY = "register:described", "register:described:copy"
OFFERED = ("counts", "other", "release")
"""Kinds that are described here; versions and noisy tables have sections of their own."""


def show() -> None:
    """The file, what its columns are, and who has it."""
    left, right = st.columns(2, gap="medium")
    file = uploads.uploader("What was published", _FILE, left, max_upload_size=200)
    copy = uploads.uploader("Its private copy with identifiers, if there is one", _COPY, right, max_upload_size=200)
    st.caption(
        "Of a table of counts the private copy has one row per person: the group that the person is counted in, as "
        "the table writes it, and the identifier."
    )
    if file is None:
        return
    with errors.refusing():
        table = read(file, _FILE)
        kind = st.radio("Kind", OFFERED, format_func=KINDS.__getitem__, key=f"{_FILE}:kind", horizontal=True)
        columns = _columns(table, kind)
        day = st.date_input("Published on", key=f"{_FILE}:day", value="today", format="YYYY-MM-DD")
        private = None if copy is None else read(copy, _COPY)
        key = None
        if private is not None:
            spare = [name for name in private.names if name not in columns["quasi_identifiers"]]
            key = st.selectbox("Person identifier", spare, index=None, key=f"{_COPY}:key", format_func=plain)
        who, public = recipients("described")
        make = partial(_made, kind, day, plain(file.name, 80), columns, table, private, key)
        offer("described", partial(entered, make, who, public), ((_FILE, file), (_COPY, copy)))


def _columns(table: Table, kind: str) -> dict[str, Any]:
    """What the user says about the columns."""
    left, right = st.columns(2, gap="medium")
    names = list(table.names)
    with left:
        qids = st.multiselect("Quasi-identifiers", names, key=f"{_FILE}:qids", format_func=plain)
        rest = [name for name in names if name not in qids]
        sensitive: str | None
        is_wide = kind == "counts" and st.toggle("It has a column of counts for each value", key=f"{_FILE}:wide")
        if is_wide:
            sensitive = st.text_input("What the values are of, as in the other publications", key=f"{_FILE}:values")
        else:
            sensitive = st.selectbox("Sensitive column", rest, index=None, key=f"{_FILE}:sensitive", format_func=plain)
    rest = [name for name in rest if name != sensitive]
    with right:
        if kind != "counts":
            unmodified = st.multiselect("Published as they are", rest, key=f"{_FILE}:plain", format_func=plain)
            count, rules = None, ""
        else:
            proposed = next((place for place, name in enumerate(rest) if names_a_count(name)), None)
            count = COUNT if is_wide else None
            if not is_wide:
                count = st.selectbox("Counts", rest, index=proposed, key=f"{_FILE}:count", format_func=plain)
            rules = st.text_input(
                "What its publisher says",
                key=f"{_FILE}:rules",
                placeholder="absent=zero, below=5",
                max_chars=200,
                help="As the gate takes it: absent, blank and mark are zero, masked or either; also below, rounded, "
                "rounding and totals.",
            )
            unmodified = []
    return {
        "quasi_identifiers": tuple(qids),
        "sensitive": (sensitive.strip(),) if sensitive else (),
        "unmodified": tuple(unmodified),
        "count": count or "",
        "counts": rules.strip(),
    }


def _made(
    kind: str, day: date, name: str, columns: dict[str, Any], table: Table, private: Table | None, key: str | None
) -> Made:
    entry = Publication(kind, day, name=name, records=len(table), **columns)  # type: ignore[arg-type]
    entry = entry.of_file(table)
    if private is None:
        return entry, None, None
    if key is None:
        raise InputError("Choose the column of the private copy that identifies people.", parameter="key")
    return entry.with_copy(private, key), private, table
