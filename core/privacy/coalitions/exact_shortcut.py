"""An exact shortcut (ours) for k-anonymity and distinct l-diversity, for all classes at once.

The constraint is a conjunction, so a coalition breaches when what it leaves fails k *or*
fails l, and the two can be looked at apart. With w = min(m, n_G - 1):

- **k.** The fewest records are left by the w largest contributors. One check a class.
- **l.** A coalition takes a value away only if it has all holders of it, so a value with
  more than w holders stays. If l values stay for certain, the class is safe. Otherwise give
  every holder of a value with h <= w holders 1/h of it: a coalition takes away at most the
  sum over its members, so at most that of the w largest. If that is too little, the class is
  safe too; if the coalition of these w takes away enough, it breaches. The few classes left
  are searched over unions of holder sets, which are all that can matter: adding a member
  that completes no set takes nothing away.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.arrays import Bools, Ints
from core.errors import ParameterError
from core.privacy.coalitions.contribution_tables import Contributions
from core.privacy.coalitions.group import Group
from core.privacy.coalitions.masks import MAX_CONTRIBUTORS, mask_of
from core.privacy.coalitions.strategies import Search

MAX_UNIONS = 4_000_000
"""Unions of holder sets that are kept at once."""


@dataclass(frozen=True, eq=False)
class Quick:
    """What could be said of every class without a search.

    Parameters
    ----------
    holds
        (classes,) whether each class is m-private, as far as it is decided.
    decided
        (classes,) whether that is settled; the others need :func:`by_unions`.
    checks
        (classes,) coalitions whose remainder was looked at.
    """

    holds: Bools
    decided: Bools
    checks: Ints


def private_classes(all_of: Contributions, m: int) -> Bools:
    """Whether each class is m-private with respect to k and distinct l; O(cells log cells) but for few classes.

    Raises
    ------
    ParameterError
        If the constraint is not monotonic.
    """
    classes = quick(all_of, m)
    holds = classes.holds.copy()
    for number in np.flatnonzero(~classes.decided).tolist():  # few: neither bound decides
        group = all_of.group(number)
        wide = group.contributors > MAX_CONTRIBUTORS
        holds[number] = (shortcut(group, m) if wide else by_unions(group, m)).holds
    return holds


def quick(all_of: Contributions, m: int) -> Quick:
    """Decide what counting alone decides, for all classes at once."""
    if not all_of.constraint.monotonic:
        raise ParameterError("The shortcut holds for k and distinct l only.", parameter="strategy")
    policy = all_of.constraint.policy
    most = np.minimum(m, all_of.contributors - 1)
    owner, _, records = all_of.shares
    taken = _sum_of_largest(owner, records.astype(np.float64), most, all_of.classes)
    holds = all_of.sizes - taken.astype(np.int64) >= policy.k
    checks = np.ones(all_of.classes, dtype=np.int64)
    if policy.l is None:
        return Quick(holds, np.ones(all_of.classes, dtype=bool), checks)
    return _quick_diversity(all_of, most, holds, checks, int(policy.l))


def _quick_diversity(all_of: Contributions, most: Ints, holds: Bools, checks: Ints, least: int) -> Quick:
    classes = all_of.classes
    known = all_of.value != all_of.constraint.sensitive.missing
    owner, value, provider = all_of.owner[known], all_of.value[known], all_of.provider[known]
    begins = np.concatenate(([True], (owner[1:] != owner[:-1]) | (value[1:] != value[:-1])))[: len(owner)]
    first = np.flatnonzero(begins)
    holders = np.diff(np.append(first, len(owner)))
    of_value = owner[first]
    distinct = np.bincount(of_value, minlength=classes)
    sure = np.bincount(of_value[holders > most[of_value]], minlength=classes)
    few = distinct < least
    open_ = holds & ~few & (sure < least)
    holds = holds & ~few
    if not open_.any():
        return Quick(holds, np.ones(classes, dtype=bool), checks)
    # Cells of values that can be taken away, in the classes still open.
    per_cell = np.repeat(holders, holders)
    cell = open_[owner] & (per_cell <= most[owner])
    key = owner[cell] * all_of.providers + provider[cell]
    pair, where = np.unique(key, return_inverse=True)
    weight = np.bincount(where, weights=1.0 / per_cell[cell]).astype(np.float64)
    ranked = np.lexsort((pair, -weight, pair // all_of.providers))
    pair, weight = pair[ranked], weight[ranked]
    bound = _sum_of_largest(pair // all_of.providers, weight, most, classes)
    spare = distinct - least  # so many values may go
    safe = np.floor(bound + 1e-9) <= spare
    # The coalition of the w heaviest: how many values does it take away?
    chosen = _rank_in_class(pair // all_of.providers) < most[pair // all_of.providers]
    is_member = np.isin(key, pair[chosen])
    value_of_cell = (np.cumsum(begins) - 1)[cell]
    members_of = np.bincount(value_of_cell, weights=is_member, minlength=len(first))
    gone = np.bincount(of_value[(members_of == holders)], minlength=classes)
    breached = open_ & (gone > spare)
    checks = checks + open_
    return Quick(holds & ~breached, ~open_ | safe | breached, checks)


def _rank_in_class(owner: Ints) -> Ints:
    """Place of each entry within its class; entries are sorted by class."""
    if not len(owner):
        return owner
    first = np.flatnonzero(np.concatenate(([True], owner[1:] != owner[:-1])))
    return np.arange(len(owner)) - np.repeat(first, np.diff(np.append(first, len(owner))))


def _sum_of_largest(owner: Ints, amount: NDArray[np.float64], most: Ints, classes: int) -> NDArray[np.float64]:
    """(classes,) sum of the so many largest amounts; entries sorted by class, then largest first."""
    inside = _rank_in_class(owner) < most[owner]
    return np.bincount(owner[inside], weights=amount[inside], minlength=classes).astype(np.float64)


def shortcut(group: Group, m: int) -> Search:
    """Decide one class by the shortcut, naming a coalition; the strategy of that name."""
    policy, most = group.constraint.policy, group.most(m)
    if not group.constraint.monotonic:
        raise ParameterError("The shortcut holds for k and distinct l only.", parameter="strategy")
    if group.contributors > MAX_CONTRIBUTORS:
        return _wide(group, most)
    search = Search()
    largest = mask_of(np.lexsort((group.providers, -group.sizes))[:most])
    if search.note_one(largest, group.is_breached_by(largest)):
        search.coalition = largest
    elif policy.l is not None:
        _by_diversity(group, most, search)
    return search


def _wide(group: Group, most: int) -> Search:
    """Decide a class of more contributors than a mask has bits, as far as counting goes; masks are plain integers."""
    policy, search = group.constraint.policy, Search()
    known = (group.counts > 0) & (group.values != group.constraint.sensitive.missing)
    holders = known.sum(axis=0)
    weight = (
        known[:, (holders > 0) & (holders <= most)] / np.maximum(holders, 1)[(holders > 0) & (holders <= most)]
    ).sum(axis=1)
    for strength in (group.sizes, weight) if policy.l is not None else (group.sizes,):
        chosen = np.lexsort((group.providers, -strength))[:most]
        left = np.delete(group.counts, chosen, axis=0)
        distinct = int(np.delete(known, chosen, axis=0).any(axis=0).sum())
        search.checks += 1
        if left.sum() < policy.k or (policy.l is not None and distinct < policy.l):
            search.coalition = mask_of(chosen)
            return search
    spare = int((holders > 0).sum()) - int(policy.l or 0)
    if policy.l is not None and np.floor(np.sort(weight)[::-1][:most].sum() + 1e-9) > spare:
        raise ParameterError(
            f"A class has {group.contributors} contributors; at most {MAX_CONTRIBUTORS} can be searched, and counting "
            "does not decide it. Choose a smaller m or l.",
            parameter="m",
        )
    return search


def _by_diversity(group: Group, most: int, search: Search) -> None:
    held, times = group.holders
    assert group.constraint.policy.l is not None
    spare = int(times.sum()) - int(group.constraint.policy.l)
    size = np.bitwise_count(held).astype(np.int64)
    open_ = size <= most
    if int(times[open_].sum()) <= spare:
        return
    bits = (held[open_, None] >> np.arange(group.contributors)) & 1
    weight = (times[open_] / size[open_]) @ bits
    order = np.lexsort((group.providers, -weight))[:most]
    if np.floor(weight[order].sum() + 1e-9) <= spare:
        return
    heavy = mask_of(order)
    if search.note_one(heavy, group.is_breached_by(heavy)):
        search.coalition = heavy
        return
    _unions(group, held[open_], times[open_], most, spare, search)


def by_unions(group: Group, m: int) -> Search:
    """Search the unions of holder sets of one class, whatever the bounds say."""
    policy, search = group.constraint.policy, Search()
    assert policy.l is not None
    held, times = group.holders
    open_ = np.bitwise_count(held) <= group.most(m)
    _unions(group, held[open_], times[open_], group.most(m), int(times.sum()) - int(policy.l), search)
    return search


def _unions(group: Group, held: Ints, times: Ints, most: int, spare: int, search: Search) -> None:
    """Grow unions of holder sets of at most ``most`` providers until one takes away too many values.

    A union is given up when all values that could still be added to it would be too few.
    """
    if spare < 0 and search.note_one(0, True):  # too few values with everybody in
        search.coalition = 0
        return
    seen = front = np.zeros(1, dtype=np.int64)
    while len(front) and len(held):
        grown = np.unique(np.concatenate([front | mask for mask in held.tolist()]))
        grown = grown[np.bitwise_count(grown) <= most]
        grown = grown[~np.isin(grown, seen)]
        if len(grown) * len(held) > MAX_UNIONS:
            raise ParameterError(
                f"A class of {group.contributors} contributors has too many ways to lose its values to be searched; "
                "choose a smaller m.",
                parameter="m",
            )
        gone = ((held & ~grown[:, None]) == 0) @ times
        bad = gone > spare
        if bad.any():
            first = int(np.argmax(bad))
            search.note(grown[: first + 1], bad[: first + 1])
            search.coalition = int(grown[first])
            return
        search.note(grown, bad)
        reach = (np.bitwise_count(held | grown[:, None]) <= most) @ times
        front, seen = grown[reach > spare], np.union1d(seen, grown)
