"""Charts on a page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pyarrow as pa
import streamlit as st

from core.base.wording import LOCALE
from core.figures.vega import Chart

MAIN = 300
"""Height of the main chart of a page: with the numbers above it, it fits next to its controls in 720 pixels."""

CONFIG = {"locale": {"number": LOCALE}}
"""Configuration of every specification: axes and tips format numbers as texts do."""


PICKED = "picked"


def show(
    chart: Chart,
    *,
    alt: str,
    key: str | None = None,
    height: int | None = None,
    where: Any = None,
    pick: str = "",
    on_pick: Callable[[], None] | None = None,
) -> Any:
    """Draw a figure of ``core.figures`` at the width of its container; ``alt`` describes it in words.

    Return the element; if it is passed as ``where`` in the same run, it is replaced. ``pick`` names the layer whose
    marks can be clicked, each known by its field ``setting``: then ``on_pick`` is called, and :func:`picked` says
    which.

    If neither the specification nor ``alt`` differ from what was there, the browser exchanges the numbers of
    the chart; otherwise it rebuilds it, which takes several times as long.
    """
    spec, tables = chart.specification()
    if height is not None:
        spec["height"] = height
    spec["config"] = {**spec.get("config", {}), **CONFIG}
    spec["datasets"] = {name: _table(data) for name, data in tables.items()}
    place = st if where is None else where
    if not pick:
        return place.vega_lite_chart(spec, alt=alt, key=key)
    for part in spec["layer"]:
        if part.get("name") == pick:
            part["params"] = [{"name": PICKED, "select": {"type": "point", "fields": ["setting"]}}]
    return place.vega_lite_chart(spec, alt=alt, key=key, on_select=on_pick, selection_mode=PICKED)


def picked(key: str) -> str | None:
    """The ``setting`` of the mark that was clicked in a chart; ``None`` if none is."""
    state = st.session_state.get(key) or {}
    marks = state.get("selection", {}).get(PICKED) or []
    return str(marks[0]["setting"]) if marks else None


def _table(data: pd.DataFrame) -> Any:
    """Convert the columns to Arrow; Streamlit handles columns that have no Arrow type."""
    try:
        return pa.table({str(name): pa.array(data[str(name)], from_pandas=True) for name in data})
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return data
