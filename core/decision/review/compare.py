"""Compare settings: which are undominated."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def efficient(costs: Sequence[float], risks: Sequence[float]) -> NDArray[np.bool_]:
    """Whether each setting is on the efficient frontier: no other is as good in both and better in one.

    Parameters
    ----------
    costs, risks
        (settings,) less is better; NaN is never efficient.
    """
    cost, risk = np.asarray(costs, dtype=float), np.asarray(risks, dtype=float)
    known = ~(np.isnan(cost) | np.isnan(risk))
    as_good = (cost[None, :] <= cost[:, None]) & (risk[None, :] <= risk[:, None])
    better = (cost[None, :] < cost[:, None]) | (risk[None, :] < risk[:, None])
    best: NDArray[np.bool_] = known & ~(as_good & better & known[None, :]).any(axis=1)
    return best
