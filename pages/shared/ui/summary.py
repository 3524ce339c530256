"""The status bar: the answer to the main question, at the top of every page."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Any

import streamlit as st

from core import CompositionError
from core.base.wording import level_text, several
from core.release.utility import gcp
from pages.shared.compute import attack_results, cache, release_results
from pages.shared.state import session
from pages.shared.state.deferred import later
from pages.shared.ui import widgets
from pages.shared.ui.rows import row_at
from pages.shared.ui.text import count, people, percent, safe, sentence, share_context

VOID = "Almost none of your records match the other hospital's classes, so the attack looks weaker than it really is. "
ABOUT = "≈ "
"""Until all draws are made, a number on the status bar differs from that of the other pages."""


def work_out(address: str) -> None:
    """Compute everything first, so that the whole summary changes at once; all draws follow after it is shown.

    The page Data, by its ``address``, shows nothing of the curve over k, so a change of roles makes no draws for it.
    """
    with suppress(CompositionError):
        if not cache.is_cached(release_results.release_key()):
            with widgets.working("Forming the classes of my release", st.sidebar) as progress:
                release_results.my_release(progress)
        attack_results.headline_so_far()
        if not attack_results.all_drawn():
            later(partial(_draw_all, address != "data"))


def _draw_all(with_curve: bool) -> bool:
    """Make all draws of the present setting, with progress in the sidebar, if that is not done yet."""
    if attack_results.all_drawn():
        return False
    with widgets.working("Redrawing the hospitals", st.sidebar) as progress:
        attack_results.draw_all(progress, with_curve)
    return True


def show(place: Any, is_name_only: bool = False) -> None:
    """Data, measured k, exposure and loss, each with its direction; if ``is_name_only``, the name alone."""
    workspace = session.workspace()
    with place:
        persons = "" if workspace.schema.person is None else f" of {count(session.people())} persons"
        _item(f"{count(workspace.records)} records{persons}", safe(workspace.name, 26), "The table that is loaded.")
        if is_name_only:
            return
        try:
            _guarantee()
            _exposed()
            loss, published = percent(gcp(release_results.my_release().release)), len(workspace.schema.released)
            text = f"**{loss}**, {published} of {len(workspace.table.names)} columns"
            _item(
                "Information loss",
                text,
                "How much detail the published columns lose; the others are left out. Less is more useful.",
            )
        except CompositionError as error:
            st.caption(f":material/block: {sentence(error.message, 300)}")


def bar() -> Any:
    """Container of the status bar, to be created before anything of a page."""
    return st.container(key="status-bar", horizontal=True, gap="small")


def _item(label: str, value: str, direction: str) -> None:
    with st.container(gap=None, width="content"):
        st.caption(label, help=direction, width="content")
        st.markdown(value if value.startswith("**") else f"**{value}**", width="content")


def _guarantee() -> None:
    """The k that is measured in my release."""
    mine = release_results.my_release()
    measured = mine.guarantee.numbers["k"]
    # If the release exceeds a requirement, as k does under a strict t, the number differs from the slider's.
    more = "measured " * (measured != mine.release.policy.k)
    _item(f"{more}k", count(measured), "The smallest number of people in a class of my release, measured.")


def _exposed() -> None:
    scenario = session.scenario()
    row = row_at(attack_results.headline_so_far(), "confidence", scenario.confidence)
    # A file that matches almost no one rules out nothing for anyone: the number is small for a wrong reason.
    void = bool(attack_results.without_effect())
    about = "" if row["repeats"] >= scenario.repeats else ABOUT
    text = f"**{percent(row['share'])}**, {about}{people(row['share'] * row['n'])}"
    words, undecided = level_text(scenario.confidence), len(session.workspace().undecided)
    assumed = f", if {several(undecided, 'column')} {'is' if undecided == 1 else 'are'} left out" if undecided else ""
    _item(
        f"{words[0].upper()}{words[1:]}{assumed}",
        ":material/warning: " * void + text,
        f"{VOID * void}{len(scenario.hospitals)} hospitals, {' '.join(share_context(row))} Less is safer.",
    )
