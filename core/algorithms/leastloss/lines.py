"""The cost of a part of a table as a class, and the lines along which classes are cut.

Every quasi-identifier is a line: numbers and orders as they are, categories by how common they
are, the leaves of a taxonomy in the order of its tree with common siblings first. A cut puts all positions below it on
one side. The cost of a category or a leaf depends on the number of values that a side has, so a side is kept as a set
of bits; the cost of numbers and orders depends on their range.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.algorithms.units import Units
from core.base.arrays import BitSets, Floats, Ints
from core.data.classes import weighted_count
from core.data.encoding.domain import Domain
from core.data.encoding.encoded import Encoded
from core.data.schemas.taxonomy import Taxonomy
from core.release.region_text import MOST_SET

WORD = 64


@dataclass(frozen=True, eq=False)
class Slot:
    """Bits of one quasi-identifier within one word, from which the values of a side are counted."""

    attribute: int
    word: int
    mask: np.uint64
    size: int


@dataclass(frozen=True, eq=False)
class Lines:
    """The units of a table on their lines.

    Parameters
    ----------
    place
        (quasi-identifiers, units) place of each unit on each line.
    ranged
        Quasi-identifiers whose cost depends on the range.
    position, extra
        For each of those: position of a place as a fraction of the whole line, and the extra cost of a cell of more
        than one place.
    trees
        For each of those: its taxonomy, if cells are nodes. Half of their cost depends on the node, half on the leaves
        in between.
    bits
        (words, units) the value of each unit in the other quasi-identifiers, one bit each.
    slots
        Location of the bits of each of those; several if they do not fit into one word.
    attributes
        Number of quasi-identifiers.
    """

    place: NDArray[np.int32]
    ranged: tuple[int, ...]
    position: tuple[Floats, ...]
    extra: tuple[float, ...]
    trees: tuple[Taxonomy | None, ...]
    bits: BitSets
    slots: tuple[Slot, ...]
    attributes: int

    @classmethod
    def of(cls, encoded: Encoded, units: Units) -> Lines:
        """Put the units of a table on lines; O(units x quasi-identifiers + values log values)."""
        place = np.empty_like(units.codes)
        ranged: list[int] = []
        position: list[Floats] = []
        extra: list[float] = []
        trees: list[Taxonomy | None] = []
        slots: list[Slot] = []
        columns: list[BitSets] = []
        free = 0
        for i, domain in enumerate(encoded.qids):
            rank = line_of(domain, encoded.codes[i], encoded.weight)
            place[i] = rank[units.codes[i]]
            if not as_set(domain):
                ranged.append(i)
                line = domain.column_type.ordered
                position.append(domain.positions / domain.length if line else np.arange(domain.size) / domain.size)
                extra.append(0.0 if line else 1.0 / domain.size)
                trees.append(domain.taxonomy if domain.one_node else None)
                continue
            begin = free
            while begin < free + domain.size:
                word, inside = divmod(begin, WORD)
                many = min(WORD - inside, free + domain.size - begin)
                if word == len(columns):
                    columns.append(np.zeros(place.shape[1], dtype=np.uint64))
                mask = np.uint64(((1 << many) - 1) << inside)
                slots.append(Slot(i, word, mask, domain.size))
                bit = free + place[i] - word * WORD
                within = (bit >= inside) & (bit < inside + many)
                columns[word][within] |= np.uint64(1) << bit[within].astype(np.uint64)
                begin += many
            free += domain.size
        bits = np.array(columns, dtype=np.uint64).reshape(len(columns), place.shape[1])
        return cls(
            place, tuple(ranged), tuple(position), tuple(extra), tuple(trees), bits, tuple(slots), len(encoded.qids)
        )

    def penalty(self, sets: BitSets, low: Ints, high: Ints) -> Floats:
        """Sum over the quasi-identifiers of the NCP of sides [definitions §3].

        Parameters
        ----------
        sets
            (words, sides) values that each side has.
        low, high
            (ranged quasi-identifiers, sides) lowest and highest place.
        """
        total = np.zeros(sets.shape[1] if len(self.ranged) == 0 else low.shape[1])
        for i in range(len(self.ranged)):
            position, tree = self.position[i], self.trees[i]
            width = position[high[i]] - position[low[i]]
            if tree is not None:
                # The cost of a node is constant until a cut reaches one of its children; half by leaves rewards
                # progress towards it.
                node = tree.lowest_common(low[i], high[i])
                width = (width + position[tree.high[node]] - position[tree.low[node]]) / 2
            if self.extra[i]:
                width += np.where(high[i] > low[i], self.extra[i], 0.0)
            total += np.minimum(width, 1.0)
        number = 0
        while number < len(self.slots):
            slot = self.slots[number]
            count = np.bitwise_count(sets[slot.word] & slot.mask).astype(np.int64)
            number += 1
            while number < len(self.slots) and self.slots[number].attribute == slot.attribute:
                more = self.slots[number]
                count += np.bitwise_count(sets[more.word] & more.mask)
                number += 1
            total += np.where(count > 1, count, 0) / slot.size
        return total


def as_set(domain: Domain) -> bool:
    """Whether the cost of a column's cells depends on their number of values."""
    return not domain.column_type.ordered and domain.size <= MOST_SET and not domain.one_node


def line_of(domain: Domain, codes: NDArray[np.int32], weight: Ints | int = 1) -> Ints:
    """(values,) place of each value of a column on the line that it is cut along; ``weight`` as in ``Encoded``."""
    if not as_set(domain):
        return np.arange(domain.size)
    count = weighted_count(codes, weight, domain.size)
    order = np.argsort(-count, kind="stable") if domain.taxonomy is None else _leaves(domain.taxonomy, count)
    place = np.empty(domain.size, dtype=np.int64)
    place[order] = np.arange(domain.size)
    return place


def _leaves(tree: Taxonomy, count: Ints) -> Ints:
    """Leaves of a taxonomy in its order; among siblings those with the most records come first."""
    before = np.concatenate(([0], np.cumsum(count)))
    held = before[tree.high + 1] - before[tree.low]
    keys = np.zeros((2 * (tree.height + 1), tree.leaves), dtype=np.int64)
    for level, nodes in enumerate(tree.ancestors):
        keys[2 * level], keys[2 * level + 1] = -held[nodes], nodes
    return np.lexsort(keys[::-1])
