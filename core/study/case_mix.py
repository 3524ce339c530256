"""How much the sensitive values of other hospitals' patients differ from mine.

Specialised hospitals have fewer values in common. So in each draw of another hospital every sensitive value gets a
weight exp(S z), with z standard normal and drawn again each time. Synthetic people are accepted in proportion to the
weight of their value, at most :data:`POOL` times as often as on average: this bound limits the effect of a strength S
that is not well known.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Floats, Ints

LIKE_MINE, NOT_KNOWN = 0.0, 1.0
"""Strength S for a hospital like mine, and the one used if the difference is not known."""
POOL = 4
"""Candidates drawn for each synthetic person."""


def acceptance(counts: Ints, strength: float, rng: np.random.Generator) -> Floats:
    """(values,) probability of accepting a candidate with each value; 1 / :data:`POOL` on average over ``counts``."""
    weight = np.exp(strength * rng.standard_normal(len(counts)))
    share = counts / counts.sum()
    low, high = 0.0, POOL * 60.0 / float(share @ weight)
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if float(share @ -np.expm1(-middle * weight)) > 1 / POOL else (middle, high)
    chance: Floats = -np.expm1(-high * weight)
    return chance


def strengths_between(units: NDArray[np.int32], sensitive_codes: NDArray[np.int32], values: int) -> Floats:
    """(pairs,) strength S estimated for each pair of units with at least :data:`LEAST` records.

    The squared strength is the variance of log(share here / share there) over the values, weighted by how common each
    is in both, minus the variance due to the numbers of records alone.

    Parameters
    ----------
    units, sensitive_codes
        (records,) the unit of each record, -1 for none, and its sensitive value.
    values
        Number of sensitive values.
    """
    known = units >= 0
    counts = np.zeros((int(units.max(initial=-1)) + 1, values))
    np.add.at(counts, (units[known], sensitive_codes[known]), 1)
    counts = counts[counts.sum(axis=1) >= LEAST]
    strengths = []
    for number, first in enumerate(counts):
        for second in counts[number + 1 :]:
            seen = first + second > 0
            a, b = np.maximum(first[seen], 0.5), np.maximum(second[seen], 0.5)
            weight = (first + second)[seen] / (first + second).sum()
            ratio = np.log(a / first.sum()) - np.log(b / second.sum())
            spread = float(weight @ (ratio - weight @ ratio) ** 2)
            strengths.append(np.sqrt(max(0.0, spread - float(weight @ (1 / a + 1 / b)))))
    return np.array(strengths)


LEAST = 200
"""Number of records below which the shares of a unit say little."""
