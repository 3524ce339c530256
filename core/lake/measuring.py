"""Guarantees of published files, measured by the engine from these files alone.

The formulas are written once more, over the engine's own groups. They share nothing with the code that formed the
classes or with :mod:`core.measurement`, except how the engine numbers values: three ways to one number. k, distinct and
entropy l, t with the equal distance, and the average re-identification risk; other numbers need an order, a taxonomy or
a list, and :func:`core.measurement.measure` has them, from the frequency table of the files.

Published files usually have the rows of a class one after another. Then each class is measured as it is read, and only
its number is kept, which shows in the end that no class occurred twice. Files in another order are grouped by the
engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from core.base.arrays import Bools, Floats, Ints, LastProgress, Progress, part
from core.base.errors import InputError
from core.lake.counting import Counting, Source, make_keyed, rows_by_duckdb, source_of
from core.lake.engine import Engine, EngineBudget, connected
from core.lake.file_patterns import files_of
from core.lake.held import HeldTables, fetched
from core.lake.keys import Keys, number_values
from core.lake.lazy_frames import chosen

NUMBERS = ("k", "distinct_l", "entropy_l", "t", "average_risk")
"""Numbers that the engine measures, by their names in :data:`core.measurement.MEASURES`."""
STARS = r"\A *[*]+ *\z"
"""Cells of suppressed records, as a pattern."""
FEW = 64
"""Mean records per class from which grouping on the engine is faster than streaming."""
PART_OF_MEMORY = 8
"""Divisor of the engine's memory that gives the additional memory for class numbers."""
PLACE = " + ".join(
    f"coalesce(try_cast(given.{column} AS BIGINT), 0) * {factor}"
    for column, factor in (("file_index", 2**40), ("file_row_number", 1))
)
"""Position of a row in the files, in columns that the engine adds."""
LOOKED = 1_000_000
"""Number of classes before the first test whether one occurred twice."""


@dataclass(frozen=True)
class MeasuredFiles:
    """The weakest class of published files [definitions §2].

    Parameters
    ----------
    rows, classes
        Records in classes, and equivalence classes.
    numbers
        Those of :data:`NUMBERS`.
    suppressed
        Records excluded because every quasi-identifier is ``*``.
    distance
        That of t.
    """

    rows: int
    classes: int
    numbers: dict[str, float]
    suppressed: int = 0
    distance: str = "equal"

    @property
    def people(self) -> int:
        """Number of records in classes; their persons are unknown."""
        return self.rows


def measure_files(
    pattern: str,
    quasi_identifiers: Sequence[str],
    sensitive: str,
    bounds: EngineBudget | None = None,
    *,
    missing: Sequence[str] = ("",),
    delimiter: str | None = None,
    suppression: bool = True,
    engine: Counting | None = None,
    progress: Progress | None = None,
) -> MeasuredFiles:
    """Measure the files that a pattern names, whatever the number of classes.

    Parameters
    ----------
    pattern, bounds, delimiter, progress
        As for :func:`core.lake.counting.frequency_table_of_files`.
    quasi_identifiers, sensitive
        Columns of texts. Records with equal cells in all quasi-identifiers are a class.
    missing
        Sensitive texts that mean missing: not counted for l, one value for t.
    suppression
        As for :func:`core.measurement.measure`.
    engine
        Measures instead of DuckDB.

    Raises
    ------
    InputError
        If a file cannot be read, has no such column, was changed meanwhile, or a column is not of texts.

    Notes
    -----
    On the engine O(records). If the rows of a class follow one another, 8 bytes in memory for each class, up to an
    eighth of the engine's memory; else O(pairs of a class and a value) of its memory or its work folder.
    """
    files, columns = files_of(pattern), (*quasi_identifiers, sensitive)
    source = source_of(files, columns, delimiter)
    if source.types is not None and any(str(arrow_type) != "string" for arrow_type in source.types):
        raise InputError("A column of the published files does not hold text; give the files as they were published.")
    absent = [*([""] for _ in quasi_identifiers), ["", *missing]]
    so_far = LastProgress(progress)
    with ExitStack() as stack:
        held = engine or stack.enter_context(connected(files.paths, bounds or EngineBudget()))
        if isinstance(held, Engine):
            rows, is_distinct = rows_by_duckdb(held, source, part(so_far, 0.0, 0.5))
        else:
            rows, is_distinct = chosen(held.read(files), source.columns, source.count).frame, False
        starred = _starred(len(quasi_identifiers))
        suppressed = _suppressed(held, rows, starred) if suppression else 0
        weakest = None
        if suppressed:
            rows = rows.filter(~starred)
        elif isinstance(held, Engine):  # excluded rows may have separated the others
            weakest = _as_they_come(held, source, absent, so_far)
        if weakest is None:
            later = part(progress, so_far.share)
            how: dict[str, Any] = {"is_distinct": is_distinct, "absent": absent, "tables": "w"}
            keys = make_keyed(held, rows, len(columns), **how, progress=part(later, 0.0, 0.8))
            weakest = _grouped(held, keys, part(later, 0.8))
    files.check_unchanged()
    records, classes, *numbers = weakest
    if not records:
        raise InputError("The files have a header but no rows; nothing can be measured.")
    return MeasuredFiles(int(records), int(classes), dict(zip(NUMBERS, map(float, numbers), strict=True)), suppressed)


