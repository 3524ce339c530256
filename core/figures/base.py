"""What every figure shares: the library, the colours and their meaning."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import pandas as pd

from core.errors import MissingPackageError

SERIES = ("my release", "other release", "breached", "single release", "guessing")
"""What each colour of the theme means, in its order."""
HEIGHT = 300
PERCENT = ".0%"


def altair_package() -> Any:
    """Return the altair package, or raise MissingPackageError."""
    try:
        import altair
    except ImportError:
        raise MissingPackageError("altair", "draw charts") from None
    return altair


def colour() -> Any:
    """Colour by the field ``series``, one of :data:`SERIES`, without a legend."""
    alt = altair_package()
    return alt.Color("series:N", scale=alt.Scale(domain=list(SERIES)), legend=None)


def legend(**given: Any) -> Any:
    """A legend above the chart, its symbols in a grey that is seen on light and dark pages."""
    grey = {"symbolStrokeColor": "gray", "symbolFillColor": "gray"}
    return altair_package().Legend(**{"title": None, "orient": "top", **grey, **given})


def plot(data: pd.DataFrame, series: str) -> Any:
    """Start a chart whose marks all have the colour of one series."""
    return altair_package().Chart(data.assign(series=series))


def shortened(texts: Iterable[object], most: int = 60) -> list[str]:
    """Cut long texts, and tell apart those that begin alike."""
    seen: dict[str, int] = {}
    out = []
    for text in texts:
        whole = str(text)
        short = whole if len(whole) <= most else whole[: most - 1] + "…"
        seen[short] = seen.get(short, 0) + 1
        out.append(short if seen[short] == 1 else f"{short[: most - 5]}… ({seen[short]})")
    return out


def level_text(confidence: float) -> str:
    """Words for a confidence level: "100 % (1 value left)"."""
    most = math.floor(1 / confidence + 1e-9)
    return f"C = {100 * confidence:.0f} % ({most} {'value' if most == 1 else 'values'} left)"
