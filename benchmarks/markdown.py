"""Tables and shares as Markdown, for every page that a benchmark writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.base.rates import redraw_interval


@dataclass(frozen=True)
class Mean:
    """Mean of a share over redraws, and where 95% of redraws fall."""

    mean: float
    low: float | None
    high: float | None

    @classmethod
    def of(cls, values: Sequence[float], n: float) -> Mean:
        """Summarise the redraws of a share of ``n`` people."""
        return cls(float(np.mean(values)), *redraw_interval(values, n))


def percent(value: float) -> str:
    """Return a share in percent with one digit, without its sign."""
    return f"{100 * value:.1f}"


def share(mean: Mean) -> str:
    """Return a share with the range of the redraws."""
    if mean.low is None or mean.high is None:
        return percent(mean.mean)
    return f"{percent(mean.mean)} ({percent(mean.low)}–{percent(mean.high)})"


def table(header: Sequence[str], rows: Sequence[tuple[str, ...]], words: int) -> list[str]:
    """Return the lines of a Markdown table; the first columns are of words, the others of numbers."""
    rule = ["---" if place < words else "---:" for place in range(len(header))]
    return ["| " + " | ".join(cells) + " |" for cells in (header, rule, *rows)]
