"""The people that hospitals share, as groups with equal values everywhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from core.base.arrays import Ints
from core.data.classes import distinct_columns
from core.data.encoding.encoded import Encoded

ONE_BY_ONE = 100_000
"""Largest number of shared people in separate groups, so that results about single persons are available."""


@dataclass(frozen=True, eq=False)
class Groups:
    """Shared people of a frequency table.

    Parameters
    ----------
    tuples
        (groups,) tuple of each group.
    weight
        (groups,) people of each, at least 1.
    sensitive_codes
        For each hospital with another value for some people, (groups,) its sensitive code.
    """

    tuples: Ints
    weight: Ints
    sensitive_codes: Mapping[int, Ints] = field(default_factory=dict)

    def __len__(self) -> int:
        """Number of groups."""
        return len(self.tuples)

    @classmethod
    def of(cls, counts: Ints) -> Groups:
        """Create from the number of people with each tuple, (tuples,)."""
        tuples = np.flatnonzero(counts)
        weight = counts[tuples]
        people = int(weight.sum())
        if people <= ONE_BY_ONE:
            tuples = np.repeat(tuples, weight)
            weight = np.ones(people, dtype=np.int64)
        return cls(tuples, weight)

    def disagreeing(self, hospital: int, same_value_rate: float, encoded: Encoded, rng: np.random.Generator) -> Groups:
        """Give some people a different sensitive value at one hospital; see :func:`core.study.draw.disagree`.

        A binomial number of people of each group is redrawn from the whole frequency table; people who get the same
        value stay together. O(groups + people redrawn).
        """
        redrawn = rng.binomial(self.weight, 1 - same_value_rate)
        whose = np.repeat(np.arange(len(self)), redrawn)
        share = encoded.overall / encoded.overall.sum()
        value = rng.choice(len(share), size=len(whose), p=share)
        first, _, number = distinct_columns(np.stack([whose, value]))
        kept = np.flatnonzero(self.weight > redrawn)
        source = np.concatenate((kept, whose[first]))
        value_of = np.concatenate((encoded.sensitive_codes[self.tuples[kept]], value[first]))
        weight = np.concatenate(((self.weight - redrawn)[kept], number))
        order = np.argsort(source, kind="stable")
        source = source[order]
        sensitive_codes = {other: codes[source] for other, codes in self.sensitive_codes.items()}
        return Groups(
            self.tuples[source], weight[order], {**sensitive_codes, hospital: value_of[order].astype(np.int64)}
        )

    def with_sensitive_of(self, hospital: int, part: Encoded) -> Encoded:
        """Tuples of a hospital, first those of the shared people with their values there."""
        if hospital not in self.sensitive_codes:
            return part
        sensitive_codes = part.sensitive_codes.copy()
        sensitive_codes[: len(self)] = self.sensitive_codes[hospital]
        return part.with_sensitive(sensitive_codes)
