"""Additional exposure from publishing each column as it is, and the effect of rounding it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from core.attack.intersection import intersection_attack
from core.base.arrays import Floats, Progress
from core.base.errors import SchemaError
from core.base.errors import shown_name as shown
from core.data.encoding.encoded import Encoded
from core.data.encoding.published_columns import PlainColumn, plain_column
from core.data.profiling.strays import CODED_TOPICS
from core.data.schemas import header_topics as topics
from core.data.schemas.schema import Schema, UnmodifiedColumn
from core.data.tables.column import Column
from core.data.tables.numbers import looks_numeric, parse_numbers
from core.data.tables.table import Table
from core.release.readable import Readable
from core.study.hospitals import Study
from core.study.one_run import Whole, releases_of_parts, seeds, shared_in
from core.study.redraws import Redraws

STEPS_OF = 10
"""A column of numbers is tried rounded to about this number of different values."""

NAMES_IN_DIGITS = (*CODED_TOPICS, topics.NAME, topics.NUMBER, topics.CONTACT, topics.PROVIDER, topics.ZIP)
"""Topics whose numbers are names, such as that of a facility: their ranges have no meaning."""


def rounding_step(column: Column, schema: Schema, decimal: str = ".") -> float | None:
    """A round step, 1, 2 or 5 times a power of ten, that leaves a column of numbers some ten different values.

    ``None`` if the column has words, or no more values than that, or is named like a code or an identifier.
    """
    known = [label for label in column.labels if label not in schema.missing_tokens]
    is_name = topics.ends_like_a_number(column.name) or topics.topic_of(column.name) in NAMES_IN_DIGITS
    if is_name or len(known) <= 2 * STEPS_OF or not looks_numeric(known, decimal):
        return None
    low, high = np.percentile(parse_numbers(known, decimal), [2, 98]).tolist()
    if low >= high:
        return None
    ideal = (high - low) / STEPS_OF
    power = 10.0 ** np.floor(np.log10(ideal))
    return float(next(step * power for step in (1, 2, 5, 10) if step * power >= ideal * (1 - 1e-9)))


def may_be_published(table: Table, schema: Schema) -> tuple[str, ...]:
    """Columns that are published as they are, and left-out columns that identify no one."""
    rest = [name for name in table.names if name not in dict(schema.roles())] if schema.unassigned == "drop" else []
    return (*schema.unmodified, *schema.other, *rest)


@dataclass(frozen=True)
class _Try:
    """One set of published columns that is compared with the present one."""

    column: str
    change: str
    step: float | None
    columns: tuple[PlainColumn, ...]


def published_cost(
    table: Table,
    encoded: Encoded,
    schema: Schema,
    study: Study,
    redraws: Redraws | None = None,
    columns: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Measure the exposure with one column added, left out or rounded.

    Parameters
    ----------
    table, encoded, schema
        Mine; ``encoded`` is ``encode(table, schema)``.
    study
        My hospital and the others, each of which publishes the same columns; a file publishes what it has.
    redraws
        Draws of the hospitals, and the one confidence that counts; three draws at confidence 1 by default.
    columns
        Which to try; all of :func:`may_be_published` by default. A column that is left out now is tried with a
        same-value rate of 1.
    progress
        Called with the share done.

    Returns
    -------
    DataFrame
        One row per change, most exposed first: *column*, *change* ("published", "left out" or "rounded"), *step* of the
        rounding (NaN else), *share* of the shared people exposed after it, and *adds*, the difference to the present
        share, which is in ``attrs["share"]``.

    Raises
    ------
    SchemaError
        If a column has another role, or the records are those of a frequency table.

    Notes
    -----
    Releases are made once per draw: which columns are published with the classes does not change them.
    """
    draws = redraws or Redraws(3, confidences=(1.0,))
    encoded.need_rows("What published columns add", "columns")
    tries = list(_tries(table, encoded, schema, columns))
    present = _Try("", "", None, encoded.plain)
    every = {id(column): column for each in (present, *tries) for column in each.columns}
    wide = replace(encoded, plain=tuple(every.values()))
    place = {number: position for position, number in enumerate(every)}
    shares = np.zeros((draws.repeats, len(tries) + 1))
    whole = Whole(wide, study)
    for number, seed in enumerate(seeds(draws.seed, draws.repeats)):
        parts = study.draw(wide, seed)
        read, people, weight = shared_in(releases_of_parts(study, parts, None, whole), parts, study)
        for position, each in enumerate((present, *tries)):
            kept = [place[id(column)] for column in each.columns]
            releases = [_with(release, each.columns, kept, len(every)) for release in read]
            result = intersection_attack(releases, people, study.locate, weight)
            shares[number, position] = result.pvp(draws.confidences[0]).value
            if progress is not None:
                progress((number + (position + 1) / (len(tries) + 1)) / draws.repeats)
    return _frame(tries, shares.mean(axis=0))


def _tries(table: Table, encoded: Encoded, schema: Schema, columns: Sequence[str] | None) -> Iterator[_Try]:
    candidates = may_be_published(table, schema)
    for name in candidates if columns is None else columns:
        if name not in candidates:
            raise SchemaError(f"{shown(name)} has another role, so it is not published unchanged.", parameter=name)
        others = tuple(column for column in encoded.plain if column.name != name)
        rows = table.column(name).take(encoded.rows)
        present = schema.unmodified.get(name, UnmodifiedColumn(name))
        if name in schema.unmodified:
            yield _Try(name, "left out", None, others)
        else:
            yield _Try(name, "published", None, (*others, plain_column(rows, schema.missing_tokens, table.decimal)))
        step = rounding_step(rows, schema, table.decimal)
        if step is not None and step != present.rounded:
            rounded = plain_column(rows, schema.missing_tokens, table.decimal, step)
            yield _Try(name, "rounded", step, (*others, replace(rounded, same_value_rate=present.same_value_rate)))


def _with(release: Readable, columns: Sequence[PlainColumn], places: Sequence[int], drawn: int) -> Readable:
    """The release with some of its published columns; a file of theirs keeps those of the same names."""
    mine = release.release
    if mine is None:
        return release
    there, names = mine.encoded.plain, [column.name for column in columns]
    kept = [there[place] for place in places] if len(there) == drawn else [c for c in there if c.name in names]
    again = replace(mine, encoded=replace(mine.encoded, plain=tuple(kept)))
    again.__dict__["histogram"] = mine.histogram  # the same classes
    return again


def _frame(tries: Sequence[_Try], shares: Floats) -> pd.DataFrame:
    frame = pd.DataFrame(
        {
            "column": [each.column for each in tries],
            "change": [each.change for each in tries],
            "step": [np.nan if each.step is None else each.step for each in tries],
            "share": shares[1:],
            "adds": shares[1:] - shares[0],
        }
    )
    frame = frame.sort_values("share", ascending=False, kind="stable", ignore_index=True)
    frame.attrs["share"] = float(shares[0])
    return frame
