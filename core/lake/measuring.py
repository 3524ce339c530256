"""What published files guarantee, measured by the engine from these files alone.

The formulas are written once more, over the engine's own groups, and share nothing with what
formed the classes or with :mod:`core.measurement`: three ways to one number. k, distinct and
entropy l, t with the equal distance, and the average risk of being found; other numbers need an
order, a taxonomy or a list, and :func:`core.measurement.measure` has them, from the tally of the files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.arrays import Progress, part
from core.errors import InputError
from core.lake.counting import Source, check_counts, source_of
from core.lake.engine import Bounds, Engine, connected, name, text
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
    cells[-1] = f"CASE WHEN {cells[-1]} IN ({', '.join(map(text, ('', *missing)))}) THEN '' ELSE {cells[-1]} END"
    keys = [f"q{number}" for number in range(len(quasi_identifiers))]
    by = ", ".join(keys)
    with connected(files.paths, bounds or Bounds()) as engine:
        check_counts(engine, source)
        _numbered(engine, source, cells, [*keys, "s"], progress)
        absent = engine.number("SELECT coalesce(max(i), -1) FROM v_s WHERE v = ''")
        known = f"s <> {absent}"
        engine.run(
            "CREATE TEMP TABLE shares AS SELECT s, sum(n) / (SELECT sum(n) FROM pairs) AS q FROM pairs GROUP BY s"
        )
        engine.run(
            f"CREATE TEMP TABLE held AS SELECT {by}, sum(n) AS size, coalesce(sum(n) FILTER ({known}), 0) AS told, "  # noqa: S608 - names of our own
            f"count(*) FILTER ({known}) AS distinct_values, coalesce(sum(n * ln(n)) FILTER ({known}), 0) AS logs "
            f"FROM pairs GROUP BY {by}"
        )
        # Where p is 0, the smaller of p and q is 0: so t needs the values of the class alone.
        engine.run(
            f"CREATE TEMP TABLE classes AS SELECT any_value(size) AS size, any_value(distinct_values) AS "  # noqa: S608 - names of our own
            f"distinct_values, any_value(CASE WHEN told > 0 THEN ln(told) - logs / told END) AS entropy, "
            f"1 - sum(least(n / size, q)) AS far FROM pairs JOIN held USING ({by}) JOIN shares USING (s) GROUP BY {by}"
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


def _numbered(
    engine: Engine, source: Source, cells: Sequence[str], keys: Sequence[str], progress: Progress | None
) -> None:
    """Count records by the numbers of their cells, in a table ``pairs``: texts of millions of classes would not fit."""
    for number, (cell, key) in enumerate(zip(cells, keys, strict=True)):
        engine.run(
            f"CREATE TEMP TABLE v_{key} AS SELECT v, (row_number() OVER ())::INTEGER - 1 AS i "  # noqa: S608 - quoted
            f"FROM (SELECT DISTINCT {cell} AS v FROM {source.relation})",
            part(progress, 0.08 * number, 0.08 * number + 0.08),
        )
    chosen = ", ".join(f"v_{key}.i AS {key}" for key in keys)
    read = ", ".join(f"{cell} AS cell_{key}" for cell, key in zip(cells, keys, strict=True))
    joined = " ".join(f"JOIN v_{key} ON v_{key}.v = cells.cell_{key}" for key in keys)
    each = name(source.count) if source.count else "1"
    engine.run(
        f"CREATE TEMP TABLE pairs AS SELECT {chosen}, sum(cells.each)::DOUBLE AS n "  # noqa: S608 - as above
        f"FROM (SELECT {read}, {each} AS each FROM {source.relation}) AS cells {joined} GROUP BY ALL",
        part(progress, 0.6),
    )
