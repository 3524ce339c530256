"""Invented people in a folder of Parquet files, more than memory holds: to try everything that an engine does."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from core.base.arrays import Progress
from core.base.errors import MissingPackageError, ParameterError
from core.base.placing import Place, placed
from core.engine.held import quietly

PERSON = "id"
UNWRITTEN = "DuckDB cannot write the rows"
COLUMNS = {
    "age": "17 + CAST(74 * pow({u}, 1.6) AS INTEGER)",
    "sex": "CASE WHEN {u} < 0.48 THEN 'f' ELSE 'm' END",
    "education": "'e' || CAST(16 * pow({u}, 2) AS INTEGER)",
    "race": "'r' || CAST(5 * pow({u}, 4) AS INTEGER)",
    "country": "'c' || CAST(41 * pow({u}, 12) AS INTEGER)",
    "place": "'p' || lpad(CAST(CAST({places} * pow({u}, 2) AS INTEGER) AS VARCHAR), 5, '0')",
    "diagnosis": "'d' || CAST(14 * pow({u}, 1.5) AS INTEGER)",
}
"""SQL of each column; ``u`` is a share from 0 to 1 that a hash draws for each person and column."""
IN_A_FILE = 5_000_000
"""People of one file."""
MOST_PEOPLE, MOST_PLACES = 2**32, 99_999
PLACES = 30_000
"""Places by default, of which nearly all rows differ."""


def write_example_rows(
    folder: Path, people: range, places: int = PLACES, *, force: bool = False, progress: Progress | None = None
) -> tuple[str, ...]:
    """Write invented people into a new folder; a person of the same number is the same in every folder.

    Parameters
    ----------
    folder
        Created by this function.
    people
        Their numbers.
    places
        Number of places that people live in; the more, the more rows differ.
    force
        Whether to replace the folder.
    progress
        Called with the share that is written; may raise to cancel, which leaves no output.

    Returns
    -------
    tuple of str
        The columns: ``id``, which identifies the person by a whole number in no order, six quasi-identifiers,
        ``diagnosis``.

    Raises
    ------
    InputError
        If the folder exists, or cannot be written.
    ParameterError
        If there are no people or places, or too many.
    MissingPackageError
        If DuckDB is not installed.
    """
    try:
        import duckdb
    except ModuleNotFoundError:
        # not tested: tests have every package.
        raise MissingPackageError("duckdb", "make example rows") from None
    if not (0 <= people.start < people.stop <= MOST_PEOPLE and 1 <= places <= MOST_PLACES):
        raise ParameterError(
            f"Example people are numbered from 0 to {MOST_PEOPLE - 1:,}, at least one of them, and live in 1 to "
            f"{MOST_PLACES:,} places.",
            parameter="people",
        )
    # An odd factor takes no two numbers below the power of two to one.
    drawn = [f"(i * 2654435761) % {MOST_PEOPLE} AS {PERSON}"]
    for number, (column, expression) in enumerate(COLUMNS.items()):
        share = f"(hash(i * {len(COLUMNS)} + {number}) / 18446744073709551616.0)"
        drawn.append(f"{expression.format(u=share, places=places)} AS {column}")
    with placed(Place(folder, force, is_folder=True)) as (part,), duckdb.connect() as engine:
        for number, first in enumerate(range(people.start, people.stop, IN_A_FILE)):
            until = min(people.stop, first + IN_A_FILE)
            made = engine.sql(f"SELECT {', '.join(drawn)} FROM range({first}, {until}) AS people(i)")  # noqa: S608 - ours
            quietly(partial(made.write_parquet, str(part / f"{number}.parquet")), UNWRITTEN)
            if progress is not None:
                progress((until - people.start) / len(people))
    return (PERSON, *COLUMNS)
