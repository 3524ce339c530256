"""What a setting means in people: one sentence, and the two shares that a decision rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from core.scenario.world import not_rare
from core.study.vary import OF_STUDY
from core.words import SAME, level_text
from pages.attack.axes import OF_K
from pages.shared import results, session
from pages.shared.frames import row_at
from pages.shared.text import count, headcount, interval, people, percent
from pages.shared.values import sensitive_name


@dataclass(frozen=True, eq=False)
class Answer:
    """How many of the shared people are exposed, what would change it, and how many were before the last move.

    Parameters
    ----------
    table
        The present setting, a row a confidence.
    curve
        The same against what varies.
    vary
        What the curve is drawn against.
    before
        People left with one value before the last move, ``None`` where there was none.
    """

    table: pd.DataFrame
    curve: pd.DataFrame
    vary: str
    before: float | None = None

    def show(self, over: Sequence[Any] = ()) -> list[Any]:
        """Write sentence and shares, or write them over what this returned before."""
        confidence = session.scenario().confidence
        perfect, chosen = row_at(self.table, "confidence", 1.0), row_at(self.table, "confidence", confidence)
        moved = "" if self.before is None else f" Before this move: {headcount(self.before)}."
        headline = f"{sentence(perfect)}{elsewhere(self.curve, self.vary)}{moved}"
        shares = (("One value left (perfect breach)", perfect), (label(confidence), chosen))
        if over:
            text, *places = over
            return [
                text.markdown(headline),
                *(_share(*share, *place) for share, place in zip(shares, places, strict=True)),
            ]
        text = st.markdown(headline)
        *columns, further = st.columns([5, 5, 3.4], gap="small")
        written = []
        for column, share in zip(columns, shares, strict=True):
            with column, st.container(gap=None):
                written.append(_share(*share, st, st))
        with further:
            st.page_link("pages/hold/page.py", label="Make it hold", icon=":material/handshake:")
        return [text, *written]


def label(confidence: float) -> str:
    """What a confidence means, as the label of a number: "At most 4 values left (C = 25 %)"."""
    text = level_text(confidence)
    return text[0].upper() + text[1:]


def sentence(row: pd.Series[Any]) -> str:
    """The perfect breach in people, beside what the best single release exposes."""
    left, alone = headcount(row["share"] * row["n"]), headcount(row["single"] * row["n"])
    if results.nobody_knows():
        start = f"Of {count(row['n'])} patients, if they are in the other release too,"
    else:
        start = f"Of {count(row['n'])} patients you share,"
    return (
        f"{start} **{left}** would be left with one value of {sensitive_name()}{rightly(row)}; the best single release "
        f"alone would leave {alone}."
    )


def elsewhere(curve: pd.DataFrame, vary: str) -> str:
    """The same at a larger k, where the curve is drawn against k and stands for the present setting."""
    if vary not in OF_K or (vary in OF_STUDY and not session.scenario().study.whole):
        return ""
    present = int(session.get(OF_K[vary]))
    further = [int(k) for k in curve["value"].unique() if k >= 2 * present]
    if not further:
        return ""
    row = row_at(curve[curve["confidence"] == 1.0], "value", further[0])
    return f" At k\u00a0=\u00a0{count(further[0])} it would be {headcount(row['share'] * row['n'])}{rightly(row)}."


def rightly(row: pd.Series[Any]) -> str:
    """How many of those exposed are so with their own value, where others are accused wrongly."""
    return f", {headcount(row['right'] * row['n'])} rightly" if row["wrong"] > SAME else ""


def _share(label: str, row: pd.Series[Any], metric: Any, caption: Any) -> tuple[Any, Any]:
    scenario = session.scenario()
    rare = not_rare(scenario) if row["confidence"] == scenario.confidence else ""
    span = interval(row["low"], row["high"])
    exposed = people(row["share"] * row["n"])
    return metric.metric(label, percent(row["share"])), caption.caption(
        f"{exposed}; {f'95 % interval {span}' if span else 'one draw of the hospitals'}."
        + (f" Rightly exposed: {percent(row['right'])}." if row["wrong"] > SAME else "")
        + (f" {rare}" if rare else "")
    )
