"""A published table as its reader sees it: regions, classes of equal regions, sensitive counts.

Classes with the same regions are one class to a reader [definitions §4]. Cells are read
once per distinct text of a column, never row by row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Bools, Ints
from core.base.short import many, named, short
from core.data.classes import ClassHistogram, distinct_columns, weighted_count
from core.data.encoding.domain import Domain
from core.data.encoding.published_columns import ClassTuples, PlainColumn
from core.data.schemas.schema import ColumnType
from core.release.published.cell_reader import Reader
from core.release.published.region import Region

__all__ = ["Attribute", "Cells", "Published", "assemble"]


@dataclass(frozen=True, eq=False)
class Attribute:
    """One quasi-identifier of a published table.

    Parameters
    ----------
    reader
        How its cells are read; its name and type are those of my column.
    regions, texts
        Distinct regions, and a published text of each.
    which
        (classes,) index of the region of each class.
    """

    reader: Reader
    regions: tuple[Region, ...]
    texts: tuple[str, ...]
    which: Ints

    @property
    def name(self) -> str:
        """My name of the column."""
        return self.reader.name

    @property
    def marked(self) -> bool:
        """Whether a cell is a mark of a withheld or missing value other than stars."""
        return bool(self.reader.marks) and any(self.reader.marked(text.strip()) for text in self.texts)

    @property
    def column_type(self) -> ColumnType:
        """Kind of my column."""
        return self.reader.column_type


@dataclass(frozen=True, eq=False)
class Published:
    """Knowledge of the reader of one published table.

    Parameters
    ----------
    attributes
        My quasi-identifiers that it publishes; the others reveal nothing.
    histogram
        Sensitive values of each class as the reader sees the classes.
    labels
        (rows,) class of each published row; -1 for a suppressed one.
    sensitive
        The sensitive values, in my coding if a correspondence was given.
    centroids
        Whether the cells are centroids of microaggregation instead of regions.
    tuples
        Tuples of sensitive and published values of each class, if columns are published as they are.
    withheld
        (sensitive columns, classes) whether a value of the column is withheld in the class: it may be any, so the class
        rules nothing out there.
    """

    attributes: tuple[Attribute, ...]
    histogram: ClassHistogram
    labels: NDArray[np.int32]
    sensitive: Domain
    centroids: bool = False
    tuples: ClassTuples | None = None
    withheld: Bools = field(default_factory=lambda: np.zeros((1, 0), dtype=np.bool_))

    def __repr__(self) -> str:
        suppressed = f"{self.suppressed:,} suppressed" if self.suppressed else ""
        known = f"quasi-identifiers {named(part.name for part in self.attributes)}"
        classes = many(self.histogram.classes, "class", "classes")
        return short(self, many(len(self.labels), "row"), classes, suppressed, known)

    @property
    def published(self) -> Published:
        """Itself: it is read as it is (:class:`core.release.readable.Readable`)."""
        return self

    @property
    def release(self) -> None:
        """``None``: only what it publishes is known about its records."""
        return

    @cached_property
    def unruled(self) -> Bools:
        """(classes,) whether the class rules nothing out, for lack of a value in one of the sensitive columns."""
        any_of_them: Bools = np.any(self.withheld, axis=0)
        return any_of_them

    @property
    def sizes(self) -> Ints:
        """(classes,) records in each class."""
        return self.histogram.people

    @property
    def suppressed(self) -> int:
        """Rows in no class: every quasi-identifier is ``*``."""
        return int(np.count_nonzero(self.labels < 0))


@dataclass(frozen=True, eq=False)
class Cells:
    """One column of cells, read: region ``regions[codes[i]]`` in row (or class) ``i``."""

    reader: Reader
    regions: list[Region]
    texts: list[str]
    codes: Ints


@dataclass(frozen=True, eq=False)
class SensitiveCells:
    """Their sensitive cells in my coding.

    Parameters
    ----------
    domain
        The values.
    row, code
        (entries,) a row, ascending, and a value that it may have; each row once at least.
    withheld
        (sensitive columns, rows) whether the value is withheld, so that it may be any.
    """

    domain: Domain
    row: Ints
    code: NDArray[Any]
    withheld: Bools

    @classmethod
    def one_each(cls, domain: Domain, code: NDArray[Any]) -> SensitiveCells:
        """Take one known value for each row."""
        return cls(domain, np.arange(len(code)), code, np.zeros((1, len(code)), dtype=np.bool_))


def assemble(
    columns: Sequence[Cells],
    unit: NDArray[Any],
    sensitive: SensitiveCells,
    centroids: bool = False,
    weight: Ints | int = 1,
    plain: Sequence[PlainColumn] = (),
) -> Published:
    """Group rows into the classes that a reader sees.

    Parameters
    ----------
    columns
        Cells of each quasi-identifier, of the rows themselves or of classes of them.
    unit
        (rows,) index into the codes of ``columns``; -1 for a suppressed row.
    sensitive
        The sensitive values.
    centroids
        Whether the cells are centroids.
    weight
        (rows,) records that each row represents; one each by default.
    plain
        Columns that are published as they are.
    """
    merged = [_merged(column) for column in columns]
    codes = np.array([column.codes for column in merged])
    nobody = np.empty(0, dtype=np.int64)
    first, group, _ = distinct_columns(codes) if codes.size else (nobody, nobody, nobody)
    labels = np.full(len(unit), -1, dtype=np.int32)
    labels[unit >= 0] = group[unit[unit >= 0]]
    labels.setflags(write=False)
    kept, weight = labels >= 0, np.broadcast_to(weight, labels.shape)
    entry = kept[sensitive.row]
    row, values = (sensitive.row, sensitive.code) if entry.all() else (sensitive.row[entry], sensitive.code[entry])
    overall = weighted_count(values, weight[row], sensitive.domain.size)
    histogram = ClassHistogram.of_records(
        labels[row], values, overall, len(first), weight[row], sensitive.domain.missing
    )
    if len(row) > int(kept.sum()):  # some have several values
        histogram = replace(histogram, people=weighted_count(labels[kept], weight[kept], len(first)))
    attributes = [Attribute(m.reader, tuple(m.regions), tuple(m.texts), m.codes[first]) for m in merged]
    shown = [column.take(row) for column in plain]
    tuples = ClassTuples.of(labels[row], len(first), values, shown) if shown else None
    withheld = np.array([np.bincount(labels[kept & of], minlength=len(first)) > 0 for of in sensitive.withheld])
    return Published(tuple(attributes), histogram, labels, sensitive.domain, centroids, tuples, withheld)


def _merged(column: Cells) -> Cells:
    """Give equal regions one number, whatever their spelling."""
    number: dict[Region, int] = {}
    into = np.array([number.setdefault(region, len(number)) for region in column.regions], dtype=np.int64)
    texts = [column.texts[int(i)] for i in np.unique(into, return_index=True)[1]]
    return Cells(column.reader, list(number), texts, into[column.codes])
