"""Generalised numbers in words, and masks of codes, in the forms that :mod:`core.release.published.cell_reader` reads.

The table :data:`SPELLINGS` is the one list of forms; docs/files.md and the tests are made from it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property

from core.data.tables.cell_syntax import OR_LESS, OR_MORE, OVER, UNDER
from core.data.tables.number_forms import read_number, tidy, unit_of

UNITS = frozenset(("", "years", "%", "$", "€", "£", "¥", "CHF"))
"""Units that may follow their numbers; any other, such as months, could have a different scale from mine."""


@dataclass(frozen=True)
class Spelling:
    """One form.

    Parameters
    ----------
    pattern
        What is matched, ignoring case; N is a number with or without a unit.
    plain
        The same in a form of this program.
    examples
        Cells with their meanings.
    """

    pattern: str
    plain: str
    examples: tuple[tuple[str, str], ...]

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The pattern, for whole cells."""
        return re.compile(self.pattern.replace("N", r"([^\s\[\]()<>=*]*\d[^\[\]()<>=*]*?)"), re.IGNORECASE)


DECADE = "decade"
"""A number with zeros and an s at its end: 1900s may mean ten or a hundred years, so both are kept."""
_AND = r"\s*(?:and|or|&)\s*"
SPELLINGS = (
    Spelling(rf"(?:{UNDER})\s+N", "<{}", (("under 20", "<20"), ("less than 1,000", "<1000"))),
    Spelling(rf"(?:{OVER})\s+N", ">{}", (("over 90", ">90"), ("older than 89 years", ">89"))),
    Spelling(rf"(?:up to|at most)\s+N|N{_AND}(?:{OR_LESS})", "<={}", (("up to 20", "<=20"), ("17 and under", "<=17"))),
    Spelling(
        rf"(?:at least|from)\s+N|N{_AND}(?:{OR_MORE})|N\s*(?:plus|\+)",
        ">={}",
        (("70 or Older", ">=70"), ("90 and over", ">=90"), ("120 +", ">=120"), ("90+ years", ">=90")),
    ),
    Spelling(r"<\s*N", "<{}", (("<5 years", "<5"),)),
    Spelling(r"(?:<=|≤)\s*N", "<={}", (("<= 17 y", "<=17"),)),
    Spelling(r">\s*N", ">{}", ((">89 years", ">89"),)),
    Spelling(r"(?:>=|≥)\s*N", ">={}", (("≥ 65 ans", ">=65"),)),
    Spelling(r"(\d+)[’']?s", DECADE, (("20s", "2*"), ("1990s", "199*"))),
    Spelling(r"(\d+)([x#]+)", "{}*", (("2X", "2*"), ("13##", "13**"))),
    Spelling(
        r"(?:between|from)\s+N\s+(?:and|to)\s+N|\[N:N\]|N\s*(?:_|~|through|thru|until)\s*N|N\s+to\s+N|N\s*[-–—]\s*N",
        "[{}, {}]",
        (
            ("20-29 years", "[20, 29]"),
            ("between 20 and 29", "[20, 29]"),
            ("[20:29]", "[20, 29]"),
            ("20_29", "[20, 29]"),
            ("20~29", "[20, 29]"),
            ("1,000-2,000", "[1000, 2000]"),
            ("10%-20%", "[10, 20]"),
            ("$1,000 to $1,999", "[1000, 1999]"),
        ),
    ),
    Spelling(r"Interval\(N, N, closed='right'\)", "({}, {}]", (("Interval(20, 30, closed='right')", "(20, 30]"),)),
    Spelling(r"Interval\(N, N, closed='left'\)", "[{}, {})", (("Interval(20, 30, closed='left')", "[20, 30)"),)),
    Spelling(r"Interval\(N, N, closed='both'\)", "[{}, {}]", (("Interval(20, 30, closed='both')", "[20, 30]"),)),
    Spelling(r"Interval\(N, N, closed='neither'\)", "({}, {})", (("Interval(20, 30, closed='neither')", "(20, 30)"),)),
)
_NAME = re.compile(r"(?:ages?|aged)\s+(?=[\d<>≤≥\[(a-z])", re.IGNORECASE)
"""A word before ages: ``Age 20-29``."""
_STARS = str.maketrans("xX#", "***")


