"""Slow twin of the forecast: sets of texts and fractions, one record, one draw, one class at a time.

[Sattar 2018, Def. 2-7, Eq. 1] and definitions §5. A class is its region (for each
quasi-identifier the set of values it allows) and the list of its records' sensitive values.
"""

from __future__ import annotations

import itertools
import math
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


def independent(chances: Sequence[Fraction], wanted: int) -> Fraction:
    """P(at least l of some independent events), over all outcomes."""
    total = Fraction(0)
    for outcome in itertools.product((False, True), repeat=len(chances)):
        if sum(outcome) >= wanted:
            weight = Fraction(1)
            for happens, chance in zip(outcome, chances, strict=True):
                weight *= chance if happens else 1 - chance
            total += weight
    return total


def frequencies(group: Group, sensitive: Shares) -> dict[str, Fraction]:
    """Class frequencies smoothed towards the population with the weight of 20 records."""
    count = Counter(group.secrets)
    return {
        value: (count[value] + 20 * sensitive.get(value, Fraction(0))) / (len(group.secrets) + 20)
        for value in group.values
    }


def left_of(group: Group, own: str, size: int, sensitive: Shares) -> dict[int, Fraction]:
    """Distribution of the number of values left for a person, stranger after stranger."""
    others = {value: f for value, f in frequencies(group, sensitive).items() if value != own}
    found: dict[int, Fraction] = {}
    for seen, weight in seen_after(others, size - 1).items():
        found[1 + len(seen)] = found.get(1 + len(seen), Fraction(0)) + weight
    return found


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


# ---- the calibrated forecast ------------------------------------------------------------------


def together(mine: Sequence[int], theirs: Sequence[int]) -> list[Fraction]:
    """For each seat: share of the people of mine beside it who are of its class of mine, an average person added."""
    pairs = []
    for i, (own, there) in enumerate(zip(mine, theirs, strict=True)):
        beside = [mine[j] for j in range(len(mine)) if j != i and theirs[j] == there]
        pairs.append((beside.count(own), len(beside)))
    known = [Fraction(count, beside) for count, beside in pairs if beside]
    mean = sum(known, Fraction(0)) / len(known) if known else Fraction(1)
    return [(count + mean) / (beside + 1) for count, beside in pairs]


def urn(bring: Fraction, spare: Fraction, draws: int) -> Fraction:
    """P(no draw from Polya's urn is one of those that weigh ``bring``), draw after draw."""
    chance = Fraction(1)
    for _ in range(draws):
        chance *= spare / (spare + bring)
        spare += 1
    return chance


def nobody_else(own: int, records: int, draws: int) -> Fraction:
    """P(all of so many other records of a class have the own value), record after record without replacement."""
    chance = Fraction(1)
    for c in range(draws):
        chance *= Fraction(own - 1 - c, records - 1 - c)
    return chance


@dataclass(frozen=True)
class Seat:
    """A shared person: value, records of the class by value, k' - 1, g and r g."""

    value: str
    counts: Mapping[str, int]
    people: int
    together: Fraction
    known: Fraction


def alone(seat: Seat, mixture: Sequence[tuple[Fraction, Mapping[str, Fraction], Fraction]], far: bool) -> Fraction:
    """P(nobody beside brings another value of the class), over all numbers of shared classmates.

    ``mixture``: weight of the surroundings in records, frequencies there, and the class's
    posterior of this pair.
    """
    others = [value for value in seat.counts if value != seat.value]
    if not others:
        return Fraction(1)
    records, own = sum(seat.counts.values()), seat.counts[seat.value]
    heard = seat.together if far else Fraction(1)
    total = Fraction(0)
    for c in range(min(seat.people, own - 1) + 1):
        chance = math.comb(seat.people, c) * seat.known**c * (1 - seat.known) ** (seat.people - c)
        chance *= nobody_else(own, records, c)
        for weight, frequency, posterior in mixture:
            around = min(Fraction(1), sum((frequency[value] for value in others), Fraction(0)))
            bring = heard * (records - own) + (records + weight - heard * records) * around
            total += chance * posterior * urn(bring, records + weight - bring, seat.people - c)
    return total


def around(
    own: Sequence[str], wide: Sequence[str] | None, table: Sequence[str], values: int, beta: int = 5
) -> dict[str, Fraction]:
    """Frequencies in the surroundings of a class without the class, for the class's values.

    ``wide`` are the values of the surroundings' records, ``None`` for the whole table.
    """
    mine, everything = Counter(own), Counter(table)
    overall = {
        value: (everything[value] - mine[value] + Fraction(1, values)) / (len(table) - len(own) + 1) for value in mine
    }
    if wide is None:
        return overall
    rest = Counter(wide) - mine
    return {value: (rest[value] + beta * overall[value]) / (sum(rest.values()) + beta) for value in mine}


def likelihood(own: Sequence[str], frequency: Mapping[str, Fraction], weight: Fraction) -> Fraction:
    """P(the records of a class, one after the other) under Polya's urn that starts with the surroundings."""
    chance, drawn = Fraction(1), Counter[str]()
    for value in own:
        chance *= (weight * frequency[value] + drawn[value]) / (weight + sum(drawn.values()))
        drawn[value] += 1
    return chance


def mixed(likely: Sequence[Sequence[float]], rounds: int) -> list[float]:
    """Expectation maximisation over pairs (rows) and classes (columns), in plain loops."""
    mixture = [1 / len(likely)] * len(likely)
    classes = range(len(likely[0]))
    for _ in range(rounds):
        whole = [sum(w * row[e] for w, row in zip(mixture, likely, strict=True)) for e in classes]
        mixture = [
            sum(w * row[e] / whole[e] for e in classes) / len(likely[0]) for w, row in zip(mixture, likely, strict=True)
        ]
    return [w / sum(mixture) for w in mixture]
