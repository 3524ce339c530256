"""Parts of a worked example, and the output of its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from core.base.short import short
from core.data.schemas.schema import Schema
from core.data.tables.table import Table

Group = tuple[tuple[str, ...], tuple[str, ...]]
"""The generalised cells of a class, and the sensitive values of its records."""


@dataclass(frozen=True, eq=False, kw_only=True)
class WorkedExample:
    """One example with everything needed to run it and check the result.

    Parameters
    ----------
    name
        Short name, as in the names of its files.
    title
        Heading for a page.
    story
        What happens, in one or two sentences.
    source
        Where it is printed.
    erratum
        Error in the source and its correction; empty if there is none.
    tables
        Original tables, one per release; empty if the source has none.
    published
        Published tables with the cells as printed, all text.
    schema
        Roles and types for all tables of the example.
    target
        What the adversary knows about the target, as text: one value per column. A missing quasi-identifier is unknown
        to them.
    target_classes
        Row numbers of the target's class in each published table.
    labels
        Class number of every row of each published table.
    expected
        Golden numbers: for each table *k*, *distinct_l* and, in the target's class, *sizes*
        and *prior* (effective anonymity); over all tables *candidates* (sorted), *posterior*,
        *drop*, *confidence*. A key that is a person's name holds the same for that person, with *rows*, the person's
        row in each table.
    """

    name: str
    title: str
    story: str
    source: str
    erratum: str = ""
    tables: tuple[Table, ...]
    published: tuple[pd.DataFrame, ...]
    schema: Schema
    target: Mapping[str, str]
    target_classes: tuple[tuple[int, ...], ...]
    labels: tuple[tuple[int, ...], ...]
    expected: Mapping[str, Any]

    def __repr__(self) -> str:
        return short(self, self.title)


def read_text(text: str) -> Table:
    """Read a small comma-separated table."""
    header, *rows = (line.split(",") for line in text.splitlines())
    return Table.from_frame(pd.DataFrame(rows, columns=header, dtype=object))


def publish(columns: Sequence[str], groups: Sequence[Group]) -> tuple[pd.DataFrame, tuple[int, ...]]:
    """Write out the rows of the classes in order, with the class number of each."""
    rows = [(*cells, value) for cells, values in groups for value in values]
    labels = tuple(number for number, (_, values) in enumerate(groups) for _ in values)
    return pd.DataFrame(rows, columns=list(columns), dtype=object), labels


def rows_of(labels: tuple[int, ...], number: int) -> tuple[int, ...]:
    """Row numbers of a class."""
    return tuple(row for row, label in enumerate(labels) if label == number)
