"""Compare candidates: which is better in each number, and which are undominated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from core.base.metrics import LESS, METRICS
from core.decision.review.assessment import Assessment

BEST, WORST = "best", "worst"


def marks(metric: str, candidates: Mapping[str, Assessment]) -> dict[str, str]:
    """Whether each candidate is best, and whether it is worst, in a number.

    Parameters
    ----------
    metric
        Name of the number.
    candidates
        Assessments by their names.

    Returns
    -------
    dict
        "best" or "worst" by the names of these; empty if all are equal, neither way is better, or the numbers are
        of different things.
    """
    better = METRICS[metric].better
    numbers = {who: each.numbers[metric] for who, each in candidates.items() if metric in each.numbers}
    values = [number.value for number in numbers.values()]
    # Ceilings with different priors cannot be compared.
    rivals = len({number.of for number in numbers.values()}) == 1
    if not better or not rivals or len({round(value, 12) for value in values}) == 1:
        return {}
    good, bad = (min(values), max(values)) if better == LESS else (max(values), min(values))
    best = {who: BEST for who, number in numbers.items() if abs(number.value - good) < 1e-12}
    return best | {who: WORST for who, number in numbers.items() if abs(number.value - bad) < 1e-12}


def efficient(costs: Sequence[float], risks: Sequence[float]) -> NDArray[np.bool_]:
    """Whether each candidate is on the efficient frontier: no other is as good in both and better in one.

    Parameters
    ----------
    costs, risks
        (candidates,) less is better; NaN is never efficient.
    """
    cost, risk = np.asarray(costs, dtype=float), np.asarray(risks, dtype=float)
    known = ~(np.isnan(cost) | np.isnan(risk))
    as_good = (cost[None, :] <= cost[:, None]) & (risk[None, :] <= risk[:, None])
    better = (cost[None, :] < cost[:, None]) | (risk[None, :] < risk[:, None])
    best: NDArray[np.bool_] = known & ~(as_good & better & known[None, :]).any(axis=1)
    return best
