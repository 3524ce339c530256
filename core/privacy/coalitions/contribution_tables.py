"""Contributions to every class of a release, as sorted runs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Ints, is_first
from core.data.classes import ClassHistogram
from core.privacy.coalitions.contributions import Constraint, Group


def together(sensitive_codes: NDArray[Any], source: NDArray[Any], providers: int) -> Ints:
    """One code for sensitive value and provider, sorted by value first."""
    joint: Ints = sensitive_codes.astype(np.int64) * providers + source
    return joint


@dataclass(frozen=True, eq=False)
class Contributions:
    """Records of every class by sensitive value and provider.

    Parameters
    ----------
    owner, value, provider, count
        (cells,) class, sensitive code, provider code and records, sorted in that order;
        counts are positive.
    classes, providers
        Their numbers.
    constraint
        What a class must satisfy.
    """

    owner: Ints
    value: Ints
    provider: Ints
    count: Ints
    classes: int
    providers: int
    constraint: Constraint

    @classmethod
    def of_joint(cls, histogram: ClassHistogram, providers: int, constraint: Constraint) -> Contributions:
        """Split a histogram over :func:`together`; O(cells)."""
        value = histogram.value // providers
        return cls(
            histogram.owner,
            value,
            histogram.value - value * providers,
            histogram.count,
            histogram.classes,
            providers,
            constraint,
        )

    @classmethod
    def of_records(
        cls,
        labels: NDArray[Any],
        sensitive_codes: NDArray[Any],
        source: NDArray[Any],
        providers: int,
        constraint: Constraint,
    ) -> Contributions:
        """Count the records of classes 0, 1, 2, ...; -1 is left out. O(records log records)."""
        kept = labels >= 0
        joint = together(sensitive_codes[kept], source[kept], providers)
        overall = np.bincount(joint, minlength=len(constraint.overall) * providers)
        classes = int(labels.max(initial=-1)) + 1
        return cls.of_joint(ClassHistogram.of_records(labels[kept], joint, overall, classes), providers, constraint)

    @cached_property
    def starts(self) -> Ints:
        """(classes + 1,) first cell of each class."""
        return np.searchsorted(self.owner, np.arange(self.classes + 1))

    def group(self, number: int) -> Group:
        """One class as a table of contributors by values."""
        part = slice(self.starts[number], self.starts[number + 1])
        providers, row = np.unique(self.provider[part], return_inverse=True)
        values, column = np.unique(self.value[part], return_inverse=True)
        counts = np.zeros((len(providers), len(values)), dtype=np.int64)
        counts[row, column] = self.count[part]
        return Group(providers, values, counts, self.constraint)

    @cached_property
    def shares(self) -> tuple[Ints, Ints, Ints]:
        """Class, provider and records of every contribution, sorted by class, then by records, largest first."""
        key = self.owner * self.providers + self.provider
        order = np.argsort(key, kind="stable")
        ordered = key[order]
        first = np.flatnonzero(is_first(ordered))
        records = np.add.reduceat(self.count[order], first)
        key = ordered[first]
        owner, provider = key // self.providers, key % self.providers
        ranked = np.lexsort((provider, -records, owner))
        return owner[ranked], provider[ranked], records[ranked]

    @cached_property
    def contributors(self) -> Ints:
        """(classes,) n_G, the providers with a record in the class."""
        return np.bincount(self.shares[0], minlength=self.classes)

    @cached_property
    def sizes(self) -> Ints:
        """(classes,) records."""
        return np.add.reduceat(self.count, self.starts[:-1])

    @cached_property
    def holders(self) -> tuple[Ints, Ints]:
        """Class and number of holders of each known value of each class."""
        known = self.constraint.sensitive.is_known(self.value)
        owner, value = self.owner[known], self.value[known]
        first = np.flatnonzero(np.diff(owner, prepend=-1) | np.diff(value, prepend=-1))
        return owner[first], np.diff(first, append=len(owner))

    def left_at_least(self, most: Ints) -> Ints:
        """(classes,) records left when the ``most`` largest contributors of each class remove theirs."""
        owner, _, records = self.shares
        rank = np.arange(len(owner)) - np.searchsorted(owner, np.arange(self.classes))[owner]
        taken = rank < most[owner]
        gone: Ints = np.bincount(owner[taken], weights=records[taken], minlength=self.classes).astype(np.int64)
        return self.sizes - gone
