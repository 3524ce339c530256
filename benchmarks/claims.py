"""Whether an adversary is as often right as he says: confidence against hits [definitions §4].

A model that says 70% should be right 70% of the time. People who fall into the same
classes are right or wrong together, so an interval comes from redraws of the hospitals
only, never from counting people as independent draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.attack.intersection import AttackResult
from core.attack.weighted import Weighted, set_hit
from core.base.arrays import Floats, Ints
from core.base.rates import redraw_interval

COLUMNS = ("start", "end", "said", "right", "n", "low", "high")


@dataclass(frozen=True, eq=False)
class Claims:
    """What an adversary said of people, and how often that was right.

    Parameters
    ----------
    said
        (people,) his confidence in the value he names, 0 to 1.
    right
        (people,) chance that this value is the true one.
    weight
        (people,) how many people each one stands for.
    """

    said: Floats
    right: Floats
    weight: Ints

    @classmethod
    def weighted(cls, weighted: Weighted) -> Claims:
        """Claims of the weighted adversary on people of whom he has a guess and the truth is known."""
        judged = weighted.judged
        return cls(weighted.max_posterior[judged], weighted.hit[judged], weighted.weight[judged])

    @classmethod
    def sets(cls, result: AttackResult) -> Claims:
        """Claims of the adversary who takes what is left as equally likely, on the same people."""
        judged = (result.posterior > 0) & (result.truth >= 0)
        return cls(result.confidence[judged], set_hit(result)[judged], result.weight[judged])


@dataclass(frozen=True)
class Agreement:
    """Calibration in three numbers.

    Parameters
    ----------
    n
        Claims that were checked.
    said, right
        Mean confidence, and the share that is right.
    error
        Expected calibration error: mean over claims of the distance, within their bin,
        between what is said and what is right; 0 for a perfect model.
    """

    n: int
    said: float
    right: float
    error: float


def calibration(redraws: Sequence[Weighted | Claims], bins: int = 10) -> pd.DataFrame:
    """Compare what is said with what is right, by bins of confidence, over one or several redraws of the hospitals.

    Parameters
    ----------
    redraws
        Claims of each, one at least. People with nothing left or of unknown truth are left out.
    bins
        Bins of equal width from 0 to 1, 1 to 100.

    Returns
    -------
    DataFrame
        One row a bin that holds somebody: ``start, end`` (its edges; a value on an edge
        belongs to the bin above), ``said`` (mean confidence), ``right`` (share right), ``n``
        (people), ``low, high``: where the share right of one bin falls in 95% of redraws, from
        the redraws in which the bin holds somebody, if these are ten or more, else NaN.
    """
    each = [_sums(claims if isinstance(claims, Claims) else Claims.weighted(claims), bins) for claims in redraws]
    count, claimed, right = np.sum(each, axis=0)
    rows = []
    for number in np.flatnonzero(count):
        shares = [float(r[number] / n[number]) for n, _, r in each if n[number]]
        low, high = redraw_interval(shares, float(count[number]) / len(shares))
        rows.append(
            (
                number / bins,
                (number + 1) / bins,
                claimed[number] / count[number],
                right[number] / count[number],
                int(count[number]),
                low,
                high,
            )
        )
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    return frame.astype({name: "int64" if name == "n" else "float64" for name in COLUMNS})


def agreement(frame: pd.DataFrame) -> Agreement:
    """Sum up a calibration: claims, mean confidence, share right, expected calibration error.

    Takes the output of :func:`calibration`. The more bins, the
    larger the error: compare only what was binned alike. With no claim all is NaN.
    """
    n = int(frame["n"].sum())
    if not n:
        return Agreement(0, float("nan"), float("nan"), float("nan"))
    share = frame["n"] / n
    return Agreement(
        n,
        float((share * frame["said"]).sum()),
        float((share * frame["right"]).sum()),
        float((share * (frame["said"] - frame["right"]).abs()).sum()),
    )


def _sums(claims: Claims, bins: int) -> NDArray[np.float64]:
    """(3, bins): claims, their confidence and their hits, summed by bin."""
    number = np.clip(np.floor(claims.said * bins + 1e-9).astype(np.int64), 0, bins - 1)
    return np.array(
        [
            np.bincount(number, weights=claims.weight * amount, minlength=bins)
            for amount in (1.0, claims.said, claims.right)
        ]
    )
