"""What detail costs in exposure: loss against the share exposed, one curve an algorithm.

At one k two algorithms lose and expose differently, so a comparison at equal k says nothing. What
a publisher can choose by is the loss that an algorithm needs for an exposure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from core.algorithms import partition_sweep
from core.arrays import Progress, part, step
from core.data.encoding import Encoded
from core.errors import ParameterError
from core.release.utility import gcp
from core.study.hospitals import Study
from core.study.sweep import sweep
from core.study.vary import at_value

OF_POLICY = ("k", "l", "t")


def trade_off(
    encoded: Encoded,
    study: Study,
    algorithms: Sequence[str],
    values: Sequence[Any],
    vary: str = "k",
    confidence: float = 1.0,
    repeats: int = 1,
    seed: int = 0,
    alike: bool = False,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Loss and exposure of my release by several algorithms over several values of k, l or t.

    Parameters
    ----------
    encoded, study, confidence, repeats, seed, progress
        As for :func:`core.study.sweep.sweep`; the algorithm of the first hospital varies.
    algorithms
        Names of algorithms.
    values, vary
        Points of each curve, and what they are of: ``"k"``, ``"l"`` or ``"t"``.
    alike
        Whether the other hospitals form their classes in the same way as mine; else as the
        study says. Files are what they are.

    Returns
    -------
    DataFrame
        One row an algorithm and value: ``algorithm, value, loss, classes, share, low, high``.
        ``loss`` is the information loss (GCP) of my table whole, ``classes`` its classes,
        ``share`` the shared people exposed at the confidence, with its interval.

    Raises
    ------
    ParameterError
        Without algorithms or values, or where something else is to vary.
    """
    if not algorithms or not values:
        raise ParameterError("A trade-off needs at least one algorithm and one value.", parameter="algorithms")
    if vary not in OF_POLICY:
        raise ParameterError(f"vary must be one of {', '.join(OF_POLICY)}.", parameter="vary")
    frames = []
    for number, algorithm in enumerate(algorithms):
        mine, *others = study.hospitals
        if alike:
            others = [other if other.upload else replace(other, algorithm=algorithm) for other in others]
        chosen = replace(study, hospitals=(replace(mine, algorithm=algorithm), *others))
        told = step(progress, number, len(algorithms))
        policies = [at_value(chosen, vary, value).hospitals[0].policy for value in values]
        releases = partition_sweep(encoded, policies, algorithm, part(told, 0.0, 0.3))
        cost = {value: (gcp(one), one.classes.count) for value, one in zip(values, releases, strict=True)}
        frame = sweep(encoded, chosen, vary, values, (confidence,), repeats, seed, part(told, 0.3))
        frames.append(
            pd.DataFrame(
                {
                    "algorithm": algorithm,
                    "value": frame["value"],
                    "loss": [cost[value][0] for value in frame["value"]],
                    "classes": [cost[value][1] for value in frame["value"]],
                    "share": frame["share"],
                    "low": frame["low"],
                    "high": frame["high"],
                }
            )
        )
    return pd.concat(frames, ignore_index=True)


def least_within(frame: pd.DataFrame, share: float) -> pd.DataFrame:
    """Of each algorithm the point that loses least among those that expose at most a share.

    Takes the output of :func:`trade_off`; algorithms without such a point are left out. The one
    that loses least comes first.
    """
    inside = frame[frame["share"] <= share + 1e-12].sort_values(["loss", "share"], kind="stable")
    return inside.drop_duplicates("algorithm").reset_index(drop=True)
