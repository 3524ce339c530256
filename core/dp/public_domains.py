"""Declared domains: the bins of a column in a noisy table, defined without looking at the table.

Noise hides how many records a cell has, not that the cell is there. A bound, a label or a list
taken from the data reveals a person who is the only one with it. So every column of a noisy table, the
sensitive one included, gets its bins from a :class:`Declared` domain. The declaration also says how a cell is read: the
bin of a record depends on the text of its cell, on the declaration and on the schema, never on other records. Facts
inferred from all cells (the type of a column, the order of its bands, the decimal mark of the file) are not used.

A *closed* domain lists its bins; all of them are published. An *open* one does not: occurring values are published only
if enough records have them (:mod:`core.dp.threshold`).
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray

from core.base.arrays import Bools, Floats, Ints
from core.base.errors import ParameterError, shown_name
from core.base.limits import LIMITS
from core.data.encoding.domain import Domain, number_text
from core.data.schemas import header_topics as topics
from core.data.schemas.schema import ColumnType, Schema
from core.data.tables.column import Column
from core.data.tables.number_forms import read_number
from core.data.tables.numbers import parse_numbers
from core.release.region_text import region_text

RANGE, VALUES, TREE, ORDER, OPEN = "range", "values", "tree", "order", "open"
KINDS = (RANGE, VALUES, TREE, ORDER, OPEN)
REST = "other or missing"
MISSING = "(missing)"


class Declared(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, dict=True):
    """The bins of one column of a noisy table.

    Parameters
    ----------
    kind
        ``"range"``: numbers from ``low`` to ``high`` in steps of ``width``; ``"values"``: the
        listed ``values``; ``"tree"``: the nodes of the column's taxonomy at a ``level``;
        ``"order"``: the column's declared order in ``groups``; ``"open"``: whatever occurs, each
        value by itself or, with a ``width``, numbers in steps of it counted from 0.
    low, high, width
        Of a range; ``width`` also of open numbers, 0 for each by itself. Numbers outside a range
        are counted in its first or last bin.
    values
        Texts as they are written in the table.
    numbers
        Whether cells are read as numbers, so that 1 and 1.0 are one value; as texts they are two. Cells of a range, and
        of an open domain with a ``width``, always are.
    decimal
        Decimal mark of cells that are read as numbers, and of such ``values``: ``"."`` or ``","``.
    level
        Of the taxonomy, 1 below the root; leaves above it are their own bins.
    groups
        Runs of the order, of about equal length; 0 for each value by itself.
    rest
        Whether there is a separate bin for everything that the declaration does not cover, including missing values; if
        not, such records are left out of the table.
    digest
        Of the taxonomy or the order of the schema that was declared, see :func:`digest_of`: another tree is not
        declared.
    source
        Where the declaration comes from, in a few words, for the statement.

    Raises
    ------
    ParameterError
        If the bounds are not a range, there are more than 50,000 bins, a list is empty or has a value twice, or a list
        of numbers has a text.
    """

    kind: str
    low: float = 0.0
    high: float = 0.0
    width: float = 0.0
    values: tuple[str, ...] = ()
    numbers: bool = False
    decimal: str = "."
    level: int = 1
    groups: int = 0
    rest: bool = True
    digest: str = ""
    source: str = ""

    def __post_init__(self) -> None:
        """Validate the declaration."""
        if self.kind not in KINDS:
            raise ParameterError(f"A domain is declared as one of {', '.join(KINDS)}.", parameter="kind")
        for number in (self.low, self.high, self.width):
            LIMITS["range"].check(number, "range")
        if self.decimal not in (".", ","):
            raise ParameterError("The decimal mark of a domain is '.' or ','.", parameter="decimal")
        LIMITS["source"].check(len(self.source), "source")
        if self.kind == RANGE:
            self._check_range()
        if self.kind == VALUES:
            self._check_values()
        if self.kind == OPEN:
            LIMITS["bin width"].check(self.width, "width")
        LIMITS["tree level"].check(self.level, "level")
        LIMITS["groups"].check(self.groups, "groups")

    def _check_range(self) -> None:
        if not (self.width > 0 and self.high > self.low):
            raise ParameterError(
                "A range needs a lower number, a higher number and a bin width above 0.", parameter="range"
            )
        LIMITS["bins"].check((self.high - self.low) / self.width, "width")

    def _check_values(self) -> None:
        if not self.values or not all(text and text == text.strip() for text in self.values):
            raise ParameterError(
                "A list of values needs at least one value, and none may be empty or begin or end with a space.",
                parameter="values",
            )
        distinct: set[str] | set[float] = set(self.values)
        if self.numbers:
            numbers = self.read_numbers(self.values)
            unread = int(np.isnan(numbers).sum())
            if unread:
                raise ParameterError(
                    f"{unread:,} of the listed values are not numbers, but the cells are to be read as numbers; "
                    "correct them, or read the cells as text.",
                    parameter="values",
                )
            # 1 and 1.0 are one number.
            distinct = set(numbers.tolist())
        if len(distinct) != len(self.values):
            raise ParameterError("A list of values must name each value once.", parameter="values")
        LIMITS["bins"].check(len(self.values), "values")

    @property
    def as_numbers(self) -> bool:
        """Whether cells are read as numbers."""
        return self.kind == RANGE or (self.kind in (VALUES, OPEN) and (self.numbers or self.width > 0))

    def read_numbers(self, texts: Sequence[str]) -> Floats:
        """(texts,) number of each text, NaN if it is not one."""
        numbers = parse_numbers(texts, self.decimal) + 0.0  # -0 is 0
        for place in np.flatnonzero(np.isnan(numbers)).tolist():
            reading = read_number(texts[place], self.decimal)  # with a unit or separators
            numbers[place] = np.nan if reading is None else -reading.value if reading.enclosed else reading.value
        return np.where(np.isfinite(numbers), numbers, np.nan)

    @property
    def closed(self) -> bool:
        """Whether the declaration alone determines all bins."""
        return self.kind != OPEN

    @cached_property
    def edges(self) -> NDArray[np.float64]:
        """Lower bounds of the bins of a range, and its upper one; sums in decimal, so that 3 times 0.1 is 0.3."""
        low, high, width = (Decimal(repr(number)) for number in (self.low, self.high, self.width))
        steps = math.ceil((high - low) / width)
        return np.array([float(low + i * width) for i in range(steps)] + [self.high])


def digest_of(schema: Schema, name: str) -> str:
    """SHA-256 of the taxonomy of a column, or of its declared order; "" if the schema has neither."""
    if name in schema.taxonomies:
        tree = schema.taxonomies[name]
        parts: list[Any] = [TREE, list(tree.labels), list(tree.parents)]
    elif name in schema.orders:
        parts = [ORDER, list(schema.orders[name])]
    else:
        return ""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def fits(schema: Schema, name: str, declared: Declared) -> bool:
    """Whether a declaration can be used for a column: a tree or an order must still be the one declared."""
    if declared.kind not in (TREE, ORDER):
        return True
    there = schema.taxonomies if declared.kind == TREE else schema.orders
    return name in there and declared.digest == digest_of(schema, name)


# ---- bins --------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Bins:
    """Bins of a declared domain, and which of them some texts are in.

    Parameters
    ----------
    labels
        Text of each bin, in the order of the declaration.
    of
        (texts,) bin of each text; -1 if such records are left out.
    """

    labels: tuple[str, ...]
    of: Ints


def bins_of(texts: Sequence[str], schema: Schema, name: str, declared: Declared) -> Bins:
    """Assign the texts of cells to the bins of a declared domain, each separately.

    Parameters
    ----------
    texts
        As they are written in the table.
    schema
        Says which texts mean a missing value, and has the tree or the order.
    name
        Of the column.
    declared
        Its bins.

    Returns
    -------
    Bins
        Labels of a closed domain are those of the declaration, whatever the texts are.

    Raises
    ------
    ParameterError
        If a tree or an order is declared for a column that does not have it, or has another one.

    Notes
    -----
    O(texts + bins).
    """
    if not fits(schema, name, declared):
        what = "taxonomy" if declared.kind == TREE else "order"
        raise ParameterError(
            f"The {what} of {shown_name(name)} differs from the declared one; declare its domain again.", parameter=name
        )
    missing = np.array([text in schema.missing_tokens for text in texts], dtype=bool)
    if declared.kind == OPEN:
        return _open(texts, missing, declared)
    if declared.kind == RANGE:
        labels, places = _range(texts, declared)
    else:
        labels, place = _LISTED[declared.kind](schema, name, declared)
        cells = _read(texts, declared)
        places = np.array([place.get(cell, -1) for cell in cells], dtype=np.int64)
    places = np.where(missing, -1, places)
    if declared.rest:
        labels = [*labels, _unlike(REST, set(labels))]
        places = np.where(places < 0, len(labels) - 1, places)
    return Bins(tuple(labels), places)


def _unlike(label: str, taken: set[str]) -> str:
    """Return the label, with enough brackets to differ from all others."""
    while label in taken:
        label = f"({label})"
    return label


def _read(texts: Sequence[str], declared: Declared) -> list[Any]:
    """Key that cells are compared by: their number, or their text without surrounding spaces."""
    if declared.as_numbers:
        return list(declared.read_numbers(texts).tolist())
    return [text.strip() for text in texts] if declared.kind == VALUES else list(texts)


def _range(texts: Sequence[str], declared: Declared) -> tuple[list[str], Ints]:
    numbers, inner = declared.read_numbers(texts), declared.edges[1:-1]
    bins = np.searchsorted(inner, np.nan_to_num(numbers), side="right").astype(np.int64)
    ends = [number_text(edge) for edge in inner]
    if not ends:
        return ["every number"], np.where(np.isnan(numbers), -1, bins)
    # Numbers outside are counted at the ends, and the labels of the ends say so.
    labels = [f"below {ends[0]}"]
    labels += [f"{a} to below {b}" for a, b in pairwise(ends)]
    return [*labels, f"{ends[-1]} and above"], np.where(np.isnan(numbers), -1, bins)


Listed = tuple[list[str], dict[Any, int]]
"""Labels of bins, and the bin of each cell that is listed."""


def _values(schema: Schema, name: str, declared: Declared) -> Listed:  # noqa: ARG001 - one of _LISTED
    return list(declared.values), {cell: i for i, cell in enumerate(_read(declared.values, declared))}


def _tree(schema: Schema, name: str, declared: Declared) -> Listed:
    tree = schema.taxonomies[name]
    nodes, group = np.unique(tree.ancestors[min(declared.level, tree.height)], return_inverse=True)
    return [tree.labels[node] for node in nodes], dict(zip(tree.leaf_labels, group.ravel().tolist(), strict=True))


def _order(schema: Schema, name: str, declared: Declared) -> Listed:
    known = Domain(name, ColumnType.ORDINAL, schema.orders[name])
    groups = min(declared.groups or known.size, known.size)
    group = np.arange(known.size) * groups // known.size
    first = np.flatnonzero(np.r_[True, group[1:] != group[:-1]])
    last = np.r_[first[1:] - 1, known.size - 1]
    labels = [region_text(known, int(low), int(high)) for low, high in zip(first, last, strict=True)]
    return labels, dict(zip(known.labels, group.tolist(), strict=True))


_LISTED = {VALUES: _values, TREE: _tree, ORDER: _order}


def _open(texts: Sequence[str], missing: Bools, declared: Declared) -> Bins:
    """Occurring bins; order and labels depend on each cell only."""
    if not declared.as_numbers:
        labels = [MISSING if gone else _plain(text) for text, gone in zip(texts, missing, strict=True)]
        place = {label: i for i, label in enumerate(dict.fromkeys(labels))}
        return Bins(tuple(place), np.array([place[label] for label in labels], dtype=np.int64))
    width = Decimal(repr(declared.width))
    numbers = declared.read_numbers(texts)
    steps = np.floor(numbers / declared.width) if width else numbers
    kept, group = np.unique(np.where(missing | np.isnan(steps), np.inf, steps), return_inverse=True)

    def label(step: float) -> str:
        if not np.isfinite(step):
            return REST
        ends = [number_text(float(Decimal(int(step) + i) * width)) for i in (0, 1)] if width else [number_text(step)]
        return " to below ".join(ends)

    return Bins(tuple(map(label, kept.tolist())), group.ravel().astype(np.int64))


def _plain(label: str) -> str:
    """The label, quoted if it could be mistaken for the mark of a missing value."""
    return json.dumps(label, ensure_ascii=False) if label == MISSING or label[:1] == '"' else label


# ---- words -------------------------------------------------------------------------------


def words_of(declared: Declared) -> str:
    """Summary of a declaration without a name or a listed value: "0 to 120 by 10"."""
    if declared.kind == RANGE:
        low, high, width = (number_text(x) for x in (declared.low, declared.high, declared.width))
        return f"{low} to {high} by {width}"
    if declared.kind == VALUES:
        many = len(declared.values)
        return f"{many:,} listed {'value' if many == 1 else 'values'}"
    if declared.kind == TREE:
        return f"taxonomy, level {declared.level}"
    if declared.kind == ORDER:
        return f"declared order in {declared.groups} groups" if declared.groups else "declared order"
    return f"not listed, numbers by {number_text(declared.width)}" if declared.width else "not listed"


def reading_of(declared: Declared) -> str:
    """How cells are read, in words."""
    if not declared.as_numbers:
        return "read as text"
    return f"read as numbers with a decimal {'comma' if declared.decimal == ',' else 'point'}"


# ---- proposals -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Suggestion:
    """A suggested domain, which a person must confirm.

    Parameters
    ----------
    declared
        The suggestion.
    why
        Its origin, in a few words.
    """

    declared: Declared
    why: str


AGES = Declared(RANGE, low=0, high=120, width=10, source="ages from 0 to 120")
YEARS = Declared(RANGE, low=1900, high=2030, width=10, source="years from 1900 to 2030")
SEXES = (
    ("female", "male"),
    ("female", "male", "other"),
    ("Female", "Male"),
    ("F", "M"),
    ("f", "m"),
    ("woman", "man"),
    ("weiblich", "männlich", "divers"),
    ("W", "M"),
    ("w", "m"),
    ("femme", "homme"),
    ("1", "2"),
    ("0", "1"),
)
_YEAR = {"year", "yob", "jahr", "jahrgang", "geburtsjahr", "annee"}


def suggest(header: str) -> tuple[Suggestion, ...]:
    """Publicly known domains of a column with this header; several if it can be written in several ways.

    Nothing is suggested from the schema: its trees and orders may have been made from the table, which only their
    author knows.
    """
    topic = topics.topic_of(header)
    if topic == topics.AGE:
        return (Suggestion(AGES, "ages people can have"),)
    if topic == topics.BIRTH and _YEAR & set(topics.words_of(header)):
        return (Suggestion(YEARS, "years people can be born in"),)
    if topic == topics.SEX:
        return tuple(
            Suggestion(Declared(VALUES, values=texts, source="list of sexes"), "a usual list of sexes")
            for texts in SEXES
        )
    return ()


def for_charts(column: Column, domain: Domain, schema: Schema, decimal: str = ".") -> Declared:
    """Bins from the data, for charts only: they must not be published.

    The tree or the order of the schema; else what is publicly known, in the spelling that most
    records have; else each value by itself or five steps over the range.
    """
    name, sensitive = column.name, column.name == schema.sensitive
    if name in schema.taxonomies:
        level = max(1, schema.taxonomies[name].height) if sensitive else 1
        return Declared(TREE, level=level, digest=digest_of(schema, name))
    if name in schema.orders:
        groups = 0 if sensitive or len(schema.orders[name]) <= 5 else 5
        return Declared(ORDER, groups=groups, digest=digest_of(schema, name))
    offered = [suggestion.declared for suggestion in suggest(name)]
    inside = [column.counts[~in_rest(column, schema, each)].sum() for each in offered]
    if any(inside):
        return offered[int(np.argmax(inside))]
    numeric = domain.column_type is ColumnType.NUMERIC
    if numeric and not sensitive and domain.values is not None:
        low, high = float(np.nanmin(domain.values)), float(np.nanmax(domain.values))
        if high > low:
            return Declared(RANGE, low=low, high=high, width=(high - low) / 5, decimal=decimal)
    return Declared(OPEN, numbers=numeric, decimal=decimal)


def in_rest(column: Column, schema: Schema, declared: Declared) -> Bools:
    """(labels,) whether a closed domain lacks each text of a column."""
    own = structs.replace(declared, rest=False)
    lacking: Bools = bins_of(column.labels, schema, column.name, own).of < 0
    return lacking
