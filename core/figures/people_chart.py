"""A hundred people as dots: those with one value left after all releases, and after one release alone."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core.base.wording import of_hundred
from core.figures.base import colour, key, plot
from core.figures.vega import Chart, field, layer

ABREAST = 20
"""Dots in a row."""
_DOT, _TRACE, _RING = 190, 40, 420
"""Areas of a dot, of a dot for less than a person, and of the ring around a dot, in square pixels."""


def meanings(share: float, single: float | None = None, most: int = 1) -> list[str]:
    """Meaning of filled dots, hollow dots and rings; no rings without a baseline."""
    left, more = ("one value", "one") if most == 1 else (f"at most {most} values", f"{most}")
    meanings = [f"{of_hundred(share)[1]} left with {left}", f"{of_hundred(1 - share)[1]} with more than {more}"]
    if single is not None:
        meanings.append(f"{of_hundred(single)[1]} left with {left} by the best single release alone")
    return meanings


def icon_array(share: float, single: float | None = None, most: int = 1) -> Chart:
    """One hundred shared people: those exposed filled, the others hollow.

    Parameters
    ----------
    share
        Share of the shared people who are exposed, from 0 to 1.
    single
        The same share from the best single release alone, its baseline: as many dots have a ring. ``None`` if it is
        not known.
    most
        Most values left for an exposed person.

    Notes
    -----
    Rounded by :func:`core.base.wording.of_hundred`: a share that is not 0 shows as a small dot at least, one
    that is not 1 leaves one open.
    """
    place = np.arange(100)
    exposed, texts = of_hundred(share)[0], meanings(share, single, most)
    filled, trace = place < exposed, (place == 0) & (exposed == 0 < share)
    marks = [
        (filled, "breached", texts[0], True, _DOT),
        (~filled, "my release", texts[1], False, _DOT),
        (trace, "breached", texts[0], True, _TRACE),
    ]
    if single is not None:
        marks.append((place < of_hundred(single)[0], "single release", texts[2], False, _RING))
    dots = pd.DataFrame({"rank": place // ABREAST, "place": place % ABREAST})
    x = field("place:Q", axis=None, scale={"domain": [-0.6, ABREAST - 0.4], "nice": False})
    y = field("rank:Q", axis=None, scale={"domain": [4.6, -0.6], "nice": False})
    layers = []
    for some, series, text, full, area in marks:
        mark = plot(dots[some].assign(text=text), series)
        mark = mark.mark("point", shape="circle", filled=full, size=area, opacity=1, strokeWidth=1.5)
        layers.append(mark.encode(x=x, y=y, color=colour(), tooltip=[field("text:N", title="")]))
    signs = zip("●○◎", texts, ("breached", "my release", "single release"), strict=False)
    layers.append(key([(f"{sign} {text}", series) for sign, text, series in signs]))
    return layer(*layers).properties(height=150)
