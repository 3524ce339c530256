"""The layout of another publisher's release: ranges in two columns, sets in several, and a column of counts.

anonypyx, among others, writes the range of a number as ``age_min`` and ``age_max``, a set as a column of
true and false for each value (``ward_A``, ``ward_B``), and equal rows once with a ``count``. Read as values, these
columns would make the attack look weaker. So they are merged, or asked about, before anything is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from core.base.arrays import Ints
from core.base.errors import InputError
from core.base.errors import shown_name as shown
from core.data.tables.cell_syntax import is_withheld
from core.data.tables.column import Column
from core.data.tables.table import Table
from core.release.published.correspondence import end_of, folded, is_end

LOWER = {"min": "max", "from": "to", "low": "high", "lower": "upper", "lb": "ub", "start": "end"}
"""Names of a lower end, and of its upper end."""
YES, NO = ("true", "t", "yes", "y", "ja", "x", "1", "1.0"), ("false", "f", "no", "n", "nein", "", "0", "0.0")
"""Spellings of set membership, in lower case."""
COUNTS = frozenset(
    ("count", "counts", "n", "fk", "freq", "frequency", "frequencies", "size", "cases", "records", "weight", "anzahl")
)
"""Headers, folded, that often name the number of records per row."""
_COUNTED = re.compile(
    "(?:n|no|num|numof|numberof|nof|count|countof)(?:patients|records|cases|people|persons|rows|obs|individuals|subjects)"
)
ONE_EACH = "none"
"""Value of ``--count`` for files with one record per row, whatever their columns are called."""
MASKED = re.compile(r"[<≤]=?\s*\d+|\d+\s*[-–]\s*\d+|[*.xsc-]?")
"""A count that its publisher masked."""


def joined(table: Table, names: Collection[str], keep: Collection[str] = ()) -> Table:
    """Merge the columns of each range, and of each set.

    Parameters
    ----------
    table
        Another publisher's release.
    names
        My quasi-identifiers; columns with one of these names stay as they are.
    keep
        Other headers that stay as they are.

    Returns
    -------
    Table
        Ranges as ``[low .. high]`` under the stem of both headers; sets as ``{A, B}`` under my name, if two or more
        columns are named after it and contain only true and false. Other columns stay the same.
    """
    groups = joined_headers(table, names, keep)
    if not groups:
        return table
    gone = {header for headers in groups.values() for header in headers}
    made = [_joined(table, stem, headers) for stem, headers in groups.items()]
    return replace(table, columns=(*(column for column in table.columns if column.name not in gone), *made))


def joined_headers(table: Table, names: Collection[str], keep: Collection[str] = ()) -> dict[str, tuple[str, ...]]:
    """Headers that :func:`joined` merges, by the name of the merged column."""
    groups = {**_ends(table, {folded(name) for name in names}), **_flags(table, names)}
    return {stem: parts for stem, parts in groups.items() if stem not in table.names and not set(parts) & set(keep)}


def possible_counts(table: Table, used: Collection[str]) -> tuple[str, ...]:
    """Columns without a role that may hold the number of records per row."""
    spare = (column for column in table.columns if column.name not in used and names_a_count(column.name))
    return tuple(column.name for column in spare if any(map(_is_count, column.labels)))


def names_a_count(header: str) -> bool:
    """Whether a header often names counts of records: ``n``, ``count``, ``n_patients``, ``Anzahl``."""
    name = folded(header)
    return name in COUNTS or _COUNTED.fullmatch(name) is not None


def counts_of(table: Table, header: str) -> Ints:
    """(rows,) number of records per row.

    Raises
    ------
    InputError
        If the column is missing, or a cell is not a whole number from 0.
    """
    column = table.column(header)
    for place, text in enumerate(column.labels):
        if not _is_count(text):
            row = int(np.flatnonzero(column.codes == place)[0]) + 1
            masked = MASKED.fullmatch(text.strip()) is not None
            what = (
                'is masked. If the file is a table of counts, say so (at the gate with --counts "absent=zero" or other '
                "rules)"
                if masked
                else "is no whole number from 0. Take such rows out of the file"
            )
            raise InputError(
                f"The count in row {row:,} of the column {shown(header)} {what}, or choose another column.",
                parameter=header,
            )
    return np.array([int(float(text)) for text in column.labels], dtype=np.int64)[column.codes]


def _is_count(text: str) -> bool:
    return re.fullmatch(r"\d{1,9}(?:\.0+)?", text.strip()) is not None


def _ends(table: Table, own: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Headers of both ends of each range, by their stem."""
    by_stem: dict[str, dict[str, str]] = {}
    for header in table.names:
        parts = end_of(header)
        if parts is not None and folded(header) not in own:
            by_stem.setdefault(parts[0], {})[parts[1]] = header
    pairs = {
        stem: [(ends[low], ends[high]) for low, high in LOWER.items() if low in ends and high in ends]
        for stem, ends in by_stem.items()
    }
    return {stem: ends[0] for stem, ends in pairs.items() if len(ends) == 1}


def _flags(table: Table, names: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Headers of true and false for each value of one of my columns, by its name."""
    flags_of: dict[str, tuple[str, ...]] = {}
    taken = set(table.names) & set(names)
    for name in sorted(set(names) - taken, key=len, reverse=True):
        start = re.compile(rf"{re.escape(name)}[_.=:\s-](?P<value>.+)", re.IGNORECASE)
        flags = tuple(
            column.name
            for column in table.columns
            if column.name not in taken and start.fullmatch(column.name) and _is_flag(column)
        )
        if len(flags) > 1:
            flags_of[name] = flags
            taken |= set(flags)
    return flags_of


def _is_flag(column: Column) -> bool:
    return all(label.strip().casefold() in (*YES, *NO) for label in column.labels)


def _joined(table: Table, stem: str, headers: Sequence[str]) -> Column:
    columns = [table.column(header) for header in headers]
    codes = np.stack([column.codes for column in columns]).astype(np.int64)
    distinct, of_row = np.unique(codes, axis=1, return_inverse=True)
    rows = [[column.labels[code] for column, code in zip(columns, each, strict=True)] for each in distinct.T.tolist()]
    if is_end(headers[0]) and len(headers) == 2 and not all(map(_is_flag, columns)):
        texts = [_range(low.strip(), high.strip()) for low, high in rows]
    else:
        values = [header[len(stem) + 1 :] for header in headers]
        texts = [_set(values, flags) for flags in rows]
    number: dict[str, int] = {}
    place = np.array([number.setdefault(text, len(number)) for text in texts], dtype=np.int64)
    return Column.from_codes(stem, list(number), place[np.asarray(of_row).ravel()])


def _range(low: str, high: str) -> str:
    """One cell from two ends; a range without one of them is unknown, so it is withheld."""
    if is_withheld(low) or is_withheld(high) or not low.strip("*") or not high.strip("*"):
        return "*"
    return low if low == high else f"[{low} .. {high}]"


def _set(values: Sequence[str], flags: Sequence[str]) -> str:
    """One cell from the flagged values; without any it cannot be read."""
    chosen = [value for value, flag in zip(values, flags, strict=True) if flag.strip().casefold() in YES]
    return "{" + ", ".join(json.dumps(value, ensure_ascii=False) for value in chosen) + "}"
