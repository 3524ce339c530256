"""The distribution of a column's values as a few bars, to help people recognise it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.base.arrays import Floats
from core.data.encoding.columns import own_order
from core.data.frequency_table import FrequencyTable, label_counts, rows_of
from core.data.schemas.schema import ColumnType
from core.data.tables.column import Column
from core.data.tables.dates import day_number, formats_of
from core.data.tables.number_forms import numbers_of
from core.data.tables.table import Table

BARS = 16
"""Largest number of bars."""


def value_picture(
    data: Table | FrequencyTable, column: Column, column_type: ColumnType, absent: Sequence[str] = ("",)
) -> tuple[float, ...]:
    """Shares of the records with a value, bar by bar.

    Parameters
    ----------
    data, column
        A table or a frequency table, and one of its columns.
    column_type
        Numbers and dates have bars of equal width, the first and last with everything beyond. Ordered values keep their
        order; others begin with the most common. Values after the first :data:`BARS` are left out.
    absent
        Texts that mean "missing".
    """
    known = [code for code, label in enumerate(column.labels) if label not in set(absent)]
    labels, records = [column.labels[code] for code in known], label_counts(data, column)[known]
    places = _places(labels, column_type, rows_of(data).decimal)
    if places is not None:
        order = np.argsort(places, kind="stable")
        part = np.cumsum(records[order]) / records.sum()
        low, high = places[order][np.searchsorted(part, (0.01, 0.99))].tolist()
        # From the lowest on, since numbers far from 0 leave no room for edges between them.
        records = np.histogram(np.clip(places, low, high) - low, BARS, weights=records)[0]
    elif order_of := own_order(column, labels):
        place = {label: number for number, label in enumerate(labels)}
        records = records[[place[label] for label in order_of if label in place]]
    else:
        records = np.sort(records)[::-1]
    return tuple((records[:BARS] / max(1, records.sum())).tolist())


def _places(labels: Sequence[str], column_type: ColumnType, decimal: str) -> Floats | None:
    """Position on a scale, if there are more values than bars.

    ``None`` without a scale, or if each value has its bar.
    """
    if len(labels) <= BARS and column_type is not ColumnType.NUMERIC:
        return None
    if column_type is ColumnType.NUMERIC and (read := numbers_of(labels, decimal)) is not None:
        return read.values
    forms = formats_of(labels) if column_type is ColumnType.DATE else ()
    return np.array([day_number(label, forms[0]) for label in labels], dtype=float) if len(forms) == 1 else None
