"""Tables out: CSV that a spreadsheet cannot take for formulas."""

from __future__ import annotations

import csv
import io
from typing import Any

import pandas as pd

from core.table import NUMBER

_STARTERS = ("=", "+", "-", "@", "\t", "\r")


def harmless(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would run as a formula.

    A plain number keeps its sign: it is data, not a formula.
    """
    return "'" + text if text.startswith(_STARTERS) and not NUMBER.fullmatch(text) else text


def csv_bytes(frame: pd.DataFrame) -> bytes:
    """Write a frame as UTF-8 CSV with headers and cells made harmless; O(cells).

    Whatever needs quotes is quoted. Only distinct texts of a column are looked at.
    """
    safe: dict[str, Any] = {}
    for position, name in enumerate(frame.columns):
        column = frame.iloc[:, position]
        if isinstance(column.dtype, pd.CategoricalDtype):
            texts = [harmless(str(text)) for text in column.cat.categories]
            # Two texts may become one; categories must not.
            renamed = pd.Series(texts, dtype=object).reindex(column.cat.codes).to_numpy()
            safe[harmless(str(name))] = renamed
        elif pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column):
            safe[harmless(str(name))] = column.to_numpy()
        else:
            safe[harmless(str(name))] = [None if value is None else harmless(str(value)) for value in column]
    out = io.StringIO()
    pd.DataFrame(safe).to_csv(out, index=False, quoting=csv.QUOTE_MINIMAL, lineterminator="\n")
    return out.getvalue().encode("utf-8")
