"""Number of draws of the hospitals of a study, and the confidences at which each is evaluated."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.base.errors import ParameterError
from core.base.limits import LIMITS


@dataclass(frozen=True)
class Redraws:
    """Draws of the hospitals of a study, and the adversaries evaluated for each.

    Parameters
    ----------
    repeats
        Draws; ten or more give an interval.
    seed
        Of the first draw; the others follow from it.
    confidences
        Confidence levels C of the adversary, without repeats.
    first
        Number of the first draw made, from 0: all draws of a seed can be made part by part.

    Raises
    ------
    ParameterError
        Without a draw or a confidence.
    """

    repeats: int = 1
    seed: int = 0
    confidences: Sequence[float] = (1.0, 0.5, 0.25)
    first: int = 0

    def __post_init__(self) -> None:
        """Refuse arguments that give no number."""
        object.__setattr__(self, "confidences", tuple(dict.fromkeys(self.confidences)))
        if not self.confidences:
            raise ParameterError("A curve needs at least one confidence.", parameter="confidences")
        LIMITS["repeats"].check(self.repeats, "repeats")

    def parts(self, size: int) -> list[Redraws]:
        """The same draws in parts: the first alone, for a first answer, then several together."""
        bounds = [0, *range(1, self.repeats, size), self.repeats]
        return [
            replace(self, repeats=end - begin, first=self.first + begin) for begin, end in itertools.pairwise(bounds)
        ]
