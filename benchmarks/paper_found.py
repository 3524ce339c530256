"""What comparing with Ganta et al. finds: shares of people over redraws, by setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.rates import redraw_interval

OVERLAP = 5000


@dataclass(frozen=True)
class Share:
    """Mean share of shared people over redraws, and where 95 % of redraws fall (from ten redraws on)."""

    mean: float
    low: float | None
    high: float | None

    @classmethod
    def of(cls, values: Sequence[float]) -> Share:
        """Summarise the redraws."""
        return cls(float(np.mean(values)), *redraw_interval(values, OVERLAP))


@dataclass(frozen=True)
class Found:
    """One setting over redraws.

    Parameters
    ----------
    perfect, quarter
        Shared people with one value left, and with at most four left (C >= 25 %).
    single_perfect, single_quarter
        The same from the best single release alone.
    size
        Records of each hospital.
    per_class
        Records over classes, mean of the hospitals.
    seen
        Records in the class of a shared person, mean over people and hospitals.
    seen_range
        Smallest and largest of these means over the redraws.
    before, after
        Distinct values in the class of a shared person, and values left; means.
    """

    perfect: Share
    quarter: Share
    single_perfect: float
    single_quarter: float
    size: int
    per_class: float
    seen: float
    seen_range: tuple[float, float]
    before: float
    after: float


@dataclass(frozen=True)
class Findings:
    """Everything the text needs.

    Parameters
    ----------
    main
        (table, k) of the first table of the text.
    tried
        Variants by name.
    guess
        For each table, how often naming the commonest value, or the four commonest, is right.
    entropy
        Of the sensitive attribute of each table, in bits.
    two, many
        For each table the scenarios of two releases, and of two to four at fixed sizes;
        output of :func:`benchmarks.scenarios.scenarios`.
    without
        IPUMS: shared people without an occupation; of them and of the others, the share with
        one value left.
    """

    main: Mapping[tuple[str, int], Found]
    tried: Mapping[str, Found]
    guess: Mapping[str, tuple[float, float]]
    without: tuple[float, float, float]
    entropy: Mapping[str, float]
    two: Mapping[str, pd.DataFrame]
    many: Mapping[str, pd.DataFrame]
