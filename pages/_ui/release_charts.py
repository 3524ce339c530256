"""Charts of the release page alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from core import Release
from core.figures import colour
from pages._ui.text import percent, plain

if TYPE_CHECKING:
    import altair

MOST_VALUES = 25


def class_values(release: Release, number: int) -> pd.DataFrame:
    """Sensitive values of one class, commonest first: ``value, records, share, table``.

    ``table`` is the share of the value in the whole published table.
    """
    histogram, domain = release.histogram, release.encoded.sensitive
    values, counts = histogram.of_class(number)
    frame = pd.DataFrame({
        "value": [plain(domain.labels[code], 80) for code in values],
        "records": counts,
        "share": counts / counts.sum(),
        "table": histogram.overall[values] / histogram.overall.sum(),
    })  # fmt: skip
    return frame.sort_values("records", ascending=False, kind="stable", ignore_index=True)


def class_bars(frame: pd.DataFrame) -> altair.LayerChart:
    """Records of each sensitive value in a class; a tick marks what the whole table leads one to expect."""
    import altair as alt

    data = frame.head(MOST_VALUES).copy()
    data["expected"] = data["table"] * frame["records"].sum()
    data["place"] = _places(data["value"])
    y = alt.Y("place:N", sort=None, title=None, axis=_named(alt))
    tips = [
        alt.Tooltip("value:N", title="Value"),
        alt.Tooltip("records:Q", title="Records in the class"),
        alt.Tooltip("share:Q", title="Share of the class", format=".1%"),
        alt.Tooltip("table:Q", title="Share of the whole table", format=".2%"),
    ]
    title = "Records; the tick marks the whole table's share"
    x = alt.X("records:Q", title=title, axis=alt.Axis(tickMinStep=1, format="d"))
    bar = _plot(data, "my release").mark_bar().encode(y=y, x=x, color=colour(), tooltip=tips)
    tick = _plot(data, "guessing").mark_tick(thickness=3, size=16)
    tick = tick.encode(y=y, x="expected:Q", color=colour(), tooltip=tips)
    text = _plot(data, "guessing").mark_text(align="left", dx=4)
    text = text.encode(y=y, x="records:Q", text="records:Q", color=colour())
    height = 26 * len(data) + 62
    chart: altair.LayerChart = alt.layer(bar, tick, text).properties(height=height)
    return chart


def _plot(data: pd.DataFrame, series: str) -> altair.Chart:
    import altair as alt

    return alt.Chart(data.assign(series=series))


def _places(texts: pd.Series) -> list[str]:
    """Different keys for texts that may be cut to the same: a number, a blank, the text."""
    return [f"{number:03d} {text}" for number, text in enumerate(texts)]


def _named(alt: Any) -> Any:
    """An axis that shows the text of :func:`_places` without its number."""
    return alt.Axis(labelExpr="slice(datum.label, 4)", labelLimit=230, labelOverlap=False, ticks=False)


def loss_bars(loss: Mapping[str, float]) -> altair.LayerChart:
    """Information loss of each quasi-identifier, most blurred first."""
    import altair as alt

    data = pd.DataFrame({"name": [plain(name, 40) for name in loss], "loss": list(loss.values())})
    data = data.sort_values("loss", ascending=False, kind="stable", ignore_index=True)
    data["place"] = _places(data["name"])
    data["text"] = [percent(value) for value in data["loss"]]
    y = alt.Y("place:N", sort=None, title=None, axis=_named(alt))
    x = alt.X(
        "loss:Q", title="Blurred (0 %: exact, 100 %: nothing left)", scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(format=".0%", tickCount=5),
    )  # fmt: skip
    tips = [
        alt.Tooltip("name:N", title="Quasi-identifier"),
        alt.Tooltip("loss:Q", title="Loss", format=".2%"),
    ]
    bar = _plot(data, "my release").mark_bar().encode(y=y, x=x, color=colour(), tooltip=tips)
    text = _plot(data, "guessing").mark_text(align="left", dx=4)
    text = text.encode(y=y, x="loss:Q", text="text:N", color=colour())
    chart: altair.LayerChart = alt.layer(bar, text).properties(height=26 * len(data) + 62)
    return chart
