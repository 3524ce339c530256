"""The summary strip: the one question's answer, in a bar on top of every page."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import streamlit as st

from core import CompositionError
from core.privacy.model import MODELS
from core.release.utility import gcp
from core.words import SAME
from pages.shared import firm, history, results, session, widgets
from pages.shared.frames import row_at
from pages.shared.text import at_confidence, beside, count, number, people, percent, safe

VOID = "Next to nobody fits a class of a file of another hospital, so that the attack looks weaker than it is. "
ABOUT = "≈ "
"""Until all draws were made, a number on the strip is not yet that of the other pages."""


def work_out() -> None:
    """Have everything at hand, so that the whole summary changes at once."""
    with suppress(CompositionError):
        if not results.is_remembered(results.release_key()):
            with widgets.working("Forming the classes of my release", st.sidebar) as progress:
                results.my_release(progress)
        results.most_colluding()
        results.headline_so_far()
        firm.make_firm()


Element = tuple[Any, Any]
"""Label and value of a line, as they stand on the page."""


def show(place: Any) -> list[Element]:
    """Data, policy, measured guarantee, exposure and loss, each with its direction.

    Return the lines that :func:`refresh` overwrites. A place that was emptied first would be seen empty.
    """
    workspace = session.workspace()
    with place:
        with st.container(horizontal=True, width="content", gap=None):
            history.buttons()
        persons = "" if workspace.schema.person is None else f" of {count(session.people())} persons"
        _item(f"{count(workspace.records)} records{persons}", safe(workspace.name, 26), "The table that is loaded.")
        try:
            _guarantee()
            shown = [_item(*line) for line in _exposed()]
            loss = percent(gcp(results.my_release().release))
            _item("Information loss", loss, "How much detail the release gives up. Less is more useful.")
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
    mine = results.my_release()
    guarantee, policy = mine.guarantee, mine.release.policy
    numbers = dict(guarantee.numbers)
    colluding = results.most_colluding()
    if colluding is not None:
        numbers["m"] = colluding
    for model in MODELS.values():
        line = model.summary(policy.values)
        if line.number in numbers:
            value = numbers[line.number]
            text = number(value, line.decimals) if value >= 0 else "none"
            wanted = policy.values[model.symbol] if model.is_asked(policy.values) else None
            # Where more is reached than was asked, as k is under a strict t, the number is not the slider's.
            more = wanted is not None and not line.decimals and text != count(wanted)
            measured = "measured " * more
            _item(f"{measured}{_symbol(line.label)}", text, f"{line.label}, measured in my release. {line.note}")


def _symbol(label: str) -> str:
    """What stands in brackets at the end of a label: the bar has no room for more, its tooltip has all of it."""
    return label[label.rfind("(") + 1 : -1] if label.endswith(")") else label


def _exposed() -> list[tuple[str, str, str]]:
    scenario = session.scenario()
    table = results.headline_so_far()
    many = f"{len(scenario.hospitals)} hospitals"
    # A file that next to nobody fits takes nothing away from anybody: the number is small for a wrong reason.
    void = bool(results.without_effect())
    lines = []
    for label, confidence in (
        ("One value left", 1.0),
        (f"Exposed at {at_confidence(scenario.confidence)}", scenario.confidence),
    ):
        row = row_at(table, "confidence", confidence)
        right = f"; rightly {percent(row['right'])}" if row["wrong"] > SAME else ""
        about = "" if row["repeats"] >= scenario.repeats else ABOUT
        exposed = people(row["share"] * row["n"])
        text = f"{':material/warning: ' * void}**{percent(row['share'])}**, {about}{exposed}{right}"
        lines.append((label, text, f"{VOID * void}{many}, {' '.join(beside(row))} Less is safer."))
    return lines
