"""The picture beside the controls."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from core.base.rates import candidate_limit
from core.figures import written as figures
from core.figures.people import meanings
from pages.shared import charts

CURVE, DOTS, PERSON = "Curve", "100 patients", "One person"
_PICTURE = "attack:picture"


def choose() -> None:
    """Ask which picture stands beside the controls."""
    st.segmented_control(
        "Picture", (CURVE, DOTS, PERSON), default=CURVE, required=True, key=_PICTURE, label_visibility="collapsed"
    )


def chosen() -> str:
    """Which picture stands beside the controls."""
    return str(st.session_state.get(_PICTURE, CURVE))


def dots(row: pd.Series, height: int, where: Any) -> Any:
    """A hundred of the shared people: who is exposed by all releases and by the best one alone, to be drawn over."""
    exposure = float(row["share"]), float(row["single"]), candidate_limit(float(row["confidence"]))
    alt = f"Of 100 patients you share: {'; '.join(meanings(*exposure))}."
    return charts.show(figures.hundred(*exposure), alt=alt, key="attack:hundred", height=height, where=where)
