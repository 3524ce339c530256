"""Providers assigned to the records of a table that names none."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.base.errors import ParameterError

SHARES = ("uniform", "exponential")
MOST_ASSIGNED = 30
SPREAD = 5.0
"""Exponential: the share of provider i is proportional to exp(-5 i / n)."""


def expected_shares(providers: int, shares: str = "exponential") -> NDArray[np.float64]:
    """Share of the records that each provider gets; sums to 1.

    *uniform*: all the same. *exponential*: proportional to ``exp(-5 i / n)``, so that the
    first of 10 providers has 90 times as much as the last whatever the table. The paper
    says "exponential" and no parameter.
    """
    if not 2 <= providers <= MOST_ASSIGNED:
        raise ParameterError(
            f"The number of providers must be from 2 to {MOST_ASSIGNED}; {providers} was given.", parameter="providers"
        )
    if shares not in SHARES:
        raise ParameterError(f"shares must be one of {', '.join(SHARES)}.", parameter="shares")
    rate = SPREAD / providers if shares == "exponential" else 0.0
    weight = np.exp(-rate * np.arange(providers))
    share: NDArray[np.float64] = weight / weight.sum()
    return share


def assign_providers(
    records: int, providers: int, shares: str = "exponential", seed: int | np.random.Generator = 0
) -> NDArray[np.int32]:
    """Deal the records of a table out to providers.

    Parameters
    ----------
    records
        Records of the table.
    providers
        2 to 30; each gets at least one record.
    shares
        ``"uniform"`` or ``"exponential"``, see :func:`expected_shares`.
    seed
        Of the one permutation behind it.

    Returns
    -------
    ndarray
        (records,) provider of each record, 0 to ``providers - 1``. Shares are met to within
        one record (but for the one that everybody has); who gets which record is random.

    Raises
    ------
    ParameterError
        If an argument is out of range or there are fewer records than providers.
    """
    share = expected_shares(providers, shares)
    if records < providers:
        raise ParameterError(
            f"{records:,} records cannot be dealt out to {providers} providers; take fewer providers.",
            parameter="providers",
        )
    # One for everybody, the rest by largest remainders.
    due = share * (records - providers)
    count = np.floor(due).astype(np.int64)
    count[np.argsort(count - due, kind="stable")[: records - providers - int(count.sum())]] += 1
    dealt = np.repeat(np.arange(providers, dtype=np.int32), count + 1)
    return np.random.default_rng(seed).permutation(dealt)
