"""Ours: the posterior of an adversary who knows the quasi-identifiers of every member of a class.

[Allard 2023], Eq. 2, supposes that he does not know the others. Where he does, the values of
the class are dealt out to its members: an assignment has a probability proportional to the
product of f(s | q) over the members, and he is left with the assignments that deal out exactly
the published counts.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.base.arrays import Floats
from core.base.errors import LimitError, ParameterError

MOST_CELLS = 4_000_000
"""Members of the class times ways to use up its values: what may be kept at once."""


def cells_needed(counts: NDArray[Any]) -> int:
    """Members times (n(s1) + 1) (n(s2) + 1) ..., exactly."""
    used = [int(count) for count in np.asarray(counts) if count > 0]
    return sum(used) * math.prod(count + 1 for count in used)


def known_members(prior: NDArray[Any], counts: NDArray[Any]) -> Floats:
    """Posterior belief of every member of a class, when all of them are known.

    Parameters
    ----------
    prior
        (members, values) f(s | q) of each member.
    counts
        (values,) records of each sensitive value in the class; they sum to the members.

    Returns
    -------
    ndarray
        (members, values) posterior shares; zeros throughout where no assignment of the values
        is possible under the background.

    Raises
    ------
    ParameterError
        If the counts do not sum to the number of members.
    LimitError
        If members times the product of (count + 1) over the values exceed 4,000,000: exact
        enumeration is for small classes.

    Notes
    -----
    Not the assignments are walked through but the counts used up so far: members one by one,
    forwards and backwards, as in a hidden Markov model. O(members x values x product of
    (count + 1)), instead of the multinomial number of assignments.
    """
    prior = np.asarray(prior, dtype=np.float64)
    counts = np.asarray(counts, dtype=np.int64)
    members = len(prior)
    if counts.sum() != members or prior.shape[1] != len(counts):
        raise ParameterError(f"The counts must sum to the {members:,} members of the class.", parameter="counts")
    if (needed := cells_needed(counts)) > MOST_CELLS:
        ways = "more than 10^15" if needed > 10**15 else f"{needed:,}"
        raise LimitError(
            f"The class has {members:,} members of {np.count_nonzero(counts):,} different values: {ways} partial sums, "
            f"and at most {MOST_CELLS:,} are worked out exactly. Open a smaller class.",
            parameter="counts",
        )
    used = np.flatnonzero(counts)
    shape = tuple(counts[used] + 1)
    belief = prior[:, used]
    ahead = np.zeros((members + 1, *shape))
    ahead[(members, *(0,) * len(used))] = 1.0
    for member in range(members - 1, -1, -1):
        ahead[member] = _scaled(_dealt(ahead[member + 1], belief[member]))
    posterior = np.zeros(prior.shape)
    so_far = np.zeros(shape)
    so_far[(0,) * len(used)] = 1.0
    for member in range(members):
        # What is left for the others must be dealt out by them: index the counts from the other end.
        rest = np.flip(ahead[member + 1])
        for place, value in enumerate(used):
            taken, left = _ends(len(used), place)
            posterior[member, value] = belief[member, place] * float((so_far[taken] * rest[left]).sum())
        so_far = _scaled(_dealt(so_far, belief[member]))
    total = posterior.sum(axis=1, keepdims=True)
    if not (total > 0).all():
        return np.zeros(prior.shape)
    shares: Floats = posterior / total
    return shares


def _ends(values: int, place: int) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
    """Index all counts but the last of one value, and all but its first."""
    before = tuple(slice(None, -1) if i == place else slice(None) for i in range(values))
    after = tuple(slice(1, None) if i == place else slice(None) for i in range(values))
    return before, after


def _dealt(weights: Floats, belief: Floats) -> Floats:
    """Weight of each way to have used values, after one more member has got one."""
    following = np.zeros_like(weights)
    for place, share in enumerate(belief):
        before, after = _ends(len(belief), place)
        following[after] += share * weights[before]
    return following


def _scaled(weights: Floats) -> Floats:
    """Keep products of many small numbers above nothing."""
    most = weights.max()
    return weights / most if most > 0 else weights
