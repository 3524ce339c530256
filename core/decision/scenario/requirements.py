"""Limits that the decision makers accept, one per number that matters to them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import core.attack.metrics  # noqa: F401 - its numbers have limits, too
from core.base.errors import ParameterError
from core.base.errors import shown_name as shown
from core.base.metrics import METRICS, requirable


@dataclass(frozen=True, init=False)
class Requirements:
    """Limits on the numbers of :data:`core.base.metrics.METRICS`, by their names: ``Requirements(k=5, loss=0.5)``.

    A limit is an upper bound if less is better, and a lower bound if more is. Shares are from 0 to 1. ``None`` sets no
    limit.

    Raises
    ------
    ParameterError
        If no number with a limit has a given name, or a limit is out of its range.
    """

    limits: tuple[tuple[str, float], ...]

    def __init__(self, **limits: float | None) -> None:
        unknown = [name for name in limits if name not in requirable()]
        if unknown:
            raise ParameterError(
                f"{shown(unknown[0])} is not a number with a limit; these are: {', '.join(requirable())}.",
                parameter=unknown[0],
            )
        given = {name: limits[name] for name in requirable() if name in limits}
        for name, limit in given.items():
            if limit is not None:
                _check(name, limit)
        kept = tuple((name, float(limit)) for name, limit in given.items() if limit is not None)
        object.__setattr__(self, "limits", kept)

    @property
    def asked(self) -> dict[str, float]:
        """The limits that are set, in the order of the metrics."""
        return dict(self.limits)

    def with_(self, limits: Mapping[str, float | None]) -> Requirements:
        """Return a copy with some limits changed."""
        return Requirements(**{**self.asked, **limits})

    def to_json(self) -> dict[str, Any]:
        """Only the limits that are set."""
        return self.asked


def _check(name: str, limit: float) -> None:
    """Refuse a limit that cannot be compared with any number."""
    high = 1.0 if METRICS[name].unit == "share" else math.inf
    if not (math.isfinite(limit) and 0 <= limit <= high):
        span = "from 0 to 1" if high == 1 else "0 or more"
        raise ParameterError(f"The limit for {name} must be {span}.", parameter=name)
