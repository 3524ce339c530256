"""A population list around the hospitals of a study: made around my table, or a file that names my people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.attack.intruder import Claims, PopulationList, claims_of, places_on
from core.base.arrays import Ints, Progress
from core.base.errors import ParameterError, SchemaError
from core.base.errors import shown_name as shown
from core.base.limits import LIMITS
from core.data.encoding.encoded import Encoded
from core.data.tables.table import Table
from core.study.hospitals import Study
from core.study.one_run import Outcome, seeds
from core.study.publisher import CountPublisher
from core.study.synthetic import resampled_records

TIMES = 3
"""People on a list that is made, for each person in any table, if no size is given."""


@dataclass(frozen=True, eq=False)
class ListedPeople:
    """A list read from a file, and who of my table is on it.

    Parameters
    ----------
    population
        Where my table has a person's value, the list has it, too; of everybody else it is not known.
    place
        (records,) place on the list of each record of mine, -1 if it is not on it.
    """

    population: PopulationList
    place: Ints

    @classmethod
    def read(cls, table: Table, mine: Table, encoded: Encoded, names: Sequence[str]) -> ListedPeople:
        """Find my people on a list by the columns that name a person in both.

        Raises
        ------
        SchemaError, ParameterError
            If a column is not there, somebody is named twice, or none of my people is on the list.
        """
        _check(encoded)
        theirs, own = _persons(table, names, "population list"), _persons(mine, names, "data")
        number = {person: place for place, person in enumerate(theirs)}
        if len(number) < len(theirs):
            raise ParameterError(
                f"The population list names a person twice by {', '.join(map(shown, names))}; keep one row of each.",
                parameter="population_list",
            )
        place = np.array([number.get(own[row], -1) for row in encoded.rows.tolist()], dtype=np.int64)
        there = place >= 0
        if not there.any() or len(np.unique(place[there])) < there.sum():
            raise ParameterError(
                f"By {', '.join(map(shown, names))} nobody of my table is on the population list, or two are one "
                "person; name the columns that identify a person in both.",
                parameter="identifiers",
            )
        bare = PopulationList.of_table(table, encoded)
        unknown = replace(bare, values=(), codes=np.full(len(bare.codes), -1))
        codes = encoded.sensitive_codes[there].astype(np.int64)
        return cls(unknown.with_values(place[there], encoded.sensitive.labels, codes), place)


@dataclass(frozen=True, eq=False)
class Intruder:
    """An adversary with a population list.

    Parameters
    ----------
    knows
        What they know about who was where: one of :data:`core.attack.intruder.KNOWS`.
    population
        A list that was read; or the size of one that is made of my people, those of the hospitals drawn, and synthetic
        people who are like mine and in no table. By default :data:`TIMES` times as many as are in any table.
    guess_by
        Columns that the guesser next to them goes by, as for :func:`core.intruder_attack`.
    """

    knows: str = "list"
    population: ListedPeople | int | None = None
    guess_by: Sequence[str] | None = None


def least_listed(encoded: Encoded, study: Study) -> int:
    """People on a list that has all of my table and of every hospital that is drawn."""
    drawn = [number for number, hospital in enumerate(study.hospitals) if hospital.origin == "resampled"]
    return encoded.people + sum(study.size_of(number, encoded.people) - study.overlap for number in drawn)


def list_claims(
    encoded: Encoded, study: Study, outcome: Outcome, seed: int, intruder: Intruder, progress: Progress | None = None
) -> Claims:
    """Attack one draw of a study with a population list.

    Parameters
    ----------
    encoded, study, seed
        Of the draw, which :func:`core.study.one_run.run_study` made.
    outcome
        What it made.
    intruder
        Who attacks.
    progress
        Called with the share done; an exception that it raises cancels the attack.

    Raises
    ------
    ParameterError
        If the list would have no room for the people in the tables, or persons have several records.
    """
    _check(encoded)
    population = intruder.population
    every = replace(study, hospitals=tuple(replace(hospital, attributes=None) for hospital in study.hospitals))
    drawn = every.draw(encoded, seeds(seed, 1)[0])
    parts = [part.records if isinstance(part, CountPublisher) else part.to_release for part in drawn]
    read = isinstance(population, ListedPeople)
    lists, place = [PopulationList.of(encoded)], np.arange(len(encoded))
    if isinstance(population, ListedPeople):
        lists, place = [population.population], population.place
    many, mine, rows = lists[0].targets.people, parts[0], list[Ints | None]()
    assert mine is not None
    shared = place[np.searchsorted(encoded.rows, mine.rows[: study.overlap])]
    for hospital, records, people in zip(study.hospitals, parts, outcome.people, strict=True):
        if hospital.upload is not None:
            rows.append(None if people is None else _of_file(people, shared))
            continue
        assert records is not None
        row = np.where(records.rows >= 0, place[np.searchsorted(encoded.rows, np.maximum(records.rows, 0))], -1)
        strangers = np.flatnonzero(records.rows < 0)
        if len(strangers) and not read:
            row[strangers] = many + np.arange(len(strangers))
            lists.append(PopulationList.of(records.take(strangers)))
            many += len(strangers)
        # A table of counts has no row per person.
        rows.append(None if hospital.counts is not None else row)
    if not isinstance(population, ListedPeople):
        lists += _strangers(encoded, many, TIMES * many if population is None else population, seed)
    whole = PopulationList.together(lists)
    listed = whole.targets.people
    in_all = np.zeros(listed, dtype=bool)
    in_all[shared[shared >= 0]] = True
    places = [None if row is None else places_on(row, listed) for row in rows]
    if progress is not None:
        progress(0.3)
    return claims_of(outcome.releases, places, in_all, whole, intruder.knows, study.locate, intruder.guess_by)


def _strangers(encoded: Encoded, many: int, size: int, seed: int) -> list[PopulationList]:
    """Synthetic people in no table, who bring a list of ``many`` people to its size."""
    LIMITS["list_size"].check(size, "list_size")
    if size < many:
        raise ParameterError(
            f"The population list must have at least the {many:,} people in the tables; {size:,} were asked for.",
            parameter="list_size",
        )
    drawn = resampled_records(encoded, size - many, np.random.SeedSequence((seed, many)))
    return [PopulationList.of(drawn)] if size > many else []


def _of_file(people: Ints, shared: Ints) -> Ints:
    """Places on the list of the rows of a linked file: those of the shared people."""
    row = np.full(int(people.max(initial=-1)) + 1, -1)
    row[people[people >= 0]] = shared[people >= 0]
    return row


def _persons(table: Table, names: Sequence[str], what: str) -> list[tuple[str, ...]]:
    """Texts that name the person of each row."""
    missing = [name for name in names if name not in table.names]
    if missing or not names:
        lacks = f"The {what} has no column {', '.join(map(shown, missing))}" if missing else "No column is named"
        raise SchemaError(f"{lacks}; name the columns that identify a person in both.", parameter="identifiers")
    columns = [table.column(name) for name in names]
    return [*zip(*(np.array(column.labels, dtype=object)[column.codes] for column in columns), strict=True)]


def _check(encoded: Encoded) -> None:
    encoded.need_one_record("A population list", "person")
    encoded.need_rows("A population list")
