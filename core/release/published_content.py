"""Recognise a published file by its cells: a digest that does not depend on the order of its rows."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from core.base.arrays import Ints
from core.base.errors import InputError
from core.base.errors import shown_name as shown
from core.data.classes import distinct_columns, weighted_count
from core.data.tables.csv_export import harmless, in_one_form
from core.data.tables.table import Table, columns_of

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame


def headers_in(table: Table, columns: Sequence[str], more: Sequence[str], who_names: str) -> dict[str, str]:
    """Header in a published file of each published column, and of those of ``more`` that the file has.

    Raises
    ------
    InputError
        If a published column is missing; ``who_names`` ends the sentence about it.
    """
    wanted = (*columns, *more)
    headers = {name: header for name in wanted for header in (harmless(name), name) if header in table.names}
    lacking = next((name for name in columns if name not in headers), None)
    if lacking is not None:
        raise InputError(
            f"The file has no column {shown(lacking)}, which {who_names}; load the file as it was published.",
            parameter=lacking,
        )
    return headers


def content_digest(table: Table | IntoDataFrame, columns: Sequence[str], counts: Ints | None = None) -> str:
    """SHA-256 over the published cells of some columns, independent of the order of rows.

    Each distinct row is written as the lengths and texts of its cells in one form and its number of occurrences; these
    lines are sorted. Headers are not included. ``counts`` (rows,) is the number of occurrences of each row in the file,
    if the table lists equal rows once. O(rows log rows).
    """
    read = columns_of(table, columns)
    chosen = [read[name] for name in columns]
    first, group, many = distinct_columns(np.array([column.codes for column in chosen], dtype=np.int64))
    many = many if counts is None else weighted_count(group, counts, len(first))
    texts = [[in_one_form(label) for label in column.labels] for column in chosen]
    written = [[f"{len(text)}:{text}" for text in labels] for labels in texts]
    codes = [column.codes[first].tolist() for column in chosen]
    cells = [[labels[code] for code in some] for labels, some in zip(written, codes, strict=True)]
    counted: dict[str, int] = {}
    for row, times in zip(map("".join, zip(*cells, strict=True)), many.tolist(), strict=True):
        counted[row] = counted.get(row, 0) + times  # two labels may be one text in a file
    digest = hashlib.sha256()
    for row in sorted(counted):
        digest.update(f"{counted[row]} {row}\n".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()
