"""Equivalence classes and the counts of sensitive values in them.

This module holds the one definition of an equivalence class: records with the same
published quasi-identifiers [Ganta 2008, Def. 2]. Everything else works on class numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Ints, is_first
from core.base.short import many, short


@dataclass(frozen=True, eq=False)
class Classes:
    """A partition of records.

    Parameters
    ----------
    labels
        (records,) class of each record, 0 to ``count - 1``; -1 marks a suppressed record,
        which is in no class.
    count
        Number of classes.
    weight
        (records,) number of records that each represents.
    """

    labels: NDArray[np.int32]
    count: int
    weight: Ints

    def __repr__(self) -> str:
        return short(self, many(len(self.labels), "record"), many(self.count, "class", "classes"))

    @classmethod
    def from_labels(cls, labels: NDArray[Any], weight: Ints | int = 1) -> Classes:
        """Take class numbers that are already 0, 1, 2, ... (or -1)."""
        labels = np.ascontiguousarray(labels, dtype=np.int32)
        labels.setflags(write=False)
        return cls(labels, int(labels.max(initial=-1)) + 1, np.broadcast_to(weight, labels.shape))

    @cached_property
    def sizes(self) -> Ints:
        """(classes,) records in each class, including those that a row of a frequency table represents."""
        there = self.labels >= 0
        return weighted_count(self.labels[there], self.weight[there], self.count)

    @cached_property
    def order(self) -> Ints:
        """Positions of the records sorted by class, suppressed ones left out."""
        return np.argsort(self.labels, kind="stable")[int(np.count_nonzero(self.labels < 0)) :]

    @property
    def suppressed(self) -> int:
        """Records in no class, including those that a row of a frequency table represents."""
        return int(self.weight[self.labels < 0].sum())

    @cached_property
    def starts(self) -> Ints:
        """(classes + 1,) index in ``order`` of the first record of each class."""
        held = np.bincount(self.labels[self.labels >= 0], minlength=self.count)
        return np.concatenate(([0], np.cumsum(held)))

    def members(self, number: int) -> Ints:
        """Positions of the records of one class."""
        inside: Ints = self.order[self.starts[number] : self.starts[number + 1]]
        return inside

    def lows_highs(self, codes: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Lowest and highest code of each class, each (classes, attributes)."""
        ordered = np.take(codes, self.order, axis=1)
        low = [np.minimum.reduceat(row, self.starts[:-1]) for row in ordered]
        high = [np.maximum.reduceat(row, self.starts[:-1]) for row in ordered]
        return np.column_stack(low), np.column_stack(high)


def pack(codes: NDArray[Any]) -> Ints:
    """One int64 key for each column of codes; equal columns have equal keys, and keys keep the order.

    Attributes are packed in mixed radix. If the product of the domains does not fit 62
    bits, what was packed so far is replaced by its rank.
    """
    key: Ints = codes[0].astype(np.int64)
    span = int(key.max(initial=0)) + 1
    for row in codes[1:]:
        radix = int(row.max(initial=0)) + 1
        if span * radix >= 2**62:
            key = np.unique(key, return_inverse=True)[1].astype(np.int64)
            span = int(key.max(initial=0)) + 1
        key *= radix
        key += row
        span *= radix
    return key


def weighted_count(codes: NDArray[Any], weight: Ints | int, size: int) -> Ints:
    """(size,) number of records with each code, by the weight of each entry; exact below 2^53."""
    return np.bincount(codes, weights=np.broadcast_to(weight, codes.shape), minlength=size).astype(np.int64)


def distinct_columns(codes: NDArray[Any]) -> tuple[Ints, Ints, Ints]:
    """Distinct columns of codes, sorted: (first position, group of each column, count)."""
    key = pack(codes)
    order = np.argsort(key, kind="stable")
    begins = is_first(key[order])
    starts = np.flatnonzero(begins)
    group = np.empty(len(key), dtype=np.int64)
    group[order] = np.cumsum(begins) - 1
    return order[starts], group, np.diff(np.append(starts, len(key)))


def group_columns(codes: NDArray[Any]) -> Classes:
    """Group records whose columns of codes are equal, (attributes, records); numbers follow first appearance."""
    first, group, _ = distinct_columns(codes)
    place = np.empty(len(first), dtype=np.int64)
    place[np.argsort(first)] = np.arange(len(first))
    return Classes.from_labels(place[group])


def first_of_each(key: NDArray[Any], person: NDArray[Any]) -> Ints:
    """One position of each distinct (key, person) pair, ordered by key; both are whole numbers from 0."""
    return distinct_columns(np.stack([np.asarray(key, dtype=np.int64), np.asarray(person, dtype=np.int64)]))[0]


