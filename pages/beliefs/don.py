"""Don's beliefs [Allard 2023] with everything to touch: the background table, theta, who is looked at."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from core import examples
from core.beliefs import beliefs
from core.examples import BeliefExample
from core.figures import written as figures
from pages.beliefs import numbers, sections
from pages.beliefs.answer import NO_FACT, points
from pages.beliefs.controls import PLACE
from pages.shared import charts, errors, session, widgets
from pages.shared.text import percent, safe


def show() -> None:
    """The example: table, background, beliefs about one person, everybody's largest change."""
    example = examples.dons_beliefs()
    st.markdown(example.story)
    page = st.grid(2, min_column_width=330, gap="large")
    with page.cell():
        st.markdown("**Published**")
        st.table(release_table(example), border="horizontal", alt=release_in_words(example))
        st.markdown("**What is believed before, f(q, s): change any number**")
        joint = _editor(example)
    with page.cell(), errors.refusing():
        _beliefs(example, joint)
    st.caption(f"Source: {example.source}. The people and tables are those of the slides.")
    with st.expander("Where the source is rounded, and what was done", icon=":material/edit_note:"):
        st.markdown(example.erratum)


def release_table(example: BeliefExample) -> pd.DataFrame:
    """The release as printed, with the class of each row."""
    printed = examples.bobs_class().published[0]
    frame = pd.DataFrame({"Class": [str(label) for label in example.labels]})
    for name in printed.columns:
        frame[name] = [safe(text) for text in printed[name]]
    return frame


def release_in_words(example: BeliefExample) -> str:
    """Text alternative of the release."""
    secret = example.table.column(example.schema.sensitive).texts().tolist()
    classes = [
        ", ".join(value for value, label in zip(secret, example.labels, strict=True) if label == number)
        for number in sorted(set(example.labels))
    ]
    return f"Two classes of two records: {'; '.join(classes)}."


def joint_now(example: BeliefExample) -> tuple[tuple[float, ...], ...]:
    """The background as edited, else as printed."""
    kept = session.get("belief_don")
    table: tuple[tuple[float, ...], ...] = kept or example.joint
    return table


def _editor(example: BeliefExample) -> NDArray[np.float64]:
    weights_now = joint_now(example)
    base = pd.DataFrame(np.array(weights_now), columns=list(example.values))
    base.insert(0, "Person", list(example.people))
    number = st.column_config.NumberColumn
    edited = st.data_editor(
        base,
        hide_index=True,
        num_rows="fixed",
        disabled=["Person"],
        key=f"beliefs:don:{hash(weights_now)}",
        alt="What is believed of each person before the release",
        column_config={name: number(name, min_value=0.0, step=0.001, format="%.3f") for name in example.values},
    )
    joint: NDArray[np.float64] = np.nan_to_num(edited[list(example.values)].to_numpy(dtype=np.float64), nan=0.0)
    wanted = tuple(tuple(row) for row in joint.tolist())
    if wanted != weights_now:
        session.put("belief_don", wanted)
        st.rerun()
    if weights_now != example.joint:
        st.button(
            "As printed again",
            key="beliefs:don:reset",
            icon=":material/undo:",
            on_click=lambda: session.put("belief_don", ()),
        )
    return joint


def _beliefs(example: BeliefExample, joint: NDArray[np.float64]) -> None:
    limit = widgets.slider("belief_theta", f"{PLACE}:don")
    held = beliefs(example.release(), example.background(joint))
    who = st.segmented_control("Look at", example.people, default="Don", required=True, key="beliefs:don:who") or "Don"
    struck = st.multiselect(
        f"{who} is known not to have",
        list(example.values),
        key="beliefs:don:struck",
        max_selections=len(example.values) - 1,
        placeholder="Nothing is ruled out",
        wrap=True,
    )
    row = example.people.index(who)
    label = example.labels[row]
    place = held.release.classes.members(label).tolist().index(row)
    kind = int(held.members(label)[place])
    change = numbers.person(held, label, kind, tuple(example.values.index(value) for value in struck))
    st.markdown(sections.change_in_words(change, list(example.values), limit, bool(struck)))
    known = None if change.known is None else change.known.tolist()
    charts.show(
        figures.prior_and_posterior(example.values, change.before.tolist(), change.after.tolist(), known, limit),
        key="beliefs:don:chart",
        alt=sections.in_words(change, list(example.values)),
    )
    st.caption(sections.KNOWN)
    st.caption(NO_FACT)
    widgets.numbers_below(
        sections.belief_frame(change, list(example.values), np.arange(len(example.values))),
        f"Beliefs about {who}",
        "beliefs:don",
    )
    st.markdown(everybody(example, joint, limit))


def everybody(example: BeliefExample, joint: NDArray[np.float64], limit: float) -> str:
    """Who of the four is breached, in a sentence; nothing is ruled out here."""
    held = beliefs(example.release(), example.background(joint))
    gain = {
        person: float(held.gain[held.members(label)[held.release.classes.members(label).tolist().index(row)]])
        for row, (person, label) in enumerate(zip(example.people, example.labels, strict=True))
    }
    breached = [person for person, far in gain.items() if far >= limit - 1e-9]
    moves = ", ".join(f"{person} {points(far)}" for person, far in gain.items())
    names = " and ".join(breached) if len(breached) < 3 else f"{', '.join(breached[:-1])} and {breached[-1]}"
    verdict = f"breached: **{names}**" if breached else "**nobody is breached**"
    return f"Largest change of each: {moves}. At theta = {percent(limit)}, {verdict}."
