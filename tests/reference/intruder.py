"""Slow twin of the intruder: one person of the list at a time, in sets of texts.

Definitions §4: a claim is the one value that all classes which fit leave together; of whom it is about decides whether
a right one is a disclosure. A guesser counts the others of the list who have the same values in some columns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

Fits = Sequence[Sequence[frozenset[str]]]
"""For each person the values of every class that fits them; empty where none fits."""


def claims(releases: Sequence[Fits], people: Sequence[int], universe: frozenset[str], every: bool) -> dict[int, str]:
    """The value claimed of each of these people; ``every`` asks that a class of each release fits."""
    claimed = {}
    for person in people:
        left = universe
        for fits in releases:
            if fits[person]:
                left &= frozenset().union(*fits[person])
        if len(left) == 1 and (not every or all(fits[person] for fits in releases)):
            (claimed[person],) = left
    return claimed


def counts(claimed: dict[int, str], truth: Sequence[str | None], shared: set[int]) -> tuple[int, int, int, int]:
    """Disclosures, right by chance, wrong, of unknown value."""
    right = [person for person, value in claimed.items() if truth[person] == value]
    unknown = [person for person in claimed if truth[person] is None]
    disclosed = [person for person in right if person in shared]
    return len(disclosed), len(right) - len(disclosed), len(claimed) - len(right) - len(unknown), len(unknown)


def guessed(
    rows: Sequence[Sequence[str]], columns: Sequence[int], truth: Sequence[str | None], values: Sequence[str]
) -> list[bool]:
    """Whether the guess about each person is right."""
    found = []
    for person, own in enumerate(truth):
        others = [i for i, value in enumerate(truth) if i != person and value is not None]
        same = [i for i in others if all(rows[i][c] == rows[person][c] for c in columns)] or others
        many = Counter(truth[i] for i in same)
        guess = max(values, key=lambda value: (many[value], -values.index(value))) if same else None
        found.append(own is not None and guess == own)
    return found


def chosen(rows: Sequence[Sequence[str]], truth: Sequence[str | None], values: Sequence[str]) -> list[int]:
    """Columns that make most guesses right, added one by one while that helps."""
    columns: list[int] = []
    while True:
        now = sum(guessed(rows, columns, truth, values))
        tried = [
            (sum(guessed(rows, [*columns, c], truth, values)), -c) for c in range(len(rows[0])) if c not in columns
        ]
        if not tried or max(tried)[0] <= now:
            return columns
        columns.append(-max(tried)[1])