@dataclass(frozen=True, eq=False)
class ClassHistogram:
    """How often each sensitive value occurs in each class, as sorted triples.

    Parameters
    ----------
    owner, value, count
        (triples,) class, sensitive code and number of records, sorted by class, then code.
        Counts are positive; every class has at least one triple. If persons have several records, persons with the
        value in the class are counted, each once.
    starts
        (classes,) first triple of each class.
    overall
        (values,) records of each sensitive value in the whole table.
    missing
        Sensitive code of a missing value, or -1.
    people
        (classes,) people in each class: those of its counts by default. If persons have several records,
        distinct persons; they may have several values, so their number may be below the sum of the counts.
    """

    owner: Ints
    value: Ints
    count: Ints
    starts: Ints
    overall: Ints
    missing: int = -1
    people: Ints = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        """Count every record as a separate person if no people are given."""
        if self.people is None:
            object.__setattr__(self, "people", self.sizes)

    def __repr__(self) -> str:
        return short(self, many(self.classes, "class", "classes"), many(len(self.overall), "value"))

    @classmethod
    def of_records(
        cls,
        labels: NDArray[Any],
        sensitive_codes: NDArray[Any],
        overall: NDArray[Any],
        classes: int,
        weight: NDArray[Any] | int = 1,
        missing: int = -1,
    ) -> ClassHistogram:
        """Count records by class and sensitive value, with their weights; every class must occur.

        Weights are whole numbers from 1. O(records) if classes x values is small compared with the records, else
        O(records log records). Suppressed records must have been left out.
        """
        values = len(overall)
        weights = np.broadcast_to(weight, labels.shape)
        cells = classes * values
        key = labels.astype(np.int64) * values + sensitive_codes
        if cells <= 16 * len(key) + 4096:
            # Flags first: direct counts of all cells would write, and read, eight times the memory.
            there = np.zeros(cells, dtype=bool)
            there[key] = True
            used = np.flatnonzero(there)
            place = np.empty(cells, dtype=np.int32)
            place[used] = np.arange(len(used), dtype=np.int32)
            count = np.bincount(place[key], weights=weights, minlength=len(used)).astype(np.int64)
        else:
            order = np.argsort(key, kind="stable")
            ordered = key[order]
            first = np.flatnonzero(is_first(ordered))
            used = ordered[first]
            count = np.add.reduceat(weights[order].astype(np.int64), first)
        owner = used // values
        overall = np.asarray(overall, dtype=np.int64)
        return cls(owner, used - owner * values, count, np.flatnonzero(is_first(owner)), overall, missing)

    @classmethod
    def of_persons(
        cls,
        labels: NDArray[Any],
        sensitive_codes: NDArray[Any],
        overall: NDArray[Any],
        classes: int,
        person: NDArray[Any],
        missing: int = -1,
    ) -> ClassHistogram:
        """Count persons by class and sensitive value, once per value; ``person``, (records,), is each one's person."""
        unique = first_of_each(labels.astype(np.int64) * len(overall) + sensitive_codes, person)
        people = np.bincount(labels[first_of_each(labels, person)], minlength=classes)
        return replace(
            cls.of_records(labels[unique], sensitive_codes[unique], overall, classes, missing=missing), people=people
        )

    @property
    def classes(self) -> int:
        """Number of classes."""
        return len(self.starts)

    @cached_property
    def sizes(self) -> Ints:
        """(classes,) records, those with a missing sensitive value included; with persons, their values."""
        return np.add.reduceat(self.count, self.starts)

    @cached_property
    def known(self) -> ClassHistogram:
        """The same without missing sensitive values; emptied classes keep a triple of count 0."""
        if self.missing < 0:
            return self
        keep = self.value < self.missing
        alone = np.add.reduceat(keep.astype(np.int64), self.starts) == 0
        count = np.where(keep, self.count, 0)
        keep[self.starts[alone]] = True
        owner = self.owner[keep]
        starts = np.searchsorted(owner, np.arange(self.classes))
        return ClassHistogram(owner, self.value[keep], count[keep], starts, self.overall)

    def mapped(self, which: Ints, size: int, missing: int) -> ClassHistogram:
        """The same classes after values are mapped to ``size`` values; ``which``, (values,), is what each becomes.

        ``missing`` is the new code of a missing value, or -1.
        """
        key, place = np.unique(self.owner * size + which[self.value], return_inverse=True)
        owner, value = np.divmod(key, size)
        count, overall = weighted_count(place, self.count, len(key)), weighted_count(which, self.overall, size)
        return ClassHistogram(owner, value, count, np.flatnonzero(is_first(owner)), overall, missing, self.people)

    @cached_property
    def distinct(self) -> Ints:
        """(classes,) distinct sensitive values, missing ones included [Ganta 2008, Def. 8]."""
        return np.diff(np.append(self.starts, len(self.value)))

    def of_class(self, number: int) -> tuple[Ints, Ints]:
        """Values and counts of one class."""
        end = self.starts[number + 1] if number + 1 < self.classes else len(self.value)
        part = slice(self.starts[number], end)
        return self.value[part], self.count[part]
