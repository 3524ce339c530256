"""What published files guarantee, measured by the engine from these files alone.

The formulas are written once more, over the engine's own groups, and share nothing with what
formed the classes or with :mod:`core.measurement`, but how the engine numbers values: three ways to
one number. k, distinct and entropy l, t with the equal distance, and the average risk of being
found; other numbers need an order, a taxonomy or a list, and :func:`core.measurement.measure` has
them, from the tally of the files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.arrays import Progress, part
from core.errors import InputError
from core.lake.counting import check_counts, make_keyed, source_of
from core.lake.engine import Bounds, connected
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
    absent = [*([""] for _ in quasi_identifiers), ["", *missing]]
    with connected(files.paths, bounds or Bounds()) as engine:
        check_counts(engine, source)
        keys = make_keyed(engine, source, absent=absent, progress=part(progress, 0.0, 0.8))
        parts = [f"{own} AS k{number}" for number, own in enumerate(keys.without_last("keyed"))]
        value = keys.number(len(quasi_identifiers), "keyed")
        engine.run(
            f"CREATE TEMP VIEW pairs AS SELECT {', '.join(parts)}, {value} AS s, n::DOUBLE AS n FROM keyed"  # noqa: S608 - names of our own
        )
        by = ", ".join(keys.names)
        engine.run(
            "CREATE TEMP TABLE shares AS SELECT s, sum(n) / (SELECT sum(n) FROM pairs) AS q FROM pairs GROUP BY s"
        )
        engine.run(
            f"CREATE TEMP TABLE held AS SELECT {by}, sum(n) AS size, coalesce(sum(n) FILTER (s <> 0), 0) AS told, "  # noqa: S608 - as above
            f"count(*) FILTER (s <> 0) AS distinct_values, coalesce(sum(n * ln(n)) FILTER (s <> 0), 0) AS logs "
            f"FROM pairs GROUP BY {by}",
            part(progress, 0.8, 0.9),
        )
        # Where p is 0, the smaller of p and q is 0: so t needs the values of the class alone. Left joins keep the
        # engine from building its tables on the side with all pairs.
        engine.run(
            f"CREATE TEMP TABLE distances AS SELECT 1 - sum(least(n / size, q)) AS far "  # noqa: S608 - as above
            f"FROM pairs LEFT JOIN held USING ({by}) LEFT JOIN shares USING (s) GROUP BY {by}",
            part(progress, 0.9),
        )
        (weakest,) = engine.rows(
            "SELECT coalesce(sum(size), 0), count(*), min(size), min(distinct_values), "
            "min(CASE WHEN told > 0 THEN exp(greatest(ln(told) - logs / told, 0)) ELSE 0 END), "
            "(SELECT max(greatest(far, 0)) FROM distances), count(*) / sum(size) FROM held"
        )
    files.check_unchanged()
    rows, classes, *numbers = weakest
    if not rows:
        raise InputError("The files have a header but no rows; nothing can be measured.")
    return Measured(int(rows), int(classes), dict(zip(NUMBERS, map(float, numbers), strict=True)))
