"""Worked example 4 on Start: Don's beliefs before and after the release [Allard 2023]."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from core import examples, figures
from core.beliefs import Beliefs, beliefs
from core.examples import BeliefExample
from pages.attack.beliefs import NO_FACT, change_in_words, in_words, person, points
from pages.overview.story import source
from pages.shared.ui import charts
from pages.shared.ui.text import percent, safe

THETA = 0.1
"""Change of a belief that counts as a breach."""


def show() -> None:
    """The table, the belief before, and the belief after the release."""
    example = examples.dons_beliefs()
    st.markdown(example.story)
    page = st.grid(2, min_column_width=330, gap="large")
    with page.cell():
        st.markdown("**Published**")
        st.table(release_table(example), border="horizontal", alt="Two classes of two records")
        st.markdown("**What is believed before, f(q, s)**")
        cells = [[f"{belief:.3f}" for belief in row] for row in example.joint]
        before = pd.DataFrame(cells, list(example.people), list(example.values))
        st.table(before, border="horizontal", alt="What is believed about each person before")
    with page.cell():
        _beliefs(example)
    source(f"{example.source}. The people and tables are those of the slides.", example.erratum)


def release_table(example: BeliefExample) -> pd.DataFrame:
    """The release as printed, with the class of each row."""
    printed = examples.bobs_class().published[0]
    frame = pd.DataFrame({"Class": [str(label) for label in example.labels]})
    for name in printed.columns:
        frame[name] = [safe(text) for text in printed[name]]
    return frame


def _beliefs(example: BeliefExample) -> None:
    held = beliefs(example.release(), example.background(np.array(example.joint)))
    who = st.segmented_control("Look at", example.people, default="Don", required=True, key="beliefs:don:who") or "Don"
    row = example.people.index(who)
    change = person(held, example.labels[row], _group(held, example, row))
    st.markdown(change_in_words(change, list(example.values), THETA))
    charts.show(
        figures.prior_and_posterior(example.values, change.before.tolist(), change.after.tolist(), THETA),
        key="beliefs:don:chart",
        alt=in_words(change, list(example.values)),
    )
    st.caption(NO_FACT)
    st.markdown(everybody(held, example))


def _group(held: Beliefs, example: BeliefExample, row: int) -> int:
    """Group in the beliefs of the person in a row of the table."""
    label = example.labels[row]
    return int(held.members(label)[held.release.classes.members(label).tolist().index(row)])


def everybody(held: Beliefs, example: BeliefExample) -> str:
    """Which of the four people are breached, in a sentence."""
    gain = {name: float(held.gain[_group(held, example, row)]) for row, name in enumerate(example.people)}
    breached = [name for name, far in gain.items() if far >= THETA - 1e-9]
    moves = ", ".join(f"{name} {points(far)}" for name, far in gain.items())
    return f"Largest change of each: {moves}. At theta = {percent(THETA)}, breached: **{', '.join(breached)}**."
