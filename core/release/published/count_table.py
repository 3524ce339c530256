"""A table of counts as a release: its groups are classes, and a value that is not counted as zero is possible.

A cell is an interval of counts: a number, ``<5``, ``1-4``, or a mark whose meaning its publisher says. So is a
combination that the file lacks. Totals narrow the intervals. A value is possible for somebody in a group when the upper
end is 1 or more, so the true value is always possible [definitions §4].
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from msgspec import Struct

from core.base.arrays import Bools, Floats, Ints
from core.base.errors import InputError, ParameterError
from core.base.errors import shown_name as shown
from core.base.limits import LIMITS
from core.data.tables.cell_syntax import is_withheld
from core.data.tables.column import Column
from core.data.tables.csv_export import harmless
from core.data.tables.table import Table
from core.release.published.layout import names_a_count

Mark = Literal["zero", "masked", "either"]
Rounding = Literal["nearest", "up", "down", "random"]
Totals = Literal["one", "most", "several"]
ZeroCount = Literal["rounded", "exact"]
TotalWord = Literal[
    "", "none", "total", "all", "overall", "totals", "sum", "any", "both", "gesamt", "insgesamt", "alle", "summe"
]
TOTALS: frozenset[str] = frozenset(get_args(TotalWord)) - {"", "none"}
"""Cells, folded, that stand for every value of a column unless mine has such a value; a star may be a hidden group."""
_NUMBER = re.compile(r"\d{1,3}(?:,\d{3}){1,2}|\d{1,9}(?:\.00?)?")  # 1.000 may be a thousand
_BELOW = re.compile(r"(<=?|≤)\s*(\d{1,9})")
_FROM = re.compile(r"(?:(>=?|≥)\s*(\d{1,9}))|(?:(\d{1,9})\s*\+)")
_BETWEEN = re.compile(r"(\d{1,9})\s*(?:-|–|to|\.\.)\s*(\d{1,9})")
_MARKS = frozenset("*xsc.-–:~") | {"..", "...", "**", "***", "suppressed", "masked", "hidden"}
_ROUNDS = 100
"""Rounds after which narrowing ends; numbers that fit each other settle in far fewer."""


class CountRules(Struct, frozen=True, forbid_unknown_fields=True):
    """What the publisher says about a table of counts.

    Parameters
    ----------
    absent
        What a combination of a group and a value means that the file lacks: a count of 0, a masked count, or either.
    blank, mark
        The same of an empty cell, and of ``*``, ``x``, ``s`` and the like.
    below
        Every masked count is below this number; 0 if larger ones are also masked, or if it is not known. Combinations
        that the file lacks are then below the largest number of a cell such as ``<5``.
    rounded
        Base that counts are rounded to; 1 for none.
    rounding
        How they are rounded.
    zeros
        Whether a 0 may be a count that was rounded, or is exactly no one because small counts were masked before.
    totals
        In how many of the cells that are shown a person of a total is counted: exactly one, at most one, or several.
    total
        The one word, folded, whose cells are totals; ``none`` if there is no total; "" for each of :data:`TOTALS` that
        is no value of mine.

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
    zeros: ZeroCount = "rounded"
    total: TotalWord = ""

    def __post_init__(self) -> None:
        """Check the numbers."""
        for name, least in (("below", 0), ("rounded", 1)):
            if not least <= getattr(self, name) <= 1_000_000:
                raise ParameterError(f"{name} of a table of counts must be from {least} to 1,000,000.", parameter=name)

    @property
    def text(self) -> str:
        """As the gate takes them, without what is left at its default; never empty."""
        changed = [name for name in self.__struct_fields__ if getattr(self, name) != getattr(UNSAID, name)]
        return ", ".join(f"{name}={getattr(self, name)}" for name in changed or ["totals"])


UNSAID = CountRules()
"""Rules of which none was said."""
_MARKED = dict.fromkeys(("absent", "blank", "mark"), Mark)
_CHOICES = {**_MARKED, "rounding": Rounding, "totals": Totals, "zeros": ZeroCount, "total": TotalWord}


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
        if name in given:
            raise ParameterError(f"A rule of a table of counts says {name} twice; say it once.", parameter="counts")
        if name in ("below", "rounded") and value.isdecimal():
            given[name] = int(min(float(value), 1e9))  # Python reads no int of more than 4,300 digits
        elif value in known:
            given[name] = value
        else:
            able = f"{name}={'|'.join(known)}" if known else ", ".join((*_CHOICES, "below", "rounded"))
            raise ParameterError(
                f"A rule of a table of counts cannot be read{'' if is_there else ' without ='}; there are: {able}.",
                parameter="counts",
            )
    return CountRules(**given)  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False)
