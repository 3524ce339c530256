"""The weighted adversary after one release, two, and so on: what was weighed is weighed on, not begun anew."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.attack.intersection import AttackResult
from core.attack.pools import TOLERANCE, Pools, pooled
from core.attack.weighted import weigh
from core.base.arrays import Floats, Ints
from core.data.classes import distinct_columns
from core.data.marginals import PRIOR_RECORDS


def weigh_each(results: Sequence[AttackResult], agreement: Sequence[float]) -> list[tuple[Floats, Floats]]:
    """Confidence of the weighted adversary, and the chance that he is right, after one release, two, and so on.

    Parameters
    ----------
    results
        Outcomes after one release twice over, two releases, three, and so on, of the same people
        (:meth:`core.study.seen.Seen.after_each`).
    agreement
        (R,) as for :func:`core.attack.weighted.weigh`.

    Returns
    -------
    list of (ndarray, ndarray)
        (P,) confidence and (P,) hit of :class:`core.attack.weighted.Weighted`; after one release those of the
        person's class alone.

    Notes
    -----
    O(R x values left) where releases agree, no column is published beside the sensitive one, each person is located
    in the first release and has one record: values that a release rules out are not looked at again. Else O(R^2 x
    values left): each number of releases by itself.
    """
    last = results[-1]
    numbers, pools = _numbered(last)
    by_values = not last.several and last.tuples is None and min(agreement) == 1
    if not by_values or (numbers[0] < 0).any():
        return [_alone(results[0]), *(_by_itself(result, agreement) for result in results[1:])]
    records = float(last.overall.sum())
    share = last.overall / records if records else np.full(len(last.overall), 1 / len(last.overall))
    first, group = last.alike or distinct_columns(numbers + 1)[:2]
    weighing = _Weighing.of(pools[0], numbers[0][first], group, last.truth, PRIOR_RECORDS * share)
    beliefs = [pools[0].alone(last.truth, share)]
    for pool, number in zip(pools[1:], numbers[1:], strict=True):
        weighing.add(pool, number[first])
        beliefs.append(weighing.now())
    return beliefs


def _numbered(result: AttackResult) -> tuple[Ints, list[Pools]]:
    """(R, P) pool of each person in each release, and the pools."""
    values = len(result.overall)
    pools = [pooled(*parts, values) for parts in zip(result.located, result.histograms, result.codes, strict=True)]
    return np.array([pool.number for pool in pools]), pools


def _alone(result: AttackResult) -> tuple[Floats, Floats]:
    weighted = weigh(result)
    return weighted.alone[0], weighted.alone_hit[0]


def _by_itself(result: AttackResult, agreement: Sequence[float]) -> tuple[Floats, Floats]:
    weighted = weigh(result, agreement=agreement[: result.releases])
    return weighted.confidence, weighted.hit


class _Weighing:
    """What is left of groups of people, value by value, as releases come.

    Parameters
    ----------
    owner, value
        (pairs,) a group and a value that is left of it, group after group.
    together
        (pairs,) records of the value in the classes of all releases so far.
    group
        (P,) of each person.
    truth_at
        (P,) pair of each person's true value; -1 where it is not left.
    smoothing
        (values,) what is added to ``together`` to have what is said of a value without any release.
    groups
        Number of groups.
    """

    def __init__(
        self, owner: Ints, value: Ints, together: Floats, group: Ints, truth_at: Ints, smoothing: Floats, groups: int
    ) -> None:
        self._owner, self._value, self._together = owner, value, together
        self._group, self._truth_at, self._smoothing = group, truth_at, smoothing
        self._log = np.log(together)
        self._heard = np.ones(groups, dtype=np.int64)

    @classmethod
    def of(cls, pool: Pools, number: Ints, group: Ints, truth: Ints, smoothing: Floats) -> _Weighing:
        """Begin with the classes of the first release, one for each group."""
        owner, cell = pool.cells(number)
        begins = np.concatenate(([0], np.cumsum(np.bincount(owner, minlength=len(number)))))
        place = pool.place(number[group], truth)
        truth_at = np.where(place >= 0, place - pool.starts[number[group]] + begins[group], -1)
        value, count = pool.value[cell], pool.count[cell].astype(np.float64)
        return cls(owner, value, count, group, truth_at, smoothing, len(number))

    def add(self, pool: Pools, number: Ints) -> None:
        """Weigh another release; one in which a group has no class says nothing of it."""
        there = number >= 0
        count = pool.count_of(number[self._owner], self._value)
        tells = there[self._owner]
        kept = (count > 0) | ~tells
        moved = np.append(np.where(kept, np.cumsum(kept) - 1, -1), -1)
        self._truth_at = moved[self._truth_at]
        self._owner, self._value, count, tells = self._owner[kept], self._value[kept], count[kept], tells[kept]
        self._together = self._together[kept] + count
        self._log = self._log[kept] + np.log(np.where(tells, count, 1.0))
        self._heard += there

    def now(self) -> tuple[Floats, Floats]:
        """(P,) confidence in the likeliest value, 0 where none is left, and the chance that it is the true one."""
        groups = len(self._heard)
        before = np.log(self._together + self._smoothing[self._value])
        log = self._log + (1 - self._heard)[self._owner] * before
        many = np.bincount(self._owner, minlength=groups)
        filled = np.flatnonzero(many)
        starts = (np.cumsum(many) - many)[filled]
        top, total, ties = np.zeros(groups), np.ones(groups), np.ones(groups, dtype=np.int64)
        if len(filled):
            top[filled] = np.maximum.reduceat(log, starts)
        weight = np.exp(log - top[self._owner])
        likeliest = weight >= 1 - TOLERANCE
        if len(filled):
            total[filled] = np.add.reduceat(weight, starts)
            ties[filled] = np.add.reduceat(likeliest, starts, dtype=np.int64)
        confidence = np.where(many > 0, 1 / total, 0.0)
        named = np.append(likeliest, False)[self._truth_at]
        return confidence[self._group], np.where(named, 1 / ties[self._group], 0.0)
