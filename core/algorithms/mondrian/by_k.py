"""A round of strict Mondrian where k alone is asked for and no attribute has a taxonomy: the commonest case, quicker.

The cuts are those of :mod:`core.algorithms.mondrian.rounds`. Units are not put into the order of their
values: one sort of numbers that hold class, value and weight finds the cut of every class, and a
comparison tells on which side of it a unit is. Parts that no k can cut are settled as they arise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.algorithms.mondrian.rounds import Finished, Open, Task, one_round
from core.arrays import Bools, Codes, Ints

MANY = 2_000
"""Units from which this is quicker: with fewer, what numpy takes for each call counts."""
SHORT, LONG = 32, 63
"""Bits of the numbers that are sorted; the short ones take half the time."""
_KEEP, _SETTLE, _STAY, _STUCK = 1, 2, 4, 8
"""What becomes of a side of a class, as bits."""


def is_plain(task: Task) -> bool:
    """Whether classes are cut here: many, for k alone, a unit a person or several, and no taxonomy."""
    if len(task.units.weight) < MANY:
        return False
    return task.policy.only_k and task.units.person is None and not task.trees.any()


def short(state: Open) -> Open:
    """The same classes, with units and weights as numbers of 32 bits where these suffice: half as much is moved."""
    if max(int(state.unit.max(initial=0)), int(state.weight.sum())) > np.iinfo(np.int32).max:
        return state
    return replace(state, unit=state.unit.astype(np.int32), weight=state.weight.astype(np.int32))


def one_round_by_k(state: Open, task: Task, done: Finished) -> Open:
    """One round: cut every class on its widest attribute, or mark that exhausted.

    As :func:`core.algorithms.mondrian.rounds.one_round`, which it leaves classes to whose numbers are too long.
    """
    starts, units = state.starts, len(state.unit)
    low = [np.minimum.reduceat(row, starts) for row in state.codes]
    high = [np.maximum.reduceat(row, starts) for row in state.codes]
    picked, stuck = _widest(task, low, high, state.exhausted)
    base, top = (np.stack(ends)[picked, np.arange(len(starts))] for ends in (low, high))
    bits = [int(most).bit_length() for most in (len(starts) - 1, (top - base).max(), state.weight.max())]
    if max(sum(bits), bits[2] + 2 * units.bit_length() + 1) > LONG:
        return one_round(state, task, done)
    # To repeat what is of a class is several times quicker than to look it up for each unit.
    value: Codes = state.codes.ravel()[np.repeat(picked * units, state.size) + np.arange(units)]
    cuts = _Cuts.of(_keys(state, value, base, bits), bits, starts)
    is_left = value < np.repeat(base + cuts.value, state.size)
    return _parted(state, task, done, _Parting(is_left, picked, stuck, cuts))


def _widest(task: Task, low: Sequence[Codes], high: Sequence[Codes], exhausted: Bools) -> tuple[Ints, Bools]:
    """(classes,) widest attribute that is left, the first of equally wide ones, and whether there is none."""
    picked, most = np.zeros(len(exhausted), dtype=np.int64), np.full(len(exhausted), -1.0)
    for i, domain in enumerate(task.encoded.qids):
        width = domain.width(low[i].astype(np.int64), high[i].astype(np.int64))
        width[exhausted[:, i] | (low[i] == high[i])] = -1.0
        wider = width > most
        picked[wider] = i
        np.maximum(most, width, out=most)
    return picked, most < 0


def _keys(state: Open, value: Codes, base: Codes, bits: Sequence[int]) -> NDArray[np.integer[Any]]:
    """(units,) numbers of class, value from the lowest of the class on, and weight, sorted."""
    kind = np.dtype(np.uint32 if sum(bits) <= SHORT else np.int64)
    # Where the numbers are short, what is below 0 wraps, and comes back as the value is added.
    first = (np.arange(len(base)) << bits[1]) - base
    key = np.repeat(first.astype(kind), state.size)
    key += value.astype(kind)
    key <<= kind.type(bits[2])
    key |= state.weight.astype(kind)
    key.sort()
    return key


@dataclass(frozen=True, eq=False)
class _Cuts:
    """The cut of each class nearest its median, of equally near ones that at the lower value.

    Parameters
    ----------
    total
        (classes,) weight of each.
    left, units_left
        (classes,) weight and number of the units on the left of the cut; 0 where there is none.
    value
        (classes,) lowest value on the right; 0 where there is no cut.
    """

    total: Ints
    left: Ints
    units_left: Ints
    value: Codes

    @classmethod
    def of(cls, key: NDArray[np.integer[Any]], bits: Sequence[int], starts: Ints) -> _Cuts:
        """Find the cuts, from the output of :func:`_keys`."""
        kind, classes = key.dtype.type, len(starts)
        weight = np.cumsum(key & kind((1 << bits[2]) - 1), dtype=np.int64)
        group = key >> kind(bits[2])
        is_break = np.empty(len(group), dtype=bool)
        np.not_equal(group[1:], group[:-1], out=is_break[1:])
        is_break[starts] = False
        at = np.flatnonzero(is_break)
        before = np.where(starts > 0, weight[starts - 1], 0)
        total = np.append(before[1:], weight[-1]) - before
        left, units_left, value = np.zeros((3, classes), dtype=np.int64)
        if len(at):
            # Breaks of a class follow one another.
            many = np.add.reduceat(is_break, starts, dtype=np.int64)
            cut = np.flatnonzero(many)
            many = many[cut]
            first = np.cumsum(many) - many
            near = np.abs(2 * weight[at - 1] - np.repeat((2 * before + total)[cut], many))
            place = len(at).bit_length()
            near <<= place
            near |= np.arange(len(at))
            chosen = at[np.minimum.reduceat(near, first) & ((1 << place) - 1)]
            left[cut], units_left[cut] = weight[chosen - 1] - before[cut], chosen - starts[cut]
            value[cut] = group[chosen] & kind((1 << bits[1]) - 1)
        return cls(total, left, units_left, value.astype(np.int32))


@dataclass(frozen=True, eq=False)
class _Parting:
    """What a round parting.

    Parameters
    ----------
    is_left
        (units,) whether each unit is on the left of the cut of its class.
    picked, stuck
        (classes,) attribute picked, and whether there is none left.
    cuts
        Of the classes.
    """

    is_left: Bools
    picked: Ints
    stuck: Bools
    cuts: _Cuts


def _reached(ks: Ints, weight: Ints) -> Ints:
    """How many of some k, rising, are at most each weight."""
    return (weight >= ks[0]).astype(np.int64) if len(ks) == 1 else np.searchsorted(ks, weight, side="right")


def _parted(state: Open, task: Task, done: Finished, parting: _Parting) -> Open:
    """Cut the classes for the k that allow it; keep them whole, attribute exhausted, for the others."""
    cuts, stuck, since = parting.cuts, parting.stuck, state.since
    right, units_right = cuts.total - cuts.left, state.size - cuts.units_left
    reach = _reached(task.ks, np.minimum(cuts.left, right))
    reach = np.where(stuck, since, np.clip(reach, since, state.until))
    stay = (reach < state.until) & ~stuck
    # Of a part, the k that are more than half of it are settled, and those below go on.
    left_until, right_until = (np.clip(_reached(task.ks, half // 2), since, reach) for half in (cuts.left, right))
    keep_left, keep_right = left_until > since, right_until > since
    settle_left, settle_right = left_until < reach, right_until < reach
    other = _STAY * stay + _STUCK * stuck
    on_left, on_right = (
        np.repeat((keep + _SETTLE * settle + other).astype(np.uint8), state.size)
        for keep, settle in ((keep_left, settle_left), (keep_right, settle_right))
    )

    def units(what: int, side: NDArray[np.uint8], inside: Bools | None = None) -> Ints:
        """Units of which a bit is set."""
        fits = (side & np.uint8(what)) != 0
        return np.flatnonzero(fits if inside is None else fits & inside)

    is_right = ~parting.is_left
    for index, which, size, begin, end in (
        (partial(units, _SETTLE, on_left, parting.is_left), settle_left, cuts.units_left, left_until, reach),
        (partial(units, _SETTLE, on_right, is_right), settle_right, units_right, right_until, reach),
        (partial(units, _STUCK, on_left), stuck, state.size, since, state.until),
    ):
        if which.any():
            done.units.append(state.unit[index()])
            done.sizes.append(size[which])
            done.since.append(begin[which])
            done.until.append(end[which])
    # Places are looked up several times as fast as flags.
    lefts, rights, wholes = (np.flatnonzero(which) for which in (keep_left, keep_right, stay))
    exhausted = state.exhausted.take(wholes, axis=0)
    exhausted[np.arange(len(wholes)), parting.picked[wholes]] = True
    passed_on = state.exhausted.take(np.concatenate((lefts, rights)), axis=0)

    def together(left: Ints, right: Ints, whole: Ints) -> Ints:
        return np.concatenate((left[lefts], right[rights], whole[wholes]))

    return state.pick(
        np.concatenate(
            (units(_KEEP, on_left, parting.is_left), units(_KEEP, on_right, is_right), units(_STAY, on_left))
        ),
        together(cuts.units_left, units_right, state.size),
        np.concatenate((passed_on, exhausted)),
        together(since, since, reach),
        together(left_until, right_until, state.until),
        together(parting.picked, parting.picked, state.cut_on),
    )
