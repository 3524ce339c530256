"""The estimate of Sattar and Helal against k: every row is computed by partitioning the table again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from core.algorithms import partition_sweep
from core.base.arrays import Progress
from core.data.encoding.encoded import Encoded
from core.data.encoding.marginals import Marginals
from core.forecast.estimate import Forecast, forecast
from core.privacy.policy import Policy
from core.release.algorithm import DEFAULT
from core.release.release import Release
from core.release.utility import gcp

AT_ONCE = 4
"""Number of values of k between two progress reports."""


@dataclass(frozen=True)
class Question:
    """Settings for every release of a comparison: arguments of :func:`core.forecast.forecast`."""

    population: Marginals | None = None
    others: int | None = None
    l: int = 2  # noqa: E741
    confidence: float = 0.9
    joint: bool = False

    def of(self, release: Release) -> Forecast:
        """Apply them to one release."""
        return forecast(release, self.population, self.others, self.l, self.confidence, joint=self.joint)


def forecast_curve(
    encoded: Encoded,
    policy: Policy,
    ks: Sequence[int],
    question: Question | None = None,
    algorithm: str = DEFAULT,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Estimate the releases of a table for several k, one row per k.

    Columns ``k``; ``risk`` and ``people``, the share of vulnerable classes and of people in them by at least l common
    values; ``risk_subset`` and ``people_subset`` by every l-subset; ``loss`` (GCP) and ``classes``.
    """
    ask, rows = question or Question(), list[dict[str, float]]()
    distinct = list(dict.fromkeys(int(k) for k in ks))
    for start in range(0, len(distinct), AT_ONCE):
        some = distinct[start : start + AT_ONCE]
        for k, release in zip(
            some, partition_sweep(encoded, [replace(policy, k=k) for k in some], algorithm), strict=True
        ):
            estimate = ask.of(release)
            rows.append(
                {
                    "k": k,
                    "risk": estimate.risk().value,
                    "people": estimate.people().value,
                    "risk_subset": estimate.risk("every subset").value,
                    "people_subset": estimate.people("every subset").value,
                    "loss": gcp(release),
                    "classes": estimate.classes,
                }
            )
        if progress is not None:
            progress(len(rows) / len(distinct))
    return pd.DataFrame(rows)
