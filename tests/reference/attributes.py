"""Columns as the slow twins see them: plain values, a declared order, a tree as paths.

Definitions §1: kinds of a quasi-identifier, and a missing value as a category of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import takewhile
from typing import Any

Value = Fraction | str | None
Tree = Mapping[str, "Tree"]
ROOT = "*"


def paths_of(tree: Tree, root: str = ROOT) -> dict[str, tuple[str, ...]]:
    """Leaf -> labels from the root down to the leaf, in the order of the tree."""
    found: dict[str, tuple[str, ...]] = {}

    def walk(children: Tree, above: tuple[str, ...]) -> None:
        if not children:
            found[above[-1]] = above
        for label, below in children.items():
            walk(below, (*above, label))

    walk(tree, (root,))
    return found


def shared(paths: Iterable[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Nodes from the root on that all paths have in common."""
    return tuple(level[0] for level in takewhile(lambda level: len(set(level)) == 1, zip(*paths, strict=False)))


@dataclass(frozen=True)
class Attribute:
    """One column: its kind and, for every record, a number, a label or ``None`` for missing.

    ``one_node`` says of a tree that a cell is the lowest node above its values.
    """

    name: str
    column_type: str
    values: tuple[Value, ...]
    order: tuple[str, ...] = ()
    paths: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    one_node: bool = False

    def take(self, rows: Any) -> Attribute:
        """Return the column of some records; orders and trees are public and stay whole."""
        return Attribute(
            self.name, self.column_type, tuple(self.values[i] for i in rows), self.order, self.paths, self.one_node
        )

    @property
    def has_missing(self) -> bool:
        return any(value is None for value in self.values)

    def labels(self) -> list[Any]:
        """All values in order, the missing one left out: sorted numbers or labels, the order, the leaves."""
        if self.column_type == "ordinal":
            return list(self.order)
        if self.column_type == "taxonomy":
            return list(self.paths)
        return sorted({value for value in self.values if value is not None})  # type: ignore[type-var]

    def path(self, value: Value) -> tuple[Any, ...]:
        """Nodes from the root down to a value; a missing value is one more leaf under the root."""
        root = next(iter(self.paths.values()))[0]
        return (root, None) if value is None else self.paths[str(value)]