class Possible:
    """What a table of counts leaves possible, and what was decided on the way.

    Parameters
    ----------
    rows
        A row for each group and value that is possible in it; its count is the middle of its interval, 1 at least.
    contradiction
        Row of a total that the cells contradict, from 1; 0 if none does. Totals are not used then.
    absent, blank, mark
        Numbers of combinations that the file lacks, of empty counts, and of counts that are marks.
    """

    rows: Table
    contradiction: int
    absent: int
    blank: int
    mark: int


def lengthened(
    table: Table, values: Collection[str], header: str, count: str, used: Collection[str] = ()
) -> tuple[Table, str]:
    """Turn a table with a column of counts per value into one row per group and value.

    Parameters
    ----------
    table
        Of counts.
    values
        Sensitive values in any of the two publishers' words.
    header, count
        Names of the columns that are made.
    used
        Their headers of quasi-identifiers of mine.

    Returns
    -------
    Table
        The same table if fewer than two columns are named after a value. Otherwise every column that holds nothing but
        counts is a value, whether it is one of mine or not, or a total.
    str
        The column of its counts; "" if the table stays the same.
    """
    known = {text.strip().casefold() for value in values for text in (value, harmless(value))}
    spare = [column for column in table.columns if column.name not in used]
    named = [column.name for column in spare if column.name.strip().casefold() in known]
    if len(named) < 2 or header in table.names:
        return table, ""
    wide = [column for column in spare if column.name in named or _holds_counts(column)]
    kept = [column for column in table.columns if column not in wide]
    rows, many = len(table), len(wide)
    while count in (header, *(column.name for column in kept)):
        count += "_"
    texts = [column.name for column in wide]
    parts = [column.take(np.repeat(np.arange(rows), many)) for column in kept]
    parts.append(Column.from_codes(header, texts, np.tile(np.arange(many), rows)))
    labels, codes = np.unique(np.stack([column.texts() for column in wide], axis=1).ravel(), return_inverse=True)
    parts.append(Column.from_codes(count, labels.tolist(), codes))
    return Table(tuple(parts), table.decimal, table.read_info), count


def _holds_counts(column: Column) -> bool:
    """Whether every cell is a count or a mark, and some cell has a digit."""
    texts = [label.strip() for label in column.labels]
    forms = (_NUMBER, _BELOW, _BETWEEN, _FROM)
    counts = [any(form.fullmatch(text) for form in forms) for text in texts]
    return any(counts) and all(is_count or _is_mark(text) for is_count, text in zip(counts, texts, strict=True))


def count_columns(table: Table, used: Collection[str]) -> tuple[str, ...]:
    """Columns without a role that hold nothing but counts and marks; marks alone only under a name of counts."""
    spare = [column for column in table.columns if column.name not in used]
    return tuple(
        column.name
        for column in spare
        if _holds_counts(column) or (names_a_count(column.name) and all(map(_is_mark, map(str.strip, column.labels))))
    )


