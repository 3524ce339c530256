"""Random tables, schemas and policies that the property tests share."""

from __future__ import annotations

import itertools
import math
import string
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from core.data.encoding.encoded import Encoded, encode
from core.data.schemas.schema import Schema
from core.data.schemas.taxonomy import Taxonomy
from core.data.tables.table import Table
from core.privacy.policy import Policy
from tests.reference.attributes import Attribute, Tree, paths_of

KINDS = ("numeric", "ordinal", "categorical", "taxonomy")
LETTERS = string.ascii_lowercase[:9]
ORDERS = (LETTERS, LETTERS[::-1], "cabifdegh", "hbxgadzfiec")


@dataclass(frozen=True, repr=False)
class Case:
    """One random table: for core as text and schema, for the slow twins as plain values."""

    qids: tuple[Attribute, ...]
    sensitive: Attribute
    trees: dict[str, Tree]

    @property
    def frame(self) -> pd.DataFrame:
        columns = (*self.qids, self.sensitive)
        return pd.DataFrame({a.name: [cell_text(value) for value in a.values] for a in columns}, dtype=object)

    @property
    def table(self) -> Table:
        return Table.from_frame(self.frame)

    @property
    def schema(self) -> Schema:
        columns = (*self.qids, self.sensitive)
        return Schema(
            [a.name for a in self.qids],
            self.sensitive.name,
            column_types={a.name: a.column_type for a in columns},
            taxonomies={name: Taxonomy.from_nested(tree) for name, tree in self.trees.items()},
            orders={a.name: a.order for a in columns if a.column_type == "ordinal"},
        )

    @property
    def encoded(self) -> Encoded:
        return encode(self.table, self.schema)

    def __len__(self) -> int:
        return len(self.sensitive.values)

    def __repr__(self) -> str:
        columns = (*self.qids, self.sensitive)
        cells = {a.name: (a.column_type, " ".join(cell_text(value) or "-" for value in a.values)) for a in columns}
        return f"Case({cells}, trees={self.trees}, orders={[a.order for a in columns if a.order]})"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))  # hypothesis would print every field of every record

    def take(self, rows: Any) -> Case:
        """Return some records as a case of their own."""
        return Case(tuple(a.take(rows) for a in self.qids), self.sensitive.take(rows), self.trees)


