"""Least loss that looks ahead: a small class tries several cuts and keeps what loses least in the end.

The greedy cut is the best guess; near the leaves one need not guess. A class that could become
:data:`SMALL` classes or fewer tries, of the best cuts along each line, the :data:`WIDTH` best side by
side, and so do their sides. What is kept is the subtree whose final classes lose least.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.algorithms.leastloss.capacity import Need
from core.algorithms.leastloss.lines import Lines
from core.algorithms.leastloss.rounds import Best, Open, Task, best_of_each, both_sides, one_round
from core.algorithms.mondrian.rounds import Units
from core.arrays import Bools, Codes, Floats, Ints, Progress, step
from core.data.encoding import Encoded
from core.privacy.coalitions import with_providers
from core.privacy.policy import Policy

SMALL = 6
"""Most classes that a class could become which tries several cuts."""
WIDTH = 3
"""Cuts that it tries."""
BATCH = 4_000
"""Distinct people whose classes are worked on at a time, to bound memory and to report progress."""
GREEDY = 0.2
"""Share of the work that the cuts above are."""


@dataclass(frozen=True, eq=False)
class Level:
    """Classes reached by so many cuts, over all that was tried.

    Parameters
    ----------
    state
        The classes.
    parent
        (alternatives,) which of them each cut that is tried is of, the best cut of each first; the
        sides of cut i are classes 2i and 2i + 1 of the next level.
    """

    state: Open
    parent: Ints


def branching(encoded: Encoded, policy: Policy, progress: Progress | None = None) -> NDArray[np.int32]:
    """Partition a table as :func:`core.algorithms.leastloss.least_loss`, looking ahead near the leaves.

    Returns
    -------
    ndarray
        (records,) class of each record, numbered by the first of the sorted distinct people in it.

    Notes
    -----
    Up to WIDTH^(SMALL - 1) times the work of least loss near the leaves; the effort is fixed, not the
    time, so that the same table gives the same classes on every machine.
    """
    units = Units.of(encoded, with_secret=not policy.only_k)
    task = Task(encoded, policy, units, Lines.of(encoded, units), Need.of(policy, encoded))
    everybody = len(units.weight)
    whole, none = np.array([everybody]), np.array([0])
    state = Open(np.arange(everybody), whole, none, none + 1)
    settled: list[Open] = []
    small: list[Open] = []
    while len(state.size):
        few = _people(task, state) // policy.k <= SMALL
        small.append(state.take(few))
        state = state.take(~few)
        if len(state.size):
            state, more = one_round(task, np.array([policy.k]), state)
            settled += more
        if progress is not None:
            progress(GREEDY * (1 - len(state.unit) / everybody))
    done = sum(len(part.unit) for part in settled)
    for batch in _batches(small):
        settled += _best_subtrees(task, batch)
        done += len(batch.unit)
        if progress is not None:
            progress(min(1.0, GREEDY + (1 - GREEDY) * done / everybody))
    if progress is not None:
        progress(1.0)
    return units.labels(
        np.concatenate([part.unit for part in settled]), np.concatenate([part.size for part in settled])
    )


def _people(task: Task, state: Open) -> Ints:
    """(classes,) records of each class."""
    starts = np.cumsum(state.size) - state.size
    people: Ints = np.add.reduceat(task.units.weight[state.unit], starts)
    return people


def _batches(small: Sequence[Open]) -> Iterator[Open]:
    """All small classes, a few at a time."""
    for part in small:
        if len(part.size):
            batch = np.cumsum(part.size) // BATCH
            for number in np.unique(batch):
                yield part.take(batch == number)


def _best_subtrees(task: Task, state: Open) -> list[Open]:
    """Final classes of the best subtree of each class."""
    levels: list[Level] = []
    while len(state.size):
        parent, below = _tried(task, state)
        levels.append(Level(state, parent))
        state = below
    chosen: list[Ints] = [np.empty(0, dtype=np.int64)] * len(levels)
    cost = np.empty(0)
    for number in range(len(levels) - 1, -1, -1):
        level = levels[number]
        total = cost.reshape(-1, 2).sum(axis=1)
        cost = _cost(task, level.state)
        best = np.full(len(level.state.size), -1, dtype=np.int64)
        if len(level.parent):
            # Single precision, so that equal losses are ties however they were summed; then the better cut.
            order = np.lexsort((total.astype(np.float32), level.parent))
            parents, first = np.unique(level.parent[order], return_index=True)
            best[parents] = order[first]
            cost[parents] = total[order[first]]
        chosen[number] = best
    final: list[Open] = []
    kept = np.ones(len(levels[0].state.size), dtype=bool)
    for level, best in zip(levels, chosen, strict=True):
        final.append(level.state.take(kept & (best < 0)))
        cut = best[kept & (best >= 0)]
        kept = np.zeros(2 * len(level.parent), dtype=bool)
        kept[2 * cut], kept[2 * cut + 1] = True, True
    return final


def _tried(task: Task, state: Open) -> tuple[Ints, Open]:
    """Class of each cut that is tried, the best of a class first, and both sides of each."""
    least = np.full(len(state.size), task.policy.k)
    candidates = best_of_each(task, least, state.unit, state.size)
    score = np.array([best.score for best in candidates])
    rank = np.argsort(score, axis=0, kind="stable")[:WIDTH]
    parents: list[Ints] = []
    below = Open(*(np.empty(0, dtype=np.int64),) * 4)
    for attribute in rank:
        allowed = np.isfinite(score[attribute, np.arange(len(attribute))])
        best = _of_lines(candidates, attribute, allowed)
        parents.append(np.flatnonzero(allowed))
        below = below.beside(both_sides(state, best, state.until))
    return np.concatenate(parents), below


def _of_lines(candidates: Sequence[Best], attribute: Ints, allowed: Bools) -> Best:
    """The best cut of each class along the line that is named for it."""
    which = attribute, np.arange(len(attribute))
    return Best(
        np.where(allowed, attribute, -1),
        np.array([best.at for best in candidates])[which],
        np.array([best.smaller for best in candidates])[which],
        np.array([best.score for best in candidates])[which],
        [best.orders[0] for best in candidates],
    )


def _cost(task: Task, state: Open) -> Floats:
    """(classes,) loss of each class as it is: records times the NCP of its tight cell."""
    starts, lines = np.cumsum(state.size) - state.size, task.lines
    sets = np.array([np.bitwise_or.reduceat(word[state.unit], starts) for word in lines.bits], dtype=np.uint64)
    low = np.empty((len(lines.ranged), len(starts)), dtype=np.int64)
    high = np.empty_like(low)
    for i, attribute in enumerate(lines.ranged):
        places = lines.place[attribute][state.unit]
        low[i], high[i] = np.minimum.reduceat(places, starts), np.maximum.reduceat(places, starts)
    return _people(task, state) * lines.penalty(sets.reshape(len(lines.bits), len(starts)), low, high)


def run(encoded: Encoded, policies: Sequence[Policy], progress: Progress | None = None) -> list[Codes]:
    """Labels by policy, one by one."""
    labels: list[Codes] = []
    for number, policy in enumerate(policies):
        table, target = (encoded, policy) if policy.m is None else with_providers(encoded, policy)
        labels.append(branching(table, target, step(progress, number, len(policies))))
    return labels
