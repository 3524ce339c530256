"""Settings saved under a name for comparison and reuse: choices and numbers, never records."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from core import CompositionError, Scenario
from core.decision.review import Assessment
from core.release.algorithm import ALGORITHMS
from pages.shared.compute import assessment
from pages.shared.state import column_draft, session
from pages.shared.state.deferred import later, once
from pages.shared.ui import widgets
from pages.shared.ui.text import plain, safe, sentence

MOST = 12
_PINS, _NEXT, _SAID = "pins", "pins:next", "pins:said"
_FIELD = "pins:name"
NAME_LENGTH = 40


@dataclass(frozen=True, eq=False)
class Pin:
    """One setting under a name.

    Parameters
    ----------
    number
        Not used again in the session.
    name
        As shown; unique among pins.
    scenario
        Every choice.
    assessment
        Its numbers; ``None`` until they are computed.
    refused
        Reason why they cannot be computed.
    """

    number: int
    name: str
    scenario: Scenario
    assessment: Assessment | None = None
    refused: str = ""


def _all() -> tuple[Pin, ...]:
    pins: tuple[Pin, ...] = st.session_state.get(_PINS, ())
    return pins


def everything() -> tuple[Pin, ...]:
    """Pins of the present table, whatever the roles of its columns, in the order they were made."""
    return tuple(pin for pin in _all() if assessment.same_data(pin.scenario))


def _keep(pins: tuple[Pin, ...]) -> None:
    st.session_state[_PINS] = pins


# ---- names -------------------------------------------------------------------------------


def proposed(scenario: Scenario) -> str:
    """Name to begin with."""
    mine = scenario.mine
    return _free(f"{mine.policy.signs}, {ALGORITHMS[mine.algorithm].short}")


def _free(name: str) -> str:
    """The name, or the name with the first number that makes it different from the other pins' names."""
    taken = {pin.name for pin in _all()}
    wanted, number = plain(" ".join(name.split()), NAME_LENGTH), 2
    free = wanted
    while free in taken:
        free = f"{wanted} ({number})"
        number += 1
    return free


# ---- what is done with pins -----------------------------------------------------------------


def add(name: str, scenario: Scenario, assessment: Assessment | None = None) -> str:
    """Pin a scenario; report the result, or why not."""
    known = next((pin for pin in everything() if pin.scenario == scenario), None)
    if known is not None:
        return f"This setting is pinned already, as {safe(known.name)}."
    if len(everything()) >= MOST:
        return f"{MOST} settings are pinned, the most that fit; remove one on the page Decide."
    number = st.session_state.get(_NEXT, 0)
    st.session_state[_NEXT] = number + 1
    free = _free(name) if name.strip() else proposed(scenario)
    _keep((*_all(), Pin(number, free, scenario, assessment)))
    return f"Pinned as {safe(free)}."


def remove(number: int) -> None:
    """Forget a pin."""
    _keep(tuple(pin for pin in _all() if pin.number != number))


def set_again(number: int) -> None:
    """Make a pin's choices those of the session."""
    pin = next(pin for pin in everything() if pin.number == number)
    if pin.scenario.schema != session.workspace().schema:
        session.change_schema(pin.scenario.schema)
        column_draft.start_over()
    session.adopt(pin.scenario)


def work_out() -> bool:
    """Compute the pins of the present table without numbers; one that is impossible says why."""
    for pin in everything():
        if pin.assessment is None and not pin.refused:
            _work_out(pin)
    return True


def _work_out(pin: Pin) -> None:
    result, refused = None, ""
    try:
        with widgets.working(f"Computing {safe(pin.name)}", st.sidebar) as progress:
            result = assessment.assessed(pin.scenario, progress)
    except CompositionError as error:
        refused = error.message
    done = replace(pin, assessment=result, refused=refused)
    _keep(tuple(done if other.number == pin.number else other for other in _all()))


# ---- in the sidebar --------------------------------------------------------------------------


def sidebar() -> None:
    """Name and button, below the summary of the present setting; on every page."""
    form = st.sidebar.form("pins:form", border=False, clear_on_submit=True)
    with form, st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall"):
        st.text_input(
            "Pin this setting as",
            key=_FIELD,
            placeholder=_proposal(),
            max_chars=NAME_LENGTH,
            help="Keeps every present choice under a name, to compare it on the page Decide.",
        )
        st.form_submit_button("Pin", on_click=_submitted, width="content")
    message, pins = once(_SAID), everything()
    if message or pins:
        count = f"{len(pins)} of {MOST} pinned."
        st.sidebar.caption(f"{message} {count}" if message else count)
    if any(pin.assessment is None and not pin.refused for pin in pins):
        later(work_out)


def _proposal() -> str:
    try:
        scenario = session.scenario()
        known = next((pin for pin in everything() if pin.scenario == scenario), None)
        return proposed(scenario) if known is None else f"pinned: {known.name}"
    except CompositionError:
        return ""


def _submitted() -> None:
    try:
        scenario = session.scenario()
        known = assessment.assessed(scenario) if assessment.is_assessed(scenario) else None
        st.session_state[_SAID] = add(st.session_state.get(_FIELD, ""), scenario, known)
    except CompositionError as error:
        st.session_state[_SAID] = sentence(error.message, 300)