def cell_text(value: Fraction | str | None) -> str:
    """Text of a cell: the shortest decimal of a number, empty for a missing value."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return str(int(value)) if value.denominator == 1 else repr(float(value))


def _grown(seed: int) -> Tree:
    """One random tree of uneven depth, often with chains of single children; labels are unique."""
    rng = np.random.default_rng(seed)
    names = itertools.count()

    def grow(levels: int) -> Tree:
        children: dict[str, Tree] = {}
        for _ in range(int(rng.integers(1, 4))):
            label = f"n{next(names)}"
            children[label] = grow(levels - 1) if levels > 1 and rng.random() < 0.5 else {}
        return children

    return grow(int(rng.integers(1, 4)))


TREES: list[Tree] = sorted((_grown(seed) for seed in range(150)), key=lambda tree: len(repr(tree)))
BUSHES = [tree for tree in TREES if len(paths_of(tree)) > 1]


def trees(least: int = 1) -> st.SearchStrategy[Tree]:
    """Trees with at least so many (1 or 2) leaves, small ones first."""
    return st.sampled_from(TREES if least == 1 else BUSHES)


@dataclass(frozen=True)
class Design:
    """A column before its rows are drawn: what its cells may be."""

    column_type: str
    cells: tuple[Any, ...]
    order: tuple[str, ...]
    tree: Tree | None


@st.composite
def designs(draw: st.DrawFn, column_types: tuple[str, ...] = KINDS, least: int = 1) -> Design:
    """One column with at least ``least`` different known values, listed before the missing one."""
    column_type = draw(st.sampled_from(column_types))
    order: tuple[str, ...] = ()
    tree: Tree | None = None
    used: list[Any]
    if column_type == "numeric":
        scale = draw(st.sampled_from([1, 1, 10, 100]))
        steps = draw(st.lists(st.integers(-12, 24), min_size=least, max_size=9, unique=True))
        used = [Fraction(step, scale) for step in steps]
    elif column_type == "taxonomy":
        tree = draw(trees(least))
        leaves = list(paths_of(tree))
        used = draw(st.lists(st.sampled_from(leaves), min_size=least, max_size=8, unique=True))
    else:
        used = draw(st.lists(st.sampled_from(LETTERS), min_size=least, max_size=8, unique=True))
        order = tuple(draw(st.sampled_from(ORDERS))) if column_type == "ordinal" else ()
    missing = draw(st.sampled_from([(), (), (), (None,)]))
    return Design(column_type, (*used, *missing), order, tree)


@st.composite
def cases(
    draw: st.DrawFn,
    rows: tuple[int, int] = (2, 60),
    qids: int = 4,
    column_types: tuple[str, ...] = KINDS,
    sensitive_column_types: tuple[str, ...] = KINDS,
) -> Case:
    """Tables with 1 to ``qids`` quasi-identifiers; no column is empty and the first two secrets differ."""
    design = [draw(designs(column_types)) for _ in range(draw(st.integers(1, qids)))]
    design.append(draw(designs(sensitive_column_types, least=2)))
    shape = [len(d.cells) for d in design]
    one = st.integers(0, math.prod(shape) - 1)  # a whole row in one draw
    chosen = np.array(np.unravel_index(draw(st.lists(one, min_size=rows[0], max_size=rows[1])), shape)).T
    chosen[0] = 0
    chosen[1:2, -1] = 1
    columns = []
    for number, d in enumerate(design):
        name = "s" if number == len(design) - 1 else f"q{number}"
        values = tuple(d.cells[i] for i in chosen[:, number])
        columns.append(Attribute(name, d.column_type, values, d.order, paths_of(d.tree) if d.tree else {}))
    grown = {a.name: d.tree for a, d in zip(columns, design, strict=True) if d.tree}
    return Case(tuple(columns[:-1]), columns[-1], grown)


FACTORS: list[float | Fraction] = [0.1, 0.5, 1, 1.5, 2, 3, 5.5, Fraction(1, 3), Fraction(7, 3)]
CLOSENESS = [0.0, 0.05, 0.1, 1 / 6, 0.2, 0.25, 0.3, 1 / 3, 0.4, 0.5, 0.75, 1.0]


@st.composite
def policies(draw: st.DrawFn, sensitive: Attribute, k: int = 7) -> Policy:
    """Conjunctions of k, one diversity or none, one closeness or none."""
    asked: dict[str, Any] = {"k": draw(st.integers(1, k))}
    diversity = draw(st.sampled_from([None, "distinct", "entropy", "recursive"]))
    if diversity:
        asked["diversity"] = diversity
        whole = st.integers(1, 4)
        asked["l"] = draw(whole | st.sampled_from([1.5, 2.38, 2.9]) if diversity == "entropy" else whole)
        asked["c"] = draw(st.sampled_from(FACTORS)) if diversity == "recursive" else None
    choices = ["equal", "ordered"] + ["hierarchical"] * (sensitive.column_type == "taxonomy")
    if draw(st.booleans()):
        asked["t"] = draw(st.sampled_from(CLOSENESS))
        asked["distance"] = draw(st.sampled_from(choices))
    return Policy(**asked)


def classes_of(labels: Any) -> set[frozenset[int]]:
    """Class labels as sets of record numbers; records without a class left out."""
    labels = np.asarray(labels)
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in set(labels.tolist()) - {-1}}


def message_of(call: Callable[[], Any], error_class: type[Exception]) -> str:
    """Message of the error that a call raises."""
    try:
        call()
    except error_class as error:
        return str(error)
    raise AssertionError(f"{error_class.__name__} was expected")
