"""Regions of one column: the possible values of a published cell."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.data.tables.cell_syntax import Range


@dataclass(frozen=True)
class Region:
    """Possible values of a cell.

    Parameters
    ----------
    everything
        Every value, a missing one included.
    missing
        A missing value.
    ranges
        Intervals of positions, ends included: numbers, ranks of an order, leaves of a taxonomy. For a category,
        intervals of the numbers that its texts spell.
    labels
        Texts (categories).
    spans
        Runs of texts (categories): every text from the first to the last, in the order of their
        characters.
    masks
        Texts with stars, each star one character (categories and numbers).
    """

    everything: bool = False
    missing: bool = False
    ranges: frozenset[Range] = frozenset()
    labels: frozenset[str] = frozenset()
    masks: frozenset[str] = frozenset()
    spans: frozenset[tuple[str, str]] = frozenset()

    @classmethod
    def union(cls, parts: Iterable[Region]) -> Region:
        """Union of several regions."""
        regions = list(parts)
        return cls(
            any(part.everything for part in regions),
            any(part.missing for part in regions),
            frozenset().union(*(part.ranges for part in regions)),
            frozenset().union(*(part.labels for part in regions)),
            frozenset().union(*(part.masks for part in regions)),
            frozenset().union(*(part.spans for part in regions)),
        )

    def __or__(self, other: Region) -> Region:
        """Both readings."""
        return Region.union((self, other))


ALL = Region(everything=True)


def point(place: float) -> Region:
    """Region of one place."""
    return Region(ranges=frozenset({(place, place)}))


def of_span(span: Range | None) -> Region | None:
    """Region of one range, if there is one."""
    return None if span is None else Region(ranges=frozenset({(float(span[0]), float(span[1]))}))


def runs(hit: NDArray[np.bool_]) -> Region | None:
    """Region of the marked positions, as ranges; ``None`` if there are none."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], hit, [False])).astype(np.int8)))
    if not len(edges):
        return None
    return Region(ranges=frozenset((float(a), float(b - 1)) for a, b in edges.reshape(-1, 2)))
