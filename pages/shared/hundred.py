"""A hundred of the shared people as dots, and a guess of how many will be filled, before the answer is seen."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import pandas as pd
import streamlit as st

from core.figures import written as figures
from core.figures.people import meanings
from core.rates import candidate_limit
from core.words import of_hundred
from pages.shared import charts
from pages.shared.text import count, headcount, percent

GUESS = "Your guess, of 100 patients"


def dots(row: pd.Series, key: str, height: int | None = None, where: Any = None) -> Any:
    """Draw a row of a sweep: who is exposed at its confidence, by all releases and by the best one alone.

    Return the element; given as ``where`` in the same run, it is drawn over.
    """
    exposure = float(row["share"]), float(row["single"]), candidate_limit(float(row["confidence"]))
    alt = f"Of 100 patients you share: {'; '.join(meanings(*exposure))}."
    return charts.show(figures.hundred(*exposure), alt=alt, key=key, height=height, where=where)


@st.fragment
def predict(place: str, question: str, about: Hashable, answer: Callable[[], pd.Series]) -> None:
    """Ask for a guess, then show the answer beside it.

    Parameters
    ----------
    place
        Begins the keys of the widgets.
    question
        Markdown; what is to be guessed.
    about
        What the answer depends on: where it changes, the answer is hidden again.
    answer
        Works the answer out when it is asked for: a row of a sweep at confidence 1.
    """
    st.markdown(question)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        guess = int(st.slider(GUESS, 0, 100, 50, key=f"{place}:guess", width=360))
        if st.button("Reveal", key=f"{place}:reveal", type="primary", icon=":material/visibility:"):
            st.session_state[f"{place}:revealed"] = (about, guess)
    was, guessed = st.session_state.get(f"{place}:revealed", (None, 0))
    if was != about:
        st.caption("Guess first: the answer is worked out when you reveal it.")
        return
    row = answer()
    share = float(row["share"])
    st.markdown(
        f"You said **{guessed}** of 100. It is **{of_hundred(share)[1]}**: {headcount(share * row['n'])} of "
        f"{count(row['n'])} people ({percent(share)}), in one draw of the hospitals; by the best single release alone "
        f"{percent(row['single'])}. {_distance(guessed, share)}"
    )
    dots(row, f"{place}:dots")


def _distance(guessed: int, share: float) -> str:
    by = guessed - of_hundred(share)[0]
    if not by:
        return "Your guess was right."
    return f"Your guess was {abs(by)} too {'many' if by > 0 else 'few'}."
