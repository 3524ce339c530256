"""The anonymity set of a person after intersecting the classes of several releases [definitions §11].

"One value left" asks what is learned about a person; the anonymity set asks who else it could be. A person
alone in the intersection of their classes is singled out, though many values may be left: with two
versions of one table for two recipients, that is the more common harm.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from core.attack.intersection import AttackResult
from core.attack.risk.reidentification_risk import ReidentificationRisk
from core.base.arrays import Bools, Ints, mean_over
from core.base.rates import candidate_limit
from core.data.classes import ClassHistogram, distinct_columns, weighted_count
from core.release.published.located import Located

MAX_PEOPLE = 40_000
"""Largest number of people whose anonymity sets are counted if classes are found by regions: all pairs are compared."""
CELLS = 20_000_000
"""Pairs of people compared at a time."""
AnonymitySetBounds = tuple[Ints, Ints, Bools]
"""(P,) smallest and largest size of an anonymity set, and whether the person may be in it."""
CHOICES = 50
"""Combinations of one candidate class per release, on average per person, up to which they are counted one by one."""


@dataclass(frozen=True, eq=False)
class AnonymitySet:
    """Shared people who are, in every release, in a class that a person is assumed to be in.

    Parameters
    ----------
    low, high
        (P,) bounds; equal if the publisher knows the person of each record in every release.
    single
        (R, P) records in the classes that a person is assumed to be in, in each release alone: an adversary with one
        release does not know who is in another. All records of a release that says nothing about the person.
    inside
        (P,) whether the person may be in their own anonymity set: their own class is among those they are assumed to be
        in, in every release that says something about them.
    weight
        (P,) people that each one represents.
    """

    low: Ints
    high: Ints
    single: Ints
    inside: Bools
    weight: Ints

    @property
    def exact(self) -> bool:
        """Whether both bounds agree for every person."""
        return bool((self.low == self.high).all())

    @cached_property
    def risk(self) -> ReidentificationRisk:
        """Risk of each person in all releases together; with bounds, for the smaller set."""
        return ReidentificationRisk.of(self.low, self.weight, self.inside)

    @cached_property
    def risk_per_release(self) -> tuple[ReidentificationRisk, ...]:
        """The same in each release separately: there the anonymity set is the whole class."""
        return tuple(ReidentificationRisk.of(single, self.weight) for single in self.single)

    def share(self, confidence: float = 1.0) -> float:
        """Share of people whose anonymity set has, or may have, at most floor(1/C) people, including themselves."""
        return float(mean_over((self.low <= candidate_limit(confidence)) & self.inside, self.weight))

    def alone(self, confidence: float = 1.0) -> float:
        """Return the same from the best single release."""
        return float(mean_over(self.single <= candidate_limit(confidence), self.weight).max())


def anonymity_set(result: AttackResult, pairwise: bool = True) -> AnonymitySet | None:
    """Count the anonymity set of every person attacked, after composition [definitions §11].

    The adversary knows the candidate classes of a person in every release, and asks which of the shared people it could
    be, whatever is learned about them. A set of one person means that the person is singled out.

    Person j is in the anonymity set of person i if j's own class is among i's candidate classes in every
    release that has any for i. A release in which i fits no class says nothing. Only the shared people can be in all
    releases, so only they count. If only the published table of a release is known, j's own class is one of j's
    candidates. So j counts for certain if every candidate of j is also one of i's, and at most if any of them is.

    Parameters
    ----------
    result
        What :func:`core.attack.intersection.intersection_attack` found.
    pairwise
        Whether to compare every pair of people if no quicker way works, because the classes of other people are not
        known. This takes seconds for some thousand people, so curves do not ask for it.

    Returns
    -------
    AnonymitySet or None
        ``None`` if persons have several records; without ``pairwise`` if it is needed; with it if more than
        :data:`MAX_PEOPLE` people are located by regions.

    Notes
    -----
    O(R P log P) if every person's class is known and few people are assumed to be in it; else O(R P²).
    """
    if result.has_multiple_records or not result.located:
        return None
    pairs = list(zip(result.located, result.own, strict=True))
    bounds = _bounds(pairs, result.weight, pairwise)
    if bounds is None:
        return None
    single = [
        _records(located, histogram) for located, histogram in zip(result.located, result.histograms, strict=True)
    ]
    low, high, inside = bounds
    return AnonymitySet(low, high, np.array(single), inside, result.weight)


def _records(located: Located, histogram: ClassHistogram) -> Ints:
    """(P,) records in the candidate classes of each person."""
    of_class = histogram.sizes
    if len(located.classes) == located.people and (located.counts == 1).all():
        return of_class[located.classes]
    together = np.bincount(located.owner, weights=of_class[located.classes], minlength=located.people)
    return np.where(located.counts > 0, together, of_class.sum()).astype(np.int64)


def _bounds(pairs: list[tuple[Located, Ints | None]], each: Ints, pairwise: bool) -> AnonymitySetBounds | None:
    """Bound the anonymity set of each person attacked with the fastest method that these releases allow.

    ``each`` (P,) is the number of people that each person represents; ``None`` as for :func:`anonymity_set`.
    """
    known = [(located, own) for located, own in pairs if own is not None]
    # The two quicker ways need the class of every person in every release.
    if len(known) == len(pairs):
        if all(_one_each(located, own) for located, own in known):
            return sets_of_classes([own for _, own in known], each)
        chosen = _by_choices(known, each)
        if chosen is not None:
            return chosen
    if not pairwise or len(each) > MAX_PEOPLE:
        return None
    return _by_candidates(pairs, each)


def linkable(result: AttackResult) -> float | None:
    """Share of people whose combination of classes in all releases no other shared person has [§12].

    Their records in different releases can then be put together. ``None`` if a person's own class is not known, or
    persons have several records. O(R P log P).
    """
    own = [labels for labels in result.own if labels is not None]
    if result.has_multiple_records or not own or len(own) < len(result.own):
        return None
    labels = np.array(own)
    return float(mean_over((_count_same_labels(labels, result.weight) == 1) & (labels >= 0).all(axis=0), result.weight))


def _one_each(located: Located, own: Ints) -> bool:
    """Whether each person's only candidate is their own class, and people without candidates are in no class."""
    return bool((located.counts == (own >= 0)).all() and (located.classes == own[own >= 0]).all())


