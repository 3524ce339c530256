"""Missing values: cells that may mean "missing", and the number of records affected.

The empty cell always is missing. Other cells are only candidates: "NA" is a value, Namibia
perhaps, until the user says that it is not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.base.arrays import Bools, Ints
from core.data.frequency_table import FrequencyTable, label_counts, records_of, rows_of
from core.data.schemas.schema import Schema
from core.data.tables.column import Column
from core.data.tables.number_forms import numbers_of
from core.data.tables.table import Table

UNKNOWN = "?"
SYMBOLS = ("?", "-", "--", "---", ".", "..", "…", "–")
TEXTS = (
    "na",
    "n/a",
    "n.a.",
    "#n/a",
    "nan",
    "null",
    "nil",
    "none",
    "missing",
    "unknown",
    "not available",
    "not known",
    "no data",
    "k.a.",
    "k. a.",
    "keine angabe",
    "unbekannt",
    "fehlt",
    "inconnu",
    "non renseigné",
    "manquant",
)
NO_VALUE = {"na", "n/a", "n.a.", "#n/a", "<na>", "nan", "null"}
"""Texts that statistics programs, spreadsheets and databases write for missing values."""
SPELLINGS = tuple(
    dict.fromkeys(
        (
            *SYMBOLS,
            *(spelt for text in TEXTS for spelt in (text, text.upper(), text.capitalize(), text.title())),
            "NaN",
            "#N/A",
            "<NA>",
        )
    )
)


@dataclass(frozen=True)
class MissingToken:
    """A text that may mean a missing value.

    Parameters
    ----------
    token
        The text, exactly as it is written.
    cells
        How many cells consist of it.
    columns
        The columns with such cells.
    likely
        Whether it is unlikely to be a value: a question mark among words or numbers, another symbol in few cells of
        such columns, a text that programs write for no value (``NA``, ``NULL``) unless the column has codes of its
        length, or another word in columns that otherwise hold numbers.
    """

    token: str
    cells: int
    columns: tuple[str, ...]
    likely: bool


def find_tokens(data: Table | FrequencyTable) -> tuple[MissingToken, ...]:
    """Find texts that may mean "missing", most common first.

    Returns
    -------
    tuple of MissingToken
        The empty cell is not among them: it always means missing.

    Notes
    -----
    Distinct texts are sorted, so looking a text up costs O(log distinct).
    """
    table, by_token = rows_of(data), dict[str, list[Column]]()
    for column in table.columns:
        for token in SPELLINGS:
            if column.code_of(token) >= 0:
                by_token.setdefault(token, []).append(column)
    tokens = [
        MissingToken(
            token,
            sum(_cells(data, column, token) for column in columns),
            tuple(column.name for column in columns),
            all(_is_likely(data, token, column) for column in columns),
        )
        for token, columns in by_token.items()
    ]
    return tuple(sorted(tokens, key=lambda token: -token.cells))


def _cells(data: Table | FrequencyTable, column: Column, token: str) -> int:
    """Number of cells that consist of an occurring text."""
    return int(label_counts(data, column)[column.code_of(token)])


def _is_likely(data: Table | FrequencyTable, token: str, column: Column) -> bool:
    decimal = rows_of(data).decimal
    values = [label for label in column.labels if label not in SPELLINGS and label]
    if token == UNKNOWN:  # means nothing else in a table, however often it occurs
        return all(any(ch.isalnum() for ch in label) for label in values[:1000])
    if token.lower() in NO_VALUE:
        return not _is_code_of_its_length(token, values)
    share = _cells(data, column, token) / records_of(data)
    if share >= 0.5 or not values:
        return False
    if token in SYMBOLS:
        return all(any(ch.isalnum() for ch in label) for label in values[:1000])
    return len(values) >= 3 and numbers_of(values, decimal) is not None


def _is_code_of_its_length(token: str, values: Sequence[str]) -> bool:
    """Whether a word may be an ordinary code, such as NA for Namibia among country codes."""
    return token.isalpha() and bool(values) and all(len(label) == len(token) and label.isalpha() for label in values)


@dataclass(frozen=True)
class MissingCount:
    """How many records have a missing value.

    Parameters
    ----------
    records
        Records of the table.
    cells
        Missing cells of each column.
    quasi
        Records that lack at least one quasi-identifier.
    sensitive
        Records that lack the sensitive value.
    either
        Records that lack one or the other.
    """

    records: int
    cells: Mapping[str, int]
    quasi: int
    sensitive: int
    either: int

    def left_out(self, missing: str) -> int:
        """Number of records left out with this ``Schema.missing``."""
        return {"category": 0, "drop": self.quasi, "complete": self.either}[missing]


def count_missing(data: Table | FrequencyTable, schema: Schema) -> MissingCount:
    """Count missing cells and the records that have them; O(columns x records).

    Parameters
    ----------
    data, schema
        The schema's columns and ``missing_tokens`` decide. For a frequency table, records are counted.
    """
    table, counts = rows_of(data), data.counts if isinstance(data, FrequencyTable) else None
    tokens = ("", *schema.missing_tokens)
    quasi = np.zeros(len(table), dtype=bool)
    for name in schema.quasi_identifiers:
        quasi |= _absent(table.column(name), tokens)
    sensitive = np.zeros(len(table), dtype=bool)
    for name in schema.sensitive_columns:
        sensitive |= _absent(table.column(name), tokens)
    return MissingCount(
        records=records_of(data),
        cells={column.name: missing_cells(data, column, tokens) for column in table.columns},
        quasi=_records(quasi, counts),
        sensitive=_records(sensitive, counts),
        either=_records(quasi | sensitive, counts),
    )


def _records(rows: Bools, counts: Ints | None) -> int:
    return int(rows.sum() if counts is None else counts[rows].sum())


def missing_cells(data: Table | FrequencyTable, column: Column, tokens: Sequence[str]) -> int:
    """Count the cells of a column of a table that consist of one of these texts."""
    return int(label_counts(data, column)[codes_of(column, tokens)].sum())


def missing_labels(column: Column, tokens: Sequence[str]) -> int:
    """Count the different texts of a column that are one of these."""
    return len(codes_of(column, tokens))


def codes_of(column: Column, tokens: Sequence[str]) -> list[int]:
    """Codes of those of some texts that occur in a column."""
    return sorted({column.code_of(token) for token in tokens} - {-1})


def _absent(column: Column, tokens: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    missing = np.zeros(len(column.labels) + 1, dtype=bool)
    missing[codes_of(column, tokens)] = True
    return missing[column.codes]
