"""The ordered values of one column, and the width of their regions."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Bools, Codes, Floats, Ints
from core.base.short import many, named, short
from core.data.classes import distinct_columns
from core.data.schemas.agreement import Agreement
from core.data.schemas.bands import Bands
from core.data.schemas.joint_value import joint_text, separate
from core.data.schemas.schema import ColumnType
from core.data.schemas.taxonomy import Taxonomy
from core.data.tables.number_forms import numbers_of
from core.data.tables.numbers import looks_numeric, parse_numbers

MISSING = "(missing)"
PLACES = 9
"""Most decimal places of a column whose numbers are handled as whole numbers."""
_TAME = re.compile(r"(?!.*[.][.])[^\W_](?:[\w ,;:/&%+.'-]*[\w%.+])?")
"""Begins with a letter or digit and holds no bracket, quotation mark, star, comparison or two dots."""


@dataclass(frozen=True, eq=False)
class Domain:
    """The ordered values of one column; a code is an index into ``labels``.

    Parameters
    ----------
    name
        Header of the column.
    column_type
        How it may be generalised.
    labels
        Text of every code; numbers in their shortest form.
    values
        Number of every code (numeric), or its first day (date); NaN for the missing one.
    taxonomy
        Tree whose leaves are the codes (taxonomy).
    missing
        Code of a missing value, always the last, or -1. For joint values the first code that lacks a cell; all later
        codes do, too.
    agreement
        The agreement by which the values are published, if there is one (sensitive attribute).
    parts
        Columns whose joint values these are (:mod:`core.data.schemas.joint_value`); empty for one column.
    """

    name: str
    column_type: ColumnType
    labels: tuple[str, ...]
    values: Floats | None = None
    taxonomy: Taxonomy | None = None
    missing: int = -1
    parts: tuple[str, ...] = ()
    agreement: Agreement | None = None

    def __repr__(self) -> str:
        return short(self, named([self.name]), self.column_type, many(self.size, "value"))

    @property
    def size(self) -> int:
        """Number of codes."""
        return len(self.labels)

    @property
    def one_node(self) -> bool:
        """Whether its regions are nodes of its taxonomy, never lists."""
        return self.taxonomy is not None and self.taxonomy.one_node

    def is_known(self, code: NDArray[Any]) -> Bools:
        """Whether each code represents a value without missing parts."""
        known: Bools = code < (self.missing if self.missing >= 0 else self.size)
        return known

    @cached_property
    def separate(self) -> tuple[tuple[str, tuple[str, ...], Ints], ...]:
        """Each column that holds the values: header, distinct cells, and (codes,) the cell of each; "" is missing."""
        if not self.parts:
            texts = tuple("" if code == self.missing else text for code, text in enumerate(self.labels))
            return ((self.name, texts, np.arange(self.size)),)
        return tuple((name, *cells) for name, cells in zip(self.parts, separate(self.labels), strict=True))

    @cached_property
    def columns(self) -> tuple[Domain, ...]:
        """The domain of each column that holds the values: itself, or one for each part of a joint value."""
        return (self,) if not self.parts else tuple(_of_cells(name, cells) for name, cells, _ in self.separate)

    @cached_property
    def by_part(self) -> tuple[tuple[Domain, Ints], ...]:
        """For each part of a joint value, the cells as a domain of texts, and (codes,) the cell of each joint value.

        Empty for one column.
        """
        parts = []
        for name, cells, which in self.separate if self.parts else ():
            known = Domain(name, ColumnType.CATEGORICAL, tuple(filter(None, cells)))
            # An empty cell, which is missing, sorts first; in a domain it is the last.
            lacks = len(cells) - known.size
            parts.append((with_missing(known) if lacks else known, (which - lacks) % len(cells)))
        return tuple(parts)

    def of_parts(self, places: tuple[int, ...]) -> tuple[Domain, Ints]:
        """Some parts of a joint value as a domain of texts, and (codes,) their value in each joint value."""
        if len(places) == 1:
            return self.by_part[places[0]]
        cells = [self.separate[place] for place in places]
        first, which, _ = distinct_columns(np.stack([of for *_, of in cells]))
        texts = [joint_text([texts[of[code]] for _, texts, of in cells]) for code in first.tolist()]
        return Domain(self.name, ColumnType.CATEGORICAL, tuple(texts)), which

    @cached_property
    def alphabetical(self) -> bool:
        """Whether the known labels are in alphabetical order, so that a range includes exactly its labels."""
        known = self.labels[: self.size - (self.missing >= 0)]
        return all(low < high for low, high in pairwise(known))

    @cached_property
    def written(self) -> dict[tuple[int, ...], str]:
        """Cached texts of sets of values; another release reuses most of them."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        """Drop the cached texts before pickling."""
        return {name: value for name, value in self.__dict__.items() if name != "written"}

    @cached_property
    def tame(self) -> bool:
        """Whether no label can be mistaken for a generalised text, so that any spelling of a region is safe."""
        labels = self.labels if self.taxonomy is None else self.taxonomy.labels
        known = labels[: len(labels) - (self.missing >= 0)]
        return self.bands is None and all(len(label) <= 300 and _TAME.fullmatch(label) for label in known)

    @cached_property
    def bands(self) -> Bands | None:
        """The bands of an order whose values are bands (:mod:`core.data.schemas.bands`)."""
        known = self.labels[: self.size - (self.missing >= 0)]
        return Bands.in_order(known) if self.column_type is ColumnType.ORDINAL else None

    @cached_property
    def positions(self) -> Floats:
        """Place of every code on a line: values for *numeric* and *date*, ranks for *ordinal*.

        Decimals are scaled to whole numbers, so that equal spans have equal widths everywhere: 0.4 - 0.1 is not 0.3 in
        floating point, 4 - 1 is 3. A missing value lies a whole length beyond the others: the cell of a class that
        mixes it with values is as wide as possible.
        """
        known = self.size - (self.missing >= 0)
        places = np.arange(self.size, dtype=np.float64)
        if self.values is not None:
            places[:known] = _whole_numbers(self.values[:known])
        if self.missing >= 0:
            first, last = (places[0], places[known - 1]) if known else (0.0, 0.0)
            places[self.missing] = last + max(last - first, 1.0)
        return places

    @cached_property
    def length(self) -> float:
        """Length of the line of the known values; 1 if they are all the same."""
        known = self.size - (self.missing >= 0)
        return float(self.positions[known - 1] - self.positions[0]) or 1.0 if known else 1.0

    def width(self, low: NDArray[Any], high: NDArray[Any]) -> Floats:
        """Normalised width of the regions ``[low, high]``, at most 1 [definitions §3].

        Numbers, dates and orders: range over the table's range. Categorical: values in the
        region over values in the domain; with a taxonomy, leaves under the lowest node
        that covers the region over all leaves.
        """
        if self.column_type.ordered:
            span: Floats = np.minimum((self.positions[high] - self.positions[low]) / self.length, 1.0)
            return span
        if self.taxonomy is not None:
            node = self.taxonomy.lowest_common(low, high)
            high, low = self.taxonomy.high[node], self.taxonomy.low[node]
        share: Floats = (high - low + 1) / self.size
        return share

    def cover(self, low: NDArray[Any], high: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the published region over ``[low, high]``: the same, or the region of the node above."""
        if self.taxonomy is None:
            return low.astype(np.int64), high.astype(np.int64)
        node = self.taxonomy.lowest_common(low, high)
        return self.taxonomy.low[node], self.taxonomy.high[node]


