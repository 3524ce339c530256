"""The attack on tuples as it is defined, person by person and row by row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

Row = tuple[str, Mapping[str, str]]
"""Sensitive value, and published values by column."""


def left(classes: Sequence[Sequence[Row] | None], same_value_rate: Mapping[str, float]) -> tuple[set[str], int]:
    """Sensitive values left of one person, and tuples left (0 where none is).

    ``classes`` are the rows of the person's class in each release; ``None`` where nobody knows it.
    """
    spoken = [rows for rows in classes if rows is not None]
    alone = set.intersection(*({value for value, _ in rows} for rows in spoken))
    columns = [set(rows[0][1]) for rows in spoken]
    links = [name for name in same_value_rate if same_value_rate[name] > 0 and sum(name in own for own in columns) > 1]
    links.sort(key=lambda name: (-same_value_rate[name], name))
    for many in range(len(links), 0, -1):
        found = [_kept(spoken, set(names)) for names in combinations(links, many)]
        if len(links) > 3 and many > 1:
            found = [_kept(spoken, set(links[:many]))]
        if any(found):
            kept = min(filter(None, found), key=lambda tuples: len({value for value, _ in tuples}))
            return {value for value, _ in kept}, len(kept)
    return alone, 0


def _kept(spoken: Sequence[Sequence[Row]], names: set[str]) -> set[tuple[str, tuple[tuple[str, str], ...]]]:
    """Tuples of the first release with these columns that every release matches."""
    first = next((rows for rows in spoken if names <= set(rows[0][1])), None)
    if first is None:
        return set()
    return {
        (value, tuple(sorted(beside.items())))
        for value, beside in first
        if all(any(_match(value, beside, other, names) for other in rows) for rows in spoken)
    }


def _match(value: str, beside: Mapping[str, str], other: Row, names: set[str]) -> bool:
    common = names & set(beside) & set(other[1])
    return value == other[0] and all(beside[name] == other[1][name] for name in common)
