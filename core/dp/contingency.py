"""Contingency tables: how many records fall into each cell of coarse quasi-identifiers by sensitive value.

The grid (its columns, groups and labels) is taken to be public: it must be chosen without
looking at who is in the table, since no noise protects it. Every cell of the grid is
published, the empty ones too; leaving out empty cells would give away which are empty.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.domain import Domain
from core.encoding import Encoded
from core.errors import LimitError, ParameterError, shown_name
from core.queries import Queries, QueryError
from core.release import region_text
from core.schema import Kind

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

MAX_CELLS = 1_000_000
STEP = 4_000_000
"""Numbers held at once while queries are answered."""


@dataclass(frozen=True, eq=False)
class Axis:
    """One quasi-identifier of a grid, its codes joined to groups.

    Parameters
    ----------
    domain
        The quasi-identifier.
    low, high
        (groups,) first and last code of each group.
    """

    domain: Domain
    low: Ints
    high: Ints

    @classmethod
    def of(cls, domain: Domain, groups: int | None = None) -> Axis:
        """Join the codes of a domain to groups.

        Parameters
        ----------
        domain
            Any quasi-identifier.
        groups
            Numeric and ordinal: groups of equal width, as many (those that hold no value of
            the domain are left out). Taxonomy: the level whose nodes are the groups, 1 below
            the root. ``None``, and a category without a taxonomy: every value on its own. A
            missing value is always a group of its own.

        Raises
        ------
        ParameterError
            If ``groups`` is below 1.
        """
        if groups is not None and groups < 1:
            raise ParameterError(
                f"A column needs at least 1 group; {groups} was asked of {shown_name(domain.name)}.",
                parameter=domain.name,
            )
        group = _groups(domain, groups)
        first = np.flatnonzero(np.r_[True, group[1:] != group[:-1]])
        return cls(domain, first.astype(np.int64), np.r_[first[1:] - 1, domain.size - 1].astype(np.int64))

    @property
    def groups(self) -> int:
        """Number of groups."""
        return len(self.low)

    @cached_property
    def group_of(self) -> Ints:
        """(codes,) group of each code."""
        found: Ints = np.repeat(np.arange(self.groups), self.high - self.low + 1)
        return found

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Text of each group."""
        return tuple(
            region_text(self.domain, low, high) for low, high in zip(self.low.tolist(), self.high.tolist(), strict=True)
        )


def _groups(domain: Domain, groups: int | None) -> Ints:
    """(codes,) number of the group of each code, rising but not without gaps."""
    every = np.arange(domain.size)
    if groups is None or domain.kind is Kind.CATEGORICAL:
        return every
    if domain.taxonomy is not None:
        tree = domain.taxonomy
        level = min(groups, tree.height)
        return np.asarray(tree.low[tree.ancestors[level]], dtype=np.int64)
    known = domain.size - (domain.missing >= 0)
    places = domain.positions[:known]
    share = (places - places[0]) / domain.length if known else places
    group = np.minimum((share * groups).astype(np.int64), groups - 1)
    return np.concatenate([group, np.full(domain.size - known, groups)])