def _of_cells(name: str, cells: Sequence[str]) -> Domain:
    """Domain of a column with these distinct cells, "" for missing; a domain of numbers if all are numbers."""
    known = [cell for cell in cells if cell]
    numeric = looks_numeric(known)
    numbers = np.sort(parse_numbers(known)) if numeric else None
    labels = known if numbers is None else list(map(number_text, numbers.tolist()))
    domain = Domain(name, ColumnType.CATEGORICAL if numbers is None else ColumnType.NUMERIC, tuple(labels), numbers)
    return domain if len(known) == len(cells) else with_missing(domain)


def _whole_numbers(values: Floats) -> Floats:
    """Scale decimals of at most nine places to whole numbers; leave others as they are."""
    places = decimals(values)
    scaled = values if places is None else np.rint(values * 10.0**places)
    return scaled if np.abs(scaled).max(initial=0.0) < 2**53 else values


def decimals(values: Floats) -> int | None:
    """Smallest number of decimal places that writes every value exactly; ``None`` beyond nine."""
    with np.errstate(over="ignore"):
        for places in range(PLACES + 1):
            if np.array_equal(np.rint(values * 10.0**places) / 10.0**places, values):
                return places
    return None


def shrink(domain: Domain, codes: Codes) -> tuple[Domain, Codes]:
    """Leave out values that do not occur, if a publisher would not know them, and renumber the codes."""
    if domain.column_type in (ColumnType.ORDINAL, ColumnType.TAXONOMY):
        some_missing = domain.missing >= 0 and bool((codes == domain.missing).any())
        return (domain if some_missing else without_missing(domain)), codes
    used = np.bincount(codes, minlength=domain.size) > 0
    if used.all():
        return domain, codes
    rank = (np.cumsum(used) - 1).astype(np.int32)
    keep = np.flatnonzero(used)
    missing = int(rank[domain.missing]) if domain.missing >= 0 and used[domain.missing] else -1
    labels = tuple(domain.labels[i] for i in keep)
    values = None if domain.values is None else domain.values[keep]
    return Domain(domain.name, domain.column_type, labels, values, None, missing), rank[codes]


def without_missing(domain: Domain) -> Domain:
    """Return the domain without its code for a missing value."""
    if domain.missing < 0:
        return domain
    tree = domain.taxonomy
    if tree is not None:
        tree = Taxonomy(tree.labels[:-1], tree.parents[:-1], tree.one_node)
    return replace(domain, labels=domain.labels[: domain.missing], taxonomy=tree, missing=-1)


def with_missing(domain: Domain) -> Domain:
    """Return the domain with a code for a missing value at its end."""
    label = MISSING
    taken = set(domain.labels) | set(domain.taxonomy.labels if domain.taxonomy else ())
    while label in taken:
        label = f"({label})"
    values = None if domain.values is None else np.append(domain.values, np.nan)
    tree = None if domain.taxonomy is None else domain.taxonomy.with_leaf(label)
    return Domain(domain.name, domain.column_type, (*domain.labels, label), values, tree, domain.size)


def number_text(value: float) -> str:
    """Shortest text that parses to the same number; whole numbers have no point."""
    return str(int(value)) if value == np.floor(value) and abs(value) < 1e15 else repr(float(value))


def shortest(texts: Sequence[str], decimal: str = ".") -> list[str]:
    """Texts of numbers in their shortest form, without their unit if all have it; others as they are."""
    read = numbers_of(texts, decimal)
    numbers = (parse_numbers(texts, decimal) if read is None else read.values).tolist()
    return [
        number_text(value + 0.0) if math.isfinite(value) else text for text, value in zip(texts, numbers, strict=True)
    ]
