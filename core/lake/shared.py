"""Find people in several folders of files: joined by the person column on the engine, as groups of equal people.

For the shared people, an attack needs only the row of each frequency table that has their record. So the engine joins
the files by the person column, and returns the distinct combinations of rows with their numbers of people. The values
of the person column never leave the engine.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.base.arrays import Ints, Progress, part
from core.base.errors import InputError, ParameterError
from core.base.errors import shown_name as shown
from core.base.short import many, short
from core.data.classes import distinct_columns, weighted_count
from core.data.encoding.encoded import Encoded
from core.data.frequency_table import FrequencyTable
from core.data.schemas.schema import Schema
from core.lake.counting import BATCH, OnEngine, source_of, without_past
from core.lake.engine import Engine, EngineBudget, connected, name, text
from core.lake.file_patterns import files_of

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
    progress: Progress | None = None,
) -> SharedPeople:
    """Count the rows of several sources, and join their people by the person column.

    Parameters
    ----------
    patterns
        Two or more: a file, folder or pattern each, as for :func:`core.lake.counting.frequency_table_of_files`.
    schema
        Names the quasi-identifiers, the sensitive attribute and the person column, which all sources have, and the
        cells that mean missing: a record without a person belongs to no one.
    bounds, decimal, delimiter
        As for :func:`core.lake.counting.frequency_table_of_files`.
    progress
        Called with the share of the work done; may raise to cancel.

    Raises
    ------
    ParameterError
        If there are fewer than two sources, or no person column.
    InputError
        If no one is in all sources, their person columns cannot be compared, one of them is a
        frequency table, or as for :func:`core.lake.counting.frequency_table_of_files`.
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
        with connected([path for some in files for path in some.paths], bounds or EngineBudget()) as engine:
            sources = [
                _Source(
                    OnEngine(engine, some, source_of(some, (*columns, person), delimiter), columns, 0, decimal),
                    number,
                    schema,
                )
                for number, some in enumerate(files)
            ]
            key_type = _common_key_type(sources, person)
            frequency_tables, places = [], []
            for number, source in enumerate(sources):
                share = 0.6 / len(sources)
                frequencies, place = source.counted(part(progress, share * number, share * (number + 1)))
                frequency_tables.append(frequencies)
                places.append(place)
            _join(engine, sources, key_type, part(progress, 0.6, 0.95))
            with_several_records = engine.number("SELECT count(*) FROM shared WHERE several")
            rows, weight = _groups(engine, places)
            for some in files:
                some.check_unchanged()
    if not len(weight):
        raise InputError(
            f"According to the column {shown(person)}, no one has exactly one record in each of the sources; check "
            f"that all write it the same way.",
            parameter="person",
        )
    return SharedPeople(tuple(frequency_tables), rows, weight, with_several_records)


class _Source:
    """Files of one hospital: the columns that are counted, and the person column."""

    def __init__(self, there: OnEngine, number: int, schema: Schema) -> None:
        own = there.source
        if own.count:
            raise InputError(
                "A frequency table counts records and does not identify their persons; give the data themselves.",
                parameter="person",
            )
        types = None if own.types is None else own.types[:-1]
        self._there = replace(there, source=replace(own, columns=own.columns[:-1], types=types))
        self._number, self._absent = number, ("", *schema.missing_tokens)
        self._column = name(own.columns[-1])
        self.key_type = _key_type(None if own.types is None else str(own.types[-1]))

    @property
    def people(self) -> str:
        """Records with a person, as ``FROM`` and ``WHERE`` of a query."""
        somebody = [f"{self._column} IS NOT NULL"]
        if self.key_type == TEXT:
            somebody.append(f"{self._column} NOT IN ({', '.join(map(text, self._absent))})")
        elif self.key_type == WHOLE:
            # A number means missing if its own text does: 999, but not 0999.
            numbers = [token for token in self._absent if WRITTEN.fullmatch(token)]
            somebody += [f"{self._column} <> {token}" for token in numbers]
        return f"FROM {self._there.source.relation} WHERE {' AND '.join(somebody)}"

    def person(self, key_type: str) -> str:
        """SQL expression of a record's person."""
        return f"{self._column}::VARCHAR" if key_type == TEXT and self.key_type == WHOLE else self._column

    @property
    def columns(self) -> str:
        """Values that identify a record's tuple, named as in the frequency table."""
        return ", ".join(f"{name(column)} AS c{number}" for number, column in enumerate(self._there.source.columns))

    @property
    def placed(self) -> str:
        """Join that gives a record ``record`` its row of the frequency table, once that is counted."""
        cells = [f"record.c{number}" for number in range(len(self._there.columns))]
        keyed = f"keyed{self._number}"
        return f"{self._there.keys.joins(cells)} JOIN {keyed} ON {self._there.keys.same(keyed)}"

    def counted(self, progress: Progress | None) -> tuple[FrequencyTable, Ints]:
        """Load the frequency table, and leave it on the engine; see :meth:`.OnEngine.placed_frequency_table`."""
        self._there = self._there.counted(part(progress, 0.0, 0.8), f"v{self._number}_")
        frequencies, place = self._there.placed_frequency_table(part(progress, 0.8))
        self._there.engine.run(f"ALTER TABLE keyed RENAME TO keyed{self._number}")
        return frequencies, place


