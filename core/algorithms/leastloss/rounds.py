"""One round of least loss: every open class is cut where the estimated loss of its two sides is least."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.algorithms.leastloss.capacity import Need, Tally, capacity, tallies
from core.algorithms.leastloss.lines import Lines, first_places
from core.algorithms.mondrian.cuts import Sorted, both_sides_hold, persons_beside
from core.algorithms.mondrian.rounds import Units
from core.arrays import Bools, Ints, Words
from core.data.encoding import Encoded
from core.privacy.policy import Policy
from core.sorting import stable_order

DISCOUNT = 14.0
"""Loss falls about with this root of the number of classes that a part can still become."""


@dataclass(frozen=True, eq=False)
class Task:
    """A table to be cut under one policy.

    Parameters
    ----------
    encoded, policy, units, lines
        The table, what is asked of its classes, its distinct people, their lines.
    need
        What of the policy bounds the number of classes.
    discount
        Root of the number of classes by which a loss is discounted.
    """

    encoded: Encoded
    policy: Policy
    units: Units
    lines: Lines
    need: Need
    discount: float = DISCOUNT


@dataclass(frozen=True, eq=False)
class Cuts:
    """Cuts that classes could take along one line.

    Parameters
    ----------
    order
        (units,) place among the open units, by class and place on the line; only of classes
        that the line can cut.
    at
        (cuts,) where in ``order`` the upper side begins.
    owner
        (cuts,) class, not falling.
    score
        (cuts,) estimated loss that is left; single precision, so that equal losses are ties
        however they were summed.
    smaller
        (cuts,) people on the side that has fewer.
    size
        (classes,) units of each class in ``order``.
    """

    order: Ints
    at: Ints
    owner: Ints
    score: NDArray[np.float32]
    smaller: Ints
    size: Ints


@dataclass(frozen=True, eq=False)
class Open:
    """Classes that may still be cut, and the run of values of k that each serves.

    Parameters
    ----------
    unit, size
        (units,) open units, class after class, and (classes,) how many each has.
    since, until
        (classes,) first of the values of k, and the one after the last.
    """

    unit: Ints
    size: Ints
    since: Ints
    until: Ints

    def take(self, which: Bools) -> Open:
        """Return some of the classes."""
        return Open(self.unit[np.repeat(which, self.size)], self.size[which], self.since[which], self.until[which])

    def beside(self, other: Open) -> Open:
        """Return these classes and others after them."""
        pairs = ((getattr(self, name), getattr(other, name)) for name in ("unit", "size", "since", "until"))
        return Open(*(np.concatenate(pair) for pair in pairs))


def one_round(task: Task, ks: Ints, state: Open) -> tuple[Open, list[Open]]:
    """Cut every class once for the values of k that its best cut serves, or settle it.

    The best cut for the least k of a class is the best one for every k up to the people on its
    smaller side. The class stays whole for the larger ones, and is looked at again.

    Parameters
    ----------
    task
        What is cut.
    ks
        Values of k, rising.
    state
        The classes.

    Returns
    -------
    state
        Classes that go on.
    settled
        Classes that are final for the values of k that they serve.
    """
    weight = np.add.reduceat(task.units.weight[state.unit], np.cumsum(state.size) - state.size)
    reach = np.maximum(np.searchsorted(ks, weight // 2, side="right"), state.since)
    settled = []
    if (reach < state.until).any():
        settled.append(replace(state, since=reach).take(reach < state.until))
        state = replace(state, until=np.minimum(reach, state.until)).take(reach > state.since)
        if not len(state.size):
            return state, settled
    best = best_cuts(task, ks[state.since], state.unit, state.size)
    reach = np.minimum(np.searchsorted(ks, best.smaller, side="right"), state.until)
    final = best.attribute < 0
    settled.append(state.take(final))
    parts = both_sides(state, best, reach)
    left = ~final & (reach < state.until)
    return parts.beside(replace(state, since=reach).take(left)) if left.any() else parts, settled


@dataclass(frozen=True, eq=False)
class Best:
    """The best allowed cut of each class.

    Parameters
    ----------
    attribute
        (classes,) quasi-identifier; -1 where no cut is allowed.
    at
        (classes,) where in the order of that quasi-identifier the upper side begins.
    smaller
        (classes,) people on the side that has fewer; 0 where no cut is allowed.
    score
        (classes,) estimated loss that is left; infinite where no cut is allowed.
    orders
        The order of the units for each quasi-identifier.
    """

    attribute: Ints
    at: Ints
    smaller: Ints
    score: NDArray[np.float32]
    orders: list[Ints]


def best_cuts(task: Task, least: Ints, unit: Ints, size: Ints) -> Best:
    """Return the best allowed cut of each class; ``least`` are the people that both sides must have."""
    return _chosen(task, _all_cuts(task, least, unit, size), unit, size)


def best_of_each(task: Task, least: Ints, unit: Ints, size: Ints) -> list[Best]:
    """Return the best allowed cut of each class along each line."""
    return [_chosen(task, [cuts], unit, size) for cuts in _all_cuts(task, least, unit, size)]


def _all_cuts(task: Task, least: Ints, unit: Ints, size: Ints) -> list[Cuts]:
    group = None
    if not task.need.by_size:
        group = _pairs(np.repeat(np.arange(len(size)), size), task.units.secret[unit], len(task.encoded.overall))
    return [_cuts(task, i, least, unit, size, group) for i in range(task.lines.attributes)]


def _chosen(task: Task, cuts: list[Cuts], unit: Ints, size: Ints) -> Best:
    return _least(cuts, len(size)) if task.policy.only_k else _least_allowed(task, cuts, unit, len(size))


def _pairs(owner: Ints, secret: NDArray[np.int32], values: int) -> Ints:
    """Number of each unit's pair of class and sensitive value."""
    key = owner * values + secret
    if len(key) and int(key[-1]) < 4 * len(key) + 4096:
        return key
    pair: Ints = np.unique(key, return_inverse=True)[1]
    return pair


