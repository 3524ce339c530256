"""One column of a table: distinct texts and a code per row."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.base.errors import InputError
from core.base.errors import shown_name as shown
from core.base.short import many, short


@dataclass(frozen=True, eq=False)
class Column:
    """One column: ``labels[codes[i]]`` is the text of row ``i``.

    Parameters
    ----------
    name
        Header.
    labels
        Distinct texts in sorted order.
    codes
        (rows,) int32 index into ``labels``.
    order
        Values from lowest to highest, as in an ordered category of a frame; empty if there is no such order.
    """

    name: str
    labels: tuple[str, ...]
    codes: NDArray[np.int32]
    order: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return short(self, shown(self.name), many(len(self), "row"), f"{len(self.labels):,} distinct")

    @classmethod
    def from_codes(cls, name: str, labels: Iterable[str], codes: NDArray[Any]) -> Column:
        """Sort the labels, drop those that do not occur, and renumber the codes.

        Raises
        ------
        InputError
            If two labels are the same text.
        """
        texts = list(labels)
        if len(set(texts)) != len(texts):
            raise InputError(f"Two labels of the column {shown(name)} are the same text.", parameter=name)
        used = (np.bincount(codes, minlength=len(texts)) > 0).tolist()
        order = sorted((i for i in range(len(texts)) if used[i]), key=texts.__getitem__)
        rank = np.zeros(len(texts), dtype=np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        kept = rank[codes] if texts else np.zeros(len(codes), dtype=np.int32)
        kept.setflags(write=False)
        return cls(name, tuple(texts[i] for i in order), kept)

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.codes)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How often each label occurs."""
        return np.bincount(self.codes, minlength=len(self.labels))

    def code_of(self, label: str) -> int:
        """Code of a text; -1 if it does not occur. O(log distinct)."""
        place = bisect_left(self.labels, label)
        return place if self.labels[place : place + 1] == (label,) else -1

    def take(self, rows: NDArray[Any]) -> Column:
        """Return the column of some rows."""
        return replace(Column.from_codes(self.name, self.labels, self.codes[rows]), order=self.order)

    def renamed(self, name: str, labels: Iterable[str]) -> Column:
        """The column with a new name and new texts, one for each label; several labels may become one."""
        number: dict[str, int] = {}
        place = np.array([number.setdefault(label, len(number)) for label in labels], dtype=np.int64)
        return Column.from_codes(name, list(number), place[self.codes])

    def texts(self) -> NDArray[Any]:
        """(rows,) object array of the texts."""
        return np.asarray(self.labels, dtype=object)[self.codes] if self.labels else np.empty(0, dtype=object)
