"""What comparing with Ganta et al. finds: shares of people over redraws, by setting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from benchmarks.markdown import Mean


@dataclass(frozen=True)
class Setting:
    """One setting over redraws.

    Parameters
    ----------
    one_value_left, quarter
        Shared people with one value left, and with at most four left (C >= 25%).
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

    one_value_left: Mean
    quarter: Mean
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
        For each table, how often naming the most common value, or the four most common, is right.
    entropy
        Of the sensitive attribute of each table, in bits.
    two, many
        For each table the scenarios of two releases, and of two to four at fixed sizes;
        output of :func:`benchmarks.papers.scenarios.scenarios`.
    without
        IPUMS: shared people without an occupation; of them and of the others, the share with
        one value left.
    """

    main: Mapping[tuple[str, int], Setting]
    tried: Mapping[str, Setting]
    guess: Mapping[str, tuple[float, float]]
    without: tuple[float, float, float]
    entropy: Mapping[str, float]
    two: Mapping[str, pd.DataFrame]
    many: Mapping[str, pd.DataFrame]
