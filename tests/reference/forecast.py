"""Slow twin of the forecast: sets of texts and fractions, one record, one draw, one class at a time.

[Sattar 2018, Def. 2-7, Eq. 1] and definitions §5. A class is its region (for each
quasi-identifier the set of values it allows) and the list of its records' sensitive values.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

Shares = Mapping[str, Fraction]


@dataclass(frozen=True)
class Group:
    """An equivalence class: allowed values of each quasi-identifier, sensitive value of each record."""

    region: tuple[frozenset[str], ...]
    secrets: tuple[str, ...]

    @property
    def values(self) -> frozenset[str]:
        return frozenset(self.secrets)


def shares_of(values: Iterable[str]) -> dict[str, Fraction]:
    """P of every value, counted."""
    count = Counter(values)
    return {value: Fraction(n, sum(count.values())) for value, n in count.items()}


def region_probability(group: Group, qids: Sequence[Shares]) -> Fraction:
    """p = product over quasi-identifiers of the sum of P over the values allowed."""
    product = Fraction(1)
    for allowed, shares in zip(group.region, qids, strict=True):
        product *= sum((share for value, share in shares.items() if value in allowed), Fraction(0))
    return product


def seen_after(cells: Mapping[str, Fraction], draws: int) -> dict[frozenset[str], Fraction]:
    """Distribution of the set of values seen in the region after n draws, draw after draw."""
    nothing = 1 - sum(cells.values(), Fraction(0))
    state = {frozenset[str](): Fraction(1)}
    for _ in range(draws):
        following: dict[frozenset[str], Fraction] = {}
        for seen, weight in state.items():
            for value, chance in [*((frozenset([v]), c) for v, c in cells.items()), (frozenset[str](), nothing)]:
                following[seen | value] = following.get(seen | value, Fraction(0)) + weight * chance
        state = following
    return state


def cells_of(group: Group, qids: Sequence[Shares], sensitive: Shares) -> dict[str, Fraction]:
    """Probability that one draw falls into the region with each value of the class."""
    p = region_probability(group, qids)
    return {value: p * sensitive.get(value, Fraction(0)) for value in group.values}


def at_least(cells: Mapping[str, Fraction], draws: int, wanted: int) -> Fraction:
    """P(at least l of the values occur), exact."""
    return sum((weight for seen, weight in seen_after(cells, draws).items() if len(seen) >= wanted), Fraction(0))


def best_subset(cells: Mapping[str, Fraction], draws: int, wanted: int) -> Fraction:
    """Largest P(all values of a subset of size l occur) over all subsets, exact."""
    state = seen_after(cells, draws)
    chances = [
        sum((weight for seen, weight in state.items() if seen >= frozenset(subset)), Fraction(0))
        for subset in itertools.combinations(sorted(cells), wanted)
    ]
    return max(chances, default=Fraction(0))


def common(groups: Sequence[Group], records: Sequence[tuple[tuple[str, ...], str]]) -> list[int]:
    """Distinct values of each class that occur among records in its region."""
    counts = []
    for group in groups:
        inside = {
            secret
            for qids, secret in records
            if all(value in allowed for value, allowed in zip(qids, group.region, strict=True))
        }
        counts.append(len(inside & group.values))
    return counts


def fewest_common(
    mine: Sequence[tuple[int | None, str]],
    other: Sequence[tuple[int | None, str]],
    people: Sequence[tuple[int, int]],
    classes: int,
) -> list[int | None]:
    """For each class of the first release, the fewest values that a shared person's classes have in common.

    None where nobody of the class is shared, or where no classes match [Sattar 2018, Def. 2].
    A person in no class of the other release may have any value there.
    """
    everything = {value for _, value in (*mine, *other)}

    def values(release: Sequence[tuple[int | None, str]], label: int | None) -> set[str]:
        return everything if label is None else {value for where, value in release if where == label}

    found: list[int | None] = [None] * classes
    for first, second in people:
        label = mine[first][0]
        if label is None:
            continue
        shared = values(mine, label) & values(other, other[second][0])
        if shared:
            found[label] = len(shared) if found[label] is None else min(found[label] or 0, len(shared))
    return found
