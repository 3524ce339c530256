"""What a second release really does, and releases drawn as the forecast supposes them.

Real risk [Sattar 2018, Def. 2-4, Eq. 1] between two releases, and the hypothesised release of
Def. 5-6 drawn record by record: what the estimate is judged by.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.attack.intersection import by_record, intersection_attack
from core.base.arrays import Bools, Ints
from core.base.errors import ParameterError
from core.base.rates import Rate
from core.data.encoding import Encoded
from core.data.marginals import Marginals
from core.release.release import Release
from core.release.value_sets import ValueSets

_PART = 20_000
"""Records looked up at a time."""


@dataclass(frozen=True, eq=False)
class RealRisk:
    """Which classes of the first release are vulnerable to a second one.

    Parameters
    ----------
    shared
        (classes,) records of the class whose people are in the other release too.
    fewest
        (classes,) fewest values common to both classes of such a person; -1 where there is
        none, or where none of their classes match.
    left
        (people,) values common to both classes of each shared person; 0 where they do not
        match.
    l
        The publisher's l.
    """

    shared: Ints
    fewest: Ints
    left: Ints
    l: int  # noqa: E741

    @property
    def vulnerable(self) -> Bools:
        """(classes,) whether fewer than l values are common for some shared person [Sattar 2018, Def. 4]."""
        return (self.fewest > 0) & (self.fewest < self.l)

    @property
    def over_all(self) -> Rate:
        """Share of all classes that are vulnerable [Sattar 2018, Eq. 1]; ``n`` is the number of classes."""
        return Rate(float(self.vulnerable.mean()), len(self.vulnerable))

    @property
    def over_shared(self) -> Rate:
        """Share of the classes with a shared person that are vulnerable; no other class can be."""
        count = int(np.count_nonzero(self.shared))
        return Rate(float(self.vulnerable.sum() / max(1, count)), count)

    @property
    def breached(self) -> Rate:
        """Share of the shared people with fewer than l values left, and at least one."""
        return Rate(float(((self.left > 0) & (self.left < self.l)).mean()), len(self.left))


def real_risk(
    mine: Release,
    other: Release,
    people: Sequence[NDArray[Any] | Sequence[int]],
    l: int = 2,  # noqa: E741
) -> RealRisk:
    """Risk of a release against a second one that is known [Sattar 2018, Def. 2-4, Eq. 1].

    Parameters
    ----------
    mine, other
        The two releases.
    people
        For each, the positions of the shared people among its input rows, in one order.
    l
        The publisher's l.

    Returns
    -------
    RealRisk

    Raises
    ------
    ParameterError
        As :func:`core.intersection_attack`, or if l is below 1.

    Notes
    -----
    The classes of a shared person are those he is in, so their regions intersect in his own
    values and the match of Def. 2 comes down to a common sensitive value. Classes without one
    do not match: no breach. That a person's region differs between the hospitals, because one
    of them wrote down other values, is not looked at. O(classes x values / 64 + people).
    """
    if l < 1:
        raise ParameterError("l must be at least 1.", parameter="l")
    # Class by class every record of a person counts; of the person the one that leaves fewest values.
    result = by_record([mine, other], people)
    label = mine.labels[np.asarray(people[0], dtype=np.int64)]
    there = label >= 0
    shared = np.bincount(label[there], minlength=mine.classes.count)
    left = intersection_attack([mine, other], people).posterior if mine.encoded.several else result.posterior
    none = np.iinfo(np.int64).max
    fewest = np.full(mine.classes.count, none)
    matched = there & (result.posterior > 0)
    np.minimum.at(fewest, label[matched], result.posterior[matched])
    return RealRisk(shared, np.where(fewest == none, -1, fewest), left, l)


def hypothesised(encoded: Encoded, population: Marginals, records: int, seed: int | np.random.Generator = 0) -> Encoded:
    """Draw the records of a hypothesised release [Sattar 2018, Def. 5-6].

    Parameters
    ----------
    encoded
        The publisher's table, for the domains.
    population
        P(q) and P(s); every attribute of every record is drawn independently.
    records
        n.
    seed
        For the draws.

    Returns
    -------
    Encoded
        n records over the same domains, ready to be partitioned. O(n x quasi-identifiers).
    """
    population.check(encoded)
    if records < 1:
        raise ParameterError("A hypothesised release needs at least one record.", parameter="records")
    rng = np.random.default_rng(seed)
    codes = np.empty((len(encoded.qids), records), dtype=np.int32)
    for i in range(len(encoded.qids)):
        codes[i] = _drawn(population.probability(i), records, rng)
    secret = _drawn(population.sensitive, records, rng).astype(np.int32)
    return Encoded(encoded.qids, codes, encoded.sensitive, secret, np.arange(records))


def _drawn(share: NDArray[np.float64], records: int, rng: np.random.Generator) -> Ints:
    return rng.choice(len(share), size=records, p=share)


def common_values(release: Release, other: Encoded) -> Ints:
    """Count the values of each class that occur among other records in its region.

    Parameters
    ----------
    release
        The publisher's release.
    other
        Records over the same domains, such as those of :func:`hypothesised`.

    Returns
    -------
    ndarray
        (classes,) distinct common values of the class and the hypothesised class of the same
        region [Sattar 2018, Def. 7].

    Notes
    -----
    For every code of every quasi-identifier the classes whose region holds it are a row of
    bits; a record's classes are the "and" of its rows. O(records x quasi-identifiers x
    classes / 8) bytes.
    """
    classes, values = release.classes.count, release.encoded.sensitive.size
    holding = [_rows_of_bits(release.value_sets(i)) for i in range(len(release.encoded.qids))]
    keys = []
    for start in range(0, len(other), _PART):
        part = slice(start, start + _PART)
        bits = holding[0][other.codes[0, part]]
        for rows, codes in zip(holding[1:], other.codes[1:, part], strict=True):
            bits &= rows[codes]
        record, byte = np.nonzero(bits)
        inside = np.unpackbits(bits[record, byte][:, None], axis=1)
        which, bit = np.nonzero(inside)
        key = (byte[which] * 8 + bit) * values + other.secret[part][record[which]]
        keys.append(np.unique(key))
    key = np.unique(np.concatenate(keys)) if keys else np.empty(0, dtype=np.int64)
    own = release.histogram.owner * values + release.histogram.value
    return np.bincount(release.histogram.owner[np.isin(own, key)], minlength=classes)


def _rows_of_bits(cells: ValueSets) -> NDArray[np.uint8]:
    """(codes, classes / 8) which classes hold each code."""
    there = np.zeros((cells.size, len(cells.counts)), dtype=bool)
    there[cells.value, cells.owner] = True
    return np.packbits(there[:, cells.which], axis=1)
