"""Provider-aware anonymisation beside its baseline: what m-privacy costs.

The measures of [Goryczka 2011, §V.C], and those of definitions §9.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from core.algorithms import partition
from core.base.arrays import Progress
from core.base.errors import InfeasibleError, ParameterError
from core.data.encoding import Encoded
from core.privacy.coalitions import check_sources, coalition_table
from core.privacy.policy import Policy
from core.release.algorithm import ALGORITHMS
from core.release.query_error import QUERIES, QueryError, query_error
from core.release.release import Release
from core.release.utility import gcp

METHODS = {"provider-aware": ALGORITHMS["provider-aware"].words, "mondrian": "Mondrian with m (baseline)"}
VARIED = ("m", "k", "l")


@dataclass(frozen=True, eq=False)
class Pooled:
    """One release of pooled records.

    Parameters
    ----------
    release
        The release.
    seconds
        What the anonymisation alone took.
    error
        Its query error.
    """

    release: Release
    seconds: float
    error: QueryError

    def row(self) -> dict[str, float]:
        """Numbers of the release, for a table."""
        release = self.release
        limit = release.policy.m or 0
        table = coalition_table(release, limit)
        return {
            "classes": release.classes.count,
            "mean size": float(release.sizes.mean()),
            "largest": int(release.sizes.max()),
            "contributors": float(table["contributors"].mean()),
            "loss": gcp(release),
            "absolute": self.error.absolute,
            "relative": self.error.relative,
            "median relative": self.error.median_relative,
            "seconds": self.seconds,
        }


def pool(
    encoded: Encoded,
    policy: Policy,
    algorithm: str,
    seed: int = 0,
    queries: int = QUERIES,
    progress: Progress | None = None,
) -> Pooled:
    """Release pooled records and measure it.

    Parameters
    ----------
    encoded
        Records that name their providers.
    policy
        k, distinct l and m.
    algorithm
        One of :data:`METHODS`.
    seed, queries
        Of the random queries.
    progress
        See :func:`core.algorithms.partition`.
    """
    began = time.perf_counter()
    release = partition(encoded, policy, algorithm, progress)
    took = time.perf_counter() - began
    return Pooled(release, took, query_error(release, queries, seed))


def compare(
    encoded: Encoded,
    policy: Policy,
    vary: str,
    values: Sequence[int],
    seed: int = 0,
    queries: int = QUERIES,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Every method while m, k or l varies.

    Parameters
    ----------
    encoded
        Records that name their providers.
    policy
        What stays fixed.
    vary
        ``"m"``, ``"k"`` or ``"l"``.
    values
        Its values.
    seed, queries
        Of the random queries; the same for every point.
    progress
        Called with the share of the points done; may raise to cancel.

    Returns
    -------
    DataFrame
        One row a value and method: *value*, *method*, *feasible* and the columns of
        :meth:`Pooled.row`; empty cells where not even the whole table meets the policy.

    Raises
    ------
    ParameterError
        For an unknown ``vary``.
    PolicyError
        If the table does not name its providers.
    """
    if vary not in VARIED:
        raise ParameterError(f"vary must be one of {', '.join(VARIED)}.", parameter="vary")
    check_sources(encoded, 0)
    rows: list[dict[str, object]] = []
    for number, value in enumerate(values):
        for method in METHODS:
            changed: dict[str, Any] = {vary: int(value)}
            changed_policy = replace(policy, **changed)
            try:
                row: dict[str, float] = pool(encoded, changed_policy, method, seed, queries).row()
            except InfeasibleError:
                row = {}
            rows.append({"value": int(value), "method": method, "feasible": bool(row), **row})
        if progress is not None:
            progress((number + 1) / len(values))
    return pd.DataFrame(rows)
