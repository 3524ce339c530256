"""Export tables as CSV that a spreadsheet cannot run as formulas."""

from __future__ import annotations

import io
import re
from unicodedata import normalize

import numpy as np
import pandas as pd

from core.data.tables.cell_syntax import STARTERS
from core.data.tables.numbers import NUMBER


def harmless(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would run as a formula.

    A plain number keeps its sign: it is data, not a formula.
    """
    return "'" + text if text.startswith(STARTERS) and not NUMBER.fullmatch(text) else text


_DECIMAL = re.compile(r"(?<![\w.])[0-9]+\.[0-9]+(?![\w.])")


def in_one_form(cell: str) -> str:
    """A cell as files that say the same are compared: other programs write ``3`` as ``3.0``, and ``=a`` as ``'=a``.

    Numbers have no zeros at their end after the decimal point; those at their start are kept, since codes have them.
    """
    text = normalize("NFC", cell.strip())
    text = text[1:] if harmless(text[1:]) == text else text
    return _DECIMAL.sub(lambda number: number[0].rstrip("0").rstrip("."), text)


def csv_bytes(frame: pd.DataFrame) -> bytes:
    """Write a frame as UTF-8 CSV (RFC 4180) with headers and cells made harmless; O(cells).

    Only the distinct texts of a column are looked at. A missing cell is empty.
    """
    columns = {}
    for position in range(frame.shape[1]):
        column = frame.iloc[:, position]
        is_number = pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column)
        columns[position] = column.reset_index(drop=True) if is_number else _texts(column)
    safe = pd.DataFrame(columns, index=pd.RangeIndex(len(frame)))
    safe.columns = pd.Index([harmless(str(name)) for name in frame.columns], dtype=object)
    out = io.StringIO()
    # A cell with either character of the line end is quoted.
    safe.to_csv(out, index=False, lineterminator="\r\n")
    return out.getvalue().encode("utf-8")


def _texts(column: pd.Series) -> pd.Series:
    codes, distinct = pd.factorize(column, use_na_sentinel=True)
    texts = np.array([*(harmless(str(value)) for value in distinct), ""], dtype=object)
    return pd.Series(texts[codes], dtype=object)
