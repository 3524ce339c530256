"""The lattice of coalitions of one class after a search, for drawing."""

from __future__ import annotations

from math import comb

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.errors import ParameterError
from core.privacy.coalitions.group import Group
from core.privacy.coalitions.strategies import Search

MOST_DRAWN = 18
STATES = ("checked, breaches", "checked, harmless", "pruned, breaches", "pruned, harmless", "not needed")
"""What a search says of a coalition. Pruned: above one that breaches or below one that is harmless."""


def lattice(group: Group, search: Search) -> pd.DataFrame:
    """Every coalition of a class's contributors and what the search says of it.

    Parameters
    ----------
    group
        A class of at most 18 contributors.
    search
        Outcome of a strategy on it, for a monotonic constraint.

    Returns
    -------
    DataFrame
        One row for each of the 2^n_G - 1 coalitions that leave an outsider: *mask*, *size*,
        *state* (one of :data:`STATES`), *left* (records of others).
    """
    n = group.contributors
    if n > MOST_DRAWN:
        raise ParameterError(
            f"A class of {n} contributors has too many coalitions to list; at most {MOST_DRAWN} contributors are.",
            parameter="group",
        )
    checked, answers = search.made
    everything = np.arange(1 << n)
    state = np.full(1 << n, 4)
    state[_below(checked[~answers], n)] = 3
    state[_above(checked[answers], n)] = 2
    state[checked[~answers]] = 1
    state[checked[answers]] = 0
    masks = everything[:-1]
    size, _ = group.left(masks)
    return pd.DataFrame(
        {
            "mask": masks,
            "size": np.bitwise_count(masks).astype(np.int64),
            "state": np.array(STATES, dtype=object)[state[:-1]],
            "left": size,
        }
    )


def _below(masks: NDArray[np.int64], n: int) -> NDArray[np.bool_]:
    below = np.zeros(1 << n, dtype=bool)
    below[masks] = True
    every = np.arange(1 << n)
    for bit in range(n):
        without = every[(every >> bit & 1) == 0]
        below[without] |= below[without | (1 << bit)]
    return below


def _above(masks: NDArray[np.int64], n: int) -> NDArray[np.bool_]:
    return _below(((1 << n) - 1) ^ masks, n)[::-1]


def levels(group: Group, search: Search) -> pd.DataFrame:
    """Coalitions of every size by what the search says of them.

    Returns
    -------
    DataFrame
        *size*, *state*, *coalitions*, *share* (of the coalitions of that size). Beyond 18
        contributors what is pruned and what is not needed is counted together as "not checked".
    """
    n = group.contributors
    if n <= MOST_DRAWN:
        counts = lattice(group, search).value_counts(["size", "state"]).reset_index(name="coalitions")
    else:
        checked, answers = search.made
        size = np.bitwise_count(checked).astype(np.int64)
        rows = []
        for level in range(n):
            bad, good = int((answers & (size == level)).sum()), int((~answers & (size == level)).sum())
            rows += [
                (level, STATES[0], bad),
                (level, STATES[1], good),
                (level, "not checked", comb(n, level) - bad - good),
            ]
        counts = pd.DataFrame(rows, columns=["size", "state", "coalitions"])
    counts = counts[counts["coalitions"] > 0].sort_values(["size", "state"], ignore_index=True)
    counts["share"] = [c / comb(n, s) for c, s in zip(counts["coalitions"], counts["size"], strict=True)]
    return counts
