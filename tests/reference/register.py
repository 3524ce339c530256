"""Slow twin of the publication register: sets over persons, one person after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations


@dataclass(frozen=True)
class Held:
    """One publication: class of each person, and the values that a class leaves possible in each sensitive column.

    The class is ``None`` for a person whose row is withheld: the publication holds the person, and says nothing else.
    """

    of_person: Mapping[str, object | None]
    left: Mapping[str, Mapping[object, frozenset[str]]]


def numbers(held: Sequence[Held]) -> tuple[int, int, int, int]:
    """People, with one value left, in an anonymity set below 11, and with no value left."""
    return _numbers(held, {person for own in held for person in own.of_person})


def share(held: Sequence[Held], place: int) -> tuple[int, int, int]:
    """The same, but for the last, of the people of one publication."""
    return _numbers(held, {*held[place].of_person})[:3]


def _numbers(held: Sequence[Held], counted: set[str]) -> tuple[int, int, int, int]:
    everyone = sorted({person for own in held for person in own.of_person})
    one = small = none = 0
    for person in counted:
        there = [own for own in held if own.of_person.get(person) is not None]
        left = []
        for column in {name for own in there for name in own.left}:
            sets = [own.left[column][own.of_person[person]] for own in there if column in own.left]
            left.append(len(frozenset.intersection(*sets)))
        same = [other for other in everyone if all(own.of_person.get(other) == own.of_person[person] for own in there)]
        one += 1 in left
        none += 0 in left
        small += len(same) < 11
    return len(counted), one, small, none


def standings(
    held: Mapping[int, Held], received: Mapping[str, Sequence[int]]
) -> dict[tuple[str, ...], tuple[int, int, int, int]]:
    """The numbers of each recipient alone and of each pair."""
    groups = [*((name,) for name in received), *combinations(received, 2)]
    return {
        names: numbers([held[number] for number in sorted({n for name in names for n in received[name]} & {*held})])
        for names in groups
    }
