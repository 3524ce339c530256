"""Make a table of counts of some records, as its publisher would, and read it as its reader does.

The fast way from records to what is possible in each group; the slow one writes the table (:meth:`MadeCounts.table`)
and reads it back by :func:`core.release.published.count_table.possible_rows` with :attr:`MadeCounts.rules`. Both use
the same intervals and the same narrowing, and agree in the tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast, get_args

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Floats, Ints
from core.base.errors import ParameterError
from core.base.errors import shown_name as shown
from core.base.limits import LIMITS
from core.data.classes import distinct_columns
from core.data.encoding.domain import Domain, decimals
from core.data.encoding.encoded import Encoded
from core.data.schemas.schema import ColumnType
from core.data.tables.column import Column
from core.data.tables.table import Table
from core.release.count_settings import CountSettings, GroupColumn
from core.release.published.cell_reader import Reader
from core.release.published.containment import inside
from core.release.published.count_table import TOTALS, CountRules, TotalWord, interval_of, narrow, weights_of
from core.release.published.published import Attribute, Cells, Published, SensitiveCells, assemble
from core.release.published.region import Region
from core.release.region_text import range_text, region_text

COUNT = "count"
"""Header of the counts; an underscore follows if a quasi-identifier or the sensitive attribute has it."""


@dataclass(frozen=True, eq=False)
class MadeCounts:
    """A table of counts of some records.

    Parameters
    ----------
    settings
        How it is made.
    columns
        Cells of the groups, one set per column; their codes are by group.
    sensitive
        The values that are counted.
    counts
        (groups, values) people, the true numbers.
    people
        (groups,) people of each group.
    labels
        (records,) group of each record.
    several
        Whether a person may be in several cells, because persons have several records.

    Examples
    --------
    >>> from composition_dashboard import examples
    >>> from composition_dashboard.core.data.encoding.encoded import encode
    >>> from composition_dashboard.core.release.count_settings import settings_of
    >>> from composition_dashboard.core.release.made_counts import MadeCounts
    >>> city = encode(examples.city(500), examples.city_schema())
    >>> made = MadeCounts.of(city, settings_of("age/20, sex; below=5; zeros=masked"))
    >>> made.table().names, int(made.people.sum())
    (('age', 'sex', 'diagnosis', 'count'), 500)
    """

    settings: CountSettings
    columns: tuple[Cells, ...]
    sensitive: Domain
    counts: Ints
    people: Ints
    labels: Ints
    several: bool

    @classmethod
    def of(cls, encoded: Encoded, settings: CountSettings) -> MadeCounts:
        """Count the records by group and value; persons with several records count once per value.

        Raises
        ------
        ParameterError
            If a column is no quasi-identifier, or cannot be grouped so; or the records have several sensitive columns.
        LimitError
            If there are too many groups and values.
        """
        if encoded.sensitive.parts:
            raise ParameterError(
                "A table of counts is made for one sensitive column only; choose one.", parameter="counts"
            )
        domains = {domain.name: (domain, codes) for domain, codes in zip(encoded.qids, encoded.codes, strict=True)}
        cells = []
        for column in settings.groups:
            if column.name not in domains:
                raise ParameterError(
                    f"{shown(column.name)} is no quasi-identifier, so a table of counts cannot be grouped by it; name "
                    "one that the table has.",
                    parameter="counts",
                )
            domain, codes = domains[column.name]
            read, which = _grouped(domain, column)
            cells.append(replace(read, codes=which[codes]))
        first, group, _ = distinct_columns(np.array([column.codes for column in cells]))
        LIMITS["counted"].check(len(first) * encoded.sensitive.size, "counts")
        histogram = encoded.histogram(group, len(first), encoded.overall)
        counts = np.zeros((len(first), encoded.sensitive.size), dtype=np.int64)
        counts[histogram.owner, histogram.value] = histogram.count
        columns = tuple(replace(column, codes=column.codes[first]) for column in cells)
        people = histogram.people
        return cls(settings, columns, encoded.sensitive, counts, people, group, encoded.has_multiple_records)

    @property
    def rules(self) -> CountRules:
        """What the publisher says about the table, as its reader needs it."""
        made = self.settings
        return CountRules(
            absent=None if made.zeros == "masked" else "zero",
            below=made.below if made.below > 1 else 0,
            rounded=made.rounded,
            zeros="exact" if made.rounded > 1 and made.zero_is_exact else "rounded",
            totals="one" if made.totals and not self.several else "several",
            # Said only where a value could be taken for a total.
            total=cast("TotalWord", self._total.casefold() if made.totals else "none") if self._labels & TOTALS else "",
        )

    @property
    def _labels(self) -> set[str]:
        """Texts of all cells but counts, folded."""
        texts = [*self.sensitive.labels, *(text for column in self.columns for text in column.texts)]
        return {text.strip().casefold() for text in texts}

    def table(self) -> Table:
        """The table to publish: one row per group and value, in the order of the groups, each with its size last."""
        made = self.settings
        numbers = np.column_stack([self.counts, self.people])
        keep = np.ones(numbers.shape, dtype=bool)
        keep[:, :-1] = (self.counts > 0) | (made.zeros != "absent")
        keep[:, -1] = made.totals
        group, value = np.nonzero(keep)
        distinct, which = np.unique(numbers[keep], return_inverse=True)
        taken = {column.reader.name for column in self.columns} | {self.sensitive.name}
        parts = [Column.from_codes(column.reader.name, column.texts, column.codes[group]) for column in self.columns]
        total = [self._total] if made.totals else []
        parts.append(Column.from_codes(self.sensitive.name, [*self.sensitive.labels, *total], value))
        texts = [made_text(number, made) for number in distinct.tolist()]
        parts.append(_of_texts(unused(COUNT, taken), texts, which))
        return Table(tuple(parts))

    @property
    def _total(self) -> str:
        """Word for every value together that is no other cell."""
        words: list[str] = [word for word in get_args(TotalWord) if word in TOTALS - self._labels]
        if not words:
            raise ParameterError(
                f"Every word for a total is a value of {shown(self.sensitive.name)}; leave the group sizes out.",
                parameter="counts",
            )
        return words[0].capitalize()

    @cached_property
    def bounds(self) -> tuple[Floats, Floats]:
        """(groups, values) lower and upper end of each count for a reader, narrowed by the sizes of the groups."""
        made, rules = self.settings, self.rules
        # A zero that is not masked can be told apart from a masked count.
        zeros = made.zeros != "masked" and made.zero_is_exact
        lower, upper = _intervals(self.counts.ravel(), made, rules, zeros)
        if made.totals:
            low, high = _intervals(self.people, made, rules, zeros)
            values, cells = self.counts.shape[1], np.arange(self.counts.size)
            totals = [
                (row, cells[row * values : (row + 1) * values], low[row], high[row]) for row in range(len(self.people))
            ]
            contradiction = narrow(lower, upper, totals, rules.totals)
            assert not contradiction, "the true counts fit"
        return lower.reshape(self.counts.shape), upper.reshape(self.counts.shape)

    @cached_property
    def published(self) -> Published:
        """What its reader knows: its groups, and the values that are possible in each."""
        lower, upper = (ends.ravel() for ends in self.bounds)
        keep = np.flatnonzero(upper >= 1)
        group, value = np.divmod(keep, self.counts.shape[1])
        columns = [replace(column, codes=column.codes[group]) for column in self.columns]
        weight = weights_of(lower[keep], upper[keep])
        return assemble(columns, np.arange(len(keep)), SensitiveCells.one_each(self.sensitive, value), weight=weight)


def made_text(number: int, settings: CountSettings) -> str:
    """A count as it is published."""
    if number < settings.below and settings.below > 1 and (number or settings.zeros == "masked"):
        return f"<{settings.below}"
    base = settings.rounded
    return str((2 * number + base) // (2 * base) * base)


def unused(name: str, taken: set[str]) -> str:
    """A header that is not taken."""
    while name in taken:
        name += "_"
    return name


def _of_texts(name: str, texts: Sequence[str], which: NDArray[Any]) -> Column:
    """A column of texts of which several may be equal."""
    labels = list(dict.fromkeys(texts))
    place = {text: i for i, text in enumerate(labels)}
    return Column.from_codes(name, labels, np.array([place[text] for text in texts], dtype=np.int64)[which.ravel()])


def _intervals(numbers: Ints, made: CountSettings, rules: CountRules, zeros: bool) -> tuple[Floats, Floats]:
    """Ends of each count for a reader of its text."""
    distinct, which = np.unique(numbers, return_inverse=True)
    read = [interval_of(made_text(number, made), rules, zeros) for number in distinct.tolist()]
    ends = np.array([each for each in read if each is not None], dtype=np.float64)
    which = which.ravel()
    return ends[which, 0], ends[which, 1]


# ---- groups of one column ------------------------------------------------------------------

WIDTHS = (5, 10, 20, 50, 100, 1_000, 10_000)
"""Widths of bands that are offered."""


def levels_of(domain: Domain) -> tuple[GroupColumn, ...]:
    """Levels at which a column can group people, the finest first: its values, then each with fewer cells, down to two.

    Numbers in bands, neighbours of an order, levels of a taxonomy, months and years, leading digits of codes.
    """
    known = domain.labels[: domain.size - (domain.missing >= 0)]
    steps: Sequence[int] = ()
    if domain.taxonomy is not None:
        steps = range(domain.taxonomy.height - 1, 0, -1)
    elif domain.column_type is ColumnType.NUMERIC:
        steps = WIDTHS
    elif domain.column_type is ColumnType.ORDINAL:
        steps = (2, 3, 4)
    elif domain.column_type is ColumnType.DATE:
        steps = (7, 4)
    elif len({len(label) for label in known}) == 1 and all(label.isdecimal() for label in known):
        steps = range(len(known[0]) - 1, 0, -1)
    levels, cells = [GroupColumn(domain.name)], domain.size
    for step in steps:
        column = GroupColumn(domain.name, step, level=domain.taxonomy is not None)
        fewer = _cells_at(domain, column)
        if 1 < fewer < cells:
            levels.append(column)
            cells = fewer
    return tuple(levels)


def coarser(domain: Domain, column: GroupColumn) -> GroupColumn | None:
    """The next level of a column with fewer cells; ``None`` if only leaving it out is coarser."""
    cells = _cells_at(domain, column)
    return next((level for level in levels_of(domain) if _cells_at(domain, level) < cells), None)


def _cells_at(domain: Domain, column: GroupColumn) -> int:
    """Number of cells of a column at a level; that of its values if it cannot be grouped so."""
    try:
        return len(_grouped(domain, column)[0].texts)
    except ParameterError:
        return domain.size


def usual_settings(encoded: Encoded) -> CountSettings:
    """Settings to start from: the first three quasi-identifiers, numbers in bands of 10, counts below 5 masked."""
    columns = []
    for domain in encoded.qids[:3]:
        levels = levels_of(domain)
        tens = (level for level in levels if domain.column_type is ColumnType.NUMERIC and level.step == 10)
        columns.append(next(tens, levels[0]))
    return CountSettings(tuple(columns))


def _grouped(domain: Domain, column: GroupColumn) -> tuple[Cells, Ints]:
    """Distinct cells of a column at a level, without codes, and (values,) the cell of each value."""
    reader = Reader.of(domain)
    known = domain.size - (domain.missing >= 0)
    texts = [
        *_texts(domain, column, known, reader),
        *(region_text(domain, code, code, reader=reader) for code in range(known, domain.size)),
    ]
    cells = list(dict.fromkeys(texts))
    place = {text: i for i, text in enumerate(cells)}
    which = np.array([place[text] for text in texts], dtype=np.int64)
    regions = [reader.read(text) for text in cells]
    if column.step and not _holds(domain, reader, cells, regions, which[:known]):
        raise ParameterError(
            f"The values of {shown(column.name)} cannot be grouped by {column.step} in a form that its reader "
            "understands; choose another level, or group by its values as they are.",
            parameter="counts",
        )
    assert None not in regions, "what is written here can be read"
    readable = [region for region in regions if region is not None]
    return Cells(reader, readable, cells, np.empty(0, dtype=np.int64)), which


def _texts(domain: Domain, column: GroupColumn, known: int, reader: Reader) -> list[str]:
    """Cell of each known value."""
    step, tree = column.step, domain.taxonomy
    if column.level:
        if tree is None or step > tree.height:
            has = "no taxonomy" if tree is None else f"a taxonomy of {tree.height} levels"
            raise ParameterError(
                f"{shown(column.name)} has {has}, so a table of counts cannot be grouped by its level {step}.",
                parameter="counts",
            )
        nodes = tree.ancestors[step][:known]
        ends = {node: (int(tree.low[node]), int(tree.high[node])) for node in set(nodes.tolist())}
        text_of = {node: region_text(domain, *span, reader=reader) for node, span in ends.items()}
        return [text_of[node] for node in nodes.tolist()]
    if step and domain.column_type is ColumnType.NUMERIC and domain.values is not None:
        values = domain.values[:known]
        low = np.floor_divide(values, step) * step
        if decimals(values) == 0:
            return [range_text(str(int(a)), str(int(a) + step - 1)) if step > 1 else str(int(a)) for a in low.tolist()]
        return [f"[{int(a)}, {int(a) + step})" for a in low.tolist()]
    if step and domain.column_type is ColumnType.ORDINAL:
        low = np.arange(known) // step * step
        runs = {a: region_text(domain, a, min(a + step, known) - 1, reader=reader) for a in np.unique(low).tolist()}
        return [runs[a] for a in low.tolist()]
    if step:
        longest = max(map(len, domain.labels[:known]), default=0)
        if step >= longest:
            raise ParameterError(
                f"{shown(column.name)} has values of at most {longest} characters, so a table of counts cannot be "
                f"grouped by their first {step:,}; give fewer (of a date 4 is the year, 7 the month), or its values as "
                "they are.",
                parameter="counts",
            )
        stars = "" if domain.column_type is ColumnType.DATE else "*"
        return [
            label[:step] + stars * (len(label) - step)
            if len(label) > step
            else region_text(domain, code, code, reader=reader)
            for code, label in enumerate(domain.labels[:known])
        ]
    return [region_text(domain, code, code, reader=reader) for code in range(known)]


def _holds(domain: Domain, reader: Reader, cells: list[str], regions: Sequence[Region | None], which: Ints) -> bool:
    """Whether a reader of each cell finds every value that it stands for in it."""
    order = np.argsort(which, kind="stable")
    starts = np.searchsorted(which[order], np.arange(len(cells) + 1))
    for i, region in enumerate(regions):
        if region is None:
            return False
        part = Attribute(reader, (region,), (cells[i],), np.zeros(1, dtype=np.int64))
        labels = [domain.labels[code] for code in order[starts[i] : starts[i + 1]].tolist()]
        if labels and not inside(part, labels).all():
            return False
    return True
