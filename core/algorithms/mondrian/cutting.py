"""One round of strict Mondrian: cut every open class once, or mark an attribute as exhausted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.algorithms.allowed_cuts import Candidates, Sorted, best_allowed_cuts, persons_on_each_side, smallest_part
from core.algorithms.units import Part, Units
from core.base.arrays import Bools, Codes, Ints, runs
from core.data.classes import first_of_each
from core.data.encoding.domain import Domain
from core.data.encoding.encoded import Encoded
from core.privacy.policy import Policy


@dataclass(frozen=True, eq=False)
class Task:
    """A table to be cut under one policy, for several k.

    Parameters
    ----------
    encoded, policy
        The table, and what its classes must meet in addition to k.
    ks
        Values of k, rising.
    units
        The distinct people of the table.
    """

    encoded: Encoded
    policy: Policy
    ks: Ints
    units: Units

    @classmethod
    def of(cls, encoded: Encoded, policy: Policy, ks: Sequence[int]) -> Task:
        """Collapse the records of a table as far as the policy allows."""
        units = Units.of(encoded, with_sensitive=not policy.only_k)
        return cls(encoded, policy, np.asarray(ks, dtype=np.int64), units)

    def whole(self) -> Open:
        """Return the state before the first round: everyone in one class, for every k."""
        units = self.units
        count = len(units.weight)
        exhausted = np.zeros((1, len(self.encoded.qids)), dtype=bool)
        everyone, none, last = np.array([count]), np.array([0]), np.array([len(self.ks)])
        return Open(np.arange(count), units.codes, units.weight, everyone, exhausted, none, last, none - 1)

    @property
    def trees(self) -> Bools:
        """(attributes,) whether each has a taxonomy, so that all children of a node become parts."""
        return np.array([domain.taxonomy is not None for domain in self.encoded.qids])


@dataclass
class Open:
    """Classes that may still be cut, with their units in class order."""

    unit: Ints
    codes: NDArray[np.int32]
    weight: Ints
    size: Ints
    exhausted: Bools
    since: Ints
    until: Ints
    cut_on: Ints
    """(classes,) attribute of the cut that made each class; -1 for the whole table."""

    @property
    def starts(self) -> Ints:
        """First unit of each class."""
        return np.cumsum(self.size) - self.size

    def pick(self, index: Ints, size: Ints, exhausted: Bools, since: Ints, until: Ints, cut_on: Ints) -> Open:
        """Return new classes made of the units at ``index``."""
        # np.take keeps rows contiguous; self.codes[:, index] would not, and is several times slower.
        codes = np.take(self.codes, index, axis=1, mode="clip")
        return Open(self.unit[index], codes, self.weight[index], size, exhausted, since, until, cut_on)


@dataclass(frozen=True, eq=False)
class Cuts:
    """Cuts of classes on the attribute chosen for each.

    Parameters
    ----------
    order
        (units,) sorted by class and value.
    smaller
        (classes,) the largest k for which the class can be cut; 0 for none.
    is_cut
        (units,) whether a part begins at this place of the sorted order.
    """

    order: Ints
    smaller: Ints
    is_cut: Bools


def one_round(state: Open, task: Task, done: list[Part]) -> Open:
    """One round: finish classes that cannot be cut, cut the others on their widest attribute.

    Parameters
    ----------
    state, task
        What to cut.
    done
        Receives the classes that are final.
    """
    state = _settle_small(state, task.ks, done)
    if not len(state.size):
        return state
    starts = state.starts
    low = np.stack([np.minimum.reduceat(row, starts) for row in state.codes])
    high = np.stack([np.maximum.reduceat(row, starts) for row in state.codes])
    picked, stuck = pick_widest(task, low, high, state.exhausted)
    if stuck.any():
        state, (low, high, picked) = _settle(state, stuck, done, (low, high, picked))
        if not len(state.size):
            return state
    return _apply(state, task, cut_classes(state, task, picked, low, high), picked)


def cut_classes(state: Open, task: Task, picked: Ints, low: NDArray[np.int32], high: NDArray[np.int32]) -> Cuts:
    """Choose the cut of each class on the attribute chosen for it.

    Only the code of the chosen attribute is used of each unit, so units may be the rows of a histogram.

    Parameters
    ----------
    picked
        (classes,) attribute.
    low, high
        (attributes, classes) ends of each class.
    """
    branch = _branches(state, picked, low, high, task.encoded.qids)
    values = int(branch.max(initial=0)) + 1
    key = np.repeat(np.arange(len(state.size)) * values, state.size) + branch
    order = np.argsort(key, kind="stable")
    is_break = np.zeros(len(key), dtype=bool)
    np.not_equal(key[order][1:], key[order][:-1], out=is_break[1:])
    is_break[state.starts] = False
    return Cuts(order, *_find_cuts(state, task, order, is_break, picked))


def pick_widest(task: Task, low: NDArray[np.int32], high: NDArray[np.int32], exhausted: Bools) -> tuple[Ints, Bools]:
    """(classes,) attribute to cut next, and whether none is left."""
    width = _widths(task.encoded.qids, low, high, exhausted)
    picked = np.argmax(width, axis=1)
    return picked, width[np.arange(len(picked)), picked] < 0


def _settle_small(state: Open, ks: Ints, done: list[Part]) -> Open:
    """Finish classes for every k larger than half their size."""
    weight = np.add.reduceat(state.weight, state.starts)
    reach = np.searchsorted(ks, weight // 2, side="right")
    small = state.until > reach
    if not small.any():
        return state
    _record(state, small, np.maximum(reach, state.since), state.until, done)
    state.until = np.minimum(state.until, reach)
    return _settle(state, state.until <= state.since, done, (), record=False)[0]


def _record(state: Open, which: Bools, since: Ints, until: Ints, done: list[Part]) -> None:
    unit = state.unit[runs(state.starts[which], state.size[which])]
    done.append(Part(unit, state.size[which], since[which], until[which]))


def _settle(
    state: Open, which: Bools, done: list[Part], parallel: tuple[NDArray[np.int64], ...], record: bool = True
) -> tuple[Open, list[NDArray[np.int64]]]:
    """Remove classes from the open ones, and from the arrays parallel to them."""
    if not which.any():
        return state, list(parallel)
    if record:
        _record(state, which, state.since, state.until, done)
    keep = ~which
    index = runs(state.starts[keep], state.size[keep])
    left = state.pick(
        index, state.size[keep], state.exhausted[keep], state.since[keep], state.until[keep], state.cut_on[keep]
    )
    return left, [array[..., keep] for array in parallel]


def _widths(
    qids: Sequence[Domain], low: NDArray[np.int32], high: NDArray[np.int32], exhausted: Bools
) -> NDArray[np.float64]:
    """(classes, attributes) normalised width; -1 if the attribute cannot be cut."""
    width = np.empty(exhausted.shape)
    for i, domain in enumerate(qids):
        width[:, i] = domain.width(low[i], high[i])
    width[exhausted | (low == high).T] = -1.0
    return width


def _branches(
    state: Open, picked: Ints, low: NDArray[np.int32], high: NDArray[np.int32], qids: Sequence[Domain]
) -> Codes:
    """Value of each unit on its class's attribute, minus the lowest; with a taxonomy, the child of the class's node."""
    units = len(state.unit)
    lowest = low[picked, np.arange(len(picked))]
    lowest[np.array([domain.taxonomy is not None for domain in qids])[picked]] = 0
    branch: Codes = state.codes.ravel()[runs(picked * units + state.starts, state.size)]
    branch -= np.repeat(lowest, state.size)
    for i, domain in enumerate(qids):
        tree = domain.taxonomy
        if tree is None:
            continue
        classes = np.flatnonzero(picked == i)
        if not len(classes):
            continue
        node = tree.lowest_common(low[i, classes].astype(np.int64), high[i, classes].astype(np.int64))
        level = np.zeros(len(picked), dtype=np.int64)
        level[classes] = tree.depth[node] + 1
        chosen = np.repeat(picked == i, state.size)
        branch[chosen] = tree.ancestors[np.repeat(level, state.size)[chosen], branch[chosen]]
    return branch


def _find_cuts(state: Open, task: Task, order: Ints, is_break: Bools, picked: Ints) -> tuple[Ints, Bools]:
    """Choose the cut of each class.

    Returns
    -------
    smaller
        (classes,) the largest k for which the class can be cut on this attribute; 0 for none.
    is_cut
        (units,) whether a part begins at this place of the sorted order.
    """
    starts, units = state.starts, task.units
    before = np.zeros(len(order) + 1, dtype=np.int64)
    np.cumsum(state.weight[order], out=before[1:])
    total_before = before[starts]
    total = before[starts + state.size] - total_before
    at = np.flatnonzero(is_break)
    owner = np.repeat(np.arange(len(starts)), state.size)[at]
    left = before[at] - total_before[owner]
    multiway = task.trees[picked]

    unit = state.unit[order]
    person = units.person[unit]
    # Taxonomies: every child is a part; the smallest child decides. Others: one cut, nearest the median, then the lower
    # value.
    if not task.encoded.has_multiple_records:
        least = smallest_part(at, owner, left, total)
        side = np.minimum(left, total[owner] - left)
        near = np.abs(2 * left - total[owner])
    else:
        # The two sides of a cut may have persons in common, so there is no median; the cut whose smaller side has the
        # most persons takes its place.
        least = _fewest_in_parts(is_break, starts, person)
        side = np.minimum(*persons_on_each_side(at, owner, starts, state.size, person))
        near = 2 * (len(person) - side)
    rows = Sorted(
        task.encoded, task.policy, starts, state.size, units.sensitive_codes[unit], state.weight[order], person
    )
    allowed = best_allowed_cuts(Candidates(at, owner, side, near, multiway, least), rows, task.ks[state.since])
    # Other requirements are the same for every k, so the allowed cut nearest the median serves every k up to its
    # smaller side.
    smaller, is_cut = np.zeros(len(starts), dtype=np.int64), np.zeros(len(order), dtype=bool)
    smaller[owner[allowed]] = np.where(multiway[owner[allowed]], least[owner[allowed]], side[allowed])
    is_cut[at[allowed]] = True
    return smaller, is_cut


def _fewest_in_parts(is_break: Bools, starts: Ints, person: NDArray[np.int32]) -> Ints:
    """(classes,) persons in the smallest part of each class; parts are separated by breaks."""
    begins = is_break.copy()
    begins[starts] = True
    part = np.cumsum(begins) - 1
    persons = np.bincount(part[first_of_each(part, person)], minlength=int(part[-1]) + 1)
    return np.minimum.reduceat(persons, part[starts])


def _apply(state: Open, task: Task, made: Cuts, picked: Ints) -> Open:
    """Cut the classes for the k that allow it; keep them whole, attribute exhausted, for the others.

    Old and new classes are runs of the sorted order, so units are moved once.
    """
    reach = np.clip(np.searchsorted(task.ks, made.smaller, side="right"), state.since, state.until)
    cuts, stays = reach > state.since, reach < state.until
    starts = state.starts
    begins = made.is_cut.copy()
    begins[starts] = True
    begin = np.flatnonzero(begins)
    size = np.diff(np.append(begin, len(begins)))
    is_first = np.zeros(len(begins), dtype=bool)
    is_first[starts] = True
    owner = np.cumsum(is_first[begin]) - 1
    is_part = cuts[owner]
    begin, size, owner = begin[is_part], size[is_part], owner[is_part]
    whole_exhausted = state.exhausted[stays]
    whole_exhausted[np.arange(len(whole_exhausted)), picked[stays]] = True
    # Parts of the cut classes, then classes that stay whole.
    begin, size = np.concatenate((begin, starts[stays])), np.concatenate((size, state.size[stays]))
    exhausted = np.concatenate((np.zeros((len(owner), state.exhausted.shape[1]), dtype=bool), whole_exhausted))
    since = np.concatenate((state.since[owner], reach[stays]))
    until = np.concatenate((reach[owner], state.until[stays]))
    cut_on = np.concatenate((picked[owner], state.cut_on[stays]))
    index = made.order[runs(begin, size)]
    return state.pick(index, size, exhausted, since, until, cut_on)
