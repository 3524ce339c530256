"""Locate people in the classes of a published table, by regions or by the nearest centroid [definitions §4].

A person is what an adversary knows about them: one text per quasi-identifier. A column that the adversary does not know
matches everything; a value known to be missing matches a region that includes missing values, or everything. Each
distinct value is compared with each distinct region of its column once; a person's classes are an "and" of bits over
classes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from core.base.arrays import BitSets, Bools, Floats, Ints
from core.base.errors import ParameterError
from core.base.limits import LIMITS
from core.data.classes import distinct_columns
from core.release.published.containment import bits, inside
from core.release.published.located import Located
from core.release.published.published import Attribute, Published
from core.release.published.region import Region
from core.release.published.targets import Targets

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

BLOCK = 1_000_000
"""Number of words, or distances, processed at a time, to fit the processor's cache."""
TIE = 1e-9


def locate(published: Published, targets: Targets | IntoDataFrame) -> Located:
    """Find the classes that each person may be in.

    Parameters
    ----------
    published
        A published table.
    targets
        What is known about the people; a frame holds one row per person.

    Returns
    -------
    Located
        Every class whose region contains the values; for centroids, the nearest ones. Without people (all their records
        were left out) there are no candidates.

    Raises
    ------
    ParameterError
        If none of the known columns is published, or more classes fit than memory
        has room for.
    InputError
        If a value does not fit the type of its column.

    Notes
    -----
    O(values x regions + distinct people x classes x columns / 64). Distance to a centroid
    [Ganta 2008, §2]: the squared difference over the variance of the published centroids,
    weighted by class size, plus 1 for each category that differs, as in microaggregation;
    classes at equal distance (up to 1e-9) are all candidates.
    """
    known = targets if isinstance(targets, Targets) else Targets.from_frame(targets)
    columns, group, distinct = _columns(published, known)
    if not published.histogram.classes or not known.people:
        return Located(np.zeros(known.people + 1, dtype=np.int64), np.empty(0, dtype=np.int64))
    find = _nearest if published.centroids else _containing
    matches = [*find(published, columns)]
    owner = np.concatenate([person for person, _ in matches])
    classes = np.concatenate([number for _, number in matches])
    return _spread(owner, classes, group, distinct)


def fits_any(published: Published, targets: Targets) -> Bools:
    """(people,) whether each person fits any class at all, as :func:`locate` finds them.

    No candidates are kept, so their number is not limited. With centroids there always is a nearest one. Raises as
    :func:`locate` does. O(values x regions + distinct people x classes x columns / 64).
    """
    columns, group, _ = _columns(published, targets)
    if not published.histogram.classes or not targets.people or published.centroids:
        return np.full(targets.people, bool(published.histogram.classes))
    there: Bools = np.concatenate([fits.any(axis=1) for _, fits in _fits(published, columns)])
    return there[group]


def _columns(published: Published, known: Targets) -> tuple[Columns, Ints, int]:
    """Known values of the distinct people by column, the distinct person of everyone, and their number."""
    pairs = [(part, known.names.index(part.name)) for part in published.attributes if part.name in known.names]
    if not pairs:
        raise ParameterError(
            "Nothing that is known about the people is a column of the published table.", parameter="people"
        )
    first, group, _ = distinct_columns(known.codes[[row for _, row in pairs]])
    columns = []
    for part, row in pairs:
        codes = known.codes[row, first]
        used, codes = np.unique(codes, return_inverse=True)
        columns.append((part, [known.texts[row][int(i)] for i in used], codes))
    return columns, group, len(first)


Columns = list[tuple[Attribute, list[str], Ints]]
Matches = tuple[Ints, Ints]


def _spread(owner: Ints, classes: Ints, group: Ints, distinct: int) -> Located:
    """Give equal people the same candidates."""
    counts = np.bincount(owner, minlength=distinct)
    begins = np.concatenate(([0], np.cumsum(counts)))
    many = counts[group]
    starts = np.concatenate(([0], np.cumsum(many)))
    LIMITS["candidates"].check(int(starts[-1]), "people")
    place = np.arange(starts[-1]) - np.repeat(starts[:-1], many) + np.repeat(begins[group], many)
    return Located(starts, classes[place])


# ---- regions ----------------------------------------------------------------------------


def _containing(published: Published, columns: Columns) -> Iterator[Matches]:
    """Distinct people and the classes whose regions contain them, block by block."""
    total = 0
    for begin, fits in _fits(published, columns):
        person, number = _set_bits(fits)
        total += len(person)
        LIMITS["candidates"].check(total, "people")
        yield person + begin, number


def _fits(published: Published, columns: Columns) -> Iterator[tuple[int, BitSets]]:
    """First of each block of distinct people, and the classes whose regions contain them as bits."""
    words = -(-published.histogram.classes // 64)
    everybody = len(columns[0][2])
    block = max(1, BLOCK // words)
    for begin in range(0, everybody, block):
        fits = np.full((min(block, everybody - begin), words), np.iinfo(np.uint64).max, dtype=np.uint64)
        for part, texts, codes in columns:
            used, code = np.unique(codes[begin : begin + block], return_inverse=True)
            fits &= bits(part, [texts[int(j)] for j in used])[code]
        yield begin, fits


def _set_bits(fits: BitSets) -> Matches:
    """Row and column of every bit that is set, row by row, columns ascending."""
    words = fits.shape[1]
    filled = np.flatnonzero(fits)
    bits = np.unpackbits(fits.ravel()[filled].astype("<u8").view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
    at, bit = np.nonzero(bits)
    return filled[at] // words, filled[at] % words * 64 + bit


# ---- centroids --------------------------------------------------------------------------


def _nearest(published: Published, columns: Columns) -> Iterator[Matches]:
    """Distinct people and their nearest classes, block by block."""
    classes = published.histogram.classes
    tables = [(distances(part, texts, published.sizes), part.which) for part, texts, _ in columns]
    everybody = len(columns[0][2])
    block = max(1, BLOCK // 4 // classes)
    for begin in range(0, everybody, block):
        far = np.zeros((min(block, everybody - begin), classes))
        for (table, which), (_, _, codes) in zip(tables, columns, strict=True):
            far += table[codes[begin : begin + block]][:, which]
        least = far.min(axis=1, keepdims=True)
        person, number = np.nonzero(far <= least + TIE * (1 + least))
        yield person + begin, number


def distances(part: Attribute, texts: list[str], sizes: Ints) -> Floats:
    """(texts, regions) squared distance of each value to each centroid, in one column.

    Numbers, days and ranks: in standard deviations of the published centroids, weighted by class
    size; 0 if all are the same. Categories: 0 if the centroid has it, else 1; also 1 between a missing and a known
    value.
    """
    far = np.where(inside(part, texts), 0.0, 1.0)
    if not part.column_type.ordered:
        return far
    centre = np.array([_centre(region) for region in part.regions])
    weight = np.bincount(part.which, weights=sizes, minlength=len(centre))
    known = np.isfinite(centre)
    if not known.any():
        return far
    mean = np.average(centre[known], weights=weight[known])
    variance = float(np.average((centre[known] - mean) ** 2, weights=weight[known]))
    places = part.reader.places(texts)
    there = np.isfinite(places)
    scaled = (places[there, None] - centre[known]) ** 2 / variance if variance > 0 else 0.0
    far[np.ix_(there, known)] = scaled
    return far


def _centre(region: Region) -> float:
    """Middle of a region's ranges; NaN if it has none."""
    ends = [end for pair in region.ranges for end in pair if np.isfinite(end)]
    return float(np.mean(ends)) if ends and not region.everything else np.nan