def sets_of_classes(own: list[Ints], each: Ints) -> AnonymitySetBounds:
    """Bound the anonymity sets of people whose class in each release is known, (P,) -1 for none; they are exact."""
    labels = np.array(own)
    if (labels >= 0).all():
        size = _count_same_labels(labels, each)
    else:  # a release that says nothing about a person is left out for them
        size = np.empty(labels.shape[1], dtype=np.int64)
        silent = np.unique(labels < 0, axis=1)
        for pattern in silent.T:
            concerned = ((labels < 0) == pattern[:, None]).all(axis=0)
            speaking = labels[~pattern]
            size[concerned] = _count_same_labels(speaking, each)[concerned] if len(speaking) else each.sum()
    return size, size, np.ones(len(size), dtype=bool)


def _count_same_labels(labels: Ints, each: Ints) -> Ints:
    """(P,) number of people with the same labels in every row; everyone counts for a person in no class."""
    first, group, _ = distinct_columns(labels + 1)
    return np.where((labels < 0).any(axis=0), each.sum(), weighted_count(group, each, len(first))[group])


def _by_choices(pairs: list[tuple[Located, Ints]], each: Ints) -> AnonymitySetBounds | None:
    """Count, over every choice of one candidate per release, the people in exactly those classes; exact.

    ``None`` if there are more choices than are worth it.
    """
    people = len(each)
    counts = np.array([located.counts for located, _ in pairs])
    if np.maximum(counts, 1).astype(np.float64).prod(axis=0).sum() > CHOICES * people:
        return None
    size, inside = np.full(people, each.sum(), dtype=np.int64), np.ones(people, dtype=bool)
    for pattern in np.unique(counts > 0, axis=1).T:
        concerned = np.flatnonzero(((counts > 0) == pattern[:, None]).all(axis=0))
        if pattern.any():
            speaking = [pair for pair, speaks in zip(pairs, pattern, strict=True) if speaks]
            many, own_is_one = _held(speaking, each, concerned)
            size[concerned], inside[concerned] = many[concerned], own_is_one[concerned]
    return size, size, inside


