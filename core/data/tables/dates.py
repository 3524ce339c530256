"""Dates in cells: formats, days and published texts.

A day is a number: 1 for the first of January of year 1. A column writes its dates in one *format*, in
the notation of ``strptime``. A time of day and its zone may follow; the date counts as it is written. If the order of
day and month is ambiguous, nothing is guessed: the publisher says which comes first. Months may be names. Cells may
name only a month, a quarter or an ISO week: such a column is never published in days.

A published date is a day (``2024-03-09``), an ISO week (``2024-W10``), a month (``2024-03``), a quarter (``2024-Q1``)
or a year (``2024``), and a range of them is ``[2024-03 .. 2024-07]``, from the first day of the first to the last day
of the last.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Sequence
from datetime import date

import numpy as np

from core.base.errors import SchemaError
from core.base.errors import shown_name as shown
from core.data.tables.column import Column

UNITS = {"day": 0, "week": 0, "month": 1, "quarter": 3, "year": 12}
"""Units of published dates, and the months of each."""
COMPACT = "%Y%m%d"
WORDED = (
    *("%d %b %Y", "%d %b %y", "%b %d %Y", "%Y %b %d"),
    *("%b %Y", "%b-%y", "%Y %b", "%Y-%m", "%Y/%m", "%m/%Y", "%m-%Y", "%m.%Y"),
    *("%Y Q%q", "Q%q %Y", "%G W%V"),
)
"""Forms with the name of a month (``%b``), and of months, quarters (``%q``) and ISO weeks.