def plain_forms(cell: str, decimal: str = ".") -> tuple[str, ...]:
    """Every possible meaning of the cell, in forms of this program; none for other spellings; O(length)."""
    text = " ".join(tidy(cell).split())
    if len(text) > 80:
        return ()
    text = _NAME.sub("", text, count=1) if _NAME.match(text) else text
    head, _, last = text.rpartition(" ")
    if unit_of(last) in UNITS - {""} and not read_number(head, decimal):
        text = head
    for spelling in SPELLINGS:
        match = spelling.compiled.fullmatch(text)
        ends = [end for end in match.groups() if end is not None] if match else []
        if not ends:
            continue
        if spelling.plain == DECADE:
            zeros = len(ends[0]) - len(ends[0].rstrip("0"))
            return tuple(ends[0][:-many] + "*" * many for many in range(1, min(zeros, len(ends[0]) - 1) + 1))
        if "*" in spelling.plain:
            return (ends[0] + "*" * len(ends[1]),)
        numbers = [_number(end, decimal) for end in ends]
        known = [number for number in numbers if number is not None]
        if len(known) == len(ends):
            return (spelling.plain.format(*known),)
    number = _number(text, decimal)
    return () if number is None else (number,)


def _number(text: str, decimal: str) -> str | None:
    """A number with a unit, separators of thousands or an age, written plainly; "," is its decimal mark if mine is."""
    reading = read_number(text.strip(), decimal)
    if reading is None or reading.unit not in UNITS or reading.enclosed or not math.isfinite(reading.value):
        return None
    plain = str(int(reading.value)) if reading.value == int(reading.value) else repr(reading.value)
    return plain.replace(".", decimal)


# ---- codes of one length, such as postal codes ---------------------------------------------


ZIP = 5
"""Digits of a ZIP code, which four more may follow."""
LENGTHS = range(3, 41)
"""Digits of a code."""
MOST_PREFIXES = 1_000


@dataclass(frozen=True)
class Codes:
    """How codes of digits, all of one length in my table, are read in theirs.

    Parameters
    ----------
    width
        Number of digits of each of my values.
    short
        Meaning of fewer digits: ``"prefix"``, the first ones, ``"zeros"``, the last ones after zeros that were lost, or
        "" if that is unclear, so that both are possible.
    """

    width: int
    short: str = ""

    def plain_form(self, cell: str) -> tuple[str, ...]:
        """The cell as masks and codes of full length; none if it is written so, or is not such a code."""
        text = cell.strip().translate(_STARS)
        plus_four = re.fullmatch(r"(\d{5})-(?:\d{4}|\*{4})", text) if self.width == ZIP else None
        if plus_four:
            return (plus_four[1],)
        run = re.fullmatch(r"(\d+)\s*(?:-|–|to)\s*(\d+)", text)
        if run and len(run[1]) == len(run[2]) < self.width and 0 <= int(run[2]) - int(run[1]) < MOST_PREFIXES:
            each = (f"{number:0{len(run[1])}d}" for number in range(int(run[1]), int(run[2]) + 1))
            return tuple(code for digits in each for code in self.plain_form(digits))
        mask = re.fullmatch(r"(\d+)(\**)", text)
        if mask is None or len(text) > self.width or (text == cell and len(text) == self.width):
            return ()
        digits, stars = mask.groups()
        prefix, full = digits + "*" * (self.width - len(digits)), digits.zfill(self.width)
        if stars:
            return (prefix,)
        return {"prefix": (prefix,), "zeros": (full,)}.get(self.short, (prefix, full))


def codes_of(labels: Collection[str], cells: Iterable[str]) -> Codes | None:
    """How to read their cells as codes like mine.

    ``None`` if mine are not codes of one length among :data:`LENGTHS`. Shorter codes are first
    digits if all have the same length and each begins one of mine. They are last digits if each becomes one of
    mine with zeros before it.
    """
    widths = {len(label) for label in labels}
    if len(widths) != 1 or not all(label.isascii() and label.isdigit() for label in labels):
        return None
    width = widths.pop()
    if width not in LENGTHS:
        return None
    short = [cell.strip() for cell in cells if re.fullmatch(r"\d+", cell.strip()) and len(cell.strip()) < width]
    prefixes = {label[: len(each)] for label in labels for each in short}
    if not short:
        return Codes(width)
    begins = len({len(each) for each in short}) == 1 and all(each in prefixes for each in short)
    known = set(labels)
    padded = all(each.zfill(width) in known for each in short)
    return Codes(width, "prefix" if begins and not padded else "zeros" if padded and not begins else "")