def _held(pairs: list[tuple[Located, Ints]], each: Ints, concerned: Ints) -> tuple[Ints, Bools]:
    """(P,) people in a candidate class of each of some people in every release, and whether they are among them.

    For everyone else: all people, and True.
    """
    people = len(each)
    owner, chosen = concerned, np.zeros(len(concerned), dtype=np.int64)
    real = np.zeros(people, dtype=np.int64)
    for located, own in pairs:
        count = located.counts
        starts = np.cumsum(count) - count
        many = count[owner]
        begin = np.cumsum(many) - many
        at = np.arange(int(many.sum())) + np.repeat(starts[owner] - begin, many)
        owner, chosen = np.repeat(owner, many), np.repeat(chosen, many)
        radix = 2 + int(max(located.classes.max(initial=-1), own.max(initial=-1)))
        key = np.concatenate((real * radix + own + 1, chosen * radix + located.classes[at] + 1))
        ranked = np.unique(key, return_inverse=True)[1]
        real, chosen = ranked[:people], ranked[people:]
    of_key = weighted_count(real, each, max(int(real.max(initial=-1)), int(chosen.max(initial=-1))) + 1)
    size, inside = np.full(people, each.sum(), dtype=np.int64), np.ones(people, dtype=bool)
    size[concerned] = np.bincount(owner, weights=of_key[chosen], minlength=people).astype(np.int64)[concerned]
    inside[concerned] = np.bincount(owner[chosen == real[owner]], minlength=people)[concerned] > 0
    return size, inside


def _by_candidates(pairs: list[tuple[Located, Ints | None]], each: Ints) -> AnonymitySetBounds:
    people = len(each)
    low, high = np.zeros((2, people), dtype=np.int64)
    inside = np.ones(people, dtype=bool)
    step = max(1, CELLS // people)
    for begin in range(0, people, step):
        block = slice(begin, min(people, begin + step))
        surely = np.ones((block.stop - begin, people), dtype=bool)
        maybe = surely.copy()
        for located, own in pairs:
            at_least, at_most = _members(located, own, block, people)
            surely &= at_least
            maybe &= at_most
        low[block], high[block] = surely @ each, maybe @ each
        inside[block] = maybe[np.arange(block.stop - begin), np.arange(begin, block.stop)]
    return low, high, inside


def _members(located: Located, own: Ints | None, block: slice, people: int) -> tuple[Bools, Bools]:
    """(some people, all people) who is certainly, and who may be, in a candidate class of each of some people."""
    classes = int(located.classes.max(initial=-1)) + 1
    if own is not None:
        classes = max(classes, int(own.max(initial=-1)) + 1)
    some = located.take(np.arange(block.start, block.stop))
    candidate = np.zeros((some.people, classes + 1), dtype=bool)
    candidate[some.owner, some.classes] = True
    silent = some.counts == 0
    if own is not None:
        held = candidate[:, own]  # the last column stands for no class
        held[silent] = True
        return held, held
    shared = np.zeros((some.people, people), dtype=np.float32)
    begin, step = 0, max(1, CELLS // max(1, classes + 1))
    while begin < people:
        end = min(people, begin + step)
        theirs = located.take(np.arange(begin, end))
        held_by = np.zeros((end - begin, classes + 1), dtype=np.float32)
        held_by[theirs.owner, theirs.classes] = 1.0
        shared[:, begin:end] = candidate.astype(np.float32) @ held_by.T
        begin = end
    surely = (shared == located.counts) & (located.counts > 0)
    maybe = (shared > 0) | (located.counts == 0)
    surely[silent], maybe[silent] = True, True
    return surely, maybe
