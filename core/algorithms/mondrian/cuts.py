"""Which cuts a policy beyond k allows, and of those the one nearest the median.

Candidates are tried from the median outwards, a few per class and step, on exact
histograms of both sides: the same check that defines the policy. Cheap necessary
conditions, exact themselves, first strike out most of what would fail.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.arrays import Bools, Ints
from core.classes import ClassHistogram
from core.data.encoding import Encoded
from core.privacy.policy import Policy

CHUNK = 2_000_000
"""Rows of histograms made in one step, to bound memory."""


def best_allowed_cuts(
    at: Ints,
    owner: Ints,
    smaller: Ints,
    nearness: Ints,
    multiway: Bools,
    least: Ints,
    starts: Ints,
    size: Ints,
    secret: NDArray[np.int32],
    weight: Ints,
    k: int | Ints,
    encoded: Encoded,
    policy: Policy,
    person: NDArray[np.int32] | None = None,
) -> Ints:
    """Return the candidates to apply.

    Parameters
    ----------
    at, owner, smaller, nearness
        (candidates,) place in the sorted order where the right side begins, class, people on
        the side that has fewer, and what is least for the cut to be tried first; sorted by
        place.
    multiway, least
        (classes,) whether all candidates are cut together (taxonomy); then the people of the
        smallest part.
    starts, size
        (classes,) first unit and number of units.
    secret, weight
        (units,) sensitive code and records, in the sorted order.
    k
        People that both sides must have; one number, or (classes,).
    encoded, policy
        What else both sides must meet.
    person
        (units,) whose each unit is, in the sorted order, where people have several records.

    Returns
    -------
    ndarray
        Indices of the chosen candidates: one for a class with a single cut, all for one
        that is cut into children, none where nothing is allowed.
    """
    possible = _necessary(at, owner, starts, size, secret, encoded, policy)
    several = _allowed_children(at, multiway & (least >= k), starts, size, secret, weight, encoded, policy, person)
    enough = np.broadcast_to(k, multiway.shape)[owner]
    single = ~multiway[owner] & (smaller >= enough) & possible
    candidate = np.flatnonzero(single)
    candidate = candidate[np.lexsort((at[candidate], nearness[candidate], owner[candidate]))]
    chosen: list[Ints] = [np.flatnonzero(several[owner])]
    tries = 1
    while len(candidate):
        # The next few candidates of every class that has none yet.
        mine = owner[candidate]
        edge = np.flatnonzero(np.concatenate(([True], mine[1:] != mine[:-1])))
        place = np.arange(len(mine)) - np.repeat(edge, np.diff(np.append(edge, len(mine))))
        now = place < tries
        good = both_sides_hold(candidate[now], at, owner, starts, size, secret, weight, encoded, policy, person)
        winners = candidate[now][good]
        first = np.concatenate(([True], owner[winners][1:] != owner[winners][:-1])) if len(winners) else good[:0]
        chosen.append(winners[first])
        settled = np.zeros(len(starts), dtype=bool)
        settled[owner[winners]] = True
        candidate = candidate[~now & ~settled[mine]]
        tries *= 2
    return np.concatenate(chosen)


def _necessary(
    at: Ints, owner: Ints, starts: Ints, size: Ints, secret: NDArray[np.int32], encoded: Encoded, policy: Policy
) -> Bools:
    """Strike out cuts with too few distinct values, or too little of the table's mass, on a side.

    A value stands on the left of a cut when its first occurrence in the class does, and on
    the right when its last does, so one sort counts the values on both sides of every cut.
    What a class needs at least, the models say.
    """
    good = np.ones(len(at), dtype=bool)
    values, share = policy.least_values, policy.least_mass
    if values <= 0 and share <= 0:
        return good
    is_first, is_last = _first_and_last(secret, len(encoded.overall), size)
    if values > 0:
        counts = (secret != encoded.sensitive.missing).astype(np.float64)
        on_left, on_right = _sides(at, owner, starts, size, is_first * counts, is_last * counts)
        good &= (on_left >= values - 0.5) & (on_right >= values - 0.5)
    if share > 0:
        mass = (encoded.overall / encoded.overall.sum())[secret]
        on_left, on_right = _sides(at, owner, starts, size, is_first * mass, is_last * mass)
        good &= (on_left >= share) & (on_right >= share)
    return good


def _first_and_last(
    number: NDArray[np.int32], numbers: int, size: Ints
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """1 where a unit is the first, and where it is the last, of its class with its number."""
    units = len(number)
    class_of = np.repeat(np.arange(len(size)), size)
    bits = max(1, (units - 1).bit_length())
    key = ((class_of * numbers + number) << bits) | np.arange(units)
    key.sort()
    where = key & ((1 << bits) - 1)
    group = key >> bits
    change = group[1:] != group[:-1]
    is_first, is_last = np.zeros(units), np.zeros(units)
    is_first[where[np.concatenate(([True], change))]] = 1.0
    is_last[where[np.concatenate((change, [True]))]] = 1.0
    return is_first, is_last


def persons_beside(at: Ints, owner: Ints, starts: Ints, size: Ints, person: NDArray[np.int32]) -> tuple[Ints, Ints]:
    """(candidates,) distinct persons on the left and on the right of each cut, within its class.

    A person with records on both sides counts on both. ``person`` are numbers from 0, in the
    sorted order. O(units log units).
    """
    first, last = _first_and_last(person, int(person.max(initial=0)) + 1, size)
    left, right = _sides(at, owner, starts, size, first, last)
    return np.rint(left).astype(np.int64), np.rint(right).astype(np.int64)


def _sides(
    at: Ints, owner: Ints, starts: Ints, size: Ints, first: NDArray[np.float64], last: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sums of ``first`` before each cut and of ``last`` from it on, within the class."""
    up = np.concatenate(([0.0], np.cumsum(first)))
    down = np.concatenate(([0.0], np.cumsum(last)))
    end = starts + size
    return up[at] - up[starts[owner]], down[end[owner]] - down[at]


