"""One person's story: what each release says of somebody, and what is left."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core import AttackResult, Outcome, examples, figures, weigh
from core.domain import Domain
from core.schema import Kind
from core.story import Step, follow
from pages._ui import charts, runs, state, widgets
from pages._ui.text import count, percent, plain, safe

WAYS = ("A shared person", "Anybody, by what is known of them")
MOST_OPTIONS = 5_000
UNKNOWN = "not known"


def worded(value: str) -> str:
    """A sensitive value as people read it: the city's codes get their words."""
    if not state.workspace().example:
        return plain(value)
    words = examples.diagnosis_names().get(value)
    return value if words is None else f"{value} {words}"


def person() -> None:
    """One person, release by release."""
    found = runs.outcome()
    left, right = st.columns([1, 2.2], gap="large")
    with left:
        way = st.radio("Whose story", WAYS, key="attack:way", label_visibility="collapsed")
        told = _shared(found) if way == WAYS[0] else _typed(found)
        last = st.slider("Releases read so far", 0, len(found.releases), len(found.releases), key="attack:step")
    with right:
        if told is None:
            st.markdown("Say at least one thing that the adversary knows of this person.")
            return
        result, who = told
        steps = follow(found.releases, result, who)
        if last == 0:
            st.markdown("Without any release, every sensitive value of the table is possible. Read the first release.")
        for step in steps[:last]:
            _step(step, len(found.releases))
        if last and not any(step.matches for step in steps[:last]):
            st.markdown(
                "**Nothing is learned**: this person fits no class of what was read so far, so every sensitive value "
                "stays possible. Perhaps the person is in none of these tables, or a value is not written as in them."
            )
        elif last:
            _verdict(steps[last - 1].left, last, result, who)


# ---- whose story ------------------------------------------------------------------------


def _shared(found: Outcome) -> tuple[AttackResult, int]:
    """One of the shared people, whose true value is known."""
    widgets.slider("person", "attack", high=found.result.people - 1)
    st.button("Somebody who is exposed", on_click=_exposed_person, args=(found.result,), icon=":material/person_alert:")
    encoded = found.mine.encoded
    who = int(state.get("person"))
    known = {d.name: d.labels[encoded.codes[i][who]] for i, d in enumerate(encoded.qids)}
    st.markdown("**What the adversary knows**")
    shown_values = {"attribute": [plain(k) for k in known], "value": [plain(v) for v in known.values()]}
    st.dataframe(pd.DataFrame(shown_values), hide_index=True, alt="Quasi-identifiers of this person")
    return found.result, who


def _exposed_person(result: AttackResult) -> None:
    """Go to the next exposed person after the present one."""
    hits = result.breached(float(state.get("confidence"))).nonzero()[0]
    if len(hits):
        later = hits[hits > state.get("person")]
        state.put("person", int(later[0] if len(later) else hits[0]))


def _typed(found: Outcome) -> tuple[AttackResult, int] | None:
    """Somebody of whom only typed values are known; whether they are in any release, nobody knows."""
    st.caption("Leave out what is not known. Classes are found by their published regions.")
    encoded = found.mine.encoded
    known = {}
    for place, domain in enumerate(encoded.qids):
        value = _known_value(place, domain)
        if value is not None:
            known[domain.name] = [value]
    if not known:
        return None
    return runs.typed(known), 0


def _known_value(place: int, domain: Domain) -> str | None:
    key = f"attack:known:{place}"
    if domain.kind is Kind.NUMERIC or domain.size > MOST_OPTIONS:
        text = st.text_input(safe(domain.name, 30), key=key, placeholder=UNKNOWN, max_chars=200)
        return text.strip() or None
    options = [None, *range(domain.size)]
    code = st.selectbox(
        safe(domain.name, 30), options, key=key,
        format_func=lambda code: UNKNOWN if code is None else plain(domain.labels[code]),
    )  # fmt: skip
    return None if code is None else domain.labels[code]


# ---- what each release says -------------------------------------------------------------


def _step(step: Step, releases: int) -> None:
    who = "My release" if step.release == 1 else f"Release {step.release} of {releases}"
    if not step.matches:
        st.markdown(f"**{who}**: this person fits no class, so it says nothing.")
        return
    several = "" if len(step.matches) == 1 else f" in {count(len(step.matches))} classes that match"
    st.markdown(f"**{who}**: one of {count(step.size)} records{several}, with {len(step.counts)} different values.")
    for match in step.matches[:2]:
        st.text(", ".join(f"{plain(name, 24)}: {plain(text, 40)}" for name, text in match.region.items()))
    if len(step.matches) > 2:
        st.caption(f"and {count(len(step.matches) - 2)} more classes.")
    top = step.counts[:12]
    chart = figures.value_counts(
        [worded(value) for value, _ in top], [n for _, n in top], [value in step.left for value, _ in top],
        "my release" if step.release == 1 else "other release",
    )  # fmt: skip
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
        return
    names = ", ".join(safe(worded(value), 50) for value in left[:8]) + (", …" if len(left) > 8 else "")
    words = "one value is left" if len(left) == 1 else f"{len(left)} values are left"
    st.markdown(
        f"After {read} of {result.releases} releases **{words}**: {names}. Confidence {percent(1 / len(left))}. "
        + _truth(left, result, who)
    )
    if read == result.releases and len(left) > 1:
        _weights(result, who)


def _truth(left: tuple[str, ...], result: AttackResult, who: int) -> str:
    truth = int(result.truth[who])
    if truth < 0:
        return "Nobody here knows the true value."
    if result.values[truth] in left:
        return "The true value is among them."
    if runs.nobody_knows():
        return "The value in my table is **not** among them: a false accusation, or the person is not in the file."
    return "The true value is **not** among them: a false accusation."


def _weights(result: AttackResult, who: int) -> None:
    """How likely each value left is to the adversary who weighs them."""
    values, probabilities = weigh(result).posterior(who)
    order = (-probabilities).argsort(kind="stable")[:5]
    told = ", ".join(f"{safe(worded(result.values[values[i]]), 50)} {percent(float(probabilities[i]))}" for i in order)
    st.caption(f"By weights, from how often each value occurs in the classes: {told}.")
