"""One person's story: what each release reveals about them, and what is left."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress

import streamlit as st

from core import CompositionError
from core.attack.intersection import AttackResult
from core.attack.trail import Step, follow
from core.attack.weighted import weigh
from core.study.one_run import Outcome
from pages.shared.compute import attack_results
from pages.shared.state import session
from pages.shared.ui import widgets
from pages.shared.ui.text import count, percent, safe
from pages.shared.ui.value_words import worded

MOST_ABREAST, MOST_LISTED = 4, 10
"""Number of releases shown side by side, and of values listed for each."""


def person() -> None:
    """One shared person: the values of their class in each release, with those ruled out struck out."""
    outcome = attack_results.outcome()
    result, who = outcome.result, _choose_person(outcome)
    steps = follow(outcome.releases, result, who)
    left = steps[-1].left
    listed = [{value for value, _ in step.counts} for step in steps if step.matches]
    by_columns = set.intersection(*listed).difference(left) if listed else set[str]()
    if any(step.matches for step in steps):
        for name, own in zip(result.parts, result.of_parts, strict=True):
            st.markdown(f"{safe(name, 40)}: {_verdict(own.candidates(who), own, who)}")
        st.markdown("The columns together: " * bool(result.parts) + _verdict(left, result, who))
    else:
        st.markdown("**Nothing is learned**: this person fits no class, so every sensitive value stays possible.")
    with st.grid(min(len(steps), MOST_ABREAST), min_column_width=150, gap="medium") as grid:
        for step in steps:
            with grid.cell():
                _listed(step, left, by_columns)
    if any(step.matches for step in steps) and (len(left) > 1 or not _all_agree()):
        _weights(result, who)


# ---- whose story ------------------------------------------------------------------------


def _choose_person(outcome: Outcome) -> int:
    """Ask for one of the shared people, and state what the adversary knows about that person."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        with st.container():
            widgets.slider("person", "attack", high=len(outcome.result))
        if outcome.result.breached(float(session.get("confidence"))).any():
            st.button("Show someone exposed", on_click=_exposed_person, icon=":material/person_alert:")
        else:
            st.caption("No one is exposed in this draw.")
    encoded = outcome.mine.encoded
    who = min(int(session.get("person")), len(outcome.result)) - 1
    row = int(outcome.result.record[who])
    known = {domain.name: domain.labels[encoded.codes[place][row]] for place, domain in enumerate(encoded.qids)}
    st.caption(f"What the adversary knows: {_in_words(known)}.")
    if outcome.result.weight[who] > 1:
        st.caption(f"One of {count(outcome.result.weight[who])} shared people who look the same in every release.")
    if outcome.result.has_multiple_records:
        st.caption("The record of this person that leaves the fewest values.")
    return who


def _exposed_person() -> None:
    """Go to the next exposed person after the present one."""
    with suppress(CompositionError):
        hits = attack_results.outcome().result.breached(float(session.get("confidence"))).nonzero()[0]
        if len(hits):
            later = hits[hits >= session.get("person")]
            session.put("person", 1 + int(later[0] if len(later) else hits[0]))


# ---- what each release says -------------------------------------------------------------


RULED_OUT = "ruled out by published columns"


def _listed(step: Step, left: tuple[str, ...], by_columns: Collection[str]) -> None:
    """The values of a person's class in one release: what is left in red, the others struck out.

    ``by_columns`` are values in every list for which no two records of both classes match in the columns published as
    they are.
    """
    name = "My release" if step.release == 1 else f"Release {step.release}"
    if not step.matches:
        st.markdown(f"**{name}**: this person fits no class, so this release reveals nothing about them.")
        return
    several = "" if len(step.matches) == 1 else f" in {count(len(step.matches))} classes that match"
    st.markdown(f"**{name}**: one of {count(step.size)} records{several}")
    lines = []
    for value, many in step.counts[:MOST_LISTED]:
        words = safe(worded(value), 40)
        why = f", *{RULED_OUT}*" if value in by_columns else ""
        lines.append(f":red[**{words}**] {count(many)}" if value in left else f"~~{words}~~ {count(many)}{why}")
    more = len(step.counts) - len(lines)
    st.markdown("  \n".join(lines + [f"and {count(more)} more values"] * bool(more > 0)))
    st.caption(f"{_in_words(step.matches[0].region)}{', or another class' * bool(several)}")


def _in_words(cells: Mapping[str, str]) -> str:
    return ", ".join(f"{safe(name, 24)} {safe(cell, 40)}" for name, cell in cells.items())


def _verdict(left: tuple[str, ...], result: AttackResult, who: int) -> str:
    """What is left after all releases, in a sentence."""
    if not left:
        return (
            "**Nothing is left**: no value is in all classes. The releases disagree about this person, or the person "
            "is not in all of them."
        )
    names = ", ".join(safe(worded(value), 50) for value in left[:8]) + (", …" if len(left) > 8 else "")
    words = "one value is left" if len(left) == 1 else f"{len(left)} values are left"
    return (
        f"After {result.releases} releases **{words}**: {names}. Confidence {percent(1 / len(left))}. "
        f"{_truth(left, result, who)}"
    )


def _truth(left: tuple[str, ...], result: AttackResult, who: int) -> str:
    truth = int(result.truth[who])
    if truth < 0:
        return "The true value is unknown here."
    if result.values[truth] in left:
        return "The true value is among them." if len(left) > 1 else "It is the true value."
    if attack_results.nobody_knows():
        return "The value in my table is **not** among them: a false disclosure, or the person is not in the file."
    return "The true value is **not** among them: a false disclosure."


def _weights(result: AttackResult, who: int) -> None:
    """How likely each value left is to the weighted adversary."""
    values, probabilities = weigh(result, same_value_rate=attack_results.outcome().same_value_rate).posterior(who)
    order = (-probabilities).argsort(kind="stable")[:5]
    weights = ", ".join(
        f"{safe(worded(result.values[values[i]]), 50)} {percent(float(probabilities[i]))}" for i in order
    )
    knows = "" if _all_agree() else " and by how often the hospitals agree"
    st.caption(f"Weighed by how often each value occurs in the classes{knows}: {weights}.")


def _all_agree() -> bool:
    """Whether every hospital is assumed to publish the same value for a shared person."""
    return all(same_value_rate == 1 for same_value_rate in attack_results.outcome().same_value_rate)
