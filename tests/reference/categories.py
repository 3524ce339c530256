"""Slow twin of the category breach: sets of texts, one person at a time.

[Ganta 2008, §3.2.2] and definitions §4. ``paths`` gives for each leaf of the taxonomy the
labels from the root down to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Paths = Mapping[str, Sequence[str]]


def category(value: str, paths: Paths, level: int) -> str:
    """Label of the node of this level above a value; a leaf higher up, or a foreign value, stands for itself."""
    for path in paths.values():
        if value in path:
            own = path[: path.index(value) + 1]
            return own[level] if len(own) > level else value
    return value


def common(values: frozenset[str], paths: Paths, level: int) -> str | None:
    """The one category of all values; ``None`` where there are several, or no value."""
    kinds = {category(value, paths, level) for value in values}
    return kinds.pop() if len(kinds) == 1 else None
