"""A publisher's truthful table, its cost, and what several tables together reveal about a person.

The counts are those of :mod:`core.dp.truthful` over a grid of declared domains. Draws for charts and numbers have a
seed; published ones use the operating system.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.base.arrays import Floats, Ints, Progress
from core.base.errors import ParameterError, shown_name
from core.data.encoding.encoded import Encoded
from core.data.tables.csv_export import csv_bytes
from core.dp.composition import Cost
from core.dp.contingency import ContingencyTable, noisy_query_error
from core.dp.noisy_table import packed, statement_of
from core.dp.truthful import BITS, Sampling, truthful_counts
from core.release.query_error import Queries, QueryError

TOLERANCE = 1e-12
"""Relative tolerance: beliefs that differ by less count as equal."""


@dataclass(frozen=True, eq=False)
class TruthfulTable:
    """One draw of a truthful table.

    Parameters
    ----------
    table
        The grid with its true counts, which are never exported.
    sampling
        Probability of keeping a record, and the smallest published count.
    counts
        (cells, sensitive bins) published counts; 0 if nothing is published.
    """

    table: ContingencyTable
    sampling: Sampling
    counts: Ints

    @property
    def published(self) -> int:
        """Number of published records."""
        return int(self.counts.sum())

    @property
    def cost(self) -> Cost:
        """Epsilon and delta for one replaced record, as a ledger of noisy tables counts them."""
        return self.sampling.replaced

    def frame(self) -> pd.DataFrame:
        """One row per published cell: its bins, and the number of its records that were kept."""
        frame = self.table.frame(self.counts, "records_kept")
        return frame[self.counts.ravel() > 0].reset_index(drop=True)

    def statement(self) -> str:
        """The guarantee, and everything assumed to be public; without a seed or a true count."""
        return statement_of("truthful", self.table, cost=self.cost, sampling=self.sampling, bits=BITS)

    def package(self) -> bytes:
        """A ZIP of table and statement, so that one does not travel without the other."""
        return packed({"truthful_table.csv": csv_bytes(self.frame()), "statement.txt": self.statement()})

    def loss(self, encoded: Encoded) -> float:
        """Information loss (GCP) [definitions §9]: an unpublished record counts 1, as does a column left out."""
        place = {domain.name: i for i, domain in enumerate(encoded.qids)}
        published = self.counts.sum(axis=1).astype(np.float64)
        lost = np.full(len(published), float(len(encoded.qids) - len(self.table.axes)))
        where = np.unravel_index(np.arange(len(published)), self.table.shape or (1,))
        for axis, bins in zip(self.table.axes, where, strict=False):
            lost += _widths(encoded, place[axis.name], axis.bin_of, axis.size)[bins]
        kept = float((lost * published).sum()) / len(encoded.qids)
        records = encoded.people
        return (kept + records - float(published.sum())) / records

    def query_error(self, encoded: Encoded, queries: Queries, truth: Ints) -> QueryError:
        """Answer counting queries from the published records, each representing 1 / beta records."""
        error = noisy_query_error(self.table, encoded, queries, truth, self.counts)
        return QueryError(truth, error.answer / self.sampling.beta)


def _widths(encoded: Encoded, attribute: int, bin_of: Ints, bins: int) -> Floats:
    """(bins,) NCP of each bin of a column: 0 for a single value, 1 for a bin without a value of the table."""
    domain = encoded.qids[attribute]
    inside = np.flatnonzero(bin_of >= 0)
    many = np.bincount(bin_of[inside], minlength=bins)
    low, high = np.full(bins, domain.size - 1), np.zeros(bins, dtype=np.int64)
    np.minimum.at(low, bin_of[inside], inside)
    np.maximum.at(high, bin_of[inside], inside)
    width = domain.width(np.minimum(low, high), high) if domain.column_type.ordered else many / domain.size
    return np.where(many == 0, 1.0, np.where(many == 1, 0.0, width))


def drawn(table: ContingencyTable, sampling: Sampling, rng: np.random.Generator) -> TruthfulTable:
    """Draw a truthful table from a seed, to evaluate the method; never publish it."""
    return TruthfulTable(table, sampling, truthful_counts(table.counts, sampling, source=rng.bytes))


def publish_truthful(table: ContingencyTable, sampling: Sampling, progress: Progress | None = None) -> TruthfulTable:
    """Draw a publishable truthful table, with randomness of the operating system.

    Raises
    ------
    ParameterError
        If a domain is not declared: the cells would come from the data.
    """
    for axis in table.every:
        if not axis.declared.closed:
            raise ParameterError(
                f"The values of {shown_name(axis.name)} are not declared, so the cells would come from the data; "
                "declare its domain.",
                parameter=axis.name,
            )
    return TruthfulTable(table, sampling, truthful_counts(table.counts, sampling, progress))
