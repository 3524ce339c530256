"""Which classes are m-private with respect to k and distinct l, by counting; exact (ours).

The constraint is a conjunction, so a coalition breaches when what it leaves fails k *or*
fails l, and the two can be checked separately. With w = min(m, n_G - 1):

- **k.** The fewest records are left by the w largest contributors.
- **l.** A coalition takes a value away only if it has all holders of it, so a value with
  more than w holders stays. If l values stay for certain, the class is safe. Otherwise give
  every holder of a value with h <= w holders 1/h of it: a coalition takes away at most the
  sum over its members, so at most that of the w largest. If that is too little, the class is also safe; if the
  coalition of these w takes away enough, it breaches. The remaining cases are decided by a search over unions of holder
  sets. No other coalitions matter: adding a member that completes no set takes nothing away.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from core.base.arrays import Bools, Floats, Ints
from core.base.errors import ParameterError
from core.privacy.coalitions.contribution_tables import Contributions
from core.privacy.coalitions.contributions import Group

MAX_UNIONS = 4_000_000
"""Number of unions of holder sets formed at once."""


def private_classes(all_of: Contributions, m: int) -> Bools:
    """Whether each class is m-private with respect to k and distinct l; O(cells log cells) except for few classes."""
    most = np.minimum(m, all_of.contributors - 1)
    holds: Bools = all_of.left_at_least(most) >= all_of.constraint.policy.k
    if all_of.constraint.policy.l is None:
        return holds
    least = int(all_of.constraint.policy.l)
    owner, holders = all_of.holders
    holds &= np.bincount(owner, minlength=all_of.classes) >= least
    sure = np.bincount(owner[holders > most[owner]], minlength=all_of.classes) >= least
    for number in np.flatnonzero(holds & ~sure).tolist():
        holds[number] = breach(all_of.group(number), m) is None
    return holds


def breach(group: Group, m: int) -> tuple[int, ...] | None:
    """Members of a coalition that breaks the constraint in one class, including idle ones; ``None`` if none does.

    Raises
    ------
    ParameterError
        If too many unions of holder sets have to be searched.
    """
    policy, most = group.constraint.policy, group.most(m)
    largest = _strongest(group, group.sizes, most)
    if group.breached_by(largest):
        return largest
    if policy.l is None:
        return None
    spare = sum(group.holders.values()) - int(policy.l)  # values that may go
    taken = {held: times for held, times in group.holders.items() if held.bit_count() <= most}
    weight = np.zeros(group.contributors)
    for held, times in taken.items():
        weight[list(members(held))] += times / held.bit_count()
    heaviest = _strongest(group, weight, most)
    if np.floor(weight[list(heaviest)].sum() + 1e-9) <= spare:
        return None
    if group.breached_by(heaviest):
        return heaviest
    return _union(taken, most, spare)


def _strongest(group: Group, strength: Ints | Floats, most: int) -> tuple[int, ...]:
    return tuple(np.lexsort((group.providers, -strength))[:most].tolist())


def _union(taken: Mapping[int, int], most: int, spare: int) -> tuple[int, ...] | None:
    """Union of holder sets of at most ``most`` providers that takes more than ``spare`` values away.

    A union is given up when all values that could still be added to it would be too few.
    """
    seen = front = {0}
    while front:
        if len(front) * len(taken) > MAX_UNIONS:
            raise ParameterError(
                "A class has too many combinations of values to search; choose a smaller m.", parameter="m"
            )
        grown = {union | held for union in front for held in taken} - seen
        grown = {union for union in grown if union.bit_count() <= most}
        for union in sorted(grown):
            if sum(times for held, times in taken.items() if not held & ~union) > spare:
                return members(union)
        reach = {
            union: sum(times for held, times in taken.items() if (held | union).bit_count() <= most) for union in grown
        }
        seen, front = seen | grown, {union for union in grown if reach[union] > spare}
    return None


def members(union: int) -> tuple[int, ...]:
    """Indices of the bits in a set of holders."""
    return tuple(place for place in range(union.bit_length()) if union >> place & 1)
