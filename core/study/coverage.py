"""How far another publisher's file speaks of the values in my table, column by column.

A column in other words (F for female) or other units fits nobody of mine: the file then seems
harmless, and is not. Ours; no source asks this.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.arrays import Bools
from core.data.domain import Domain
from core.data.encoding import Encoded
from core.data.schema import Kind
from core.published.containment import bits
from core.published.published import Published
from core.study.uploads import Foreign

DOUBTFUL = 0.5
"""Below this share of my records, a column is probably in other words or units."""


def reach(foreign: Foreign, mine: Encoded) -> dict[str, float]:
    """Share of my records whose value of a column the file can speak of.

    Parameters
    ----------
    foreign
        The other publisher's file, read.
    mine
        My records.

    Returns
    -------
    dict
        By my quasi-identifiers, those that the file has. A value is spoken of where the region
        of some class of a release contains it; among centroids, where a number has a nearest
        one or a category is published. In a raw table: where a category occurs, or a value
        lies between the smallest and the largest.

    Notes
    -----
    O(values x classes / 64) for each column of a release.
    """
    shares = {}
    for i, domain in enumerate(mine.qids):
        known = _spoken_of(foreign, domain)
        if known is not None:
            counts = np.bincount(mine.codes[i], minlength=domain.size)
            shares[domain.name] = float(counts[known].sum() / counts.sum())
    return shares


def _spoken_of(foreign: Foreign, mine: Domain) -> Bools | None:
    """(values,) whether the file speaks of each value of my column; None where it lacks the column."""
    if foreign.published is not None:
        return _in_release(foreign.published, mine)
    assert foreign.encoded is not None
    for domain, codes in zip(foreign.encoded.qids, foreign.encoded.codes, strict=True):
        if domain.name == mine.name:
            return _in_raw(domain, np.unique(codes), mine)
    return None


def _in_release(published: Published, mine: Domain) -> Bools | None:
    part = next((part for part in published.attributes if part.name == mine.name), None)
    if part is None:
        return None
    if published.centroids and part.kind is not Kind.CATEGORICAL:
        return np.ones(mine.size, dtype=bool)
    return np.asarray(bits(part, list(mine.labels)).any(axis=1))


def _in_raw(theirs: Domain, used: NDArray[np.int32], mine: Domain) -> Bools:
    if mine.kind is Kind.CATEGORICAL:
        labels = {theirs.labels[code] for code in used}
        return np.array([label in labels for label in mine.labels], dtype=bool)
    known = used[used != theirs.missing]
    # Orders and taxonomies are public: their codes are mine.
    their_low, their_high = _line(theirs)
    low, high = _line(mine)
    out = np.zeros(mine.size, dtype=bool)
    if len(known):
        out = (high >= their_low[known].min()) & (low <= their_high[known].max())
    if mine.missing >= 0:
        out[mine.missing] = theirs.missing in used and theirs.missing >= 0
    return out


def _line(domain: Domain) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Lowest and highest place of every value: numbers, ends of bands, ranks."""
    if domain.bands is not None:
        ends = np.array([*domain.bands.spans, *[(np.nan, np.nan)] * (domain.missing >= 0)], dtype=np.float64)
        return ends[:, 0], ends[:, 1]
    line = domain.values if domain.values is not None else np.arange(domain.size, dtype=float)
    return line, line
