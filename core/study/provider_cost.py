"""Provider-aware anonymisation and its baseline: what m-privacy costs.

The measures of [Goryczka 2011, §V.C], and those of definitions §9.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from core.algorithms import partition
from core.base.arrays import Progress
from core.data.encoding.encoded import Encoded
from core.privacy.coalitions import coalition_table
from core.privacy.policy import Policy
from core.release.algorithm import ALGORITHMS
from core.release.query_error import QUERIES, QueryError, query_error
from core.release.release import Release
from core.release.utility import gcp

METHODS = {"provider-aware": ALGORITHMS["provider-aware"].words, "mondrian": "Mondrian with m (baseline)"}


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
