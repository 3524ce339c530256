"""Slow twins of what counts persons who have several records: lists and sets, one person at a time.

A class counts persons; of the sensitive values of a class, or of the table, each person counts
once a value (Method page, Persons with several records).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.privacy.policy import Policy
from tests.reference import policies
from tests.reference.attributes import Attribute, Value
from tests.reference.mondrian import Members, split


def persons_in(members: Members, person: Sequence[int]) -> int:
    """Distinct persons of some records."""
    return len({person[i] for i in members})


def values_of(members: Members, person: Sequence[int], secrets: Sequence[Value]) -> list[Value]:
    """Sensitive values of some records, each person once a value."""
    once: dict[tuple[int, Value], None] = dict.fromkeys((person[i], secrets[i]) for i in members)
    return [value for _, value in once]


def meets(policy: Policy, members: Members, person: Sequence[int], sensitive: Attribute) -> bool:
    """Whether a class of these records satisfies the policy."""
    everybody = list(range(len(person)))
    inside, table = (values_of(part, person, sensitive.values) for part in (members, everybody))
    enough = persons_in(members, person) >= policy.k
    return enough and policies.meets(replace(policy, k=1), inside, table, sensitive)


def partition(
    attributes: Sequence[Attribute], sensitive: Attribute, person: Sequence[int], policy: Policy
) -> set[frozenset[int]]:
    """Classes of strict Mondrian by persons, as sets of record numbers."""
    everybody = list(range(len(person)))
    found = split(
        everybody,
        attributes,
        lambda members: meets(policy, members, person, sensitive),
        lambda members: persons_in(members, person),
    )
    return {frozenset(members) for members in found}


def attacked(
    releases: Sequence[Sequence[tuple[int | None, str]]], records: Sequence[Sequence[int]], person: Sequence[int]
) -> dict[int, tuple[frozenset[str], str, list[int]]]:
    """Of each person the values left, the own value, and the least number of values each release leaves.

    ``releases`` are (class, value) of every record, ``records`` the positions of the records
    attacked in each release, ``person`` whose they are. The record that leaves fewest values
    counts, but not none if another leaves some; of equal ones one whose own value is left.
    """
    universe = frozenset(value for release in releases for _, value in release)
    found: dict[int, tuple[frozenset[str], str, list[int]]] = {}
    for i, whose in enumerate(person):
        said = []
        for release, positions in zip(releases, records, strict=True):
            label = release[positions[i]][0]
            inside = frozenset(value for other, value in release if other == label)
            said.append(universe if label is None else inside)
        left, own = frozenset.intersection(*said), releases[0][records[0][i]][1]
        least = [len(values) for values in said]
        if whose in found:
            before, its_own, prior = found[whose]
            least = [min(pair) for pair in zip(prior, least, strict=True)]
            one, other = ((len(s) or len(universe) + 1, v not in s) for s, v in ((before, its_own), (left, own)))
            left, own = (left, own) if other < one else (before, its_own)
        found[whose] = (left, own, least)
    return found
