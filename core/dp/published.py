"""A noisy table as it may be published, with the statement of what it promises."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.dp.contingency import ContingencyTable
from core.dp.mechanisms import L1, RELATION, Mechanism, Progress, noisy_counts
from core.export import csv_bytes


@dataclass(frozen=True, eq=False)
class NoisyTable:
    """Counts with noise from OpenDP, and nothing that tells the true ones.

    Parameters
    ----------
    table
        The grid; its true counts are never exported.
    mechanism
        Noise of every cell.
    counts
        (cells, values) noisy counts.
    """

    table: ContingencyTable
    mechanism: Mechanism
    counts: NDArray[np.int64]

    @property
    def negative(self) -> int:
        """Cells whose noisy count is below 0."""
        return int(np.count_nonzero(self.counts < 0))

    def frame(self) -> pd.DataFrame:
        """One row a cell, every cell of the grid."""
        return self.table.frame(self.counts, "noisy_count")

    def statement(self) -> str:
        """What is promised: mechanism, epsilon, delta and relation. There is no seed, and no true count in it."""
        made, axes = self.mechanism, [axis.domain.name for axis in self.table.axes]
        columns = ", ".join(" ".join(name.split()) for name in [*axes, self.table.sensitive.name])
        sensitivity = f"{L1} (L1)" if made.name == "laplace" else "square root of 2 (L2)"
        return "\n".join(
            [
                "Differentially private contingency table",
                "",
                f"Columns: {columns}",
                f"Cells: {self.table.size}, the empty ones included",
                f"Promise: epsilon = {made.epsilon:.12g}, delta = {made.delta:.12g}",
                f"Neighbouring tables: {RELATION}",
                f"Mechanism: {made.words} noise, scale {made.scale:.12g}, independently in every cell",
                f"Sensitivity: {sensitivity}",
                "Noise: drawn by OpenDP from the operating system's randomness; there is no seed",
                "Public without noise: the columns, groups and labels of the grid",
                f"Accuracy: the noise of a cell is at most {made.accuracy(0.05)} with a chance of 95 %",
                "Reading: noisy counts can be negative, and an empty cell can look filled; both are meant. Cutting",
                "negative counts to 0 costs no privacy but makes every sum too large.",
                "Together with other tables about the same people, epsilons and deltas add up.",
                "",
            ]
        )

    def package(self) -> bytes:
        """A ZIP of table and statement, so that one does not travel without the other."""
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in (("noisy_table.csv", csv_bytes(self.frame())), ("statement.txt", self.statement())):
                # A fixed date: when the file was made is nobody's business.
                archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data)
        return content.getvalue()


def publish(table: ContingencyTable, mechanism: Mechanism, progress: Progress | None = None) -> NoisyTable:
    """Draw the noise of a table; see :func:`core.dp.mechanisms.noisy_counts`."""
    return NoisyTable(table, mechanism, noisy_counts(table.counts, mechanism, progress))