def _cuts(task: Task, attribute: int, least: Ints, unit: Ints, size: Ints, group: Ints | None) -> Cuts:
    """Every cut along one line whose sides could meet the policy, with its estimated loss."""
    lines, nothing = task.lines, np.empty(0, dtype=np.int64)
    order, owner, value = _ordered(lines.place[attribute][unit], size)
    if not len(order):
        return Cuts(order, nothing, nothing, np.empty(0, dtype=np.float32), nothing, 0 * size)
    inside_order = np.bincount(owner, minlength=len(size))
    begins = first_places(owner)
    begins[1:] |= value[1:] != value[:-1]
    place = np.flatnonzero(begins)
    owners = owner[place]
    members = unit[order]
    weight = task.units.weight[members]
    edge = np.flatnonzero(first_places(owners))
    length = np.diff(np.append(edge, len(owners)))
    rank = np.arange(len(owners)) - np.repeat(edge, length)
    upper = np.flatnonzero(rank > 0)
    at, who = place[upper], owners[upper]
    # People and values on both sides, and which cuts could be allowed at all.
    starts = place[edge]
    ends = np.append(starts[1:], len(order))
    which = np.repeat(np.arange(len(edge)), length)[upper]
    total = np.concatenate(([0], np.cumsum(weight)))
    records = total[at] - total[starts[which]], total[ends[which]] - total[at]
    people = records
    if task.units.person is not None:
        people = persons_beside(at, which, starts, ends - starts, task.units.person[members])
    smaller = np.minimum(*people)
    good = smaller >= least[who]
    counts: tuple[Tally | None, Tally | None] = None, None
    if group is not None and good.any():
        lower, higher = tallies(group[order], starts, at, task.units.secret[members], weight, task.need)
        good &= lower.could_hold(task.need) & higher.could_hold(task.need)
        counts = lower, higher
    upper, at, who, smaller = upper[good], at[good], who[good], smaller[good]
    if not len(at):
        return Cuts(order, at, who, np.empty(0, dtype=np.float32), smaller, inside_order)
    score = np.zeros(len(at))
    below, above = _sides(lines, members, place, owners, rank)
    for number, (side, last) in enumerate(((below, upper - 1), (above, upper))):
        sets, low, high = side
        lost = lines.penalty(sets[:, last], low[:, last], high[:, last])
        count = counts[number]
        many = capacity(task.need, people[number][good], None if count is None else count.take(good))
        score += records[number][good] * lost * many ** (-1.0 / task.discount)
    return Cuts(order, at, who, score.astype(np.float32), smaller, inside_order)


