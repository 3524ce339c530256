"""The answer of the forecast page: one sentence, four numbers, the curve against k."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core import Forecast, figures
from pages._ui import charts, forecast_runs, runs, state, widgets
from pages._ui.text import count, number, percent, safe

COLUMN_WORDS = {
    "k": "k", "risk": "Vulnerable classes", "people": "People in them", "risk_subset": "Vulnerable classes, strict",
    "people_subset": "People in them, strict", "pinned": "Left with one value", "left": "Values left, mean",
    "loss": "Information loss", "classes": "Classes",
}  # fmt: skip
SHARES = ("risk", "people", "risk_subset", "people_subset", "pinned", "loss")


def answer() -> None:
    """What the forecast says, what that means, and what it rests on."""
    found, reading = forecast_runs.present(), str(state.get("forecast_reading"))
    st.markdown(sentence(found, reading))
    with st.grid(4, min_column_width=180, gap="small", border=True) as grid:
        with grid.cell():
            st.metric("Vulnerable classes", percent(found.risk(reading).value))
            st.caption(
                f"of {count(found.classes)} classes: that {wanted(found, reading)} is less than "
                f"{whole(found.confidence)} likely."
            )
        with grid.cell():
            st.metric("People in vulnerable classes", percent(found.people(reading).value))
            st.caption(f"of {count(found.people(reading).n)} people in the release.")
        with grid.cell():
            st.metric("One value left, expected", percent(found.pinned_share))
            st.caption("of the people you share, whoever they are (pinning estimate, ours).")
        with grid.cell():
            st.metric("Values left, expected", number(found.left_mean, 1))
            distinct = float((found.histogram.distinct * found.sizes).sum() / found.sizes.sum())
            st.caption(f"for a shared person, out of {number(distinct, 1)} in the class here (ours).")
    st.caption(basis(found))


def wanted(found: Forecast, reading: str) -> str:
    """What should be likely enough, in words."""
    if found.l == 1:
        return "any of its values is shared"
    if reading == "every subset":
        return f"its {found.l} likeliest values are all shared"
    return f"at least {found.l} of its values are shared"


def whole(share: float) -> str:
    """A share that the user chose, as a percentage."""
    return f"{100 * share:.0f} %"


def sentence(found: Forecast, reading: str) -> str:
    """What the forecast means, in plain words, from its numbers."""
    risk, people = found.risk(reading).value, found.people(reading).value
    first = (
        f"If an organisation with {count(found.others)} similar records published too, about "
        f"**{percent(found.pinned_share)}** of the people you share with it would be left with a single sensitive "
        "value"
    )
    if found.l == 1:
        cover = "any of their values turns up there too"
    elif reading == "every subset":
        cover = f"their {found.l} likeliest values all turn up there too"
    else:
        cover = f"at least {found.l} of their values turn up there too"
    if risk == 0:
        return f"{first}. Of every class you can say with {whole(found.confidence)} certainty that {cover}."
    return (
        f"{first}; and **{percent(people)}** of your people are in classes of which you cannot say with "
        f"{whole(found.confidence)} certainty that {cover}."
    )


def basis(found: Forecast) -> str:
    """What the numbers rest on."""
    table = found.from_table
    if len(table) == len(forecast_runs.population().names):
        source = "population shares counted in your own table"
    elif table:
        source = f"population shares from your file, and from your table for {count(len(table))} columns"
    else:
        source = "population shares from your file"
    worst = float(found.error.max(initial=0.0))
    exact = "computed exactly" if worst == 0 else f"exact, or off by at most {worst:.1g}"
    if found.joint:
        source = "the share of your own table that each class holds (ours)"
    alone = "" if found.joint else ", on attributes that do not depend on each other,"
    return (
        f"Rests on {source}{alone} and on nothing else: who is shared is not known, and the first two numbers forget "
        "that a shared person's own value is always common. *Forecast against simulation*, below, shows how far they "
        "are from what hospitals drawn from your table do. The source does not print its probability of l common "
        f"values; this one is our reading, {exact}."
    )


def curve() -> None:
    """The forecast against k."""
    reading, k = str(state.get("forecast_reading")), int(state.get("my_k"))
    st.subheader("Forecast against k", anchor=False)
    with widgets.working("Trying other k") as progress:
        frame = forecast_runs.curve(progress)
    charts.show(figures.forecast_curve(frame, k, reading), key="forecast:curve", alt=curve_in_words(frame, reading))
    st.caption(
        "Every point is the table partitioned again at that k. The dotted rule marks the present release. The lines "
        "need not fall everywhere: a larger k makes other classes, not unions of the present ones."
    )
    widgets.numbers_below(in_words(frame), "Forecast against k", "forecast curve")


def in_words(frame: pd.DataFrame) -> pd.DataFrame:
    """Rename columns to words; shares in percent."""
    known = [name for name in frame.columns if name in COLUMN_WORDS]
    renamed = frame.rename(columns=COLUMN_WORDS)
    for name in known:
        if name in SHARES:
            renamed[COLUMN_WORDS[name]] = (100 * frame[name]).round(2)
    return renamed.rename(columns={COLUMN_WORDS[name]: f"{COLUMN_WORDS[name]} (%)" for name in known if name in SHARES})


def curve_in_words(frame: pd.DataFrame, reading: str) -> str:
    """Text alternative of the curve."""
    column = "people" if reading == "at least l" else "people_subset"
    first, last = frame.iloc[0], frame.iloc[-1]
    return (
        f"People in vulnerable classes against k: {percent(first[column])} at {first['k']:g}, {percent(last[column])} "
        f"at {last['k']:g}. Left with one value: {percent(first['pinned'])} and {percent(last['pinned'])}."
    )


def sensitive_name() -> str:
    """The sensitive column, escaped."""
    return safe(runs.encoded().sensitive.name, 40)
