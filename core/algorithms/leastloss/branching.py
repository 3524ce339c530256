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
from core.algorithms.leastloss.rounds import Best, Open, Part, Task, best_of_each, both_sides, one_round
from core.algorithms.mondrian.rounds import Units
from core.arrays import Codes, Floats, Ints, Progress, step
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
        (alternatives,) which of them each cut that is tried is of, the best cut of each first.
    sides
        (2, alternatives) classes of the next level that its sides are.
    """

    state: Part
    parent: Ints
    sides: Ints


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
    state = Open.whole(task.lines, 1)
    settled: list[Part] = []
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


def _people(task: Task, state: Part) -> Ints:
    """(classes,) records of each class."""
    starts = np.cumsum(state.size) - state.size
    people: Ints = np.add.reduceat(task.units.weight[state.unit], starts)
    return people


def _batches(small: Sequence[Open]) -> Iterator[Open]:
    """All small classes, a few at a time."""
    for part in small:
        if len(part.size):
            yield from part.pieces(BATCH)


def _best_subtrees(task: Task, state: Open) -> list[Part]:
    """Final classes of the best subtree of each class."""
    levels: list[Level] = []
    while len(state.size):
        parent, sides, below = _tried(task, state)
        levels.append(Level(Part(state.unit, state.size, state.since, state.until), parent, sides))
        state = below
    chosen: list[Ints] = [np.empty(0, dtype=np.int64)] * len(levels)
    cost = np.empty(0)
    for number in range(len(levels) - 1, -1, -1):
        level = levels[number]
        total = cost[level.sides].sum(axis=0)
        cost = _cost(task, level.state)
        best = np.full(len(level.state.size), -1, dtype=np.int64)
        if len(level.parent):
            # Single precision, so that equal losses are ties however they were summed; then the better cut.
            order = np.lexsort((total.astype(np.float32), level.parent))
            parents, first = np.unique(level.parent[order], return_index=True)
            best[parents] = order[first]
            cost[parents] = total[order[first]]
        chosen[number] = best
    final: list[Part] = []
    kept = np.ones(len(levels[0].state.size), dtype=bool)
    for level, best in zip(levels, chosen, strict=True):
        final.append(level.state.some(kept & (best < 0)))
        cut = best[kept & (best >= 0)]
        kept = np.zeros(2 * len(level.parent), dtype=bool)
        kept[level.sides[:, cut]] = True
    return final


def _tried(task: Task, state: Open) -> tuple[Ints, Ints, Open]:
    """Class of each cut that is tried, the best of a class first, its sides by number, and all sides."""
    classes = len(state.size)
    state = state.take(np.ones(classes, dtype=bool), state.varying(task.lines))
    best = best_of_each(task, np.full(classes, task.policy.k), state)
    rank = np.argsort(best.score, axis=0, kind="stable")[:WIDTH]
    parents: list[Ints] = []
    sides: list[Ints] = []
    below: Open | None = None
    for attribute in rank:
        which = attribute, np.arange(classes)
        allowed = best.attribute[which] >= 0
        parents.append(np.flatnonzero(allowed))
        many, first = len(parents[-1]), 0 if below is None else len(below.size)
        sides.append(first + np.arange(2 * many).reshape(2, many))
        tried = Best(best.attribute[which], best.at[which], best.smaller[which], best.score[which])
        both = both_sides(state, tried, state.until)
        below = both if below is None else below.beside(both)
    assert below is not None  # a table has a quasi-identifier
    return np.concatenate(parents), np.hstack(sides), below


def _cost(task: Task, state: Part) -> Floats:
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