def possible_rows(
    table: Table,
    headers: Sequence[str],
    count: str,
    values: Sequence[str],
    rules: CountRules,
    mine: Mapping[str, Collection[str]] | None = None,
    uncounted: Sequence[str] = (),
) -> Possible:
    """Groups and the values that are possible in each, as a release with a column of counts.

    Parameters
    ----------
    table
        One row per group and value, and perhaps rows of totals.
    headers, count
        Their headers of the quasi-identifiers, then of the sensitive value; and of the count.
    values
        Sensitive values that a group may have although the file does not name them: mine, in their words.
    rules
        What the publisher says.
    mine
        Values of my columns, by their headers: a cell such as *All* that is one of them is no total.
    uncounted
        Values that a table of counts does not show, such as a missing one: they are possible in every group.

    Raises
    ------
    InputError
        If a count cannot be read, a combination occurs twice, or what a mark means has to be said.
    LimitError
        If there are too many groups and values.
    """
    columns = [table.column(name) for name in headers]
    every = [_totals(column, (mine or {}).get(column.name, ()), rules) for column in columns]
    is_total, cells, (low, high, below) = _rows(table, columns, every, count, rules)
    codes = np.stack([column.codes for column in columns]).astype(np.int64)
    first, group = np.unique(codes[:-1, cells], axis=1, return_inverse=True)
    more = [value for value in dict.fromkeys((*values, *uncounted)) if columns[-1].code_of(value) < 0]
    named = [*columns[-1].labels, *more]
    own = np.array([code for code in range(len(named)) if code >= len(every[-1]) or not every[-1][code]])
    of_counts = np.array([named[code] not in uncounted or code < len(every[-1]) for code in own])
    LIMITS["counted"].check(first.shape[1] * len(own), count)
    place = np.full(len(named), -1)
    place[own] = np.arange(len(own))
    at = np.asarray(group).ravel() * len(own) + place[codes[-1, cells]]
    if len(np.unique(at)) < len(at):
        raise InputError(
            "A group and a value occur together in two rows of the table of counts. If other columns distinguish the "
            "groups, match those, too; else add such rows up in the file.",
            parameter=count,
        )
    absent = first.shape[1] * int(of_counts.sum()) - len(at)
    bounds = _absent(absent, rules, below)
    lower, upper = (np.full(first.shape[1] * len(own), end) for end in bounds)
    lower[at], upper[at] = low[cells], high[cells]
    totals = _covered(codes, np.flatnonzero(is_total), every, first, np.where(of_counts, own, -1))
    contradiction = narrow(lower, upper, [(row, held, low[row], high[row]) for row, held in totals], _rule(rules))
    is_counted = np.tile(of_counts, first.shape[1])
    if not (upper[is_counted] >= 1).any():
        raise InputError("Every count is 0, so no one is in the table of counts; check its file.", parameter=count)
    lower[~is_counted], upper[~is_counted] = 0.0, 1.0
    keep = np.flatnonzero(upper >= 1)
    weight = weights_of(lower[keep], upper[keep])
    parts = [
        Column.from_codes(column.name, column.labels, first[i][keep // len(own)])
        for i, column in enumerate(columns[:-1])
    ]
    parts.append(Column.from_codes(headers[-1], named, own[keep % len(own)]))
    numbers, which = np.unique(weight, return_inverse=True)
    parts.append(Column.from_codes(count, map(str, numbers.tolist()), which))
    texts = [text.strip() for text in table.column(count).texts()[cells]]
    return Possible(
        Table(tuple(parts), table.decimal, table.read_info),
        contradiction,
        absent,
        texts.count(""),
        sum(map(_is_mark, filter(None, texts))),
    )


def _rows(
    table: Table, columns: Sequence[Column], every: Sequence[Bools], count: str, rules: CountRules
) -> tuple[Bools, Ints, tuple[Floats, Floats, int]]:
    """(rows,) which are totals, the others, and what :func:`_intervals` says of all."""
    is_total = _are_totals(columns, every)
    cells = np.flatnonzero(~is_total)
    if not len(cells):
        raise InputError(
            f"Every row of the column {shown(columns[-1].name)} is a total; the table has no cell.", parameter=count
        )
    return is_total, cells, _intervals(table.column(count), cells, is_total, rules)


def people_in_groups(
    table: Table, headers: Sequence[str], count: str, rules: CountRules, mine: Mapping[str, Collection[str]]
) -> tuple[Floats, Floats, Floats]:
    """(rows,) fewest and most people that the group of each row can have according to that row, and most in its count.

    Parameters and errors are those of :func:`possible_rows`. A row over several groups says nothing of one.
    """
    columns = [table.column(name) for name in headers]
    every = [_totals(column, mine.get(column.name, ()), rules) for column in columns]
    _, _, (low, high, _) = _rows(table, columns, every, count, rules)
    groups = [whole[column.codes] for whole, column in zip(every, columns, strict=True)]
    is_wider = np.any(groups[:-1], axis=0)
    is_total = groups[-1] | is_wider
    fewest, most = np.where(is_wider, 0.0, low), np.where(groups[-1] & ~is_wider, high, math.inf)
    return fewest, most, np.where(is_total, 0.0, high)


def weights_of(lower: Floats, upper: Floats) -> Ints:
    """Expected count of cells that are possible: the middle of each interval, 1 at least."""
    middle = np.where(np.isfinite(upper), (lower + upper) / 2, lower)
    return np.maximum(1, np.rint(middle)).astype(np.int64)


def without_totals(table: Table, mine: Mapping[str, Collection[str]]) -> Table:
    """Return the rows of a table of counts that are no totals; ``mine`` as in :func:`possible_rows`."""
    columns = [table.column(name) for name in mine]
    every = [_totals(column, mine[column.name]) for column in columns]
    return table.take(np.flatnonzero(~_are_totals(columns, every)))


def _are_totals(columns: Sequence[Column], every: Sequence[Bools]) -> Bools:
    """(rows,) whether any cell of a row stands for every value of its column."""
    are: Bools = np.any([whole[column.codes] for whole, column in zip(every, columns, strict=True)], axis=0)
    return are


def totals_of(column: Column, mine: Collection[str], rules: CountRules = UNSAID) -> list[str]:
    """Cells of a column that stand for every value of it, and are none of mine if the word is not said."""
    folded = {label.strip().casefold() for label in mine}
    words = TOTALS & {rules.total} if rules.total else TOTALS - folded
    return [label for label in column.labels if label.strip().casefold() in words]


def _totals(column: Column, mine: Collection[str], rules: CountRules = UNSAID) -> Bools:
    """(labels,) whether a cell stands for every value of its column."""
    wider = {*totals_of(column, mine, rules)}
    return np.array([label in wider for label in column.labels], dtype=np.bool_)


def _rule(rules: CountRules) -> Totals:
    """How far totals may be used: cells that are absent although they have people are not among those shown."""
    return "most" if rules.totals == "one" and rules.absent in ("masked", "either") else rules.totals


def _covered(codes: Ints, rows: Ints, every: Sequence[Bools], first: Ints, own: Ints) -> list[tuple[int, Ints]]:
    """Each row of totals with the places of the cells that it adds up."""
    covered, many = [], 0
    spread = np.array([whole[codes[i, rows]] for i, whole in enumerate(every)], dtype=np.bool_)
    for pattern in np.unique(spread, axis=1).T:
        fixed = np.flatnonzero(~pattern[:-1])
        there = rows[(spread == pattern[:, None]).all(axis=0)]
        keys = np.concatenate([first[fixed], codes[fixed][:, there]], axis=1)
        keys = np.unique(keys, axis=1, return_inverse=True)[1].ravel() if len(fixed) else np.zeros(keys.shape[1], int)
        order = np.argsort(keys[: first.shape[1]], kind="stable")
        start, end = (np.searchsorted(keys[order], keys[first.shape[1] :], side) for side in ("left", "right"))
        for row, low, high in zip(there.tolist(), start.tolist(), end.tolist(), strict=True):
            value = np.flatnonzero((own >= 0) if pattern[-1] else (own == codes[-1, row]))
            many += (high - low) * len(value)
            LIMITS["counted"].check(many, "counts")
            covered.append((row, (order[low:high][:, None] * len(own) + value).ravel()))
    return covered


def _absent(number: int, rules: CountRules, below: int) -> tuple[float, float]:
    """Interval of each combination that the file lacks."""
    if number and rules.absent is None:
        raise InputError(
            "The table of counts lacks some combinations of a group and a value: say what they mean (at the gate with "
            '--counts "absent=zero", "absent=masked" or "absent=either").',
            parameter="counts",
        )
    return _of_mark(rules.absent or "zero", rules, below)


def _of_mark(meaning: Mark, rules: CountRules, below: int) -> tuple[float, float]:
    """Interval of a count that is not shown; counts may be rounded before small ones are masked, or after."""
    if meaning == "zero":
        return rounded_from(0, rules)
    return (1.0 if meaning == "masked" else 0.0), (rounded_from(below - 1, rules)[1] if below > 1 else math.inf)


def _is_mark(text: str) -> bool:
    return not text or is_withheld(text) or text.casefold() in _MARKS


def _intervals(column: Column, cells: Ints, is_total: Bools, rules: CountRules) -> tuple[Floats, Floats, int]:
    """(rows,) lower and upper ends of counts, and the number below which absent ones are; 0 if it is not known."""
    texts = [label.strip() for label in column.labels]
    there = np.unique(column.codes[cells]).tolist()
    named = [int(match[2]) + (match[1] != "<") for code in there if (match := _BELOW.fullmatch(texts[code]))]
    marks = {texts[code].casefold() for code in there if texts[code] and _is_mark(texts[code])}
    if len(marks) > 1 and rules.mark not in (None, "either"):
        raise InputError(
            f"The counts of the column {shown(column.name)} have several marks, which may differ in meaning; say "
            'mark=either (at the gate with --counts "mark=either").',
            parameter="counts",
        )
    # Without a zero among the cells, a masked count may be one.
    shown_zeros = any(re.fullmatch(r"0+(?:\.00?)?", texts[code]) for code in there)
    exact = rules.rounded == 1 or rules.zeros == "exact"
    zeros = exact and (rules.absent == "zero" or shown_zeros)
    ends = np.empty((2, len(texts)))
    for place, text in enumerate(texts):
        if place not in there and _is_mark(text):
            ends[:, place] = 0.0, math.inf  # a total that is hidden says nothing
            continue
        interval = interval_of(text, rules, zeros)
        if interval is None:
            row = int(np.flatnonzero(column.codes == place)[0]) + 1
            _refuse(text, row, column.name)
        ends[:, place] = interval
    low, high = ends[0][column.codes], ends[1][column.codes]
    hidden = is_total & np.array([_is_mark(text) for text in texts])[column.codes]
    low[hidden], high[hidden] = 0.0, math.inf
    return low, high, rules.below or max(named, default=0)


def _refuse(text: str, row: int, header: str) -> None:
    if _is_mark(text):
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


def interval_of(text: str, rules: CountRules, zeros: bool) -> tuple[float, float] | None:
    """Lower and upper end of one count; ``None`` if it cannot be read, or a mark has no meaning yet.

    ``zeros``: whether zeros are shown as 0, so that a count such as ``<5`` is at least 1.
    """
    if _NUMBER.fullmatch(text):
        return rounded_from(float(text.replace(",", "")), rules)
    if match := _BELOW.fullmatch(text):
        return float(zeros), rounded_from(float(match[2]) - (match[1] == "<"), rules)[1]
    if match := _BETWEEN.fullmatch(text):
        return (float(match[1]), float(match[2])) if int(match[1]) <= int(match[2]) else None
    if match := _FROM.fullmatch(text):
        return (float(match[2]) + (match[1] == ">") if match[2] else float(match[3])), math.inf
    meaning = (rules.mark if text else rules.blank) if _is_mark(text) else None
    return None if meaning is None else _of_mark(meaning, rules, rules.below)


def rounded_from(number: float, rules: CountRules) -> tuple[float, float]:
    """Lowest and highest count that is published as this number."""
    base = 1 if number == 0 and rules.zeros == "exact" else rules.rounded
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
    Returns the row, from 1, of a total that contradicts the cells, or that does not settle, and then leaves them as
    they were; else 0.
    """
    empty = next((row for row, cells, low, _ in totals if not len(cells) and low > 0), None)
    if rule == "one" and empty is not None:
        return empty + 1
    totals = [total for total in totals if len(total[1])]
    if not totals:
        return 0
    rows, parts, lows, highs = zip(*totals, strict=True)
    lengths = [len(part) for part in parts]
    cells, each = np.concatenate(parts), np.repeat(np.arange(len(parts)), lengths)
    starts = np.cumsum([0, *lengths[:-1]])
    low, high = np.array(lows), np.array(highs)
    new_lower, new_upper, moved = lower.copy(), upper.copy(), starts
    for _ in range(_ROUNDS):
        own_low, own_high = new_lower[cells], new_upper[cells]
        floor, ceiling = own_low, high[each]
        if rule != "several":
            ceiling = ceiling - (np.add.reduceat(own_low, starts)[each] - own_low)
        if rule == "one":
            unbounded, finite = np.isinf(own_high), np.where(np.isinf(own_high), 0.0, own_high)
            others = np.add.reduceat(finite, starts)[each] - finite
            open_ends = np.add.reduceat(unbounded.astype(np.int64), starts)[each] - unbounded
            floor = np.maximum(own_low, np.where(open_ends > 0, -math.inf, low[each] - others))
        narrowed = np.minimum(own_high, ceiling)
        broken = np.flatnonzero(floor > narrowed)
        if len(broken):
            return int(rows[each[broken[0]]]) + 1
        moved = np.flatnonzero((floor > own_low) | (narrowed < own_high))
        if not len(moved):
            lower[:], upper[:] = new_lower, new_upper
            return 0
        np.maximum.at(new_lower, cells, floor)
        np.minimum.at(new_upper, cells, narrowed)
    return int(rows[each[moved[0]]]) + 1
