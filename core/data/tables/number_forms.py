"""Number formats of people and programs: units, separators, parentheses, a typographic minus, times.

A column is read as numbers if all of its cells have one form: the same unit (or none), and the same decimal mark.
The unit and the separators are then left out: ``034Y`` is 34, ``$2,300`` is 2300, ``14:38`` is 878 minutes.
Nothing is converted, so a column with ``5 months`` and ``2 years``, or with numbers and words, has no order.

What was decided:

- **Leading zeros** make a text a code (``01012``), except before a unit (``034Y``).
- **Parentheses** mean a minus, as accountants write it, unless every cell has them.
- **The decimal mark** is that of the table if it fits all cells; for cells with a unit also the other one:
  ``23,50 €`` among fields separated by commas has a decimal comma.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.base.arrays import Floats
from core.data.tables.numbers import LEADING_ZERO, is_rounded, looks_numeric, parse_numbers

_SPELLINGS = {
    "years": "y yr yrs year years yo y/o jahr jahre jahren an ans año años",
    "months": "mo mos mth mths month months monat monate mois",
    "weeks": "w wk wks week weeks woche wochen",
    "days": "d day days tag tage jour jours",
    "hours": "h hr hrs hour hours",
    "minutes": "min mins minute minutes",
    "seconds": "s sec secs second seconds",
    "%": "% percent",
    "$": "$ usd us$ dollar dollars",
    "€": "€ eur euro euros",
    "£": "£ gbp",
    "¥": "¥ jpy",
    "CHF": "chf",
    "kg": "kg",
    "g": "g",
    "mg": "mg",
    "lb": "lb lbs",
    "km": "km",
    "m": "m",
    "cm": "cm",
    "mm": "mm",
    "in": "in inch inches",
    "ft": "ft",
    "mmHg": "mmhg",
    "°C": "°c",
}
UNITS = {spelling: unit for unit, spellings in _SPELLINGS.items() for spelling in spellings.split()}
"""Unit of each spelling, in lower case."""
_DICOM = re.compile(r"(\d{3})([DWMY])")
"""An age as DICOM writes it (PS3.5, value representation AS); its M is months."""
_DICOM_UNITS = {"D": "days", "W": "weeks", "M": "months", "Y": "years"}
TIMES = "minutes"
"""Unit of times of day and durations."""
_TIME = re.compile(r"([+-]?)(\d{1,4}):([0-5]\d)(?::([0-5]\d(?:[.]\d+)?))?(?: ?([ap])\.?m\.?)?", re.IGNORECASE)
_DIGITS = {
    mark: rf"(?:[1-9]\d{{0,2}}(?:{group}\d{{3}})(?:{group}\d{{3}})*(?:{point}\d+)?|\d+(?:{point}\d*)?|{point}\d+)"
    for mark, group, point in ((".", "[, '’]", "[.]"), (",", "[. '’]", "[,]"))
}
_CURRENCY = r"(?:[$€£¥]|US\$|USD|EUR|GBP|CHF)"
_FORM = {
    mark: re.compile(
        rf"(?P<open>\()?(?P<sign>[+-]?)(?P<before>{_CURRENCY}?) ?(?P<second>[+-]?)(?P<digits>{digits})"
        r"(?P<exponent>[eE][+-]?\d{1,4})?(?: ?(?P<after>[^\d\s()+,.-][^\d()+,-]*?))?(?P<close>\))?",
        re.IGNORECASE,
    )
    for mark, digits in _DIGITS.items()
}
_PLAIN = str.maketrans({"\u2212": "-", "\u00a0": " ", "\u2009": " ", "\u202f": " "})


@dataclass(frozen=True)
class Reading:
    """One cell read as a number.

    Parameters
    ----------
    value
        The number.
    unit
        Its unit; "" if the cell has none.
    enclosed
        Whether it is in parentheses.
    """

    value: float
    unit: str = ""
    enclosed: bool = False


def tidy(text: str) -> str:
    """Replace typographic minus signs and spaces with plain ones."""
    return text.translate(_PLAIN).strip()


def unit_of(text: str) -> str | None:
    """Return the unit of a word or sign; "" for an empty text, ``None`` if it is not a unit."""
    word = text.strip().rstrip(".").lower().removesuffix(" old")
    return UNITS.get(word) if word else ""


def read_number(text: str, decimal: str = ".") -> Reading | None:
    """Read one cell with a decimal mark; ``None`` if it is not a number in any form."""
    tidied = tidy(text)
    if not any(letter.isdigit() for letter in tidied) or len(tidied) > 60:
        return None
    dicom = _DICOM.fullmatch(tidied)
    if dicom is not None:
        return Reading(float(dicom[1]), _DICOM_UNITS[dicom[2]])
    time = _TIME.fullmatch(tidied)
    if time is not None:
        return _time(time)
    match = _FORM[decimal].fullmatch(tidied)
    if match is None or bool(match["open"]) != bool(match["close"]) or (match["sign"] and match["second"]):
        return None
    before, after = unit_of(match["before"]), unit_of(match["after"] or "")
    if before is None or after is None or (before and after):
        return None
    unit = before or after
    if not unit and LEADING_ZERO.match(match["digits"]):
        return None
    digits = re.sub("[ '’]", "", match["digits"].replace("," if decimal == "." else ".", ""))
    written = digits.replace(",", ".") + (match["exponent"] or "")
    if is_rounded(written):
        return None
    value = float(written)
    minus = "-" in (match["sign"], match["second"])
    return Reading(-value if minus else value, unit, bool(match["open"]))


def _time(match: re.Match[str]) -> Reading | None:
    hours, half = int(match[2]), (match[5] or "").lower()
    if half and not 1 <= hours <= 12:
        return None
    hours = hours % 12 + 12 * (half == "p") if half else hours
    minutes = 60.0 * hours + int(match[3]) + float(match[4] or 0) / 60
    return Reading(-minutes if match[1] == "-" else minutes, TIMES)


@dataclass(frozen=True, eq=False)
class Numbers:
    """The cells of a column as numbers.

    Parameters
    ----------
    values
        (labels,) the numbers.
    unit
        Their unit; "" if the cells have none.
    plain
        Whether every cell is written as a plain number in the decimal mark of the table.
    """

    values: Floats
    unit: str = ""
    plain: bool = True


def numbers_of(labels: Sequence[str], decimal: str = ".") -> Numbers | None:
    """Read the texts of a column as numbers in one common form; ``None`` if there is none; O(labels).

    Parameters
    ----------
    labels
        Distinct texts, missing ones left out.
    decimal
        Decimal mark of the table.
    """
    some = labels[:: max(1, len(labels) // 100)]  # most columns of text fail here at once
    if looks_numeric(some, decimal) and looks_numeric(labels, decimal):
        return Numbers(parse_numbers(labels, decimal))
    for mark in (decimal, other_mark(decimal)):
        if _agree(some, mark) is not None and (numbers := _agree(labels, mark)) is not None:
            return numbers if numbers.unit or mark == decimal else None
    return None


def other_mark(decimal: str) -> str:
    """Return the other decimal mark."""
    return "," if decimal == "." else "."


def _agree(labels: Sequence[str], decimal: str) -> Numbers | None:
    readings = [read_number(label, decimal) for label in labels]
    known = [reading for reading in readings if reading is not None]
    if not known or len(known) < len(readings) or len({reading.unit for reading in known}) > 1:
        return None
    signed = not all(reading.enclosed for reading in known)
    values = np.array([-reading.value if signed and reading.enclosed else reading.value for reading in known])
    return Numbers(values, known[0].unit, plain=False) if bool(np.isfinite(values).all()) else None
