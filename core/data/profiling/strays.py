"""Unusual cells that may not be values: words among numbers, and codes.

A footer, a total line or a word among numbers or dates makes the column an unordered list, and a code for a
missing value (``999``, ``1900-01-01``) stretches its range. Both are only reported: the publisher declares such cells
as missing, or leaves their rows out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

import numpy as np

from core.base.arrays import Floats, Ints
from core.base.errors import shown_name as shown
from core.base.wording import percent
from core.data.frequency_table import FrequencyTable, label_counts, rows_of
from core.data.schemas import header_topics as topics
from core.data.schemas.bands import Bands
from core.data.tables.column import Column
from core.data.tables.dates import FORMATS, day_number, formats_of, looks_like_dates
from core.data.tables.number_forms import numbers_of, other_mark, read_number
from core.data.tables.numbers import LEADING_ZERO
from core.data.tables.table import Table

CODED_TOPICS = (
    topics.SEX,
    topics.PLACE,
    topics.ORIGIN,
    topics.MARITAL,
    topics.WORK,
    topics.JOB,
    topics.BELIEF,
    topics.DIAGNOSIS,
)
"""Topics of columns whose numbers are codes, which have no order."""
SOME = 200
"""Number of texts of a column that are tested for numbers or dates."""
FEWEST = 3
"""Different numbers or dates that a column needs before its other cells count as unusual."""
_CODES = re.compile(r"-[1789]|-?(?:9{1,9}[678]?|8{2,9}|7{2,9})")
"""Numbers that mean a missing value in many files."""
_CODE_YEARS = (1, 1600, 1753, 1800, 1899, 1900, 1901, 1904, 1960, 1970, 2099, 2100, 2999, 3000, 9998, 9999)
_CODE_DAYS = ((1, 1), (12, 1), (12, 30), (12, 31))
MUCH_FARTHER, MUCH_COMMONER, NEIGHBOURS = 2, 3, 5
"""A code is more than twice as far away as any two neighbours, or three times as common as the five nearest."""


@dataclass(frozen=True)
class Strays:
    """Unusual cells of one column.

    Parameters
    ----------
    column
        Its name.
    text
        One or two sentences about them, without any cell value.
    labels
        Their texts; only for the publisher's own screen. Empty if no cell could be declared as missing.
    """

    column: str
    text: str
    labels: tuple[str, ...] = field(default=(), repr=False)


def strays_of(data: Table | FrequencyTable, name: str, absent: Iterable[str] = ("",)) -> Strays | None:
    """Find the unusual cells of a column; ``None`` if there are none; O(distinct x forms)."""
    table, gone = rows_of(data), set(absent)
    column = table.column(name)
    known = [label for label in column.labels if label not in gone]
    counts = label_counts(data, column)[[label not in gone for label in column.labels]]
    if not known or topics.topic_of(name) in CODED_TOPICS:
        return None
    strays = _codes(column, known, counts, table.decimal) or _others(column, known, counts, table.decimal)
    return None if strays is None else replace(strays, text=strays.text + _elsewhere(table, strays))


def _elsewhere(table: Table, strays: Strays) -> str:
    """Name the other columns with the same texts, which would be missing there too."""
    others = [
        shown(column.name)
        for column in table.columns
        if column.name != strays.column and any(column.code_of(label) >= 0 for label in strays.labels)
    ]
    more = f" and {len(others) - 3:,} more" if len(others) > 3 else ""
    named = f"{', '.join(others[:3])}{more}"
    return f" What is declared as missing is missing in every column, also in {named}." if others else ""


# ---- words among numbers or dates ---------------------------------------------------------


def _others(column: Column, known: Sequence[str], counts: Ints, decimal: str) -> Strays | None:
    """Find the cells whose form differs from most."""
    some = known[:: max(1, len(known) // SOME)]
    if numbers_of(known, decimal) is not None or (looks_like_dates(known) and formats_of(known)):
        return None
    best = max(
        (_read(form, known, some, words) for form, words in _forms(some, decimal)),
        key=lambda fit: int(counts[fit[0]].sum()),
        default=None,
    )
    if best is None or Bands.of(known) is not None:
        return None
    (fits, words), cells, every = best, int(counts[best[0]].sum()), int(counts.sum())
    rest = tuple(label for label, fit in zip(known, fits, strict=True) if not fit)
    if 2 * cells < every or np.count_nonzero(fits) < FEWEST or any(map(LEADING_ZERO.match, rest)):
        return None
    named = shown(column.name)
    if not rest:
        text = (
            f"The numbers of the column {named} have another decimal mark than the table, so the column is an "
            "unordered list. Choose the decimal mark (--decimal)."
        )
    else:
        others = every - cells
        text = (
            f"{cells:,} of {every:,} cells of the column {named} are {words}; {others:,} "
            f"{'is' if others == 1 else 'are'} not, so the column is an unordered list. Declare "
            f"{'that cell' if others == 1 else 'those cells'} as missing (--missing-tokens), or correct the file."
        )
    return Strays(column.name, text, rest)


Fits = Callable[[str], bool]


def _forms(some: Sequence[str], decimal: str) -> Iterable[tuple[Fits, str]]:
    """The most common forms of numbers and dates among some texts, each with its words."""
    for mark in (decimal, other_mark(decimal)):
        units = Counter(read.unit for label in some if (read := read_number(label, mark)) is not None)
        for unit, _ in units.most_common(1):
            yield _has_unit(mark, unit), "numbers with one unit" if unit else "numbers"
    form, most = max(
        ((form, sum(day_number(label, form) > 0 for label in some)) for form in FORMATS), key=lambda pair: pair[1]
    )
    if most:
        yield (lambda label: day_number(label, form) > 0), "dates in one format"


def _has_unit(mark: str, unit: str) -> Fits:
    def fits(label: str) -> bool:
        read = read_number(label, mark)
        return read is not None and read.unit == unit and bool(np.isfinite(read.value))

    return fits


def _read(
    fits: Fits, known: Sequence[str], some: Sequence[str], words: str
) -> tuple[np.ndarray[tuple[int], np.dtype[np.bool_]], str]:
    """Whether each text has a form; the test stops early if hardly any of a sample has it."""
    few = 10 * sum(map(fits, some)) < len(some)
    return np.array([False] * len(known) if few else [fits(label) for label in known]), words


# ---- codes for a missing value ---------------------------------------------------------------


def _codes(column: Column, known: Sequence[str], counts: Ints, decimal: str) -> Strays | None:
    """Find numbers or dates at the ends of a column that look like codes and are far from all others."""
    numbers = numbers_of(known, decimal)
    formats = formats_of(known) if looks_like_dates(known) else ()
    if len(formats) == 1:
        what, places = "dates", np.array([day_number(label, formats[0]) for label in known], dtype=np.float64)
        is_code: Callable[[float], bool] = _is_day_code
    elif numbers is not None:
        what, places, is_code = "numbers", numbers.values, _is_number_code
    else:
        return None
    values, place = np.unique(places, return_inverse=True)
    many: Floats = np.bincount(place, weights=counts).astype(np.float64)
    above = _far_off(values, many, is_code)
    below = _far_off(-values[::-1], many[::-1], lambda value: is_code(-value))
    first, last = below, len(values) - above
    apart = (place < first) | (place >= last)
    if not apart.any() or last - first < FEWEST:
        return None
    different, share = above + below, float(counts[apart].sum() / counts.sum())
    single = different == 1
    codes = f"one of the {what}" if single else f"{different} of the {what}"
    text = (
        f"{percent(share)} of the cells of the column {shown(column.name)} hold {codes} that many files write for a "
        "missing value, apart from all others, so its range is too long and the loss looks too small. If "
        f"{'it means' if single else 'they mean'} missing, say so (--missing-tokens)."
    )
    return Strays(column.name, text, tuple(label for label, away in zip(known, apart, strict=True) if away))


def _is_number_code(value: float) -> bool:
    return value.is_integer() and _CODES.fullmatch(str(int(value))) is not None


def _is_day_code(day: float) -> bool:
    that = date.fromordinal(int(day))
    return that.year in _CODE_YEARS and (that.month, that.day) in _CODE_DAYS


def _far_off(values: Floats, many: Floats, is_code: Callable[[float], bool]) -> int:
    """Number of codes at the end of rising values: far from the others, or much more common."""
    codes = next((n for n, value in enumerate(values[::-1]) if not is_code(value)), len(values))
    for number in range(codes, 0, -1):
        rest, end = values[:-number], len(values) - number
        if len(rest) < FEWEST:
            continue
        commoner = many[end:].min() >= max(FEWEST, MUCH_COMMONER * many[max(0, end - NEIGHBOURS) : end].max())
        if commoner or values[end] - rest[-1] > MUCH_FARTHER * np.diff(rest).max():
            return number
    return 0
