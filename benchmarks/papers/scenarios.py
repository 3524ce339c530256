"""The three scenarios of [Ganta 2008, Fig. 1], for two and more releases, classes known or read off the release."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from core import Policy, Release
from core.algorithms import partition_sweep
from core.data.encoding.encoded import Encoded
from core.study.hospitals import Study
from core.study.one_run import outcome_of, seeds

SCENARIOS = {
    "Mondrian twice": ("mondrian", "mondrian"),
    "microaggregation twice": ("mdav", "mdav"),
    "one of each": ("mondrian", "mdav"),
}
"""Algorithm of the first hospital, and of all others."""
KNOWN, READ = "assumed", "published"
"""The adversary knows each person's class, as in the paper, or reads it off the regions and centroids."""
Tell = Callable[[str], None]


def scenarios(
    encoded: Encoded,
    ks: Sequence[int],
    releases: Sequence[int] = (2,),
    redraws: int = 3,
    overlap: int = 5000,
    seed: int = 0,
    tell: Tell | None = None,
) -> pd.DataFrame:
    """Attack every scenario at every k.

    Draws are nested: with several numbers of releases all hospitals have the size that the
    largest number leaves, P + (N - P) / R, so that a line shows what R does and not size.

    Returns
    -------
    DataFrame
        One row a scenario, k, number of releases and way of locating, means over redraws:
        ``scenario, k, releases, locate, one_value_left, wrong`` (the
        part of it whose true value is another), ``quarter, single, prior, posterior, drop,
        located`` (share of people whose one candidate class is their own, mean of the
        microaggregated releases; NaN without one), ``size, redraws``.
    """
    policies = [Policy(k) for k in ks]
    study = Study.uniform(Policy(2), overlap, max(releases))
    rows = []
    for number, draw in enumerate(seeds(seed, redraws)):
        parts = study.draw(encoded, draw)
        made: dict[str, list[list[Release]]] = {}
        for algorithm in ("mondrian", "mdav"):
            made[algorithm] = [partition_sweep(part, policies, algorithm) for part in parts]  # type: ignore[arg-type]
            if tell is not None:
                tell(f"draw {number + 1} of {redraws}, {algorithm}")
        for place, k in enumerate(ks):
            for name, (first, others) in SCENARIOS.items():
                row = [made[first][0][place], *(made[others][i][place] for i in range(1, len(parts)))]
                for count in releases:
                    rows += [
                        {
                            "scenario": name,
                            "k": k,
                            "releases": count,
                            "locate": locate,
                            "size": len(parts[0]),
                            **_numbers(row[:count], parts[:count], replace(study, locate=locate)),
                        }
                        for locate in (KNOWN, READ)
                    ]
    frame = pd.DataFrame(rows)
    keys = ["scenario", "k", "releases", "locate"]
    return frame.groupby(keys, sort=False, as_index=False).mean().assign(redraws=redraws)


def _numbers(releases: list[Release], parts: list, study: Study) -> dict[str, float]:  # type: ignore[type-arg]
    result = outcome_of(releases, parts, study).result
    found = [
        share.only.value
        for share, release in zip(result.located_correctly, releases, strict=True)
        if share is not None and release.algorithm.centroids
    ]
    return {
        "one_value_left": float(result.breached(1.0).mean()),
        "wrong": result.false_alarms.value,
        "quarter": float(result.breached(0.25).mean()),
        "single": result.single(1.0),
        "prior": float(result.effective_anonymity.mean()),
        "posterior": float(result.posterior.mean()),
        "drop": float(result.drop.mean()),
        "located": float(np.mean(found)) if found else float("nan"),
    }