def _allowed_children(
    at: Ints,
    asked: Bools,
    starts: Ints,
    size: Ints,
    secret: NDArray[np.int32],
    weight: Ints,
    encoded: Encoded,
    policy: Policy,
    person: NDArray[np.int32] | None,
) -> Bools:
    """(classes,) whether every non-empty child of a taxonomy node meets the policy."""
    if not asked.any():
        return asked
    rows = np.repeat(asked, size)
    begins = np.zeros(len(secret), dtype=bool)
    begins[at] = True
    begins[starts] = True
    part = (np.cumsum(begins & rows) - 1)[rows]
    histogram = ClassHistogram.tally(
        part,
        secret[rows],
        encoded.overall,
        int(part[-1]) + 1,
        weight[rows],
        encoded.sensitive.missing,
        None if person is None else person[rows],
    )
    holds = policy.holds(histogram, encoded.sensitive)
    owner_of_part = np.repeat(np.arange(len(starts)), size)[np.flatnonzero(begins & rows)]
    bad = np.bincount(owner_of_part[~holds], minlength=len(starts)) > 0
    return asked & ~bad


def both_sides_hold(
    trial: Ints,
    at: Ints,
    owner: Ints,
    starts: Ints,
    size: Ints,
    secret: NDArray[np.int32],
    weight: Ints,
    encoded: Encoded,
    policy: Policy,
    person: NDArray[np.int32] | None,
) -> Bools:
    """Whether both sides of each trial cut meet the policy, on exact histograms."""
    length = size[owner[trial]]
    good = np.empty(len(trial), dtype=bool)
    ends = np.cumsum(length)
    begin = 0
    while begin < len(trial):
        done = ends[begin - 1] if begin else 0
        end = max(begin + 1, int(np.searchsorted(ends, done + CHUNK)))
        part = trial[begin:end]
        n = length[begin:end]
        offset = np.cumsum(n) - n
        row = np.arange(int(n.sum())) + np.repeat(starts[owner[part]] - offset, n)
        side = 2 * np.repeat(np.arange(len(part)), n) + (row >= np.repeat(at[part], n))
        histogram = ClassHistogram.tally(
            side,
            secret[row],
            encoded.overall,
            2 * len(part),
            weight[row],
            encoded.sensitive.missing,
            None if person is None else person[row],
        )
        holds = policy.holds(histogram, encoded.sensitive)
        good[begin:end] = holds[0::2] & holds[1::2]
        begin = end
    return good
