"""Find the cuts that a policy beyond k allows, and the one of them nearest the median.

Candidates are tried from the median outwards, a few per class and step, on exact
histograms of both sides: the same check that defines the policy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Bools, Ints, is_first
from core.data.classes import ClassHistogram
from core.data.encoding.encoded import Encoded
from core.privacy.policy import Policy

CHUNK = 1 << 17
"""Largest number of histogram rows made in one step, to bound memory: reusing pages costs less than new ones."""


@dataclass(frozen=True, eq=False)
class Sorted:
    """Units of open classes, class after class, each in the order in which it can be cut.

    Parameters
    ----------
    encoded, policy
        The table, and what every part must meet.
    starts, size
        (classes,) first unit and number of units.
    sensitive_codes, weight
        (units,) sensitive code and records.
    person
        (units,) the person of each unit.
    """

    encoded: Encoded
    policy: Policy
    starts: Ints
    size: Ints
    sensitive_codes: NDArray[np.int32]
    weight: Ints
    person: NDArray[np.int32]

    def holds(self, part: Ints, parts: int, where: NDArray[Any]) -> Bools:
        """(parts,) whether each part meets the policy, exactly; ``part`` is the part of each unit at ``where``.

        Under k alone all do: the number of people was checked before.
        """
        if self.policy.only_k:
            return np.ones(parts, dtype=bool)
        sensitive_codes, overall, missing = (
            self.sensitive_codes[where],
            self.encoded.overall,
            self.encoded.sensitive.missing,
        )
        if self.encoded.has_multiple_records:
            histogram = ClassHistogram.of_persons(part, sensitive_codes, overall, parts, self.person[where], missing)
        else:
            histogram = ClassHistogram.of_records(part, sensitive_codes, overall, parts, self.weight[where], missing)
        return self.policy.is_satisfied(histogram, self.encoded.sensitive)


@dataclass(frozen=True, eq=False)
class Candidates:
    """Possible cuts of classes, sorted by place.

    Parameters
    ----------
    at, owner
        (candidates,) place in the sorted order where the right side begins, and class.
    smaller, nearness
        (candidates,) people on the smaller side, and a key: the cut with the lowest is tried first.
    multiway, least
        (classes,) whether all candidates are cut together (taxonomy); then the people of the
        smallest part.
    """

    at: Ints
    owner: Ints
    smaller: Ints
    nearness: Ints
    multiway: Bools
    least: Ints


def best_allowed_cuts(cuts: Candidates, rows: Sorted, k: int | Ints) -> Ints:
    """Return the candidates to apply.

    Parameters
    ----------
    cuts, rows
        The possible cuts, and the units that they would separate.
    k
        People that both sides must have; one number, or (classes,).

    Returns
    -------
    ndarray
        Indices of the chosen candidates: one for a class with a single cut, all for a class that is cut into children,
        none if nothing is allowed.
    """
    at, owner, multiway = cuts.at, cuts.owner, cuts.multiway
    several = _allowed_children(at, multiway & (cuts.least >= k), rows)
    enough = np.broadcast_to(k, multiway.shape)[owner]
    single = ~multiway[owner] & (cuts.smaller >= enough)
    candidate = np.flatnonzero(single)
    candidate = candidate[np.lexsort((at[candidate], cuts.nearness[candidate], owner[candidate]))]
    chosen: list[Ints] = [np.flatnonzero(several[owner])]
    tries = 1
    while len(candidate):
        # The next few candidates of every class that has none yet.
        owners = owner[candidate]
        edge = np.flatnonzero(is_first(owners))
        place = np.arange(len(owners)) - np.repeat(edge, np.diff(np.append(edge, len(owners))))
        within = place < tries
        good = both_sides_hold(at[candidate[within]], owners[within], rows)
        winners = candidate[within][good]
        first = is_first(owner[winners])
        chosen.append(winners[first])
        settled = np.zeros(len(rows.starts), dtype=bool)
        settled[owner[winners]] = True
        candidate = candidate[~within & ~settled[owners]]
        tries *= 2
    return np.concatenate(chosen)


def smallest_part(at: Ints, owner: Ints, left: Ints, total: Ints) -> Ints:
    """(classes,) people of the smallest part between all breaks, which are at ``at``; 0 if there is no break."""
    first = np.flatnonzero(np.diff(owner, prepend=-1))
    before = np.append(0, left[:-1])
    before[first] = 0
    least, owners = np.zeros(len(total), dtype=np.int64), owner[first]
    last = np.append(first[1:], len(at)) - 1
    least[owners] = np.minimum(np.minimum.reduceat(left - before, first), total[owners] - left[last])
    return least


def _first_and_last(
    number: NDArray[np.int32], numbers: int, size: Ints
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mark, in two arrays (units,) of 0 and 1, the first and the last unit of each number within its class.

    ``number`` (units,) is below ``numbers``, and units are sorted by class.
    """
    class_of = np.repeat(np.arange(len(size)), size)
    group = class_of * numbers + number
    order = np.argsort(group, kind="stable")
    # In this order the units of one number in one class are neighbours.
    grouped = group[order]
    change = grouped[1:] != grouped[:-1]
    first, last = np.zeros(len(number)), np.zeros(len(number))
    first[order[np.concatenate(([True], change))]] = 1.0
    last[order[np.concatenate((change, [True]))]] = 1.0
    return first, last


def persons_on_each_side(
    at: Ints, owner: Ints, starts: Ints, size: Ints, person: NDArray[np.int32]
) -> tuple[Ints, Ints]:
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


def _allowed_children(at: Ints, wanted: Bools, rows: Sorted) -> Bools:
    """(classes,) whether every non-empty child of a taxonomy node meets the policy, for the requested classes."""
    if not wanted.any():
        return wanted
    inside = np.repeat(wanted, rows.size)
    begins = np.zeros(len(rows.sensitive_codes), dtype=bool)
    begins[at] = True
    begins[rows.starts] = True
    part = (np.cumsum(begins & inside) - 1)[inside]
    holds = rows.holds(part, int(part[-1]) + 1, inside)
    owner_of_part = np.repeat(np.arange(len(rows.starts)), rows.size)[np.flatnonzero(begins & inside)]
    bad = np.bincount(owner_of_part[~holds], minlength=len(rows.starts)) > 0
    return wanted & ~bad


def both_sides_hold(at: Ints, owner: Ints, rows: Sorted) -> Bools:
    """(cuts,) whether both sides of each cut, at a place of its class, meet the policy, on exact histograms."""
    length = rows.size[owner]
    good = np.empty(len(at), dtype=bool)
    ends = np.cumsum(length)
    begin = 0
    while begin < len(at):
        done = ends[begin - 1] if begin else 0
        end = max(begin + 1, int(np.searchsorted(ends, done + CHUNK)))
        n = length[begin:end]
        offset = np.cumsum(n) - n
        where = np.arange(int(n.sum())) + np.repeat(rows.starts[owner[begin:end]] - offset, n)
        side = 2 * np.repeat(np.arange(end - begin), n) + (where >= np.repeat(at[begin:end], n))
        holds = rows.holds(side, 2 * (end - begin), where)
        good[begin:end] = holds[0::2] & holds[1::2]
        begin = end
    return good