def _starred(columns: int) -> nw.Expr:
    """Whether every quasi-identifier of a row is ``*``, of any length."""
    cells = (nw.col(f"c{number}") for number in range(columns))
    return nw.all_horizontal(*(cell.str.contains(STARS).fill_null(False) for cell in cells), ignore_nulls=False)


def _suppressed(engine: HeldTables, rows: nw.LazyFrame[Any], starred: nw.Expr) -> int:
    """Records whose quasi-identifiers are all ``*``; 0 if those of all records are."""
    sums = (nw.when(starred).then(nw.col("n")).otherwise(0).sum().alias("apart"), nw.col("n").sum())
    apart, records = fetched(engine, rows.select(total.cast(nw.Int64).fill_null(0) for total in sums))[:, 0].tolist()
    return int(apart) if apart < records else 0


def _grouped(engine: HeldTables, keys: Keys, progress: Progress | None) -> tuple[float, ...]:
    """Rows, classes and :data:`NUMBERS` of the engine's table ``keyed``; the last column is the value, 0 if missing."""
    by, value = keys.names, keys.unpack()[-1].alias("s")
    pairs = engine.table("keyed").select(*keys.without_last(), value, "n")
    count, size = nw.col("n").cast(nw.Float64), nw.col("size")
    has_value = nw.col("s") != 0
    shares = pairs.group_by("s").agg(count.sum().alias("of_value"))
    whole = shares.select(nw.col("of_value").sum().alias("whole"))
    engine.keep("shares", shares.join(whole, how="cross").select("s", q=nw.col("of_value") / nw.col("whole")))
    with_parts = pairs.with_columns(
        size=count,
        known=nw.when(has_value).then(count).otherwise(0.0),
        distinct=nw.when(has_value).then(nw.lit(1)).otherwise(0),
        logs=nw.when(has_value).then(count * count.log()).otherwise(0.0),
    )
    sums = [nw.col(name).sum() for name in ("size", "known", "distinct", "logs")]
    engine.keep("held", with_parts.group_by(by).agg(*sums), part(progress, 0.0, 0.5))
    held = engine.table("held")
    # Where p is 0, the smaller of p and q is 0: so t needs the values of the class alone.
    near = pairs.join(held.select(*by, "size"), on=by, how="left").join(engine.table("shares"), on="s", how="left")
    near = near.with_columns(near=nw.min_horizontal(count / size, "q")).group_by(by).agg(nw.col("near").sum())
    engine.keep("near", near.select(nw.col("near").min()), part(progress, 0.5))
    # The logarithm of entropy l; none where no value is known.
    logarithm = nw.col("known").log() - nw.col("logs") / nw.col("known")
    entropy = nw.when(nw.col("known") > 0).then(logarithm).otherwise(float("-inf"))
    least = size.min(), nw.col("distinct").min().cast(nw.Float64), entropy.min().alias("entropy")
    numbers = held.select(size.sum().alias("rows"), nw.len().cast(nw.Float64).alias("classes"), *least)
    (row,) = [row for batch in engine.stream(numbers) for row in zip(*batch.to_pydict().values(), strict=True)]
    rows, classes, size_of, distinct, least_entropy = (number or 0 for number in row)
    (nearest,) = [number for batch in engine.stream(engine.table("near")) for number in batch.column(0).to_pylist()]
    entropy_of = float(np.exp(max(least_entropy, 0.0))) if least_entropy > -np.inf else 0.0
    return rows, classes, size_of, distinct, entropy_of, max(1 - (nearest or 0), 0.0), classes / max(rows, 1)


