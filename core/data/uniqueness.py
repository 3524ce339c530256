"""How many people stand alone in a table, before anything is done to it.

A person is *unique* when nobody else in the table has the same values of all
quasi-identifiers: whoever knows these values finds the record without any name. This is
about the table at hand; somebody unique in it need not be unique in the population.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Ints
from core.data.classes import distinct_columns, first_of_each, pack, weighted_count
from core.data.encoding import Encoded

BINS: tuple[tuple[int, int | None], ...] = ((1, 1), (2, 2), (3, 4), (5, 9), (10, None))
"""Sizes of groups told apart: least and most people, None for no bound."""


@dataclass(frozen=True)
class UniquenessBand:
    """People who share their values with a similar number of others.

    Parameters
    ----------
    low, high
        Least and most people in such a group, counting the person; None for no bound.
    people
        People in groups of this size.
    groups
        Number of these groups. Persons with several records are in several groups and counted
        in the smallest.
    """

    low: int
    high: int | None
    people: int
    groups: int


@dataclass(frozen=True)
class Contribution:
    """What one quasi-identifier adds to uniqueness.

    Parameters
    ----------
    name
        The column.
    distinct
        Distinct values that occur, a missing one included.
    without
        People still unique when everything but this column is known.
    alone
        People unique by this column alone.
    """

    name: str
    distinct: int
    without: int
    alone: int


@dataclass(frozen=True)
class Uniqueness:
    """How alone people are on the chosen quasi-identifiers.

    Parameters
    ----------
    people
        People looked at: records, or persons where they may have several.
    unique
        People whose values nobody else has; of persons with several records, with any of them.
    smallest
        People in the smallest group: the k that the untouched table already has.
    groups
        Distinct combinations of values.
    crowds
        People by the size of their group, in the steps of :data:`BINS`.
    contributions
        One a quasi-identifier, in the order of the schema.
    """

    people: int
    unique: int
    smallest: int
    groups: int
    crowds: tuple[UniquenessBand, ...]
    contributions: tuple[Contribution, ...]

    @property
    def share(self) -> float:
        """Share of people who are unique."""
        return self.unique / self.people


def uniqueness(encoded: Encoded) -> Uniqueness:
    """Count who is unique on all quasi-identifiers, without each, and on each alone.

    Parameters
    ----------
    encoded
        A table or a tally as codes; a missing value is a value like any other.

    Returns
    -------
    Uniqueness
        Counts of people, exact.

    Notes
    -----
    Leaving a column out can only merge groups, so the distinct combinations are found once
    and regrouped: O(records log records + quasi-identifiers x combinations log combinations).
    """
    if encoded.several:
        return _of_persons(encoded)
    key = pack(encoded.codes)
    _, first, group = np.unique(key, return_index=True, return_inverse=True)
    sizes = weighted_count(group, encoded.weight, len(first))
    kinds, crowded = encoded.codes[:, first], sizes > 1
    contributions = []
    for i, domain in enumerate(encoded.qids):
        counts = weighted_count(encoded.codes[i], encoded.weight, domain.size)
        without = _lonely(np.delete(kinds, i, axis=0), crowded)
        alone = int(np.count_nonzero(counts == 1))
        contributions.append(Contribution(domain.name, int(np.count_nonzero(counts)), without, alone))
    return Uniqueness(
        people=encoded.records,
        unique=int(np.count_nonzero(sizes == 1)),
        smallest=int(sizes.min()),
        groups=len(sizes),
        crowds=tuple(_crowd(sizes, low, high) for low, high in BINS),
        contributions=tuple(contributions),
    )


def people_by_group(encoded: Encoded) -> tuple[Ints, Ints]:
    """Sizes of groups with the same values of all quasi-identifiers, and how many people are in groups of each.

    Parameters
    ----------
    encoded
        A table or a tally as codes. A person with several records is in the group of the record that fewest
        persons match, as in :func:`uniqueness`.

    Returns
    -------
    sizes, people
        (sizes,) people in such a group, ascending; (sizes,) people in all groups of that size together.

    Notes
    -----
    O(records log records).
    """
    if encoded.several:
        sizes, people = np.unique(_matching(encoded, encoded.codes)[0], return_counts=True)
        return sizes, people
    first, group, _ = distinct_columns(encoded.codes)
    sizes, groups = np.unique(weighted_count(group, encoded.weight, len(first)), return_counts=True)
    return sizes, sizes * groups


def _of_persons(encoded: Encoded) -> Uniqueness:
    """The same of persons with several records: each counts with the record that fewest persons match."""
    contributions = []
    for i, domain in enumerate(encoded.qids):
        without, _ = _matching(encoded, np.delete(encoded.codes, i, axis=0))
        alone, _ = _matching(encoded, encoded.codes[i : i + 1])
        distinct = len(np.unique(encoded.codes[i]))
        contributions.append(Contribution(domain.name, distinct, int((without == 1).sum()), int((alone == 1).sum())))
    fewest, sizes = _matching(encoded, encoded.codes)
    return Uniqueness(
        people=encoded.people,
        unique=int(np.count_nonzero(fewest == 1)),
        smallest=int(sizes.min()),
        groups=len(sizes),
        crowds=tuple(_crowd_of(fewest, sizes, low, high) for low, high in BINS),
        contributions=tuple(contributions),
    )


def _matching(encoded: Encoded, codes: NDArray[np.int32]) -> tuple[Ints, Ints]:
    """(people,) least persons who match any record of each person, and (combinations,) persons of each."""
    key = np.unique(pack(codes), return_inverse=True)[1] if len(codes) else np.zeros(len(encoded), dtype=np.int64)
    sizes = np.bincount(key[first_of_each(key, encoded.whose)])
    fewest = np.full(encoded.people, len(encoded))
    np.minimum.at(fewest, encoded.whose, sizes[key])
    return fewest, sizes


def _crowd_of(fewest: Ints, sizes: Ints, low: int, high: int | None) -> UniquenessBand:
    most = int(sizes.max()) if high is None else high
    people = int(np.count_nonzero((fewest >= low) & (fewest <= most)))
    return UniquenessBand(low, high, people, int(np.count_nonzero((sizes >= low) & (sizes <= most))))


def _lonely(codes: NDArray[np.int32], crowded: NDArray[np.bool_]) -> int:
    """Count the combinations that stand for one person and equal no other one."""
    if not len(codes):  # nothing is known of anybody
        return int(len(crowded) == 1 and not crowded[0])
    key = pack(codes)
    # A combination of several people counts twice, so that it is not taken for one person.
    key = np.sort(np.concatenate((key, key[crowded])))
    differs = np.concatenate(([True], key[1:] != key[:-1], [True]))
    return int(np.count_nonzero(differs[1:] & differs[:-1]))


def _crowd(sizes: Ints, low: int, high: int | None) -> UniquenessBand:
    inside = sizes[(sizes >= low) & (sizes <= (sizes.max() if high is None else high))]
    return UniquenessBand(low, high, int(inside.sum()), len(inside))
