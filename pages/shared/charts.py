"""Charts on a page."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pyarrow as pa
import streamlit as st

from core.figures.specification import Sheet, Table
from core.words import LOCALE

MAIN = 300
"""Height of the main chart of a page: with the numbers above it, it is in sight beside its controls at 720 pixels."""

NUMBERS = {"locale": {"number": LOCALE}}
"""Of a specification's ``config``: numbers of axes and tips are written as those of texts."""


def show(chart: Sheet, *, alt: str, key: str | None = None, height: int | None = None, where: Any = None) -> Any:
    """Draw a figure of ``core.figures.written`` at the width of its place; ``alt`` says in words what it shows.

    Return the element; given as ``where`` in the same run, it is drawn over.

    Where neither the specification nor ``alt`` differ from what was there, the browser exchanges the numbers of
    the chart; else it builds it anew, which takes several times as long.
    """
    spec, tables = chart.specification()
    if height is not None:
        spec["height"] = height
    spec["config"] = {**spec.get("config", {}), **NUMBERS}
    spec["datasets"] = {name: _table(data) for name, data in tables.items()}
    return (st if where is None else where).vega_lite_chart(spec, alt=alt, key=key)


def _table(data: Table) -> Any:
    """The columns as Arrow; where it takes one for none of its types, Streamlit finds a way."""
    try:
        return pa.table({str(name): pa.array(data[str(name)], from_pandas=True) for name in data})
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pd.DataFrame(data)
