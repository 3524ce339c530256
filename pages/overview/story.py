"""What the Start page draws: Alice's story, the session's own numbers, the other worked examples."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from core import Scenario, examples
from core.attack.trail import follow
from core.examples import WorkedExample
from core.privacy.model import switched
from core.release.utility import gcp
from core.words import SAME
from pages.overview import examples as worked
from pages.shared import hundred, results, session, workspace
from pages.shared.frames import row_at
from pages.shared.text import count, draws, interval, percent, safe
from pages.shared.texts import fill, overview

STEPS = ("The two tables", "1. Look in (a)", "2. Look in (b)", "3. Both")
STEP = "overview:step"
NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight")


# ---- Alice ------------------------------------------------------------------------------


def alice() -> None:
    """The two-hospital story, step by step [Ganta 2008, Table 1]."""
    telling, texts = worked.tell(examples.two_hospitals(), "Alice"), overview()
    st.markdown(texts["knows"])
    at = step_control()
    # From step to step everything keeps its place: what is not known yet is a question mark.
    with st.container(key="story", gap="small"):
        with st.container(key="story-told"):
            st.markdown(fill(texts[f"step {('tables', 'a', 'b', 'both')[at]}"], alice_facts(telling)))
        evidence(telling, at, waiting=True)
        tables(telling, (at >= 1, at >= 2), final=at == 3)
    st.caption(f"{texts['alone']} Source: {telling.example.source}, as printed.")


def alice_facts(telling: worked.Telling) -> dict[str, object]:
    """Numbers of the story, all of them core's."""
    return {
        "person": telling.person,
        "others_a": telling.k[0] - 1,
        "others_b": telling.k[1] - 1,
        "size_a": telling.steps[0].size,
        "size_b": telling.steps[1].size,
        "prior_a": telling.prior[0],
        "prior_b": telling.prior[1],
        "left": safe(", ".join(telling.left)),
    }


def step_control() -> int:
    """Show the steps, back and next; return the number of the present step."""
    at = STEPS.index(st.session_state.setdefault(STEP, STEPS[0]))
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        _step_buttons(at)
    return at


def _step_buttons(at: int) -> None:
    st.segmented_control("Step of the story", STEPS, required=True, key=STEP, label_visibility="collapsed")
    st.button("Back", key="overview:back", icon=":material/arrow_back:", disabled=at == 0, on_click=_move, args=(-1,))
    st.button(
        "Next",
        key="overview:next",
        icon=":material/arrow_forward:",
        icon_position="right",
        disabled=at == len(STEPS) - 1,
        on_click=_move,
        args=(1,),
    )


def _move(by: int) -> None:
    at = STEPS.index(st.session_state.get(STEP, STEPS[0]))
    st.session_state[STEP] = STEPS[min(max(at + by, 0), len(STEPS) - 1)]


def evidence(telling: worked.Telling, at: int, waiting: bool = False) -> None:
    """What is still possible, as lists and as numbers, as far as the story has come.

    Parameters
    ----------
    told
        The example.
    at
        How far: one step a table, then the intersection.
    waiting
        Whether what is not known yet has its place already, with a question mark in it.
    """
    final = at >= len(telling.steps) + 1 or (len(telling.steps) == 1 and at >= 1)
    left = telling.left if final else None
    lines = []
    for release in range(len(telling.steps)):
        letter = f"({worked.LETTERS[release]})" if len(telling.steps) > 1 else "the table"
        if at > release:
            values = worked.chips(telling.values(release), left if len(telling.steps) > 1 else None)
            lines.append(f"Possible after {letter}: {values}")
        elif waiting:
            lines.append(f"Possible after {letter}: :gray-badge[{UNKNOWN}]")
    if lines:
        st.markdown("  \n".join(lines))
    if final or waiting:
        golden(telling, at if waiting and not final else None)


UNKNOWN = "?"


def golden(telling: worked.Telling, at: int | None = None) -> None:
    """The numbers of the example in the words of the paper; those that a step does not tell yet are unknown."""
    with st.grid(5, min_column_width=115, gap="small"):
        for release, before in enumerate(telling.prior):
            letter = f"({worked.LETTERS[release]}) alone" if len(telling.prior) > 1 else "this table"
            known = at is None or at > release
            st.metric(
                f"Left by {letter}",
                before if known else UNKNOWN,
                help="Effective anonymity EA: different values in the class.",
            )
        if telling.result is not None:
            both, drop = (UNKNOWN, UNKNOWN) if at is not None else (len(telling.left), telling.drop)
            st.metric("Left by both", both, help="Effective anonymity after the intersection.")
            st.metric("Drop", drop, help="Smallest number left by one table, less the number left by both.")
        confidence = UNKNOWN if at is not None else percent(telling.confidence).replace(".0", "")
        st.metric("Confidence", confidence, help="Of the adversary: 1 over the number left.")


