"""Match the columns of another publisher's file with mine: by names first, then by values."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from core.data.encoding.domain import Domain
from core.data.frequency_table import FrequencyTable, data_of, label_counts, rows_of
from core.data.schemas.icd import NINE, TEN
from core.data.schemas.schema import ColumnType, Schema
from core.data.tables.column import Column
from core.data.tables.table import Table
from core.release.published.cell_reader import WITHHELD, Reader
from core.release.published.correspondence import folded, propose_columns, propose_values

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

MIN_OVERLAP = 0.5
"""Share of records with the same values in both tables from which a column is proposed by its values."""
AHEAD = 0.1
"""Required lead over the next best column: two columns of yes and no cannot be distinguished."""
FEW = 20
"""Largest number of values of a column with guessed short forms: M for Male, but no code for a diagnosis."""
MANY = 5_000
"""Largest number of values of a column that are compared."""


@dataclass(frozen=True)
class ColumnMatch:
    """Proposal for one column of mine.

    Parameters
    ----------
    mine, theirs
        My column, and their header; ``None`` if nothing is proposed.
    by
        "name" or "values": the reason; "" if nothing is proposed.
    values
        Pairs (their value, mine) for values with another spelling: a guess.
    coverage
        Share of my records whose value occurs in their column, with these values; 0 without a column.
    """

    mine: str
    theirs: str | None = None
    by: str = ""
    values: tuple[tuple[str, str], ...] = ()
    coverage: float = 0.0


def match_columns(
    mine: Table | FrequencyTable | IntoDataFrame, theirs: Table | FrequencyTable | IntoDataFrame, schema: Schema
) -> tuple[ColumnMatch, ...]:
    """Propose which column of theirs is each column of a release of mine.

    Parameters
    ----------
    mine, theirs
        Both tables or frames; a release of theirs is compared as it is published, so mainly its sensitive values can be
        matched.
    schema
        Of mine.

    Returns
    -------
    tuple of ColumnMatch
        In the order of the schema. If no header matches, the column that shares the values of most records is proposed,
        unless either column has a close second match.

    Notes
    -----
    O(columns of mine x columns of theirs x values).
    """
    mine, theirs = data_of(mine), data_of(theirs)
    names = schema.released
    headers = propose_columns(rows_of(theirs).names, schema)
    left = [name for name in names if name not in headers]
    spare = [header for header in rows_of(theirs).names if header not in headers.values()]
    by_values = _by_values(mine, theirs, left, spare, {"", *schema.missing_tokens})
    return tuple(
        _matched(mine, theirs, name, headers.get(name, by_values.get(name)), "name" if name in headers else "values")
        for name in names
    )


def guess_values(theirs: Collection[str], mine: Collection[str]) -> dict[str, str]:
    """Guess the value of mine for each of theirs: another spelling, or a short form such as M for Male."""
    guessed = propose_values(theirs, mine)
    if max(len(theirs), len(mine)) > FEW:
        return guessed
    # A text of several words may be a set: its beginning says nothing.
    strange = [text for text in theirs if text not in guessed and text.strip().rstrip(".").isalpha()]
    free = [text for text in mine if text not in guessed.values() and folded(text).isalpha()]
    pairs = [(text, ours) for text in strange for ours in free if _is_short(text, ours)]
    of_theirs, of_mine = [text for text, _ in pairs], [ours for _, ours in pairs]
    return guessed | {text: ours for text, ours in pairs if of_theirs.count(text) == 1 and of_mine.count(ours) == 1}


def guess_meanings(theirs: Collection[str], mine: Domain) -> list[tuple[str, str]]:
    """Guess pairs (their value, mine): as :func:`guess_values`, and between a code and its parent.

    Parameters
    ----------
    theirs
        Their values that are not among mine.
    mine
        My column.
    """
    labels = mine.labels[: mine.size - (mine.missing >= 0)]
    pairs = guess_values(theirs, labels)
    codes = {label: plain for label in labels if (plain := _code(label))}
    meanings = list(pairs.items())
    for value in theirs:
        plain = _code(value)
        if plain and value not in pairs:
            above = [label for label, code in codes.items() if plain.startswith(code)]
            below = [label for label, code in codes.items() if code.startswith(plain)]
            nearest = [max(above, key=len)] if above else below
            meanings += [(value, label) for label in nearest]
    return meanings


def _code(text: str) -> str:
    """A code of a disease, without its dot and without the marks of a coarser one; "" for anything else."""
    text = re.sub(r"\.?[*-]+$", "", text)
    return text.replace(".", "") if (TEN.fullmatch(text) or NINE.fullmatch(text)) and len(text) > 2 else ""


def strange_values(column: Column, mine: Domain, absent: Collection[str], sets: bool = True) -> dict[str, int]:
    """Values of a column of theirs that are not mine, each with its number of records, most common first.

    Parameters
    ----------
    column
        Of theirs.
    mine
        My column. Numbers, bands of numbers and dates are understood in any form.
    absent
        Cells that mean "missing".
    sets
        Whether its cells may be sets. Marks of withheld values are not values.
    """
    if mine.column_type in (ColumnType.NUMERIC, ColumnType.DATE) or mine.bands is not None:
        return {}
    reader = replace(Reader.of(mine, absent), marks=WITHHELD).of_column(column.labels)
    numbers = dict[str, int]()
    for text, number in zip(column.labels, column.counts.tolist(), strict=True):
        for value in _values_in(text, reader) if sets else (text,):
            numbers[value] = numbers.get(value, 0) + number
    known = {"", *absent, *mine.labels}
    strange = ((text, n) for text, n in numbers.items() if not (text in known or _is_mark(text, reader)))
    return dict(sorted(strange, key=lambda pair: -pair[1]))


def _is_mark(text: str, reader: Reader) -> bool:
    """Whether a cell says that a value is missing or withheld."""
    return reader.marked(text) or not text.strip().strip("*")


def _values_in(cell: str, reader: Reader) -> Collection[str]:
    """Categories that a published cell lists, or a cell that my values do not explain."""
    region = reader.read(cell)
    if region is None:
        return (cell,)
    return region.labels - region.masks if not (region.everything or region.ranges) else ()


def _is_short(text: str, other: str) -> bool:
    """Whether one of two words is a prefix of the other."""
    return folded(text).startswith(folded(other)) or folded(other).startswith(folded(text))


def _matched(
    mine: Table | FrequencyTable, theirs: Table | FrequencyTable, name: str, header: str | None, by: str
) -> ColumnMatch:
    if header is None:
        return ColumnMatch(name)
    ours, column = rows_of(mine).column(name), rows_of(theirs).column(header)
    guessed = guess_values(column.labels, ours.labels)
    pairs = tuple((text, meant) for text, meant in guessed.items() if text != meant)
    there = {guessed.get(text, text) for text in column.labels}
    counts = label_counts(mine, ours)
    known = np.array([label in there for label in ours.labels])
    return ColumnMatch(name, header, by, pairs, float(counts[known].sum() / counts.sum()))


def _by_values(
    mine: Table | FrequencyTable,
    theirs: Table | FrequencyTable,
    names: Sequence[str],
    headers: Sequence[str],
    absent: set[str],
) -> dict[str, str]:
    """My column to their header, if each is by far the best match of the other."""
    ours = [_shares(mine, rows_of(mine).column(name), absent) for name in names]
    overlaps = np.zeros((len(names), len(headers)))
    for place, header in enumerate(headers):
        column = rows_of(theirs).column(header)
        shares = _shares(theirs, column, absent)
        overlaps[:, place] = [_overlap(shares, own) for own in ours]
    pairs = {}
    for i, name in enumerate(names):
        best = int(overlaps[i].argmax()) if headers else 0
        rivals = [*np.delete(overlaps[i], best), *np.delete(overlaps[:, best], i)] if headers else []
        if headers and overlaps[i, best] >= max(MIN_OVERLAP, AHEAD + max(rivals, default=0.0)):
            pairs[name] = headers[best]
    return pairs


def _shares(data: Table | FrequencyTable, column: Column, absent: set[str]) -> dict[str, float]:
    """Share of the records that have each value; none of a column of too many values."""
    if len(column.labels) > MANY:
        return {}
    counts = dict(zip(column.labels, label_counts(data, column).tolist(), strict=True))
    known = {label: number for label, number in counts.items() if label not in absent}
    return {label: number / sum(known.values()) for label, number in known.items()}


def _overlap(theirs: Mapping[str, float], mine: Mapping[str, float]) -> float:
    """Overlap of two distributions: 1 if the same values are equally common, 0 if none is shared."""
    meant: dict[str, float] = {}
    guessed = guess_values(theirs, mine)
    for text, share in theirs.items():
        ours = guessed.get(text, text)
        meant[ours] = meant.get(ours, 0.0) + share
    return sum(min(share, mine.get(text, 0.0)) for text, share in meant.items())
