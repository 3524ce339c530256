"""The picture beside the controls, and a guess before the answer."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from pages.attack.axes import OF_K, axes, points
from pages.shared import hundred, results, session
from pages.shared.frames import row_at
from pages.shared.values import sensitive_name

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


def predict() -> None:
    """Guess what another setting would do, which the page does not show yet; then see it."""
    drawn = str(session.get("vary"))
    choices = {name: words for name, words in axes().items() if name != drawn and len(_others(name)) > 0}
    if not choices:
        st.caption("Nothing else can be varied here: the curve shows all that can.")
        return
    st.markdown("Guess first, then look. What changes is what the curve above does not show.")
    left, right = st.columns(2)
    with left:
        name = st.selectbox("What changes", list(choices), format_func=choices.__getitem__, key="attack:predict:what")
    with right:
        value = st.selectbox("To", _others(name), key=f"attack:predict:to:{name}", format_func=partial(_text, name))
    question = (
        f"**{choices[name]}: {_text(name, value)}**, and all else as it is. How many of 100 patients you share will be "
        f"left with one value of {sensitive_name()}?"
    )
    about = (results.curve_key(name, points(name), 1), value)
    hundred.predict("attack:predict", question, about, partial(_answer, name, value))


def _answer(name: str, value: float) -> pd.Series:
    curve = results.curve(name, points(name), 1)
    return row_at(curve[curve["confidence"] == 1.0], "value", value)


def _others(name: str) -> list[float]:
    present = session.get(OF_K.get(name, name))
    return [value for value in points(name) if value != present]


def _text(name: str, value: float) -> str:
    return f"{100 * value:.0f} %" if name == "agreement" else f"{value:g}"
