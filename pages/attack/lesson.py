"""The picture beside the controls."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from pages.shared import hundred

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
    """The present setting: who is exposed; the element is returned, to be drawn over."""
    return hundred.dots(row, "attack:hundred", height, where)
