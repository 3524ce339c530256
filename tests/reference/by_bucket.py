"""Slow twin of classes that are formed bucket by bucket, one part, one cut, one class at a time [definitions §11]."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from core.algorithms.by_bucket import Group
from core.algorithms.by_bucket.halves import SPARE
from core.algorithms.by_bucket.moves import ROUNDS
from core.algorithms.by_bucket.proportions import Proportions
from core.data.domain import Domain
from core.data.encoding import Encoded
from tests.reference.agreed import Region, loss, sides


def region_of(encoded: Encoded) -> Region:
    """NCP of the region of a quasi-identifier from one code to another, one at a time."""

    @cache
    def width(axis: int, low: int, high: int) -> float:
        if low == high:
            return 0.0
        return float(encoded.qids[axis].width(np.array([low]), np.array([high]))[0])

    return width


def formed(encoded: Encoded, groups: Sequence[Group], k: int, block: int) -> np.ndarray[Any, Any]:
    """Class of each record, numbered group after group; -1 for those in no group."""
    label, classes, region = np.full(len(encoded), -1, dtype=np.int32), 0, region_of(encoded)
    for group in groups:
        codes, value = encoded.codes[:, group.rows], group.value.tolist()
        own = halves(codes, value, k, encoded.qids, region, group.proportions)
        own = moved(codes.tolist(), value, own, k, region, block, group.proportions)
        label[group.rows] = classes + np.array(own)
        classes += max(own) + 1
    return label


def halves(
    codes: np.ndarray[Any, Any],
    value: Sequence[int],
    k: int,
    domains: Sequence[Domain],
    region: Region,
    proportions: Proportions | None,
) -> list[int]:
    """Class of each record: one part after the other is cut, its left side first."""
    label, waiting, classes = [0] * len(value), [list(range(len(value)))], 0
    while waiting:
        people = waiting.pop()
        left = best_cut(codes[:, people], [value[i] for i in people], k, domains, region, proportions)
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
    codes: np.ndarray[Any, Any],
    value: list[int],
    k: int,
    domains: Sequence[Domain],
    region: Region,
    proportions: Proportions | None,
) -> list[int] | None:
    """Who goes left under the first cut of those that leave least loss; None where none is worth it."""
    every, rows = range(len(value)), codes.tolist()
    if len(value) < 2 * k or min(value.count(one) for one in set(value)) < 2:
        return None
    losses, lefts = [], []
    for row, domain in zip(rows, domains, strict=True):
        for place in places(row, domain):
            if proportions is None:
                left = sides(row, place, value, SPARE)[0]
            else:
                left = sides_in_balance(row, place, value, proportions)
            right = sorted(set(every) - set(left))
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


def sides_in_balance(row: Sequence[int], place: int, value: Sequence[int], proportions: Proportions) -> list[int]:
    """Left of a cut, as near to it as proportions allow; nobody where they forbid it."""
    every = range(len(row))
    count = np.bincount(value)
    share, fewest = sum(code < place for code in row) / len(row), int(count.min())
    lower = min(max(round(SPARE * fewest * share), 1), fewest - 1)
    upper = min(max(round(SPARE * fewest * (1 - share)), 1), fewest - lower)
    low, high = (own[0] for own in proportions.window(np.array([share]), count))
    low, high = np.maximum(low, lower), np.minimum(high, count - upper)
    below = np.array([sum(row[i] < place and value[i] == one for i in every) for one in range(len(count))])
    going = np.minimum(np.maximum(below, np.minimum(low, high)), high)
    stays = count - going
    if min(going.min(), stays.min()) < 1 or not (proportions.kept(going[None])[0] and proportions.kept(stays[None])[0]):
        return []
    left = []
    for one, many in enumerate(going.tolist()):
        left += sorted((i for i in every if value[i] == one), key=lambda i: (row[i], i))[:many]
    return sorted(left)


def moved(
    rows: Sequence[Sequence[int]],
    value: Sequence[int],
    label: Sequence[int],
    k: int,
    region: Region,
    block: int,
    proportions: Proportions | None,
) -> list[int]:
    """Class of each record after moves within runs of classes that end in the same stretch of so many records."""
    label, ends = list(label), np.cumsum(np.bincount(label))
    stretch = ((ends - 1) // block).tolist()
    for number in sorted(set(stretch)):
        classes = [one for one, own in enumerate(stretch) if own == number]
        people = [i for one in classes for i in range(len(label)) if label[i] == one]
        for _ in range(ROUNDS if len(classes) > 1 else 0):
            if not one_round(rows, value, label, people, classes, k, region, proportions):
                break
    return label


def one_round(
    rows: Sequence[Sequence[int]],
    value: Sequence[int],
    label: list[int],
    people: Sequence[int],
    classes: Sequence[int],
    k: int,
    region: Region,
    proportions: Proportions | None,
) -> bool:
    """Make the moves of one round, the most worthwhile first; whether there was one."""
    held = {one: [i for i in people if label[i] == one] for one in classes}
    counts = {one: np.bincount([value[i] for i in held[one]], minlength=max(value) + 1) for one in classes}
    judged = {
        one: proportions.moves(counts[one][None]) if proportions else (counts[one][None] > 0, counts[one][None] > 0)
        for one in classes
    }

    def wide(members: Sequence[int]) -> float:
        return loss(members, rows, region)

    moves = []
    for order, person in enumerate(people):
        own, what = label[person], value[person]
        if len(held[own]) <= k or counts[own][what] < 2 or not judged[own][0][0, what]:
            continue
        gain = wide(held[own]) - wide([i for i in held[own] if i != person])
        costs = [
            (wide([*held[one], person]) - wide(held[one]), one)
            for one in classes
            if one != own and judged[one][1][0, what]
        ]
        if gain > 1e-6 and costs:
            cost, to = min(costs)
            if gain - cost > 1e-6:
                moves.append((cost - gain, order, person, to))
    touched: set[int] = set()
    for _, _, person, to in sorted(moves):
        if not touched & {label[person], to}:
            touched |= {label[person], to}
            label[person] = to
    return bool(touched)