def _ordered(value: NDArray[np.int32], size: Ints) -> tuple[Ints, Ints, Ints]:
    """Units by class and value, of the classes that have more than one value: place, class, value."""
    starts = np.cumsum(size) - size
    varies = np.minimum.reduceat(value, starts) < np.maximum.reduceat(value, starts)
    index = np.flatnonzero(np.repeat(varies, size))
    owner = np.repeat(np.flatnonzero(varies), size[varies])
    if not len(index):
        return index, owner, index
    order = stable_order((owner << int(value.max()).bit_length()) | value[index])
    placed = index[order]
    return placed, owner, value[placed].astype(np.int64)


Side = tuple[Words, Ints, Ints]
"""(words, groups) sets, and (ranged, groups) lowest and highest places."""


def _sides(lines: Lines, members: Ints, place: Ints, owner: Ints, rank: Ints) -> tuple[Side, Side]:
    """What the people up to and with each group of a line have, and what those from it on."""
    sets = np.array([np.bitwise_or.reduceat(word[members], place) for word in lines.bits], dtype=np.uint64)
    sets = sets.reshape(len(lines.bits), len(place))
    low = np.empty((len(lines.ranged), len(place)), dtype=np.int64)
    high = np.empty_like(low)
    for i, attribute in enumerate(lines.ranged):
        places = lines.place[attribute][members]
        low[i], high[i] = np.minimum.reduceat(places, place), np.maximum.reduceat(places, place)
    edge = np.flatnonzero(first_places(owner))
    length = np.diff(np.append(edge, len(owner)))
    rest = np.repeat(length, length) - 1 - rank
    down = owner[::-1].max() - owner[::-1]
    below = _union(sets.copy(), rank), _extreme(low, owner, -1), _extreme(high, owner, 1)
    turned = (
        _union(sets[:, ::-1].copy(), rest[::-1]),
        _extreme(low[:, ::-1], down, -1),
        _extreme(high[:, ::-1], down, 1),
    )
    above = turned[0][:, ::-1], turned[1][:, ::-1], turned[2][:, ::-1]
    return below, above


def _union(sets: Words, rank: Ints) -> Words:
    """Running unions within each class, by doubling; in place."""
    step, longest = 1, int(rank.max(initial=0))
    while step <= longest:
        inside = rank[step:] >= step
        sets[:, step:] |= np.where(inside, sets[:, :-step], np.uint64(0))
        step *= 2
    return sets


def _extreme(places: Ints, owner: Ints, sign: int) -> Ints:
    """Running maxima (sign 1) or minima (-1) within each class; ``owner`` does not fall."""
    if not places.size:
        return places
    span = int(places.max()) + 1
    offset = owner * span
    return sign * (np.maximum.accumulate(sign * places + offset, axis=1) - offset)


# ---- the choice -------------------------------------------------------------------------


def _least(cuts: list[Cuts], classes: int) -> Best:
    """Least estimate of each class; ties by quasi-identifier, then by the lower cut."""
    attribute = np.full(classes, -1, dtype=np.int64)
    at, smaller = np.zeros(classes, dtype=np.int64), np.zeros(classes, dtype=np.int64)
    best = np.full(classes, np.inf, dtype=np.float32)
    for number, cut in enumerate(cuts):
        if not len(cut.at):
            continue
        first = np.flatnonzero(first_places(cut.owner))
        least = np.minimum.reduceat(cut.score, first)
        length = np.diff(np.append(first, len(cut.owner)))
        hit = np.flatnonzero(cut.score == np.repeat(least, length))
        hit = hit[first_places(cut.owner[hit])]
        owners = cut.owner[hit]
        better = least < best[owners]
        best[owners[better]] = least[better]
        attribute[owners[better]] = number
        at[owners[better]] = cut.at[hit[better]]
        smaller[owners[better]] = cut.smaller[hit[better]]
    return Best(attribute, at, smaller, best, [cut.order for cut in cuts])


