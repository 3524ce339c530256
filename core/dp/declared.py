"""Declared domains: which bins a column has in a noisy table, said without looking at the table.

Noise hides how many records a cell has, not that the cell is there. A bound, a label or a list
taken from the data gives away whoever has it alone. So every column of a noisy table, the
sensitive one included, gets its bins from a :class:`Declared` domain: the bin of a record
depends on the record's own value and on the declaration, never on other records.

A *closed* domain lists its bins; all of them are published. An *open* one does not: the values
that occur are told only where enough records have them (:mod:`core.dp.threshold`).
"""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import asdict, dataclass
from decimal import Decimal
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Ints
from core.data import header_topics as topics
from core.data.domain import Domain, number_text, without_missing
from core.data.schema import Kind
from core.data.table import parse_numbers
from core.errors import ParameterError, shown_name
from core.release.region_text import region_text

RANGE, VALUES, TREE, ORDER, OPEN = "range", "values", "tree", "order", "open"
KINDS = (RANGE, VALUES, TREE, ORDER, OPEN)
MAX_BINS = 50_000
"""Bins of one column."""
REST = "other or missing"
MISSING = "(missing)"
MAX_TEXT = 200
"""Characters of a source."""


@dataclass(frozen=True)
class Declared:
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
    level
        Of the taxonomy, 1 below the root; leaves above it stand for themselves.
    groups
        Runs of the order, of about equal length; 0 for each value by itself.
    rest
        Whether what the declaration does not cover, missing values among it, has a bin of its
        own; if not, such records are left out of the table.
    digest
        Of the taxonomy or the order that was declared, see :func:`digest_of`: another tree is not declared.
    source
        Where the declaration comes from, in a few words, for the statement.

    Raises
    ------
    ParameterError
        If the bounds are no range, there are more than 50,000 bins, or a list names none or one twice.
    """

    kind: str
    low: float = 0.0
    high: float = 0.0
    width: float = 0.0
    values: tuple[str, ...] = ()
    level: int = 1
    groups: int = 0
    rest: bool = True
    digest: str = ""
    source: str = ""

    def __post_init__(self) -> None:
        """Refuse what declares nothing."""
        if self.kind not in KINDS:
            raise ParameterError(f"A domain is declared as one of {', '.join(KINDS)}.", parameter="kind")
        if not all(math.isfinite(number) and abs(number) < 1e15 for number in (self.low, self.high, self.width)):
            raise ParameterError("Bounds and width of a range must be numbers.", parameter="range")
        if len(self.source) > MAX_TEXT:
            raise ParameterError(f"The source of a domain has at most {MAX_TEXT} characters.", parameter="source")
        if self.kind == RANGE:
            self._check_range()
        if self.kind == VALUES:
            self._check_values()
        if self.kind == OPEN and self.width < 0:
            raise ParameterError("A bin has a width above 0, or 0 for each value by itself.", parameter="width")
        if self.level < 1 or self.groups < 0:
            raise ParameterError(
                "The level of a tree is at least 1, the groups of an order at least 0.", parameter="level"
            )

    def _check_range(self) -> None:
        if not (self.width > 0 and self.high > self.low):
            raise ParameterError(
                "A range goes from a lower to a higher number in bins of a width above 0.", parameter="range"
            )
        if (self.high - self.low) / self.width > MAX_BINS:
            raise ParameterError(f"A column has at most {MAX_BINS:,} bins; choose wider ones.", parameter="width")

    def _check_values(self) -> None:
        if not self.values or not all(text and text == text.strip() for text in self.values):
            raise ParameterError(
                "A list of values names at least one, and none that is empty or begins or ends with a space.",
                parameter="values",
            )
        if len(set(self.values)) != len(self.values):
            raise ParameterError("A list of values names each once.", parameter="values")
        if len(self.values) > MAX_BINS:
            raise ParameterError(f"A column has at most {MAX_BINS:,} bins; list fewer values.", parameter="values")

    @property
    def closed(self) -> bool:
        """Whether all bins are told by the declaration alone."""
        return self.kind != OPEN

    @cached_property
    def edges(self) -> NDArray[np.float64]:
        """Lower bounds of the bins of a range, and its upper one; sums in decimal, so that 3 times 0.1 is 0.3."""
        low, high, width = (Decimal(repr(number)) for number in (self.low, self.high, self.width))
        steps = math.ceil((high - low) / width)
        return np.array([float(low + i * width) for i in range(steps)] + [self.high])

    def to_json(self) -> dict[str, Any]:
        """Plain values; what is as by default is left out."""
        empty = asdict(Declared(OPEN))
        data = {name: value for name, value in asdict(self).items() if name == "kind" or value != empty[name]}
        return {**data, "values": list(self.values)} if self.values else data

    @classmethod
    def from_json(cls, data: Any) -> Declared:
        """Read what :meth:`to_json` wrote.

        Raises
        ------
        ParameterError
            If a field is unknown, of another type, or out of range.
        """
        types = {
            "kind": str,
            "low": float,
            "high": float,
            "width": float,
            "values": list,
            "level": int,
            "groups": int,
            "rest": bool,
            "digest": str,
            "source": str,
        }
        if not isinstance(data, dict) or "kind" not in data:
            raise ParameterError("A declared domain must be an object with a kind.", parameter="domains")
        choices: dict[str, Any] = {}
        for name, value in data.items():
            wanted = types.get(name)
            number = isinstance(value, int | float) and not isinstance(value, bool)
            fits = number and abs(value) < 1e15 if wanted is float else type(value) is wanted
            if wanted is None or not fits or (wanted is list and not all(isinstance(text, str) for text in value)):
                raise ParameterError(
                    "A declared domain has a field that is unknown or of the wrong type.", parameter="domains"
                )
            choices[name] = float(value) if wanted is float else tuple(value) if wanted is list else value
        return cls(**choices)


def digest_of(domain: Domain) -> str:
    """SHA-256 of the taxonomy or the declared order of a column; "" where it has none."""
    known = without_missing(domain)
    if known.taxonomy is not None:
        parts: list[Any] = [TREE, list(known.taxonomy.labels), list(known.taxonomy.parents)]
    elif known.kind is Kind.ORDINAL:
        parts = [ORDER, list(known.labels)]
    else:
        return ""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def fits(domain: Domain, declared: Declared) -> bool:
    """Whether a declaration can be used for a column: a tree or an order must still be the one declared."""
    if declared.kind == TREE:
        return domain.taxonomy is not None and declared.digest == digest_of(domain)
    if declared.kind == ORDER:
        return domain.kind is Kind.ORDINAL and declared.digest == digest_of(domain)
    return True


# ---- bins --------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Axis:
    """One column of a noisy table.

    Parameters
    ----------
    domain
        The column, for its name and its codes.
    declared
        Where the bins come from.
    labels
        Text of each bin, in the order of the declaration.
    bin_of
        (codes,) bin of each code; -1 where such records are left out.
    """

    domain: Domain
    declared: Declared
    labels: tuple[str, ...]
    bin_of: Ints

    @property
    def name(self) -> str:
        """Header of the column."""
        return self.domain.name

    @property
    def size(self) -> int:
        """Number of bins."""
        return len(self.labels)

    @property
    def words(self) -> str:
        """What is declared, in words for the statement."""
        return words_of(self.declared)


def axis_of(domain: Domain, declared: Declared) -> Axis:
    """Put the values of a column into the bins of a declared domain.

    Parameters
    ----------
    domain
        Any column of an encoded table.
    declared
        Its bins.

    Returns
    -------
    Axis
        Labels of a closed domain are those of the declaration, whatever the table holds.

    Raises
    ------
    ParameterError
        If a tree or an order is declared for a column that does not have it, or has another one.

    Notes
    -----
    O(codes + bins).
    """
    if not fits(domain, declared):
        what = "taxonomy" if declared.kind == TREE else "order"
        raise ParameterError(
            f"The {what} of {shown_name(domain.name)} is not the one that was declared; declare its domain again.",
            parameter=domain.name,
        )
    labels, known = _MAKERS[declared.kind](domain, declared)
    if declared.kind == OPEN:
        return Axis(domain, declared, tuple(labels), known)
    if declared.rest:
        labels = [*labels, _unlike(REST, set(labels))]
        known = np.where(known < 0, len(labels) - 1, known)
    return Axis(domain, declared, tuple(labels), known)


def _unlike(label: str, taken: set[str]) -> str:
    """Return the label, in as many brackets as it takes to be none of the others."""
    while label in taken:
        label = f"({label})"
    return label


def _numbers(domain: Domain) -> NDArray[np.float64]:
    """(codes,) the number of each code, NaN for what is none: of each text by itself, whatever the others are."""
    if domain.values is not None:
        return domain.values
    numbers = parse_numbers(domain.labels)
    numbers = np.where(np.isnan(numbers), parse_numbers(domain.labels, ","), numbers)
    if domain.missing >= 0:
        numbers[domain.missing] = np.nan
    return np.where(np.isfinite(numbers), numbers, np.nan)


def _range(domain: Domain, declared: Declared) -> tuple[list[str], Ints]:
    numbers, edges = _numbers(domain), declared.edges
    inner = edges[1:-1]
    bins = np.searchsorted(inner, np.nan_to_num(numbers), side="right").astype(np.int64)
    texts = [number_text(edge) for edge in inner]
    if not texts:
        return ["every number"], np.where(np.isnan(numbers), -1, bins)
    # What lies outside is counted at the ends, and the labels of the ends say so.
    labels = [f"below {texts[0]}"]
    labels += [f"{a} to below {b}" for a, b in pairwise(texts)]
    return [*labels, f"{texts[-1]} and above"], np.where(np.isnan(numbers), -1, bins)


def _values(domain: Domain, declared: Declared) -> tuple[list[str], Ints]:
    wanted = list(declared.values)
    if domain.values is not None:
        # 7 and 7.0 are one number.
        numbers = parse_numbers(wanted)
        texts = [number_text(x) if np.isfinite(x) else text for x, text in zip(numbers, wanted, strict=True)]
    else:
        texts = wanted
    place: dict[str, int] = {}
    for i, text in enumerate(texts):
        place.setdefault(text, i)
    bins = np.array([place.get(label.strip(), -1) for label in domain.labels], dtype=np.int64)
    if domain.missing >= 0:
        bins[domain.missing] = -1
    return wanted, bins


def _tree(domain: Domain, declared: Declared) -> tuple[list[str], Ints]:
    tree = without_missing(domain).taxonomy
    assert tree is not None  # fits() has seen to that
    nodes, group = np.unique(tree.ancestors[min(declared.level, tree.height)], return_inverse=True)
    return [tree.labels[node] for node in nodes], _then_missing(domain, group.ravel())


def _order(domain: Domain, declared: Declared) -> tuple[list[str], Ints]:
    known = without_missing(domain)
    groups = min(declared.groups or known.size, known.size)
    group = np.arange(known.size) * groups // known.size
    first = np.flatnonzero(np.r_[True, group[1:] != group[:-1]])
    last = np.r_[first[1:] - 1, known.size - 1]
    labels = [region_text(known, int(low), int(high)) for low, high in zip(first, last, strict=True)]
    return labels, _then_missing(domain, group)


def _then_missing(domain: Domain, known: NDArray[Any]) -> Ints:
    """(codes,) with -1 for a missing value, the last code."""
    bins = np.full(domain.size, -1, dtype=np.int64)
    bins[: len(known)] = known
    return bins


def _open(domain: Domain, declared: Declared) -> tuple[list[str], Ints]:
    """Bins that occur, in an order and with labels that each value gives by itself."""
    if declared.width > 0:
        numbers = _numbers(domain)
        step = np.floor(np.nan_to_num(numbers) / declared.width)
        kept, group = np.unique(np.where(np.isnan(numbers), np.inf, step), return_inverse=True)
        width = Decimal(repr(declared.width))
        labels = [
            f"{number_text(float(Decimal(int(k)) * width))} to below {number_text(float(Decimal(int(k) + 1) * width))}"
            if np.isfinite(k)
            else REST
            for k in kept
        ]
        return labels, group.ravel().astype(np.int64)
    texts = [MISSING if code == domain.missing else _plain(label) for code, label in enumerate(domain.labels)]
    return texts, np.arange(domain.size, dtype=np.int64)


def _plain(label: str) -> str:
    """The label, quoted where it could be taken for the mark of a missing value."""
    return json.dumps(label, ensure_ascii=False) if label == MISSING or label[:1] == '"' else label


_MAKERS = {RANGE: _range, VALUES: _values, TREE: _tree, ORDER: _order, OPEN: _open}


# ---- words -------------------------------------------------------------------------------


def words_of(declared: Declared) -> str:
    """What a declaration says, without a name and without a listed value: "0 to 120 by 10"."""
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


# ---- proposals -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Suggestion:
    """A domain to start from, which somebody has to confirm.

    Parameters
    ----------
    declared
        What is suggested.
    why
        Where it comes from, in a few words.
    """

    declared: Declared
    why: str


AGES = Declared(RANGE, low=0, high=120, width=10, source="ages from 0 to 120")
YEARS = Declared(RANGE, low=1900, high=2030, width=10, source="years from 1900 to 2030")
SEXES = (
    ("female", "male"),
    ("Female", "Male"),
    ("F", "M"),
    ("f", "m"),
    ("female", "male", "other"),
    ("woman", "man"),
    ("weiblich", "männlich", "divers"),
    ("W", "M"),
    ("w", "m"),
    ("femme", "homme"),
    ("1", "2"),
    ("0", "1"),
)


def suggest(domain: Domain, sensitive: bool = False) -> Suggestion | None:
    """Suggest a domain from what is declared already or publicly known; ``None`` where only the data is left.

    Parameters
    ----------
    domain
        A column.
    sensitive
        Whether it is the sensitive one, of which every leaf of a taxonomy is kept.
    """
    if domain.taxonomy is not None:
        known = without_missing(domain).taxonomy or domain.taxonomy
        level = known.height if sensitive else 1
        tree = Declared(TREE, level=max(1, level), digest=digest_of(domain), source="taxonomy of the column")
        return Suggestion(tree, "the taxonomy of the column")
    if domain.kind is Kind.ORDINAL:
        size = without_missing(domain).size
        groups = 0 if sensitive or size <= 5 else 5
        order = Declared(ORDER, groups=groups, digest=digest_of(domain), source="order of the column")
        return Suggestion(order, "the declared order of the column")
    topic = topics.topic_of(domain.name)
    if topic == topics.AGE and domain.kind is Kind.NUMERIC:
        return Suggestion(AGES, "ages people can have")
    if topic == topics.BIRTH and domain.kind is Kind.NUMERIC:
        return Suggestion(YEARS, "years people can be born in")
    if topic == topics.SEX:
        # Which way of writing the list is used is looked up; what is on it is not.
        sexes = max(SEXES, key=lambda texts: (len(set(texts) & set(domain.labels)) / len(texts), len(texts)))
        if set(sexes) & set(domain.labels):
            return Suggestion(Declared(VALUES, values=sexes, source="list of sexes"), "a usual list of sexes")
    return None


def for_charts(domain: Domain, sensitive: bool = False) -> Declared:
    """Bins for charts that leave nothing: as suggested, else each value by itself or five steps over the range.

    The last two come from the data and must not be published.
    """
    suggestion = suggest(domain, sensitive)
    if suggestion is not None:
        return suggestion.declared
    if domain.kind is Kind.NUMERIC and not sensitive and domain.values is not None:
        low, high = float(np.nanmin(domain.values)), float(np.nanmax(domain.values))
        if high > low:
            return Declared(RANGE, low=low, high=high, width=(high - low) / 5)
    return Declared(OPEN)