def tables(telling: worked.Telling, looked: tuple[bool, ...], final: bool) -> None:
    """The published tables side by side, or one under the other where there is no room."""
    with st.grid(len(telling.example.published), min_column_width=380, gap="medium") as grid:
        for release, read in enumerate(looked):
            with grid.cell():
                name = f"({worked.LETTERS[release]}) " if len(looked) > 1 else ""
                st.markdown(f"**{name}Published table, k = {telling.k[release]}**")
                st.table(
                    worked.table(telling, release, read, final),
                    border="horizontal",
                    alt=worked.table_in_words(telling, release, read),
                )


# ---- this session -----------------------------------------------------------------------


def present() -> None:
    """The same attack on the data of this session, in numbers."""
    scenario, texts = session.scenario(), overview()
    table = results.headline_so_far()
    perfect = table[table["confidence"] == 1.0].iloc[0]
    sensitive = safe(scenario.schema.sensitive, 40)
    exposed = percent(perfect["share"])
    facts = {
        "title": f"In {safe(name_in_sentence(scenario.data_name), 40)}",
        "setting": setting(scenario),
        "sensitive": sensitive,
        "perfect": exposed,
        "people": count(perfect["n"]),
        "false": wrongly(perfect["wrong"]),
        "guess": percent(perfect["guess_one"]),
        "drawn": drawn(perfect["repeats"], perfect["low"], perfect["high"]),
    }
    st.markdown(fill(texts["numbers"], facts))
    with st.grid("auto", min_column_width=190, gap="small"):
        st.metric(f"Exposed: one {sensitive} left", exposed, border=True)
        st.metric("By the best single release", percent(perfect["single"]), help=texts["single"], border=True)
        st.metric("Own value named", percent(perfect["weighted_hit"]), border=True, help=fill(texts["guessing"], facts))
        st.metric("Cost: information loss", percent(gcp(results.my_release().release)), help=texts["loss"], border=True)
    st.caption(fill(texts["numbers caption"], facts))


PREDICTED = (2, 10, 20, 50)


def predict() -> None:
    """Guess what another k would do to the people shared; the answer stands nowhere on the page before."""
    present = int(session.get("my_k"))
    ks = [k for k in PREDICTED if k != present and k <= session.most_k(results.encoded().people)]
    if not ks:
        return
    vary = "k" if session.get("linked") else "my k"
    who = "every hospital hid" if vary == "k" else "your hospital hid"
    start = next((k for k in ks if k > present), ks[-1])
    k = st.segmented_control("k to try", ks, default=start, required=True, key="overview:predict:k")
    guessed_k = int(k or start)

    def answer() -> pd.Series:
        curve = results.curve(vary, (guessed_k,), 1)
        return row_at(curve, "confidence", 1.0)

    question = (
        f"If {who} each person among at least **{guessed_k}** records instead of {present}: how many of 100 people you "
        "share would be left with one possible value?"
    )
    hundred.predict("overview:predict", question, results.curve_key(vary, (guessed_k,), 1), answer)


def name_in_sentence(name: str) -> str:
    """The data's name inside a sentence: "the synthetic city", but a file name as it is."""
    return name[0].lower() + name[1:] if name.startswith("The ") else name


def setting(scenario: Scenario) -> str:
    """The hospitals' policies in a few words: "k = 5 at both hospitals"."""
    every = [hospital.policy for hospital in scenario.hospitals]
    many = f"all {NUMBERS[len(every) - 2]}" if len(every) > 2 else "both"
    if len({policy.k for policy in every}) == 1:
        words = f"k = {every[0].k} at {many} hospitals"
    else:
        others = ", ".join(str(k) for k in dict.fromkeys(policy.k for policy in every[1:]))
        words = f"k = {every[0].k} at my hospital and {others} at the other{'s' if len(every) > 2 else ''}"
    mine = every[0]
    extra = [model.sign(mine.values) for model in switched() if model.is_asked(mine.values)]
    if not extra:
        return words
    same = all(policy.values[model.symbol] == mine.values[model.symbol] for policy in every for model in switched())
    whose = "" if same else " at mine"
    return f"{words}, with {' and '.join(extra)}{whose},"


