"""Charts of the data page: uniqueness of people, and the columns that cause it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from core.data.profiling.uniqueness import Uniqueness, UniquenessBand
from core.figures import colour, plot
from core.figures.base import shortened
from core.figures.vega import Chart, field, layer
from pages.data.text import headers

MOST_COLUMNS = 40
ROW, AXIS = 19, 48
"""Height in pixels of a bar with its gap, and of the axis below the bars."""


def band_words(band: UniquenessBand) -> str:
    """Number of people who share their values, in words."""
    if band.high is None:
        return f"{band.low} or more"
    if band.low == band.high:
        return "alone" if band.low == 1 else f"{band.low} people"
    return f"{band.low} {'or' if band.high == band.low + 1 else 'to'} {band.high} people"


def band_table(alone: Uniqueness) -> pd.DataFrame:
    """People by the number of people with the same values."""
    return pd.DataFrame(
        {
            "People with the same values": [band_words(band) for band in alone.bands],
            "Groups": [band.groups for band in alone.bands],
            "People": [band.people for band in alone.bands],
            "Share": [band.people / alone.people for band in alone.bands],
        }
    )


def contribution_table(alone: Uniqueness) -> pd.DataFrame:
    """Contribution of each quasi-identifier, the largest first."""
    frame = pd.DataFrame(
        {
            "Column": headers([part.name for part in alone.contributions], 40),
            "Values": [part.distinct for part in alone.contributions],
            "Unique without it": [part.without / alone.people for part in alone.contributions],
            "Unique by it alone": [part.alone / alone.people for part in alone.contributions],
        }
    )
    return frame.sort_values("Unique without it", kind="stable", ignore_index=True)


def bands(uniqueness: Uniqueness) -> Chart:
    """Share of people by the size of their group."""
    data = band_table(uniqueness)
    data.columns = pd.Index(["size", "groups", "people", "share"])
    y = _named("size", data["size"])
    tips = [
        field("size:N", title="People with the same values"),
        field("share:Q", title="Share of people", format=".1%"),
        field("people:Q", title="People", format=","),
        field("groups:Q", title="Groups", format=","),
    ]
    x = field("share:Q", title=None, axis=_percent())
    bar = plot(data, "my release").mark("bar").encode(y=y, x=x, color=colour(), tooltip=tips)
    return layer(bar, _labels(data, y, "share")).properties(height=ROW * len(data) + AXIS)


def _named(name: str, order: Iterable[str]) -> Any:
    """A line for each bar, every one with its name."""
    axis = {"labelLimit": 150, "labelOverlap": False, "labelFlush": False}
    return field(f"{name}:N", sort=list(order), title=None, axis=axis)


def _percent() -> Any:
    """An axis that ends at the largest share, so that small percentages stay visible."""
    return {"format": ".2~%", "tickCount": 4}


def _labels(data: pd.DataFrame, y: Any, name: str) -> Any:
    """Write the shares in a separate column, where they cover nothing."""
    text = plot(data, "guessing").mark("text", align="left", dx=8)
    return text.encode(y=y, x={"value": "width"}, text=field(f"{name}:Q", format=".1%"), color=colour())


def contributions(uniqueness: Uniqueness) -> Chart:
    """Share of people still unique when one column is unknown, and the share now."""
    data = contribution_table(uniqueness).head(MOST_COLUMNS)
    data.columns = pd.Index(["column", "values", "without", "alone"])
    data["column"] = shortened(data["column"], 40)
    y = _named("column", data["column"])
    x = field("without:Q", title=None, axis=_percent())
    tips = [
        field("column:N", title="Column"),
        field("without:Q", title="Unique without it", format=".1%"),
        field("alone:Q", title="Unique by it alone", format=".1%"),
        field("values:Q", title="Values", format=","),
    ]
    bar = plot(data, "single release").mark("bar", opacity=0.75).encode(y=y, x=x, color=colour(), tooltip=tips)
    alone = plot(data, "my release").mark("point", shape="diamond", filled=True, size=90, opacity=1)
    alone = alone.encode(y=y, x=field("alone:Q"), color=colour(), tooltip=tips)
    rule = plot(pd.DataFrame({"share": [uniqueness.share]}), "my release").mark(
        "rule", strokeDash=[4, 3], strokeWidth=2
    )
    rule = rule.encode(x=field("share:Q"), color=colour())
    return layer(bar, _labels(data, y, "without"), alone, rule).properties(height=ROW * len(data) + AXIS)
