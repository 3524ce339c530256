"""Guarantees of published files, measured from these files alone.

The formulas are written once more, over rows in the order of the files or over an engine's own groups. They share
nothing with the code that formed the classes or with :mod:`core.measurement`: three ways to one number. k, distinct and
entropy l, t with the equal distance, and the average re-identification risk; other numbers need an order, a taxonomy or
a list, and :func:`core.measurement.measure` has them, from the frequency table of the files.

Published files usually have the rows of a class one after another. Then each class is measured as it is read, and only
a hash of its cells is kept, which shows in the end that no class occurred twice. Files in another order are grouped by
an engine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
from pandas.util import hash_array
from pyarrow import parquet
from pyarrow.compute import match_substring_regex

from core.base.arrays import Floats, Ints, LastProgress, Progress, part
from core.base.errors import InputError
from core.base.errors import shown_name as shown
from core.engine.counting import make_keyed
from core.engine.file_patterns import files_of, unchanged
from core.engine.held import HeldTables, fetched, without_past
from core.engine.keys import Keys
from core.engine.on_duckdb import EngineBudget, connected
from core.engine.sources import Source, source_of

NUMBERS = ("k", "distinct_l", "entropy_l", "t", "average_risk")
"""Numbers that the engine measures, by their names in :data:`core.measurement.MEASURES`."""
STARS = r"\A *[*]+ *\z"
"""Cells of suppressed records, as a pattern."""
PART_OF_MEMORY = 8
"""Divisor of the engine's memory that gives the additional memory for class numbers."""
MIXING = np.uint64(0x9E3779B97F4A7C15)
"""An odd number by which the hashes of the texts of a class are mixed."""
LARGEST = 5_000_000
"""Largest number of rows of a row group that is read at once."""
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
    engine: HeldTables | None = None,
    progress: Progress | None = None,
) -> MeasuredFiles:
    """Measure the files that a pattern names, whatever the number of classes.

    Parameters
    ----------
    pattern, bounds, delimiter, progress
        As for :func:`core.engine.counting.frequency_table_of_files`.
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
    with without_past(), unchanged(files):
        source = source_of(files, columns, delimiter)
        source.check_counts()
        for column, arrow_type in zip(columns, source.types or (), strict=False):
            if str(arrow_type) != "string":
                raise InputError(
                    f"The column {shown(column)} of the published files does not hold text; write it as text, or "
                    "measure one file.",
                    parameter=column,
                )
        so_far, budget, suppressed = LastProgress(progress), bounds or EngineBudget(), 0
        weakest = None
        if source.types is not None and source.records and not source.count:
            with suppress(pa.ArrowException, OSError):  # the engine says what is wrong
                weakest = _in_order(source, missing, suppression, budget.bytes // PART_OF_MEMORY, so_far)
        if weakest is None:
            later = part(progress, so_far.share)
            with ExitStack() as stack:
                held = engine or stack.enter_context(connected(files.paths, budget))
                rows, is_distinct = held.rows_of(source, part(later, 0.0, 0.4))
                starred = _starred(len(quasi_identifiers))
                suppressed = _suppressed(held, rows, starred) if suppression else 0
                rows = rows.filter(~starred) if suppressed else rows
                absent = [*([""] for _ in quasi_identifiers), ["", *missing]]
                how: dict[str, Any] = {"is_distinct": is_distinct, "absent": absent, "tables": "w"}
                keys = make_keyed(held, rows, len(columns), **how, progress=part(later, 0.4, 0.8))
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


# ---- classes in the order of the files -----------------------------------------------------------


def _weakest(owner: Ints, value: Ints, count: Ints, shares: Floats) -> Floats:
    """Smallest size, distinct values, entropy and overlap with the whole table of some classes.

    Parameters
    ----------
    owner, value, count
        (entries,) class, each of which occurs, number of a value, and records; several entries may be of the same.
    shares
        (values,) share of each value in all records.
    """
    key = owner * len(shares) + value
    order = np.argsort(key, kind="stable")
    key = key[order]
    first = np.flatnonzero(np.append(True, key[1:] != key[:-1]))
    records, owner, value = np.add.reduceat(count[order], first), key[first] // len(shares), key[first] % len(shares)
    starts = np.flatnonzero(np.append(True, owner[1:] != owner[:-1]))
    size, is_known = np.add.reduceat(records, starts), value > 0
    with_value = np.add.reduceat(np.where(is_known, records, 0), starts)
    logs = np.add.reduceat(np.where(is_known, records * np.log(records), 0.0), starts)
    known = np.maximum(with_value, 1)
    entropy = np.where(with_value > 0, np.exp(np.maximum(np.log(known) - logs / known, 0.0)), 0.0)
    distinct = np.add.reduceat(is_known.astype(np.int64), starts)
    # Where p is 0, the smaller of p and q is 0: so t needs the values of the class alone.
    of_entry = np.repeat(size, np.diff(np.append(starts, len(value))))
    near = np.add.reduceat(np.minimum(records / of_entry, shares[value]), starts)
    return np.array([size.min(), distinct.min(), entropy.min(), near.min()])


def _in_order(
    source: Source, missing: Sequence[str], suppression: bool, memory: int, progress: Progress
) -> tuple[float, ...] | None:
    """Rows, classes and :data:`NUMBERS` of Parquet files in which the rows of a class follow one another.

    Parameters
    ----------
    source
        The files.
    missing
        Sensitive texts that mean missing.
    suppression
        Whether rows of stars are in no class.
    memory
        Bytes for the names of the classes, which are kept to see that none occurs twice.
    progress
        Called with the share of the work done; may raise to cancel.

    Returns
    -------
    tuple or None
        ``None`` if a class occurs twice, or there are rows of stars, or too many classes, or rows in one group of a
        file: then an engine groups the rows.
    """
    footers = map(parquet.read_metadata, source.files.paths)
    groups = (footer.row_group(number) for footer in footers for number in range(footer.num_row_groups))
    if max(group.num_rows for group in groups) > LARGEST:
        return None
    known: dict[Any, int] = dict.fromkeys(("", *missing), 0)
    of_value: Ints = np.zeros(1, dtype=np.int64)
    for (cells,) in _row_groups(source, source.columns[-1:]):
        number = _numbers(cells, known)
        counts = np.bincount(number[_codes(cells)], minlength=len(known))
        of_value = counts + np.pad(of_value, (0, len(counts) - len(of_value)))
    shares, values = of_value / of_value.sum(), len(of_value)
    weakest, names, classes, rows, looked = list[Floats](), list[Any](), 0, 0, LOOKED
    # The last class so far: its texts, and its records by the number of the value.
    open_texts, value, count = list[str](), np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    for *cells, sensitive in _row_groups(source, source.columns):
        codes, texts = [_codes(own) for own in cells], [_texts(own) for own in cells]
        first = np.flatnonzero(np.append(True, np.any([code[1:] != code[:-1] for code in codes], axis=0)))
        size = np.diff(np.append(first, len(sensitive)))
        name, is_starred = np.zeros(len(first), dtype=np.uint64), np.full(len(first), suppression)
        for code, own in zip(codes, texts, strict=True):
            name = name * MIXING + hash_array(own, categorize=False)[code[first]]
            is_starred &= match_substring_regex(pa.array(own), STARS).to_numpy(zero_copy_only=False)[code[first]]
        row = np.repeat(np.arange(len(first)), size) * values + _numbers(sensitive, known)[_codes(sensitive)]
        row.sort()
        begin = np.flatnonzero(np.append(True, row[1:] != row[:-1]))
        goes_on = open_texts == [own[code[0]] for code, own in zip(codes, texts, strict=True)]
        is_next = bool(open_texts) and not goes_on
        pair = np.append(value, row[begin] + is_next * values)
        count = np.append(count, np.diff(np.append(begin, len(row))))
        names.append(name[int(goes_on) :])
        classes += len(names[-1])
        if is_starred.any() or 8 * classes > memory:
            return None
        if len(names) == 1 or classes > looked:
            names, looked = [np.sort(np.concatenate(names))], 2 * classes
            if (names[0][1:] == names[0][:-1]).any():
                return None
        owner = pair // values
        is_open = owner == owner[-1]
        if not is_open.all():
            weakest.append(_weakest(owner[~is_open], pair[~is_open] % values, count[~is_open], shares))
        value, count = pair[is_open] % values, count[is_open]
        open_texts = [own[code[-1]] for code, own in zip(codes, texts, strict=True)]
        rows += len(sensitive)
        progress(min(1.0, rows / (source.records or 1)))
    every = np.sort(np.concatenate(names))
    if (every[1:] == every[:-1]).any():
        return None
    weakest.append(_weakest(np.zeros_like(value), value, count, shares))
    size, distinct, entropy, near = np.min(weakest, axis=0)
    return rows, classes, size, distinct, entropy, max(1 - near, 0.0), classes / rows


def _row_groups(source: Source, columns: Sequence[str]) -> Iterator[list[Any]]:
    """Some columns of each row group of Parquet files, as Arrow arrays with a dictionary."""
    for path in source.files.paths:
        with parquet.ParquetFile(path, read_dictionary=list(columns)) as file:
            for number in range(file.num_row_groups):
                table = file.read_row_group(number, columns=list(columns)).unify_dictionaries().combine_chunks()
                if len(table):
                    yield [table.column(column).chunk(0).dictionary_encode() for column in columns]


def _texts(cells: Any) -> Any:
    """(texts,) those of the dictionary of cells, and the empty one at the end."""
    return np.append(cells.dictionary.to_numpy(zero_copy_only=False), "")


def _codes(cells: Any) -> Ints:
    """(rows,) numbers of the texts of cells; a missing one has that of the empty text."""
    place = cells.dictionary.index("").as_py()
    codes: Ints = cells.indices.fill_null(place if place >= 0 else len(cells.dictionary)).to_numpy()
    return codes


def _numbers(cells: Any, known: dict[Any, int]) -> Ints:
    """(texts,) number of each sensitive text, among those known so far; 0 if it means missing."""
    for text in _texts(cells):
        if text not in known:
            known[text] = len(known)
    return np.array([known[text] for text in _texts(cells)])
