"""Candidates side by side: who is better in what, and which of them nobody beats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.base.metrics import LESS, METRICS
from core.decision.review.assessment import Assessment


def side_by_side(candidates: Mapping[str, Assessment]) -> pd.DataFrame:
    """Every number of every candidate.

    Parameters
    ----------
    candidates
        Assessments by their names, in the order to show.

    Returns
    -------
    DataFrame
        One row a metric and candidate: ``metric, candidate, value, low, high, n, of, best,
        worst, why``. ``best`` and ``worst`` mark the candidates that no other beats, or is
        beaten by, in that metric; both are False where all are equal, neither way is better, or
        the numbers are of different things. ``why`` says why a number is absent.
    """
    rows: list[tuple[object, ...]] = []
    for name, metric in METRICS.items():
        numbers = {who: assessment.numbers.get(name) for who, assessment in candidates.items()}
        values = [number.value for number in numbers.values() if number is not None]
        differ = bool(metric.better) and len({round(value, 12) for value in values}) > 1
        # Ceilings that start from other priors are no rivals.
        differ = differ and len({number.of for number in numbers.values() if number is not None}) == 1
        good, bad = (min, max) if metric.better == LESS else (max, min)
        for who, number in numbers.items():
            why = candidates[who].not_assessed.get(name, "")
            if number is None:
                rows.append((name, who, np.nan, None, None, 0, "", False, False, why))
                continue
            value = number.value
            rows.append(
                (
                    name,
                    who,
                    value,
                    number.low,
                    number.high,
                    number.n,
                    number.of,
                    differ and abs(value - good(values)) < 1e-12,
                    differ and abs(value - bad(values)) < 1e-12,
                    why,
                )
            )
    columns = ["metric", "candidate", "value", "low", "high", "n", "of", "best", "worst", "why"]
    return pd.DataFrame(rows, columns=columns).astype({"low": float, "high": float})


def efficient(costs: Sequence[float], risks: Sequence[float]) -> NDArray[np.bool_]:
    """Which candidates are on the efficient frontier: no other is as good in both and better in one.

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
