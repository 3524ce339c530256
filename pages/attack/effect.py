"""What a setting means in people: one sentence, and the two shares that a decision rests on."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import streamlit as st

from core.review.assessment import SAME
from core.study.vary import OF_STUDY
from pages.attack.axes import OF_K
from pages.shared import results, session
from pages.shared.frames import row_at
from pages.shared.text import count, interval, people, percent


def answer(table: pd.DataFrame, curve: pd.DataFrame, vary: str, before: float | None = None) -> None:
    """Say how many of the shared people are exposed, what would change it, and how many were before the last move."""
    confidence = session.scenario().confidence
    perfect, chosen = row_at(table, "confidence", 1.0), row_at(table, "confidence", confidence)
    most = math.floor(1 / confidence + 1e-9)
    moved = "" if before is None else f" Before this move: {count(before)}."
    st.markdown(f"{sentence(perfect)}{elsewhere(curve, vary)}{moved}")
    left, right, further = st.columns([2, 2, 1], gap="small")
    with left:
        _share("One value left (perfect breach)", perfect)
    with right:
        _share(f"At most {most} left (C = {100 * confidence:.0f} %)" if most > 1 else "Chosen confidence", chosen)
    with further:
        st.page_link("pages/hold/page.py", label="Bring it down for good", icon=":material/handshake:")


def sentence(row: pd.Series[Any]) -> str:
    """The perfect breach in people, beside what the best single release exposes."""
    alone = count(row["single"] * row["n"])
    if results.nobody_knows():
        start = f"Of {count(row['n'])} patients, if they are in the other release too,"
    else:
        start = f"Of {count(row['n'])} patients you share,"
    return (
        f"{start} **{count(row['share'] * row['n'])}** would be left with one diagnosis; "
        f"by the best single release alone: {alone}."
    )


def elsewhere(curve: pd.DataFrame, vary: str) -> str:
    """The same at a larger k, where the curve is drawn against k and stands for the present setting."""
    if vary not in OF_K or (vary in OF_STUDY and not session.scenario().study.whole):
        return ""
    now = int(session.get(OF_K[vary]))
    further = [int(k) for k in curve["value"].unique() if k >= 2 * now]
    if not further:
        return ""
    row = row_at(curve[curve["confidence"] == 1.0], "value", further[0])
    return f" At k = {count(further[0])} it would be {count(row['share'] * row['n'])}."


def _share(label: str, row: pd.Series[Any]) -> None:
    span = interval(row["low"], row["high"])
    exposed = people(round(row["share"] * row["n"]))
    with st.container(gap=None):
        st.metric(label, percent(row["share"]))
        st.caption(
            f"{exposed}; {f'95 % interval {span}' if span else 'one draw of the hospitals'}."
            + (f" Rightly exposed: {percent(row['right'])}." if row["wrong"] > SAME else "")
        )
