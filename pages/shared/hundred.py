"""A hundred of the shared people as dots."""

from __future__ import annotations

from typing import Any

import pandas as pd

from core.base.rates import candidate_limit
from core.figures import written as figures
from core.figures.people import meanings
from pages.shared import charts


def dots(row: pd.Series, key: str, height: int | None = None, where: Any = None) -> Any:
    """Draw a row of a sweep: who is exposed at its confidence, by all releases and by the best one alone.

    Return the element; given as ``where`` in the same run, it is drawn over.
    """
    exposure = float(row["share"]), float(row["single"]), candidate_limit(float(row["confidence"]))
    alt = f"Of 100 patients you share: {'; '.join(meanings(*exposure))}."
    return charts.show(figures.hundred(*exposure), alt=alt, key=key, height=height, where=where)
