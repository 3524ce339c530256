"""Other ways to partition, to see which of them comes near what a paper printed. Slow and plain."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from core import Policy, Release, Schema, Table, Taxonomy
from core.algorithms import partition
from core.data.encoding.encoded import Encoded
from core.data.schemas.schema import ColumnType

Partition = Callable[[Encoded, int], Release]


def one_level(table: Table, schema: Schema) -> Schema:
    """Return the schema with a taxonomy of one level for each categorical quasi-identifier: a value or ``*``."""
    absent = set(schema.missing_tokens)
    trees = {
        name: Taxonomy.flat(label for label in table.column(name).labels if label not in absent)
        for name in schema.quasi_identifiers
        if schema.column_types.get(name) is not ColumnType.NUMERIC and name != "age"
    }
    column_types = {name: str(column_type) for name, column_type in schema.column_types.items() if name not in trees}
    return schema.with_(taxonomies=trees, column_types=column_types)


def median_only(encoded: Encoded, k: int) -> Release:
    """Mondrian that tries one cut an attribute, at the median, and no other, as [LeFevre 2006] prints it."""
    labels = np.zeros(len(encoded), dtype=np.int32)
    waiting, done = [np.arange(len(encoded))], 0
    while waiting:
        members = waiting.pop()
        parts = _halves(encoded, members, k) if len(members) >= 2 * k else ()
        if parts:
            waiting += parts
        else:
            labels[members] = done
            done += 1
    return Release.of(encoded, labels, Policy(k), "median only")


def _halves(encoded: Encoded, members: NDArray[np.int64], k: int) -> tuple[NDArray[np.int64], ...]:
    codes = encoded.codes[:, members]
    low, high = codes.min(axis=1), codes.max(axis=1)
    widths = [
        float(domain.width(low[i : i + 1], high[i : i + 1])[0]) if low[i] < high[i] else -1.0
        for i, domain in enumerate(encoded.qids)
    ]
    for i in sorted(range(len(widths)), key=lambda i: -widths[i]):
        left = codes[i] <= np.sort(codes[i])[(len(members) - 1) // 2]
        if widths[i] >= 0 and min(left.sum(), len(members) - left.sum()) >= k:
            return members[left], members[~left]
    return ()


def microaggregation(encoded: Encoded, k: int) -> Release:
    """MDAV of core."""
    return partition(encoded, Policy(k), "mdav")
