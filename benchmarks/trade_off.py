"""What detail costs in exposure: loss against the share exposed, one curve an algorithm.

At one k two algorithms lose and expose differently, so a comparison at equal k says nothing. What
a publisher can choose by is the loss that an algorithm needs for an exposure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from core.algorithms import partition_sweep
from core.base.arrays import Progress, part, step
from core.base.errors import ParameterError
from core.data.encoding.encoded import Encoded
from core.release.utility import gcp
from core.study.hospitals import Study
from core.study.redraws import Redraws
from core.study.sweep import sweep
from core.study.vary import at_value

OF_POLICY = ("k", "l", "t")


def by_algorithm(study: Study, algorithms: Sequence[str], alike: bool = False) -> dict[str, Study]:
    """The study with each algorithm in my hospital and, if alike, in the others; files are what they are."""
    mine, *others = study.hospitals
    studies_of = {}
    for name in algorithms:
        rest = [hospital if hospital.upload or not alike else replace(hospital, algorithm=name) for hospital in others]
        studies_of[name] = replace(study, hospitals=(replace(mine, algorithm=name), *rest))
    return studies_of


def trade_off(
    encoded: Encoded,
    studies: Mapping[str, Study],
    values: Sequence[Any],
    vary: str = "k",
    redraws: Redraws | None = None,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Loss and exposure of my release by several algorithms over several values of k, l or t.

    Parameters
    ----------
    encoded, progress
        As for :func:`core.study.sweep.sweep`.
    studies
        By algorithm, the study in which my hospital uses it; output of :func:`by_algorithm`.
    values, vary
        Points of each curve, and what they are of: ``"k"``, ``"l"`` or ``"t"``.
    redraws
        Draws of the hospitals; the first of its confidences is shown.

    Returns
    -------
    DataFrame
        One row an algorithm and value: ``algorithm, value, loss, classes, share, low, high``.
        ``loss`` is the information loss (GCP) of my table whole, ``classes`` its classes,
        ``share`` the shared people exposed at that confidence, with its interval.

    Raises
    ------
    ParameterError
        Without algorithms or values, or where something else is to vary.
    """
    if not studies or not values:
        raise ParameterError("A trade-off needs at least one algorithm and one value.", parameter="algorithms")
    if vary not in OF_POLICY:
        raise ParameterError(f"vary must be one of {', '.join(OF_POLICY)}.", parameter="vary")
    draws, frames = redraws or Redraws(), []
    draws = replace(draws, confidences=draws.confidences[:1])
    for number, (algorithm, chosen) in enumerate(studies.items()):
        report = step(progress, number, len(studies))
        policies = [at_value(chosen, vary, value).hospitals[0].policy for value in values]
        releases = partition_sweep(encoded, policies, algorithm, part(report, 0.0, 0.3))
        cost = {value: (gcp(release), release.classes.count) for value, release in zip(values, releases, strict=True)}
        frame = sweep(encoded, chosen, vary, values, draws, part(report, 0.3))
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