def wrongly(share: float) -> str:
    """Say how many of those exposed are accused of something that is not so; empty for none."""
    return (
        f" For {percent(share)} of all, their own value is not left: they are accused wrongly." if share > SAME else ""
    )


def drawn(repeats: float, low: float, high: float) -> str:
    """Say how many draws stand behind the numbers."""
    span = interval(low, high)
    return f"95 % interval: {span}." if span else f"From {draws(repeats)}."


def resident() -> None:
    """One exposed resident of the synthetic city, release by release; nobody of a loaded table."""
    outcome = results.outcome()
    exposed = np.flatnonzero(outcome.result.breached(1.0) & outcome.result.true_value_left)
    if not len(exposed):
        st.markdown("At this setting nobody is left with one possible diagnosis.")
        return
    person = int(exposed[np.argmax(outcome.result.best_prior[exposed])])
    names = examples.diagnosis_names()
    steps = follow(outcome.releases, outcome.result, person)
    st.markdown(
        f"An invented resident whom each release hides among at least {outcome.result.best_prior[person]} possible "
        f"diagnoses, and {'both' if len(steps) == 2 else 'all'} together not at all."
    )
    for step in steps:
        region = "; ".join(f"{safe(name)} {safe(text)}" for name, text in step.matches[0].region.items())
        values = [f"{code} {names.get(code, '')}".strip() for code, _ in step.counts]
        left = [f"{code} {names.get(code, '')}".strip() for code in steps[-1].left]
        st.markdown(f"**Hospital {step.release}**, one of {count(step.size)} records: {region}")
        st.markdown(worked.chips(values, left))


# ---- the other examples -----------------------------------------------------------------

AS_DATA = {"hospitals_a_and_b": ("Hospitals A and B, table A", 2, 3)}
"""Examples whose first table is large enough to be opened as data: its name then, k, and shared people."""


def as_data(name: str, example: WorkedExample) -> None:
    """Offer the first original table as the data of the session."""
    called, k, overlap = AS_DATA[name]
    words = {"records": len(example.tables[0]), "k": k, "overlap": overlap}
    with st.popover("Open as data", icon=":material/table:"):
        workspace = session.workspace()
        if workspace.name == called:
            st.markdown(":material/check: This is the data of the session now: see *Data* and *Release*.")
            return
        st.markdown(fill(overview()["as data"], words))
        if not workspace.example:
            st.markdown(f":material/warning: It replaces **{safe(workspace.name, 40)}**.")
        st.button("Open it", key=f"overview:load:{name}", type="primary", on_click=_load, args=(name,))


def _load(name: str) -> None:
    called, k, overlap = AS_DATA[name]
    example = next(candidate for candidate in examples.worked_examples() if candidate.name == name)
    workspace.use(workspace.Offer(example.tables[0], example.schema, called))
    for choice, value in (("linked", True), ("my_k", k), ("releases", 2), ("overlap", overlap)):
        session.put(choice, value)


def other_example(name: str) -> None:
    """One worked example whole: story, tables, result, erratum."""
    example = next(candidate for candidate in examples.worked_examples() if candidate.name == name)
    first = "Alice" if name == "hospitals_a_and_b" else "Bob"
    st.markdown(example.story)
    who = st.segmented_control(
        "Look for", worked.people(example, first), default=first, required=True, key=f"overview:who:{name}"
    )
    telling = worked.tell(example, who or first)
    knows = ", ".join(f"{safe(column.lower())} {safe(text)}" for column, text in telling.knows.items())
    st.markdown(f"The adversary knows of {safe(telling.person)}: {knows}.")
    releases = len(telling.steps)
    evidence(telling, releases + 1)
    if releases == 1:
        st.markdown("There is no second release to compare with: this is all the adversary gets.")
    tables(telling, (True,) * releases, final=releases > 1)
    st.caption(f"Source: {example.source}.")
    if name in AS_DATA:
        as_data(name, example)
    if example.erratum:
        with st.expander("Where the source contradicts itself, and what was done", icon=":material/edit_note:"):
            st.markdown(example.erratum)
