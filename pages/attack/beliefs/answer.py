"""The answer of the beliefs page: the largest change, who is breached, and the curve against theta."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from core.beliefs import Beliefs
from core.figures import written as figures
from pages.attack.beliefs import numbers
from pages.shared import charts, session, widgets
from pages.shared.text import count, headcount, number, percent, safe
from pages.shared.values import sensitive_name, worded

NO_FACT = (
    ":material/info: A belief is a conclusion from what is assumed here, not a fact about anybody. It is certain only "
    "where a class holds one value. The bar on top counts people of whom few values are left once others publish; "
    "here a belief need only move."
)


def points(share: float) -> str:
    """A change of a probability, in percentage points."""
    return f"{number(100 * share, 1)} points"


def theta() -> float:
    """The change that counts as a breach."""
    return float(session.get("belief_theta"))


def value_name(held: Beliefs, code: int) -> str:
    """A sensitive value as it may be put into a sentence."""
    return safe(worded(held.release.encoded.sensitive.labels[code]), 60)


def answer() -> None:
    """The largest change over all people, the share breached, and where."""
    held, limit = numbers.everybody(), theta()
    st.markdown(sentence(held, limit))
    share, worst = held.share(limit), held.largest
    table = held.table(limit)
    shown = (
        ("Largest change of a belief", points(float(held.gain[worst])), f"in class {int(held.owner[worst])}"),
        ("People breached", percent(share.value), f"{headcount(share.value * share.n)} of {count(share.n)} people"),
        ("Classes with a breach", percent(float((table["breached"] > 0).mean())), f"of {count(len(table))} classes"),
    )
    for place, (label, value, note) in zip(st.columns(3, gap="small"), shown, strict=True):
        with place, st.container(gap=None):
            st.metric(label, value)
            st.caption(note)


def details() -> None:
    """What the numbers count and suppose, and the numbers behind the chart."""
    held, limit = numbers.everybody(), theta()
    worst = held.largest
    st.caption(
        f"Largest change, in class {int(held.owner[worst])}: {value_name(held, int(held.value[worst]))}, from "
        f"{percent(float(held.before[worst]))} to {percent(float(held.after[worst]))}. A person is breached where some "
        f"belief about them moves by {points(limit)}."
    )
    st.caption(ASSUMES)
    st.caption("The dotted rule of the chart is the theta chosen. A belief that falls to 0 is a large change, too.")
    shares = held.curve(numbers.THETAS)
    frame = pd.DataFrame({"theta (%)": np.round(100 * numbers.THETAS), "people (%)": np.round(100 * shares, 2)})
    widgets.numbers_below(frame, "People breached against theta", "beliefs:curve")


def apart() -> None:
    """Warn of people about whom the background contradicts the release."""
    held = numbers.everybody()
    if held.apart:
        st.caption(
            f":material/warning: Of {count(held.apart)} people the background excludes every value that their class "
            f"has. There it contradicts the release. These people are counted apart, as not breached."
        )


ASSUMES = (
    "The adversary is assumed to know the class of each person but not who else is in it, and to have believed what is "
    "chosen above [Allard 2023, Eq. 1 to 3]. Nobody knows what a real adversary believes, so try several."
)


def sentence(held: Beliefs, limit: float) -> str:
    """What the beliefs come to, in plain words."""
    share = held.share(limit).value
    if held.satisfied(limit):
        return (
            f"With this background nobody's belief about {sensitive_name()} moves by {points(limit)} or more: the "
            "release satisfies Bayes-optimal privacy **for this adversary**, and for no other."
        )
    return (
        f"To somebody with this background, the release moves a belief about {sensitive_name()} by {points(limit)} or "
        f"more for **{percent(share)}** of the people in it, up or down."
    )


def curve() -> None:
    """Share of the people breached against theta."""
    held, limit = numbers.everybody(), theta()
    shares = held.curve(numbers.THETAS)
    st.markdown("**People breached**, against theta")
    half = float(held.share(0.5).value)
    charts.show(
        figures.breach_by_theta(numbers.THETAS.tolist(), shares.tolist(), limit),
        key="beliefs:curve",
        alt=f"Share of people whose beliefs move by at least theta: {percent(float(held.share(limit).value))} at "
        f"{percent(limit)}, {percent(half)} at 50 %.",
        height=charts.MAIN,
    )
