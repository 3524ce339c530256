"""Providers assigned to the records of a table that names none."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

SHARES = ("uniform", "exponential")
SPREAD = 5.0
"""Exponential: the share of provider i is proportional to exp(-5 i / n)."""


def expected_shares(providers: int, shares: str = "exponential") -> NDArray[np.float64]:
    """Share of the records that each provider gets; sums to 1.

    *uniform*: all the same. *exponential*: proportional to ``exp(-5 i / n)``, so that the
    first of 10 providers has 90 times as much as the last whatever the table. The paper
    says "exponential" and no parameter.
    """
    rate = SPREAD / providers if shares == "exponential" else 0.0
    weight = np.exp(-rate * np.arange(providers))
    share: NDArray[np.float64] = weight / weight.sum()
    return share


def assign_providers(records: int, providers: int, shares: str = "exponential", seed: int = 0) -> NDArray[np.int32]:
    """(records,) provider of each record, 0 to ``providers - 1``; each gets one at least.

    Shares are met to within one record (but for the one that everybody has); who gets which record is random.
    """
    # One for everybody, the rest by largest remainders.
    due = expected_shares(providers, shares) * (records - providers)
    count = np.floor(due).astype(np.int64)
    count[np.argsort(count - due, kind="stable")[: records - providers - int(count.sum())]] += 1
    dealt = np.repeat(np.arange(providers, dtype=np.int32), count + 1)
    return np.random.default_rng(seed).permutation(dealt)
