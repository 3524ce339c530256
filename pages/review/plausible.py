"""Plausible range of each assumption about others: prefilled, and changed here."""

from __future__ import annotations

from typing import Any

import msgspec
import streamlit as st

from core.base import wording
from core.base.ranges import RECORDS
from core.decision.review import assumed_values, plausible_ranges
from core.decision.scenario.questions import Plausible
from core.study.draw import MAX_RELEASES
from pages.shared.state import session
from pages.shared.ui import widgets

BOUNDS: dict[str, tuple[float, float, float]] = {
    "overlap": (1, RECORDS, 10),
    "their k": (2, RECORDS, 1),
    "releases": (2, MAX_RELEASES, 1),
    "same_value_rate": (0.0, 1.0, 0.05),
    "case_mix": (0.0, 3.0, 0.1),
}
"""Lowest and highest value of each assumption, and the step of its controls."""


def show() -> None:
    """The ranges behind a button: a case within them decides the verdict, a case beyond them does not.

    Sent only when it is opened: a browser gives hidden fields their lowest value, and would send that.
    """
    key = "review:plausible"
    with st.popover("What is plausible?", icon=":material/rule:", key=key, on_change="rerun") as opened:
        if not opened.open:
            return
        st.caption(
            "A verdict is met only under your assumptions if a case within these ranges breaks a limit. Cases beyond "
            "them are shown, too, and do not change it. The reports state the ranges."
        )
        ranges, assumed = plausible_ranges(session.scenario()), assumed_values(session.scenario().study)
        for name, ends in ranges.items():
            st.markdown(f"{wording.ASSUMPTIONS[name]}: {wording.setting_text(name, assumed[name][0])} assumed")
            low, high = st.columns(2)
            _end(name, 0, "from", ends, (BOUNDS[name][0], min(assumed[name])), low)
            _end(name, 1, "to", ends, (max(assumed[name]), BOUNDS[name][1]), high)
        st.button("As proposed", key="review:plausible:start", on_click=_as_proposed)


def _as_proposed() -> None:
    session.put("plausible", Plausible())


def _end(name: str, place: int, label: str, ends: tuple[Any, Any], bounds: tuple[float, float], where: Any) -> None:
    """One end of a range, which always includes the assumed value."""
    step = BOUNDS[name][2]
    kind = float if name in ("same_value_rate", "case_mix") else int

    def take(given: float | None) -> None:
        if given is not None:
            changed = (kind(given), ends[1]) if place == 0 else (ends[0], kind(given))
            field = name.replace(" ", "_")
            session.put("plausible", msgspec.structs.replace(session.get("plausible"), **{field: changed}))

    widgets.showing(
        where.number_input,
        f"{wording.ASSUMPTIONS[name]}, {label}",
        f"widget:review:plausible:{name}:{place}",
        kind(ends[place]),
        take,
        min_value=kind(bounds[0]),
        max_value=kind(bounds[1]),
        step=kind(step),
        label_visibility="collapsed",
    )
