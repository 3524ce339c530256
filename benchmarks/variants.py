"""Other ways to partition, to see which of them comes near what a paper printed. Slow and plain."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from core import Encoded, Kind, Policy, Release, Schema, Table, Taxonomy

Partition = Callable[[Encoded, int], Release]


def one_level(table: Table, schema: Schema) -> Schema:
    """Return the schema with a taxonomy of one level for each categorical quasi-identifier: a value or ``*``."""
    absent = set(schema.missing_tokens)
    trees = {
        name: Taxonomy.flat(label for label in table.column(name).labels if label not in absent)
        for name in schema.quasi_identifiers
        if schema.kinds.get(name) is not Kind.NUMERIC and name != "age"
    }
    kinds = {name: str(kind) for name, kind in schema.kinds.items() if name not in trees}
    return schema.with_(taxonomies=trees, kinds=kinds)


def median_only(encoded: Encoded, k: int) -> Release:
    """Mondrian that tries one cut an attribute, at the median, and no other, as [LeFevre 2006] prints it."""
    labels = np.zeros(len(encoded), dtype=np.int32)
    waiting, done = [np.arange(len(encoded))], 0
    while waiting:
        members = waiting.pop()
        parts = _halves(encoded, members, k) if len(members) >= 2 * k else ()
        if parts:
            waiting += parts
        else:
            labels[members] = done
            done += 1
    return Release.of(encoded, labels, Policy(k), "median only")


def _halves(encoded: Encoded, members: NDArray[np.int64], k: int) -> tuple[NDArray[np.int64], ...]:
    codes = encoded.codes[:, members]
    low, high = codes.min(axis=1), codes.max(axis=1)
    widths = [
        float(domain.width(low[i : i + 1], high[i : i + 1])[0]) if low[i] < high[i] else -1.0
        for i, domain in enumerate(encoded.qids)
    ]
    for i in sorted(range(len(widths)), key=lambda i: -widths[i]):
        left = codes[i] <= np.sort(codes[i])[(len(members) - 1) // 2]
        if widths[i] >= 0 and min(left.sum(), len(members) - left.sum()) >= k:
            return members[left], members[~left]
    return ()


def microaggregation(encoded: Encoded, k: int) -> Release:
    """MDAV-generic (Domingo-Ferrer and Torra 2005): groups of k around those farthest from the middle.

    Numbers are standardised; two categories are 0 or 1 apart; the middle is made of means
    and modes.
    """
    labels = np.empty(len(encoded), dtype=np.int32)
    left, done = np.arange(len(encoded)), 0
    points = _Points(encoded)
    while len(left) >= 2 * k:
        middle = points.middle()
        first = points.distances(points.at(int(points.distances(middle).argmax())))
        opposite = points.at(int(first.argmax()))
        # With fewer than 3k left, one group is made and the rest is the last.
        for center in (None, opposite)[: 2 if len(left) >= 3 * k else 1]:
            far = first if center is None else points.distances(center)
            near = np.argpartition(far, k - 1)[:k]
            labels[left[near]] = done
            done += 1
            keep = np.ones(len(left), dtype=bool)
            keep[near] = False
            left = left[keep]
            points.keep(keep)
    labels[left] = done
    return Release.of(encoded, labels, Policy(k), "microaggregation")


class _Points:
    """People not yet grouped, as numbers and categories."""

    def __init__(self, encoded: Encoded) -> None:
        self.numbers: list[NDArray[np.float32]] = []
        self.categories: list[NDArray[np.int32]] = []
        for domain, codes in zip(encoded.qids, encoded.codes, strict=True):
            if domain.values is None:
                self.categories.append(codes)
            else:
                value = domain.values[codes]
                self.numbers.append(((value - value.mean()) / value.std()).astype(np.float32))

    def at(self, place: int) -> tuple[list[float], list[int]]:
        return [float(row[place]) for row in self.numbers], [int(row[place]) for row in self.categories]

    def middle(self) -> tuple[list[float], list[int]]:
        modes = [int(np.bincount(row).argmax()) for row in self.categories]
        return [float(row.mean()) for row in self.numbers], modes

    def distances(self, center: tuple[list[float], list[int]]) -> NDArray[np.float32]:
        far = np.zeros(len((self.numbers or self.categories)[0]), dtype=np.float32)
        for number, mine in zip(self.numbers, center[0], strict=True):
            far += (number - np.float32(mine)) ** 2
        for category, own in zip(self.categories, center[1], strict=True):
            far += category != own
        return far

    def keep(self, which: NDArray[np.bool_]) -> None:
        self.numbers = [row[which] for row in self.numbers]
        self.categories = [row[which] for row in self.categories]
