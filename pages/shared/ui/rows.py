"""Typed access to rows of a frame."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd


def row_at(frame: pd.DataFrame, column: str, value: float) -> pd.Series[Any]:
    """First row with a value in a column; IndexError without one."""
    first: pd.Series[Any] = frame.iloc[np.flatnonzero(frame[column].to_numpy() == value)[0]]
    return first
