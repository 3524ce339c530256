"""What published files guarantee, measured by the engine from these files alone.

The formulas are written once more, over the engine's own groups, and share nothing with what
formed the classes or with :mod:`core.measurement`: three ways to one number. k, distinct and
entropy l, t with the equal distance, and the average risk of being found; other numbers need an
order, a taxonomy or a list, and :func:`core.measurement.measure` has them, from the tally of the files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.arrays import Progress
from core.errors import InputError
from core.lake.counting import source_of
from core.lake.engine import Bounds, connected, name, text
from core.lake.files import files_of

NUMBERS = ("k", "distinct_l", "entropy_l", "t", "average_risk")
"""What the engine measures, by names of :data:`core.measurement.MEASURES`."""


@dataclass(frozen=True)
class Measured:
    """The weakest class of published files [definitions §2].

    Parameters
    ----------
    rows, classes
        Records and equivalence classes.
    numbers
        Those of :data:`NUMBERS`.
    """

    rows: int
    classes: int
    numbers: dict[str, float]


def measure_files(
    pattern: str,
    quasi_identifiers: Sequence[str],
    sensitive: str,
    bounds: Bounds | None = None,
    *,
    missing: Sequence[str] = ("",),
    delimiter: str | None = None,
    progress: Progress | None = None,
) -> Measured:
    """Measure the files that a pattern names, whatever the number of classes.

    Parameters
    ----------
    pattern, bounds, delimiter, progress
        As for :func:`core.lake.counting.tally_of_files`.
    quasi_identifiers, sensitive
        Columns of texts. Records with equal cells in all quasi-identifiers are a class.
    missing
        Sensitive texts that mean missing: no value of l, one value of t.

    Raises
    ------
    InputError
        If a file cannot be read, has no such column, was changed meanwhile, or a column is not of texts.

    Notes
    -----
    On the engine O(records), and O(pairs of a class and a value) of its memory or its work folder.
    """
    files, columns = files_of(pattern), (*quasi_identifiers, sensitive)
    source = source_of(files, columns, delimiter)
    if source.types is not None and any(str(kind) != "string" for kind in source.types):
        raise InputError("A column of the published files is not of texts; give the files as they were published.")
    cells = [f"coalesce({name(column)}, '')" for column in source.columns]
    value = f"CASE WHEN {cells[-1]} IN ({', '.join(map(text, ('', *missing)))}) THEN '' ELSE {cells[-1]} END"
    keys = [f"q{number}" for number in range(len(quasi_identifiers))]
    chosen = ", ".join(f"{cell} AS {key}" for cell, key in zip([*cells[:-1], value], [*keys, "s"], strict=True))
    by = ", ".join(keys)
    known = "s NOT IN ('')"
    with connected(files.paths, bounds or Bounds()) as engine:
        engine.run(
            f"CREATE TEMP TABLE pairs AS SELECT {chosen}, {source.counting}::DOUBLE AS n "  # noqa: S608 - quoted
            f"FROM {source.relation} GROUP BY ALL",
            progress,
        )
        engine.run(
            "CREATE TEMP TABLE shares AS SELECT s, sum(n) / (SELECT sum(n) FROM pairs) AS q FROM pairs GROUP BY s"
        )
        # Where p is 0, the smaller of p and q is 0: so t needs the values of the class alone.
        engine.run(
            f"CREATE TEMP TABLE classes AS SELECT sum(n) AS size, count(*) FILTER ({known}) AS distinct_values, "  # noqa: S608 - names of our own
            f"-sum(n / held * ln(n / held)) FILTER ({known}) AS entropy, 1 - sum(least(n / everybody, q)) AS far FROM "
            f"(SELECT {by}, s, n, sum(n) OVER class AS everybody, sum(n) FILTER ({known}) OVER class AS held "
            f"FROM pairs WINDOW class AS (PARTITION BY {by})) JOIN shares USING (s) GROUP BY {by}"
        )
        (weakest,) = engine.rows(
            "SELECT coalesce(sum(size), 0), count(*), min(size), min(distinct_values), "
            "min(CASE WHEN entropy IS NULL THEN 0 ELSE exp(greatest(entropy, 0)) END), "
            "max(greatest(far, 0)), count(*) / sum(size) FROM classes"
        )
    files.check_unchanged()
    rows, classes, *numbers = weakest
    if not rows:
        raise InputError("The files have a header but no rows; nothing can be measured.")
    return Measured(int(rows), int(classes), dict(zip(NUMBERS, map(float, numbers), strict=True)))
