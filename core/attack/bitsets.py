"""Sets of sensitive values as bits: one row of 64-bit words per class or person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from core.base.arrays import BitSets, Bools, Ints
from core.base.errors import ParameterError
from core.data.classes import ClassHistogram
from core.data.encoding.domain import Domain
from core.release.published.located import Located

MAX_WORDS = 60_000_000
"""Largest number of 64-bit words of one table of sets (480 MB)."""
BLOCK = 8_000_000
"""Number of words of candidate classes pooled at a time."""


def common_values(domains: Sequence[Domain]) -> tuple[tuple[str, ...], tuple[Ints, ...]]:
    """Match sensitive values by text: return all texts, and for each release the index of each code."""
    if all(domain.labels == domains[0].labels for domain in domains):
        same = np.arange(domains[0].size)
        return domains[0].labels, (same,) * len(domains)
    number: dict[str, int] = {}
    for domain in domains:
        for label in domain.labels:
            number.setdefault(label, len(number))
    return tuple(number), tuple(np.array([number[label] for label in domain.labels]) for domain in domains)


def value_sets(histogram: ClassHistogram, code: Ints, words: int) -> BitSets:
    """(classes, words) the sensitive values of each class as bits; O(triples)."""
    if histogram.classes * words > MAX_WORDS:
        raise ParameterError(
            f"{histogram.classes:,} classes with {len(code):,} sensitive values need too much memory; raise k or group "
            "the sensitive values.",
            parameter="sensitive",
        )
    if not histogram.classes:
        return np.zeros((0, words), dtype=np.uint64)
    if words == 1:
        bits = np.uint64(1) << code[histogram.value].astype(np.uint64)
        return np.bitwise_or.reduceat(bits, histogram.starts)[:, None]
    return set_bits(histogram.owner, code[histogram.value], histogram.classes, words)


def set_bits(owner: Ints, value: Ints, rows: int, words: int) -> BitSets:
    """(rows, words) sets with these values of each owner, which has no value twice; O(values + rows x words)."""
    table = np.zeros(rows * words, dtype=np.uint64)
    # Bits that differ add up to their union; numpy adds at places three times as fast as it joins.
    np.add.at(table, owner * words + (value >> 6), np.uint64(1) << (value & 63).astype(np.uint64))
    return table.reshape(rows, words)


def full_set(values: int) -> BitSets:
    """(words,) the set of all values."""
    words = (values + 63) // 64
    every = np.full(words, np.iinfo(np.uint64).max, dtype=np.uint64)
    every[-1] = np.uint64((1 << (values - 64 * (words - 1))) - 1)
    return every


def sets_of_people(histogram: ClassHistogram, code: Ints, words: int, located: Located) -> tuple[Ints, BitSets]:
    """People with a candidate class, and the values of all their candidate classes as bits.

    O(candidates x words + triples).
    """
    table = value_sets(histogram, code, words)
    people = np.flatnonzero(located.counts)
    first = located.starts[people]
    if len(people) == len(located.classes):
        return people, table[located.classes]
    out = np.empty((len(people), table.shape[1]), dtype=np.uint64)
    ends = located.starts[people + 1]
    limit = max(1, BLOCK // table.shape[1])
    begin = 0
    while begin < len(people):
        end = max(begin + 1, int(np.searchsorted(ends, first[begin] + limit, side="right")))
        part = table[located.classes[first[begin] : ends[end - 1]]]
        out[begin:end] = np.bitwise_or.reduceat(part, first[begin:end] - first[begin], axis=0)
        begin = end
    return people, out


def onto(sets: BitSets, which: Ints, size: int) -> BitSets:
    """(rows, words) each set after its values are mapped to ``size`` values; several may map to the same one.

    Parameters
    ----------
    sets
        (rows, words) the sets.
    which
        (values,) what each value becomes; every one of ``size`` occurs.
    """
    order = np.argsort(which, kind="stable")
    starts = np.searchsorted(which[order], np.arange(size))
    out = np.zeros((len(sets), (size + 63) // 64), dtype=np.uint64)
    step = max(1, BLOCK // len(which))
    for begin in range(0, len(sets), step):
        rows = np.ascontiguousarray(sets[begin : begin + step]).astype("<u8").view(np.uint8)
        bits = np.unpackbits(rows, axis=1, count=len(which), bitorder="little")[:, order]
        packed = np.packbits(np.bitwise_or.reduceat(bits, starts, axis=1), axis=1, bitorder="little")
        padded = np.zeros((len(packed), 8 * out.shape[1]), dtype=np.uint8)
        padded[:, : packed.shape[1]] = packed
        out[begin : begin + step] = padded.view("<u8")
    return out


def sizes_of(sets: BitSets) -> Ints:
    """(rows,) number of values in each set."""
    many = np.bitwise_count(sets)
    count: Ints = many[:, 0].astype(np.int64) if sets.shape[1] == 1 else many.sum(axis=1, dtype=np.int64)
    return count


def set_of(codes: Sequence[Ints], words: int) -> BitSets:
    """(words,) the set of all values that some releases can contain."""
    value = np.unique(np.concatenate(codes))
    words_of = np.zeros(words, dtype=np.uint64)
    np.bitwise_or.at(words_of, value >> 6, np.uint64(1) << (value & 63).astype(np.uint64))
    return words_of


def has_value(sets: BitSets, value: Ints) -> Bools:
    """(rows,) whether each value is in its set; False for -1."""
    if sets.shape[1] == 1:
        contains: Bools = ((sets[:, 0] >> np.maximum(value, 0).astype(np.uint64)) & np.uint64(1) == 1) & (value >= 0)
        return contains
    return has_values(sets, np.arange(len(sets)), value)


def has_values(sets: BitSets, row: Ints, value: Ints) -> Bools:
    """(entries,) whether the set of a row has a value; False for -1."""
    word, bit = np.maximum(value, 0) >> 6, (np.maximum(value, 0) & 63).astype(np.uint64)
    contains: Bools = ((sets[row, word] >> bit) & np.uint64(1) == 1) & (value >= 0)
    return contains


@dataclass(frozen=True, eq=False)
class RankedSets:
    """Position of each value in a list of the sets' values, set after set, ascending within each.

    Parameters
    ----------
    sets
        (rows, words) the sets.
    starts
        (rows + 1,) first value of each set in the list.
    """

    sets: BitSets
    starts: Ints

    @cached_property
    def _before(self) -> Ints:
        """(rows x words,) values of the list before each word."""
        many = np.bitwise_count(self.sets.ravel())
        return np.cumsum(many, dtype=np.int64) - many

    def place(self, row: Ints, value: Ints) -> Ints:
        """(entries,) place of a value of a row in the list; -1 if it is not in the set, and for value -1.

        O(entries + rows x words): nothing is searched.
        """
        known = np.maximum(value, 0)
        word = row * self.sets.shape[1] + (known >> 6)
        bits, bit = self.sets.ravel()[word], np.uint64(1) << (known & 63).astype(np.uint64)
        place: Ints = self._before[word] + np.bitwise_count(bits & (bit - np.uint64(1)))
        place[((bits & bit) == 0) | (value < 0)] = -1
        return place
