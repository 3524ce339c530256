"""A hundred people as dots: how many of them are left with one value, and by one release alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from core.base.words import of_hundred
from core.figures.base import altair_package, colour, plot

if TYPE_CHECKING:
    import altair

ABREAST = 20
"""Dots in a row."""
_DOT, _TRACE, _RING = 190, 40, 420
"""Areas of a dot, of one that stands for less than a person, and of the ring around a dot, in square pixels."""


def meanings(share: float, single: float | None = None, most: int = 1) -> list[str]:
    """What filled dots, hollow ones and rings stand for, in words; no rings without a baseline."""
    left, more = ("one value", "one") if most == 1 else (f"at most {most} values", f"{most}")
    meanings = [f"{of_hundred(share)[1]} left with {left}", f"{of_hundred(1 - share)[1]} with more than {more}"]
    if single is not None:
        meanings.append(f"{of_hundred(single)[1]} left with {left} by the best single release alone")
    return meanings


def hundred(share: float, single: float | None = None, most: int = 1) -> altair.LayerChart:
    """One hundred shared people: those exposed filled, the others hollow.

    Parameters
    ----------
    share
        Share of the shared people who are exposed, from 0 to 1.
    single
        The same share from the best single release alone, its baseline: as many dots have a ring. ``None`` where it is
        not known.
    most
        Values left of somebody who is exposed, at most.

    Notes
    -----
    Rounded by :func:`core.base.words.of_hundred`: a share that is not 0 shows as a small dot at least, one
    that is not 1 leaves one open.
    """
    alt = altair_package()
    exposed = of_hundred(share)[0]
    dots = pd.DataFrame({"place": range(100)})
    dots["rank"], dots["place"] = dots["place"] // ABREAST, dots["place"] % ABREAST
    filled = dots.index < exposed
    scale = alt.Scale(domain=[-0.6, ABREAST - 0.4], nice=False)
    x = alt.X("place:Q", axis=None, scale=scale)
    y = alt.Y("rank:Q", axis=None, scale=alt.Scale(domain=[4.6, -0.6], nice=False))
    tip = [alt.Tooltip("text:N", title="")]
    exposed_text, hidden_text, *single_text = meanings(share, single, most)
    layers = []
    for some, series, text, full, area in (
        (filled, "breached", exposed_text, True, _DOT),
        (~filled, "my release", hidden_text, False, _DOT),
        ((dots.index == exposed) & (exposed == 0) & (share > 0), "breached", exposed_text, True, _TRACE),
    ):
        if some.any():
            mark = plot(dots[some].assign(text=text), series).mark_point(
                shape="circle", filled=full, size=area, opacity=1, strokeWidth=1.5
            )
            layers.append(mark.encode(x=x, y=y, color=colour(), tooltip=tip))
    entries = [(f"● {exposed_text}", "breached"), (f"○ {hidden_text}", "my release")]
    if single is not None:
        alone = of_hundred(single)[0]
        entries.append((f"◎ {single_text[0]}", "single release"))
        if alone:
            ring = plot(dots[dots.index < alone].assign(text=single_text[0]), "single release")
            mark = ring.mark_point(shape="circle", filled=False, size=_RING, opacity=1, strokeWidth=1.5)
            layers.append(mark.encode(x=x, y=y, color=colour(), tooltip=tip))
    key = pd.DataFrame(entries, columns=["text", "series"])
    key["top"] = [-18 * (len(entries) - number) for number in range(len(entries))]
    words_of = alt.Chart(key).mark_text(align="left", baseline="middle", clip=False, fontSize=12)
    place = alt.Y("top:Q", scale=None, axis=None)
    layers.append(words_of.encode(x=alt.value(0), y=place, color=colour(), text=alt.Text("text:N")))
    chart: altair.LayerChart = alt.layer(*layers).properties(height=150)
    return chart
