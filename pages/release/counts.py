"""A table of counts of my own records: how it is made, the file, and what it gives away next to my release."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.data.tables.csv_export import csv_bytes
from core.release.count_settings import CountSettings
from core.study.coverage import SEVERAL_TABLES
from core.study.own_counts import OwnCounts
from pages.shared.compute import count_results
from pages.shared.state import session
from pages.shared.ui import count_settings, widgets
from pages.shared.ui.text import count, people, percent

_DRAFT = "release:counts"
ABOUT = (
    "A dashboard or a spreadsheet of counts is one more publication of the same people. It is attacked together with "
    "my release before either goes out: everyone in my table is in both."
)
WITH_OTHERS = (
    "*If others publish*, *What helps* and *Decide* then attack my release, this table of counts and the other "
    "hospitals together."
)


def show() -> None:
    """Settings, what both publications give away together, and the file."""
    session.workspace().schema.need_one_sensitive("A table of counts")
    with st.container(border=True):
        st.markdown("**Publish a table of counts, too**")
        st.caption(ABOUT)
        settings = draft()
        count_settings.ask(_DRAFT, settings, _take)
        with widgets.working("Attacking my release and the table of counts") as progress:
            numbers = count_results.mine_with(settings, progress)
        st.markdown(finding(numbers))
        st.table(_rows(numbers), border="horizontal", hide_index=True, alt="One value left by each publication")
        with st.container(horizontal=True, vertical_alignment="center"):
            made = count_results.made(settings)  # the button has no session when it makes the file
            widgets.download(
                "Download the table of counts",
                lambda: csv_bytes(made.table().to_frame()),
                "counts.csv",
                f"{_DRAFT}:file",
            )
            on = session.get("my_counts") is not None
            label = "Attack both on every page"
            widgets.showing(st.toggle, label, f"{_DRAFT}:used", on, _use, help=WITH_OTHERS)
        masked, rules = percent(numbers.masked), made.rules.text
        st.caption(
            f"{count(numbers.groups)} groups, the smallest of {people(numbers.smallest)}; {masked} of the counts are "
            f"masked. To attack the file, load it with these rules: `{rules}`. *What helps*, "
            "*Table of counts* tries other settings."
        )
        st.caption(SEVERAL_TABLES)


def draft() -> CountSettings:
    """The settings shown: those in use, else those chosen here, else usual ones."""
    chosen: CountSettings | None = session.get("my_counts") or st.session_state.get(_DRAFT)
    known = set(session.workspace().schema.quasi_identifiers)
    if chosen is None or not {column.name for column in chosen.groups} <= known:
        return count_results.usual()
    return chosen


def _take(settings: CountSettings) -> None:
    st.session_state[_DRAFT] = settings
    if session.get("my_counts") is not None:
        session.put("my_counts", settings)


def _use(on: bool) -> None:
    settings = draft()
    st.session_state[_DRAFT] = settings
    session.put("my_counts", settings if on else None)


def finding(numbers: OwnCounts) -> str:
    """What both together give away, in one sentence."""
    if numbers.together == 0:
        return "**No one has one value left** once both are out."
    more = "" if numbers.together > numbers.release else ": the table of counts adds no one"
    return f"**One value is left for {percent(numbers.together)} of {people(numbers.people)}** once both are out{more}."


def _rows(numbers: OwnCounts) -> pd.DataFrame:
    shares = {
        "My release alone": numbers.release,
        "My table of counts alone": numbers.counts,
        "**Both together**": numbers.together,
    }
    return pd.DataFrame({"Published": list(shares), "One value left": [percent(share) for share in shares.values()]})
