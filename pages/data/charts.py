"""Charts of the data page: how alone people are, and which column makes them so."""

from __future__ import annotations

import pandas as pd

from core.data.uniqueness import Crowd, Uniqueness
from core.figures import altair_package, colour, plot
from core.figures.specification import Sheet, in_place_of_altair
from pages.data.text import headers

MOST_COLUMNS = 40
ROW, AXIS = 19, 48
"""Pixels of a bar with its gap, and of the axis below the bars."""


def crowd_words(crowd: Crowd) -> str:
    """How many people share their values, in words."""
    if crowd.high is None:
        return f"{crowd.low} or more"
    if crowd.low == crowd.high:
        return "alone" if crowd.low == 1 else f"{crowd.low} people"
    return f"{crowd.low} {'or' if crowd.high == crowd.low + 1 else 'to'} {crowd.high} people"


def crowd_table(alone: Uniqueness) -> pd.DataFrame:
    """People by the number of people with the same values."""
    return pd.DataFrame(
        {
            "People with the same values": [crowd_words(crowd) for crowd in alone.crowds],
            "Groups": [crowd.groups for crowd in alone.crowds],
            "People": [crowd.people for crowd in alone.crowds],
            "Share": [crowd.people / alone.people for crowd in alone.crowds],
        }
    )


def contribution_table(alone: Uniqueness) -> pd.DataFrame:
    """What each quasi-identifier adds, the one that adds most first."""
    frame = pd.DataFrame(
        {
            "Column": headers([part.name for part in alone.contributions], 40),
            "Values": [part.distinct for part in alone.contributions],
            "Unique without it": [part.without / alone.people for part in alone.contributions],
            "Unique by it alone": [part.alone / alone.people for part in alone.contributions],
        }
    )
    return frame.sort_values("Unique without it", kind="stable", ignore_index=True)


@in_place_of_altair()
def crowds(uniqueness: Uniqueness) -> Sheet:
    """Share of people by the size of their group."""
    alt = altair_package()
    data = crowd_table(uniqueness)
    data.columns = pd.Index(["size", "groups", "people", "share"])
    y = _named("column", data["column"])
    x = alt.X("without:Q", title=None, axis=_percent())
    tips = [
        alt.Tooltip("column:N", title="Column"),
        alt.Tooltip("without:Q", title="Unique without it", format=".1%"),
        alt.Tooltip("alone:Q", title="Unique by it alone", format=".1%"),
        alt.Tooltip("values:Q", title="Values", format=","),
    ]
    bar = plot(data, "single release").mark_bar(opacity=0.75).encode(y=y, x=x, color=colour(), tooltip=tips)
    alone = plot(data, "my release").mark_point(shape="diamond", filled=True, size=90, opacity=1)
    alone = alone.encode(y=y, x=alt.X("alone:Q"), color=colour(), tooltip=tips)
    rule = plot(pd.DataFrame({"share": [uniqueness.share]}), "my release").mark_rule(strokeDash=[4, 3], strokeWidth=2)
    rule = rule.encode(x=alt.X("share:Q"), color=colour())
    chart: Sheet = alt.layer(bar, _labels(data, y, "without"), alone, rule).properties(height=ROW * len(data) + AXIS)
    return chart
