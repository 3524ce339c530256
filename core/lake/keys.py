"""Pack rows of values into integers on an engine: eight bytes instead of a hundred for texts and counts.

The engine first finds and numbers the distinct values of each column. A row is then one whole number in mixed radix:
the number of its first value, times the number of values of the next column, plus the number of its second value, and
so on. If 63 bits are not enough, there are several such numbers. So the engine groups whole numbers instead of texts,
and holds several times as many rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import narwhals as nw

from core.base.arrays import Progress, part
from core.lake.engine import Engine, text

MOST = 2**63
"""Number of values that a key can have."""
EXACT = 2**53
"""The same for an engine that divides whole numbers as real ones."""


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
    most
        Number of values that a key can have.
    """

    tables: str
    sizes: tuple[int, ...]
    most: int = MOST

    @cached_property
    def _places(self) -> tuple[tuple[int, int], ...]:
        """For each column the number of its key, and the factor by which its own numbers are multiplied in it."""
        # A key takes columns in their order, as long as one number can distinguish their rows.
        groups: list[list[int]] = [[]]
        rows = 1
        for column, size in enumerate(self.sizes):
            if groups[-1] and rows * size > self.most:
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

    def joins(self, cells: Sequence[str]) -> str:
        """Joins that give a row the number of each of its values, ``x0.i, x1.i, ...``; ``cells`` are the values.

        Every value is found; left joins prevent the engine from building its hash tables on the side with all rows.
        """
        return " ".join(
            f"LEFT JOIN {self.tables}{column} x{column} ON {cell} IS NOT DISTINCT FROM x{column}.v"
            for column, cell in enumerate(cells)
        )

    @property
    def packed(self) -> list[str]:
        """The keys of a row that has been joined with :meth:`joins`."""
        terms: dict[int, list[str]] = {}
        for column, (key, factor) in enumerate(self._places):
            terms.setdefault(key, []).append(f"x{column}.i::UBIGINT * {factor}")
        return [" + ".join(terms[key]) for key in sorted(terms)]

    def number(self, column: int, table: str) -> str:
        """Number of the value in a column for a row of a table with keys."""
        key, factor = self._places[column]
        return f"({table}.k{key} // {factor} % {max(self.sizes[column], 1)})::INTEGER"

    def pack(self) -> list[nw.Expr]:
        """The keys of a row with the numbers ``i0, i1, ...``, as expressions of Narwhals."""
        terms: dict[int, nw.Expr] = {}
        for column, (key, factor) in enumerate(self._places):
            term = nw.col(f"i{column}").cast(nw.Int64) * factor
            terms[key] = terms[key] + term if key in terms else term
        return [terms[key].alias(f"k{key}") for key in sorted(terms)]

    def unpack(self) -> list[nw.Expr]:
        """The numbers ``i0, i1, ...`` of a row with keys, as expressions of Narwhals."""
        numbers = []
        for column, (key, factor) in enumerate(self._places):
            number = nw.col(f"k{key}") // factor % max(self.sizes[column], 1)
            numbers.append(number.cast(nw.Int32).alias(f"i{column}"))
        return numbers

    def without_last(self, table: str) -> list[str]:
        """Keys of a row of a table in all columns but the last."""
        *others, last = (f"{table}.{name}" for name in self.names)
        return [*others, f"{last} // {max(self.sizes[-1], 1)}"]

    def same(self, table: str) -> str:
        """Whether a row that has been joined with :meth:`joins` has the keys of a row of a table."""
        return " AND ".join(f"{table}.{name} = {packed}" for name, packed in zip(self.names, self.packed, strict=True))


def number_values(
    engine: Engine,
    relation: str,
    cells: Sequence[str],
    *,
    tables: str = "v",
    absent: Sequence[Sequence[str]] = (),
    progress: Progress | None = None,
) -> Keys:
    """Find the distinct values of some columns, and number them.

    Parameters
    ----------
    engine
        Gets a table for each column.
    relation, cells
        Relation to select from, and expressions to select, in SQL.
    tables
        As in :class:`Keys`; tables of these names are replaced.
    absent
        Texts of each column that mean missing: they and null have the number 0, which no other value has.
        By default each value has its own number in the order of the engine, including null, which is the first.
    progress
        Called with the share of the work done; may raise to cancel.

    Notes
    -----
    O(columns x rows) on the engine, and O(distinct values) of its memory or its work folder. A column of a Parquet file
    is read separately, and usually has a list of its values.
    """
    many = len(cells)
    for column, cell in enumerate(cells):
        if absent:
            missing = ", ".join(map(text, absent[column]))
            number = f"CASE WHEN v IS NULL OR v IN ({missing}) THEN 0 ELSE row_number() OVER () END"
        else:
            # In this order, numbers of values are usually those that core assigns.
            number = "row_number() OVER (ORDER BY v NULLS FIRST) - 1"
        distinct = f"SELECT DISTINCT {cell} AS v FROM {relation}"  # noqa: S608 - as above
        engine.run(
            f"CREATE OR REPLACE TEMP TABLE {tables}{column} AS "  # noqa: S608 - as above
            f"SELECT v, ({number})::INTEGER AS i FROM ({distinct})",
            part(progress, column / many, (column + 1) / many),
        )
    sizes = (engine.number(f"SELECT coalesce(max(i), -1) + 1 FROM {tables}{column}") for column in range(many))  # noqa: S608 - as above
    return Keys(tables, tuple(sizes))


__all__ = ["Keys", "number_values"]
