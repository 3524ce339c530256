"""Intersect tuples if releases have columns that are published as they are.

The adversary keeps the tuples of a person's class in one release that agree with a tuple of the class in every
other release, in the sensitive value and in the published columns that both releases have; the sensitive values
of the tuples kept are left. If the values of a shared person may differ, nothing may be left. The adversary then tries
fewer columns, and takes those that leave the fewest values, down to the sensitive values alone. The order in which
columns are named decides nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from core.attack.bitsets import has_values, set_bits, sizes_of
from core.attack.pools import BLOCK, pooled
from core.attack.views import AdversaryView
from core.base.arrays import BitSets, Ints, in_pieces
from core.data.classes import distinct_columns
from core.data.encoding.published_columns import ClassTuples


def by_tuples(views: Sequence[AdversaryView], codes: Sequence[Ints], alone: BitSets) -> tuple[BitSets, Ints] | None:
    """Intersect tuples release by release.

    Parameters
    ----------
    views
        Two releases or more.
    codes
        For each release the number of each of its sensitive codes among the values of the attack.
    alone
        (P, words) values left by the sensitive values alone.

    Returns
    -------
    sets
        (P, words) values left.
    tuples
        (P,) tuples left; 0 for a person whose tuples have nothing in common.

    ``None`` if fewer than two releases have a published column in common.
    """
    sets, many = alone.copy(), np.zeros(len(alone), dtype=np.int64)
    done = np.zeros(len(alone), dtype=bool)
    levels = _levels(views)
    for level in levels:
        before = done.copy()
        for names in level:
            tried = before.copy()
            for place, view in enumerate(views):
                if tried.all():
                    break
                if view.tuples is None or not set(names) <= set(view.tuples.names):
                    continue
                left, tuples = _joined(views, codes, place, names, np.where(tried[:, None], np.uint64(0), alone))
                settled = ~tried & (tuples > 0)
                better = settled & (~done | (sizes_of(left) < sizes_of(sets)))
                sets[better], many[better] = left[better], tuples[better]
                tried |= settled
                done |= settled
    return (sets, many) if levels else None


MOST_TRIED = 3
"""Columns of which every choice is tried; of more, the most reliable ones together, and each alone."""


def _levels(views: Sequence[AdversaryView]) -> list[list[tuple[str, ...]]]:
    """Columns to match by: all that link two releases, then one fewer, and so on; several choices of equally many."""
    same_value_rate: dict[str, float] = {}
    releases: dict[str, int] = {}
    for view in views:
        for column in () if view.tuples is None else view.tuples.columns:
            same_value_rate.setdefault(column.name, column.same_value_rate)
            releases[column.name] = releases.get(column.name, 0) + 1
    links = [name for name, number in releases.items() if number > 1 and same_value_rate[name] > 0]
    links.sort(key=lambda name: (-same_value_rate[name], name))
    every = [[*combinations(links, many)] for many in range(len(links), 0, -1)]
    return [level if len(links) <= MOST_TRIED or len(level[0]) == 1 else level[:1] for level in every]


def _joined(
    views: Sequence[AdversaryView], codes: Sequence[Ints], base: int, names: Sequence[str], alone: BitSets
) -> tuple[BitSets, Ints]:
    """Values and tuples of one release that every other release matches; none if this release rules nothing out."""
    mine = views[base].tuples
    assert mine is not None
    pools = pooled(views[base].located, mine.histogram, np.arange(mine.codes.shape[1]), mine.codes.shape[1])
    others = [
        _Other.of(view, code, mine, codes[base], names)
        for place, (view, code) in enumerate(zip(views, codes, strict=True))
        if place != base and view.tuples is not None
    ]
    value = codes[base][mine.codes[0]]
    there = pools.number >= 0
    long = np.zeros(len(there), dtype=np.int64)
    long[there] = np.diff(pools.starts)[pools.number[there]]
    sets, tuples = np.zeros_like(alone), np.zeros(len(there), dtype=np.int64)
    for begin, end in in_pieces(long, BLOCK):
        person, cell = pools.cells(pools.number[begin:end])
        number = pools.value[cell]
        kept = np.flatnonzero(has_values(alone[begin:end], person, value[number]))
        person, number = person[kept], number[kept]
        for other in others:
            kept = other.has(person + begin, number)
            person, number = person[kept], number[kept]
        tuples[begin:end] = np.bincount(person, minlength=end - begin)
        values = 64 * alone.shape[1]
        owner, left = np.divmod(np.unique(person * values + value[number]), values)
        sets[begin:end] = set_bits(owner, left, end - begin, alone.shape[1])
    return sets, tuples


@dataclass(frozen=True, eq=False)
class _Other:
    """Tuples of another release, with the numbering of the first.

    Parameters
    ----------
    number
        (tuples of the first,) of each of its tuples.
    pool
        (P,) pool of classes that each person may be in; -1 if the release says nothing.
    keys
        Sorted ``pool * numbers + number`` of all tuples that are there.
    numbers
        Different numbers.
    """

    number: Ints
    pool: Ints
    keys: Ints
    numbers: int

    @classmethod
    def of(cls, view: AdversaryView, code: Ints, first: ClassTuples, first_code: Ints, names: Sequence[str]) -> _Other:
        """Number the tuples of two releases by the sensitive value and the columns of ``names`` that both have."""
        tuples = view.tuples
        assert tuples is not None
        rows = [np.concatenate((first_code[first.codes[0]], code[tuples.codes[0]]))]
        for place, column in enumerate(first.columns, start=1):
            if column.name in names and column.name in tuples.names:
                other = tuples.names.index(column.name)
                own = _in_labels(tuples.columns[other].labels, column.labels)
                rows.append(np.concatenate((first.codes[place], own[tuples.codes[other + 1]])))
        distinct, number, _ = distinct_columns(np.stack(rows))
        numbers, own = len(distinct), first.codes.shape[1]
        pools = pooled(view.located, tuples.histogram, number[own:], numbers)
        keys = np.repeat(np.arange(len(pools.sizes)), np.diff(pools.starts)) * numbers + pools.value
        return cls(number[:own], pools.number, keys, numbers)

    def has(self, person: Ints, number: Ints) -> Ints:
        """Positions of the pairs of a person and a tuple of the first release that this release allows."""
        pool = self.pool[person]
        key = pool * self.numbers + self.number[number]
        place = np.searchsorted(self.keys, key)
        matches = np.append(self.keys, -1)[place] == key
        return np.flatnonzero(matches | (pool < 0))


def _in_labels(labels: Sequence[str], mine: Sequence[str]) -> Ints:
    """(labels,) index of each text among mine; unknown texts get indices after mine."""
    if labels is mine:
        return np.arange(len(mine))
    place = {text: number for number, text in enumerate(mine)}
    return np.array([place.setdefault(text, len(place)) for text in labels], dtype=np.int64)
