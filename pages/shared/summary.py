"""The summary strip: the one question's answer, in a bar on top of every page."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import streamlit as st

from core import CompositionError
from core.base.words import SAME, left, level_text
from core.release.utility import gcp
from pages.shared import firm, results, session, widgets
from pages.shared.frames import row_at
from pages.shared.text import beside, count, people, percent, safe

VOID = "Next to nobody fits a class of a file of another hospital, so that the attack looks weaker than it is. "
ABOUT = "≈ "
"""Until all draws were made, a number on the strip is not yet that of the other pages."""


def work_out() -> None:
    """Have everything at hand, so that the whole summary changes at once."""
    with suppress(CompositionError):
        if not results.is_remembered(results.release_key()):
            with widgets.working("Forming the classes of my release", st.sidebar) as progress:
                results.my_release(progress)
        results.headline_so_far()
        firm.make_firm()


Element = tuple[Any, Any]
"""Label and value of a line, as they stand on the page."""


def show(place: Any) -> list[Element]:
    """Data, measured k, exposure and loss, each with its direction.

    Return the lines that :func:`refresh` overwrites. A place that was emptied first would be seen empty.
    """
    workspace = session.workspace()
    with place:
        persons = "" if workspace.schema.person is None else f" of {count(session.people())} persons"
        _item(f"{count(workspace.records)} records{persons}", safe(workspace.name, 26), "The table that is loaded.")
        try:
            _guarantee()
            shown = [_item(*line) for line in _exposed()]
            loss, published = percent(gcp(results.my_release().release)), len(workspace.schema.released)
            text = f"**{loss}**, {published} of {len(workspace.table.names)} columns"
            _item(
                "Information loss",
                text,
                "How much detail the columns that are published give up; the others are left out. Less is more useful.",
            )
        except CompositionError as error:
            st.caption(f":material/block: {safe(error.message, 300)}")
            return []
    return shown


def refresh(shown: list[Element]) -> None:
    """Overwrite the exposure when more redraws have made it firmer."""
    for (label, value), line in zip(shown, _exposed() if shown else (), strict=True):
        _write(label, value, *line)


def _write(label: Any, value: Any, name: str, text: str, direction: str) -> Element:
    return label.caption(name, help=direction, width="content"), value.markdown(text, width="content")


def bar() -> Any:
    """Where the strip stands, to be asked for before anything of a page."""
    return st.container(key="strip", horizontal=True, gap="small")


def _item(label: str, value: str, direction: str) -> Element:
    with st.container(gap=None, width="content"):
        return _write(st, st, label, value if value.startswith("**") else f"**{value}**", direction)


def _guarantee() -> None:
    """The k that is measured in my release."""
    mine = results.my_release()
    measured = mine.guarantee.numbers["k"]
    # Where more is reached than was asked, as k is under a strict t, the number is not the slider's.
    more = "measured " * (measured != mine.release.policy.k)
    _item(f"{more}k", count(measured), "The fewest people in a class of my release, measured.")


def _exposed() -> list[tuple[str, str, str]]:
    scenario = session.scenario()
    table = results.headline_so_far()
    many = f"{len(scenario.hospitals)} hospitals"
    # A file that next to nobody fits takes nothing away from anybody: the number is small for a wrong reason.
    void = bool(results.without_effect())
    row = row_at(table, "confidence", scenario.confidence)
    right = f"; rightly {percent(row['right'])}" if row["wrong"] > SAME else ""
    about = "" if row["repeats"] >= scenario.repeats else ABOUT
    exposed = people(row["share"] * row["n"])
    text = f"{':material/warning: ' * void}**{percent(row['share'])}**, {about}{exposed}{right}"
    words = left(1.0) if scenario.confidence == 1 else level_text(scenario.confidence)
    return [(f"{words[0].upper()}{words[1:]}", text, f"{VOID * void}{many}, {' '.join(beside(row))} Less is safer.")]
