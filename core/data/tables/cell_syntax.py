"""The syntax of generalised cells: sets, comparisons, intervals and masks, independent of their values.

Ends are looked up by a function that returns their place on a line (a number, a rank) or
``None``. Texts that cannot be read, or can be read in two ways, give ``None``.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator

Range = tuple[float, float]
"""Lowest and highest position, both included; an open end is the next float."""
Place = Callable[[str], float | None]

UNDER, OVER = "under|below|less than|fewer than|younger than", "over|above|more than|older than|greater than"
OR_MORE, OR_LESS = "over|older|above|more|up|upwards?|greater", "under|younger|below|less|fewer"
"""Words for ``<``, ``>``, ``>=`` and ``<=``, as alternatives of a pattern."""
MISSING_MARK = re.compile(r"\(+missing\)+")
OR_MISSING = re.compile(r"(?P<rest>.+) or (?P<mark>\(+missing\)+)", re.DOTALL)
_COMPARISON = re.compile(r"(<=|=<|≤|⩽|<|>=|=>|≥|⩾|>)\s*(.+)", re.DOTALL)
_BRACKETS = re.compile(r"([\[(\]])(.*)([\])\[])", re.DOTALL)
_NUMBER_MASK = re.compile(r"([+-]?)(\d+)(\*+)")
_INNER_MASK = re.compile(r"[+-]?[\d*]+")
_DOTS = re.compile(r"\s*\.\.\s*")
_ELEMENT = re.compile(r'\s*+(?:("(?:[^"\\]|\\.)*+")\s*+|([^",][^,]*+))(,|\Z)', re.DOTALL)
"""One element of a set, quoted or not, with the comma after it."""
_ENDS = {"inf": math.inf, "+inf": math.inf, "-inf": -math.inf, "∞": math.inf, "+∞": math.inf, "-∞": -math.inf}
_BETWEEN = ("..", "…", "–", "—", " to ", "-")
_BETWEEN_IN_BRACKETS = (*_BETWEEN, ",", ";")
_CALL = re.compile(r"(?:frozenset|set)\s*\((.*)\)", re.DOTALL)
_QUOTED = re.compile(
    r"""\s*+(?:np\.str_\()?('(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+")\)?\s*+(?:,\s*+|(?=['"])|\Z)""", re.DOTALL
)
"""One quoted item of a list, with the comma after it; numpy writes none."""
BRACKETS = ("{}", "()", "[]")
SEPARATORS = (",", ";", "|", "/", "&", "+", " or ", " and ")
"""Separators that programs write between the values of a set."""
WITHHELD = frozenset(
    [
        *("", "na", "n/a", "#n/a", "n.a.", "<na>", "nan", "null", ".", "..", "-", "--", "?"),
        *("—", "–", "(null)", "<suppressed>", "(suppressed)", "[suppressed]", "[redacted]", "<redacted>"),
        *("suppressed", "withheld", "masked", "redacted", "hidden", "any", "all"),
        *("not available", "not disclosed"),
    ]
)
"""Marks that programs write for a withheld value, in lower case; stars are always understood.

Not *unknown*, *none* or *missing*: they may be values, and a withheld value rules nothing out for its class.
"""
STARTERS = ("=", "+", "-", "@", "\t", "\r")
LONGEST_INTERVAL = 2_000
MOST_STARS = 15


def unescaped(text: str) -> str:
    """Remove the apostrophe that keeps a spreadsheet from running a cell (core.data.tables.csv_export.harmless)."""
    return text[1:] if text.startswith("'") and text[1:].startswith(STARTERS) else text


def unquoted(text: str) -> str | None:
    """Return the text of a JSON string, ``None`` for anything else."""
    if len(text) < 2 or text[0] != '"' or text[-1] != '"':
        return None
    try:
        label = json.loads(text)
    except ValueError:
        return None
    return label if isinstance(label, str) else None


def elements(text: str) -> list[tuple[str, bool]] | None:
    """Elements of ``{A, "B, C"}``, each with whether it was quoted; ``None`` for anything else; O(length)."""
    if len(text) < 2 or text[0] != "{" or text[-1] != "}":
        return None
    body, at, is_open = text[1:-1], 0, True
    parts: list[tuple[str, bool]] = []
    while is_open:
        match = _ELEMENT.match(body, at)
        if match is None:
            return None
        quoted, plain, comma = match.groups()
        value = plain.strip() if quoted is None else unquoted(quoted)
        if value is None:
            return None
        parts.append((value, quoted is not None))
        at, is_open = match.end(), bool(comma)
    return parts


def is_star(text: str) -> bool:
    """Whether a cell is ``*``, of any length: every value."""
    return bool(text.strip()) and not text.strip().strip("*")


def is_withheld(text: str) -> bool:
    """Whether a cell is one of the usual marks of a withheld value, other than stars."""
    return text.strip().casefold() in WITHHELD


def quoted_items(text: str) -> list[str] | None:
    """Items, still in quotes, of ``['A', "B"]``, ``('A',)``, ``{'A'}``, ``frozenset({'A', 'B'})``; else ``None``."""
    body, at, items = _within(text), 0, list[str]()
    while body and at < len(body):
        match = _QUOTED.match(body, at)
        if match is None:
            return None
        items.append(match[1])
        at = match.end()
    return items or None


def within_quotes(item: str) -> str:
    """The text of one item of :func:`quoted_items`."""
    label = unquoted(item)
    return re.sub(r"\\(.)", r"\1", item[1:-1]) if label is None else label


def splits(text: str, separators: tuple[str, ...], brackets: tuple[str, ...]) -> Iterator[tuple[str, list[str]]]:
    """Ways to split a text at one separator, without its brackets; a lone text in brackets, too."""
    body = _within(text, brackets)
    for separator in separators:
        parts = [part.strip() for part in (text if body is None else body).split(separator)]
        if len(parts) > 1 and all(parts):
            yield separator, parts
    if body is not None and body.strip():
        yield "", [body.strip()]


def _within(text: str, brackets: tuple[str, ...] = BRACKETS) -> str | None:
    """Text between two brackets; ``None`` if there are none."""
    call = _CALL.fullmatch(text)
    inner = text if call is None else call[1].strip()
    return inner[1:-1] if len(inner) > 1 and inner[0] + inner[-1] in brackets else None


def comparison(text: str, place: Place, last: Place | None = None) -> Range | None:
    """Read ``<30``, ``<=30``, ``≥40`` and the like; ``last`` as for :func:`interval`."""
    match = _COMPARISON.fullmatch(text)
    if match is None:
        return None
    mark = match[1]
    end = (place if mark in ("<", ">=", "=>", "≥", "⩾") else last or place)(match[2].strip())
    if end is None:
        return None
    if mark == "<":
        return -math.inf, math.nextafter(end, -math.inf)
    if mark == ">":
        return math.nextafter(end, math.inf), math.inf
    return (-math.inf, end) if mark in ("<=", "=<", "≤", "⩽") else (end, math.inf)


def interval(text: str, place: Place, last: Place | None = None) -> Range | None:
    """Read ``[20-30]``, ``(20,30]``, ``[20, 30[``, ``20-30``, ``[low .. high]``.

    Every separator is tried; ``None`` if two of them give different intervals, or the
    interval is empty. If an end is itself a span, as a month is, ``place`` is that of its
    first and ``last`` that of its last point.
    """
    last = last or place
    if len(text) > LONGEST_INTERVAL:
        return None
    match = _BRACKETS.fullmatch(text)
    if match is None:
        ends = _split(text, _BETWEEN, place, last)
        open_low = open_high = False
    else:
        open_low, open_high = match[1] in "(]", match[3] in ")["
        low_of, high_of = last if open_low else place, place if open_high else last
        ends = _split(match[2], _BETWEEN_IN_BRACKETS, _or_infinite(low_of), _or_infinite(high_of))
    if ends is None:
        return None
    low, high = ends
    low = math.nextafter(low, math.inf) if open_low and math.isfinite(low) else low
    high = math.nextafter(high, -math.inf) if open_high and math.isfinite(high) else high
    return (low, high) if low <= high else None


def label_run(text: str) -> tuple[str, str] | None:
    """Read ``["A" .. "Z"]``: the labels from the first to the last; both are quoted."""
    if text[:2] != '["' or text[-2:] != '"]':
        return None
    body, decoder = text[1:-1], json.JSONDecoder()
    try:
        low, end = decoder.raw_decode(body)
        middle = _DOTS.match(body, end)
        high = json.loads(body[middle.end() :]) if middle else None
    except ValueError:
        return None
    return (low, high) if isinstance(high, str) and low <= high else None


def _or_infinite(place: Place) -> Place:
    return lambda end: _ENDS.get(end.lower(), place(end))


def _split(body: str, separators: tuple[str, ...], low_of: Place, high_of: Place) -> Range | None:
    readings: set[Range] = set()
    for separator in separators:
        at = body.find(separator)
        while at >= 0:
            low, high = low_of(body[:at].strip()), high_of(body[at + len(separator) :].strip())
            if low is not None and high is not None:
                readings.add((low, high))
            at = body.find(separator, at + 1)
    return readings.pop() if len(readings) == 1 else None


def number_mask(text: str) -> Range | None:
    """Read ``3*`` as 30 to below 40, ``130**`` as 13000 to below 13100.

    Each star is one digit, so ``3*`` holds the two-digit numbers that begin with 3.
    """
    match = _NUMBER_MASK.fullmatch(text)
    if match is None or len(match[3]) > MOST_STARS or len(match[2]) > MOST_STARS:
        return None
    step = 10 ** len(match[3])
    low = float(int(match[2]) * step)
    high = math.nextafter(low + step, 0.0)
    return (-high, -low) if match[1] == "-" else (low, high)


def inner_mask(text: str) -> bool:
    """Whether a text is digits and stars, such as ``1*3**`` or ``**012``."""
    return "*" in text and _INNER_MASK.fullmatch(text) is not None