@dataclass(frozen=True, eq=False)
class ContingencyTable:
    """True counts of a grid of quasi-identifier cells by sensitive values.

    Parameters
    ----------
    axes
        Quasi-identifiers of the grid; none for the sensitive counts alone.
    sensitive
        Sensitive attribute.
    counts
        (cells, values) records in each cell.
    cell_of
        (records,) cell of each record.
    """

    axes: tuple[Axis, ...]
    sensitive: Domain
    counts: Ints
    cell_of: Ints

    @property
    def size(self) -> int:
        """Cells in all, sensitive values included."""
        return int(self.counts.size)

    @property
    def shape(self) -> tuple[int, ...]:
        """Groups of each axis."""
        return tuple(axis.groups for axis in self.axes)

    def frame(self, counts: NDArray[np.int64] | None = None, name: str = "count") -> pd.DataFrame:
        """One row a cell and value, with these counts in place of the true ones."""
        filled = self.counts if counts is None else counts
        where = np.unravel_index(np.repeat(np.arange(len(filled)), filled.shape[1]), self.shape or (1,))
        data = {
            axis.domain.name: np.array(axis.labels, dtype=object)[place]
            for axis, place in zip(self.axes, where, strict=False)
        }
        data[self.sensitive.name] = np.tile(np.array(self.sensitive.labels, dtype=object), len(filled))
        data[name if name not in data else f"{name} (noisy)"] = filled.ravel()
        return pd.DataFrame(data)

    def answer(self, queries: Queries, names: tuple[str, ...], counts: NDArray[np.int64] | None = None) -> Floats:
        """Answer counting queries from the cells, spreading each group evenly over its codes.

        Parameters
        ----------
        queries
            Ranges over all quasi-identifiers of the table.
        names
            Their names, in the order of the queries' columns.
        counts
            Noisy counts; the true ones by default.

        Returns
        -------
        ndarray
            (queries,) answers over the columns of the grid alone; for what is asked of other columns
            see :func:`noisy_query_error`.
        """
        totals = (self.counts if counts is None else counts).sum(axis=1).astype(np.float64)
        found = np.empty(len(queries))
        step = max(1, STEP // max(1, len(totals)))
        place = {name: i for i, name in enumerate(names)}
        for begin in range(0, len(queries), step):
            part = slice(begin, begin + step)
            left = np.broadcast_to(totals, (len(found[part]), len(totals)))
            for axis in self.axes:
                share = _covered(axis, queries.low[part, place[axis.domain.name]],
                                 queries.high[part, place[axis.domain.name]])  # fmt: skip
                left = np.einsum("qg,qgr->qr", share, left.reshape(len(left), axis.groups, -1))
            found[part] = left[:, 0]
        return found


def _covered(axis: Axis, low: Ints, high: Ints) -> Floats:
    """(queries, groups) share of each group's codes inside each range."""
    begin, end = np.maximum(axis.low, low[:, None]), np.minimum(axis.high, high[:, None])
    share: Floats = np.maximum(0, end - begin + 1) / (axis.high - axis.low + 1)
    return share


def count_cells(encoded: Encoded, grid: Mapping[str, int | None]) -> tuple[list[Axis], int]:
    """Return the axes of a grid and its cells, sensitive values included, without making it.

    Raises
    ------
    ParameterError
        If a column is no quasi-identifier or the number of groups is below 1.
    """
    known = {domain.name: domain for domain in encoded.qids}
    unknown = next((name for name in grid if name not in known), None)
    if unknown is not None:
        raise ParameterError(f"{shown_name(unknown)} is no quasi-identifier of the table.", parameter=unknown)
    axes = [Axis.of(known[name], groups) for name, groups in grid.items()]
    return axes, math.prod(axis.groups for axis in axes) * encoded.sensitive.size


def contingency_table(encoded: Encoded, grid: Mapping[str, int | None]) -> ContingencyTable:
    """Count the records in every cell of a grid.

    Parameters
    ----------
    encoded
        The table.
    grid
        Groups of each quasi-identifier to use; see :meth:`Axis.of`.

    Returns
    -------
    ContingencyTable

    Raises
    ------
    ParameterError
        As :func:`count_cells`.
    LimitError
        If the grid has more than 1,000,000 cells; the message says how many, and what to do.

    Notes
    -----
    O(columns x records + cells).
    """
    axes, size = count_cells(encoded, grid)
    if size > MAX_CELLS:
        widest = max(axes, key=lambda axis: axis.groups)
        raise LimitError(
            f"This grid has {size:,} cells ({' x '.join(f'{axis.groups:,}' for axis in axes)} x "
            f"{encoded.sensitive.size:,} sensitive values); at most {MAX_CELLS:,} are counted. Leave out a column or "
            f"make fewer groups, first of all of {shown_name(widest.domain.name)}.",
            parameter="cells",
        )
    place = {domain.name: i for i, domain in enumerate(encoded.qids)}
    cell = np.zeros(len(encoded), dtype=np.int64)
    for axis in axes:
        cell = cell * axis.groups + axis.group_of[encoded.codes[place[axis.domain.name]]]
    values = encoded.sensitive.size
    counts = np.bincount(cell * values + encoded.secret, minlength=size).reshape(-1, values)
    return ContingencyTable(tuple(axes), encoded.sensitive, counts, cell)


def noisy_query_error(
    table: ContingencyTable, encoded: Encoded, queries: Queries, truth: Ints, counts: Ints | None = None
) -> QueryError:
    """Answer counting queries from a contingency table, beside the truth.

    Parameters
    ----------
    table
        Of the same records.
    encoded
        The records.
    queries, truth
        The queries and :func:`core.queries.count_records` of them.
    counts
        (cells, values) noisy counts; without them the error is that of the coarse cells alone.

    Returns
    -------
    QueryError
        A column that the grid does not have is answered under uniformity over its values.
    """
    names = tuple(domain.name for domain in encoded.qids)
    answer = table.answer(queries, names, counts)
    used = {axis.domain.name for axis in table.axes}
    for i, domain in enumerate(encoded.qids):
        if domain.name not in used:
            answer = answer * (queries.high[:, i] - queries.low[:, i] + 1) / domain.size
    return QueryError(truth, answer)
