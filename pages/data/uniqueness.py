"""The section that says how alone people are before anything is done."""

from __future__ import annotations

import streamlit as st

from core.data.uniqueness import Uniqueness
from pages.data import charts as data_charts
from pages.shared import charts, results, widgets
from pages.shared.text import count, listed, people, percent, plain, safe


def sentence(alone: Uniqueness) -> str:
    """What the numbers mean, safe for Markdown."""
    names = [part.name for part in alone.contributions]
    known = f"{'these' if len(names) > 1 else 'this'} {len(names) if len(names) > 1 else ''}".strip()
    values = f"{known} value{'s' if len(names) > 1 else ''}"
    if not alone.unique:
        return (
            f"Nobody is alone: at least {count(alone.smallest)} of {count(alone.people)} people share every "
            f"combination of {listed(names)} that occurs."
        )
    who = "people is the only one" if alone.unique == 1 else "people are the only ones"
    return (
        f"**{count(alone.unique)} of {count(alone.people)}** {who} with their combination of {listed(names)}. "
        f"Whoever knows {values} of such a person finds the record without any name."
    )


def adds_most(alone: Uniqueness) -> str:
    """Which column makes most people unique, safe for Markdown."""
    if len(alone.contributions) < 2 or not alone.unique:
        return ""
    best = min(alone.contributions, key=lambda part: part.without)
    if best.without == alone.unique:
        return "No single column makes the difference: whichever is left out, as many people stay unique."
    return (
        f"{safe(best.name, 40)} adds most: if nobody knew it, {people(best.without)} would be unique instead of "
        f"{count(alone.unique)}."
    )


def show() -> None:
    """Numbers, sentence and charts."""
    identification = results.alone()
    st.subheader("How alone people are before anything is done")
    few = sum(crowd.people for crowd in identification.crowds if crowd.high is not None and crowd.high < 5)
    with st.grid(3, min_column_width=140):
        for label, value, words in (
            (
                "Unique people",
                percent(identification.share),
                "Share of the records in your table, not of the population.",
            ),
            (
                "In groups below 5 people",
                percent(few / identification.people),
                "People who share all their values with at most three others. Unique people are among them.",
            ),
            (
                "Smallest group",
                f"{count(identification.smallest)} {'people' if identification.smallest > 1 else 'person'}",
                "The k that the table has before anything is done.",
            ),
        ):
            st.metric(label, value, border=True, help=words)
    st.markdown(f"{sentence(identification)} {adds_most(identification)}")
    with st.grid(2, min_column_width=360, gap=("small", "large")) as grid:
        with grid.cell():
            _crowds(identification)
        with grid.cell():
            _contributions(identification)


def _crowds(alone: Uniqueness) -> None:
    st.markdown("##### How many people share their values")
    charts.show(
        data_charts.crowds(alone),
        alt=(
            f"{percent(alone.share)} of people are unique; {percent(alone.crowds[-1].people / alone.people)} share "
            f"their values with nine others or more."
        ),
    )
    widgets.numbers_below(
        data_charts.crowd_table(alone),
        "People by size of group",
        "data:crowds",
        {"Share": st.column_config.NumberColumn(format="percent")},
    )


def _contributions(alone: Uniqueness) -> None:
    st.markdown("##### What each column adds")
    best = min(alone.contributions, key=lambda part: part.without)
    charts.show(
        data_charts.contributions(alone),
        alt=f"{plain(best.name, 40)} adds most: without it {percent(best.without / alone.people)} of people would be "
        f"unique, with all columns {percent(alone.share)} are.",
    )
    st.caption(
        "Bar: people who stay unique when all but this column is known. The shorter the bar, the more the column "
        "adds. Diamond: people unique by this column alone. Dashed line: all columns known."
    )
    shares = ("Unique without it", "Unique by it alone")
    widgets.numbers_below(
        data_charts.contribution_table(alone),
        "What each column adds",
        "data:contributions",
        {name: st.column_config.NumberColumn(format="percent") for name in shares},
    )
