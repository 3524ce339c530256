"""Bands as values of a column: ``[10-20)``, ``(20,30]``, ``0-9``, ``<5``, ``65+``, as intervals of numbers.

Published health data give ages in bands, and a table of such bands is a table of intervals.
A column is *banded* if every value is a band or a number, at least one is a band, and no two have a number in common.
Then values have a natural order, neighbours are published as one interval (``[10-30)``), and another publisher's
``[40-60)`` is understood: a person in my ``[40-50)`` may be in it, because both have numbers in common.

What was decided:

- **Overlaps.** ``0-20`` and ``10-30``, and ``40-50`` and ``50-60``, both of which hold 50,
  have no order; such a column is not banded, and its values stay labels.
- **Gaps** are allowed. A run across a gap is published as one interval, which contains no more people.
- **Mixed forms** are allowed: each band has its own ends, so ``<5``, ``5-9``, ``[10-20)``, ``20+`` is one order.
- **Whole numbers.** ``0-9`` and ``10-19`` are completed years: 9.5 belongs to the first.
- **Leading zeros** (``01-05``) make texts codes, not bands, as for numbers.
- **Words** (``70 or older``, ``90 and over``, ``under 1``) are those of open bands, and a unit (``5-9 years``) is left
  out if every value has it. The labels stay as they are.
- **My bands, their other bands.** A region fits a band if they overlap: a person of 40 to 49 may
  be in ``[45-65)``. Leaving them out could make the attack look weaker than it is.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.data.tables.cell_syntax import OR_LESS, OR_MORE, OVER, UNDER, Range, comparison, interval
from core.data.tables.number_forms import tidy, unit_of
from core.data.tables.numbers import LEADING_ZERO, NUMBER

MOST_BANDS, LONGEST = 10_000, 60
_FORM = re.compile(
    r"(?P<open>[\[(\]]?)\s*(?P<low>[^\s\[\](),;–—]+?)\s*(?P<mark>-|–|—|\.\.|,|;| to )\s*"
    r"(?P<high>[^\s\[\](),;–—]+?)\s*(?P<close>[\])\[]?)"
)
_OPEN = (
    (re.compile(rf"(.*\d.*?)(?: ?\+| (?:and|or|&) (?:{OR_MORE})| plus)", re.IGNORECASE), ">="),
    (re.compile(rf"(.*\d.*?) (?:and|or|&) (?:{OR_LESS})", re.IGNORECASE), "<="),
    (re.compile(rf"(?:{UNDER}) (.*\d.*)", re.IGNORECASE), "<"),
    (re.compile(rf"(?:{OVER}) (.*\d.*)", re.IGNORECASE), ">"),
)
"""Words of open bands, and the equivalent sign."""
_UNIT = re.compile(r"(.*\d\]?\)?) ?([^\W\d_]+(?: old)?|%)")
_DIGIT = re.compile(r"\d")
_ZEROS = re.compile(r"(?<![\d.])0\d")


def _number(text: str) -> float | None:
    if not NUMBER.fullmatch(text):
        return None
    value = float(text)
    return value if math.isfinite(value) else None


def band(text: str) -> Range | None:
    """Interval of a band or a number, both ends included; ``None`` for any other text."""
    plain = _without_words(text)[0]
    if not _DIGIT.search(plain) or len(plain) > LONGEST or _ZEROS.search(plain) or LEADING_ZERO.match(plain):
        return None
    number = _number(plain)
    if number is not None:
        return number, number
    return comparison(plain, _number) or interval(plain, _number)


def _without_words(text: str) -> tuple[str, str]:
    """Replace the words of a band with signs; also return its unit, which is removed, or ""."""
    plain, sign = tidy(text[: LONGEST + 1]), ""
    for words, meaning in _OPEN:
        if match := words.fullmatch(plain):
            plain, sign = match[1].rstrip(), meaning
            break
    match = _UNIT.fullmatch(plain)
    unit = unit_of(match[2]) if match else None
    return sign + (match[1] if match and unit else plain), unit or ""


@dataclass(frozen=True)
class Bands:
    """The values of a banded column in their order.

    Parameters
    ----------
    labels
        Texts, from the lowest band to the highest.
    spans
        Interval of each, ends included; no two overlap.
    """

    labels: tuple[str, ...]
    spans: tuple[Range, ...]

    @classmethod
    def of(cls, labels: Sequence[str]) -> Bands | None:
        """Sort the values of a column; ``None`` if it is not a banded column; O(n log n)."""
        if not 2 <= len(labels) <= MOST_BANDS:
            return None
        pairs, unit = [], _without_words(labels[0])[1]
        for label in labels:
            span = band(label)
            if span is None or _without_words(label)[1] != unit:
                return None
            pairs.append((span, label))
        if all(low == high for (low, high), _ in pairs):
            return None  # plain numbers
        pairs.sort()
        spans = [span for span, _ in pairs]
        for at, ((low, high), (after, _)) in enumerate(pairwise(spans)):
            if high >= after:
                return None
            if float(low).is_integer() and float(high).is_integer() and after == high + 1:
                spans[at] = (low, math.nextafter(after, -math.inf))
        return cls(tuple(label for _, label in pairs), tuple(spans))

    @classmethod
    def in_order(cls, labels: Sequence[str]) -> Bands | None:
        """The bands of a declared order, if it is the order of the bands."""
        bands = cls.of(labels)
        return bands if bands is not None and bands.labels == tuple(labels) else None

    def touched(self, span: Range) -> tuple[int, int] | None:
        """First and last band that has a number in common with an interval."""
        hit = [i for i, (low, high) in enumerate(self.spans) if low <= span[1] and high >= span[0]]
        return (hit[0], hit[-1]) if hit else None

    def text(self, low: int, high: int) -> str | None:
        """One interval over a run of bands in the form they are written; ``None`` if there is none.

        Read again, it means exactly this run.
        """
        for text in self._forms(low, high):
            span = band(text)
            if span is not None and self.touched(span) == (low, high) and self._covers(span, low, high):
                return text
        return None

    def _covers(self, span: Range, low: int, high: int) -> bool:
        first, last = band(self.labels[low]), band(self.labels[high])
        return first is not None and last is not None and span[0] <= first[0] and span[1] >= last[1]

    def _forms(self, low: int, high: int) -> list[str]:
        first, last = self.labels[low].strip(), self.labels[high].strip()
        if low == high:
            return [first]
        start, two = _parts(first), _parts(last)
        if start is None and two is None:
            return []
        if two is None:  # 20-64, 65+
            assert start is not None
            begin = start["low"]
            return [f">{begin}"] if start["open"] in ("(", "]") else [f"{begin}+", f">={begin}"]
        if start is None:  # <5, 5-9
            return [f"<{two['high']}" if two["close"] in (")", "[") else f"<={two['high']}"]
        opens, closes = start["open"], two["close"]
        if opens or closes:
            opens, closes = opens or "[", closes or "]"
        marks = dict.fromkeys((start["mark"], two["mark"], "-", ", "))
        return [f"{opens}{start['low']}{mark}{two['high']}{closes}" for mark in marks]


def _parts(text: str) -> dict[str, str] | None:
    """Brackets, ends and what is between them; ``None`` for ``65+`` and ``<5``."""
    if NUMBER.fullmatch(text):
        return {"open": "", "low": text, "mark": "-", "high": text, "close": ""}
    match = _FORM.fullmatch(text)
    return None if match is None or text[:1] in "<>=≤≥" else match.groupdict()
