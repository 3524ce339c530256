"""Doubts by hand: the numbers of cases that nobody computed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd

from core.attack.number import exposures


def frame(cases: Sequence[tuple[str, Any, float]], n: int, **numbers: float) -> pd.DataFrame:
    """A frame like that of doubts: (assumption, value, share) per case, the share of every number but those given."""
    rows = []
    for assumption, value, share in cases:
        row: dict[str, Any] = {"assumption": assumption, "value": value, "n": n, "redraws": 10}
        for name in exposures():
            row |= {name: numbers.get(name, share), f"{name}_low": math.nan, f"{name}_high": math.nan}
        rows.append(row)
    return pd.DataFrame(rows).astype({"value": object})
