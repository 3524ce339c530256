"""What an organisation accepts: a limit for each number it cares about."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

from core.errors import ParameterError
from core.metrics import METRICS


@dataclass(frozen=True)
class Requirements:
    """Limits on the numbers of :data:`core.metrics.METRICS`; ``None`` asks nothing.

    A limit is an upper bound where less is better and a lower bound where more is. Shares are
    from 0 to 1.
    """

    k: float | None = None
    distinct_l: float | None = None
    entropy_l: float | None = None
    t: float | None = None
    m: float | None = None
    perfect: float | None = None
    perfect_right: float | None = None
    breach: float | None = None
    breach_right: float | None = None
    weighted: float | None = None
    weighted_right: float | None = None
    category: float | None = None
    category_right: float | None = None
    hit: float | None = None
    weighted_hit: float | None = None
    expected: float | None = None
    forecast: float | None = None
    pinned: float | None = None
    dp_ceiling: float | None = None
    loss: float | None = None
    query_error: float | None = None

    def __post_init__(self) -> None:
        """Refuse limits that no number can be compared with."""
        for name, limit in self.asked.items():
            high = 1.0 if METRICS[name].kind == "share" else math.inf
            if not (math.isfinite(limit) and 0 <= limit <= high):
                span = "from 0 to 1" if high == 1 else "0 or more"
                raise ParameterError(f"The limit for {name} must be {span}.", parameter=name)

    @property
    def asked(self) -> dict[str, float]:
        """The limits that are set, in the order of the metrics."""
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: float(limit) for name, limit in found.items() if limit is not None}

    def to_json(self) -> dict[str, Any]:
        """Only the limits that are set."""
        return dict(self.asked)
