"""Several sensitive attributes side by side, by falling entropy."""

from __future__ import annotations

import math

import pandas as pd

from core.figures.base import PERCENT, colour, key, plot, shortened
from core.figures.vega import Chart, field, layer


def sensitive_attributes(frame: pd.DataFrame) -> Chart:
    """Share of shared people exposed for each sensitive attribute, the one with most entropy first.

    Parameters
    ----------
    frame
        Output of :func:`core.study.sensitive_attributes.compare_sensitive`; attributes that cannot be compared are left
        out.

    Notes
    -----
    Bars for one value left and for the chosen confidence, thin rules for the 95%
    interval, and ticks for the best single release; where people are accused wrongly, thin ticks
    for true disclosures.
    """
    known = frame[frame["entropy"].notna()]
    names = [
        f"{name} ({bits:.1f} bits)"
        for name, bits in zip(shortened(known["attribute"], 32), known["entropy"], strict=True)
    ]
    most = math.floor(1 / float(known["confidence"].iloc[0]) + 1e-9) if len(known) else 1
    kinds = {"one_value_left": "one value left"} | ({"breach": f"at most {most} left"} if most > 1 else {})
    data = pd.concat(
        [
            pd.DataFrame({"text": names, "what": words, "n": known["n"].to_numpy()}).assign(
                **{
                    field: known[column].to_numpy()
                    for field, column in (
                        ("share", kind),
                        ("low", f"{kind}_low"),
                        ("high", f"{kind}_high"),
                        ("single", f"{kind}_single"),
                        ("right", f"{kind}_correct"),
                    )
                }
            )
            for kind, words in kinds.items()
        ],
        ignore_index=True,
    )
    order = list(kinds.values())
    y = field("text:N", sort=names, title=None, axis={"labelLimit": 260, "labelOverlap": False})
    offset = field("what:N", sort=order)
    x = field(
        "share:Q", title="Shared people exposed", scale={"domain": [0, 1]}, axis={"format": PERCENT, "tickCount": 6}
    )
    tips = [
        field("text:N", title="Sensitive attribute"),
        field("what:N", title=""),
        field("share:Q", title="Exposed", format=".1%"),
        field("low:Q", title="95% interval from", format=".1%"),
        field("high:Q", title="to", format=".1%"),
        field("single:Q", title="Best single release", format=".1%"),
        field("right:Q", title="True disclosures", format=".1%"),
        field("n:Q", title="Shared people", format=","),
    ]
    opacity = field("what:O", scale={"domain": order, "range": [1.0, 0.6][: len(order)]}, legend=None)
    bars = plot(data, "breached").mark("bar", height={"band": 0.8})
    layers = [bars.encode(y=y, yOffset=offset, x=x, color=colour(), opacity=opacity, tooltip=tips)]
    if data["low"].notna().any():
        spread = plot(data[data["low"].notna()], "my release").mark("rule", strokeWidth=2)
        layers.append(spread.encode(y=y, yOffset=offset, x=field("low:Q"), x2={"field": "high"}, color=colour()))
    ticks = [("single", "single release", 2.5)]
    if ((data["share"] - data["right"]).abs() > 1e-12).any():
        ticks.append(("right", "guessing", 1.5))
    for column, series, size in ticks:
        tick = plot(data, series).mark("tick", thickness=size, opacity=1, bandSize=14)
        layers.append(tick.encode(y=y, yOffset=offset, x=field(f"{column}:Q"), color=colour(), tooltip=tips))
    layers.append(key([(f"{sign} {words}", "breached") for sign, words in zip("■▒", order, strict=False)]))
    return layer(*layers).properties(height=62 * max(1, len(names)) + 90)
