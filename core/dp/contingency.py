"""Contingency tables: how many records fall into each cell of coarse quasi-identifiers by sensitive value.

The grid is a product of declared domains (:mod:`core.dp.public_domains`), the sensitive attribute's
among them: which cells there are does not depend on the records. Every cell of a closed grid is published, including
empty ones; leaving these out would reveal which are empty.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.base.arrays import Floats, Ints
from core.base.errors import ParameterError, shown_name
from core.base.limits import LIMITS
from core.base.short import many, named, short
from core.data.encoding.domain import Domain
from core.data.encoding.encoded import Encoded, encode
from core.data.frequency_table import FrequencyTable, data_of, rows_of
from core.data.schemas.schema import Schema
from core.data.tables.column import Column
from core.data.tables.table import Table
from core.dp.public_domains import Declared, bins_of, words_of
from core.release.query_error import Queries, QueryError, random_queries

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

MAX_CELLS = int(LIMITS["cells"].most)
STEP = 4_000_000
"""Largest number of numbers held at once while queries are answered."""


@dataclass(frozen=True, eq=False)
class GridColumn:
    """One column of a noisy table.

    Parameters
    ----------
    domain
        The column, for its name and its codes.
    declared
        Where the bins come from.
    labels
        Text of each bin, in the order of the declaration.
    bins
        (records,) bin of each record, from the text of its cell; -1 if it is left out.
    bin_of
        (codes,) bin of the records of each code, for charts: one of them if a code has several.
    """

    domain: Domain
    declared: Declared
    labels: tuple[str, ...]
    bins: Ints
    bin_of: Ints

    def __repr__(self) -> str:
        return short(self, shown_name(self.domain.name), many(self.size, "bin"))

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
        """Wording of the declaration in the statement."""
        return words_of(self.declared)


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
        (cells, sensitive bins) records in each cell.
    cell_of
        (records,) cell of each record; -1 if a quasi-identifier is left out of the table.
    records
        People of the table before any are left out: public, since neighbouring tables have as many.
    missing
        Treatment of records with a missing value, as in :class:`~core.data.schemas.schema.Schema`.
    first_only
        Whether only the first record of each person is counted, because persons have several.
    """

    axes: tuple[GridColumn, ...]
    sensitive: GridColumn
    counts: Ints
    cell_of: Ints
    records: int
    missing: str = "category"
    first_only: bool = False

    def __repr__(self) -> str:
        columns = named(part.domain.name for part in self.every)
        return short(self, many(self.records, "record"), many(self.size, "cell"), columns)

    @property
    def size(self) -> int:
        """Total number of cells, including sensitive values."""
        return int(self.counts.size)

    @property
    def shape(self) -> tuple[int, ...]:
        """Bins of each quasi-identifier."""
        return tuple(axis.size for axis in self.axes)

    @property
    def every(self) -> tuple[GridColumn, ...]:
        """Quasi-identifiers and sensitive attribute."""
        return (*self.axes, self.sensitive)

    @property
    def closed(self) -> bool:
        """Whether the declarations alone determine the cells, so that all of them may be published."""
        return all(axis.declared.closed for axis in self.every)

    def frame(self, counts: NDArray[np.int64] | None = None, name: str = "count") -> pd.DataFrame:
        """One row per cell and value, with these counts instead of the true ones."""
        filled = self.counts if counts is None else counts
        where = np.unravel_index(np.repeat(np.arange(len(filled)), filled.shape[1]), self.shape or (1,))
        data = {
            axis.name: np.array(axis.labels, dtype=object)[place] for axis, place in zip(self.axes, where, strict=False)
        }
        data[self.sensitive.name] = np.tile(np.array(self.sensitive.labels, dtype=object), len(filled))
        data[name if name not in data else f"{name} (noisy)"] = filled.ravel()
        return pd.DataFrame(data)

    def answer(self, queries: Queries, names: tuple[str, ...], counts: NDArray[np.int64] | None = None) -> Floats:
        """Answer counting queries from the cells, spreading each bin evenly over its codes.

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
            (queries,) answers over the columns of the grid alone; for queries on other columns see
            :func:`noisy_query_error`.
        """
        totals = (self.counts if counts is None else counts).sum(axis=1).astype(np.float64)
        answers = np.empty(len(queries))
        step = max(1, STEP // max(1, len(totals)))
        place = {name: i for i, name in enumerate(names)}
        for begin in range(0, len(queries), step):
            part = slice(begin, begin + step)
            left = np.broadcast_to(totals, (len(answers[part]), len(totals)))
            for axis in self.axes:
                share = _covered(axis, queries.low[part, place[axis.name]], queries.high[part, place[axis.name]])
                left = np.einsum("qg,qgr->qr", share, left.reshape(len(left), axis.size, -1))
            answers[part] = left[:, 0]
        return answers


def _covered(axis: GridColumn, low: Ints, high: Ints) -> Floats:
    """(queries, bins) share of each bin's codes inside each range.

    A bin without a code of the table is inside a range over the whole column and outside any other.
    """
    inside = np.flatnonzero(axis.bin_of >= 0)
    step = axis.domain.size + 1
    # Codes sorted by bin, as one number each: those of a bin within a range are a run.
    keys = np.sort(axis.bin_of[inside] * step + inside)
    begin = np.arange(axis.size) * step
    counts_inside = np.searchsorted(keys, begin + high[:, None], side="right") - np.searchsorted(
        keys, begin + low[:, None]
    )
    many = np.bincount(axis.bin_of[inside], minlength=axis.size)
    whole = (low == 0) & (high == axis.domain.size - 1)
    share: Floats = np.where(many > 0, counts_inside / np.maximum(many, 1), whole[:, None].astype(np.float64))
    return share


Grid = Mapping[str, Declared]
"""Declared domain of each quasi-identifier of a noisy table, in the order of its columns."""


def axis_of(column: Column, schema: Schema, encoded: Encoded, declared: Declared) -> GridColumn:
    """Assign the records of a table to the bins of a declared domain by the text of their cells.

    Parameters
    ----------
    column
        A quasi-identifier or the sensitive attribute of the table.
    schema
        Of the table.
    encoded
        The table as codes: which records are counted, and the codes that charts go by.
    declared
        Its bins.

    Raises
    ------
    ParameterError
        As :func:`core.dp.public_domains.bins_of`.
    """
    if column.name == encoded.sensitive.name:
        domain, codes = encoded.sensitive, encoded.sensitive_codes
    else:
        place = [domain.name for domain in encoded.qids].index(column.name)
        domain, codes = encoded.qids[place], encoded.codes[place]
    # Codes that no record has, as those of a taxonomy, go by their labels; a missing value is an empty text.
    used = np.bincount(codes, minlength=domain.size) > 0
    further = ["" if code == domain.missing else domain.labels[code] for code in np.flatnonzero(~used)]
    bins = bins_of((*column.labels, *further), schema, column.name, declared)
    of_record = bins.of[column.codes[encoded.rows]]
    of_code = np.empty(domain.size, dtype=np.int64)
    of_code[~used] = bins.of[len(column.labels) :]
    of_code[codes] = of_record
    return GridColumn(domain, declared, bins.labels, of_record, of_code)


def count_cells(axes: tuple[GridColumn, ...], sensitive: GridColumn) -> int:
    """Number of cells of a grid, including sensitive values, without creating it."""
    return math.prod(axis.size for axis in axes) * sensitive.size


def contingency_table(
    data: Table | FrequencyTable | IntoDataFrame,
    schema: Schema,
    grid: Grid,
    sensitive: Declared,
    encoded: Encoded | None = None,
) -> ContingencyTable:
    """Count the records in every cell of a grid; a person with several counts with the first.

    So one person is in one cell, and the guarantee is for persons.

    Parameters
    ----------
    data
        The table or frame, whose cells are read as the domains say.
    schema
        Its columns, the texts that mean a missing value, and what becomes of such records.
    grid
        Domain of each quasi-identifier to use.
    sensitive
        Domain of the sensitive attribute.
    encoded
        The table as codes under the schema, if already known.

    Returns
    -------
    ContingencyTable
        A record's cell depends on the record, the schema and the declarations alone: one replaced
        record moves one count from a cell to another, or in or out of the table.

    Raises
    ------
    ParameterError
        If a column is not a quasi-identifier, or its domain was declared for another taxonomy or order.
    LimitError
        If the grid has more than 1,000,000 cells; the message says how many, and what to do.

    Notes
    -----
    O(columns x records + cells).
    """
    data = data_of(data)
    schema.need_one_sensitive("A noisy table")
    encoded = encode(data, schema) if encoded is None else encoded
    encoded.need_rows("A noisy table", "encoded")
    table = rows_of(data)
    unknown = next((name for name in grid if name not in {domain.name for domain in encoded.qids}), None)
    if unknown is not None:
        raise ParameterError(f"{shown_name(unknown)} is not a quasi-identifier of the table.", parameter=unknown)
    axes = tuple(axis_of(table.column(name), schema, encoded, declared) for name, declared in grid.items())
    sensitive_axis = axis_of(table.column(schema.sensitive), schema, encoded, sensitive)
    size = count_cells(axes, sensitive_axis)
    widest = max((*axes, sensitive_axis), key=lambda axis: axis.size)
    LIMITS["cells"].check(
        size,
        "cells",
        f"The number of cells of this grid ({' x '.join(f'{axis.size:,}' for axis in axes) or 'one'} x "
        f"{sensitive_axis.size:,} sensitive values)",
        f"Leave out a column or declare wider bins, first of all of {shown_name(widest.name)}.",
    )
    cell, outside = np.zeros(len(encoded), dtype=np.int64), np.zeros(len(encoded), dtype=bool)
    for axis in axes:
        outside |= axis.bins < 0
        cell = cell * axis.size + np.maximum(axis.bins, 0)
    value = sensitive_axis.bins
    counted = ~outside & (value >= 0)
    if encoded.has_multiple_records:
        first = np.zeros(len(encoded), dtype=bool)
        first[encoded.first_records] = True
        counted &= first
    counts = np.bincount(cell[counted] * sensitive_axis.size + value[counted], minlength=size).reshape(
        -1, sensitive_axis.size
    )
    cell[outside] = -1
    people, several = encoded.everybody or encoded.people, encoded.has_multiple_records
    return ContingencyTable(axes, sensitive_axis, counts, cell, people, schema.missing, several)


def queries_about(encoded: Encoded, names: Collection[str], count: int, seed: int) -> Queries:
    """Draw random counting queries about some quasi-identifiers, or about all if none is named.

    Parameters
    ----------
    encoded
        The records; queries have ranges over all of its quasi-identifiers, of those not named over every value.
    names
        Columns that are asked about, such as those of a noisy table.
    count, seed
        Number of queries, and what they are drawn from.
    """
    chosen = [i for i, domain in enumerate(encoded.qids) if not names or domain.name in names]
    drawn = random_queries(tuple(encoded.qids[i] for i in chosen), count, seed)
    size = np.array([domain.size for domain in encoded.qids])
    low, high = np.zeros((count, len(size)), dtype=np.int64), np.tile(size - 1, (count, 1))
    about = np.zeros(low.shape, dtype=bool)
    low[:, chosen], high[:, chosen], about[:, chosen] = drawn.low, drawn.high, drawn.constrained
    return Queries(low, high, about)


def noisy_query_error(
    table: ContingencyTable, encoded: Encoded, queries: Queries, truth: Ints, counts: Ints | None = None
) -> QueryError:
    """Answer counting queries from a contingency table, with the true counts.

    Parameters
    ----------
    table
        Of the same records.
    encoded
        The records.
    queries, truth
        The queries and :func:`core.release.query_error.count_records` of them.
    counts
        (cells, sensitive bins) noisy counts; without them the error is that of the coarse cells alone.

    Returns
    -------
    QueryError
        A column that the grid does not have is answered under uniformity over its values. Records that the declarations
        leave out do not count in the answers of the table.
    """
    names = tuple(domain.name for domain in encoded.qids)
    answer = table.answer(queries, names, counts)
    used = {axis.name for axis in table.axes}
    for i, domain in enumerate(encoded.qids):
        if domain.name not in used:
            answer = answer * (queries.high[:, i] - queries.low[:, i] + 1) / domain.size
    return QueryError(truth, answer)
