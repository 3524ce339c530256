"""Slow twin of locating: every person against every published row.

Definitions §4: candidates are the rows whose every cell may stand for the person's value;
for centroids, the rows with the nearest centroid.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from tests.reference.cells import Cell


def rows_by_regions(
    rows: Sequence[Sequence[Cell]], person: Sequence[Any], known: Sequence[bool] | None = None
) -> set[int]:
    """Rows that a person fits; an attribute that is not known fits everything."""
    seen = known or [True] * len(person)
    return {
        number
        for number, cells in enumerate(rows)
        if all(cell.holds(value) for cell, value, knows in zip(cells, person, seen, strict=True) if knows)
    }


def rows_by_centroid(rows: Sequence[Sequence[Any]], person: Sequence[Any]) -> set[int]:
    """Rows with the nearest centroid; numbers are whole or fractions, ``None`` is missing, others are categories.

    Squared distance: for numbers the difference over the standard deviation of the
    published column, squared (nothing where all are the same); for the rest, and between a
    missing and a known value, 1 for a difference.
    """
    far = []
    for cells in rows:
        total = Fraction(0)
        for at, (cell, value) in enumerate(zip(cells, person, strict=True)):
            if isinstance(cell, int | Fraction) and isinstance(value, int | Fraction):
                column = [Fraction(row[at]) for row in rows if row[at] is not None]
                mean = sum(column) / len(column)
                variance = sum((x - mean) ** 2 for x in column) / len(column)
                total += (Fraction(value) - cell) ** 2 / variance if variance else 0
            else:
                total += cell != value
        far.append(total)
    return {number for number, distance in enumerate(far) if distance == min(far)}
