"""What Sattar & Helal estimate from my release alone, and their curve."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.base.words import confidence_text
from core.figures import written as figures
from core.forecast import Forecast
from pages.attack.forecast import numbers
from pages.shared import charts, session, widgets
from pages.shared.text import count, percent

COLUMN_WORDS = {
    "k": "k",
    "risk": "Vulnerable classes",
    "people": "People in them",
    "risk_subset": "Vulnerable classes, strict",
    "people_subset": "People in them, strict",
    "loss": "Information loss",
    "classes": "Classes",
}
SHARES = ("risk", "people", "risk_subset", "people_subset", "loss")
PAPER = "Sattar & Helal's estimate"


def answer() -> None:
    """The published estimate, for a hospital that nobody has seen yet."""
    estimate, reading = numbers.present(), str(session.get("forecast_reading"))
    people = estimate.people(reading)
    st.metric("People in vulnerable classes", percent(people.value))
    st.markdown(sentence(estimate, reading))
    st.caption(
        f"Of {count(people.n)} people in your release. This is no share of people exposed, and mostly far above it: "
        "the number on top of the page is."
    )


def wanted(estimate: Forecast, reading: str) -> str:
    """What should be likely enough, in words."""
    if estimate.l == 1:
        return "any of its values is shared"
    if reading == "every subset":
        return f"its {estimate.l} likeliest values are all shared"
    return f"at least {estimate.l} of its values are shared"


def sentence(estimate: Forecast, reading: str) -> str:
    """What the estimate means, in plain words, from its numbers."""
    certain = confidence_text(estimate.confidence)
    risk = estimate.risk(reading)
    return (
        f"{PAPER}: of **{percent(risk.value)}** of your {count(risk.n)} classes it is less than {certain} likely that "
        f"{wanted(estimate, reading)} with a hospital of {count(estimate.others)} similar records."
    )


def curve() -> None:
    """The published estimate against k."""
    reading, k = str(session.get("forecast_reading")), int(session.get("my_k"))
    with widgets.working("Trying other k") as progress:
        frame = numbers.curve(progress)
    charts.show(
        figures.forecast_curve(frame, k, reading),
        key="forecast:curve",
        alt=curve_in_words(frame, reading),
        height=charts.MAIN,
    )


def numbers_of_curve() -> None:
    """The numbers behind that curve."""
    frame, name = in_words(numbers.curve()), f"{PAPER} against k"
    widgets.grid(frame, f"Table of the numbers: {name}")
    widgets.download_csv(frame, name, "forecast curve")


def curve_in_words(frame: pd.DataFrame, reading: str) -> str:
    """Text alternative of that curve."""
    column = "people" if reading == "at least l" else "people_subset"
    first, last = frame.iloc[0], frame.iloc[-1]
    return (
        f"People in vulnerable classes against k: {percent(first[column])} at {first['k']:g}, {percent(last[column])} "
        f"at {last['k']:g}."
    )


def in_words(frame: pd.DataFrame) -> pd.DataFrame:
    """Rename columns to words; shares in percent."""
    shown = frame.assign(**{name: (100 * frame[name]).round(2) for name in SHARES})
    return shown.rename(
        columns={name: f"{words} (%)" if name in SHARES else words for name, words in COLUMN_WORDS.items()}
    )