# ---- classes as they come by ----------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of a class and a value, class after class.

    Parameters
    ----------
    starts
        (classes,) first pair of each.
    value, count
        (pairs,) number of the value, 0 if it is missing, and records.
    """

    starts: Ints
    value: Ints
    count: Ints

    @classmethod
    def of(cls, owner: Ints, value: Ints, count: Ints, values: int) -> Pairs:
        """Add up entries of the same class and value; ``owner`` is the class, and every class occurs."""
        key = owner * values + value
        order = np.argsort(key, kind="stable")
        key = key[order]
        first = np.flatnonzero(np.append(True, key[1:] != key[:-1]))
        owner = key[first] // values
        starts = np.flatnonzero(np.append(True, owner[1:] != owner[:-1]))
        return cls(starts, key[first] % values, np.add.reduceat(count[order], first))

    def weakest(self, shares: Floats) -> _Weakest:
        """Measure the classes; ``shares`` (values,) is the share of each value in all records."""
        size = np.add.reduceat(self.count, self.starts)
        there = self.value > 0
        with_value = np.add.reduceat(np.where(there, self.count, 0), self.starts)
        logs = np.add.reduceat(np.where(there, self.count * np.log(self.count), 0.0), self.starts)
        distinct = np.add.reduceat(there.astype(np.int64), self.starts)
        known = np.maximum(with_value, 1)
        entropy = np.where(with_value > 0, np.exp(np.maximum(np.log(known) - logs / known, 0.0)), 0.0)
        of_pair = np.repeat(size, np.diff(np.append(self.starts, len(self.value))))
        # Where p is 0, the smaller of p and q is 0: so t needs the values of the class alone.
        far = 1.0 - np.add.reduceat(np.minimum(self.count / of_pair, shares[self.value]), self.starts)
        return _Weakest(
            int(size.sum()), int(size.min()), int(distinct.min()), float(entropy.min()), float(max(far.max(), 0.0))
        )


@dataclass(frozen=True)
class _Weakest:
    """Records, smallest size, distinct values and entropy, and largest distance of some classes."""

    rows: int = 0
    size: float = np.inf
    distinct: float = np.inf
    entropy: float = np.inf
    far: float = 0.0

    def or_of(self, other: _Weakest) -> _Weakest:
        """Combine with the result of other classes."""
        return _Weakest(
            self.rows + other.rows,
            min(self.size, other.size),
            min(self.distinct, other.distinct),
            min(self.entropy, other.entropy),
            max(self.far, other.far),
        )


class _ComingBy:
    """Classes with consecutive rows, measured as a stream."""

    def __init__(self, values: int, shares: Floats) -> None:
        self._values, self._shares = values, shares
        self._met: list[Ints] = []
        self._edges: list[tuple[Ints, Ints, Ints]] = []
        self._looked = LOOKED
        self.weakest, self.classes, self.rows, self.runs, self.kept = _Weakest(), 0, 0, 0, 0

    def take(self, key: Ints, place: Ints) -> bool:
        """Measure the classes that begin and end among some rows.

        Parameters
        ----------
        key
            (rows,) number of the class, times the values, plus that of the value.
        place
            (rows,) position of each row in the files: a row that does not follow the one before came from elsewhere,
            and so may a part of its class.

        Returns
        -------
        bool
            Whether none is known to have occurred twice.
        """
        of_row = key // self._values
        begins = np.append(True, of_row[1:] != of_row[:-1])
        first = np.flatnonzero(begins)
        run_of_row = np.cumsum(begins) - 1
        breaks = np.flatnonzero(place[1:] != place[:-1] + 1)
        is_edge = np.zeros(len(first), dtype=bool)
        is_edge[[0, -1]] = is_edge[run_of_row[breaks]] = is_edge[run_of_row[breaks + 1]] = True
        packed = run_of_row * self._values
        packed += key - of_row * self._values
        packed = packed.astype(np.int32) if int(packed[-1]) < 2**31 - self._values else packed
        packed.sort()
        pair = np.flatnonzero(np.append(True, packed[1:] != packed[:-1]))
        count = np.diff(np.append(pair, len(packed)))
        held = packed[pair].astype(np.int64)
        run = held // self._values
        value = held - run * self._values
        names, at_edge = of_row[first], is_edge[run]
        self.rows += len(key)
        self.runs += len(first)
        self.kept += int(np.count_nonzero(at_edge))
        self._edges.append((names[run[at_edge]], value[at_edge], count[at_edge]))
        if is_edge.all():
            return True
        run = run[~at_edge]
        starts = np.flatnonzero(np.append(True, run[1:] != run[:-1]))
        self.weakest = self.weakest.or_of(Pairs(starts, value[~at_edge], count[~at_edge]).weakest(self._shares))
        return self._meet(names[~is_edge])

    def end(self) -> bool:
        """Measure classes that span blocks; False if a class occurred twice."""
        if not self._edges:
            return True
        names, value, count = map(np.concatenate, zip(*self._edges, strict=True))
        name, owner = np.unique(names, return_inverse=True)
        self._edges.clear()
        self.weakest = self.weakest.or_of(Pairs.of(owner, value, count, self._values).weakest(self._shares))
        return self._meet(name) and self._differ()

    def _meet(self, names: Ints) -> bool:
        self._met.append(names)
        self.classes += len(names)
        if len(self._met) == 1 or self.classes > self._looked:
            self._looked = 2 * self.classes
            return self._differ()
        return True

    def _differ(self) -> bool:
        """Whether every class occurred only once so far."""
        met = np.concatenate(self._met)
        self._met.clear()
        met.sort()
        self._met.append(met)
        is_repeated: Bools = met[1:] == met[:-1]
        return not bool(is_repeated.any())


def _as_they_come(
    engine: Engine, source: Source, absent: Sequence[Sequence[str]], progress: Progress
) -> tuple[float, ...] | None:
    """Rows, classes and :data:`NUMBERS` of files in which the rows of a class follow one another.

    Parameters
    ----------
    engine, source, absent, progress
        As for :func:`core.lake.counting.make_keyed`.

    Returns
    -------
    tuple or None
        ``None`` if a class occurs twice, classes are very large or very many, or a row of these files is not one record
        with one key: then the engine has to group them.
    """
    if source.types is None or not source.records or source.count:
        return None
    rows = engine.select(source.rows())
    keys = number_values(engine, rows, len(source.columns), absent=absent)
    if len(keys.names) > 1:
        return None
    last, values = len(keys.sizes) - 1, max(keys.sizes[-1], 1)
    counts = keys.numbered(engine, rows, [last]).group_by(f"i{last}").agg(nw.len().cast(nw.Int64))
    number, many = fetched(engine, counts)
    shares = np.zeros(values)
    shares[number] = many / many.sum()
    placed = engine.select(source.rows(f"{PLACE} AS place"))
    classes = _ComingBy(values, shares)
    for batch in engine.stream(keys.numbered(engine, placed).select(*keys.pack(), "place")):
        if not batch.num_rows:
            continue
        once = classes.take(*(column.to_numpy() for column in batch.columns))
        held = 8 * classes.classes + 24 * classes.kept
        if not once or held > engine.memory // PART_OF_MEMORY or classes.rows > FEW * classes.runs:
            return None
        progress(min(1.0, classes.rows / source.records))
    if not classes.end():
        return None
    weakest = classes.weakest
    return (
        weakest.rows,
        classes.classes,
        weakest.size,
        weakest.distinct,
        weakest.entropy,
        weakest.far,
        classes.classes / weakest.rows,
    )
