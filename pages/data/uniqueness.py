"""The section on uniqueness before anything is done."""

from __future__ import annotations

import streamlit as st

from core.data.profiling.uniqueness import Uniqueness
from pages.data import charts as data_charts
from pages.shared.compute import data_results
from pages.shared.ui import charts, widgets
from pages.shared.ui.text import count, people, percent, plain, safe


def sentence(alone: Uniqueness) -> str:
    """What the numbers mean, safe for Markdown."""
    known = len(alone.contributions)
    values = f"the {known} values" if known > 1 else "the value"
    if not alone.unique:
        return (
            f"No one is unique: at least {count(alone.smallest)} of {count(alone.people)} people share every "
            f"combination of {values} that occurs."
        )
    are = "is" if alone.unique == 1 else "are"
    return (
        f"**{count(alone.unique)} of {count(alone.people)}** people ({percent(alone.share)}) {are} unique in this "
        f"table: anyone who knows {values} that others may know about them finds the record without any name."
    )


def adds_most(alone: Uniqueness) -> str:
    """The column that makes most people unique, safe for Markdown."""
    if len(alone.contributions) < 2 or not alone.unique:
        return ""
    best = min(alone.contributions, key=lambda part: part.without)
    if best.without == alone.unique:
        return "Leaving out any one column makes no difference."
    return f"Without {safe(best.name, 40)}, which contributes most, {people(best.without)} would be unique."


def in_words() -> None:
    """State how many people are unique, and which columns cause it."""
    alone = data_results.alone()
    st.markdown(f"{sentence(alone)} {adds_most(alone)}")


def show() -> None:
    """The charts of who is unique, and their numbers."""
    alone = data_results.alone()
    left, right = widgets.pair()
    with left:
        st.markdown("**How many people share their values**")
        charts.show(
            data_charts.bands(alone),
            alt=(
                f"{percent(alone.share)} of people are unique; {percent(alone.bands[-1].people / alone.people)} share "
                f"their values with nine or more others."
            ),
        )
    if alone.unique:
        with right:
            _contributions(alone)
    _numbers(alone)


def _contributions(alone: Uniqueness) -> None:
    st.markdown(
        "**People still unique without a column**",
        help=(
            "Bar: people who stay unique if all columns except this one are known. The shorter the bar, the more the "
            "column contributes. Diamond: people unique in this column alone. Dashed line: all columns known."
        ),
    )
    best = min(alone.contributions, key=lambda part: part.without)
    charts.show(
        data_charts.contributions(alone),
        alt=f"{plain(best.name, 40)} contributes most: without it {percent(best.without / alone.people)} of people "
        f"would be unique; with all columns {percent(alone.share)} are.",
    )


def _numbers(alone: Uniqueness) -> None:
    """The numbers of both charts."""
    for name, frame in (
        ("People by size of group", data_charts.band_table(alone)),
        ("What each column adds", data_charts.contribution_table(alone)),
    ):
        shares = frame.select_dtypes("float").columns
        widgets.grid(frame, name, {share: st.column_config.NumberColumn(format="percent") for share in shares})
        widgets.download_csv(frame, name, f"data:{name}")
