"""Settings of a table of counts that are tried when asked for: exposure against the error of counts."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import streamlit as st

from core import figures
from core.base.wording import SAME, left
from core.decision.review import efficient
from core.study.hospitals import OWN
from pages.shared.compute import count_results
from pages.shared.state import session
from pages.shared.ui import charts, count_settings, widgets
from pages.shared.ui.text import count, interval, percent, plain, safe

WHICH, CHOICE = "hold:counts:which", "hold:counts:choice"
PRESENT = "as set now"
NO_TABLE = (
    "No table of counts is part of the setting. Switch one on under *Release*, *A table of counts*, or let another "
    "hospital publish one under *If others publish*, *Other hospitals*."
)
ABOUT_ERROR = (
    "Error of counts: how far counts in the present groups are, on average and relative to their size, from what a "
    "reader estimates who knows the average of all counts that are published alike (*Method*)."
)


def show() -> None:
    """The present settings, a button that tries others, and what came of it."""
    tables = count_results.tables()
    if not tables:
        st.caption(NO_TABLE)
        return
    number = _which(list(tables))
    st.caption(f"Now: {count_settings.in_words(tables[number])}; {tables[number].in_words.partition('where ')[2]}.")
    offer = st.empty()
    if not count_results.is_tried(number):
        many = count(len(count_results.variants_of(number)))
        with offer.container():
            words, icon = "Try settings of the table of counts", ":material/tune:"
            st.button(words, key="hold:counts:try", icon=icon, on_click=_ask_for)
            st.caption(f"{many} settings, each in all draws; what is above stays as it is.")
        if not st.session_state.pop("hold:counts:asked", False):
            return
    with widgets.working("Trying settings of the table of counts") as progress:
        frame = count_results.try_settings(number, progress)
    offer.empty()
    _draw(number, frame)


def _ask_for() -> None:
    st.session_state["hold:counts:asked"] = True


def _which(numbers: list[int]) -> int:
    """The hospital whose table is changed; asked for if several publish one."""
    if len(numbers) == 1:
        return numbers[0]
    chosen = st.segmented_control("Whose table", numbers, default=numbers[0], format_func=_whose, key=WHICH)
    return numbers[0] if chosen is None else chosen


def _whose(number: int) -> str:
    return "Mine" if session.hospitals()[number].origin == OWN else f"Hospital {number + 1}"


def tried(frame: pd.DataFrame) -> pd.DataFrame:
    """The settings as the picture and the table need them, the present one first."""
    error, share = frame["error"].tolist(), frame["share"].tolist()
    ranges = [interval(*ends) or "none" for ends in zip(frame["low"], frame["high"], strict=True)]
    words = [plain(word, 60) or PRESENT for word in frame["words"]]
    return pd.DataFrame(
        {"setting": words, "error": error, "share": share, "range": ranges, "front": efficient(error, share)}
    ).assign(without=frame["without"].to_numpy())


def _draw(number: int, frame: pd.DataFrame) -> None:
    settings = tried(frame)
    title = finding(settings)
    st.markdown(title)
    charts.show(
        figures.error_against_exposure(settings),
        key="hold:counts:chart",
        alt="Settings of the table of counts, error of counts against exposure; the table below has the numbers.",
        height=charts.MAIN,
    )
    st.caption(f"{ABOUT_ERROR} Diamond: as set now. *Exposed*: {left(session.scenario().confidence)}.")
    less = settings["share"] < settings["share"].iloc[0]
    worth = settings[settings["front"] & less].sort_values("error", kind="stable")
    if len(worth):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            chosen = st.selectbox(
                "Settings that expose less, and that no other beats in both", list(worth["setting"]), key=CHOICE
            )
            wanted = dict(zip(settings["setting"], frame["settings"], strict=True))[chosen]
            st.button("Use these settings", key=f"{CHOICE}:take", on_click=count_results.adopt, args=(number, wanted))
    table = settings.sort_values(["share", "error"], kind="stable")
    rows = pd.DataFrame(
        {
            "Setting": table["setting"],
            "Exposed (%)": (100 * table["share"]).round(2),
            "95% interval": table["range"],
            "Error of counts (%)": (100 * table["error"]).round(1),
            "Another is better in both": ["no" if front else "yes" for front in table["front"]],
        }
    )
    widgets.numbers_below(rows, "Settings of the table of counts", "hold:counts")


def finding(settings: pd.DataFrame) -> str:
    """The present setting, and the one with the smallest error that halves what the table adds to exposure."""
    present: Any = settings.iloc[0]
    without = present["without"]
    known = not math.isnan(without)
    opening = f"Now {percent(present['share'])} exposed, with an error of counts of {percent(present['error'])}"
    opening = f"{opening}; without this table {percent(without)}" if known else opening
    adds = present["share"] - (without if known else 0.0)
    if adds <= SAME:
        return f"{opening}: **it adds no one**." if known else f"{opening}."
    halves = settings[settings["share"] <= present["share"] - adds / 2].sort_values("error", kind="stable")
    if not len(halves):
        return f"{opening}. **No setting tried halves {'what it adds' if known else 'that'}.**"
    name, share, error = (halves.iloc[0][field] for field in ("setting", "share", "error"))
    halved = "what it adds" if known else "that"
    return f"{opening}. **{safe(name)}** halves {halved}: {percent(share)} exposed, with an error of {percent(error)}."
