"""Whether two tables hold the same records: a budget belongs to people, not to a file.

After one cell is changed, or a record added, the people are still the same. A budget is kept under the
name of the data's origin, and records are compared so that a new name does not go unnoticed.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.data.tables.table import Table, table_of

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

Marks = NDArray[np.uint64]

SAME = 0.5
"""Share of known records above which a table counts as having the people of an earlier one."""


def marks_of(table: Table | IntoDataFrame) -> Marks:
    """(records,) sorted 64-bit digests of whole records, whatever the order of rows and columns.

    O(columns x (records + distinct)).
    """
    table = table_of(table)
    total = np.zeros(len(table), dtype=np.uint64)
    for column in table.columns:
        key = hashlib.blake2b(column.name.encode(), digest_size=8).hexdigest()
        texts = np.array(column.labels, dtype=object)
        total += pd.util.hash_array(texts, hash_key=key, categorize=False)[column.codes]
    return np.sort(total)


def share_known(marks: Marks, earlier: Marks) -> float:
    """Share of the records of a table that an earlier one also has, with multiplicity.

    Coarse columns can agree by chance: equal records need not be the same people.
    """
    (first, many), (other, more) = (np.unique(given, return_counts=True) for given in (marks, earlier))
    _, at_first, there = np.intersect1d(first, other, assume_unique=True, return_indices=True)
    return float(np.minimum(many[at_first], more[there]).sum() / max(1, len(marks)))
