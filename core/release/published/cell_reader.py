"""Generalised cells of a published table, read as regions of one column [definitions §4].

The type of my column decides what a cell can mean. A **number** reads numbers, intervals,
comparisons, sets and masks (``3*`` is 30 to 39: one digit a star). An **order** reads its
labels, runs (``[low .. high]``, ``low-high``), comparisons, sets, masks. A **taxonomy** reads
the labels of its nodes, sets of them, and masks of its leaves; if all leaves (or all labels of an order) are numbers,
also the forms of numbers. A **category** reads labels, sets and masks; a text that also reads as numbers (``<30``)
means both. A **date** reads days, months, quarters and years (``2024-03-09``, ``2024-03``, ``2024-Q1``, ``2024``), each
as all of its days, and their intervals, comparisons and sets.

If the labels of an order are bands (:mod:`core.data.schemas.bands`), cells in any form of numbers are read, and match
the bands with which they have a number in common.

``*``, of any length, is everything. Masks keep the length: ``130**`` is 130 and two more
characters. A missing value lies only in a region that says so, or in everything. In another publisher's
table the usual marks of a withheld value (``NA``, a blank cell, ``.``, ``suppressed`` ...) also mean everything, unless
its reader says that they mean "missing".

Sets are also read as other programs write them: ``['A', 'B']``, ``frozenset({...})``, and ``A,B``, ``A;B``,
``A|B``, ``A/B``, ``A or B``, in brackets or without, if each part is a value of mine and the whole is not.

A cell that equals a label of my column means that label, before any other reading. Only the forms this program itself
writes (``{A, B}``, ``[A .. B]``, quoted texts) are then also possible, because both readings are plausible.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from core.data.encoding.domain import Domain, without_missing
from core.data.schemas.bands import Bands, band
from core.data.schemas.schema import ColumnType
from core.data.schemas.taxonomy import Taxonomy
from core.data.tables.cell_syntax import (
    BRACKETS,
    MISSING_MARK,
    OR_MISSING,
    SEPARATORS,
    Range,
    comparison,
    elements,
    inner_mask,
    interval,
    is_withheld,
    label_run,
    number_mask,
    quoted_items,
    splits,
    unescaped,
    unquoted,
    within_quotes,
)
from core.data.tables.dates import span_of
from core.data.tables.numbers import parse_numbers
from core.release.published.region import ALL, Region, of_span, point, runs
from core.release.published.spellings import Codes, codes_of, plain_forms

FORMS = {
    ColumnType.NUMERIC: "25, [20-30], 20-30, [20, 30], (20,30], [20,30[, <30, <=30, ≤30, >40, >=40, ≥40, 40+, 3*, "
    "130**, {20, 25}, 20-29 years, under 20, 90 and over, 20s, *",
    ColumnType.ORDINAL: "a label of the order, a range such as [20-30) where the labels are ranges, [A .. B], [A-B], "
    "A-B, <A, <=A, ≤A, >A, >=A, ≥A, {A, B}, a label with stars, *",
    ColumnType.CATEGORICAL: 'a plain value, {A, B}, ["A" .. "B"], a value with stars such as 130**, *',
    ColumnType.TAXONOMY: "a label of the taxonomy, {A, B}, a value with stars such as 130**, *",
    ColumnType.DATE: "2024-03-09, 2024-03, 2024-Q1, 2024, [2024-03 .. 2024-07], <2024-03, <=2024-03, >2024-03, "
    ">=2024-03, {2024-03, 2024-05}, 2024-03-**, *",
}
"""Accepted forms, for a message; any of them may be followed by " or (missing)"."""

Mark = Literal["withheld", "missing"]
WITHHELD, ABSENT = MARKS = get_args(Mark)
"""Possible meanings of the marks of a withheld or missing value."""

_PLAIN_RANGE = re.compile(r"\[([0-9]{1,15}(?:[.][0-9]{1,15})?)-([0-9]{1,15}(?:[.][0-9]{1,15})?)\]")


def _first(text: str) -> float | None:
    """First day of a published date."""
    span = span_of(text)
    return None if span is None else float(span[0])


def _last(text: str) -> float | None:
    """Last day of a published date."""
    span = span_of(text)
    return None if span is None else float(span[1])


@dataclass(frozen=True, eq=False)
class Reader:
    """How the cells of one column are read.

    Parameters
    ----------
    name
        My name of the column.
    column_type
        Type of my column.
    labels
        What is known about its values: the order, the leaves, my categories; may be empty
        for numbers and categories.
    taxonomy
        Tree of a taxonomy.
    absent
        Cells that mean "missing", in addition to ``(missing)``.
    decimal
        Decimal mark of numbers.
    marks
        What ``absent`` cells and the usual marks of a withheld value mean in another publisher's table:
        ``"withheld"``, every value, or ``"missing"``. "" if the table is mine: only ``absent`` cells are marks.
    words
        Their values that are known to mean one of mine (categories).
    separators
        Separators by which a text is a set also if only some of its parts are values of mine.
    codes
        How codes of digits are read, if my values are such codes.
    """

    name: str
    column_type: ColumnType
    labels: tuple[str, ...] = ()
    taxonomy: Taxonomy | None = None
    absent: frozenset[str] = frozenset({""})
    decimal: str = "."
    marks: str = ""
    words: frozenset[str] = frozenset()
    separators: frozenset[str] = frozenset()
    codes: Codes | None = None

    @classmethod
    def of(cls, domain: Domain, absent: Iterable[str] = ("",), decimal: str = ".") -> Reader:
        """Read cells as values of a domain that is known."""
        known = without_missing(domain)
        mark = domain.labels[domain.missing :][:1] if domain.missing >= 0 else ()
        labels = () if known.column_type in (ColumnType.NUMERIC, ColumnType.DATE) else known.labels
        return cls(domain.name, domain.column_type, labels, known.taxonomy, frozenset({*absent, *mark}), decimal)

    def of_column(self, cells: Iterable[str]) -> Reader:
        """Read a column of theirs: separators of sets, and codes with few digits, are recognised from my values."""
        cells = tuple(cells)
        if self.column_type is not ColumnType.NUMERIC and self.labels:
            coded = replace(self, codes=codes_of(self.labels, cells))
            return replace(coded, separators=coded.separators_in(cells))
        return self

    def separators_in(self, cells: Iterable[str]) -> frozenset[str]:
        """Separators of the sets of my values among some cells of a category."""
        if self.column_type is not ColumnType.CATEGORICAL:
            return frozenset()
        sets = (self._split(text.strip()) for text in cells if self._mine(text.strip()) is None)
        return frozenset(separator for separators, _ in sets for separator in separators)

    @cached_property
    def rank(self) -> dict[str, int]:
        """Position of every known label."""
        return {label: place for place, label in enumerate(self.labels)}

    @cached_property
    def outsider(self) -> Reader:
        """Read cells without knowing any value of the column."""
        return replace(self, labels=())

    @cached_property
    def _folded(self) -> frozenset[str]:
        """My labels and their names for them, ignoring case."""
        return frozenset(text.casefold() for text in (*self.labels, *self.words))

    @cached_property
    def _begun(self) -> frozenset[str]:
        """The first characters, any number of them, of my labels."""
        return frozenset(label[:many] for label in self.labels for many in range(1, len(label) + 1))

    @cached_property
    def numbers(self) -> NDArray[np.float64] | None:
        """Number of every label, if all of them are numbers."""
        numbers = parse_numbers(self.labels, self.decimal)
        return numbers if len(numbers) and bool(np.isfinite(numbers).all()) else None

    @cached_property
    def bands(self) -> Bands | None:
        """Bands of an order whose labels are bands."""
        return Bands.in_order(self.labels) if self.column_type is ColumnType.ORDINAL else None

    @cached_property
    def nodes(self) -> dict[str, Region]:
        """Region of every node of the taxonomy; the root is everything."""
        tree = self.taxonomy
        if tree is None:
            return {}
        pairs = zip(tree.labels, tree.low.tolist(), tree.high.tolist(), strict=True)
        regions = {label: Region(ranges=frozenset({(float(low), float(high))})) for label, low, high in pairs}
        if tree.nodes > 1:
            regions[tree.labels[0]] = ALL
        return regions

    @property
    def forms(self) -> str:
        """The accepted forms, for a message."""
        return FORMS[self.column_type]

    def places(self, texts: Iterable[str], decimal: str = ".") -> NDArray[np.float64]:
        """Position of single values of mine on this column's line, NaN if they have none."""
        if self.bands is not None or self.column_type is ColumnType.DATE:
            low, high = self.spans(list(texts))
            # The middle, or the end of an open band.
            return np.where(np.isinf(low), high, np.where(np.isinf(high), low, (low + high) / 2))
        if self.column_type in (ColumnType.ORDINAL, ColumnType.TAXONOMY):
            return np.array([self.rank.get(text, np.nan) for text in texts], dtype=np.float64)
        return parse_numbers(texts, decimal)

    def spans(self, texts: Sequence[str]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lowest and highest position of single values of mine; they differ if a value is a band.

        NaN if a value has no place. On a line of numbers a band of any column is understood.
        """
        if self.column_type in (ColumnType.NUMERIC, ColumnType.DATE) or self.bands is not None:
            spans = [self._span(text) for text in texts]
            return (
                np.array([low for low, _ in spans], dtype=np.float64),
                np.array([high for _, high in spans], dtype=np.float64),
            )
        places = self.places(texts)
        return places, places

    def _span(self, text: str) -> Range:
        if self.column_type is ColumnType.DATE:
            return span_of(text) or (np.nan, np.nan)
        if self.bands is not None and text in self.rank:
            return self.bands.spans[self.rank[text]]
        number = self._number(text) if self.column_type is not ColumnType.NUMERIC else float(parse_numbers([text])[0])
        if number is not None and not np.isnan(number):
            return number, number
        return band(text) or (np.nan, np.nan)

    def read(self, cell: str) -> Region | None:
        """Read one cell; ``None`` if its form is unknown."""
        plain = _PLAIN_RANGE.fullmatch(cell) if self.column_type is ColumnType.NUMERIC and self.decimal == "." else None
        if plain is not None and (low := float(plain[1])) <= (high := float(plain[2])):
            return Region(ranges=frozenset({(low, high)}))  # the most common cell, several times faster
        # The apostrophe may belong to the label.
        regions = [region for text in {unescaped(cell), cell} if (region := self._read(text)) is not None]
        return regions[0] if len(regions) == 1 else Region.union(regions) if regions else None

    def _read(self, cell: str) -> Region | None:
        text = cell.strip()
        region = self._mine(cell) or self._mine(text)
        if region is not None and self.taxonomy is not None and text not in self.absent:
            return region  # labels of its nodes are written as they are, even "*"
        if text and not text.strip("*") and (region is None or text == "*"):
            return ALL
        if region is None and MISSING_MARK.fullmatch(text):
            return Region(missing=True)
        if cell in self.absent or text in self.absent or (region is None and self.marked(text)):
            return ALL if self.marks == WITHHELD else Region(missing=True)
        listed = None if region is not None or OR_MISSING.fullmatch(text) else self._listed(text)
        own = self._own(text) if listed is None else None
        if region is not None and own is not None:
            return region | own
        return region or listed or own or self._spelt(text)

    def _spelt(self, text: str) -> Region | None:
        """Forms of other programs, codes that are not of full length, and numbers in words."""
        code = self._code(text)
        if code is not None:
            return code
        region = self._other(text)
        numbers = self.column_type is ColumnType.NUMERIC or self.bands is not None or self.numbers is not None
        # A category is read as a text at least, so its words are looked at as well.
        if not numbers or (region is not None and (region.ranges or self.column_type is not ColumnType.CATEGORICAL)):
            return region
        spelt = [part for plain in plain_forms(text, self.decimal) if (part := self._other(plain)) is not None]
        return Region.union([*spelt, *([] if region is None else [region])]) if spelt else region

    def _code(self, text: str) -> Region | None:
        """A code that is not of full length, or masked otherwise than by stars."""
        whole = self.codes.plain_form(text) if self.codes is not None else ()
        parts = [part for each in whole if (part := self._mine(each) or self._other(each)) is not None]
        return Region.union(parts) if parts else None

    def marked(self, text: str) -> bool:
        """Whether a cell of theirs marks a withheld or missing value and is not a value of mine."""
        if MISSING_MARK.fullmatch(text) or self._mine(text) is not None:
            return False
        return text in self.absent or (bool(self.marks) and is_withheld(text))

    def _listed(self, text: str) -> Region | None:
        """Read a set as other programs write it."""
        items = quoted_items(text) or []
        # A set in braces and double quotes is one that this program writes: see _own.
        if items and not (text[0] == "{" and all(item[0] == '"' for item in items)):
            parts = [self._mine(item) or self._item(within_quotes(item)) for item in items]
            return None if None in parts else Region.union(part for part in parts if part is not None)
        _, readings = self._split(text)
        return Region.union(readings) if readings else None

    def _item(self, text: str) -> Region | None:
        """One item of a list in quotes: a value, or a cell."""
        return self._mine(text) or self._read(text)

    def _split(self, text: str) -> tuple[list[str], list[Region]]:
        """Separators that split a text into values of mine, and the meaning of each set."""
        used, regions = [], []
        plain = self.column_type in (
            ColumnType.NUMERIC,
            ColumnType.DATE,
        )  # commas and slashes belong to numbers and dates
        separators: tuple[str, ...] = ("|", " or ") if plain else SEPARATORS
        # In an order brackets with a comma are an interval.
        brackets = BRACKETS[:1] if self.column_type is ColumnType.ORDINAL else BRACKETS
        if elements(text) is not None:
            separators = tuple(mark for mark in separators if mark != ",")  # how this program writes sets: see _own
        for separator, parts in splits(text, separators, () if plain else brackets):
            values = [self._value(part) for part in parts]
            known = [value for value in values if value is not None]
            if len(known) == len(parts) or (known and separator in self.separators):
                used.append(separator)
                others = (Region(labels=frozenset({part})) for part in parts) if len(known) < len(parts) else ()
                regions.append(Region.union((*known, *others)))
        return used, regions

    def _value(self, text: str) -> Region | None:
        """One value of mine, or their name for one."""
        if self.column_type is ColumnType.CATEGORICAL and text.casefold() in self._folded:
            return Region(labels=frozenset({text}))
        if self.column_type in (ColumnType.NUMERIC, ColumnType.DATE):
            return self._label(text)
        known = self.codes is not None and any(code.rstrip("*") in self._begun for code in self.codes.plain_form(text))
        own = None if self.column_type is ColumnType.CATEGORICAL else self._mine(text)
        return own or (self._code(text) if known else None)

    def _mine(self, text: str) -> Region | None:
        """A label of my column, exactly as written."""
        if self.taxonomy is not None:
            return self.nodes.get(text)
        if self.column_type is ColumnType.NUMERIC or text not in self.rank:
            return None
        if self.column_type is ColumnType.CATEGORICAL:
            return Region(labels=frozenset({text}))
        return self._ranked((float(self.rank[text]), float(self.rank[text])))

    def _ranked(self, span: Range | None) -> Region | None:
        """Region of a range of ranks; on the number line if labels are bands."""
        if span is None or self.bands is None:
            return of_span(span)
        first, last = max(0, int(np.ceil(span[0]))) if np.isfinite(span[0]) else 0, len(self.labels) - 1
        last = min(last, int(np.floor(span[1]))) if np.isfinite(span[1]) else last
        if first > last:
            return Region()
        return of_span((self.bands.spans[first][0], self.bands.spans[last][1]))

    def _own(self, text: str) -> Region | None:
        """Forms that this program writes, whatever the labels are."""
        match = OR_MISSING.fullmatch(text)
        if match is not None:
            rest = self._read(match["rest"])
            return None if rest is None else replace(rest, missing=True)
        inside = elements(text)
        if inside is not None:
            parts = [self._label(element) if quoted else self._element(element) for element, quoted in inside]
            return None if None in parts else Region.union(part for part in parts if part is not None)
        if self.column_type in (ColumnType.NUMERIC, ColumnType.DATE) or self.taxonomy is not None:
            return None
        content = unquoted(text)
        if content is not None:
            return self._label(content)
        run = label_run(text) if self.column_type is ColumnType.CATEGORICAL else None
        if run is not None:
            return Region(spans=frozenset({run}))
        if self.column_type is ColumnType.ORDINAL and text[:1] == "[" and text[-1:] == "]":
            return self._ranked(interval(text, self._place))
        return None

    def _element(self, text: str) -> Region | None:
        """One element of a set, written without quotes."""
        if not text.strip("*"):
            return ALL
        if MISSING_MARK.fullmatch(text) and text not in self.rank:
            return Region(missing=True)
        if self.column_type is ColumnType.CATEGORICAL:
            return self._mine(text) or self._code(text) or self._other(text)
        return self._label(text) or self._code(text) or self._other(text)

    def _label(self, text: str) -> Region | None:
        """One value."""
        if self.taxonomy is not None:
            return self.nodes.get(text)
        if self.column_type is ColumnType.CATEGORICAL:
            return Region(labels=frozenset({text}))
        if self.column_type is ColumnType.DATE:
            return of_span(span_of(text))
        place = self._place(text)
        return None if place is None or not np.isfinite(place) else self._ranked((place, place))

    def _place(self, text: str) -> float | None:
        """Position of an end of an interval."""
        if self.column_type is ColumnType.ORDINAL:
            content = unquoted(text)
            place = self.rank.get(text, self.rank.get(content) if content is not None else None)
            return None if place is None else float(place)
        return self._number(text)

    def _number(self, text: str) -> float | None:
        number = float(parse_numbers([text], self.decimal)[0])
        return None if np.isnan(number) else number

    def _other(self, text: str) -> Region | None:
        """Forms of other programs."""
        if self.column_type is ColumnType.NUMERIC:
            return self._numeric(text)
        if self.column_type is ColumnType.DATE:
            return of_span(span_of(text) or comparison(text, _first, _last) or interval(text, _first, _last))
        if self.column_type is ColumnType.CATEGORICAL:
            if text[:1] == "{" or text[-1:] == "}":
                return None  # a set that does not close, not a label
            region = Region(labels=frozenset({text}), masks=frozenset({text} if "*" in text else ()))
            # Plain numbers and masks are compared as texts: the zip codes 02101 and 2101 differ.
            spelt = of_span(self._number_range(text)) if re.search(r"\d", text) else None
            return region if spelt is None else region | spelt
        found_run = None
        if self.bands is not None:
            found_run = self._numeric(text)
            if found_run is not None and found_run.masks:
                found_run = None
        if self.column_type is ColumnType.ORDINAL and found_run is None:
            found_run = self._ranked(comparison(text, self._place) or interval(text, self._place))
        return found_run or self._masked(text) or self._numbers_inside(text)

    def _numeric(self, text: str) -> Region | None:
        number = self._number(text)
        if number is not None:
            return point(number) if np.isfinite(number) else None
        span = self._number_range(text) or number_mask(text)
        if span is None and inner_mask(text):
            return Region(masks=frozenset({text}))
        return of_span(span)

    def _number_range(self, text: str) -> Range | None:
        if text.endswith("+") and (low := self._number(text[:-1].rstrip())) is not None:
            return low, np.inf
        return comparison(text, self._number) or interval(text, self._number)

    def _masked(self, text: str) -> Region | None:
        """Labels of an order or a taxonomy that fit a mask."""
        if "*" not in text:
            return None
        pattern = re.compile("".join("." if ch == "*" else re.escape(ch) for ch in text), re.DOTALL)
        # If no label of mine fits, the cell is still read: none of my people can be there.
        matching = runs(np.array([pattern.fullmatch(label) is not None for label in self.labels])) or Region()
        if self.bands is None:
            return matching
        return Region.union(region for run in matching.ranges if (region := self._ranked(run)) is not None)

    def _numbers_inside(self, text: str) -> Region | None:
        """Labels that spell a number in the range that the cell gives."""
        span = self._numeric(text) if self.numbers is not None else None
        if span is None or self.numbers is None:
            return None
        hit = np.zeros(len(self.numbers), dtype=bool)
        for low, high in span.ranges:
            hit |= (self.numbers >= low) & (self.numbers <= high)
        return runs(hit) or Region()