def _key_type(key_type: str | None) -> str:
    if key_type is None or key_type == "string":
        return TEXT
    return WHOLE if key_type.startswith(("int", "uint")) else key_type


def _common_key_type(sources: Sequence[_Source], person: str) -> str:
    """Return the type for comparing the person columns; text if some are text and some whole numbers."""
    key_types = {source.key_type for source in sources}
    # NaN cannot be recognised in floats: DuckDB 2.0.0 does not report it for Parquet files.
    if not key_types <= {WHOLE, TEXT} and (len(key_types) > 1 or key_types & FLOATING):
        raise InputError(
            f"The column {shown(person)} has types that cannot be compared; write it as text, or as whole numbers, "
            f"in all sources.",
            parameter="person",
        )
    return TEXT if TEXT in key_types else key_types.pop()


def _join(engine: Engine, sources: Sequence[_Source], key_type: str, progress: Progress | None) -> None:
    """Make a table ``shared``: the people in all sources, one row each, with their row of each table.

    People are grouped source by source, so that an identifier which many records have in each, such as one for unknown,
    multiplies nothing. Records are taken before their rows are looked up: those of other people need none.
    """
    first, second, *_ = sources
    for number, source in enumerate(sources):
        if number == 0:
            records = (
                f"SELECT {first.person(key_type)} AS p, false AS several, {first.columns} {first.people} "
                f"AND {first.person(key_type)} IN (SELECT {second.person(key_type)} {second.people})"
            )
        else:
            rows = ", ".join(f"shared.r{before}" for before in range(number))
            records = (
                f"SELECT p, several, {rows}, theirs.* EXCLUDE (q) FROM "  # noqa: S608 - quoted
                f"(SELECT {source.person(key_type)} AS q, {source.columns} {source.people}) AS theirs JOIN shared ON "
                f"q = p"
            )
        kept = "".join(f"any_value(r{before}) AS r{before}, " for before in range(number))
        engine.run(
            f"CREATE TEMP TABLE joined AS WITH record AS MATERIALIZED ({records}) SELECT p, {kept}"  # noqa: S608 - quoted
            f"any_value(keyed{number}.rowid) AS r{number}, any_value(several) OR count(*) > 1 AS several "
            f"FROM record {source.placed} GROUP BY p",
            part(progress, number / len(sources), (number + 1) / len(sources)),
        )
        engine.run("DROP TABLE IF EXISTS shared")
        engine.run("ALTER TABLE joined RENAME TO shared")


def _groups(engine: Engine, places: Sequence[Ints]) -> tuple[Ints, Ints]:
    """(sources, groups) rows of the frequency tables, and people of each; in the order of the rows."""
    rows = ", ".join(f"r{number}" for number in range(len(places)))
    query = f"SELECT {rows}, count(*) AS n FROM shared WHERE NOT several GROUP BY ALL"  # noqa: S608 - names of our own
    batches = [np.stack([column.to_numpy() for column in batch.columns]) for batch in engine.batches(query, BATCH)]
    if not batches:
        return np.empty((len(places), 0), dtype=np.int64), np.empty(0, dtype=np.int64)
    *numbers, people = np.concatenate(batches, axis=1)
    placed = np.stack([place[number] for place, number in zip(places, numbers, strict=True)])
    # Distinct rows of the engine may have the same texts.
    first, group, _ = distinct_columns(placed)
    return placed[:, first], weighted_count(group, people, len(first))


__all__ = ["SharedPeople", "shared_people"]
