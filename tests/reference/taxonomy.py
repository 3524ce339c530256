"""Generalisation trees as plain paths: what an interval of leaves has in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def leaf_paths(tree: Mapping[str, Any], root: str = "*") -> list[tuple[str, ...]]:
    """Labels from the root to each leaf, in order; a leaf has no children."""
    if not tree:
        return [(root,)]
    return [(root, *path) for label, below in tree.items() for path in leaf_paths(below or {}, label)]


def lowest_common_slowly(tree: Mapping[str, Any], low: int, high: int) -> str:
    """Label of the lowest node over the leaves numbered from low to high."""
    shared: list[str] = []
    for labels in zip(*leaf_paths(tree)[low : high + 1], strict=False):
        if len(set(labels)) > 1:
            break
        shared.append(labels[0])
    return shared[-1]
