"""The way through: which steps a decision takes, what is done of them, and what comes next."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from pages.shared import session, workspace

_SEEN = "route:seen"
STYLE = Path(__file__).parents[2] / "assets" / "route.css"
DONE = ":material/check_circle:"


@dataclass(frozen=True)
class Step:
    """One step of a decision.

    Parameters
    ----------
    address
        Of its page, which lies in the folder of this name.
    task
        What is done there, for the button that leads to it.
    """

    address: str
    task: str

    @property
    def path(self) -> str:
        """Script of its page."""
        return f"pages/{self.address}/page.py"


STEPS = (
    Step("data", "your columns"),
    Step("release", "your release"),
    Step("attack", "if others publish"),
    Step("review", "compare and decide"),
)
FIRST = Step("data", "your table")

CHANGES: Mapping[str, str] = {
    "data": "the roles of columns. Each further column that others may know makes people easier to find.",
    "release": "the table, the roles of its columns, and what every class must meet.",
    "attack": "how many patients you share, how careful the others are, how many publish.",
    "hospitals": "a file of what another hospital really published.",
    "review": "another limit, another setting, or an assumption that does not hold.",
    "hold": "which list the publishers can agree on, how many publish, and whether all of them keep to it.",
    "forecast": "how large the other hospital is, and how much its people resemble yours.",
    "beliefs": "what somebody is assumed to believe before your release.",
    "providers": "how many providers collude, and who contributed which record.",
    "noise": "the privacy loss of a table, its columns, and how many tables are given out.",
}
"""What would change the answer of a page."""


def seen(address: str) -> None:
    """Note that a page was opened with the present table."""
    session_of = session.workspace().content_id
    table, pages = st.session_state.get(_SEEN, ("", frozenset()))
    pages = pages if table == session_of else frozenset()
    st.session_state[_SEEN] = (session_of, pages | {address})


def done() -> frozenset[str]:
    """Addresses of the steps that are done with the present table.

    The table is chosen once it is the user's own or its page was opened; release and attack are
    done once they were opened; the decision, once it is written down, as long as it is of the present setting.
    """
    table, pages = st.session_state.get(_SEEN, ("", frozenset()))
    opened = pages if table == session.workspace().content_id else frozenset()
    finished = {step.address for step in STEPS[:-1] if step.address in opened}
    if workspace.is_own():
        finished.add("data")
    decision = session.get("decision")
    if decision.get("recorded") and decision.get("setting") == setting():
        finished.add("review")
    return frozenset(finished)


def setting() -> str:
    """What a decision is of, as a digest: another setting is another decision."""
    return hashlib.sha256(session.scenario().to_json().encode()).hexdigest()


def next_step(address: str) -> Step | None:
    """Where to go from a page: the step after it, or from beside the way the first that is not done."""
    order = [step.address for step in STEPS]
    place = {"hospitals": "attack", "hold": "attack"}.get(address, address)
    if place in order:
        after = order.index(place) + 1
        return STEPS[after] if after < len(STEPS) else None
    finished = done()
    if not finished:
        return FIRST
    return next((step for step in STEPS if step.address not in finished), STEPS[-1])


def icon(address: str, usual: str) -> str:
    """The icon of a page in the navigation; a step that is done has a tick."""
    return DONE if address in done() else usual


def place() -> Any:
    """Where the way stands, below the navigation; to be filled by :func:`show` once the page is drawn."""
    return st.sidebar.container(key="route", gap="xsmall")


def show(where: Any, address: str) -> None:
    """Say what is done, what would change the answer of this page, and lead to the next step."""
    seen(address)
    step, finished = next_step(address), len(done())
    with where:
        st.html(STYLE)
        if address == "data" and workspace.is_offered():
            st.caption("First decide about the table that is offered.")
            return
        if step is not None:
            st.page_link(step.path, label=f"Next: {step.task}", icon=":material/arrow_forward:", width="stretch")
        progress = f"**{finished} of {len(STEPS)} steps done.**" if finished else ""
        changes = CHANGES.get(address)
        change = f"What would change this page’s answer: {changes}" if changes else ""
        st.caption(" ".join(part for part in (progress, change) if part))
