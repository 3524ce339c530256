"""A table of counts as a release: its groups are classes, and a value that is not counted as zero is possible.

A cell is an interval of counts: a number, ``<5``, ``1-4``, or a mark whose meaning its publisher says. So is a
combination that the file lacks. Totals narrow the intervals. A value is possible for somebody in a group when the upper
end is 1 or more, so the true value is always possible [definitions §4].
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
from msgspec import Struct

from core.base.arrays import Bools, Floats, Ints
from core.base.errors import InputError, ParameterError
from core.base.errors import shown_name as shown
from core.data.tables.cell_syntax import is_withheld
from core.data.tables.column import Column
from core.data.tables.table import Table

Mark = Literal["zero", "masked", "either"]
Rounding = Literal["nearest", "up", "down", "random"]
Totals = Literal["one", "most", "several"]
TOTALS = frozenset(
    ("total", "totals", "all", "overall", "sum", "any", "both", "*", "gesamt", "insgesamt", "alle", "summe")
)
"""Cells, folded, that stand for every value of a column."""
_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+|\d{1,12}(?:\.0+)?")
_BELOW = re.compile(r"(<=?|≤)\s*(\d{1,9})")
_FROM = re.compile(r"(?:(>=?|≥)\s*(\d{1,9}))|(?:(\d{1,9})\s*\+)")
_BETWEEN = re.compile(r"(\d{1,9})\s*(?:-|–|to|\.\.)\s*(\d{1,9})")
_MARKS = frozenset("*xsc.-–:~") | {"..", "...", "**", "***", "suppressed", "masked", "hidden"}


class CountRules(Struct, frozen=True, forbid_unknown_fields=True):
    """What the publisher says about a table of counts.

    Parameters
    ----------
    absent
        What a combination of a group and a value means that the file lacks: no one, a masked count, or either.
    blank, mark
        The same of an empty cell, and of ``*``, ``x``, ``s`` and the like.
    below
        Counts below this number are masked; 0 if nobody said, then it is that of the file's own ``<5``.
    rounded
        Base that counts are rounded to; 1 for none.
    rounding
        How they are rounded.
    totals
        In how many of the cells that are shown a person of a total is counted: exactly one, at most one, or several.

    Raises
    ------
    ParameterError
        If a number is negative or too large.
    """

    absent: Mark | None = None
    blank: Mark | None = None
    mark: Mark | None = None
    below: int = 0
    rounded: int = 1
    rounding: Rounding = "nearest"
    totals: Totals = "several"

    def __post_init__(self) -> None:
        """Check the numbers."""
        for name, least in (("below", 0), ("rounded", 1)):
            if not least <= getattr(self, name) <= 1_000_000:
                raise ParameterError(f"{name} of a table of counts must be from {least} to 1,000,000.", parameter=name)


_CHOICES = {"absent": Mark, "blank": Mark, "mark": Mark, "rounding": Rounding, "totals": Totals}


def rules_of(text: str) -> CountRules:
    """Read rules as the gate takes them: ``absent=masked, below=5, rounded=5``.

    Raises
    ------
    ParameterError
        If a part is not of this form, or a name or value is not known.
    """
    given: dict[str, str | int] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, is_there, value = (word.strip() for word in part.partition("="))
        known = get_args(_CHOICES[name]) if name in _CHOICES else ()
        if name in ("below", "rounded") and value.isdecimal():
            given[name] = int(value)
        elif value in known:
            given[name] = value
        else:
            able = f"{name}={'|'.join(known)}" if known else ", ".join((*_CHOICES, "below", "rounded"))
            raise ParameterError(
                f"A rule of a table of counts cannot be read{'' if is_there else ' without ='}; there are: {able}.",
                parameter="counts",
            )
    return CountRules(**given)  # type: ignore[arg-type]


def lengthened(table: Table, values: Sequence[str], header: str, count: str) -> Table:
    """A table with one column of counts for each value as one row per group and value; others stay as they are."""
    known = set(values)
    wide = [column for column in table.columns if column.name in known]
    if len(wide) < 2:
        return table
    rows, many = len(table), len(wide)
    kept = [column.take(np.repeat(np.arange(rows), many)) for column in table.columns if column.name not in known]
    named = Column.from_codes(header, [column.name for column in wide], np.tile(np.arange(many), rows))
    labels, codes = np.unique(np.stack([column.texts() for column in wide], axis=1).ravel(), return_inverse=True)
    return Table((*kept, named, Column.from_codes(count, labels.tolist(), codes)), table.decimal, table.read_info)


def possible_rows(
    table: Table, groups: Sequence[str], sensitive: str, count: str, values: Sequence[str], rules: CountRules
) -> tuple[Table, int]:
    """Groups and the values that are possible in each, as a release with a column of counts.

    Parameters
    ----------
    table
        One row per group and value, and perhaps rows of totals.
    groups, sensitive, count
        Their headers of the quasi-identifiers, of the sensitive value and of the count.
    values
        Sensitive values that a group may have although the file does not name them: mine, in their words.
    rules
        What the publisher says.

    Returns
    -------
    Table
        A row for each possible pair, whose count is the middle of its interval, 1 at least.
    int
        Row of the first total that the cells contradict, from 1; 0 if none does. Totals are not used then.

    Raises
    ------
    InputError
        If a count cannot be read, a combination occurs twice, or what a mark means has to be said.
    """
    columns = [table.column(name) for name in (*groups, sensitive)]
    every = [_totals(column) for column in columns]
    is_total = np.any(every, axis=0)
    cells = np.flatnonzero(~is_total)
    low, high, below = _intervals(table.column(count), cells, rules)
    if not len(cells):
        raise InputError(
            f"Every row of the column {shown(sensitive)} is a total; the table has no cell.", parameter=count
        )
    codes = np.stack([column.codes for column in columns]).astype(np.int64)
    first, group = np.unique(codes[:-1, cells], axis=1, return_inverse=True)
    named = [*columns[-1].labels, *(value for value in values if columns[-1].code_of(value) < 0)]
    own = np.array([code for code, label in enumerate(named) if not _is_total(label)])
    place = np.full(len(named), -1)
    place[own] = np.arange(len(own))
    at = np.asarray(group).ravel() * len(own) + place[codes[-1, cells]]
    if len(np.unique(at)) < len(at):
        raise InputError(
            "A combination of a group and a value occurs in two rows of the table of counts; add them up, or take one "
            "out of the file.",
            parameter=count,
        )
    lower, upper = _absent(first.shape[1] * len(own), at, rules, below)
    lower[at], upper[at] = low[cells], high[cells]
    totals = [
        (row, _covered(codes[:, row], [each[row] for each in every], first, own), low[row], high[row])
        for row in np.flatnonzero(is_total).tolist()
    ]
    broken = narrow(lower, upper, totals, rules.totals)
    keep = np.flatnonzero(upper >= 1)
    if not len(keep):
        raise InputError("Every count is 0, so no one is in the table of counts; check its file.", parameter=count)
    middle = np.where(np.isfinite(upper[keep]), (lower[keep] + upper[keep]) / 2, lower[keep])
    weight = np.maximum(1, np.rint(middle)).astype(np.int64)
    parts = [
        Column.from_codes(column.name, column.labels, first[i][keep // len(own)])
        for i, column in enumerate(columns[:-1])
    ]
    parts.append(Column.from_codes(sensitive, named, own[keep % len(own)]))
    numbers, which = np.unique(weight, return_inverse=True)
    parts.append(Column.from_codes(count, map(str, numbers.tolist()), which))
    return Table(tuple(parts), table.decimal, table.read_info), broken


def _totals(column: Column) -> Bools:
    """(rows,) whether a cell stands for every value of its column."""
    every = np.array([_is_total(label) for label in column.labels])
    return every[column.codes]


def _is_total(label: str) -> bool:
    return label.strip().casefold() in TOTALS


def _covered(codes: Ints, every: Sequence[Bools], first: Ints, own: Ints) -> Ints:
    """Places of the cells that a row of totals adds up."""
    hit = np.ones(first.shape[1], dtype=bool)
    for i, whole in enumerate(every[:-1]):
        if not whole:
            hit &= first[i] == codes[i]
    value = np.ones(len(own), dtype=bool) if every[-1] else own == codes[-1]
    covered: Ints = (np.flatnonzero(hit)[:, None] * len(own) + np.flatnonzero(value)).ravel()
    return covered


def _absent(cells: int, there: Ints, rules: CountRules, below: int) -> tuple[Floats, Floats]:
    """Intervals of all cells before those of the file are filled in: what a missing combination means."""
    if len(there) < cells and rules.absent is None:
        raise InputError(
            "The table of counts lacks some combinations of a group and a value: say what they mean (at the gate with "
            '--counts "absent=zero", "absent=masked" or "absent=either").',
            parameter="counts",
        )
    low, high = _of_mark(rules.absent or "zero", below)
    return np.full(cells, low), np.full(cells, high)


def _of_mark(meaning: Mark, below: int) -> tuple[float, float]:
    if meaning == "zero":
        return 0.0, 0.0
    return (1.0 if meaning == "masked" else 0.0), (below - 1.0 if below > 1 else math.inf)


def _intervals(column: Column, cells: Ints, rules: CountRules) -> tuple[Floats, Floats, int]:
    """(rows,) lower and upper ends of counts, and the number below which counts are masked; 0 if it is not known."""
    texts = [label.strip() for label in column.labels]
    named = [int(match[2]) + (match[1] != "<") for text in texts if (match := _BELOW.fullmatch(text))]
    below = rules.below or max(named, default=0)
    shown_zeros = any(re.fullmatch(r"0+(?:\.0+)?", texts[code]) for code in np.unique(column.codes[cells]).tolist())
    # Without a zero among the cells, a masked count may be one.
    zeros = rules.absent == "zero" or (rules.rounded == 1 and shown_zeros)
    ends = np.empty((2, len(texts)))
    for place, text in enumerate(texts):
        interval = _interval(text, rules, below, zeros)
        if interval is None:
            row = int(np.flatnonzero(column.codes == place)[0]) + 1
            _refuse(text, row, column.name)
        ends[:, place] = interval
    return ends[0][column.codes], ends[1][column.codes], below


def _refuse(text: str, row: int, header: str) -> None:
    if not text or is_withheld(text) or text.casefold() in _MARKS:
        name = "mark" if text else "blank"
        raise InputError(
            f"The count in row {row:,} of the column {shown(header)} is {'a mark' if text else 'empty'}: say what that "
            f'means (at the gate with --counts "{name}=zero", "{name}=masked" or "{name}=either").',
            parameter="counts",
        )
    raise InputError(
        f"The count in row {row:,} of the column {shown(header)} cannot be read; a count is a whole number, <5, 1-4, "
        "5+, or a mark.",
        parameter=header,
    )


def _interval(text: str, rules: CountRules, below: int, zeros: bool) -> tuple[float, float] | None:
    """Lower and upper end of one count; ``None`` if it cannot be read, or a mark has no meaning yet."""
    if _NUMBER.fullmatch(text):
        return rounded_from(float(text.replace(",", "")), rules)
    if match := _BELOW.fullmatch(text):
        return float(zeros), float(match[2]) - (match[1] == "<")
    if match := _BETWEEN.fullmatch(text):
        return (float(match[1]), float(match[2])) if int(match[1]) <= int(match[2]) else None
    if match := _FROM.fullmatch(text):
        return (float(match[2]) + (match[1] == ">") if match[2] else float(match[3])), math.inf
    meaning = rules.blank if not text else rules.mark if is_withheld(text) or text.casefold() in _MARKS else None
    return None if meaning is None else _of_mark(meaning, below)


def rounded_from(number: float, rules: CountRules) -> tuple[float, float]:
    """Lowest and highest count that is published as this number."""
    base = rules.rounded
    ends = {
        "nearest": (math.ceil(number - base / 2), math.floor(number + base / 2)),
        "up": (number - base + 1, number),
        "down": (number, number + base - 1),
        "random": (number - base + 1, number + base - 1),
    }
    low, high = ends[rules.rounding] if base > 1 else (number, number)
    return max(0.0, float(low)), float(high)


def narrow(lower: Floats, upper: Floats, totals: Sequence[tuple[int, Ints, float, float]], rule: Totals) -> int:
    """Narrow the intervals of cells by totals, in place, until nothing moves.

    ``totals`` are a row, the cells that it adds up, and its own interval. A cell is never above a total that holds
    it. If a person is in one cell at most, all cells together are not above it; in exactly one, not below it either.
    Returns the row, from 1, of a total that contradicts the cells, and then leaves them as they were; else 0.
    """
    before = lower.copy(), upper.copy()
    moved = True
    while moved:
        moved = False
        for row, cells, low, high in totals:
            own_low, own_high = lower[cells], upper[cells]
            ceiling = np.full(len(cells), high) if rule == "several" else high - (own_low.sum() - own_low)
            floor = own_low
            if rule == "one":
                unbounded = int(np.isinf(own_high).sum())
                rest = np.where(np.isinf(own_high), 0.0, own_high)
                others = np.where(unbounded - np.isinf(own_high) > 0, math.inf, rest.sum() - rest)
                floor = np.maximum(own_low, low - others)
            narrowed = np.minimum(own_high, ceiling)
            if (floor > narrowed).any() or (rule == "one" and narrowed.sum() < low):
                lower[:], upper[:] = before
                return row + 1
            moved |= bool((floor > own_low).any() or (narrowed < own_high).any())
            lower[cells], upper[cells] = floor, narrowed
    return 0
