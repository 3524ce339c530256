"""Count rows of values on an engine as whole numbers: eight bytes instead of a hundred for texts and counts.

The engine first finds and numbers the distinct values of each column. A row is then one whole number in mixed radix:
the number of its first value, times the number of values of the next column, plus the number of its second value, and
so on. If the bits are not enough, there are several such numbers. So the engine groups whole numbers instead of texts,
and holds several times as many rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import narwhals as nw

from core.base.arrays import Progress, part
from core.base.errors import InputError
from core.engine.held import HeldTables, fetched

MOST = 2**63
"""Number of values that a key can have."""
BELOW_ONE = (
    "A frequency table has a count below 1, or one that is no whole number; leave out rows that represent no record."
)


@dataclass(frozen=True)
class Keys:
    """How the values of some columns are numbered, and the numbers of a row packed into keys ``k0, k1, ...``.

    Parameters
    ----------
    tables
        Prefix of the names of the engine's tables of values: ``v`` for ``v0, v1, ...``, each with the value
        ``v`` and its number ``i`` from 0.
    sizes
        Numbers of each column: one more than the highest.
    exact
        Up to which number the engine divides whole numbers exactly.
    """

    tables: str
    sizes: tuple[int, ...]
    exact: int = MOST

    @cached_property
    def _places(self) -> tuple[tuple[int, int], ...]:
        """For each column the number of its key, and the factor by which its own numbers are multiplied in it."""
        # A key takes columns in their order, as long as one number can distinguish their rows.
        groups: list[list[int]] = [[]]
        rows = 1
        for column, size in enumerate(self.sizes):
            if groups[-1] and rows * size > min(self.exact, MOST):
                groups.append([])
                rows = 1
            groups[-1].append(column)
            rows *= size
        places = [(0, 1)] * len(self.sizes)
        for key, columns in enumerate(groups):
            # The last column of a key has the factor 1.
            factor = 1
            for column in reversed(columns):
                places[column] = key, factor
                factor *= max(self.sizes[column], 1)
        return tuple(places)

    @property
    def names(self) -> list[str]:
        """Names of the keys."""
        return [f"k{key}" for key in range(max(key for key, _ in self._places) + 1)]

    def numbered(
        self, engine: HeldTables, rows: nw.LazyFrame[Any], columns: Sequence[int] | None = None
    ) -> nw.LazyFrame[Any]:
        """Give rows with the cells ``c0, c1, ...`` the numbers of their values ``i0, i1, ...``.

        Every value is found; left joins prevent an engine from building its hash tables on the side with all rows.
        """
        for column in range(len(self.sizes)) if columns is None else columns:
            known = engine.table(f"{self.tables}{column}").select("v", nw.col("i").alias(f"i{column}"))
            rows = rows.join(known, left_on=f"c{column}", right_on="v", how="left")
            # A missing cell joins no value, and its number is 0.
            rows = rows.with_columns(nw.col(f"i{column}").fill_null(0))
        return rows

    def pack(self) -> list[nw.Expr]:
        """The keys of a row with the numbers ``i0, i1, ...``, as expressions of Narwhals."""
        terms: dict[int, nw.Expr] = {}
        for column, (key, factor) in enumerate(self._places):
            term = nw.col(f"i{column}").cast(nw.Int64) * factor
            terms[key] = terms[key] + term if key in terms else term
        return [terms[key].alias(f"k{key}") for key in sorted(terms)]

    def unpack(self) -> list[nw.Expr]:
        """The numbers ``i0, i1, ...`` of a row with keys, as expressions of Narwhals."""
        numbers, before = [], -1
        for column, (key, factor) in enumerate(self._places):
            number = nw.col(f"k{key}") // factor if factor > 1 else nw.col(f"k{key}")
            if key == before:  # the first of a key is its rest; this is faster than the remainder of Narwhals
                number = number - number // max(self.sizes[column], 1) * max(self.sizes[column], 1)
            numbers.append(number.cast(nw.Int32).alias(f"i{column}"))
            before = key
        return numbers

    def without_last(self) -> list[nw.Expr]:
        """Keys of a row in all columns but the last, under the same names."""
        *others, last = self.names
        return [*map(nw.col, others), nw.col(last) // max(self.sizes[-1], 1)]


def number_values(
    engine: HeldTables,
    rows: nw.LazyFrame[Any],
    columns: int,
    *,
    absent: Sequence[Sequence[str]] = (),
    tables: str = "v",
    progress: Progress | None = None,
) -> Keys:
    """Find the distinct values of some columns, and number them.

    Parameters
    ----------
    engine
        Gets a table for each column.
    rows
        Cells ``c0, c1, ...`` of each row, and its records ``n``.
    columns
        How many.
    absent
        Texts of each column that mean missing: they and null have the number 0, which no other value has.
        By default each value has its own number in the order of the engine, including null, which is the first.
    tables
        As in :class:`Keys`; tables of these names are replaced.
    progress
        Called with the share of the work done; may raise to cancel.

    Raises
    ------
    InputError
        If a count is below 1.

    Notes
    -----
    O(columns x rows) on the engine, and O(distinct values) of its memory or its work folder. A column of a Parquet file
    is read separately, and usually has a list of its values.
    """
    least = nw.col("n").min().fill_null(1).cast(nw.Int64).alias("size")
    sizes = [rows.select(nw.lit(-1).alias("column"), least)]
    for number in range(columns):
        values = rows.group_by(f"c{number}").agg(nw.len().alias("times")).select(nw.col(f"c{number}").alias("v"))
        place = nw.col("i")
        if absent:
            is_absent = nw.col("v").is_null() | nw.col("v").is_in(absent[number])
            place = nw.when(is_absent).then(nw.lit(0)).otherwise(place + 1)
        # In this order, numbers of values are usually those that core assigns.
        values = values.with_row_index("i", order_by="v").select("v", place.cast(nw.Int32).alias("i"))
        engine.keep(f"{tables}{number}", values, part(progress, number / columns, (number + 1) / columns))
        highest = nw.col("i").max().fill_null(-1).cast(nw.Int64)
        known = engine.table(f"{tables}{number}")
        sizes.append(known.select(nw.lit(number).alias("column"), (highest + 1).alias("size")))
    _, (fewest, *known_sizes) = fetched(engine, nw.concat(sizes).sort("column")).tolist()
    if fewest < 1:
        raise InputError(BELOW_ONE, parameter="count")
    return Keys(tables, tuple(known_sizes), engine.exact)
