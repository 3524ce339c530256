"""Synthetic people like the people of a tally: how many of each kind, instead of one by one.

Each way of drawing is the one of :mod:`core.study.synthetic` and :mod:`core.study.neighbours` for
records; what differs is that people who are alike are drawn together.
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from core.algorithms import partition
from core.base.arrays import Codes, Floats, Ints
from core.data.classes import distinct_columns, weighted_count
from core.data.draws import Lots, with_replacement
from core.data.encoding import Encoded
from core.data.marginals import Marginals
from core.privacy.policy import Policy
from core.study.neighbours import least_records

Drawn = tuple[NDArray[np.int32], Codes, Ints]
"""Quasi-identifiers, sensitive values, and how many people have them."""


def independent(n: int, statistics: Marginals, rng: np.random.Generator) -> Drawn:
    """Draw n people whose attributes have nothing to do with each other, attribute by attribute."""
    people = np.array([n] if n else [], dtype=np.int64)
    codes = np.zeros((0, len(people)), dtype=np.int32)
    for share in statistics.shares:
        there = np.flatnonzero(share > 0)
        none = np.zeros(len(people), dtype=np.int64)
        group, outcome, people = Lots(share[there]).draw(people, none, none + len(there), rng)
        codes = np.concatenate((codes[:, group], there[outcome][None, :].astype(np.int32)))
    return codes[:-1], codes[-1], people


def conditional(encoded: Encoded, n: int, labels: NDArray[np.int32], prior: float, rng: np.random.Generator) -> Drawn:
    """Draw n people like mine, with values of their class, smoothed towards the whole table."""
    weight = encoded.weight
    first, group, _ = distinct_columns(np.concatenate((labels[None, :] + 1, encoded.codes)))
    like = with_replacement(weighted_count(group, weight, len(first)), n, rng)
    kind = np.flatnonzero(like)
    label = labels[first[kind]].astype(np.int64)
    inside = labels >= 0
    classes = int(labels.max(initial=-1)) + 1
    size = np.append(weighted_count(labels[inside], weight[inside], classes), 0)[label]
    of_class = np.zeros(len(kind), dtype=np.int64)
    known = np.flatnonzero(size > 0)
    of_class[known] = rng.binomial(like[kind[known]], size[known] / (size[known] + prior))
    table = _Table.of(labels[inside], encoded.secret[inside], weight[inside], encoded.sensitive.size, classes)
    inner, value, many = table.draw(kind[known], of_class[known], label[known], rng)
    everywhere = np.flatnonzero(encoded.overall)
    rest, begin = like[kind] - of_class, np.zeros(len(kind), dtype=np.int64)
    other, place, beyond = Lots(encoded.overall[everywhere]).draw(rest, begin, begin + len(everywhere), rng)
    both = np.stack([np.concatenate((inner, kind[other])), np.concatenate((value, everywhere[place]))])
    return _merged(encoded, first, both, np.concatenate((many, beyond)))


def resampled(encoded: Encoded, n: int, scale: int, rng: np.random.Generator) -> Drawn:
    """Draw n people like mine, with values of people like them, at one of :data:`core.study.neighbours.SCALES`."""
    near = _neighbours(encoded, scale)
    like = with_replacement(near.people, n, rng)
    kind = np.flatnonzero(like)
    inner, value, many = near.values.draw(kind, like[kind], near.cell[kind], rng)
    return _merged(encoded, near.first, np.stack([inner, value]), many)


@dataclass(frozen=True, eq=False)
class _Table:
    """Values by class: ``value[begin[c]:end[c]]``, each with its weight in ``lots``."""

    lots: Lots
    value: Ints
    begin: Ints
    end: Ints

    @classmethod
    def of(cls, labels: NDArray[np.int32], secret: Codes, weight: Ints, values: int, classes: int) -> _Table:
        """Count the values of every class."""
        key = labels.astype(np.int64) * values + secret
        used, group = np.unique(key, return_inverse=True)
        return cls.of_cells(used // values, used % values, weighted_count(group, weight, len(used)), classes)

    @classmethod
    def of_cells(cls, owner: Ints, value: Ints, amount: Ints | Floats, classes: int) -> _Table:
        """Take cells that are sorted by class."""
        ends = np.searchsorted(owner, np.arange(classes + 1))
        return cls(Lots(amount), value, ends[:-1], ends[1:])

    def draw(self, names: Ints, people: Ints, label: Ints, rng: np.random.Generator) -> tuple[Ints, Ints, Ints]:
        """Name of a group, value, and how many of the group drew it from their class."""
        group, place, number = self.lots.draw(people, self.begin[label], self.end[label], rng)
        return names[group], self.value[place], number


@dataclass(frozen=True, eq=False)
class _Neighbours:
    """Kinds of people, and the values that people like them have.

    Parameters
    ----------
    first
        (kinds,) a tuple with the quasi-identifiers of each kind.
    people
        (kinds,) people of each.
    cell
        (kinds,) the distribution in ``values`` that each draws from.
    values
        Values of the wide class without those of the narrow one; of the whole class where both are one.
    """

    first: Ints
    people: Ints
    cell: Ints
    values: _Table


# Kept as long as the tally itself, as for records.
_KNOWN: WeakKeyDictionary[Encoded, dict[int, _Neighbours]] = WeakKeyDictionary()


def _neighbours(encoded: Encoded, scale: int) -> _Neighbours:
    known = _KNOWN.setdefault(encoded, {})
    if scale not in known:
        wide, narrow = (
            partition(encoded, Policy(least)).labels for least in reversed(least_records(encoded.people, scale))
        )
        known[scale] = _neighbours_of(encoded, wide, narrow)
    return known[scale]


def _neighbours_of(encoded: Encoded, wide: NDArray[np.int32], narrow: NDArray[np.int32]) -> _Neighbours:
    weight, values = encoded.weight, encoded.sensitive.size
    first_of_cell, cell, _ = distinct_columns(np.stack([wide, narrow]))
    cells = len(first_of_cell)
    outer = wide[first_of_cell].astype(np.int64)
    around = _Table.of(wide, encoded.secret, weight, values, int(wide.max()) + 1)
    own_key, group = np.unique(cell * values + encoded.secret, return_inverse=True)
    own = weighted_count(group, weight, len(own_key))
    # Every value of the wide class for every cell, less what the cell itself holds of it.
    many = (around.end - around.begin)[outer]
    owner = np.repeat(np.arange(cells), many)
    place = np.arange(len(owner)) + np.repeat(around.begin[outer] - (np.cumsum(many) - many), many)
    value = around.value[place]
    amount = np.asarray(around.lots.amount, dtype=np.int64)[place]
    at = np.minimum(np.searchsorted(own_key, owner * values + value), len(own_key) - 1)
    held = np.where(own_key[at] == owner * values + value, own[at], 0)
    alone = weighted_count(cell, weight, cells) == weighted_count(wide, weight, int(wide.max()) + 1)[outer]
    amount = np.where(alone[owner], amount, amount - held)
    kept = amount > 0
    first, kind, _ = distinct_columns(encoded.codes)
    table = _Table.of_cells(owner[kept], value[kept], amount[kept], cells)
    return _Neighbours(first, weighted_count(kind, weight, len(first)), cell[first], table)


def _merged(encoded: Encoded, first: Ints, both: Ints, number: Ints) -> Drawn:
    """Add up people of one kind with one value."""
    if not both.shape[1]:
        empty = np.zeros(0, dtype=np.int64)
        return encoded.codes[:, empty], empty.astype(np.int32), empty
    place, group, _ = distinct_columns(both)
    kind, value = both[:, place]
    return encoded.codes[:, first[kind]], value.astype(np.int32), weighted_count(group, number, len(place))
