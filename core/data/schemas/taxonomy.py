"""Generalisation trees (taxonomies) over the values of a column.

Leaves are numbered depth-first, so the values under any node form an interval
``[low, high]`` of leaf numbers. Ranges, sets and nodes are then all intervals of
codes, and one region type serves every type of attribute.

Files: the semicolon-separated hierarchies of ARX are read and written
(``value;level 1;...;root``, one line per value).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from core.base.arrays import Ints
from core.base.errors import TaxonomyError
from core.base.limits import LIMITS
from core.base.short import many, short
from core.data.tables.csv_export import harmless

ROOT = "*"


@dataclass(frozen=True)
class Taxonomy:
    """A tree whose leaves are the values of a column [definitions §1].

    Parameters
    ----------
    labels
        Label of every node in preorder; ``labels[0]`` is the root. Labels are unique.
    parents
        Index of every node's parent; -1 for the root.
    one_node
        Whether every algorithm publishes a class as the lowest node above its values, such as ``011**``; by default
        algorithms that list values list them.
    notes
        How its file was read, if something was decided.

    Raises
    ------
    TaxonomyError
        If the nodes are not one tree in preorder, or a label occurs twice.

    Notes
    -----
    Build one with :meth:`from_nested`, :meth:`from_levels`,
    :meth:`from_prefixes` or :meth:`flat` rather than by hand.

    Examples
    --------
    >>> from composition_dashboard import Taxonomy
    >>> tree = Taxonomy.from_nested({"lung": {"asthma": {}, "flu": {}}, "heart": {"angina": {}}})
    >>> tree.labels[1:4], tree.leaves
    (('lung', 'asthma', 'flu'), 3)
    """

    labels: tuple[str, ...]
    parents: tuple[int, ...]
    one_node: bool = False
    notes: tuple[str, ...] = field(default=(), compare=False)

    def __repr__(self) -> str:
        return short(self, many(len(self.leaf_labels), "leaf", "leaves"), f"height {self.height}")

    def __post_init__(self) -> None:
        """Check that the arrays describe one tree in preorder."""
        if len(self.labels) != len(self.parents) or not self.labels or self.parents[0] != -1:
            raise TaxonomyError("A taxonomy needs one root and one parent for every other node.")
        LIMITS["nodes"].check(len(self.labels), "taxonomy")
        open_path = [0]
        for node, parent in enumerate(self.parents[1:], start=1):
            while open_path and open_path[-1] != parent:
                open_path.pop()
            if not open_path:
                raise TaxonomyError(f"Node {node} of the taxonomy does not follow its parent in preorder.")
            open_path.append(node)
            LIMITS["levels"].check(len(open_path), "taxonomy")
        if len(set(self.labels)) != len(self.labels):
            raise TaxonomyError("Two nodes of the taxonomy have the same label; give each a different one.")

    # ---- making one -----------------------------------------------------------------

    @classmethod
    def from_nested(cls, tree: Mapping[str, Any], root: str = ROOT) -> Taxonomy:
        """Build from nested mappings; a leaf is an empty mapping, ``None`` or a member of a list.

        ``{"Europe": ["Italy", "Poland"], "Asia": ["Japan"]}`` gives a root ``*`` with two
        children. Time and memory are linear in the number of nodes.
        """
        labels, parents = [root], [-1]

        def add(children: Mapping[str, Any] | Iterable[str] | None, parent: int, depth: int) -> None:
            if not children:
                return
            LIMITS["levels"].check(depth, "taxonomy")
            if isinstance(children, str) or not isinstance(children, Mapping | Iterable):
                raise TaxonomyError("The values under a node must be a list or a mapping, not one text or number.")
            items: Iterable[tuple[str, Any]] = (
                children.items() if isinstance(children, Mapping) else ((str(leaf), None) for leaf in children)
            )
            for label, below in items:
                labels.append(str(label))
                parents.append(parent)
                LIMITS["nodes"].check(len(labels), "taxonomy")
                add(below, len(labels) - 1, depth + 1)

        add(tree, 0, 1)
        return cls(tuple(labels), tuple(parents))

    @classmethod
    def from_levels(cls, rows: Iterable[Sequence[str]]) -> Taxonomy:
        """Build from rows ``(value, level 1, ..., top)``, as in an ARX hierarchy.

        Equal labels in one column are one node. A node that has a single child with its own
        label is merged with it. If the last column is not the same everywhere, a root ``*`` is added above. An inner
        node whose label is also used elsewhere in the tree gets its level appended, because published labels must be
        unambiguous.

        Raises
        ------
        TaxonomyError
            If rows differ in length, a value occurs twice with different ancestors, or a
            label has two parents; the message names the row, never the value.
        """
        table = [tuple(str(cell).strip() for cell in row) for row in rows]
        if not table:
            raise TaxonomyError("The hierarchy has no rows; write one line per value: value;level 1;...;*.")
        width = len(table[0])
        LIMITS["levels"].check(width, "taxonomy")
        for number, row in enumerate(table, start=1):
            if len(row) != width:
                raise TaxonomyError(
                    f"Row {number} of the hierarchy has {len(row)} levels but row 1 has {width}; "
                    "give every row the same number of levels."
                )
        if width == 1 or len({row[-1] for row in table}) > 1:
            table = [(*row, ROOT) for row in table]
            width += 1
        children: dict[tuple[int, str], dict[tuple[int, str], None]] = {}
        parent_of: dict[tuple[int, str], tuple[int, str]] = {}
        for number, row in enumerate(table, start=1):
            for level in range(width - 1):
                node, parent = (level, row[level]), (level + 1, row[level + 1])
                if parent_of.setdefault(node, parent) != parent:
                    raise TaxonomyError(
                        f"Row {number} of the hierarchy puts a label of level {level} under a different parent than "
                        f"an earlier row does; a label must have one parent."
                    )
                children.setdefault(parent, {})[node] = None
        return cls._from_links((width - 1, table[0][-1]), children)

    @classmethod
    def _from_links(
        cls, root: tuple[int, str], children: Mapping[tuple[int, str], Mapping[tuple[int, str], None]]
    ) -> Taxonomy:
        """Preorder of linked nodes, merging chains of one label and making labels unique."""
        names: list[tuple[int, str]] = []
        parents: list[int] = []
        stack = [(root, -1)]
        while stack:
            node, parent = stack.pop()
            below = list(children.get(node, ()))
            while len(below) == 1 and below[0][1] == node[1]:
                node = below[0]
                below = list(children.get(node, ()))
            names.append(node)
            parents.append(parent)
            place = len(names) - 1
            stack.extend((child, place) for child in reversed(below))
        inner = set(parents)
        taken = {label for index, (_, label) in enumerate(names) if index not in inner}
        labels: list[str] = []
        for index, (level, label) in enumerate(names):
            final = label
            if index in inner:
                while final in taken:
                    final = f"{final} (level {level})"
                taken.add(final)
            labels.append(final)
        return cls(tuple(labels), tuple(parents))

    def to_arx(self) -> bytes:
        """Write an ARX hierarchy whose cells no spreadsheet runs as formulas."""
        out = io.StringIO()
        csv.writer(out, delimiter=";", lineterminator="\n").writerows(
            [harmless(cell) for cell in row] for row in self.levels()
        )
        return out.getvalue().encode("utf-8")

    def levels(self) -> list[tuple[str, ...]]:
        """Rows ``(value, level 1, ..., root)``, all of the same length, in leaf order."""
        table = self.ancestors[::-1]
        return [tuple(self.labels[node] for node in table[:, leaf]) for leaf in range(self.leaves)]

    @classmethod
    def from_prefixes(cls, values: Iterable[str], keep: Sequence[int]) -> Taxonomy:
        """Build from the leading characters of codes such as zip codes.

        ``from_prefixes(zips, keep=(3, 1))`` puts ``13012`` under ``130**`` under ``1****``.
        """
        lengths = sorted({int(length) for length in keep}, reverse=True)
        if not lengths or lengths[-1] < 0:
            raise TaxonomyError("Give the numbers of leading characters to keep, such as (3, 1).")
        rows = []
        for value in dict.fromkeys(values):
            levels = [value[:length] + "*" * (len(value) - length) for length in lengths]
            rows.append((value, *levels, ROOT))
        return cls.from_levels(rows)

    @classmethod
    def flat(cls, values: Iterable[str]) -> Taxonomy:
        """Put all values directly under one root."""
        return cls.from_nested(dict.fromkeys(values))

    def with_leaf(self, label: str) -> Taxonomy:
        """Return the same tree with one more leaf directly under the root, numbered last.

        A tree of a single value gets a root above it first.
        """
        if self.nodes == 1:
            root = ROOT
            while root in (self.labels[0], label):
                root += ROOT
            return Taxonomy((root, self.labels[0], label), (-1, 0, 0), self.one_node)
        return Taxonomy((*self.labels, label), (*self.parents, 0), self.one_node)

    # ---- reading it -----------------------------------------------------------------

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.labels)

    @property
    def leaves(self) -> int:
        """Number of leaves."""
        return len(self.leaf_nodes)

    @cached_property
    def depth(self) -> Ints:
        """Depth of every node; the root has depth 0."""
        depth = np.zeros(self.nodes, dtype=np.int64)
        for node in range(1, self.nodes):
            depth[node] = depth[self.parents[node]] + 1
        return depth

    @property
    def height(self) -> int:
        """Depth of the deepest leaf."""
        return int(self.depth.max())

    @cached_property
    def leaf_nodes(self) -> Ints:
        """Node of every leaf, in leaf order."""
        inner = np.zeros(self.nodes, dtype=bool)
        inner[[p for p in self.parents if p >= 0]] = True
        return np.flatnonzero(~inner) if self.nodes > 1 else np.zeros(1, dtype=np.int64)

    @cached_property
    def leaf_labels(self) -> tuple[str, ...]:
        """Labels of the leaves, in leaf order."""
        return tuple(self.labels[node] for node in self.leaf_nodes)

    @cached_property
    def low(self) -> Ints:
        """Number of the first leaf under every node."""
        return np.searchsorted(self.leaf_nodes, np.arange(self.nodes))

    @cached_property
    def high(self) -> Ints:
        """Number of the last leaf under every node."""
        end = np.arange(1, self.nodes + 1)
        for node in range(self.nodes - 1, 0, -1):
            parent = self.parents[node]
            end[parent] = max(end[parent], end[node])
        return np.searchsorted(self.leaf_nodes, end) - 1

    @cached_property
    def ancestors(self) -> Ints:
        """Table (height + 1, leaves): the ancestor of each leaf at each depth.

        Below its own depth a leaf is its own ancestor.
        """
        table = np.empty((self.height + 1, self.leaves), dtype=np.int64)
        parents = np.asarray(self.parents, dtype=np.int64)
        node, depth = self.leaf_nodes.copy(), self.depth[self.leaf_nodes]
        for level in range(self.height, -1, -1):
            above = depth > level
            node[above] = parents[node[above]]
            depth[above] -= 1
            table[level] = node
        return table

    def lowest_common(self, low: Ints, high: Ints) -> Ints:
        """Return the lowest node over each interval of leaves; O(height x intervals)."""
        table = self.ancestors
        nodes = np.zeros(len(low), dtype=np.int64)
        for level in range(self.height + 1):
            first = table[level, low]
            same = first == table[level, high]
            nodes[same] = first[same]
        return nodes

    def nodes_over(self, leaves: Sequence[int]) -> list[int]:
        """Return the highest nodes whose leaves are all among some leaves, in preorder."""
        chosen, nodes, at = sorted(set(leaves)), [], 0
        while at < len(chosen):
            for node in self.ancestors[:, chosen[at]].tolist():
                # A higher node that begins before this leaf was not complete, or the leaf would be covered.
                last = at + int(self.high[node]) - chosen[at]
                if self.low[node] == chosen[at] and last < len(chosen) and chosen[last] == self.high[node]:
                    nodes.append(node)
                    at = last + 1
                    break
        return nodes

    # ---- JSON -----------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """Plain lists for a JSON file."""
        as_nodes = {"one_node": True} if self.one_node else {}
        return {"labels": list(self.labels), "parents": list(self.parents), **as_nodes}
