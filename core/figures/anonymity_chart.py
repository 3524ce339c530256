"""Number of values that hide a person, before and after combining the releases."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from core.base.arrays import Ints
from core.data.classes import weighted_count
from core.figures.base import HEIGHT, PERCENT, colour, key, names_at_ends, plot
from core.figures.vega import Chart, field, layer


def before_and_after(prior: Any, posterior: Any, most: int = 24, weight: Ints | int = 1) -> Chart:
    """Bars of people by their number of possible values: before (best single release), and after all together.

    ``prior`` and ``posterior`` (P,) are the numbers of values; ``weight`` is the number of people that each represents,
    if it is more than one.
    """
    series, words = ("single release", "breached"), ["before: best single release", "after: all together"]
    order = [*map(str, range(most)), f"{most} or more"]
    parts = []
    for values, colour_of, what in zip((prior, posterior), series, words, strict=True):
        people = weighted_count(np.minimum(values, most), weight, most + 1)
        columns = {"left": range(most + 1), "label": order, "share": people / people.sum(), "people": people}
        parts.append(pd.DataFrame(columns).assign(series=colour_of, what=what))
    data = pd.concat(parts, ignore_index=True)
    # A place for 0 values only if someone is left with none.
    data = data[(data["left"] > 0) | (data["people"] > 0)]
    bars = (
        Chart(data)
        .mark("bar")
        .encode(
            x=field(
                "label:N",
                sort=order,
                title="Sensitive values that remain possible",
                axis={"labelAngle": 0, "labelOverlap": True},
            ),
            y=field("share:Q", title="Shared people", axis={"format": PERCENT}),
            xOffset=field("what:N", sort=words),
            color=colour(),
            tooltip=[
                field("what:N", title=""),
                field("label:N", title="Values"),
                field("people:Q", title="People", format=","),
                field("share:Q", title="Share", format=".1%"),
            ],
        )
    )
    signs = key([(f"■ {what}", colour_of) for what, colour_of in zip(words, series, strict=True)])
    return layer(bars, signs).properties(height=HEIGHT)


def presumed_and_effective(frame: pd.DataFrame, x_title: str, current: Any = None) -> Chart:
    """k as required, class size and effective anonymity [Ganta 2008, Fig. 2 and 3].

    Takes a sweep over k; one confidence of it is enough.
    """
    data = frame.drop_duplicates("value")[["value", "class_size", "prior", "posterior"]]
    parts = [
        ("k itself", "guessing", data["value"].astype(float), [8, 3, 2, 3]),
        ("records in the class", "my release", data["class_size"], [1, 0]),
        ("values before", "single release", data["prior"], [2, 3]),
        ("values left", "breached", data["posterior"], [6, 3]),
    ]
    rows = [(v, y, what, series) for what, series, ys, _ in parts for v, y in zip(data["value"], ys, strict=True)]
    long = pd.DataFrame(rows, columns=["value", "count", "what", "series"])
    names = [what for what, *_ in parts]
    known = long["count"][long["count"] > 0]
    span = (float(min(1.0, known.min())), float(known.max()) * 1.1) if len(known) else (1.0, 10.0)
    x = field("value:Q", title=x_title, scale={"type": "log", "nice": False}, axis={"format": "~g", "grid": False})
    line = (
        Chart(long)
        .mark("line", strokeWidth=2.2, point={"size": 24})
        .encode(
            x=x,
            y=field(
                "count:Q",
                title="Mean over shared people",
                scale={"type": "log", "domain": list(span), "nice": False},
                axis={"format": "~g", "values": [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000]},
            ),
            color=colour(),
            strokeDash=field(
                "what:N", sort=names, scale={"domain": names, "range": [dash for *_, dash in parts]}, legend=None
            ),
            tooltip=[
                field("value:Q", title=x_title),
                field("what:N", title=""),
                field("count:Q", format=".1f", title="Mean"),
            ],
        )
    )
    last = long[(long["value"] == long["value"].max()) & (long["count"] > 0)]
    ends = last.rename(columns={"what": "line", "count": "share"})
    layers = [line, *names_at_ends(ends, x, span=span, log=True)]
    if current is not None:
        rule = plot(pd.DataFrame({"value": [current]}), "my release").mark("rule", strokeDash=[1, 2], strokeWidth=2)
        layers.append(rule.encode(x=field("value:Q"), color=colour()))
    return layer(*layers).properties(height=HEIGHT)
