"""Count the people who are unique in a table before it is anonymised.

A person is *unique* if no one else in the table has the same values of all quasi-identifiers: anyone who knows these
values finds the record without a name. This is only about the given table; a person who is unique in it need not be
unique in the population.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Ints
from core.data.classes import distinct_columns, first_of_each, weighted_count
from core.data.encoding.encoded import Encoded

BINS: tuple[tuple[int, int | None], ...] = ((1, 1), (2, 2), (3, 4), (5, 9), (10, None))
"""Size bands of groups: smallest and largest number of people, None for no bound."""


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
    """Contribution of one quasi-identifier to uniqueness.

    Parameters
    ----------
    name
        The column.
    distinct
        Distinct values that occur, a missing one included.
    without
        People still unique if everything except this column is known.
    alone
        People unique by this column alone.
    """

    name: str
    distinct: int
    without: int
    alone: int


@dataclass(frozen=True)
class Uniqueness:
    """Uniqueness of people on the chosen quasi-identifiers.

    Parameters
    ----------
    people
        People counted: records, or persons if they may have several.
    unique
        People whose values no one else has; persons with several records count if this holds for any of them.
    smallest
        People in the smallest group: the k that the untouched table already has.
    groups
        Distinct combinations of values.
    bands
        People by the size of their group, in the steps of :data:`BINS`.
    contributions
        One per quasi-identifier, in the order of the schema.
    """

    people: int
    unique: int
    smallest: int
    groups: int
    bands: tuple[UniquenessBand, ...]
    contributions: tuple[Contribution, ...]

    @property
    def share(self) -> float:
        """Share of people who are unique."""
        return self.unique / self.people


def uniqueness(encoded: Encoded) -> Uniqueness:
    """Count unique people on all quasi-identifiers, without each, and on each alone.

    Parameters
    ----------
    encoded
        A table or a frequency table as codes; a missing value is a value like any other.

    Returns
    -------
    Uniqueness
        Counts of people, exact.

    Notes
    -----
    Leaving a column out can only merge groups, so the distinct combinations are found once
    and regrouped: O(records log records + quasi-identifiers x combinations log combinations).
    """
    known = _Known.of(encoded)
    fewest, sizes = known.groups(known.codes)
    contributions = []
    for i, domain in enumerate(encoded.qids):
        without, _ = known.groups(np.delete(known.codes, i, axis=0))
        alone, _ = known.groups(known.codes[i : i + 1])
        distinct = len(np.unique(known.codes[i]))
        contributions.append(Contribution(domain.name, distinct, int((without == 1).sum()), int((alone == 1).sum())))
    return Uniqueness(
        people=encoded.people,
        unique=int((fewest == 1).sum()),
        smallest=int(sizes.min()),
        groups=len(sizes),
        bands=tuple(_band(known.people, fewest, sizes, low, high) for low, high in BINS),
        contributions=tuple(contributions),
    )


def people_by_group(encoded: Encoded) -> tuple[Ints, Ints]:
    """Sizes of groups with equal quasi-identifiers, and the number of people in groups of each size.

    Parameters
    ----------
    encoded
        A table or a frequency table as codes. A person with several records is in the group of the record that fewest
        persons match, as in :func:`uniqueness`.

    Returns
    -------
    sizes, people
        (sizes,) people in such a group, ascending; (sizes,) people in all groups of that size together.

    Notes
    -----
    O(records log records).
    """
    known = _Known.of(encoded)
    sizes, number = np.unique(known.groups(known.codes)[0], return_inverse=True)
    return sizes, weighted_count(number, known.people, len(sizes))


@dataclass(frozen=True, eq=False)
class _Known:
    """Known tuples of values, each of a person with several tuples or of a number of people.

    Parameters
    ----------
    codes
        (quasi-identifiers, tuples).
    people
        Number of people in each unit: one for a person with several tuples, else all people with a tuple.
    whose
        (tuples,) unit of each.
    """

    codes: NDArray[np.int32]
    people: Ints
    whose: Ints

    @classmethod
    def of(cls, encoded: Encoded) -> _Known:
        if encoded.has_multiple_records:
            return cls(encoded.codes, np.ones(encoded.people, dtype=np.int64), encoded.whose)
        first, group, _ = distinct_columns(encoded.codes)
        people = weighted_count(group, encoded.weight, len(first))
        return cls(encoded.codes[:, first], people, np.arange(len(first)))

    def groups(self, codes: NDArray[np.int32]) -> tuple[Ints, Ints]:
        """(units,) smallest number of people who match any tuple of each unit, and (combinations,) people of each."""
        key = distinct_columns(codes)[1] if len(codes) else np.zeros_like(self.whose)
        once = first_of_each(key, self.whose)
        sizes = weighted_count(key[once], self.people[self.whose[once]], 0)
        fewest = np.full(len(self.people), sizes.sum())
        np.minimum.at(fewest, self.whose, sizes[key])
        return fewest, sizes


def _band(people: Ints, fewest: Ints, sizes: Ints, low: int, high: int | None) -> UniquenessBand:
    most = int(sizes.max()) if high is None else high
    inside = people[(fewest >= low) & (fewest <= most)]
    return UniquenessBand(low, high, int(inside.sum()), int(np.count_nonzero((sizes >= low) & (sizes <= most))))
