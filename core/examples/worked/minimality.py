"""Worked example 9: inferences of an adversary who knows the algorithm [Wong 2007]."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from fractions import Fraction
from itertools import combinations

SIX = (("q1", True), ("q1", True), ("q2", False), ("q2", False), ("q2", False), ("q2", False))
"""Quasi-identifier of each of six people, and whether their record has the sensitive value."""
Records = tuple[tuple[str, bool], ...]


def wong_published(records: Records, l: int = 2) -> tuple[tuple[str, bool], ...]:  # noqa: E741
    """Publish records as they are if at most 1/l of every group is sensitive, else all with the quasi-identifier ``Q``.

    Rows are sorted. It generalises no more than it must, which the adversary knows.
    """
    size, hit = Counter(qid for qid, _ in records), Counter(qid for qid, sensitive in records if sensitive)
    kept = all(hit[qid] * l <= size[qid] for qid in size)
    return tuple(sorted((qid if kept else "Q", sensitive) for qid, sensitive in records))


def possible_originals(records: Records) -> list[Records]:
    """Return all tables of the same people with the same number of sensitive values, equally likely beforehand."""
    many = sum(sensitive for _, sensitive in records)
    places = combinations(range(len(records)), many)
    return [tuple((qid, i in chosen) for i, (qid, _) in enumerate(records)) for chosen in places]


def minimality_belief(
    records: Records, publish: Callable[[Records], Hashable], person: int
) -> tuple[Fraction, Fraction]:
    """Probability of the sensitive value, from the counts alone and for an adversary who knows the algorithm.

    Parameters
    ----------
    records
        The records behind the published table.
    publish
        The algorithm: from a table to its published form.
    person
        Position of the person; the adversary knows the quasi-identifiers of everyone.
    """
    seen, worlds = publish(records), possible_originals(records)
    left = [world for world in worlds if publish(world) == seen]
    before, after = (Fraction(sum(world[person][1] for world in some), len(some)) for some in (worlds, left))
    return before, after
