"""Slow twin of what a release costs: one class, one record, one attribute at a time, definitions §9.

A class is a list of record numbers; records that are in no class are suppressed.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tests.reference.attributes import Attribute, Value, shared

Classes = Sequence[Sequence[int]]


def region(attribute: Attribute, values: Sequence[Value]) -> list[Value]:
    """Values of the attribute that the published region over some values covers: the hull of the known ones.

    A missing value is in it where one of them is missing, and under the root of a taxonomy.
    """
    every: list[Value] = [*attribute.labels(), *([None] if attribute.has_missing else [])]
    known = [value for value in values if value is not None]
    absent: list[Value] = [None] if len(known) < len(values) else []
    if not known:
        return absent
    if attribute.column_type == "taxonomy":
        above = shared(attribute.path(value) for value in known)
        return [v for v in every if attribute.path(v)[: len(above)] == above or v in absent]
    places = [attribute.labels().index(value) for value in known]
    return attribute.labels()[min(places) : max(places) + 1] + absent


def ncp(attribute: Attribute, members: Sequence[int]) -> Fraction:
    """Normalised certainty penalty of one class on one attribute.

    Range over the table's range for numbers and ranks, values over values for categories;
    nothing for a single value, everything for a class that mixes values with missing ones.
    """
    values = [attribute.values[i] for i in members]
    if len(set(values)) == 1:
        return Fraction(0)
    if attribute.column_type in ("categorical", "taxonomy"):
        every = len(attribute.labels()) + attribute.has_missing
        return Fraction(len(region(attribute, values)), every)
    if None in values:
        return Fraction(1)
    labels = attribute.labels()
    if attribute.column_type == "ordinal":
        places = [labels.index(value) for value in values]
        return Fraction(max(places) - min(places), len(labels) - 1)
    return (max(values) - min(values)) / Fraction(labels[-1] - labels[0])  # type: ignore[type-var,operator]


def gcp(attributes: Sequence[Attribute], classes: Classes) -> Fraction:
    """Mean penalty over records and attributes; a suppressed record has lost everything."""
    records = len(attributes[0].values)
    kept = sum(len(members) for members in classes)
    lost = sum(len(members) * ncp(attribute, members) for members in classes for attribute in attributes)
    return (Fraction(lost) + (records - kept) * len(attributes)) / (records * len(attributes))


def discernibility(attributes: Sequence[Attribute], classes: Classes) -> int:
    """For every record the number of records it cannot be told from; all, if it is suppressed."""
    records = len(attributes[0].values)
    size = {i: len(members) for members in classes for i in members}
    return sum(size.get(i, records) for i in range(records))


def c_avg(classes: Classes, k: int) -> Fraction:
    """(n / classes) / k over the records in classes."""
    return Fraction(sum(len(members) for members in classes), len(classes)) / k
