"""Derived columns: their value follows from a column that others may know."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from core.base.arrays import Floats
from core.base.errors import shown_name as shown
from core.data.frequency_table import FrequencyTable, rows_of
from core.data.schemas import header_topics as topics
from core.data.tables.column import Column
from core.data.tables.dates import day_number, formats_of, looks_like_dates
from core.data.tables.number_forms import numbers_of
from core.data.tables.numbers import parse_numbers
from core.data.tables.table import Table

FEWEST = 10
"""Largest number of records in which dates and numbers are compared."""
YEAR = 365.2425


@dataclass(frozen=True)
class Follows:
    """A column whose value follows from the value of another in all rows.

    Parameters
    ----------
    column, source
        Anyone who knows the value of ``source`` knows that of ``column``.
    both
        Whether the reverse also holds.
    how
        The rule in words, if it follows from dates; see :func:`what_dates_say`.
    """

    column: str
    source: str
    both: bool
    how: str = ""

    @property
    def text(self) -> str:
        """The same in one phrase, without any cell value."""
        source = shown(self.source)
        return (
            self.how
            or f"Follows from {source}: anyone who knows {'one knows the other' if self.both else f'{source} knows it'}"
        )


def what_follows(data: Table | FrequencyTable, sources: Iterable[str]) -> tuple[Follows, ...]:
    """Find the columns that follow from one of the sources, such as the logarithm of the length of stay.

    Parameters
    ----------
    data
        A table, or a frequency table by its rows. A missing value is a value like any other.
    sources
        Columns that others may know. A column whose values hardly ever repeat is skipped: every column follows from it.

    Returns
    -------
    tuple of Follows
        In the order of the table, with the first source of each column. Columns with one value are left out, and so are
        those that have a single value wherever the source repeats: that may be chance.

    Notes
    -----
    O(sources x columns x rows).
    """
    table = rows_of(data)
    known = [table.column(name) for name in sources]
    known = [column for column in known if 2 * len(column.labels) <= len(table)]
    pairs = ((column, source) for column in table.columns for source in known if column is not source)
    first: dict[str, Follows] = {}
    for column, source in pairs:
        if column.name not in first and _is_function(column, source):
            first[column.name] = Follows(column.name, source.name, len(column.labels) == len(source.labels))
    return tuple(first.values())


def described(data: Table | FrequencyTable, columns: Sequence[str]) -> dict[str, str]:
    """Labels for the values of a column, from the first other text column with one distinct text per value.

    Empty for several columns, and if there is no such column.
    """
    table = rows_of(data)
    facts = what_follows(data, columns) if len(columns) == 1 else ()
    for fact in facts:
        texts, codes = table.column(fact.column), table.column(fact.source)
        if fact.both and numbers_of([label for label in texts.labels if label], table.decimal) is None:
            return {codes.labels[code]: texts.labels[text] for code, text in zip(*_pairs(codes, texts), strict=True)}
    return {}


def _pairs(source: Column, column: Column) -> tuple[list[int], list[int]]:
    """Codes of a source, and those of the column that follows from it."""
    codes, first = np.unique(source.codes, return_index=True)
    return codes.tolist(), column.codes[first].tolist()


def what_dates_say(data: Table | FrequencyTable, absent: Iterable[str] = ("",)) -> tuple[Follows, ...]:
    """Find numbers that follow from two date columns, such as the length of stay or an age.

    Parameters
    ----------
    data
        A table, or a frequency table by its rows.
    absent
        Cells that mean "missing".

    Returns
    -------
    tuple of Follows
        A column whose number is the days between the same two dates in every record that has all three, and an age
        next to a date of birth, each of which determines the other within a year or two; O(dates squared x numbers x
        rows).
    """
    table, gone, facts = rows_of(data), set(absent), []
    days = {column.name: _days(column, gone) for column in table.columns}
    dates = {name: of_record for name, of_record in days.items() if of_record is not None}
    if not dates:
        return ()
    for column in table.columns:
        numbers = _numbers(column, gone, table.decimal)
        if column.name in dates or np.isfinite(numbers).sum() < FEWEST:
            continue
        pairs = ((first, last) for first, last in permutations(dates, 2))
        apart = next((pair for pair in pairs if _are_apart(dates[pair[0]], dates[pair[1]], numbers)), None)
        births = dates if topics.topic_of(column.name) == topics.AGE else {}
        born = next((name for name in births if _is_age(name, dates, numbers)), None)
        if apart is not None:
            words = f"The number of days from {shown(apart[0])} to {shown(apart[1])}"
            facts.append(Follows(column.name, apart[1], False, words))
        elif born is not None:
            words = f"Roughly follows from {shown(born)}: anyone who knows one knows the other to within a year or two"
            facts.append(Follows(column.name, born, True, words))
    return tuple(facts)


def _numbers(column: Column, absent: set[str], decimal: str) -> Floats:
    """(rows,) number of each record, NaN if it has none."""
    known = [code for code, label in enumerate(column.labels) if label not in absent]
    numbers, read = parse_numbers(column.labels, decimal), numbers_of([column.labels[code] for code in known], decimal)
    if read is not None:
        numbers[known] = read.values
    of_record: Floats = numbers[column.codes]
    return of_record


def _days(column: Column, absent: set[str]) -> Floats | None:
    """(rows,) day of each record, NaN if it has none; ``None`` unless the column has dates in one format."""
    known = [label for label in column.labels if label not in absent]
    formats = formats_of(known) if looks_like_dates(known) else ()
    if len(formats) != 1:
        return None
    days = np.array([day_number(label, formats[0]) for label in column.labels], dtype=np.float64)
    days[days == 0] = np.nan
    of_record: Floats = days[column.codes]
    return of_record


def _are_apart(first: Floats, last: Floats, numbers: Floats) -> bool:
    """Whether a number equals the days between two dates in every complete record, and varies."""
    apart = last - first
    there = np.isfinite(apart) & np.isfinite(numbers)
    same = there.sum() >= FEWEST and np.array_equal(apart[there], numbers[there])
    return bool(same and np.ptp(apart[there]))


def _is_age(born: str, dates: Mapping[str, Floats], ages: Floats) -> bool:
    """Whether nine in ten ages match a date of birth within a year or two, at one time or at another date."""
    if topics.topic_of(born) != topics.BIRTH:
        return False
    for other in (np.zeros(len(ages)), *(days for name, days in dates.items() if name != born)):
        years = (other - dates[born]) / YEAR - ages
        known = years[np.isfinite(years)]
        if len(known) >= FEWEST and np.ptp(np.quantile(known, (0.05, 0.95))) <= 2 < np.ptp(ages[np.isfinite(years)]):
            return True
    return False


def _is_function(column: Column, source: Column) -> bool:
    """Whether each value of the source has one value of the column, tested on repeated values."""
    if not 2 <= len(column.labels) <= len(source.labels):
        return False
    last = np.zeros(len(source.labels), dtype=column.codes.dtype)
    last[source.codes] = column.codes
    if not np.array_equal(last[source.codes], column.codes):
        return False
    repeated = np.bincount(source.codes, minlength=len(source.labels)) > 1
    return bool(np.ptp(last[repeated])) if repeated.any() else False
