"""How wide a published region is, for whole arrays of regions at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Floats
from core.data.domain import Domain

TABLED = 1_500
"""Values of a domain up to which the width of every region is looked up instead of computed."""

Width = Callable[[NDArray[Any], NDArray[Any]], Floats]


@dataclass(frozen=True, eq=False)
class Widths:
    """NCP of regions [definitions §9].

    Parameters
    ----------
    of
        For each quasi-identifier: NCP of the region over ``[low, high]``, 0 for a single value.
    """

    of: tuple[Width, ...]

    @classmethod
    def over(cls, domains: Sequence[Domain]) -> Widths:
        """Prepare the domains of a table; O(values²) each, for as many as :data:`TABLED`."""
        return cls(tuple(_width(domain) for domain in domains))

    def sum(self, low: NDArray[Any], high: NDArray[Any]) -> Floats:
        """Sum over the quasi-identifiers, which are the first axis of ``low`` and ``high``."""
        total: Floats = self.of[0](low[0], high[0])
        for width, lower, upper in zip(self.of[1:], low[1:], high[1:], strict=True):
            total = total + width(lower, upper)
        return total


def _width(domain: Domain) -> Width:
    def computed(low: NDArray[Any], high: NDArray[Any]) -> Floats:
        widths: Floats = np.where(low == high, 0.0, domain.width(low, high))
        return widths

    if domain.size > TABLED:
        return computed
    size, (low, high) = domain.size, np.triu_indices(domain.size)
    table = np.zeros(size * size)
    table[low * size + high] = computed(low, high)
    return lambda lower, upper: table.take(lower * size + upper)
