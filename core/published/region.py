"""Regions of one column: what a published cell may stand for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.data.cell_syntax import Range


@dataclass(frozen=True)
class Region:
    """What a cell may stand for.

    Parameters
    ----------
    everything
        Every value, a missing one included.
    missing
        A missing value.
    ranges
        Intervals of places, ends inside: numbers, ranks of an order, leaves of a taxonomy.
        For a category, of the numbers that its texts spell.
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
        """What any of the parts stands for."""
        found = list(parts)
        return cls(
            any(part.everything for part in found),
            any(part.missing for part in found),
            frozenset().union(*(part.ranges for part in found)),
            frozenset().union(*(part.labels for part in found)),
            frozenset().union(*(part.masks for part in found)),
            frozenset().union(*(part.spans for part in found)),
        )

    def __or__(self, other: Region) -> Region:
        """Both readings."""
        return Region.union((self, other))


ALL = Region(everything=True)


def point(place: float) -> Region:
    """Region of one place."""
    return Region(ranges=frozenset({(place, place)}))


def one(found: Range | None) -> Region | None:
    """Region of one range, if there is one."""
    return None if found is None else Region(ranges=frozenset({(float(found[0]), float(found[1]))}))


def runs(hit: NDArray[np.bool_]) -> Region | None:
    """Region of the places that are hit, as runs; ``None`` if none is."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], hit, [False])).astype(np.int8)))
    if not len(edges):
        return None
    return Region(ranges=frozenset((float(a), float(b - 1)) for a, b in edges.reshape(-1, 2)))
