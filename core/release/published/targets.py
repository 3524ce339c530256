"""People as an adversary knows them: texts of quasi-identifiers, and nothing else."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Ints
from core.base.short import many, named, short
from core.data.encoding.encoded import Encoded
from core.data.tables.table import Table, table_of

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

MISSING = ""
"""Text of a value that is known to be missing."""


@dataclass(frozen=True, eq=False)
class Targets:
    """Knowledge of an adversary about some people.

    Parameters
    ----------
    names
        Quasi-identifiers that the adversary knows.
    texts
        Distinct values of each; the empty text is a missing value.
    codes
        (names, people) index of each person's value among these.
    """

    names: tuple[str, ...]
    texts: tuple[tuple[str, ...], ...]
    codes: Ints

    def __repr__(self) -> str:
        return short(self, many(self.people, "person", "people"), f"known by {named(self.names)}")

    @classmethod
    def of(cls, encoded: Encoded, positions: NDArray[Any]) -> Targets:
        """Take all quasi-identifiers of some records of a table."""
        texts = [
            tuple(MISSING if code == domain.missing else label for code, label in enumerate(domain.labels))
            for domain in encoded.qids
        ]
        names = tuple(domain.name for domain in encoded.qids)
        return cls(names, tuple(texts), encoded.codes[:, positions].astype(np.int64))

    @classmethod
    def from_frame(cls, frame: Table | IntoDataFrame) -> Targets:
        """Take a table or frame with one row per person and one column per quasi-identifier."""
        table = table_of(frame)
        return cls.of_table(table, table.names)

    @classmethod
    def of_table(cls, table: Table, names: Sequence[str], missing: Collection[str] = ()) -> Targets:
        """Take some columns of a table, one row per person; some texts mean a missing value."""
        columns = [table.column(name) for name in names]
        codes = np.array([column.codes for column in columns], dtype=np.int64)
        texts = tuple(tuple(MISSING if text in missing else text for text in column.labels) for column in columns)
        return cls(tuple(names), texts, codes)

    @property
    def people(self) -> int:
        """Number of people."""
        return int(self.codes.shape[1])
