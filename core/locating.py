"""Who fits which class of a published table, by regions or by the nearest centroid [definitions §4].

A person is what an adversary knows of him: a text a quasi-identifier. What he doesn't
know (a column that is not there) fits everything; a value known to be missing fits a
region that says so, or everything. Each distinct value is compared with each distinct
region of its column once; a person's classes are an "and" of bits over classes.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.classes import distinct_columns
from core.domain import number_text
from core.errors import InputError, ParameterError
from core.errors import shown_name as shown
from core.located import Located
from core.published import Attribute, Published
from core.regions import Region
from core.schema import Kind
from core.targets import MISSING, Targets

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Words = NDArray[np.uint64]

BLOCK = 1_000_000
"""Words, or distances, worked on at a time: they stay in the processor's cache."""
TABLE = 32_000_000
"""Words (256 MB) that the bits of all values of one block may take."""
MAX_CANDIDATES = 30_000_000
TIE = 1e-9


def locate(published: Published, targets: Targets | pd.DataFrame) -> Located:
    """Find the classes that each person may be in.

    Parameters
    ----------
    published
        A published table.
    targets
        What is known of the people; a DataFrame holds a row a person, all text.

    Returns
    -------
    Located
        Every class whose region contains the values; for centroids, the nearest ones.

    Raises
    ------
    ParameterError
        If none of the known columns is published, or so many classes fit that memory
        would not suffice.
    InputError
        If a value is not of its column's kind.

    Notes
    -----
    O(values x regions + distinct people x classes x columns / 64). Distance to a centroid
    [Ganta 2008, §2]: the squared difference over the variance of the published centroids,
    weighted by class size, plus 1 for each category that differs, as in microaggregation;
    classes at equal distance (up to 1e-9) are all candidates.
    """
    known = Targets.from_frame(targets) if isinstance(targets, pd.DataFrame) else targets
    pairs = [(part, known.names.index(part.name)) for part in published.attributes if part.name in known.names]
    if not pairs:
        raise ParameterError(
            "Nothing that is known of the people is a column of the published table.", parameter="people"
        )
    first, group, _ = distinct_columns(known.codes[[row for _, row in pairs]])
    columns = []
    for part, row in pairs:
        codes = known.codes[row, first]
        used, codes = np.unique(codes, return_inverse=True)
        columns.append((part, [known.texts[row][int(i)] for i in used], codes))
    if not published.histogram.classes:
        return Located(np.zeros(known.people + 1, dtype=np.int64), np.empty(0, dtype=np.int64))
    find = _nearest if published.centroids else _containing
    found = [*find(published, columns)]
    owner = np.concatenate([person for person, _ in found])
    classes = np.concatenate([number for _, number in found])
    return _spread(owner, classes, group, len(first))


Columns = list[tuple[Attribute, list[str], Ints]]
Found = tuple[Ints, Ints]


def _spread(owner: Ints, classes: Ints, group: Ints, distinct: int) -> Located:
    """Give people who are alike the same candidates."""
    counts = np.bincount(owner, minlength=distinct)
    begins = np.concatenate(([0], np.cumsum(counts)))
    mine = counts[group]
    starts = np.concatenate(([0], np.cumsum(mine)))
    _check_candidates(int(starts[-1]))
    place = np.arange(starts[-1]) - np.repeat(starts[:-1], mine) + np.repeat(begins[group], mine)
    return Located(starts, classes[place])


def _check_candidates(count: int) -> None:
    if count > MAX_CANDIDATES:
        raise ParameterError(
            f"The people fit {count:,} classes or more together; at most {MAX_CANDIDATES:,} can be kept. Ask for fewer "
            "people, or give more that is known of them.",
            parameter="people",
        )


# ---- regions ----------------------------------------------------------------------------


