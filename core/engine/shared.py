"""Find people in several folders of files: joined by the person column on the engine, as groups of equal people.

For the shared people, an attack needs only the row of each frequency table that has their record. So the engine joins
the files by the person column, and returns the distinct combinations of rows with their numbers of people. The values
of the person column never leave the engine.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from core.base.arrays import Ints, Progress, part
from core.base.errors import InputError, ParameterError
from core.base.errors import shown_name as shown
from core.base.short import many, short
from core.data.encoding.encoded import Encoded
from core.data.frequency_table import FrequencyTable
from core.data.schemas.schema import Schema
from core.engine.counting import OnEngine
from core.engine.file_patterns import files_of, unchanged
from core.engine.held import HeldTables, fetched, without_past
from core.engine.on_duckdb import EngineBudget, connected
from core.engine.row_classes import CLASS, rows_of_files, with_rows
from core.engine.sources import Source, source_of

WHOLE, TEXT = "whole numbers", "texts"
"""Forms of a person column that can be compared with each other, as texts."""
FLOATING = {"halffloat", "float", "double"}
WRITTEN = re.compile("0|-?[1-9][0-9]{0,18}")
"""A whole number as core writes it."""


@dataclass(frozen=True, eq=False)
class SharedPeople:
    """People who have one record in each of several sources.

    Parameters
    ----------
    frequency_tables
        That of each source.
    rows
        (sources, groups) row of each frequency table that the people of a group have; groups differ in some.
    weight
        (groups,) people of each.
    with_several_records
        People in all sources who have several records in one: the matching records of different sources are unknown, so
        they are in no group.
    """

    frequency_tables: tuple[FrequencyTable, ...]
    rows: Ints
    weight: Ints
    with_several_records: int

    def __repr__(self) -> str:
        return short(self, many(self.people, "person", "people"), f"in {many(len(self.frequency_tables), 'source')}")

    @property
    def people(self) -> int:
        """Number of people in the groups."""
        return int(self.weight.sum())

    def among(self, encoded: Sequence[Encoded]) -> tuple[tuple[Ints, ...], Ints]:
        """Find the groups among the encoded frequency tables.

        Returns
        -------
        positions, weight
            For each source, (groups,) the position of the record of each group; and the people of each. Groups with a
            record that a source leaves out, because a value is missing, are omitted.
        """
        positions = []
        for frequencies, own, rows in zip(self.frequency_tables, encoded, self.rows, strict=True):
            place = np.full(len(frequencies), -1, dtype=np.int64)
            place[own.rows] = np.arange(len(own))
            positions.append(place[rows])
        there = np.min(positions, axis=0) >= 0
        return tuple(position[there] for position in positions), self.weight[there]


def shared_people(
    patterns: Sequence[str],
    schema: Schema,
    bounds: EngineBudget | None = None,
    *,
    decimal: str | None = None,
    delimiter: str | None = None,
    count: str | None = None,
    engine: HeldTables | None = None,
    progress: Progress | None = None,
) -> SharedPeople:
    """Count the rows of several sources, and join their people by the person column.

    Parameters
    ----------
    patterns
        Two or more: a file, folder or pattern each, as for :func:`core.engine.counting.frequency_table_of_files`.
    schema
        Names the quasi-identifiers, the sensitive attribute and the person column, which all sources have, and the
        cells that mean missing: a record without a person belongs to no one.
    bounds, decimal, delimiter
        As for :func:`core.engine.counting.frequency_table_of_files`.
    count
        "" if each row is one record, whatever the columns are called.
    engine
        Counts and joins instead of DuckDB.
    progress
        Called with the share of the work done; may raise to cancel.

    Raises
    ------
    ParameterError
        If there are fewer than two sources, or no person column.
    InputError
        If no one is in all sources, their person columns cannot be compared, one of them is a
        frequency table, or as for :func:`core.engine.counting.frequency_table_of_files`.
    LimitError
        If a source has more than 20,000,000 distinct rows, or the memory does not suffice.

    Notes
    -----
    Each source is read once to be counted and once to be joined, the second twice. On the engine O(records), and
    O(people in all) of its memory or its work folder; in core O(distinct rows + groups).
    """
    person = schema.person
    if person is None:
        raise ParameterError("People are joined by the person column; the schema has none.", parameter="person")
    if len(patterns) < 2:
        raise ParameterError("Joining people needs at least two sources.", parameter="others")
    columns = schema.counted
    with without_past():
        files = [files_of(pattern) for pattern in patterns]
        with ExitStack() as stack:
            stack.enter_context(unchanged(*files))
            how = [source_of(some, (*columns, person), delimiter, count) for some in files]
            for source in how if count is None else ():
                source.check_counts()
            key_type = _common_key_type(how, person)
            paths = [path for some in files for path in some.paths]
            held = engine or stack.enter_context(connected(paths, bounds or EngineBudget()))
            sources = []
            for number, source in enumerate(how):
                share = part(progress, 0.6 * number / len(files), 0.6 * (number + 1) / len(files))
                counting = part(share, 0.0, 0.8)
                there = OnEngine.counted(held, source.without_last(), decimal, f"v{number}_", progress=counting)
                sources.append(_Source(there, there.frequency_table(part(share, 0.8)), number))
                held.drop("keyed")
            people = [
                source.people(schema, key_type, _key_type(own.types)) for source, own in zip(sources, how, strict=True)
            ]
            _join(held, sources, people, part(progress, 0.6, 0.95))
            several = held.table("shared").select(nw.col("several").sum().cast(nw.Int64).fill_null(0))
            ((with_several_records,),) = fetched(held, several)
            rows, weight = _groups(held, len(sources))
            for some in files:
                some.check_unchanged()
    if not len(weight):
        raise InputError(
            f"According to the column {shown(person)}, no one has exactly one record in each of the sources; check "
            f"that all write it the same way.",
            parameter="person",
        )
    tables = tuple(source.frequencies for source in sources)
    return SharedPeople(tables, rows, weight, int(with_several_records))


@dataclass(frozen=True, eq=False)
class _Source:
    """Files of one hospital that are counted, and their frequency table."""

    there: OnEngine
    frequencies: FrequencyTable
    number: int

    def people(self, schema: Schema, key_type: str, own_type: str) -> nw.LazyFrame[Any]:
        """Return the records with a person ``p``, and their cells."""
        records, person = rows_of_files(self.there, str(schema.person)), nw.col("key")
        records, absent = records.filter(~person.is_null()), ("", *schema.missing_tokens)
        if own_type == TEXT:
            records = records.filter(~person.is_in(absent))
        elif own_type == WHOLE:
            # A number means missing if its own text does: 999, but not 0999.
            for token in filter(WRITTEN.fullmatch, absent):
                records = records.filter(person != int(token))
        person = person.cast(nw.String) if key_type == TEXT and own_type == WHOLE else person
        return records.with_columns(person.alias("p")).drop("key")

    def placed(self, records: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        """Give records their row ``r`` of the frequency table."""
        rows = np.arange(len(self.frequencies))
        return with_rows(self.there, records, self.frequencies, rows).rename({CLASS: f"r{self.number}"})


def _key_type(types: Sequence[Any] | None) -> str:
    key_type = None if types is None else str(types[-1])
    if key_type is None or key_type == "string":
        return TEXT
    return WHOLE if key_type.startswith(("int", "uint")) else key_type


def _common_key_type(sources: Sequence[Source], person: str) -> str:
    """Return the type for comparing the person columns; text if some are text and some whole numbers."""
    if any(source.count for source in sources):
        raise InputError(
            "A frequency table counts records and does not identify their persons; give the data themselves.",
            parameter="person",
        )
    key_types = {_key_type(source.types) for source in sources}
    # NaN cannot be recognised in floats: DuckDB 2.0.0 does not report it for Parquet files.
    if not key_types <= {WHOLE, TEXT} and (len(key_types) > 1 or key_types & FLOATING):
        raise InputError(
            f"The column {shown(person)} has types that cannot be compared; write it as text, or as whole numbers, "
            f"in all sources.",
            parameter="person",
        )
    return TEXT if TEXT in key_types else key_types.pop()


def _join(
    engine: HeldTables, sources: Sequence[_Source], people: Sequence[nw.LazyFrame[Any]], progress: Progress | None
) -> None:
    """Make a table ``shared``: the people in all sources, one row each, with their row of each table.

    People are grouped source by source, so that an identifier which many records have in each, such as one for unknown,
    multiplies nothing. Records are taken before their rows are looked up: those of other people need none.
    """
    for number, (source, theirs) in enumerate(zip(sources, people, strict=True)):
        if number == 0:
            records = theirs.join(people[1].select("p"), on="p", how="semi").with_columns(several=nw.lit(0))
        else:
            records = theirs.join(engine.table("shared"), on="p")
        share = part(progress, number / len(sources), (number + 1) / len(sources))
        engine.keep("records", records, part(share, 0.0, 0.5))
        kept = [nw.col(f"r{before}").max() for before in range(number + 1)]
        joined = source.placed(engine.table("records")).group_by("p")
        rows = joined.agg(*kept, nw.col("several").max(), nw.len().alias("times"))
        several = nw.when(nw.col("times") > 1).then(nw.lit(1)).otherwise(nw.col("several"))
        engine.keep("shared", rows.with_columns(several=several).drop("times"), part(share, 0.5))
        engine.drop("records")


def _groups(engine: HeldTables, sources: int) -> tuple[Ints, Ints]:
    """(sources, groups) rows of the frequency tables, and people of each; in the order of the rows."""
    rows = [f"r{number}" for number in range(sources)]
    groups = engine.table("shared").filter(nw.col("several") == 0).group_by(rows).agg(nw.len().cast(nw.Int64))
    fetched_groups = fetched(engine, groups)
    if not fetched_groups.size:
        return np.empty((sources, 0), dtype=np.int64), np.empty(0, dtype=np.int64)
    *numbers, people = fetched_groups[:, np.lexsort(fetched_groups[-2::-1])]
    return np.stack(numbers), people
