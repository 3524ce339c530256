"""A publishable noisy table, with the statement of its guarantee."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.base.arrays import Progress
from core.base.assets import template
from core.base.errors import ParameterError, shown_name
from core.base.short import many, short
from core.data.tables.csv_export import csv_bytes
from core.dp.composition import Cost
from core.dp.contingency import ContingencyTable, GridColumn
from core.dp.mechanisms import L1, RELATION, Mechanism, noisy_counts
from core.dp.public_domains import ORDER, RANGE, TREE, VALUES, reading_of
from core.dp.threshold import Threshold, thresholded

_CONTENT = {
    RANGE: "numbers outside are counted in the first or last bin",
    VALUES: "as listed in the table of counts",
    TREE: "the nodes of a public taxonomy",
    ORDER: "the values of a public order",
}


@dataclass(frozen=True, eq=False)
class NoisyTable:
    """Counts with noise from OpenDP, without anything that reveals the true ones.

    Parameters
    ----------
    table
        The grid; its true counts are never exported.
    mechanism
        Noise of every cell.
    counts
        (cells, sensitive bins) noisy counts; 0 if a threshold withholds one.
    threshold
        Of an open grid; ``None`` if all cells are declared, and all are published.
    """

    table: ContingencyTable
    mechanism: Mechanism
    counts: NDArray[np.int64]
    threshold: Threshold | None = None

    def __repr__(self) -> str:
        cost = f"epsilon = {self.cost.epsilon:g}, delta = {self.cost.delta:g}"
        return short(self, many(self.published_cells, "published cell"), cost)

    @property
    def cost(self) -> Cost:
        """Epsilon and delta of this table."""
        return Cost(self.mechanism.epsilon, self.mechanism.delta if self.threshold is None else self.threshold.delta)

    @property
    def published_cells(self) -> int:
        """Cells that are published."""
        return int(self.counts.size if self.threshold is None else np.count_nonzero(self.counts))

    def frame(self) -> pd.DataFrame:
        """One row per cell: every cell of a closed grid, or those above the threshold of an open one."""
        frame = self.table.frame(self.counts, "noisy_count")
        if self.threshold is None:
            return frame
        return frame[self.counts.ravel() > 0].reset_index(drop=True)

    def statement(self) -> str:
        """Write the guarantee and everything assumed to be public; without a seed or a true count."""
        table = self.table
        text: str = template("noise/noisy.txt").render(
            table=table,
            names=", ".join(_flat(axis.name) for axis in table.every),
            columns=[_declared(axis) for axis in table.every],
            left_out=_LEFT_OUT[table.missing],
            relation=RELATION,
            cost=self.cost,
            mechanism=self.mechanism,
            threshold=self.threshold,
            l1=L1,
        )
        return text

    def package(self) -> bytes:
        """A ZIP of table and statement, so that one does not travel without the other."""
        files: dict[str, bytes | str] = {"noisy_table.csv": csv_bytes(self.frame()), "statement.txt": self.statement()}
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in files.items():
                # A fixed date, so that the file does not reveal when it was made.
                archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data)
        return content.getvalue()


def _flat(text: str) -> str:
    return " ".join(text.split())


_LEFT_OUT = {
    "category": "",
    "drop": ", and that records without one of their quasi-identifiers are left out",
    "complete": ", and that records with a missing value are left out",
}


def _declared(axis: GridColumn) -> str:
    """Describe what is public about a column in one line."""
    declared = axis.declared
    source = f" (source: {_flat(declared.source)})" if declared.source.strip() else ""
    if not declared.closed:
        step = f"; numbers in steps of {declared.width:.12g} from 0" if declared.width else ""
        return f"{_flat(axis.name)}: nothing; its values are not declared{step}; {reading_of(declared)}{source}"
    bins = "bin" if axis.size == 1 else "bins"
    rest = f'else in the bin "{axis.labels[-1]}"' if declared.rest else "else the record is not counted"
    content = f"{_CONTENT[declared.kind]}; {reading_of(declared)}"
    return f"{_flat(axis.name)}: {axis.words}, {axis.size} {bins}; {content}; {rest}{source}"


def publish(
    table: ContingencyTable, mechanism: Mechanism, threshold: Threshold | None = None, progress: Progress | None = None
) -> NoisyTable:
    """Draw the noise of a table that may be published.

    Parameters
    ----------
    table
        A grid of declared domains.
    mechanism
        The noise.
    threshold
        Needed if a domain is open, and only then.
    progress
        Called with the share done; an exception it raises cancels.

    Raises
    ------
    ParameterError
        If a domain is open and there is no threshold: its cells come from the data. Or if delta is 1/n or more.
    """
    delta = mechanism.delta if threshold is None else threshold.delta
    if delta * table.records >= 1:
        raise ParameterError(
            f"A delta of {delta:.3g} is not below 1 over the {table.records:,} records, so publishing one person's "
            "whole record would keep the promise; choose a smaller delta, or Laplace noise on declared domains.",
            parameter="delta",
        )
    if table.closed:
        return NoisyTable(table, mechanism, noisy_counts(table.counts, mechanism, progress))
    if threshold is None:
        name = next(axis.name for axis in table.every if not axis.declared.closed)
        raise ParameterError(
            f"The values of {shown_name(name)} are not declared, so the cells would come from the data; declare its "
            "domain, or leave out rare cells by a threshold.",
            parameter=name,
        )
    return NoisyTable(table, mechanism, thresholded(table.counts, mechanism, threshold, progress), threshold)