def _containing(published: Published, columns: Columns) -> Iterator[Found]:
    """Distinct people and the classes whose regions contain them, block by block."""
    words = -(-published.histogram.classes // 64)
    everybody = len(columns[0][2])
    rows = sum(len(texts) for _, texts, _ in columns)
    whole = [bits(part, texts) for part, texts, _ in columns] if rows * words <= TABLE else None
    block = max(1, BLOCK // words)
    total = 0
    for begin in range(0, everybody, block):
        fits = np.full((min(block, everybody - begin), words), np.iinfo(np.uint64).max, dtype=np.uint64)
        for i, (part, texts, codes) in enumerate(columns):
            code = codes[begin : begin + block]
            if whole is not None:
                fits &= whole[i][code]
            else:
                used, code = np.unique(code, return_inverse=True)
                fits &= bits(part, [texts[int(j)] for j in used])[code]
        person, number = _set_bits(fits)
        total += len(person)
        _check_candidates(total)
        yield person + begin, number


def bits(part: Attribute, texts: list[str]) -> Words:
    """(texts, words) bit ``c`` of a value: whether the region of class ``c`` contains it.

    Regions of one range and nothing else take no table of values by regions: with the values
    in order, a class's bit is switched on at its lowest and off after its highest value.
    """
    words = -(-len(part.which) // 64)
    simple = np.array([_is_range(region) for region in part.regions])
    inside_simple = simple[part.which]
    out = _range_bits(part, texts, np.flatnonzero(inside_simple), words)
    others = np.flatnonzero(~inside_simple)
    if len(others):
        keep = np.flatnonzero(~simple)
        renumbered = np.cumsum(~simple) - 1
        rest = Attribute(part.reader, tuple(part.regions[int(i)] for i in keep), (), renumbered[part.which[others]])
        table = inside(rest, texts)
        step = max(1, 64 * BLOCK // max(1, len(part.which)))
        for begin in range(0, len(texts), step):
            flags = np.zeros((len(table[begin : begin + step]), words * 64), dtype=bool)
            flags[:, others] = table[begin : begin + step][:, rest.which]
            out[begin : begin + step] |= np.packbits(flags, axis=1, bitorder="little").view("<u8")
    return out


def _is_range(region: Region) -> bool:
    return len(region.ranges) == 1 and not (region.everything or region.labels or region.masks)


def _range_bits(part: Attribute, texts: list[str], classes: Ints, words: int) -> Words:
    """Bits of the classes whose regions are single ranges; O(values x words + classes)."""
    out = np.zeros((len(texts), words), dtype=np.uint64)
    if not len(classes):
        return out
    places = part.reader.places(texts)
    _check_values(part, texts, places)
    ends = np.array([next(iter(region.ranges)) if _is_range(region) else (0.0, 0.0) for region in part.regions])
    low, high = ends[part.which[classes]].T
    order = np.argsort(places)[: int(np.isfinite(places).sum())]
    line = places[order]
    word, bit = classes >> 6, np.uint64(1) << (classes & 63).astype(np.uint64)
    above, below = (np.zeros((len(line) + 1, words), dtype=np.uint64) for _ in range(2))
    np.bitwise_or.at(above, (np.searchsorted(line, low), word), bit)
    np.bitwise_or.at(below, (np.searchsorted(line, high, side="right"), word), bit)
    started = np.bitwise_or.accumulate(above, axis=0)[:-1]
    ended = np.bitwise_or.accumulate(below, axis=0)[:-1]
    out[order] = started & ~ended
    gone = [i for i, text in enumerate(texts) if text == MISSING or text in part.reader.absent]
    if gone:
        says = np.array([region.missing for region in part.regions])[part.which[classes]]
        row = np.zeros(words, dtype=np.uint64)
        np.bitwise_or.at(row, word[says], bit[says])
        out[gone] = row
    return out


def _set_bits(fits: Words) -> Found:
    """Row and column of every bit that is set, row by row, columns ascending."""
    words = fits.shape[1]
    filled = np.flatnonzero(fits)
    bits = np.unpackbits(fits.ravel()[filled].astype("<u8").view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
    at, bit = np.nonzero(bits)
    return filled[at] // words, filled[at] % words * 64 + bit


def inside(part: Attribute, texts: list[str]) -> Flags:
    """(texts, regions) whether each region of a column contains each value.

    Raises
    ------
    InputError
        If a value is not of the column's kind.
    """
    places = part.reader.places(texts)
    _check_values(part, texts, places)
    fits = _in_ranges(places, part.regions)
    number_of = {text: i for i, text in enumerate(texts)}
    for i, region in enumerate(part.regions):
        for label in number_of.keys() & region.labels:
            fits[number_of[label], i] = True
    _add_masks(fits, part, texts, places)
    if MISSING in number_of:
        fits[number_of[MISSING]] = [region.missing for region in part.regions]
    for text in number_of.keys() & part.reader.absent:
        fits[number_of[text]] = [region.missing for region in part.regions]
    fits[:, [region.everything for region in part.regions]] = True
    return fits


def _check_values(part: Attribute, texts: list[str], places: Floats) -> None:
    if part.kind is Kind.CATEGORICAL:
        return
    for text, place in zip(texts, places, strict=True):
        if np.isnan(place) and text not in part.reader.absent and text != MISSING:
            what = {Kind.NUMERIC: "a number", Kind.ORDINAL: "in the order", Kind.TAXONOMY: "a leaf of the taxonomy"}
            raise InputError(
                f"A value of {shown(part.name)} among the people is not {what[part.kind]}; change it, or leave the "
                "column out where it is not known.",
                parameter=part.name,
            )


def _in_ranges(places: Floats, regions: tuple[Region, ...]) -> Flags:
    pairs = [(i, low, high) for i, region in enumerate(regions) for low, high in sorted(region.ranges)]
    fits = np.zeros((len(places), len(regions)), dtype=bool)
    if not pairs:
        return fits
    owner = np.array([i for i, _, _ in pairs])
    low, high = np.array([low for _, low, _ in pairs]), np.array([high for _, _, high in pairs])
    column = places[:, None]
    hit = (column >= low) & (column <= high)
    begins = np.flatnonzero(np.concatenate(([True], owner[1:] != owner[:-1])))
    fits[:, owner[begins]] = np.logical_or.reduceat(hit, begins, axis=1) if len(begins) < len(owner) else hit
    return fits


def _add_masks(fits: Flags, part: Attribute, texts: list[str], places: Floats) -> None:
    """Compare texts with masks: once per text and pattern of stars, not per mask."""
    patterns: dict[tuple[int, ...], dict[str, list[int]]] = {}
    for i, region in enumerate(part.regions):
        for mask in region.masks:
            stars = (len(mask), *(at for at, ch in enumerate(mask) if ch == "*"))
            patterns.setdefault(stars, {}).setdefault(mask, []).append(i)
    if not patterns:
        return
    for row, (text, place) in enumerate(zip(texts, places, strict=True)):
        value = number_text(float(place)) if part.kind is Kind.NUMERIC and np.isfinite(place) else text
        for pattern, masks in patterns.items():
            if len(value) == pattern[0]:
                covered = list(value)
                for at in pattern[1:]:
                    covered[at] = "*"
                fits[row, masks.get("".join(covered), [])] = True


# ---- centroids --------------------------------------------------------------------------


def _nearest(published: Published, columns: Columns) -> Iterator[Found]:
    """Distinct people and their nearest classes, block by block."""
    classes = published.histogram.classes
    tables = [(distances(part, texts, published.sizes), part.which) for part, texts, _ in columns]
    wide = sum(len(texts) for _, texts, _ in columns) * classes <= TABLE
    whole = [table[:, which] for table, which in tables] if wide else None
    everybody = len(columns[0][2])
    block = max(1, BLOCK // 4 // classes)
    for begin in range(0, everybody, block):
        far = np.zeros((min(block, everybody - begin), classes))
        for i, (_, _, codes) in enumerate(columns):
            part = codes[begin : begin + block]
            if whole is not None:
                far += whole[i][part]
            else:
                used, part = np.unique(part, return_inverse=True)
                far += tables[i][0][used][:, tables[i][1]][part]
        least = far.min(axis=1, keepdims=True)
        person, number = np.nonzero(far <= least + TIE * (1 + least))
        yield person + begin, number


def distances(part: Attribute, texts: list[str], sizes: Ints) -> Floats:
    """(texts, regions) squared distance of each value to each centroid, in one column.

    Numbers and ranks: in standard deviations of the published centroids, weighted by class
    size; 0 where all are the same. Categories: 0 if the centroid has it, else 1; so is a
    missing value to a known one.
    """
    far = np.where(inside(part, texts), 0.0, 1.0)
    if part.kind not in (Kind.NUMERIC, Kind.ORDINAL):
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
    """Middle of a region's ranges; NaN where it has none."""
    ends = [end for pair in region.ranges for end in pair if np.isfinite(end)]
    return float(np.mean(ends)) if ends and not region.everything else np.nan
