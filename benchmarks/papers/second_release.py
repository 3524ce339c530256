"""Releases drawn as the forecast supposes them: the hypothesised ones of [Sattar 2018, Def. 5-6]."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Ints
from core.base.errors import ParameterError
from core.data.encoding.encoded import Encoded
from core.data.encoding.marginals import Marginals
from core.release.release import Release
from core.release.value_sets import ValueSets

_PART = 20_000
"""Records looked up at a time."""


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
        key = (byte[which] * 8 + bit) * values + other.sensitive_codes[part][record[which]]
        keys.append(np.unique(key))
    key = np.unique(np.concatenate(keys)) if keys else np.empty(0, dtype=np.int64)
    own = release.histogram.owner * values + release.histogram.value
    return np.bincount(release.histogram.owner[np.isin(own, key)], minlength=classes)


def _rows_of_bits(cells: ValueSets) -> NDArray[np.uint8]:
    """(codes, classes / 8) which classes hold each code."""
    there = np.zeros((cells.size, len(cells.counts)), dtype=bool)
    there[cells.value, cells.owner] = True
    return np.packbits(there[:, cells.which], axis=1)
