"""Slow twins of the agreed list, one class, one record, one candidate at a time [definitions §11]."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Buckets = Sequence[Sequence[str]]
Region = Callable[[int, int, int], float]
"""NCP of the region of a quasi-identifier (by number) from one code to another."""


def values_left(held: set[str | None], buckets: Buckets) -> int:
    """Values of the smallest bucket in a class that holds these values (None: missing); 0 where it is not closed."""
    own = [set(bucket) for bucket in buckets]
    if any(value is None or not any(value in bucket for bucket in own) for value in held):
        return 0
    there = [bucket for bucket in own if bucket & held]
    return min(map(len, there)) if all(bucket <= held for bucket in there) else 0


def loss(members: Sequence[int], rows: Sequence[Sequence[int]], region: Region) -> float:
    """NCP of the region over some records, times their number."""
    if not members:
        return 0.0
    wide = [region(axis, min(row[i] for i in members), max(row[i] for i in members)) for axis, row in enumerate(rows)]
    return sum(wide) * len(members)


def sides(row: Sequence[int], place: int, value: Sequence[int], spare: float) -> tuple[list[int], list[int]]:
    """Left and right of a cut, after the records of scarce values have changed sides."""
    every = range(len(row))
    share = sum(code < place for code in row) / len(row)
    fewest = min(value.count(one) for one in set(value))
    lower = min(max(round(spare * fewest * share), 1), fewest - 1)
    upper = min(max(round(spare * fewest * (1 - share)), 1), fewest - lower)
    left = []
    for one in sorted(set(value)):
        ranked = sorted((i for i in every if value[i] == one), key=lambda i: (row[i], i))
        for rank, i in enumerate(ranked):
            if (row[i] < place or rank < lower) and rank < len(ranked) - upper:
                left.append(i)
    return sorted(left), [i for i in every if i not in left]


def cheapest_buckets(share: Sequence[float], least: int, cost: Callable[[Sequence[float]], float]) -> float:
    """Least cost of cutting rising shares into runs of ``least`` to ``2 least - 1``, by trying all."""
    if not share:
        return 0.0
    ends = [end for end in range(least, 2 * least) if end <= len(share)]
    found = [cost(share[:end]) + cheapest_buckets(share[end:], least, cost) for end in ends]
    return min(found, default=float("inf"))