def _least_allowed(task: Task, cuts: list[Cuts], unit: Ints, classes: int) -> Best:
    """Least estimate of each class among the cuts that the policy allows, tried from the least on."""
    orders = [cut.order for cut in cuts]
    shift = np.cumsum([0] + [len(order) for order in orders])
    members = unit[np.concatenate(orders)]
    number = np.repeat(np.arange(len(cuts)), [len(cut.at) for cut in cuts])
    at = np.concatenate([cut.at + base for cut, base in zip(cuts, shift, strict=False)])
    owner = np.concatenate([cut.owner for cut in cuts])
    score = np.concatenate([cut.score for cut in cuts])
    starts = np.zeros(len(cuts) * classes, dtype=np.int64)
    size = np.zeros_like(starts)
    for i, cut in enumerate(cuts):
        if not len(cut.at):
            continue
        part = cut.size
        begin = np.cumsum(part) - part
        starts[i * classes : (i + 1) * classes], size[i * classes : (i + 1) * classes] = begin + shift[i], part
    block = number * classes + owner
    attribute = np.full(classes, -1, dtype=np.int64)
    place, smaller = np.zeros(classes, dtype=np.int64), np.zeros(classes, dtype=np.int64)
    best = np.full(classes, np.inf, dtype=np.float32)
    people = np.concatenate([cut.smaller for cut in cuts])
    candidate = np.lexsort((at, number, score, owner))
    person = None if task.units.person is None else task.units.person[members]
    rows = Sorted(
        task.encoded, task.policy, starts, size, task.units.secret[members], task.units.weight[members], person
    )
    tries = 1
    while len(candidate):
        owners = owner[candidate]
        edge = np.flatnonzero(first_places(owners))
        nth = np.arange(len(owners)) - np.repeat(edge, np.diff(np.append(edge, len(owners))))
        within = nth < tries
        trial = candidate[within]
        good = both_sides_hold(at[trial], block[trial], rows)
        winners = trial[good]
        winners = winners[first_places(owner[winners])] if len(winners) else winners
        attribute[owner[winners]] = number[winners]
        place[owner[winners]] = at[winners] - shift[number[winners]]
        smaller[owner[winners]], best[owner[winners]] = people[winners], score[winners]
        candidate = candidate[~within & (attribute[owners] < 0)]
        tries *= 2
    return Best(attribute, place, smaller, best, orders)


def both_sides(state: Open, best: Best, reach: Ints) -> Open:
    """Both sides of every class that is cut, for the values of k before ``reach``."""
    unit, size = state.unit, state.size
    owner = np.repeat(np.arange(len(size)), size)
    upper = np.zeros(len(unit), dtype=bool)
    for number, order in enumerate(best.orders):
        cut = best.attribute == number
        if not cut.any():
            continue
        owners = owner[order]
        inside = cut[owners]
        upper[order[inside]] = np.arange(len(order))[inside] >= best.at[owners[inside]]
    cut = best.attribute >= 0
    inside = np.repeat(cut, size)
    kept, sides, owner, size = unit[inside], upper[inside], owner[inside], size[cut]
    if not len(kept):
        return Open(kept, size, size, size)
    many = np.add.reduceat(sides.astype(np.int64), np.cumsum(size) - size)
    parts = np.column_stack((size - many, many)).ravel()
    order = np.argsort(owner * 2 + sides, kind="stable")
    return Open(kept[order], parts, np.repeat(state.since[cut], 2), np.repeat(reach[cut], 2))
