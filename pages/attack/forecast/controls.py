"""What the estimate assumes: l and C of the paper, the population, the other hospital."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core import CompositionError
from core.data.csv_export import csv_bytes
from core.data.marginals import HEADER, Marginals
from pages.attack.forecast import numbers
from pages.shared import errors, population, reading, results, uploads, widgets
from pages.shared.text import count, safe

PLACE = "forecast"
MEGABYTES = 20
READING_WORDS = {
    "at least l": "At least so many values shared",
    "every subset": "One set of so many values shared whole (strict)",
}
SOURCE_WORDS = {
    "table": "My table, column by column",
    "joint": "My table, class by class (ours)",
    "file": "From a file of mine",
}
_UPLOADS = "forecast:uploads"


def show() -> None:
    """The paper’s question, the population, the reading of the paper, and the size of the other hospital."""
    widgets.slider("forecast_l", PLACE)
    widgets.slider("forecast_c", PLACE)
    source = widgets.pick("forecast_source", PLACE, list(SOURCE_WORDS), SOURCE_WORDS.__getitem__)
    if source == "file":
        _file()
    widgets.pick("forecast_reading", PLACE, list(READING_WORDS), READING_WORDS.__getitem__)
    if not widgets.toggle("forecast_same", PLACE, f"As many records as mine ({count(results.encoded().records)})"):
        widgets.slider("forecast_others", PLACE, label="Records elsewhere")


def _file() -> None:
    """Load population statistics, or take them away again."""
    given = population.file()
    left = right = st.container(gap="small")
    with left:
        number = st.session_state.get(_UPLOADS, 0)
        upload = st.file_uploader(
            "Load population statistics",
            type=["csv", "tsv", "txt"],
            key=f"{PLACE}:upload:{number}",
            max_upload_size=MEGABYTES,
        )
        if upload is not None:
            _take(upload)
            given = population.file()
    with right:
        st.caption(
            f"A small CSV with the columns {', '.join(HEADER)}: one row a value; the shares of a column sum to 1. "
            f"Columns that it lacks are counted in your table. It stays in the memory of this session."
        )
        st.download_button(
            "Download my table's statistics as an example",
            data=lambda: csv_bytes(example(results.encoded())),
            file_name="population_statistics.csv",
            mime="text/csv",
            on_click="ignore",
            icon=":material/download:",
            key=f"{PLACE}:example",
        )
    if given is None:
        st.caption(":material/info: Until a file is loaded, shares are counted in your own table.")
        return
    try:
        marginals = numbers.read(given.content)
    except CompositionError as error:
        population.forget()
        errors.refuse(error)
        st.caption("The file was put aside. Shares are counted in your own table.")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f":material/check: **{safe(given.name, 40)}** is in use. {supplied(marginals)}", width="stretch")
        st.button("Take it away", key=f"{PLACE}:forget", on_click=_forget, icon=":material/close:")


def _take(upload: Any) -> None:
    """Keep a file that can be read; else say what is wrong and keep what was there."""
    content = upload.getvalue()
    try:
        with reading.shown(f"{PLACE}:reading", partial(_let_go, upload.file_id)) as progress:
            numbers.read(content, progress)
    except CompositionError as error:
        errors.refuse(error)
        return
    population.keep(upload.name, content, upload.file_id)


def _forget() -> None:
    given = population.file()
    population.forget()
    _let_go(None if given is None else given.upload)


def _let_go(file: str | None) -> None:
    # The browser keeps the file of an uploader by its key.
    st.session_state[_UPLOADS] = st.session_state.get(_UPLOADS, 0) + 1
    if file is not None:
        uploads.drop(file)


def supplied(marginals: Marginals) -> str:
    """Say which columns the file gives and which are counted in the table."""
    given = [name for name in marginals.names if name not in marginals.from_table]
    names = ", ".join(safe(name, 30) for name in given[:6]) + (", …" if len(given) > 6 else "")
    if not marginals.from_table:
        return "It gives every column."
    columns = "column" if len(given) == 1 else "columns"
    counted = count(len(marginals.from_table))
    return f"It gives {count(len(given))} {columns} ({names}); {counted} are counted in your table."


def example(encoded: Any) -> pd.DataFrame:
    """The table's own shares in the form of the file."""
    counted = Marginals.of(encoded)
    parts = []
    for domain, name, share in zip((*encoded.qids, encoded.sensitive), counted.names, counted.shares, strict=True):
        labels = ["" if code == domain.missing else label for code, label in enumerate(domain.labels)]
        part = pd.DataFrame({HEADER[0]: name, HEADER[1]: labels, HEADER[2]: share})
        parts.append(part[part[HEADER[2]] > 0])
    return pd.concat(parts, ignore_index=True)
