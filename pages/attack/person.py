"""One person's story: what each release says of somebody, and what is left."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from core import CompositionError
from core.attack.intersection import AttackResult
from core.attack.trail import Step, follow
from core.attack.weighted import weigh
from core.data.domain import Domain
from core.data.schema import Kind
from core.figures import written as figures
from core.study.run import Outcome
from pages.shared import charts, results, session, widgets
from pages.shared.text import count, percent, plain, safe
from pages.shared.values import worded

WAYS = ("A shared person", "Anybody, by what is known of them")
MOST_OPTIONS = 5_000
UNKNOWN = "not known"


def person() -> None:
    """One person, release by release."""
    outcome = results.outcome()
    left, right = st.columns([1, 2.2], gap="large")
    with left:
        way = st.radio("Whose story", WAYS, key="attack:way", label_visibility="collapsed")
        chosen = _shared(outcome) if way == WAYS[0] else _typed(outcome)
        last = st.slider("Releases read so far", 0, len(outcome.releases), len(outcome.releases), key="attack:step")
    with right:
        if chosen is None:
            st.markdown("Say at least one thing that the adversary knows of this person.")
            return
        result, who = chosen
        steps = follow(outcome.releases, result, who)
        if last == 0:
            st.markdown("Without any release, every sensitive value of the table is possible. Read the first release.")
        for step in steps[:last]:
            _step(step, len(outcome.releases))
        if last and not any(step.matches for step in steps[:last]):
            st.markdown(
                "**Nothing is learned**: this person fits no class of what was read so far, so every sensitive value "
                "stays possible. Perhaps the person is in none of these tables, or they write a value in another way."
            )
        elif last:
            _verdict(steps[last - 1].left, last, result, who)


# ---- whose story ------------------------------------------------------------------------


def _shared(outcome: Outcome) -> tuple[AttackResult, int]:
    """One of the shared people, whose true value is known."""
    widgets.slider("person", "attack", high=len(outcome.result) - 1)
    st.button("Somebody who is exposed", on_click=_exposed_person, icon=":material/person_alert:")
    encoded = outcome.mine.encoded
    who = int(session.get("person"))
    row = who if outcome.result.record is None else int(outcome.result.record[who])
    known = {d.name: d.labels[encoded.codes[i][row]] for i, d in enumerate(encoded.qids)}
    st.markdown("**What the adversary knows**")
    shown_values = {"attribute": [plain(k) for k in known], "value": [plain(v) for v in known.values()]}
    st.dataframe(pd.DataFrame(shown_values), hide_index=True, alt="Quasi-identifiers of this person")
    if outcome.result.weight is not None:
        st.caption(f"One of {count(outcome.result.weight[who])} shared people who are alike in every release.")
    if outcome.result.record is not None:
        st.caption("The record of this person that leaves fewest values.")
    return outcome.result, who


def _exposed_person() -> None:
    """Go to the next exposed person after the present one."""
    with suppress(CompositionError):
        _next_of(results.outcome().result.breached(float(session.get("confidence"))).nonzero()[0])


def _next_of(hits: NDArray[np.int64]) -> None:
    if len(hits):
        later = hits[hits > session.get("person")]
        session.put("person", int(later[0] if len(later) else hits[0]))


def _typed(outcome: Outcome) -> tuple[AttackResult, int] | None:
    """Somebody of whom only typed values are known; whether they are in any release, nobody knows."""
    st.caption("Leave out what is not known. Classes are found by their published regions.")
    encoded = outcome.mine.encoded
    known = {}
    for place, domain in enumerate(encoded.qids):
        value = _known_value(place, domain)
        if value is not None:
            known[domain.name] = [value]
    if not known:
        return None
    return results.typed(known), 0


def _known_value(place: int, domain: Domain) -> str | None:
    key = f"attack:known:{place}"
    if domain.kind is Kind.NUMERIC or domain.size > MOST_OPTIONS:
        text = st.text_input(safe(domain.name, 30), key=key, placeholder=UNKNOWN, max_chars=200)
        return text.strip() or None
    options = [None, *range(domain.size)]
    code = st.selectbox(
        safe(domain.name, 30),
        options,
        key=key,
        format_func=lambda code: UNKNOWN if code is None else plain(domain.labels[code]),
    )
    return None if code is None else domain.labels[code]


# ---- what each release says -------------------------------------------------------------


def _step(step: Step, releases: int) -> None:
    who = "My release" if step.release == 1 else f"Release {step.release} of {releases}"
    if not step.matches:
        st.markdown(f"**{who}**: this person fits no class, so the release says nothing of them.")
        return
    several = "" if len(step.matches) == 1 else f" in {count(len(step.matches))} classes that match"
    st.markdown(f"**{who}**: one of {count(step.size)} records{several}, with {len(step.counts)} different values.")
    for match in step.matches[:2]:
        st.text(", ".join(f"{plain(name, 24)}: {plain(text, 40)}" for name, text in match.region.items()))
    if len(step.matches) > 2:
        st.caption(f"and {count(len(step.matches) - 2)} more classes.")
    top = step.counts[:12]
    chart = figures.value_counts(
        [worded(value) for value, _ in top],
        [n for _, n in top],
        [value in step.left for value, _ in top],
        "my release" if step.release == 1 else "other release",
    )
    charts.show(chart, key=f"attack:step:{step.release}", alt="Sensitive values of the class with their counts.")
    if len(step.counts) > len(top):
        st.caption(
            f"and {len(step.counts) - len(top)} more values. Pale bars are ruled out by the releases read so far."
        )


def _verdict(left: tuple[str, ...], read: int, result: AttackResult, who: int) -> None:
    if not left:
        st.markdown(
            "**Nothing is left**: no value is in all classes. The releases disagree about this person, or the person "
            "is not in all of them."
        )
        if read == result.releases and not _all_agree():
            _weights(result, who)
        return
    names = ", ".join(safe(worded(value), 50) for value in left[:8]) + (", …" if len(left) > 8 else "")
    words = "one value is left" if len(left) == 1 else f"{len(left)} values are left"
    st.markdown(
        f"After {read} of {result.releases} releases **{words}**: {names}. Confidence {percent(1 / len(left))}. "
        + _truth(left, result, who)
    )
    if read == result.releases and (len(left) > 1 or not _all_agree()):
        _weights(result, who)


def _truth(left: tuple[str, ...], result: AttackResult, who: int) -> str:
    truth = int(result.truth[who])
    if truth < 0:
        return "Nobody here knows the true value."
    if result.values[truth] in left:
        return "The true value is among them."
    if results.nobody_knows():
        return "The value in my table is **not** among them: a false accusation, or the person is not in the file."
    return "The true value is **not** among them: a false accusation."


def _weights(result: AttackResult, who: int) -> None:
    """How likely each value left is to the adversary who weighs them."""
    values, probabilities = weigh(result, agreement=results.outcome().agreement).posterior(who)
    order = (-probabilities).argsort(kind="stable")[:5]
    weights = ", ".join(
        f"{safe(worded(result.values[values[i]]), 50)} {percent(float(probabilities[i]))}" for i in order
    )
    knows = "" if _all_agree() else " and by how often the hospitals agree"
    st.caption(f"Weighed by how often each value occurs in the classes{knows}: {weights}.")


def _all_agree() -> bool:
    """Whether no hospital is assumed to say something else of a shared person."""
    return all(agreement == 1 for agreement in results.outcome().agreement)
