"""The summary strip: the one question's answer, always in sight."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import streamlit as st

from core import CompositionError
from core.privacy.model import MODELS
from core.release.utility import gcp
from core.review.assessment import SAME
from pages.shared import firm, results, session, widgets
from pages.shared.frames import row_at
from pages.shared.text import beside, count, number, percent, safe

ONE_DRAW = "one draw"
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
    here = session.workspace()
    with place:
        people = "" if here.schema.person is None else f" of {count(session.people())} persons"
        st.markdown(f"**{safe(here.name, 40)}**, {count(len(here.table))} records{people}")
        try:
            _guarantee()
            return [_row(*line) for line in _exposed()]
        except CompositionError as error:
            st.caption(f":material/block: {safe(error.message, 300)}")
            return []


def refresh(shown: list[Element]) -> None:
    """Overwrite the exposure when more redraws have made it firmer."""
    for (label, value), line in zip(shown, _exposed() if shown else (), strict=True):
        _write(label, value, *line)


def _write(label: Any, value: Any, name: str, text: str, direction: str) -> Element:
    return label.caption(name, help=direction, width="content"), value.markdown(f"**{text}**", width="content")


def _row(label: str, value: str, direction: str) -> Element:
    with st.container(horizontal=True, horizontal_alignment="distribute", gap="xsmall"):
        return _write(st, st, label, value, direction)


def _guarantee() -> None:
    mine = results.my_release()
    found, policy = mine.guarantee, mine.release.policy
    numbers = dict(found.numbers)
    colluding = results.most_colluding()
    if colluding is not None:
        numbers["m"] = colluding
    for model in MODELS.values():
        told = model.summary(policy.values)
        if told.number in numbers:
            value = numbers[told.number]
            _row(told.label, number(value, told.decimals) if value >= 0 else "none", told.note)
    _row("Information loss", percent(gcp(mine.release)), "How much detail the release gives up. Less is more useful.")


def _exposed() -> list[tuple[str, str, str]]:
    scenario = session.scenario()
    table = results.headline_so_far()
    many = f"{len(scenario.hospitals)} hospitals"
    lines = []
    for label, confidence in (
        ("One diagnosis left", 1.0),
        (f"Exposed at C = {100 * scenario.confidence:.0f} %", scenario.confidence),
    ):
        row = row_at(table, "confidence", confidence)
        right = f", rightly {percent(row['right'])}" if row["wrong"] > SAME else ""
        one = "" if row["repeats"] >= scenario.repeats else f" ({ONE_DRAW})"
        lines.append((label, f"{percent(row['share'])}{right}{one}", f"{many}, {' '.join(beside(row))} Less is safer."))
    return lines
