"""Charts of the release page alone, as specifications in Vega-Lite.

Drawn anew with every move of a slider; building and checking the same by way of Altair takes
a quarter of the whole run. Names and values of the user's table are data, never part of a
specification.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from core import Release
from core.figures import SERIES
from core.figures.base import top_of
from pages.shared import charts
from pages.shared.text import percent, plain

AROUND = 88
"""Pixels of a chart of bars that its axis and its title take."""
MOST_VALUES = 25


@dataclass(frozen=True, eq=False)
class Chart:
    """A table and how to draw it."""

    data: pd.DataFrame
    spec: dict[str, Any]

    def show(self, alt: str) -> None:
        """Draw it; ``alt`` states the takeaway."""
        rows = {"datasets": {"rows": self.data}, "data": {"name": "rows"}, "config": charts.CONFIG}
        st.vega_lite_chart({**rows, **self.spec}, alt=alt)


def class_values(release: Release, number: int) -> pd.DataFrame:
    """Sensitive values of one class, commonest first: ``value, records, share, table``.

    ``table`` is the share of the value in the whole published table.
    """
    histogram, domain = release.histogram, release.encoded.sensitive
    values, counts = histogram.of_class(number)
    frame = pd.DataFrame(
        {
            "value": [plain(domain.labels[code], 80) for code in values],
            "records": counts,
            "share": counts / counts.sum(),
            "table": histogram.overall[values] / histogram.overall.sum(),
        }
    )
    return frame.sort_values("records", ascending=False, kind="stable", ignore_index=True)


def class_bars(frame: pd.DataFrame) -> Chart:
    """Records of each sensitive value in a class; a tick marks what the whole table leads one to expect."""
    data = frame.head(MOST_VALUES).copy()
    data["expected"] = data["table"] * frame["records"].sum()
    data["place"] = _places(data["value"])
    tips = [
        _field("value", "nominal", "Value"),
        _field("records", "quantitative", "Records in the class"),
        _field("share", "quantitative", "Share of the class", format=".1%"),
        _field("table", "quantitative", "Share of the whole table", format=".2%"),
    ]
    title = "Records (tick: as in the whole table)"
    records = _field("records", "quantitative", title, axis={"tickMinStep": 1, "format": "d"})
    layers = [
        _layer("bar", "my release", x=records, tooltip=tips),
        _layer(
            {"type": "tick", "thickness": 3, "size": 24}, "guessing", x=_field("expected", title=title), tooltip=tips
        ),
        _layer({"type": "text", "align": "left", "dx": 4}, "guessing", x=records, text=_field("records")),
    ]
    return Chart(data, {"height": 26 * len(data) + AROUND, "layer": layers})


def loss_bars(loss: Mapping[str, float]) -> Chart:
    """Information loss of each quasi-identifier, most blurred first."""
    data = pd.DataFrame({"name": [plain(name, 40) for name in loss], "loss": list(loss.values())})
    data = data.sort_values("loss", ascending=False, kind="stable", ignore_index=True)
    data["place"] = _places(data["name"])
    data["text"] = [percent(value) for value in data["loss"]]
    tips = [_field("name", "nominal", "Quasi-identifier"), _field("loss", "quantitative", "Loss", format=".2%")]
    share = _field(
        "loss",
        "quantitative",
        "Blurred (0 %: exact, 100 %: nothing left)",
        scale={"domain": [0, top_of(data["loss"])]},
        axis={"format": ".2~%", "tickCount": 5},
    )
    layers = [
        _layer("bar", "my release", x=share, tooltip=tips),
        _layer({"type": "text", "align": "left", "dx": 4}, "guessing", x=share, text=_field("text", "nominal")),
    ]
    return Chart(data, {"height": 26 * len(data) + AROUND, "layer": layers})


def _field(name: str, kind: str = "quantitative", title: str | None = None, **more: Any) -> dict[str, Any]:
    return {"field": name, "type": kind, **({"title": title} if title else {}), **more}


def _layer(mark: str | dict[str, Any], series: str, **channels: Any) -> dict[str, Any]:
    """Marks beside the text of each row, in the theme's colour of a series."""
    # A number before each text keeps those apart that were cut to the same; the axis leaves it out.
    axis = {"labelExpr": "slice(datum.label, 4)", "labelLimit": 170, "labelOverlap": False, "ticks": False}
    y = {"field": "place", "type": "nominal", "sort": None, "title": None, "axis": axis}
    colour = {"field": "series", "type": "nominal", "scale": {"domain": list(SERIES)}, "legend": None}
    named = {"calculate": f"'{series}'", "as": "series"}
    return {"transform": [named], "mark": mark, "encoding": {"y": y, "color": colour, **channels}}


def _places(texts: pd.Series) -> list[str]:
    return [f"{number:03d} {text}" for number, text in enumerate(texts)]