A space means any separator, or none.
"""
FORMATS = (
    *(
        order.replace("-", mark)
        for order in ("%Y-%m-%d", "%d-%m-%Y", "%m-%d-%Y", "%d-%m-%y", "%m-%d-%y")
        for mark in "-./"
    ),
    COMPACT,
    *WORDED,
)
"""Date formats of a column. Two-digit years are 1969 to 2068."""
_PARTS = {"%Y": "(?P<year>[0-9]{4})", "%y": "(?P<year>[0-9]{2})", "%m": "(?P<month>[0-9]{1,2})"}
_PARTS["%d"] = "(?P<day>[0-9]{1,2})"
_PARTS |= {"%b": r"(?P<name>[^\W\d_]{3,10})\.?", "%q": "(?P<quarter>[1-4])"}
_PARTS |= {"%G": _PARTS["%Y"], "%V": "(?P<week>[0-9]{1,2})"}
_SEPARATED = "[-./, ]{0,2}"
_NAMES = (
    "january february march april may june july august september october november december",
    "januar februar märz april mai juni juli august september oktober november dezember",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "jan feb mar apr may jun jul aug sept oct nov dec",
    "janv févr mrz avr mai juin juil août sep okt nov dez",
)


def _month_names() -> dict[str, int]:
    """Number of each month by its names in English, German, French and Spanish, and by their beginnings."""
    pairs = [(name, month) for names in _NAMES for month, name in enumerate(names.split(), start=1)]
    begins: dict[str, set[int]] = {}
    for name, month in pairs:
        begins.setdefault(name[:3], set()).add(month)
    return dict(pairs) | {begin: months.pop() for begin, months in begins.items() if len(months) == 1}


MONTHS = _month_names()
_TIME = (
    r"(?:(?:T| +)[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?(?: ?[AaPp][Mm])?"
    r"(?: ?(?:Z|UTC|[+-][0-9]{2}(?::?[0-9]{2})?))?)?"
)
_LIKE_A_DATE = re.compile(
    r"(?:[0-9]{4}([-/.])[0-9]{1,2}\1[0-9]{1,2}|[0-9]{1,2}([-/.])[0-9]{1,2}\2(?:[0-9]{2}){1,2})(?:[T ].*)?"
)
_PUBLISHED = re.compile(r"([0-9]{4})(?:-(?:Q([1-4])|W([0-9]{2})|([0-9]{2})(?:-([0-9]{2}))?))?")
_STARS = re.compile(r"(-\*+)+\Z")
EARLIEST, LATEST = date(1800, 1, 1).toordinal(), date(2200, 1, 1).toordinal()
"""Range of days in which a month without a name, a quarter or a week is recognised."""
SOME = 500
"""Number of texts of a column that are tested for dates."""


def _pattern(form: str) -> re.Pattern[str]:
    """Pattern of a text in a format; without separators, day and month have two digits."""
    text = re.escape(form)
    if form in WORDED:
        # Two numbers next to each other need something in between.
        text = text.replace(r"%d\ %Y", "%d[-./, ]{1,2}%Y").replace(r"\ ", _SEPARATED)
    for mark, part in _PARTS.items():
        # Neither 2001-2 nor the number 3.2023 is a month.
        short = form in (COMPACT, "%Y-%m", "%Y/%m", "%m.%Y")
        text = text.replace(mark, part.replace("{1,2}", "{2}") if short else part)
    return re.compile(text + (_TIME if "%d" in form else ""), re.IGNORECASE)


_PATTERNS = {form: _pattern(form) for form in FORMATS}


def looks_like_dates(labels: Sequence[str]) -> bool:
    """Whether nearly all texts look like a date, such as 2024-01-31, and most are one.

    All must for forms such as 20240131.
    """
    some = [label.strip() for label in labels[:: max(1, len(labels) // SOME)] if label.strip()]
    like = [label for label in some if _LIKE_A_DATE.fullmatch(label) or _is_worded(label)]
    compact = all("1800" <= label[:4] < "2200" and day_number(label, COMPACT) for label in some)
    real = sum(bool(formats_of([label])) for label in like)
    return bool(some) and (compact or (len(like) >= 0.9 * len(some) and real >= 0.5 * len(like)))


def _is_worded(label: str) -> bool:
    """Whether a text names a month, or a month, quarter or week of a plausible year."""
    return any(EARLIEST <= day_number(label, form) < LATEST for form in WORDED)


def day_number(text: str, form: str) -> int:
    """Day of a text in a format, the first day of a longer period; 0 if the calendar has no such day."""
    match = _PATTERNS[form].fullmatch(text.strip())
    if match is None:
        return 0
    part = match.groupdict()
    year = int(part["year"])
    if "%y" in form:
        year += 1900 if year >= 69 else 2000
    try:
        if "week" in part:
            return date.fromisocalendar(year, int(part["week"]), 1).toordinal()
        month = MONTHS.get(part["name"].lower(), 0) if "name" in part else 3 * int(part.get("quarter", 0)) - 2
        return date(year, int(part.get("month", month)), int(part.get("day", 1))).toordinal()
    except ValueError:
        return 0


def in_form(day: int, form: str) -> str:
    """Write a day in a format."""
    that = date.fromordinal(day)
    return that.strftime(form.replace("%q", str((that.month + 2) // 3)))


def unit_of_form(form: str) -> str:
    """Unit of the dates that a format writes."""
    return next((unit for mark, unit in (("%d", "day"), ("%V", "week"), ("%q", "quarter")) if mark in form), "month")


def units_for(form: str) -> tuple[str, ...]:
    """Units that dates of a format can be published in: coarser ones; for weeks only weeks."""
    own = unit_of_form(form)
    return tuple(
        unit for unit in UNITS if own in (unit, "day") or ("week" not in (unit, own) and UNITS[unit] > UNITS[own])
    )


def formats_of(labels: Iterable[str]) -> tuple[str, ...]:
    """Formats in which every text is a date: two if day and month can be swapped."""
    fitting = FORMATS
    for label in labels:
        fitting = tuple(form for form in fitting if day_number(label, form))
        if not fitting:
            break
    return fitting


def days_of(column: Column, known: Sequence[str], declared: str | None) -> tuple[list[int], str]:
    """Days of the known texts of a column, in the declared format or the only one that fits them all.

    Returns
    -------
    days, form
        The first day of each text, and the format.

    Raises
    ------
    SchemaError
        If a text is not a date of the calendar, the column has several formats, or the order of day and month is
        ambiguous; the message names the record, never a cell.
    """
    fitting = (declared,) if declared else formats_of(known)
    name = shown(column.name)
    if len(fitting) > 1:
        first, other = fitting
        raise SchemaError(
            f"The dates in {name} can be read with the day or with the month first; say which comes first with the "
            f"date format {first} or {other} (--date-format).",
            parameter=column.name,
        )
    form = fitting[0] if fitting else max(FORMATS, key=lambda each: sum(day_number(text, each) > 0 for text in known))
    days = [day_number(text, form) for text in known]
    wrong = [text for text, day in zip(known, days, strict=True) if not day]
    if wrong:
        codes = [code for code, label in enumerate(column.labels) if label in set(wrong)]
        record = int(np.flatnonzero(np.isin(column.codes, codes))[0])
        otherwise = not declared and formats_of([column.labels[column.codes[record]]])
        fault = "is written in another format than" if otherwise else "is no date of the calendar in the format"
        raise SchemaError(
            f"Record {record + 1:,} of the date column {name} {fault} {form}; correct it, declare it as missing, or "
            "choose the column type categorical.",
            parameter=column.name,
        )
    return days, form


def published_unit(name: str, form: str, wanted: str) -> str:
    """Unit that a column of a format is published in: the requested one, or that of its cells if coarser.

    Raises
    ------
    SchemaError
        If weeks should become months or years, or the reverse: a week may lie in two of them.
    """
    possible = units_for(form)
    if wanted in possible:
        return wanted
    if "week" in (wanted, possible[0]) and wanted != "day":
        raise SchemaError(
            f"The dates of {shown(name)} are {possible[0]}s, which cannot be turned into {wanted}s; leave out the "
            f"unit.",
            parameter=name,
        )
    return possible[0]


def first_day(day: int, unit: str) -> int:
    """First day of the week, month, quarter or year that a day is in; the day itself for the unit day."""
    that = date.fromordinal(day)
    if unit in ("day", "week"):
        return day - (that.weekday() if unit == "week" else 0)
    return date(that.year, (that.month - 1) // UNITS[unit] * UNITS[unit] + 1, 1).toordinal()


def text_of(day: int, unit: str) -> str:
    """Published text of the unit that a day is in."""
    that = date.fromordinal(day)
    month = f"{that.year:04d}-{that.month:02d}"
    texts = {"month": month, "quarter": f"{that.year:04d}-Q{(that.month + 2) // 3}", "year": f"{that.year:04d}"}
    if unit == "week":
        year, week, _ = that.isocalendar()
        return f"{year:04d}-W{week:02d}"
    return texts.get(unit, that.isoformat())


def unit_of(text: str) -> str:
    """Unit of a published date."""
    named = {"Q": "quarter", "W": "week"}.get(text[5:6])
    return named or {4: "year", 7: "month"}.get(len(text), "day")


def span_of(text: str) -> tuple[int, int] | None:
    """First and last day of a published date, also with stars such as 2024-03-**; ``None`` for any other text."""
    match = _PUBLISHED.fullmatch(_STARS.sub("", text))
    if match is None or (match[5] and text != match[0]):
        return None
    year, quarter, week, month, day = match.groups()
    first_month = int(month or 3 * int(quarter or 1) - 2)
    last_month = first_month + (0 if month else 2 if quarter else 11)
    try:
        if week:
            monday = date.fromisocalendar(int(year), int(week), 1).toordinal()
            return monday, min(monday + 6, date.max.toordinal())
        first = date(int(year), first_month, int(day or 1))
        last = first if day else date(first.year, last_month, monthrange(first.year, last_month)[1])
    except ValueError:
        return None
    return first.toordinal(), last.toordinal()


def run_text(low: str, high: str) -> str:
    """Text of the days from one published date to another; a single date if it covers exactly these."""
    first, last = span_of(low), span_of(high)
    if first is not None and last is not None:
        for text in (text_of(first[0], unit) for unit in UNITS):
            if span_of(text) == (first[0], last[1]):
                return text
    return f"[{low} .. {high}]"


def has_short_years(known: Sequence[str], declared: str | None) -> bool:
    """Whether the years of some texts have two digits, in a declared format or in any that fits."""
    return any("%y" in form for form in ((declared,) if declared else formats_of(known)))
