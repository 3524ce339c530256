"""Containment of values in the regions of a column: as a table of flags, or as bits over classes."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

import numpy as np

from core.base.arrays import BitSets, Bools, Floats, Ints, is_first
from core.base.errors import InputError
from core.base.errors import shown_name as shown
from core.data.encoding.domain import number_text
from core.data.schemas.schema import ColumnType
from core.release.published.published import Attribute
from core.release.published.region import Region
from core.release.published.targets import MISSING

BLOCK = 64_000_000
"""Number of booleans processed at a time."""


def inside(part: Attribute, texts: list[str]) -> Bools:
    """(texts, regions) whether each region of a column contains each value.

    Raises
    ------
    InputError
        If a value does not fit the type of the column.
    """
    low, high = part.reader.spans(texts)
    places = part.reader.places(texts)
    _check_values(part, texts, low)
    fits = _in_ranges(low, high, part.regions)
    number_of = {text: i for i, text in enumerate(texts)}
    for i, region in enumerate(part.regions):
        for label in number_of.keys() & region.labels:
            fits[number_of[label], i] = True
    _add_spans(fits, part, texts)
    _add_masks(fits, part, texts, places)
    if MISSING in number_of:
        fits[number_of[MISSING]] = [region.missing for region in part.regions]
    for text in number_of.keys() & part.reader.absent:
        fits[number_of[text]] = [region.missing for region in part.regions]
    fits[:, [region.everything for region in part.regions]] = True
    return fits


def _check_values(part: Attribute, texts: list[str], places: Floats) -> None:
    if part.column_type is ColumnType.CATEGORICAL:
        return
    for text, place in zip(texts, places, strict=True):
        if np.isnan(place) and text not in part.reader.absent and text != MISSING:
            what = {
                ColumnType.NUMERIC: "a number",
                ColumnType.ORDINAL: "in the order",
                ColumnType.TAXONOMY: "a leaf of the taxonomy",
                ColumnType.DATE: "a date such as 2024-01-31 or 2024-01",
            }
            raise InputError(
                f"A value of {shown(part.name)} among the people is not {what[part.column_type]}; change it, or leave "
                f"the column out if it is not known.",
                parameter=part.name,
            )


def _in_ranges(lowest: Floats, highest: Floats, regions: tuple[Region, ...]) -> Bools:
    """(values, regions) whether the range of a value overlaps a region."""
    pairs = [(i, low, high) for i, region in enumerate(regions) for low, high in sorted(region.ranges)]
    fits = np.zeros((len(lowest), len(regions)), dtype=bool)
    if not pairs:
        return fits
    owner = np.array([i for i, _, _ in pairs])
    low, high = np.array([low for _, low, _ in pairs]), np.array([high for _, _, high in pairs])
    hit = (highest[:, None] >= low) & (lowest[:, None] <= high)
    begins = np.flatnonzero(is_first(owner))
    fits[:, owner[begins]] = np.logical_or.reduceat(hit, begins, axis=1) if len(begins) < len(owner) else hit
    return fits


def _add_spans(fits: Bools, part: Attribute, texts: list[str]) -> None:
    """Texts within a range of labels; O(texts log texts + regions log texts + hits)."""
    if not any(region.spans for region in part.regions):
        return
    known = [i for i, text in enumerate(texts) if text != MISSING and text not in part.reader.absent]
    order = np.array(sorted(known, key=texts.__getitem__), dtype=np.int64)
    line = [texts[i] for i in order]
    for i, region in enumerate(part.regions):
        for low, high in region.spans:
            fits[order[bisect_left(line, low) : bisect_right(line, high)], i] = True


def _add_masks(fits: Bools, part: Attribute, texts: list[str], places: Floats) -> None:
    """Compare texts with masks: once per text and pattern of stars, not per mask."""
    patterns: dict[tuple[int, ...], dict[str, list[int]]] = {}
    for i, region in enumerate(part.regions):
        for mask in region.masks:
            stars = (len(mask), *(at for at, ch in enumerate(mask) if ch == "*"))
            patterns.setdefault(stars, {}).setdefault(mask, []).append(i)
    if not patterns:
        return
    for row, (text, place) in enumerate(zip(texts, places, strict=True)):
        value = number_text(float(place)) if part.column_type is ColumnType.NUMERIC and np.isfinite(place) else text
        for pattern, masks in patterns.items():
            if len(value) == pattern[0]:
                covered = list(value)
                for at in pattern[1:]:
                    covered[at] = "*"
                fits[row, masks.get("".join(covered), [])] = True


def bits(part: Attribute, texts: list[str]) -> BitSets:
    """(texts, words) bit ``c`` of a value: whether the region of class ``c`` contains it.

    Regions that are single ranges need no table of values by regions: with the values in order, a class's bit is set at
    its lowest value and cleared after its highest.
    """
    words = -(-len(part.which) // 64)
    simple = np.array([_is_range(region) for region in part.regions])
    lowest, highest = part.reader.spans(texts)
    if (lowest < highest).any():
        simple[:] = False  # bands have no single position
    inside_simple = simple[part.which]
    out = _range_bits(part, texts, np.flatnonzero(inside_simple), words)
    others = np.flatnonzero(~inside_simple)
    if len(others):
        keep = np.flatnonzero(~simple)
        renumbered = np.cumsum(~simple) - 1
        rest = Attribute(part.reader, tuple(part.regions[int(i)] for i in keep), (), renumbered[part.which[others]])
        table = inside(rest, texts)
        step = max(1, BLOCK // max(1, len(part.which)))
        for begin in range(0, len(texts), step):
            flags = np.zeros((len(table[begin : begin + step]), words * 64), dtype=bool)
            flags[:, others] = table[begin : begin + step][:, rest.which]
            out[begin : begin + step] |= np.packbits(flags, axis=1, bitorder="little").view("<u8")
    return out


def _is_range(region: Region) -> bool:
    return len(region.ranges) == 1 and not (region.everything or region.labels or region.masks or region.spans)


def _range_bits(part: Attribute, texts: list[str], classes: Ints, words: int) -> BitSets:
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
