"""Slow twin of classes that are formed bucket by bucket, one part, one cut, one class at a time [definitions §11]."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from core.algorithms.by_bucket.halves import SPARE, Dealt
from core.data.encoding.domain import Domain
from tests.reference.agreed import Region, loss, sides


def region_of(domains: Sequence[Domain]) -> Region:
    """NCP of the region of a quasi-identifier from one code to another, one at a time."""

    @cache
    def width(axis: int, low: int, high: int) -> float:
        if low == high:
            return 0.0
        return float(domains[axis].width(np.array([low]), np.array([high]))[0])

    return width


def halves(dealt: Dealt) -> np.ndarray[Any, Any]:
    """Class of each record, group after group."""
    region, label, begin = region_of(dealt.domains), [], 0
    for size in dealt.sizes.tolist():
        rows = slice(begin, begin + size)
        own = halves_of(dealt.codes[:, rows], dealt.value[rows].tolist(), dealt.k, dealt.domains, region)
        label += [max(label, default=-1) + 1 + one for one in own]
        begin += size
    return np.array(label)


def halves_of(
    codes: np.ndarray[Any, Any], value: Sequence[int], k: int, domains: Sequence[Domain], region: Region
) -> list[int]:
    """Class of each record: one part after the other is cut, its left side first."""
    label, waiting, classes = [0] * len(value), [list(range(len(value)))], 0
    while waiting:
        people = waiting.pop()
        left = best_cut(codes[:, people], [value[i] for i in people], k, domains, region)
        if left is None:
            for person in people:
                label[person] = classes
            classes += 1
        else:
            chosen = set(left)
            waiting.append([person for i, person in enumerate(people) if i not in chosen])
            waiting.append([people[i] for i in left])
    return label


def best_cut(
    codes: np.ndarray[Any, Any], value: list[int], k: int, domains: Sequence[Domain], region: Region
) -> list[int] | None:
    """Who goes left under the first cut of those that leave least loss; None where none is worth it."""
    every, rows = range(len(value)), codes.tolist()
    if len(value) < 2 * k or min(value.count(one) for one in set(value)) < 2:
        return None
    losses, lefts = [], []
    for row, domain in zip(rows, domains, strict=True):
        for place in places(row, domain):
            left, right = sides(row, place, value, SPARE)
            if min(len(left), len(right)) >= k:
                losses.append(loss(left, rows, region) + loss(right, rows, region))
                lefts.append(left)
    if not losses or min(losses) >= loss(every, rows, region) - 1e-9:
        return None
    return next(left for own, left in zip(losses, lefts, strict=True) if own <= min(losses) + 1e-9)


def places(row: Sequence[int], domain: Domain) -> list[int]:
    """Codes at which a right side may begin, at least one record on either side."""
    ordered = sorted(row)
    cuts = {ordered[len(row) * part // 4] + more for part in (1, 2, 3) for more in (0, 1)}
    tree = domain.taxonomy
    if tree is not None:
        inside = [node for node in range(tree.nodes) if tree.low[node] <= ordered[0] and ordered[-1] <= tree.high[node]]
        lowest = max(inside, key=lambda node: int(tree.depth[node]))
        cuts |= {int(tree.low[node]) for node in range(tree.nodes) if tree.parents[node] == lowest}
    return [place for place in sorted(cuts) if ordered[0] < place <= ordered[-1]]
